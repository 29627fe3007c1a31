// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device_stage.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "gpu/copy_kernel.hpp"
#include "gpu/engine.hpp"
#include "gpu/problem.hpp"
#include "gpu/stage_sides.hpp"
#include "gpu/tuner.hpp"
#include "gpu/two_pass.hpp"
#include "weft/error.hpp"

namespace weft::gpu {

using reshape::Bases;
using reshape::Strides;

namespace {

constexpr Index alignment = 256;

}  // namespace

struct DeviceStage::Impl {
  struct Copy {
    reshape::Piece piece;
    Index offset = 0;  ///< bytes from the start of the dense array
    CopyShape shape;
  };
  /// One box: gather, transform, scatter; the first and the last only where they are needed.
  struct Region {
    std::vector<Copy> gather, scatter;
    Side in, out;
    Index dense_out = 0;  ///< bytes from the start of the scratch memory
    Index workspace = 0;
    std::unique_ptr<Engine> engine;
  };
  struct Move {
    reshape::Piece from, to;
    CopyShape shape;
  };

  const global::StageProblem problem;
  const Device& device;
  Index in_bytes, out_bytes, scratch = 0;
  std::vector<Region> regions;
  std::vector<Move> moves;
  std::unique_ptr<CopyKernel> in_copy, out_copy;

  Impl(const global::StageProblem& p, const Device& d)
      : problem(p),
        device(d),
        in_bytes(global::in_element_bytes(p.kind, p.precision)),
        out_bytes(global::out_element_bytes(p.kind, p.precision)) {
    if (problem.axes.empty()) {
      plan_moves();
      return;
    }
    for (const Box& box : problem.in_boxes)
      if (!box.empty()) plan_region(box);
  }

  int halved() const {
    return problem.kind == Kind::r2c || problem.kind == Kind::c2r ? problem.axes.back() : -1;
  }
  Box out_box(Box box) const {
    if (halved() >= 0) box.end[at(halved())] = problem.out_shape[at(halved())];
    return box;
  }

  CopyKernel& copier(bool is_output) {
    auto& kernel = is_output ? out_copy : in_copy;
    if (!kernel) kernel = std::make_unique<CopyKernel>(is_output ? out_bytes : in_bytes, device);
    return *kernel;
  }

  void plan_moves() {
    for (const reshape::Piece& source : problem.sources)
      for (const reshape::Piece& target : problem.targets)
        for (const Box& box : problem.in_boxes) {
          const Box part = intersect(intersect(source.box, target.box), box);
          if (part.empty()) continue;
          copier(false);
          moves.push_back({reshape::sub_piece(source, part, in_bytes),
                           reshape::sub_piece(target, part, out_bytes),
                           copy_shape(part, source.strides, target.strides)});
        }
  }

  /// Copies between the pieces of a side and a dense array of the box.
  std::vector<Copy> copies(const std::vector<reshape::Piece>& pieces, const Box& box,
                           bool is_output) {
    const Index bytes = is_output ? out_bytes : in_bytes;
    const Strides dense = reshape::dense_strides(box);
    std::vector<Copy> result;
    for (const reshape::Piece& piece : pieces) {
      const Index offset = reshape::distance(box, dense, piece.box) * bytes;
      result.push_back({piece, offset,
                        is_output ? copy_shape(piece.box, dense, piece.strides)
                                  : copy_shape(piece.box, piece.strides, dense)});
    }
    copier(is_output);
    return result;
  }

  static Side dense_side(const Box& box) {
    return {.first = {.box = box, .strides = reshape::dense_strides(box)}};
  }

  void plan_region(const Box& box) {
    const auto sources = reshape::pieces_within(problem.sources, box, in_bytes);
    const auto targets = reshape::pieces_within(problem.targets, out_box(box), out_bytes);
    auto in = side_of(sources, box, in_bytes);
    auto out = side_of(targets, out_box(box), out_bytes);
    // A box in blocks that no kernel reads or writes is copied after all.
    for (const int give_up : {0, 1, 2, 3}) {
      if ((give_up & 1) != 0 && (!in || in->axis < 0)) continue;
      if ((give_up & 2) != 0 && (!out || out->axis < 0)) continue;
      Region region;
      const bool copies_in = !in || (give_up & 1) != 0, copies_out = !out || (give_up & 2) != 0;
      region.in = copies_in ? dense_side(box) : *in;
      region.out = copies_out ? dense_side(out_box(box)) : *out;
      const auto recipe = recipe_for(box, region);
      if (!recipe) continue;
      if (copies_in) region.gather = copies(sources, box, false);
      if (copies_out) region.scatter = copies(targets, out_box(box), true);
      region.dense_out = copies_in ? round_up(box.count() * in_bytes, alignment) : 0;
      region.workspace = region.dense_out +
                         (copies_out ? round_up(out_box(box).count() * out_bytes, alignment) : 0);
      region.engine = std::make_unique<Engine>(*recipe, device);
      scratch = std::max(scratch,
                         region.workspace + static_cast<Index>(region.engine->workspace_bytes()));
      regions.push_back(std::move(region));
      return;
    }
    throw Error(ErrorCode::unsupported,
                "an axis of " + to_text(box) +
                    " is too long for this GPU to transform; use lengths without large prime "
                    "factors, or weft::DistributedPlan on the hosts");
  }

  std::optional<Recipe> recipe_for(const Box& box, const Region& region) const {
    local::ArrayProblem array;
    array.kind = problem.kind;
    array.precision = problem.precision;
    array.direction = problem.direction;
    array.axes = problem.axes;
    array.scale = problem.scale;
    for (int d = 0; d < box.ndim; ++d) {
      const Index n = d == halved() ? std::max(problem.in_shape[at(d)], problem.out_shape[at(d)])
                                    : box.extent(d);
      array.dimensions.push_back({n, region.in.first.strides[at(d)] * array.in_width(),
                                  region.out.first.strides[at(d)] * array.out_width()});
    }
    Problem on_device = problem_of(array);
    if (region.in.axis >= 0) on_device.dimensions[at(region.in.axis)].in_blocks = region.in.blocks;
    if (region.out.axis >= 0)
      on_device.dimensions[at(region.out.axis)].out_blocks = region.out.blocks;
    const bool is_only_axis = problem.axes == std::vector<int>{region.in.axis};
    if (region.in.axis >= 0 && region.in.axis == region.out.axis &&
        region.in.blocks.length != region.out.blocks.length && !is_only_axis)
      return std::nullopt;  // a loop over it would have to be cut in two ways
    if (halved() >= 0 && (region.in.axis == halved() || region.out.axis == halved()))
      return std::nullopt;
    const auto recipes = candidates(on_device, limits_of(device));
    if (recipes.empty()) return std::nullopt;
    return first_accepted(recipes, device);
  }

  void run(const Bases& bases, std::byte* memory, Stream stream) const {
    for (const Move& move : moves)
      in_copy->run(move.from.data(bases), move.to.data(bases), move.shape, stream);
    for (const Region& region : regions) {
      for (const Copy& copy : region.gather)
        in_copy->run(copy.piece.data(bases), memory + copy.offset, copy.shape, stream);
      std::byte* const dense_out = memory + region.dense_out;
      const void* from = region.gather.empty() ? region.in.first.data(bases) : memory;
      void* to = region.scatter.empty() ? region.out.first.data(bases) : dense_out;
      region.engine->run(from, to, memory + region.workspace, problem.scale, stream);
      for (const Copy& copy : region.scatter)
        out_copy->run(dense_out + copy.offset, copy.piece.data(bases), copy.shape, stream);
    }
  }
};

DeviceStage::DeviceStage(const global::StageProblem& problem, const Device& device)
    : impl_(std::make_unique<Impl>(problem, device)) {}
DeviceStage::~DeviceStage() = default;
DeviceStage::DeviceStage(DeviceStage&&) noexcept = default;

Index DeviceStage::scratch_bytes() const { return impl_->scratch; }
void DeviceStage::run(const Bases& bases, std::byte* scratch, Stream stream) const {
  impl_->run(bases, scratch, stream);
}
int DeviceStage::copied_sides() const {
  int count = 0;
  for (const auto& region : impl_->regions)
    count += (region.gather.empty() ? 0 : 1) + (region.scatter.empty() ? 0 : 1);
  return count;
}

}  // namespace weft::gpu
