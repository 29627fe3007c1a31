// SPDX-License-Identifier: BSD-3-Clause
// The rows of the GPU benchmark and their labels.
#pragma once

#include <string>
#include <vector>

#include "problem/array_problem.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

struct GpuRow {
  std::vector<Index> shape;  ///< of one transform
  Index batch = 1;
  Kind kind = Kind::c2c;
  Precision precision = Precision::f32;
};

/// "512x512x512 c2c f32", "4096*32768 c2c f32".
std::string label(const GpuRow& row);
Transform transform_of(const GpuRow& row);
problem::ArrayProblem problem_of(const GpuRow& row);

std::vector<GpuRow> gpu_rows();
/// 60 sizes that no factor of the cost model and no choice of candidates was fitted to, and that
/// stay so: what plans of any problem are worth.
std::vector<GpuRow> unseen_gpu_rows();

/// Each of `chosen` is "unseen", a whole label (of any row), or a regular expression that finds
/// rows of gpu_rows() by their labels; none: all of gpu_rows(). Throws weft::Error where one finds
/// nothing.
std::vector<GpuRow> select_gpu_rows(const std::vector<std::string>& chosen);

}  // namespace weft::tool
