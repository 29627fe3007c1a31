// SPDX-License-Identifier: BSD-3-Clause
// Which engine a recipe and a problem call for.
#include "local/axis/axis_engine.hpp"

#include "local/axis/axis_fit.hpp"
#include "local/axis/engines.hpp"
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

const codelet::CompiledKernel* whole_line_kernel(const AxisRecipe& lines,
                                                 const AxisProblem& problem, Precision precision) {
  using codelet::KernelTransform;
  if (lines.type != AxisRecipe::Type::lines || problem.kind == Kind::r2r || problem.is_staged())
    return nullptr;
  const bool scaled = problem.scale != 1.0;
  if (problem.kind == Kind::c2c) {
    const codelet::CompiledKernel* kernel = line_kernel(lines, precision);
    if (kernel == nullptr || problem.in_row != 2 || problem.out_row != 2) return nullptr;
    codelet::KernelKey key = kernel->key;
    key.scaled = scaled;
    key.backward = problem.direction == Direction::backward;
    return codelet::find_kernel(key);
  }
  const bool forward = problem.kind == Kind::r2c;
  if (problem.in_row != (forward ? 1 : 2) || problem.out_row != (forward ? 2 : 1)) return nullptr;
  return real_line_kernel(
      lines, problem.n, precision,
      problem.kind == Kind::r2c ? KernelTransform::real_forward : KernelTransform::real_backward,
      scaled);
}

bool admits_lines(const AxisRecipe& lines, const AxisProblem& problem, Precision precision) {
  if (whole_line_kernel(lines, problem, precision) != nullptr) return true;
  if (problem.kind == Kind::r2r || line_kernel(lines, precision) == nullptr) return false;
  return problem.kind != Kind::c2c || problem.is_staged();
}

Engine engine_of(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision) {
  using Type = AxisRecipe::Type;
  if (problem.kind == Kind::r2r) {
    if (is_own_kernel(recipe, problem, precision)) return Engine::real_kernel;
    if (recipe.type != Type::lanes) return Engine::trig_lines;
    return has_trig_lanes(problem) ? Engine::trig_lanes : Engine::r2r;
  }
  const bool is_real = problem.kind == Kind::r2c || problem.kind == Kind::c2r;
  if (recipe.type == Type::real_kernel) return Engine::real_kernel;
  if (recipe.type == Type::lanes) {
    if (!is_real) return Engine::lanes;
    if (problem.n % 2 == 0 || problem.is_formed()) return Engine::real_lanes;
    if (has_real_pass(recipe, precision)) return Engine::odd_lanes;
    return has_real_convolution(recipe) ? Engine::prime_lanes : Engine::real_lanes;
  }
  if (problem.is_staged()) return Engine::staged_line;
  if (recipe.type == Type::real_split) return Engine::real_split;
  if (recipe.type == Type::real_rader) return Engine::real_rader;
  if (is_real && whole_line_kernel(recipe, problem, precision) != nullptr)
    return Engine::whole_lines;
  if (is_real)
    return recipe.type == Type::lines && has_contiguous_real_lines(problem)
               ? Engine::short_real_lines
               : Engine::real_by_complex;
  switch (recipe.type) {
    case Type::lines: return Engine::lines;
    case Type::four_step: return Engine::four_step;
    case Type::large: return Engine::large;
    default: return Engine::convolution;
  }
}

const char* words_of(Engine engine) {
  switch (engine) {
    case Engine::real_lanes: return "real rows as complex ones";
    case Engine::odd_lanes: return "first a real pass, then half the complex ones";
    case Engine::prime_lanes: return "by a real convolution of half the length";
    case Engine::whole_lines: return "real lines by one real kernel";
    case Engine::short_real_lines: return "real lines by one kernel, then their mirror images";
    case Engine::real_by_complex: return "real lines as complex ones, then their mirror images";
    case Engine::real_split:
    case Engine::real_rader: return "real lines";
    case Engine::staged_line: return "each line brought to a contiguous one and back";
    case Engine::r2r:
    case Engine::trig_lanes: return "real to real by a complex transform";
    case Engine::trig_lines: return "real to real, line by line";
    default: return "";
  }
}

template <class Real>
std::unique_ptr<AxisEngine<Real>> make_axis_engine(const AxisRecipe& recipe,
                                                   const AxisProblem& problem) {
  constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  if (!fits(recipe, problem, precision))
    throw Error(ErrorCode::internal, "recipe " + to_text(recipe) +
                                         " does not fit a transform of length " +
                                         std::to_string(problem.n) + " on this CPU");
  const Engine engine = engine_of(recipe, problem, precision);
  if (reads_ahead(recipe) && (recipe.stream || engine != Engine::four_step))
    return make_read_ahead_engine<Real>(recipe, problem);
  switch (engine) {
    case Engine::lanes: return make_lanes_engine<Real>(recipe, problem);
    case Engine::lines:
    case Engine::whole_lines: return make_lines_engine<Real>(recipe, problem);
    case Engine::four_step: return make_four_step_engine<Real>(recipe, problem);
    case Engine::large: return make_large_engine<Real>(recipe, problem);
    case Engine::convolution: return make_convolution_engine<Real>(recipe, problem);
    case Engine::real_lanes: return make_real_lanes_engine<Real>(recipe, problem);
    case Engine::odd_lanes: return make_odd_lanes_engine<Real>(recipe, problem);
    case Engine::prime_lanes: return make_prime_lanes_engine<Real>(recipe, problem);
    case Engine::real_kernel: return make_real_kernel_engine<Real>(recipe, problem);
    case Engine::short_real_lines: return make_short_real_lines_engine<Real>(recipe, problem);
    case Engine::real_split: return make_real_split_engine<Real>(recipe, problem);
    case Engine::real_rader: return make_real_rader_engine<Real>(recipe, problem);
    case Engine::real_by_complex: return make_real_by_complex_engine<Real>(recipe, problem);
    case Engine::r2r: return make_r2r_engine<Real>(recipe, problem);
    case Engine::trig_lanes: return make_trig_lanes_engine<Real>(recipe, problem);
    case Engine::trig_lines: return make_trig_lines_engine<Real>(recipe, problem);
    case Engine::staged_line: return make_staged_line_engine<Real>(recipe, problem);
  }
  throw Error(ErrorCode::internal, "no engine for recipe " + to_text(recipe));
}
template std::unique_ptr<AxisEngine<float>> make_axis_engine(const AxisRecipe&, const AxisProblem&);
template std::unique_ptr<AxisEngine<double>> make_axis_engine(const AxisRecipe&,
                                                              const AxisProblem&);

}  // namespace weft::local
