// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/choose/tuner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>

#include "gpu/choose/exchange.hpp"
#include "gpu/choose/pass_search.hpp"
#include "gpu/choose/timing.hpp"
#include "gpu/device/engine.hpp"
#include "gpu/device/numbers.hpp"

namespace weft::gpu {
namespace {

/// Recipes of the fastest pass for each axis, or part of one, from any recipe that does the same;
/// without those that are among `timed`.
std::vector<TimedRecipe> of_fastest_passes(const std::vector<TimedRecipe>& timed) {
  std::vector<std::vector<PlacedPass>> works;
  std::vector<TimedRecipe> best;
  for (const TimedRecipe& other : timed) {
    std::vector<PlacedPass> work = work_of_lines(other.recipe);
    if (work.size() < 2) continue;
    const auto known = std::ranges::find(works, work);
    if (known == works.end()) {
      works.push_back(std::move(work));
      best.push_back(other);
      continue;
    }
    TimedRecipe& mixed = best[static_cast<std::size_t>(known - works.begin())];
    for (std::size_t s = 0; s < other.passes.size(); ++s)
      if (other.passes[s].ms < mixed.passes[s].ms) {
        mixed.passes[s] = other.passes[s];
        mixed.recipe.passes[s] = other.recipe.passes[s];
      }
  }
  std::erase_if(best, [&](const TimedRecipe& mixed) {
    return std::ranges::any_of(
        timed, [&](const TimedRecipe& other) { return other.recipe == mixed.recipe; });
  });
  for (TimedRecipe& mixed : best) {
    mixed.ms = 0;
    for (const TimedPass& pass : mixed.passes) mixed.ms += pass.ms;
  }
  return best;
}

}  // namespace

std::size_t workspace_room(const ArrayProblem& problem, const GpuDevice& device, std::size_t limit,
                           int arrays) {
  const std::size_t array = static_cast<std::size_t>(arrays) *
                            std::max(array_bytes(problem, false), array_bytes(problem, true));
  return array < device.memory_bytes ? std::min(limit, device.memory_bytes - array) : limit;
}

std::vector<Recipe> within(const std::vector<Recipe>& recipes, std::size_t workspace) {
  std::vector<Recipe> found;
  std::ranges::copy_if(recipes, std::back_inserter(found),
                       [&](const Recipe& recipe) { return workspace_bytes(recipe) <= workspace; });
  return found;
}

std::optional<TuningRoom> tuning_room(std::size_t in_bytes, std::size_t out_bytes,
                                      std::size_t wanted, std::size_t free_bytes) {
  constexpr std::size_t reserve = std::size_t(256) << 20;  // kernels, tables
  const std::size_t free = free_bytes - std::min(free_bytes, reserve);
  const std::size_t larger = std::max(in_bytes, out_bytes);
  if (larger > free) return std::nullopt;
  if (in_bytes + out_bytes <= free && wanted <= free - in_bytes - out_bytes)
    return TuningRoom{true, wanted};
  return TuningRoom{false, std::min(wanted, free - larger)};
}

Tuning time_recipes(const std::vector<Recipe>& all, const ArrayProblem& problem,
                    const GpuDevice& device, const TuningLimits& limits) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t batch = 16;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto start = Clock::now();
  const auto is_over = [&] { return seconds_since(start) > limits.seconds; };
  auto room = room_for(all, problem, device);
  if (!room) return {};
  const std::vector<Recipe> recipes = within(all, room->workspace);
  if (recipes.empty()) return {};
  room->workspace = largest_workspace(recipes);
  TimingArrays arrays(problem, device, *room);
  PassSearch search(recipes, numbers_of(device));
  std::vector<TimedPass> passes(search.size());
  for (std::size_t count = 0; count < limits.passes && (count == 0 || !is_over());) {
    const std::vector<std::size_t> next =
        search.next(count == 0 ? batch : std::max(batch, std::min(count, limits.passes) / 4));
    if (next.empty()) break;
    std::vector<const TilePass*> work;
    for (const std::size_t p : next) work.push_back(&search.placed(p).pass);
    compile_all(work, 10 * device.major + device.minor);
    for (const std::size_t p : next) {
      passes[p] = arrays.time(search.placed(p));
      search.record(p, passes[p].ms);
    }
    count += next.size();
  }
  std::vector<TimedRecipe> timed;
  for (std::size_t r = 0; r < recipes.size(); ++r) {
    if (!search.is_timed(r)) continue;
    timed.push_back({recipes[r]});
    for (const std::size_t p : search.passes_of(r)) {
      timed.back().passes.push_back(passes[p]);
      timed.back().ms += passes[p].ms;
    }
  }
  std::erase_if(timed, [](const TimedRecipe& recipe) { return std::isinf(recipe.ms); });
  for (TimedRecipe& mixed : of_fastest_passes(timed)) timed.push_back(std::move(mixed));
  std::ranges::stable_sort(timed, {}, &TimedRecipe::ms);
  // Where a pass finds in L2 what the one before wrote, the whole is less than its passes; of small
  // transforms many are timed.
  constexpr std::ptrdiff_t finalists = 16, most_finalists = 64;
  const double promising_ms = timed.empty() ? 0 : 1.1 * timed.front().ms;
  const auto finals = Clock::now();
  auto last = timed.begin();
  while (last != timed.end() &&
         (last - timed.begin() < finalists ||
          (last - timed.begin() < most_finalists && last->ms < promising_ms &&
           seconds_since(finals) < limits.seconds / 20))) {
    last->ms = arrays.time(last->recipe);
    ++last;
  }
  std::ranges::stable_sort(timed.begin(), last, {}, &TimedRecipe::ms);
  return {std::move(timed), recipes.size() == all.size()};
}

std::optional<std::size_t> fastest_operator(const std::vector<OperatorRecipe>& recipes,
                                            const OperatorRequest& request, const GpuDevice& device,
                                            const TuningLimits& limits) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t batch = 4;
  const auto start = Clock::now();
  const UseDevice use(device);
  std::size_t free = 0, total = 0, wanted = 0;
  require(driver().memory_info(&free, &total), "cuMemGetInfo");
  for (const OperatorRecipe& recipe : recipes) wanted = std::max(wanted, workspace_bytes(recipe));
  const FieldCount fields = request.fields();
  const auto of_all = [&](bool is_output, int count) {
    return static_cast<std::size_t>(count) * (array_bytes(request.forward, is_output) + 256);
  };
  const auto room =
      tuning_room(of_all(false, fields.inputs), of_all(true, fields.outputs), wanted, free);
  if (!room) return std::nullopt;
  TimingArrays arrays(request.forward, device, *room, fields);
  std::optional<std::size_t> best;
  double least = std::numeric_limits<double>::infinity();
  // Each has about three passes.
  const std::size_t count = std::min(recipes.size(), std::max<std::size_t>(1, limits.passes / 3));
  for (std::size_t first = 0; first < count; first += batch) {
    if (first > 0 && std::chrono::duration<double>(Clock::now() - start).count() > limits.seconds)
      break;
    const std::size_t end = std::min(count, first + batch);
    std::vector<PassKernel> kernels;
    for (std::size_t r = first; r < end; ++r)
      for (PassKernel& kernel : kernels_of(recipes[r], request.grid, request.function))
        kernels.push_back(std::move(kernel));
    compile_all(kernels, 10 * device.major + device.minor);
    for (std::size_t r = first; r < end; ++r) {
      if (workspace_bytes(recipes[r]) > room->workspace) continue;
      const double ms = arrays.time(recipes[r], request);
      if (ms >= least) continue;
      least = ms;
      best = r;
    }
  }
  return best;
}

TuningLimits tuning_limits(Effort effort, double seconds) {
  TuningLimits limits;
  limits.seconds = seconds;
  if (effort != Effort::patient) limits.passes = 96;
  return limits;
}

}  // namespace weft::gpu
