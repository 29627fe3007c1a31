// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ranks/device_stage.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "global/choose/local_tuner.hpp"
#include "gpu/choose/choose.hpp"
#include "gpu/device/copy_kernel.hpp"
#include "gpu/device/transform_engine.hpp"
#include "gpu/ranks/stage_sides.hpp"
#include "gpu/ranks/twiddle_kernel.hpp"
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
    std::unique_ptr<TransformEngine> engine;
    TwiddleShape twiddles;  ///< where the stage has some
  };
  struct Move {
    reshape::Piece from, to;
    CopyShape shape;
  };

  const global::StageProblem problem;
  const global::StageOptions options;
  const GpuDevice& device;
  Index in_bytes, out_bytes, scratch = 0;
  std::vector<Region> regions;
  std::vector<Move> moves;
  std::unique_ptr<CopyKernel> in_copy, out_copy;
  std::unique_ptr<TwiddleKernel> twiddles;
  double flops = 0;

  Impl(const global::StageProblem& p, const global::StageOptions& o, const GpuDevice& d)
      : problem(p),
        options(o),
        device(d),
        in_bytes(in_element_bytes(p.kind, p.precision)),
        out_bytes(out_element_bytes(p.kind, p.precision)) {
    if (problem.axes.empty()) {
      plan_moves();
      return;
    }
    if (problem.twiddled >= 0)
      twiddles = std::make_unique<TwiddleKernel>(problem.precision, device);
    for (const Box& box : problem.in_boxes)
      if (!box.empty()) plan_region(box);
  }

  Box out_box(Box box) const {
    const int halved = problem.halved_axis();
    if (halved >= 0) box.end[at(halved)] = problem.out_extent(halved);
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
                           copy_shape(part, source.strides, target.strides,
                                      source.conjugate != target.conjugate)});
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
                        is_output ? copy_shape(piece.box, dense, piece.strides, piece.conjugate)
                                  : copy_shape(piece.box, piece.strides, dense, piece.conjugate)});
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
    if (twiddles && out && out->axis >= 0) out.reset();  // they turn one strided array
    // A box in blocks that no kernel reads or writes is copied after all.
    for (const int give_up : {0, 1, 2, 3}) {
      if ((give_up & 1) != 0 && (!in || in->axis < 0)) continue;
      if ((give_up & 2) != 0 && (!out || out->axis < 0)) continue;
      Region region;
      const bool copies_in = !in || (give_up & 1) != 0, copies_out = !out || (give_up & 2) != 0;
      region.in = copies_in ? dense_side(box) : *in;
      region.out = copies_out ? dense_side(out_box(box)) : *out;
      const ArrayProblem array = array_of(box, region);
      const auto recipe = recipe_for(array);
      if (!recipe) continue;
      if (copies_in) region.gather = copies(sources, box, false);
      if (copies_out) region.scatter = copies(targets, out_box(box), true);
      region.dense_out = copies_in ? round_up(box.count() * in_bytes, alignment) : 0;
      region.workspace = region.dense_out +
                         (copies_out ? round_up(out_box(box).count() * out_bytes, alignment) : 0);
      region.engine = std::make_unique<TransformEngine>(*recipe, array, device);
      if (twiddles)
        region.twiddles = twiddle_shape(out_box(box), region.out.first.strides, problem.twiddled,
                                        problem.line, problem.direction);
      flops += nominal_flops(box);
      scratch = std::max(scratch,
                         region.workspace + static_cast<Index>(region.engine->workspace_bytes()));
      regions.push_back(std::move(region));
      return;
    }
    throw Error(ErrorCode::unsupported,
                "an axis of " + to_text(box) +
                    " is too long for this GPU to transform; use lengths without large prime "
                    "factors, or plan for the CPU");
  }

  double nominal_flops(const Box& box) const {
    double sum = 0;
    for (int axis : problem.axes) {
      const auto n = static_cast<double>(problem.dimension(axis).n);
      sum += 5 * static_cast<double>(box.count()) * std::log2(std::max(1.0, n));
    }
    return problem.halved_axis() >= 0 ? sum / 2 : sum;
  }

  /// What the kernels of a region do.
  ArrayProblem array_of(const Box& box, const Region& region) const {
    ArrayProblem array = problem;
    for (int d = 0; d < box.ndim; ++d) {
      const Index n = d == problem.halved_axis() ? problem.dimension(d).n : box.extent(d);
      array.dimensions[at(d)] = {n, region.in.first.strides[at(d)] * array.in_width(),
                                 region.out.first.strides[at(d)] * array.out_width()};
    }
    const auto blocks_of = [](const Side& side, Index width) {
      return Blocks{side.blocks.length, side.blocks.jump * width};
    };
    if (region.in.axis >= 0)
      array.dimensions[at(region.in.axis)].in_blocks = blocks_of(region.in, array.in_width());
    if (region.out.axis >= 0)
      array.dimensions[at(region.out.axis)].out_blocks = blocks_of(region.out, array.out_width());
    return array;
  }

  /// Nothing where no kernel does it.
  std::optional<TransformRecipe> recipe_for(const ArrayProblem& array) const {
    if (!has_gpu_form(array)) return std::nullopt;
    if (!options.tuner) return first_recipe(array, device);
    const auto ask = [&](const local::Choice& choice) {
      try {
        return to_text(choose_recipe(array, device,
                                     {.device = device.number,
                                      .effort = choice.effort,
                                      .time_limit_s = choice.time_limit_s,
                                      .use_wisdom = choice.use_wisdom,
                                      .recipe = choice.recipe}),
                       array);
      } catch (const Error& error) {  // it wants room for arrays, which the stage has already
        if (error.code() != ErrorCode::out_of_memory || !choice.recipe.empty()) throw;
        return to_text(first_recipe(array, device).value(), array);
      }
    };
    std::vector<std::string> keys;
    for (const ArrayProblem& part : parts_of(array)) keys.push_back(to_text(part));
    try {
      return parse_transform_recipe(options.tuner->choose(to_text(array), device.name, ask, keys),
                                    array);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      return std::nullopt;
    }
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
      if (twiddles) twiddles->run(to, region.twiddles, stream);
      for (const Copy& copy : region.scatter)
        out_copy->run(dense_out + copy.offset, copy.piece.data(bases), copy.shape, stream);
    }
  }
};

DeviceStage::DeviceStage(const global::StageProblem& problem, const global::StageOptions& options,
                         const GpuDevice& device)
    : impl_(std::make_unique<Impl>(problem, options, device)) {}
DeviceStage::~DeviceStage() = default;
DeviceStage::DeviceStage(DeviceStage&&) noexcept = default;

Index DeviceStage::scratch_bytes() const { return impl_->scratch; }
double DeviceStage::flops() const { return impl_->flops; }
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
