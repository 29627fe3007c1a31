// SPDX-License-Identifier: BSD-3-Clause
// What an operator is asked to do, checked and with all defaults filled in.
#pragma once

#include <algorithm>
#include <vector>

#include "weft/spectral.hpp"

namespace weft::spectral {

struct OperatorProblem {
  Transform forward;            ///< c2c or r2c, axes listed, extents of both arrays filled in
  std::vector<Index> spectrum;  ///< extents of the modes
  std::vector<double> lengths;  ///< one per axis
  int inputs = 1, outputs = 1;

  int fields() const { return std::max(inputs, outputs); }
  /// Whether the arrays have fewer points than the transform.
  bool is_padded() const {
    return forward.input_extents != forward.shape || forward.output_extents != forward.shape;
  }
  bool is_empty() const;
};

/// Throws weft::Error (invalid_argument) for what makes no sense.
OperatorProblem check_operator(const Transform& forward, const ModeFunction& function,
                               const std::vector<double>& lengths);

/// Throws for a function that a CPU cannot call on the modes.
void check_function(const OperatorProblem& problem, const ModeFunction& function);

/// Throws unless the arrays are of the operator's type and number.
void check_fields(const OperatorProblem& problem, Precision precision, bool is_complex,
                  std::size_t inputs, std::size_t outputs);

/// Throws if an array of one of the fields is null, not aligned, or shares memory that it must not.
void check_arrays(const OperatorProblem& problem, const void* const* in, void* const* out);

}  // namespace weft::spectral
