// SPDX-License-Identifier: BSD-3-Clause
// cuFFT, loaded at run time, only for the comparison in `weft bench gpu`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weft/plan.hpp"

namespace weft::tool {

struct CufftProblem {
  Kind kind = Kind::c2c;
  Precision precision = Precision::f32;
  std::vector<Index> shape;  ///< of one transform, contiguous
  Index batch = 1;
  Direction direction = Direction::forward;
};

class CufftPlan {
 public:
  /// Throws weft::Error (unsupported) if cuFFT is not installed or cannot plan the problem.
  explicit CufftPlan(const CufftProblem& problem);
  ~CufftPlan();
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;
  void execute(void* in, void* out, void* stream) const;

 private:
  int handle_ = 0;
  int direction_ = -1;
};

bool has_cufft();
std::string cufft_version();

}  // namespace weft::tool
