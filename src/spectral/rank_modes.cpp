// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/rank_modes.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "local/choose/machine_model.hpp"
#include "reshape/piece.hpp"
#include "spectral/fused_stage.hpp"
#include "spectral/run_tasks.hpp"
#include "spectral/wave_numbers.hpp"

namespace weft::spectral {
namespace {

/// The modes of this rank, cut into tiles that stay in cache.
template <class Real>
class ModesOnCpu final : public RankModes {
 public:
  using Complex = std::complex<Real>;
  using Function = std::function<void(const ModeTile<Real>&)>;

  ModesOnCpu(const OperatorProblem& problem, Function function,
             std::shared_ptr<const Executor> executor)
      : problem_(problem),
        waves_(problem.forward, problem.spectrum, problem.lengths),
        function_(std::move(function)),
        executor_(std::move(executor)) {}

  void store(const LocalBoxes& boxes, Index count) override {
    memory_ = Buffer<Complex>(problem_.fields() * count);
    count_ = count;
    const double most =
        local::machine_model().l2.bytes / 2 / (sizeof(Complex) * double(problem_.fields()));
    tiles_.clear();
    for (const reshape::Piece& piece :
         reshape::pieces_of(boxes, reshape::Memory::input, sizeof(Complex)))
      add_tiles(piece, most);
  }
  void* field(int f) const override { return values(f); }
  Index bytes() const override { return memory_.size() * Index{sizeof(Complex)}; }

  void run() const override {
    const auto all = static_cast<Index>(tiles_.size());
    const int tasks = static_cast<int>(
        std::min<Index>(std::max(1, executor_->concurrency()), std::max<Index>(1, all)));
    run_tasks(*executor_, tasks, [&](int task) {
      for (Index i = all * task / tasks; i < all * (task + 1) / tasks; ++i)
        run_tile(tiles_[static_cast<std::size_t>(i)]);
    });
  }

  std::unique_ptr<global::RunnableStage> fused_stage(std::shared_ptr<const UndoneStage> undone,
                                                     const global::StageProblem& next,
                                                     const global::StageOptions& options) override {
    const auto on_box = [this](const Box& box, const reshape::Strides& strides,
                               std::span<std::byte* const> modes) {
      std::array<Complex*, max_operator_fields> fields{};
      for (std::size_t f = 0; f < modes.size(); ++f)
        fields[f] = reinterpret_cast<Complex*>(modes[f]);
      run_box(box, strides, fields.data());
    };
    return make_fused_stage({std::move(undone), problem_.inputs, problem_.outputs, on_box}, next,
                            options);
  }
  bool is_one_pass() const override { return true; }
  bool fit(Index points, Index row) const override {
    // Beyond the second cache tiles cost no more until they are three times as large.
    return problem_.fields() == 1 || least_tile_bytes(points, row, problem_.fields(),
                                                      sizeof(Complex)) <= 2 * most_tile_bytes();
  }

 private:
  /// Cuts along the slowest axis in memory.
  void add_tiles(const reshape::Piece& piece, double most_modes) {
    int slowest = 0;
    for (int d = 1; d < piece.box.ndim; ++d)
      if (std::abs(piece.strides[at(d)]) > std::abs(piece.strides[at(slowest)])) slowest = d;
    const Index all = piece.box.extent(slowest);
    const double row = static_cast<double>(piece.box.count() / all);
    const Index some = std::clamp<Index>(static_cast<Index>(most_modes / row), 1, all);
    for (Index begin = 0; begin < all; begin += some) {
      Box part = piece.box;
      part.begin[at(slowest)] = piece.box.begin[at(slowest)] + begin;
      part.end[at(slowest)] = std::min(part.begin[at(slowest)] + some, piece.box.end[at(slowest)]);
      tiles_.push_back(reshape::sub_piece(piece, part, sizeof(Complex)));
    }
  }

  Complex* values(int f) const { return const_cast<Complex*>(memory_.data()) + f * count_; }

  void run_tile(const reshape::Piece& tile) const {
    std::array<Complex*, max_operator_fields> fields{};
    for (int f = 0; f < problem_.fields(); ++f)
      fields[at(f)] = values(f) + tile.offset / Index{sizeof(Complex)};
    run_box(tile.box, tile.strides, fields.data());
  }

  void run_box(const Box& box, const reshape::Strides& strides, Complex* const* fields) const {
    std::array<typename ModeTile<Real>::Dimension, max_operator_dimensions> dimensions;
    const std::size_t ndim = at(box.ndim);
    for (std::size_t d = 0; d < ndim; ++d) {
      dimensions[d].begin = box.begin[d];
      dimensions[d].extent = box.extent(static_cast<int>(d));
      dimensions[d].stride = strides[d];
    }
    for (std::size_t a = 0; a < problem_.forward.axes.size(); ++a) {
      auto& dimension = dimensions[at(problem_.forward.axes[a])];
      dimension.axis = static_cast<int>(a);
      dimension.k = waves_.k[a].data() + dimension.begin;
      dimension.odd = waves_.odd[a].data() + dimension.begin;
    }
    function_(ModeTile<Real>{
        {dimensions.data(), ndim}, fields, static_cast<int>(problem_.forward.axes.size())});
  }

  const OperatorProblem& problem_;
  WaveNumbers<Real> waves_;
  Function function_;
  std::shared_ptr<const Executor> executor_;
  std::vector<reshape::Piece> tiles_;
  Buffer<Complex> memory_;
  Index count_ = 0;
};

}  // namespace

std::unique_ptr<RankModes> modes_on_cpu(const OperatorProblem& problem,
                                        const ModeFunction& function,
                                        std::shared_ptr<const Executor> executor) {
  if (problem.forward.precision == Precision::f64)
    return std::make_unique<ModesOnCpu<double>>(problem, function.on_f64(), std::move(executor));
  return std::make_unique<ModesOnCpu<float>>(problem, function.on_f32(), std::move(executor));
}

}  // namespace weft::spectral
