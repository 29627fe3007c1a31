// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/plane_sweep.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "base/names.hpp"
#include "local/choose/machine_model.hpp"
#include "spectral/tiling.hpp"

namespace weft::spectral {
namespace {

/// What a plane's axes do in turn, and the plane's extents in between.
struct PlaneOrder {
  std::vector<int> first, second;
  std::vector<Index> before_first, after_first;
};

/// Lines first, except where they must come last: complex to real.
PlaneOrder order_of(const OperatorProblem& problem, const std::vector<int>& axes,
                    const std::vector<Index>& extents, Direction direction, int slowest) {
  const bool is_forward = direction == Direction::forward;
  PlaneOrder order{axes, {slowest}, extents, extents};
  std::erase(order.first, slowest);
  if (problem.forward.kind == Kind::r2c && !is_forward) std::swap(order.first, order.second);
  for (int d = 0; d < slowest; ++d) order.before_first[at(d)] = order.after_first[at(d)] = 1;
  for (int axis : axes) {
    const std::size_t d = at(axis);
    const Index near =
        is_forward ? problem.forward.input_extents[d] : problem.forward.output_extents[d];
    const bool is_first = std::ranges::find(order.first, axis) != order.first.end();
    order.before_first[d] = is_forward ? near : problem.spectrum[d];
    order.after_first[d] = is_first == is_forward ? problem.spectrum[d] : near;
  }
  return order;
}

/// Rows of whole cache lines, an odd number of them: columns then use all sets of a cache.
std::vector<Index> buffer_strides(const std::vector<Index>& extents, Index line) {
  std::vector<Index> padded = extents;
  if (padded.size() > 1) {
    padded.back() = round_up(padded.back(), line);
    if (padded.back() / line % 2 == 0) padded.back() += line;
  }
  return dense_strides(padded);
}

}  // namespace

template <class Real>
auto PlaneSweep<Real>::make(const OperatorProblem& problem, const std::vector<int>& axes,
                            const std::vector<Index>& extents, Direction direction,
                            const PlaneSides& sides, const local::ArrayRecipe& whole,
                            const OperatorChoice& choice) -> std::optional<PlaneSweep> {
  const auto& [from, to, scale] = sides;
  const int slowest = *std::ranges::min_element(axes);
  const bool has_halved = problem.forward.kind == Kind::r2c;
  if (axes.size() < 2 || (has_halved && problem.forward.axes.back() == slowest)) return {};
  const PlaneOrder order = order_of(problem, axes, extents, direction, slowest);
  constexpr Index line = 64 / Index{2 * sizeof(Real)};
  const std::vector<Index> buffer = buffer_strides(order.after_first, line);
  const double buffer_bytes = static_cast<double>(buffer.front()) *
                              static_cast<double>(order.after_first.front()) * 2 * sizeof(Real);
  Index planes = 1;
  for (int d = 0; d < slowest; ++d) planes *= extents[at(d)];
  const int tasks = std::max(1, choice.executor->concurrency());
  const local::MachineModel machine = local::machine_model();
  if (planes < tasks || buffer_bytes > std::max(machine.l2.bytes, machine.l3_lasting_bytes()))
    return {};
  const bool is_beyond =
      2 * static_cast<double>(planes) * buffer_bytes > tasks * machine.l3_share_bytes(tasks);
  PlaneSweep sweep(make_tile_sweep<Real>(
                       array_problem(part_of(problem, order.first, order.before_first, direction),
                                     from.strides, buffer, 1),
                       whole, Stores::in_cache, choice),
                   make_tile_sweep<Real>(
                       array_problem(part_of(problem, order.second, order.after_first, direction),
                                     buffer, to.strides, scale),
                       whole, is_beyond ? Stores::past_caches : Stores::in_cache, choice));
  std::vector<local::Loop> loops;
  for (int d = 0; d < slowest; ++d)
    loops.push_back(
        {extents[at(d)], from.strides[at(d)] * from.reals, to.strides[at(d)] * to.reals});
  sweep.loops_ = local::LoopIndex(std::move(loops));
  sweep.buffer_bytes_ = up_to_line(static_cast<std::size_t>(buffer_bytes)) + 64;
  return sweep;
}

template <class Real>
std::size_t PlaneSweep<Real>::scratch_bytes() const {
  return buffer_bytes_ +
         up_to_line(std::max(first_.plan.workspace_bytes(), second_.plan.workspace_bytes()));
}

template <class Real>
void PlaneSweep<Real>::run(Index plane, const void* from, void* to, char* scratch) const {
  const auto at = loops_(plane);
  char* work = scratch + buffer_bytes_;
  first_.plan.execute(static_cast<const Real*>(from) + at.in, scratch, work);
  second_.plan.execute(scratch, static_cast<Real*>(to) + at.out, work);
}

template <class Real>
std::string PlaneSweep<Real>::text() const {
  return local::to_text(first_.recipe) + " into a buffer; " + local::to_text(second_.recipe);
}

template class PlaneSweep<float>;
template class PlaneSweep<double>;

}  // namespace weft::spectral
