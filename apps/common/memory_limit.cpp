// SPDX-License-Identifier: BSD-3-Clause
#include "common/memory_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/bandwidth.hpp"
#include "common/program.hpp"
#include "text.hpp"
#include "weft/cuda_fields.hpp"

namespace weft::apps {

double copy_speed(const Team& team, double bytes) {
  const std::vector<int> nodes = team.comm().nodes();
  const auto here = std::ranges::count(nodes, nodes[as_size(team.rank())]);
  const int threads = team.executor()->concurrency();
  const auto threads_here = static_cast<double>(here * threads);
  const double share = bytes / static_cast<double>(nodes.size()) / threads;
  const std::vector<MemoryLevel> levels = memory_levels(static_cast<int>(threads_here));
  const auto found = std::ranges::find_if(levels, [&](const MemoryLevel& level) {
    return share <= 2 * static_cast<double>(level.bytes);
  });
  const MemoryLevel& level = found == levels.end() ? levels.back() : *found;
  double best = 0;
  for (const Store store : {Store::ordinary, Store::non_temporal}) {
    team.any(false);  // all begin together
    double mine = 0;
    team.agree([&] { mine = copy_bandwidth({level.bytes, threads, store}); });
    best = std::max(best, team.sum(mine));
  }
  return best;
}

double device_copy_speed(double bytes) {
  // Half of them from, half of them to; at most 256 MiB, which is more than a GPU's cache.
  const auto count = static_cast<Index>(std::clamp(bytes / (2 * sizeof(double)), 0x1p12, 0x1p24));
  constexpr double enough_s = 5e-3;
  constexpr int copies = 4;
  const cuda::FieldFunction copy(r2c({count}), cuda::Side::points, "u0");
  DeviceFields<double> fields(2, count);
  const double* const in[] = {fields[0]};
  double* const out[] = {fields[1]};
  double best = 0, all_s = 0;
  while (all_s < enough_s) {
    cuda::wait({});
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < copies; ++i) copy.execute<double>(in, out, {}, {});
    cuda::wait({});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::max(best, copies * 2 * sizeof(double) * static_cast<double>(count) / took.count());
    all_s += took.count();
  }
  return best;
}

void say_memory_limit(const Team& team, Where where, const Timed& timed) {
  const auto& [unit, seconds, passes, in_use] = timed;
  if (seconds <= 0 || passes.count <= 0) return;
  const double speed = where == Where::cuda ? device_copy_speed(in_use) : copy_speed(team, in_use);
  const double limit = passes.bytes / speed;
  Voice(team).say(
      fmt::format("memory limit: {:.4g} s per {}; {:.4g} passes over {} at {:.4g} GB/s would take "
                  "{:.4g} s: {:.3g} times the memory limit",
                  seconds, unit, passes.count, tool::bytes_text(passes.bytes / passes.count / 2),
                  speed / 1e9, limit, seconds / limit));
}

}  // namespace weft::apps
