// SPDX-License-Identifier: BSD-3-Clause
#include "bench/limit.hpp"

#include <algorithm>
#include <limits>

#include "base/bandwidth.hpp"
#include "base/machine.hpp"
#include "bench/pair.hpp"
#include "problem.hpp"
#include "text.hpp"
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

double Limits::arithmetic_speed(const Work& work) {
  const Precision precision = work.precision == Precision::f64 ? Precision::f64 : Precision::f32;
  const auto [found, is_new] = rates_.try_emplace({work.kind, precision, work.threads});
  if (!is_new) return found->second;
  Row lines;
  lines.shape = {256};
  lines.kind = work.kind;
  lines.precision = precision;
  lines.threads = work.threads;
  lines.batch = work.threads * (64 * 1024 / (256 * real_bytes(precision)));
  RowArrays arrays(lines, Direction::forward);
  WeftRun run(arrays, {.use_wisdom = false});
  arrays.fill_for_timing();
  // The fastest of some short blocks: threads that another program disturbs would move the limit.
  double seconds = std::numeric_limits<double>::infinity();
  for (int block = 0; block < 9; ++block)
    seconds = std::min(seconds, time_calls([&] { run.run(); }, 1e-3, 1));
  return found->second = lines.flops() / seconds;
}

double Limits::seconds(const Work& work) {
  Index longest = 1;
  for (const Index n : work.lengths) longest = std::max(longest, n);
  const double line = static_cast<double>(2 * longest * real_bytes(work.precision));
  const auto second_cache = static_cast<double>(this_machine().cache_bytes(2));
  const auto third_cache = static_cast<double>(this_machine().cache_bytes(3));
  const double both = work.in_bytes + work.out_bytes;
  const double all = work.place == Place::in ? std::max(work.in_bytes, work.out_bytes) : both;
  const bool needs_two = all > third_cache && (work.lengths.size() > 1 || line > second_cache / 2);
  const double memory_s = (needs_two ? 2 : 1) * both / copy_speed(all, work.threads);
  return std::max(memory_s, work.flops / arithmetic_speed(work));
}

Work work_of(const Row& row) {
  const Geometry geometry = geometry_of(row, Direction::forward);
  return {row.shape,
          static_cast<double>(geometry.in_bytes),
          static_cast<double>(geometry.out_bytes),
          row.flops(),
          row.kind,
          row.precision,
          row.threads,
          row.place};
}

Work work_of(const Plan& plan, int threads) {
  const Transform& transform = plan.transform();
  Work work{{},
            static_cast<double>(input_bytes(plan)),
            static_cast<double>(output_bytes(plan)),
            0,
            transform.kind,
            transform.precision,
            threads,
            Place::out};
  for (const int axis : transform.axes)
    work.lengths.push_back(transform.shape[static_cast<std::size_t>(axis)]);
  const Size size = size_of(transform);
  work.flops = nominal_flops(size.points, size.batch, has_real_side(transform.kind));
  return work;
}

}  // namespace weft::tool
