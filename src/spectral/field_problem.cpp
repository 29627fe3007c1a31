// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/field_problem.hpp"

#include <functional>

#include "base/format.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "gpu/device/arguments.hpp"
#include "spectral/mode_function_text.hpp"

namespace weft::spectral {
namespace {

[[noreturn]] void refuse_field(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why);
}

std::vector<Index> checked_strides(const std::vector<Index>& strides,
                                   const std::vector<Index>& dense, const char* side) {
  if (strides.empty()) return dense;
  if (strides.size() != dense.size())
    refuse_field(weft::format("there are {} {} strides for {} dimensions; give one per dimension",
                              strides.size(), side, dense.size()));
  for (const Index stride : strides)
    if (stride < 1)
      refuse_field(
          weft::format("the {} stride {} is not positive; give distances in elements from "
                       "1 on",
                       side, stride));
  return strides;
}

std::vector<Index> checked_cutoff(const std::vector<Index>& cutoff, cuda::Side side,
                                  std::size_t axes) {
  if (cutoff.empty()) return cutoff;
  if (side == cuda::Side::points)
    refuse_field("a cutoff was given for a function at points; it is of modes: leave it out");
  if (cutoff.size() != axes)
    refuse_field(weft::format("there are {} cutoffs for {} axes; give one per transformed axis",
                              cutoff.size(), axes));
  for (const Index each : cutoff)
    if (each < 0)
      refuse_field(
          weft::format("the cutoff {} is negative; give the largest wave number that is "
                       "kept, 0 or more",
                       each));
  return cutoff;
}

void check_outputs(const ExpressionProgram& program, bool are_real, const char* why) {
  for (std::size_t o = 0; are_real && o < program.outputs.size(); ++o)
    if (program.instructions[at(program.outputs[o])].is_complex)
      refuse_field(
          weft::format("output {} of the text is complex, {}; take real(), imag() or "
                       "abs() of it",
                       o, why));
}

void check_splines(const ExpressionProgram& program, const std::vector<Index>& shape) {
  if (program.spline_axes == 0) return;
  if (at(program.spline_axes) != shape.size())
    refuse_field(
        weft::format("a spline has {} distances, the fields have {} dimensions; give one "
                     "distance per dimension",
                     program.spline_axes, shape.size()));
  for (const Index extent : shape)
    if (extent < 4 && extent > 0)
      refuse_field(
          weft::format("a cubic spline needs at least 4 points along each dimension, the "
                       "fields have {}",
                       extent));
}

/// From the first byte to the one after the last.
Index spanned_bytes(const FieldProblem& problem, const std::vector<Index>& strides) {
  Index last = 0;
  for (std::size_t d = 0; d < strides.size(); ++d)
    last += (problem.grid.modes.extents[d] - 1) * strides[d];
  return (last + 1) * (problem.grid.is_complex ? 2 : 1) * real_bytes(problem.precision());
}

/// An output may be an input with the same strides: each element is read before it is written.
void check_field_overlap(const FieldProblem& problem, const FieldCall& call) {
  const gpu::FieldGrid& grid = problem.grid;
  const Index in_bytes = spanned_bytes(problem, grid.in_strides),
              out_bytes = spanned_bytes(problem, grid.out_strides);
  const bool same_strides = grid.in_strides == grid.out_strides;
  const auto meet = [](const void* a, Index a_bytes, const void* b, Index b_bytes) {
    const auto *x = static_cast<const char*>(a), *y = static_cast<const char*>(b);
    return std::less<>()(x, y + b_bytes) && std::less<>()(y, x + a_bytes);
  };
  for (std::size_t o = 0; o < call.out.size(); ++o) {
    for (std::size_t i = 0; i < call.in.size(); ++i)
      if (meet(call.in[i], in_bytes, call.out[o], out_bytes) &&
          !(same_strides && call.in[i] == call.out[o] && !problem.is_sampled[i]))
        refuse_field(weft::format(
            "output {} shares memory with input {}; make them the same array "
            "with the same strides, or keep them apart; what a spline reads must be apart",
            o, i));
    for (std::size_t other = 0; other < o; ++other)
      if (meet(call.out[other], out_bytes, call.out[o], out_bytes))
        refuse_field(weft::format("outputs {} and {} share memory; give each an array of its own",
                                  other, o));
  }
}

void check_field_array(const FieldProblem& problem, const void* array, const char* side,
                       int device) {
  if (array == nullptr)
    refuse_field(weft::format("an {} array is a null pointer; pass device memory", side));
  const auto bytes = static_cast<std::uintptr_t>((problem.grid.is_complex ? 2 : 1) *
                                                 real_bytes(problem.precision()));
  if (reinterpret_cast<std::uintptr_t>(array) % bytes != 0)
    refuse_field(weft::format("an {} array is not aligned to its elements; align it to {} bytes",
                              side, static_cast<Index>(bytes)));
  gpu::check_on_device(array, device, side);
}

}  // namespace

FieldProblem field_problem(const Transform& forward, cuda::Side side, const std::string& text,
                           const cuda::FieldOptions& options, Values values) {
  const bool at_modes = side == cuda::Side::modes;
  const bool has_real_fields = !at_modes && forward.kind == Kind::r2c;
  const ExpressionProgram program = parse_expression(
      text, 0,
      {.waves = at_modes, .parameters = true, .places = !at_modes, .real_fields = has_real_fields});
  check_outputs(program, has_real_fields, "the fields are real");
  check_outputs(program, values == Values::real, "sums are of real numbers");
  FieldProblem problem;
  problem.fields =
      check_operator(forward,
                     ModeFunction(ModeForm{}, program.inputs,
                                  static_cast<int>(program.outputs.size()), program.axes),
                     options.lengths);
  const Transform& all = problem.fields.forward;
  if (all.input_extents != all.shape || all.output_extents != all.shape)
    throw Error(ErrorCode::unsupported,
                "a padded transform was given to a function of fields on a GPU; give one as large "
                "as the arrays");
  gpu::FieldGrid& grid = problem.grid;
  grid.modes = mode_grid(problem.fields);
  if (!at_modes) grid.modes = {.extents = all.shape, .axes = {}};
  grid.is_complex = !has_real_fields;
  grid.cutoff = checked_cutoff(options.cutoff, side, all.axes.size());
  grid.in_strides = checked_strides(options.input_strides, grid.modes.strides(), "input");
  grid.out_strides = checked_strides(options.output_strides, grid.modes.strides(), "output");
  problem.text = text_of(program, static_cast<int>(all.axes.size()));
  problem.parameters = program.parameters;
  if (!at_modes)
    for (std::size_t a = 0; a < all.axes.size(); ++a) {
      const Index n = all.shape[at(all.axes[a])];
      grid.places.push_back({all.axes[a], n, problem.fields.lengths[a] / static_cast<double>(n)});
    }
  check_splines(program, all.shape);
  problem.is_sampled.resize(at(problem.fields.inputs));
  for (const Instruction& each : program.instructions)
    if (each.op == Op::spline) problem.is_sampled[at(each.number)] = true;
  return problem;
}

gpu::FieldArguments checked_arguments(const FieldProblem& problem, const FieldCall& call,
                                      int device) {
  if (call.precision != problem.precision() || call.is_complex != problem.grid.is_complex)
    refuse_field(weft::format("the function works on {} {}, the arrays given are {} {}",
                              problem.grid.is_complex ? "complex" : "real",
                              to_string(problem.precision()), call.is_complex ? "complex" : "real",
                              to_string(call.precision)));
  const auto check_count = [](std::size_t given, int wanted, const char* what) {
    if (given != at(wanted))
      refuse_field(weft::format("the function has {} {}, {} were given", wanted, what, given));
  };
  check_count(call.in.size(), problem.fields.inputs, "inputs");
  check_count(call.parameters.size(), problem.parameters, "parameters");
  gpu::FieldArguments arguments;
  std::copy(call.parameters.begin(), call.parameters.end(), arguments.parameters);
  if (problem.fields.is_empty()) return arguments;
  for (const void* each : call.in) check_field_array(problem, each, "input", device);
  for (const void* each : call.out) check_field_array(problem, each, "output", device);
  check_field_overlap(problem, call);
  std::copy(call.in.begin(), call.in.end(), arguments.in);
  std::copy(call.out.begin(), call.out.end(), arguments.out);
  return arguments;
}

}  // namespace weft::spectral
