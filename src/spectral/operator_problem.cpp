// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/operator_problem.hpp"

#include <functional>
#include <numbers>

#include "base/names.hpp"
#include "problem/request.hpp"

namespace weft::spectral {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

void check_array(const OperatorProblem& problem, const void* array, const char* side, int field) {
  const std::string name = std::string(side) + " " + std::to_string(field);
  if (array == nullptr) refuse(name + " is a null pointer; pass allocated memory");
  const auto real = static_cast<std::uintptr_t>(real_bytes(problem.forward.precision));
  if (reinterpret_cast<std::uintptr_t>(array) % real != 0)
    refuse(name + " is not aligned to its element type; align it to " + std::to_string(real) +
           " bytes");
}

/// Elements of one field, in bytes.
Index field_bytes(const OperatorProblem& problem, const std::vector<Index>& extents) {
  Index bytes = in_element_bytes(problem.forward.kind, problem.forward.precision);
  for (Index extent : extents) bytes *= extent;
  return bytes;
}

/// Output f may be input f where both have the same extents. All else must be apart.
void check_overlap(const OperatorProblem& problem, const void* const* in, void* const* out) {
  const bool same_extents = problem.forward.input_extents == problem.forward.output_extents;
  const Index in_bytes = field_bytes(problem, problem.forward.input_extents),
              out_bytes = field_bytes(problem, problem.forward.output_extents);
  const auto meet = [](const void* a, Index a_bytes, const void* b, Index b_bytes) {
    const auto *x = static_cast<const char*>(a), *y = static_cast<const char*>(b);
    return std::less<>()(x, y + b_bytes) && std::less<>()(y, x + a_bytes);
  };
  for (int o = 0; o < problem.outputs; ++o) {
    for (int i = 0; i < problem.inputs; ++i)
      if (meet(in[i], in_bytes, out[o], out_bytes) && !(i == o && in[i] == out[o] && same_extents))
        refuse("output " + std::to_string(o) + " shares memory with input " + std::to_string(i) +
               "; output f may be the same array as input f where both have the same extents, "
               "all other arrays must be apart");
    for (int other = 0; other < o; ++other)
      if (meet(out[other], out_bytes, out[o], out_bytes))
        refuse("outputs " + std::to_string(other) + " and " + std::to_string(o) +
               " share memory; give each an array of its own");
  }
}

}  // namespace

void check_arrays(const OperatorProblem& problem, const void* const* in, void* const* out) {
  for (int f = 0; f < problem.inputs; ++f) check_array(problem, in[f], "input", f);
  for (int f = 0; f < problem.outputs; ++f) check_array(problem, out[f], "output", f);
  check_overlap(problem, in, out);
}

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

void check_function(const OperatorProblem& problem, const ModeFunction& function) {
  if (!function.on_f64() && !function.on_f32())
    refuse(
        "the multipliers are in device memory; a CPU needs them on the host, see "
        "weft::spectral::multiply");
  if (problem.forward.precision == Precision::f64 && !function.on_f64())
    refuse("the transform is f64, the function takes tiles of f32 only");
  if (problem.forward.precision == Precision::f32 && !function.on_f32())
    refuse("the transform is f32, the function takes tiles of f64 only");
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
