// SPDX-License-Identifier: BSD-3-Clause
// A function of fields on a GPU as it is asked for (weft/cuda_fields.hpp): checked, and as text.
#pragma once

#include <span>
#include <string>

#include "gpu/device/field_kernel.hpp"
#include "spectral/operator_problem.hpp"
#include "weft/cuda_fields.hpp"

namespace weft::spectral {

struct FieldProblem {
  OperatorProblem fields;  ///< the transform and how many fields there are
  gpu::FieldGrid grid;
  gpu::ModeFunctionText text;
  int parameters = 0;
  std::vector<bool> is_sampled;  ///< which inputs are read beside the element, too

  Precision precision() const { return fields.forward.precision; }
  std::string kernel() const { return emit_field_kernel(grid, text, precision()); }
  std::string fold_kernel(gpu::Fold fold) const {
    return emit_fold_kernel(grid, text, precision(), fold);
  }
};

enum class Values { of_fields, real };

/// Throws weft::Error for what makes no sense.
FieldProblem field_problem(const Transform& forward, cuda::Side side, const std::string& text,
                           const cuda::FieldOptions& options, Values values);

/// What an execution passes.
struct FieldCall {
  Precision precision;
  bool is_complex;
  std::span<const void* const> in;
  std::span<void* const> out;
  std::span<const double> parameters;
};
/// Throws unless the call goes with the problem and all arrays are where a kernel may use them.
gpu::FieldArguments checked_arguments(const FieldProblem& problem, const FieldCall& call,
                                      int device);

}  // namespace weft::spectral
