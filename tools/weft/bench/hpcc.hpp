// SPDX-License-Identifier: BSD-3-Clause
// G-FFT of the HPC Challenge: one long complex transform over all ranks, forward and inverse, and
// the largest difference between the result and the input.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/distributed.hpp"

namespace weft::tool {

class Progress;

/// The numbers of HPCC's input vector, in (0, 1): consecutive sections of 53 bits of the binary
/// expansion of Bailey and Crandall's constant alpha(2,3), from bit 3^33 + 100 on. Number k is
/// z(k) / 3^33 with z(0) = floor(3^33 / 2) 2^100 mod 3^33 and z(k+1) = 2^53 z(k) mod 3^33. Writes
/// numbers `first`, `first` + 1, ...; point j of the vector has numbers 2j and 2j + 1 as its parts.
void hpcc_random(std::uint64_t first, std::span<double> numbers);

struct HpccRun {
  Index n = 0;
  int rounds = 1;  ///< number of forward transforms; their median time is reported
  DistributedOptions plan = {};
};

struct HpccResult {
  Index n = 0;
  int ranks = 1;
  // Seconds of the slowest rank.
  double generation_s = 0, planning_s = 0, forward_s = 0, inverse_s = 0;
  double max_error = 0;  ///< max |x - x'|
  double gflops = 0;     ///< 5 n log2 n, forward
  std::string recipe = {};
  Index array_bytes = 0, workspace_bytes = 0;  ///< the largest of all ranks
  std::vector<TraceEvent> stages = {};         ///< of the last forward transform on this rank

  /// max_error / (eps log2 n), eps = 2^-53.
  double residual() const;
  /// Whether max_error / (eps ln n) < 16, as in HPCC's program. The published rule, with log2, is
  /// then met too.
  bool passes() const;
};

/// The largest power of two for which four vectors (as many as HPCC uses) fit in half of the free
/// memory.
Index hpcc_default_size(const Comm& comm);

/// Collective. Throws weft::Error on all ranks if `n` is too small or the vectors do not fit in
/// memory.
HpccResult run_hpcc(const HpccRun& run, const Comm& comm, Progress& progress);

}  // namespace weft::tool
