// SPDX-License-Identifier: BSD-3-Clause
// The half of a real array's spectrum that the other half implies: X[k] is the conjugate of X[-k],
// for all transformed axes together. One sweep over what the passes have left out.
#pragma once

#include <vector>

#include "problem/array_problem.hpp"

namespace weft::local {

class SpectrumFill {
 public:
  /// Of r2c with the full spectrum.
  explicit SpectrumFill(const problem::ArrayProblem& problem);

  /// Lines along the halved axis, each a unit of work that may run at the same time as others.
  Index units() const { return lines_; }
  /// `imag`: how many reals after the real parts the imaginary ones are.
  void run(Index begin, Index end, char* out, Index imag) const;

 private:
  struct Dimension {
    Index n, stride;
    bool is_mirrored;
  };
  template <class Real>
  void fill(Index begin, Index end, Real* out, Index imag) const;

  Precision precision_;
  bool is_split_;
  Index n_, row_;                  // along the halved axis
  std::vector<Dimension> others_;  // strides in reals
  Index lines_ = 1;
};

}  // namespace weft::local
