// SPDX-License-Identifier: BSD-3-Clause
// A check of a distributed transform of any kind: the input is a product of one line per axis, so
// the output must be the product of the transformed lines, which plans of one process compute.
#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

#include "bench/rank_rows.hpp"
#include "comm/agree.hpp"
#include "problem.hpp"

namespace weft::tool {
namespace separable_lines {

using reshape::Piece;
using AxisNumbers = std::vector<std::complex<double>>;

/// The transform of one axis, in double precision.
Transform of_axis(const Transform& transform, std::size_t axis) {
  const std::vector<Index> shape = {transform.shape[axis]};
  const std::vector<int> axes = normalized_axes(transform.axes, transform.shape.size());
  const auto listed = std::ranges::find(axes, static_cast<int>(axis));
  const auto number = static_cast<std::size_t>(listed - axes.begin());
  if (transform.kind == Kind::r2r)
    return r2r(shape, {transform.r2r[transform.r2r.size() == 1 ? 0 : number]});
  if (transform.kind == Kind::r2c && number + 1 == axes.size()) return r2c(shape);
  return c2c(shape, {.direction = transform.direction});
}

/// A line of random numbers and its transform. An axis that is not transformed numbers a batch: it
/// stays as it is.
struct AxisLines {
  AxisNumbers before, after;
};
AxisLines lines_of(const Transform& transform, std::size_t axis) {
  const bool is_real = transform.kind != Kind::c2c;
  const Index n = transform.shape[axis];
  AxisLines lines;
  std::mt19937_64 random(axis + 1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (Index i = 0; i < n; ++i) {
    const double re = uniform(random), im = uniform(random);
    lines.before.emplace_back(re, is_real ? 0 : im);
  }
  const std::vector<int> axes = normalized_axes(transform.axes, transform.shape.size());
  if (std::ranges::find(axes, static_cast<int>(axis)) == axes.end())
    return {lines.before, lines.before};
  const Plan plan(of_axis(transform, axis));
  Workspace workspace = plan.make_workspace();
  std::vector<double> reals;
  for (const auto& value : lines.before) reals.push_back(value.real());
  const Kind kind = plan.transform().kind;
  lines.after.resize(static_cast<std::size_t>(kind == Kind::r2c ? n / 2 + 1 : n));
  if (kind == Kind::r2r) {
    std::vector<double> out(reals.size());
    execute(plan, reals.data(), out.data(), workspace);
    std::ranges::copy(out, lines.after.begin());
  } else {
    const void* in = kind == Kind::r2c ? static_cast<const void*>(reals.data())
                                       : static_cast<const void*>(lines.before.data());
    execute(plan, in, lines.after.data(), workspace);
  }
  return lines;
}

/// Calls `visit(element, value)` for every element of the boxes with the product of the lines;
/// `element` is counted from the pointer.
template <class Visit>
void for_each_product(const LocalBoxes& boxes, const std::vector<AxisLines>& axes,
                      AxisNumbers AxisLines::* side, const Visit& visit) {
  const auto walk = [&](const auto& self, const Piece& piece, std::size_t axis, Index element,
                        std::complex<double> value) -> void {
    for (Index i = piece.box.begin[axis]; i < piece.box.end[axis]; ++i) {
      const std::complex<double> here = value * (axes[axis].*side)[static_cast<std::size_t>(i)];
      if (axis + 1 == axes.size())
        visit(element, here);
      else
        self(self, piece, axis + 1, element, here);
      element += piece.strides[axis];
    }
  };
  for (const Piece& piece : pieces_in_elements(boxes)) walk(walk, piece, 0, piece.offset, 1.0);
}

template <class Real>
double error_of(const RankRow& row, const Comm& comm, const std::function<void()>& run,
                std::byte* in, const std::byte* out) {
  const bool real_in = row.transform.kind != Kind::c2c, real_out = row.transform.kind == Kind::r2r;
  std::vector<AxisLines> axes;
  agree(comm, [&] {
    for (std::size_t axis = 0; axis < row.transform.shape.size(); ++axis)
      axes.push_back(lines_of(row.transform, axis));
  });
  auto* input = reinterpret_cast<Real*>(in);
  for_each_product(row.input, axes, &AxisLines::before, [&](Index element, auto value) {
    if (real_in) {
      input[element] = static_cast<Real>(value.real());
    } else {
      input[2 * element] = static_cast<Real>(value.real());
      input[2 * element + 1] = static_cast<Real>(value.imag());
    }
  });
  run();
  const auto* output = reinterpret_cast<const Real*>(out);
  double wrong = 0, expected = 0;
  for_each_product(*row.output, axes, &AxisLines::after, [&](Index element, auto value) {
    const std::complex<double> computed =
        real_out ? std::complex<double>(output[element])
                 : std::complex<double>(output[2 * element], output[2 * element + 1]);
    wrong += std::norm(computed - value);
    expected += std::norm(value);
  });
  return std::sqrt(sum_of_ranks(comm, wrong) / sum_of_ranks(comm, expected));
}

}  // namespace separable_lines

double separable_error(const RankRow& row, const Comm& comm, const std::function<void()>& run,
                       std::byte* in, const std::byte* out) {
  using namespace separable_lines;
  return row.transform.precision == Precision::f64 ? error_of<double>(row, comm, run, in, out)
                                                   : error_of<float>(row, comm, run, in, out);
}

}  // namespace weft::tool
