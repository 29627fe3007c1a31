// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/operator_problem.hpp"

#include <numbers>

#include "base/names.hpp"
#include "problem/request.hpp"

namespace weft::spectral {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

}  // namespace

bool OperatorProblem::is_empty() const {
  return std::ranges::find(forward.shape, Index{0}) != forward.shape.end();
}

OperatorProblem check_operator(const Transform& asked, const ModeFunction& function,
                               const std::vector<double>& lengths) {
  if (asked.kind != Kind::c2c && asked.kind != Kind::r2c)
    refuse("an operator begins with a forward transform of kind c2c or r2c");
  if (asked.kind == Kind::c2c && asked.direction != Direction::forward)
    refuse("an operator begins with a forward transform; the transform given is backward");
  if (asked.precision == Precision::f16)
    refuse("operators work in f32 and f64; the transform given is f16");
  if (asked.spectrum != Spectrum::half || asked.modes != Modes::first)
    refuse("an operator has all modes of its transform; leave `spectrum` and `modes` out");
  Transform whole = asked;
  whole.input_extents.clear();
  whole.output_extents.clear();
  const problem::CheckedRequest checked = problem::check_request(whole, {}, {});
  OperatorProblem problem{.forward = checked.transform,
                          .spectrum = checked.problem.out_shape(),
                          .lengths = lengths,
                          .inputs = function.inputs(),
                          .outputs = function.outputs()};
  Transform& forward = problem.forward;
  forward.input_extents = asked.input_extents.empty() ? asked.shape : asked.input_extents;
  forward.output_extents = asked.output_extents.empty() ? asked.shape : asked.output_extents;
  for (const auto* extents : {&forward.input_extents, &forward.output_extents}) {
    Transform padded = whole;  // both are extents of the side before the forward transform
    padded.input_extents = *extents;
    problem::check_request(padded, {}, {});
  }
  if (forward.axes.empty()) refuse("an operator needs at least one axis to transform");
  if (forward.shape.size() > max_operator_dimensions)
    refuse("the arrays have " + std::to_string(forward.shape.size()) +
           " dimensions; operators work on at most " + std::to_string(max_operator_dimensions));
  if (problem.lengths.empty()) problem.lengths.assign(forward.axes.size(), 2 * std::numbers::pi);
  if (problem.lengths.size() != forward.axes.size())
    refuse("there are " + std::to_string(problem.lengths.size()) + " lengths for " +
           std::to_string(forward.axes.size()) + " axes; give one per transformed axis");
  for (double length : problem.lengths)
    if (!(length > 0) || length > 1e300)
      refuse("the length " + std::to_string(length) + " of an axis is not a positive number");
  if (function.least_axes() > static_cast<int>(forward.axes.size()))
    refuse("the function needs wave numbers along " + std::to_string(function.least_axes()) +
           " axes; the transform has " + std::to_string(forward.axes.size()));
  for (int fields : {problem.inputs, problem.outputs})
    if (fields < 1 || fields > static_cast<int>(max_operator_fields))
      refuse("the function has " + std::to_string(problem.inputs) + " inputs and " +
             std::to_string(problem.outputs) + " outputs; give 1 to " +
             std::to_string(max_operator_fields) + " of each");
  return problem;
}

void check_fields(const OperatorProblem& problem, Precision precision, bool given_complex,
                  std::size_t inputs, std::size_t outputs) {
  const bool is_complex = problem.forward.kind == Kind::c2c;
  if (precision != problem.forward.precision || given_complex != is_complex)
    refuse(std::string("the operator works on ") + (is_complex ? "complex " : "real ") +
           to_string(problem.forward.precision) + ", the arrays given are " +
           (given_complex ? "complex " : "real ") + to_string(precision));
  if (inputs != static_cast<std::size_t>(problem.inputs) ||
      outputs != static_cast<std::size_t>(problem.outputs))
    refuse("the operator has " + std::to_string(problem.inputs) + " inputs and " +
           std::to_string(problem.outputs) + " outputs, " + std::to_string(inputs) + " and " +
           std::to_string(outputs) + " were given");
}

}  // namespace weft::spectral
