// SPDX-License-Identifier: BSD-3-Clause
// Times plans on newly allocated memory.
#pragma once

#include <chrono>
#include <functional>

#include "base/buffer.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

double median(std::vector<double> values);

/// Seconds per call: the median of `rounds` blocks, each repeated for at least `block_seconds`.
double time_calls(const std::function<void()>& call, double block_seconds = 5e-3, int rounds = 5);

/// Times the plan out of place on random data.
double time_plan(const Plan& plan);

/// Fills memory with numbers in [-1, 1), the same for the same seed.
void fill_random(void* memory, std::size_t bytes, Precision precision, unsigned seed = 1);

}  // namespace weft::tool
