// SPDX-License-Identifier: BSD-3-Clause
#include "bench/limit.hpp"

#include <algorithm>

#include "base/bandwidth.hpp"
#include "base/machine.hpp"
#include "bench/pair.hpp"
#include "problem.hpp"
#include "timing.hpp"

namespace weft::tool {

double Limits::copy_speed(double bytes, int threads) {
  const auto levels = memory_levels(threads);
  int level = 0;  // the innermost that holds each thread's share
  while (level + 1 < static_cast<int>(levels.size()) &&
         bytes / threads > static_cast<double>(levels[static_cast<std::size_t>(level)].bytes))
    ++level;
  const auto [found, is_new] = copies_.try_emplace({level, threads});
  if (is_new)
    for (const Store store : {Store::ordinary, Store::non_temporal})
      found->second = std::max(
          found->second,
          copy_bandwidth({levels[static_cast<std::size_t>(level)].bytes, threads, store, 0.02}));
  return found->second;
}

double Limits::arithmetic_speed(const Row& row) {
  const auto [found, is_new] = rates_.try_emplace({row.kind, row.precision, row.threads});
  if (!is_new) return found->second;
  Row lines;
  lines.shape = {256};
  lines.kind = row.kind;
  lines.precision = row.precision;
  lines.threads = row.threads;
  lines.batch = row.threads * (64 * 1024 / (256 * real_bytes(row.precision)));
  RowArrays arrays(lines, Direction::forward);
  WeftRun run(arrays, {.use_wisdom = false});
  arrays.fill_for_timing();
  return found->second = lines.flops() / time_calls([&] { run.run(); }, 2e-3, 5);
}

double Limits::seconds(const Row& row) {
  const Geometry geometry = geometry_of(row, Direction::forward);
  const auto in = static_cast<double>(geometry.in_bytes),
             out = static_cast<double>(geometry.out_bytes);
  Index longest = 1;
  for (const Index n : row.shape) longest = std::max(longest, n);
  const double line = static_cast<double>(2 * longest * real_bytes(row.precision));
  const auto second_cache = static_cast<double>(this_machine().cache_bytes(2));
  const auto third_cache = static_cast<double>(this_machine().cache_bytes(3));
  const double all = row.place == Place::in ? std::max(in, out) : in + out;
  const bool needs_two = all > third_cache && (row.shape.size() > 1 || line > second_cache / 2);
  const double memory_s = (needs_two ? 2 : 1) * (in + out) / copy_speed(all, row.threads);
  return std::max(memory_s, row.flops() / arithmetic_speed(row));
}

}  // namespace weft::tool
