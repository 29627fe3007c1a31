// SPDX-License-Identifier: BSD-3-Clause
// What the GPU planner asks of a problem.
#pragma once

#include <vector>

#include "problem/array_problem.hpp"

namespace weft::gpu {

using problem::ArrayProblem;
using problem::Blocks;
using problem::Dimension;

/// Throws weft::Error (unsupported) for what has no GPU form.
void check_problem(const ArrayProblem& problem);
bool has_gpu_form(const ArrayProblem& problem);

/// The dimensions with distances in elements of the side's type, as kernels count them, not in
/// reals.
std::vector<Dimension> dimensions_in_elements(const ArrayProblem& problem);

/// The axes in the order of their passes, without those of one point: nearest neighbours first, the
/// real axis first for r2c and last for c2r.
std::vector<int> axis_order(const ArrayProblem& problem);

Index half_count(const ArrayProblem& problem);  ///< elements of the side with the half spectrum
std::vector<Index> workspace_strides(const ArrayProblem& problem);  ///< contiguous, half spectrum

Index stored_bytes(Precision precision);  ///< of a complex number in memory
/// From the first to the last element of a side, whatever its strides.
std::size_t array_bytes(const ArrayProblem& problem, bool is_output);
/// From the lowest address to the first element, which is not the same with negative strides.
std::size_t origin_bytes(const ArrayProblem& problem, bool is_output);

}  // namespace weft::gpu
