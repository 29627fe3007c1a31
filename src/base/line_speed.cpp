// SPDX-License-Identifier: BSD-3-Clause
#include "base/line_speed.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>

#include "base/buffer.hpp"
#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

constexpr std::size_t line_words = 8;  // of 8 bytes

/// Keeps the compiler from dropping what computes `value`.
void use(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

/// One word of every line, in steps of so many lines around a power of two of them.
std::uint64_t read_lines(const std::uint64_t* words, std::size_t lines, std::size_t step) {
  const std::size_t mask = lines - 1;
  std::uint64_t sums[4] = {};
  for (std::size_t i = 0; i < lines; i += 4)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < 4; ++j) sums[j] += words[((i + j) * step & mask) * line_words];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

double best_ns_per_line(const std::uint64_t* words, std::size_t lines, std::size_t step,
                        double seconds) {
  const auto begin = Clock::now();
  const std::size_t repetitions = std::max<std::size_t>(1, 16384 / lines);
  double best = 1e30;
  for (int round = 0; round < 3 || nanoseconds_since(begin) < 1e9 * seconds; ++round) {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < repetitions; ++i) use(read_lines(words, lines, step));
    best = std::min(best, nanoseconds_since(start) / static_cast<double>(lines * repetitions));
  }
  return best;
}

}  // namespace

LineTime line_time(std::size_t working_set_bytes, double seconds) {
  const std::size_t lines =
      std::max<std::size_t>(64, std::bit_floor(working_set_bytes / (8 * line_words)));
  Buffer<std::uint64_t> words(static_cast<Index>(lines * line_words));
  std::ranges::fill(words.span(), 1);
  // An odd step around a power of two visits every line once; about 0.618 of the way round, no
  // hardware foresees the next one.
  const std::size_t far = (lines * 618 / 1000) | 1;
  return {best_ns_per_line(words.data(), lines, 1, seconds / 2),
          best_ns_per_line(words.data(), lines, far, seconds / 2)};
}

double clock_gigahertz() {
  constexpr int additions = 20000;
  double best = 0;
  for (int round = 0; round < 8; ++round) {
    std::uint64_t sum = 1, addend = 3;
    asm volatile("" : "+r"(addend));  // some CPUs add constants in no time
    const auto start = Clock::now();
    for (int i = 0; i < additions; i += 8)
#pragma GCC unroll 8
      for (int j = 0; j < 8; ++j) {
        sum += addend;
        asm volatile("" : "+r"(sum));  // one after another: an addition takes a cycle
      }
    best = std::max(best, additions / nanoseconds_since(start));
    use(sum);
  }
  return best;
}

}  // namespace weft
