// SPDX-License-Identifier: BSD-3-Clause
// Which engine a recipe and a problem call for.
#include "local/axis_engine.hpp"

#include <type_traits>

#include "local/engines.hpp"
#include "weft/error.hpp"

namespace weft::local {

Index AxisProblem::complex_length() const {
  if (kind == Kind::c2c) return n;
  if (kind != Kind::r2r) return n % 2 == 0 ? n / 2 : n;
  switch (r2r) {
    case R2r::dct1: return n - 1;
    case R2r::dst1: return n + 1;
    case R2r::dct4:
    case R2r::dst4: return n % 2 == 0 ? n / 2 : 2 * n;
    default: return n % 2 == 0 ? n / 2 : n;
  }
}

bool admits_lines(const AxisRecipe& lines, const AxisProblem& problem, Precision precision) {
  if (problem.kind == Kind::r2r || line_kernel(lines, precision) == nullptr) return false;
  if (problem.kind != Kind::c2c || problem.half) return true;
  return problem.in_row == 2 && problem.out_row == 2;
}

namespace {

/// Real points of even number and complex points of the half spectrum adjacent each.
bool has_contiguous_lines(const AxisProblem& problem) {
  const bool forward = problem.kind == Kind::r2c;
  return problem.n % 2 == 0 && problem.in_row == (forward ? 1 : 2) &&
         problem.out_row == (forward ? 2 : 1);
}

}  // namespace

template <class Real>
std::unique_ptr<AxisEngine<Real>> make_axis_engine(const AxisRecipe& recipe,
                                                   const AxisProblem& problem, int threads) {
  if (recipe.n != problem.complex_length())
    throw Error(ErrorCode::internal, "recipe " + to_text(recipe) +
                                         " does not fit a transform of length " +
                                         std::to_string(problem.n));
  if (problem.kind == Kind::r2r) return make_r2r_engine<Real>(recipe, problem);
  const bool is_real = problem.kind == Kind::r2c || problem.kind == Kind::c2r;
  if (recipe.type == AxisRecipe::Type::lanes)
    return is_real ? make_real_lanes_engine<Real>(recipe, problem)
                   : make_lanes_engine<Real>(recipe, problem);
  if (recipe.type == AxisRecipe::Type::real_kernel)
    return make_real_kernel_engine<Real>(recipe, problem);
  if (problem.half) {
    if constexpr (std::is_same_v<Real, float>)
      return make_staged_line_engine(recipe, problem, threads);
    throw Error(ErrorCode::internal, "binary16 data needs an f32 plan");
  }
  if (is_real && recipe.type == AxisRecipe::Type::lines && has_contiguous_lines(problem))
    return make_real_lines_engine<Real>(recipe, problem);
  if (is_real) return make_real_line_engine<Real>(recipe, problem, threads);
  switch (recipe.type) {
    case AxisRecipe::Type::lines: return make_lines_engine<Real>(recipe, problem);
    case AxisRecipe::Type::four_step: return make_four_step_engine<Real>(recipe, problem);
    case AxisRecipe::Type::large: return make_large_engine<Real>(recipe, problem, threads);
    default: return make_convolution_engine<Real>(recipe, problem, threads);
  }
}
template std::unique_ptr<AxisEngine<float>> make_axis_engine(const AxisRecipe&, const AxisProblem&,
                                                             int);
template std::unique_ptr<AxisEngine<double>> make_axis_engine(const AxisRecipe&, const AxisProblem&,
                                                              int);

}  // namespace weft::local
