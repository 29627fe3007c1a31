// SPDX-License-Identifier: BSD-3-Clause
#include "global/line/line_columns.hpp"

#include "base/index.hpp"

namespace weft::global {

bool LineColumns::can_do(const LineColumnsProblem& problem) {
  return problem.in[at(problem.axis + 1)] == 1 && problem.out[at(problem.axis + 1)] == 1 &&
         problem.box.begin[at(problem.axis)] == 0;
}

local::ColumnsProblem LineColumns::local_problem(const LineColumnsProblem& problem) {
  const Index rows = problem.box.extent(problem.axis);
  const Index columns = problem.box.extent(problem.axis + 1);
  return {.precision = problem.precision,
          .direction = problem.direction,
          .line = problem.line,
          .rows = rows,
          .columns = columns,
          .in_row = 2 * problem.in[at(problem.axis)],
          .out_row = 2 * problem.out[at(problem.axis)],
          .matrices = problem.box.count() / (rows * columns)};
}

LineColumns::Either LineColumns::build(const LineColumnsProblem& problem,
                                       const local::AxisRecipe& recipe) {
  const local::ColumnsRequest request =
      local::request_of(local_problem(problem), recipe, problem.box.begin[at(problem.axis + 1)]);
  if (problem.precision == Precision::f64) return local::TwiddledColumns<double>(request);
  return local::TwiddledColumns<float>(request);
}

LineColumns::LineColumns(const LineColumnsProblem& problem, const local::AxisRecipe& recipe)
    : problem_(problem),
      matrices_(local_problem(problem).matrices),
      flops_(local::flops(recipe, local_problem(problem))),
      columns_(build(problem, recipe)) {}

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

}  // namespace weft::global
