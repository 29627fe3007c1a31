// SPDX-License-Identifier: BSD-3-Clause
// The Global FFT of the Spiral paper, Eq. (19), on the ranks of a communicator, with every
// permutation as a pass of its own over memory: what merging them into the transforms is measured
// against. The transforms are weft's plans on contiguous lines.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "weft/comm.hpp"
#include "weft/plan.hpp"

namespace weft::fabric {

class ExplicitGlobalFft {
 public:
  /// One transform of `points`; every rank holds points / ranks of them, in order. weft::Error
  /// unless the ranks divide two factors of the length.
  ExplicitGlobalFft(const Comm& comm, Index points);

  /// Collective.
  void execute(std::span<const std::complex<double>> in, std::span<std::complex<double>> out);

 private:
  void exchange();

  const Comm& comm_;
  Index p_, m_, n_;
  Plan rows_, columns_;
  std::vector<std::complex<double>> work_, other_, twiddles_;
};

}  // namespace weft::fabric
