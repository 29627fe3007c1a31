// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/operator_way.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "base/names.hpp"
#include "spectral/tiling.hpp"

namespace weft::spectral {
namespace {

using Middle = OperatorWay::Middle;

constexpr std::array<std::pair<OperatorWay, const char*>, 6> way_names{
    {{{Middle::whole, false}, "whole"},
     {{Middle::columns, false}, "columns"},
     {{Middle::columns, true}, "columns apart"},
     {{Middle::planes, false}, "planes"},
     {{Middle::steps, false}, "steps"},
     {{Middle::steps, true}, "steps apart"}}};

double count_of(const std::vector<Index>& extents) {
  double count = 1;
  for (Index extent : extents) count *= static_cast<double>(extent);
  return count;
}

/// How much longer the thread with the most units takes than if each had as many.
double imbalance(double units, int threads) { return std::ceil(units / threads) * threads / units; }

/// Units of the middle that one thread does alone; none: all threads share all of it.
std::optional<double> lone_units(const OperatorWay& way, const OperatorProblem& problem,
                                 const local::MachineModel& machine) {
  const Transform& forward = problem.forward;
  if (way.middle == Middle::planes) {
    double planes = 1;
    for (int d = 0; d <= slowest_axis(forward); ++d)
      planes *= static_cast<double>(problem.spectrum[at(d)]);
    return planes;
  }
  if (way.middle == Middle::whole)
    return static_cast<double>(
        TileBoxes(problem.spectrum, tiling_of(forward, problem.spectrum, problem.fields(),
                                              forward.axes, machine.l2.bytes / 2))
            .count());
  return {};
}

// What a pass over memory takes, where a transform of all axes takes 1: so steps take 1.2 times as
// long as three fused sweeps, as on a Zen 5 with 2 threads and on a Xeon with 16 (256^3, 512^3).
constexpr double pass_price = 0.3;
// Ways that differ by less than a pass.
constexpr double small_price = 0.1;
constexpr double ops_per_ns = 8, phase_ns = 2000;  // of a thread; for threads to meet

double price_ns(const OperatorWay& way, const OperatorProblem& problem, int threads,
                const local::MachineModel& machine) {
  const Transform& forward = problem.forward;
  const double modes = count_of(problem.spectrum) * problem.fields();
  double points = 1, passes = 3;
  for (int axis : forward.axes) points *= static_cast<double>(forward.shape[at(axis)]);
  if (way.middle == Middle::whole) passes = 1;
  if (way.middle == Middle::steps) passes = 5;
  double price = 2 + passes * pass_price;
  // Planes that come from memory once cost less than columns and planes twice. Arrays that the
  // third cache holds in part gain less: 256^3 f64 on a Xeon with 300 MiB of it.
  const double bytes = 2 * modes * 2 * static_cast<double>(real_bytes(forward.precision));
  const bool is_in_memory = bytes > 2 * machine.l3.bytes;
  if (way.middle == Middle::planes) price += is_in_memory ? -small_price : small_price;
  if (way.apart && forward.kind == Kind::c2c) price += small_price;
  if (const auto alone = lone_units(way, problem, machine)) price *= imbalance(*alone, threads);
  const double transform_ns = 5 * modes * std::log2(std::max(2.0, points)) / ops_per_ns / threads;
  return price * transform_ns + (threads > 1 ? passes * phase_ns : 0);
}

}  // namespace

std::string to_text(const OperatorWay& way) {
  const auto* found =
      std::ranges::find(way_names, way, [](const auto& each) { return each.first; });
  return found == way_names.end() ? "" : found->second;
}

OperatorWay parse_operator_way(std::string_view text) {
  const auto* found =
      std::ranges::find(way_names, text, [](const auto& each) { return each.second; });
  if (found == way_names.end())
    throw Error(ErrorCode::wisdom, "'" + std::string(text) + "' is no way to do an operator");
  return found->first;
}

std::vector<OperatorWay> ways_of(const OperatorProblem& problem, int threads,
                                 const local::MachineModel& machine) {
  const Transform& forward = problem.forward;
  const bool fits_outputs = forward.kind == Kind::c2c && forward.output_extents == problem.spectrum;
  std::vector<OperatorWay> ways;
  if (forward.axes.size() == 1 ||
      fits(forward, problem.spectrum, problem.fields(), machine.l2.bytes / 2)) {
    ways.push_back({Middle::whole, false});
  } else {
    if (fits_outputs) ways.push_back({Middle::columns, false});
    if (forward.kind == Kind::c2c && forward.axes.size() > 2 && !problem.is_padded())
      ways.push_back({Middle::planes, false});
    ways.push_back({Middle::columns, true});
  }
  if (fits_outputs) ways.push_back({Middle::steps, false});
  ways.push_back({Middle::steps, true});
  std::ranges::stable_sort(
      ways, {}, [&](const OperatorWay& way) { return price_ns(way, problem, threads, machine); });
  return ways;
}

}  // namespace weft::spectral
