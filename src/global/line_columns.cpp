// SPDX-License-Identifier: BSD-3-Clause
#include "global/line_columns.hpp"

#include "base/index.hpp"
#include "local/candidates.hpp"
#include "local/cost_model.hpp"

namespace weft::global {
namespace {

local::LaneRecipe recipe_of(const LineColumnsProblem& problem) {
  return local::lane_candidates(problem.box.extent(problem.axis), codelet::best_isa(),
                                problem.precision)
      .front();
}

/// As many neighbours as keep a block near the L2 cache; past the caches what they do not hold.
template <class Real>
local::ColumnsRequest request_of(const LineColumnsProblem& problem) {
  const Index rows = problem.box.extent(problem.axis);
  const Index columns = problem.box.extent(problem.axis + 1);
  const Index lanes = codelet::lanes(codelet::best_isa(), problem.precision);
  const Index group_bytes = 2 * rows * lanes * Index{sizeof(Real)};
  const local::MachineModel& machine = local::machine_model();
  int groups = 1;
  while (groups < 8 && static_cast<double>(2 * groups * group_bytes) <= 2 * machine.l2_bytes &&
         2 * groups * lanes <= columns)
    groups *= 2;
  const double bytes = 2.0 * static_cast<double>(problem.box.count()) * sizeof(Real);
  return {.recipe = recipe_of(problem),
          .isa = codelet::best_isa(),
          .direction = problem.direction,
          .groups = groups,
          .line = problem.line,
          .columns = columns,
          .first = problem.box.begin[at(problem.axis + 1)],
          .in_row = 2 * problem.in[at(problem.axis)],
          .out_row = 2 * problem.out[at(problem.axis)],
          .stream = 2 * bytes > machine.l3_bytes};
}

}  // namespace

bool LineColumns::can_do(const LineColumnsProblem& problem) {
  return problem.in[at(problem.axis + 1)] == 1 && problem.out[at(problem.axis + 1)] == 1 &&
         problem.box.begin[at(problem.axis)] == 0;
}

LineColumns::Either LineColumns::build(const LineColumnsProblem& problem) {
  if (problem.precision == Precision::f64)
    return local::TwiddledColumns<double>(request_of<double>(problem));
  return local::TwiddledColumns<float>(request_of<float>(problem));
}

LineColumns::LineColumns(const LineColumnsProblem& problem)
    : problem_(problem),
      matrices_(problem.box.count() /
                (problem.box.extent(problem.axis) * problem.box.extent(problem.axis + 1))),
      columns_(build(problem)) {}

void LineColumns::run(Index begin, Index end, const std::byte* in, std::byte* out,
                      std::byte* scratch) const {
  const Index per_matrix = blocks();
  std::visit(
      [&]<class Real>(const local::TwiddledColumns<Real>& columns) {
        while (begin < end) {
          const Index first = begin % per_matrix, count = std::min(end - begin, per_matrix - first);
          Index number = begin / per_matrix, from = 0, to = 0;
          for (int d = problem_.box.ndim - 1; d >= 0; --d) {
            if (d == problem_.axis || d == problem_.axis + 1) continue;
            const Index i = number % problem_.box.extent(d);
            number /= problem_.box.extent(d);
            from += i * problem_.in[at(d)];
            to += i * problem_.out[at(d)];
          }
          columns.run(first, first + count, reinterpret_cast<const Real*>(in) + 2 * from,
                      reinterpret_cast<Real*>(out) + 2 * to, reinterpret_cast<Real*>(scratch));
          begin += count;
        }
      },
      columns_);
}

Index LineColumns::scratch_bytes() const {
  return std::visit(
      []<class Real>(const local::TwiddledColumns<Real>& columns) {
        return columns.scratch_reals() * Index{sizeof(Real)};
      },
      columns_);
}

double LineColumns::flops() const {
  const double columns = static_cast<double>(matrices_ * problem_.box.extent(problem_.axis + 1));
  const double factors = 6 * static_cast<double>(problem_.box.extent(problem_.axis));
  return columns * (local::flops(recipe_of(problem_)) + factors);
}

}  // namespace weft::global
