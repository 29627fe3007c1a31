// SPDX-License-Identifier: BSD-3-Clause
// Complex transforms by lanes: the innermost loop of the problem supplies V (times `groups`)
// neighbouring transforms at a time. What is left over runs alone: full registers one by one, then
// a partly filled one through planar scratch. Streaming recipes store full blocks past the caches,
// at any address; what is left over they store as usual, and on some CPUs everything in place,
// where those lines are in cache, as they were just read.
#include <optional>

#include "local/axis/engines.hpp"
#include "local/axis/formed_rows.hpp"
#include "local/lane/lane_plan.hpp"
#include "local/lane/memory_habits.hpp"

namespace weft::local {
namespace {

using codelet::KernelLayout;

template <class Real>
class LanesEngine final : public AxisEngine<Real> {
 public:
  LanesEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : problem_(problem),
        lane_(problem.loops.empty() ? Loop{} : problem.loops.back()),
        outer_(problem.loops.empty()
                   ? problem.loops
                   : std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        ops_(lane_ops<Real>(recipe.isa)),
        lanes_(codelet::lanes(recipe.isa, sizeof(Real) == 8 ? Precision::f64 : Precision::f32)),
        groups_(recipe.groups),
        staged_(problem.is_staged()),
        one_(staged_ ? tail_request(recipe) : request(recipe, 1)),
        many_(groups_ > 1 ? std::make_optional<LanePlan<Real>>(request(recipe, groups_))
                          : std::nullopt),
        stream_(recipe.stream),
        planar_(stream_ || problem.twiddled
                    ? std::make_optional<LanePlan<Real>>(planar_request(recipe))
                    : std::nullopt),
        tail_(needs_tail() ? std::make_optional<LanePlan<Real>>(tail_request(recipe))
                           : std::nullopt) {
    const Index tail_reals = tail_ ? 2 * lanes_ * problem.n + tail_->scratch_reals() : 0;
    const Index ahead_reals = planar_rows() + 2 * ahead(true).scratch_reals();
    this->task_reals_ =
        std::max({one_.scratch_reals(), 2 * full().scratch_reals(), tail_reals, ahead_reals});
  }

  Index units(int) const override { return outer_.count() * blocks(); }

  KernelCall as_one_call() const override {
    if (staged_ || planar_ || units(0) != 1) return {};
    if (lane_.count == block()) return full().as_one_call();
    return lane_.count == lanes_ ? one_.as_one_call() : KernelCall{};
  }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    const bool by_planar =
        problem_.twiddled || (stream_ && (in != out || memory_habits().streams_in_place));
    if (lane_.in == 2 && !staged_ && ahead(by_planar).is_pipelined())
      return run_pipelined(begin, end, static_cast<const Real*>(in), static_cast<Real*>(out),
                           by_planar, scratch);
    for (Index unit = begin; unit < end; ++unit) {
      const Block block = block_of(unit);
      if (problem_.half)
        run_tail(static_cast<const Half*>(in) + block.in, static_cast<Half*>(out) + block.out,
                 block.count, scratch);
      else if (staged_)
        run_tail(static_cast<const Real*>(in) + block.in, static_cast<Real*>(out) + block.out,
                 block.count, scratch);
      else
        run_block(static_cast<const Real*>(in) + block.in, static_cast<Real*>(out) + block.out,
                  block.count, by_planar, scratch);
    }
  }

 private:
  struct Block {
    Index in, out, count;  // offsets in reals, lanes
  };
  Block block_of(Index unit) const {
    const auto at = outer_(unit / blocks());
    const Index first = unit % blocks() * block();
    return {at.in + first * lane_.in, at.out + first * lane_.out,
            std::min(block(), lane_.count - first)};
  }

  Index block() const { return Index{lanes_} * groups_; }
  Index blocks() const { return (lane_.count + block() - 1) / block(); }

  /// Which of the kernels' layouts the problem's strides amount to.
  KernelLayout layout(Index row, Index lane) const {
    if (lane == 2) return KernelLayout::unit;
    return row == 2 ? KernelLayout::tile : KernelLayout::strided;
  }

  LaneRequest request(const AxisRecipe& recipe, int groups) const {
    return {.recipe = recipe.lane[0],
            .isa = recipe.isa,
            .direction = problem_.direction,
            .in = {layout(problem_.in_row, lane_.in), problem_.in_row, lane_.in, lanes_ * lane_.in},
            .out = {layout(problem_.out_row, lane_.out), problem_.out_row, lane_.out,
                    lanes_ * lane_.out},
            .groups = groups,
            .scale = problem_.scale};
  }
  LaneRequest tail_request(const AxisRecipe& recipe) const {
    const LaneSide planar{KernelLayout::planar, 2 * lanes_, 1, 0};
    return {.recipe = recipe.lane[0],
            .isa = recipe.isa,
            .direction = problem_.direction,
            .in = planar,
            .out = planar};
  }

  /// As request(), but into planar rows that store_planar() writes out.
  LaneRequest planar_request(const AxisRecipe& recipe) const {
    LaneRequest wanted = request(recipe, groups_);
    wanted.out = {KernelLayout::planar, 2 * lanes_, 1, 2 * lanes_ * problem_.n};
    wanted.scale = 1.0;
    return wanted;
  }
  Index planar_rows() const { return planar_ ? groups_ * 2 * lanes_ * problem_.n : 0; }

  /// The plan whose first pass runs ahead: of the planar rows, or of the output itself.
  const LanePlan<Real>& ahead(bool by_planar) const {
    return planar_ && by_planar ? *planar_ : full();
  }
  const LanePlan<Real>& full() const { return many_ ? *many_ : one_; }
  bool needs_tail() const { return staged_ || problem_.twiddled || lane_.count % lanes_ != 0; }
  bool is_ahead(const Block& b) const { return b.count == block(); }

  /// Full blocks one after another: while a block is computed, the next one is read.
  void run_pipelined(Index begin, Index end, const Real* in, Real* out, bool by_planar,
                     const Scratch<Real>& scratch) const {
    const LanePlan<Real>& plan = ahead(by_planar);
    Real* rows = scratch.task;
    Real* current = rows + (by_planar ? planar_rows() : 0);
    Real* next = current + plan.scratch_reals();
    bool started = false;
    for (Index unit = begin; unit < end; ++unit) {
      const Block now = block_of(unit);
      if (!is_ahead(now)) {  // never started ahead of time
        run_block(in + now.in, out + now.out, now.count, by_planar, scratch);
        continue;
      }
      if (!started) plan.start(in + now.in, current);
      const Block coming = unit + 1 < end ? block_of(unit + 1) : Block{0, 0, 0};
      started = unit + 1 < end && is_ahead(coming);
      plan.finish(by_planar ? rows : out + now.out, current, started ? in + coming.in : nullptr,
                  next);
      if (by_planar) store_planar(rows, out + now.out, scratch.factors);
      std::swap(current, next);
    }
  }

  /// Past the caches, or times the rows' factors.
  void store_planar(Real* rows, Real* out, const Real* factors) const {
    const Index group = 2 * lanes_ * problem_.n;
    if (stream_)
      return ops_.stream(rows, group, groups_, problem_.n, problem_.scale, out, problem_.out_row);
    for (int g = 0; g < groups_; ++g)
      ops_.move({.data = rows + g * group, .row = 2 * lanes_, .planar = true},
                {.data = out + g * lanes_ * lane_.out, .row = problem_.out_row, .lane = lane_.out},
                problem_.n, lanes_, factors, problem_.scale);
  }

  void run_block(const Real* in, Real* out, Index count, bool by_planar,
                 const Scratch<Real>& scratch) const {
    if (count == block() && stream_ && by_planar) {
      planar_->execute(in, scratch.task, scratch.task + planar_rows());
      return store_planar(scratch.task, out, nullptr);
    }
    if (count == block() && !problem_.twiddled) return full().execute(in, out, scratch.task);
    for (; count >= lanes_; count -= lanes_, in += lanes_ * lane_.in, out += lanes_ * lane_.out)
      if (problem_.twiddled)
        run_tail(in, out, lanes_, scratch);
      else
        one_.execute(in, out, scratch.task);
    if (count > 0) run_tail(in, out, count, scratch);
  }

  template <class Stored>
  void run_tail(const Stored* in, Stored* out, Index count, const Scratch<Real>& scratch) const {
    const int valid = static_cast<int>(count);
    constexpr bool half = sizeof(Stored) == 2;
    Real* rows = scratch.task;
    const RowForm &from = problem_.in_form, &to = problem_.out_form;
    const Index in_imag = from.split ? scratch.in_imag : 1;
    const Index out_imag = to.split ? scratch.out_imag : 1;
    const FormedRows<Real> source{ops_, from, problem_.n, lanes_};
    const FormedRows<Real> target{ops_, to, problem_.n, lanes_};
    source.load({const_cast<Stored*>(in), problem_.in_row, lane_.in, nullptr, false, half, in_imag},
                rows, valid);
    tail_->execute(rows, rows, rows + 2 * lanes_ * problem_.n);
    target.store(rows, {out, problem_.out_row, lane_.out, nullptr, false, half, out_imag}, valid,
                 scratch.factors, problem_.scale);
  }

  AxisProblem problem_;
  Loop lane_;
  LoopIndex outer_;
  const LaneOps<Real>& ops_;
  int lanes_, groups_;
  bool staged_;  // all blocks go through planar rows
  LanePlan<Real> one_;
  std::optional<LanePlan<Real>> many_;
  bool stream_;
  std::optional<LanePlan<Real>> planar_, tail_;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<LanesEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_lanes_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_lanes_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
