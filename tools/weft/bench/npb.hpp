// SPDX-License-Identifier: BSD-3-Clause
// The FT benchmark of the NAS Parallel Benchmarks: a diffusion equation in three dimensions, solved
// by one forward transform and, for each time step, one inverse transform.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "weft/distributed.hpp"

namespace weft::tool {

/// A problem with the checksums that it must give, one per iteration.
struct NpbClass {
  char name;
  Index nx, ny, nz;  ///< x runs fastest
  std::span<const std::complex<double>> checksums;

  Index points() const { return nx * ny * nz; }
  int iterations() const { return static_cast<int>(checksums.size()); }
  double operations() const;  ///< floating point operations as NPB counts them
};
/// "S", "W", "A", "B" or "C"; throws weft::Error for others.
const NpbClass& npb_class(const std::string& name);

inline constexpr double npb_epsilon = 1e-12;
/// Whether all checksums are present and the relative errors of their real and imaginary parts are
/// below npb_epsilon. (NPB's programs test the complex number, which is a weaker condition.)
bool npb_verified(const NpbClass& problem, std::span<const std::complex<double>> checksums);

inline constexpr std::uint64_t npb_seed = 314159265;
/// NPB's pseudorandom numbers in (0, 1): x(k+1) = 5^13 x(k) mod 2^46 from x(0) = seed; the number
/// k, counted from 0, is x(k+1) / 2^46. Writes numbers `first`, `first` + 1, ...
void npb_random(std::uint64_t seed, std::uint64_t first, std::span<double> numbers);

struct NpbRun {
  std::uint64_t seed = npb_seed;
  DistributedOptions plan = {};
  /// Called on every rank after each iteration, counted from 1.
  std::function<void(int, std::complex<double>)> on_checksum = {};
};

struct NpbTimes {
  /// Everything that NPB times: initial conditions, tables, transforms, evolution, checksums; of
  /// the slowest rank.
  double total_s = 0;
  // Its parts, each of the slowest rank: initial conditions, plans (tables and buffers, NPB's
  // fft_init), transforms, multiplications by exponentials, checksums.
  double initial_s = 0, plans_s = 0, transforms_s = 0, evolve_s = 0, checksums_s = 0;
};

struct NpbResult {
  std::vector<std::complex<double>> checksums;
  NpbTimes times;
  std::string recipe;         ///< of the forward transform
  Index array_bytes = 0;      ///< field and spectrum, the largest of all ranks
  Index workspace_bytes = 0;  ///< of both plans, the largest of all ranks
};

/// Collective. Throws weft::Error on all ranks if the problem does not fit in memory.
NpbResult run_npb(const NpbClass& problem, const Comm& comm, const NpbRun& options);

}  // namespace weft::tool
