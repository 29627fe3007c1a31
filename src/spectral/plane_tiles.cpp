// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/plane_tiles.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"

namespace weft::spectral {
namespace {

int slowest(const std::vector<int>& axes) { return *std::ranges::min_element(axes); }

OperatorChoice by_one_thread(OperatorChoice choice) {
  choice.executor = serial_executor();
  return choice;
}

}  // namespace

template <class Real>
auto PlaneTiles<Real>::make_lines(const OperatorProblem& problem, const std::vector<int>& axes,
                                  const std::vector<Index>& strides, const OperatorChoice& choice)
    -> Lines {
  // The recipe of whole planes, whose lines come from memory and go to a cache.
  const local::ArrayRecipe whole =
      choose_recipe(array_problem(part_of(problem, axes, problem.spectrum, Direction::forward),
                                  strides, strides, 1),
                    choice);
  std::vector<int> lines = axes;
  std::erase(lines, slowest(axes));
  std::vector<Index> plane = problem.spectrum;
  std::fill_n(plane.begin(), slowest(axes), 1);
  const auto sweep = [&](Direction direction) {
    return make_tile_sweep<Real>(
        array_problem(part_of(problem, lines, plane, direction), strides, strides, 1), whole,
        Stores::in_cache, choice);
  };
  return {sweep(Direction::forward), sweep(Direction::backward)};
}

template <class Real>
PlaneTiles<Real>::PlaneTiles(const OperatorProblem& problem, const std::vector<int>& axes,
                             const std::vector<Index>& strides, const OperatorChoice& choice)
    : inputs_(problem.inputs),
      outputs_(problem.outputs),
      lines_(make_lines(problem, axes, strides, choice)),
      columns_(problem, slowest(axes), strides, by_one_thread(choice)) {
  std::vector<local::Loop> loops;
  for (int d = 0; d < slowest(axes); ++d)
    loops.push_back({problem.spectrum[at(d)], strides[at(d)], strides[at(d)]});
  planes_ = local::LoopIndex(std::move(loops));
}

template <class Real>
std::size_t PlaneTiles<Real>::workspace_bytes() const {
  return up_to_line(std::max({lines_.there.plan.workspace_bytes(),
                              lines_.back.plan.workspace_bytes(), columns_.workspace_bytes()}));
}

template <class Real>
void PlaneTiles<Real>::run(Index plane, Complex* const* fields, const WaveNumbers<Real>& waves,
                           const Function& function, void* workspace) const {
  const Index from = planes_(plane).in, tiles = columns_.count() / count();
  for (int f = 0; f < inputs_; ++f)
    lines_.there.plan.execute(fields[f] + from, fields[f] + from, workspace);
  for (Index tile = plane * tiles; tile < (plane + 1) * tiles; ++tile)
    columns_.run(tile, fields, waves, function, workspace);
  for (int f = 0; f < outputs_; ++f)
    lines_.back.plan.execute(fields[f] + from, fields[f] + from, workspace);
}

template <class Real>
std::string PlaneTiles<Real>::text() const {
  return format("{} planes in place, lines: {}\n{}lines back: {}\n", count(),
                local::to_text(lines_.there.recipe), columns_.text(),
                local::to_text(lines_.back.recipe));
}

template class PlaneTiles<float>;
template class PlaneTiles<double>;

}  // namespace weft::spectral
