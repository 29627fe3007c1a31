// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/choose/tuner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>

#include "gpu/choose/choose_operator.hpp"
#include "gpu/choose/pass_search.hpp"
#include "gpu/device/engine.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/device/operator_engine.hpp"

namespace weft::gpu {
namespace {

/// A stretch of numbers about 1/16 as a precision stores them.
std::vector<unsigned char> noise(Precision precision) {
  constexpr std::size_t count = 1 << 18;
  std::vector<unsigned char> bytes(count * static_cast<std::size_t>(stored_bytes(precision)) / 2);
  std::minstd_rand generator(1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto random = static_cast<std::uint32_t>(generator());
    const double value = (static_cast<double>(random) / 2147483647.0 - 0.5) / 8;
    const auto single = static_cast<float>(value);
    const auto half = static_cast<std::uint16_t>(0x2800 | (random & 0x83ff));
    const void* from = precision == Precision::f64   ? static_cast<const void*>(&value)
                       : precision == Precision::f32 ? static_cast<const void*>(&single)
                                                     : static_cast<const void*>(&half);
    const std::size_t size = bytes.size() / count;
    std::memcpy(bytes.data() + i * size, from, size);
  }
  return bytes;
}

void fill(const DeviceMemory& memory, const std::vector<unsigned char>& pattern) {
  const std::size_t first = std::min(pattern.size(), memory.bytes());
  require(driver().copy_to_device(memory.address(), pattern.data(), first), "filling GPU memory");
  for (std::size_t done = first; done < memory.bytes(); done *= 2)
    require(driver().copy_on_device(memory.address() + done, memory.address(),
                                    std::min(done, memory.bytes() - done), nullptr),
            "filling GPU memory");
  require(driver().context_synchronize(), "filling GPU memory");
}

/// Arrays to time recipes on: noise, like real data. Zeros switch fewer bits and may run faster.
class Bench {
 public:
  Bench(const ArrayProblem& problem, const GpuDevice& device, const TuningRoom& room,
        const FieldCount& fields = {})
      : device_(device),
        use_(device),
        in_stride_(field_stride(array_bytes(problem, false))),
        out_stride_(field_stride(array_bytes(problem, true))),
        in_(room.has_two_arrays ? all_bytes(in_stride_, fields.inputs)
                                : std::max(all_bytes(in_stride_, fields.inputs),
                                           all_bytes(out_stride_, fields.outputs))),
        out_(room.has_two_arrays ? all_bytes(out_stride_, fields.outputs) : 0),
        workspace_(room.workspace),
        in_origin_(origin_bytes(problem, false)),
        out_origin_(origin_bytes(problem, true)) {
    fill(in_, noise(problem.precision));
    require(driver().stream_create(&stream_, 1), "cuStreamCreate");
    require(driver().event_create(&start_, 0), "cuEventCreate");
    require(driver().event_create(&stop_, 0), "cuEventCreate");
  }
  ~Bench() {
    driver().event_destroy(start_);
    driver().event_destroy(stop_);
    driver().stream_destroy(stream_);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Endless where the device refuses the pass, as it may for want of registers or room for a
  /// cluster.
  TimedPass time(const PlacedPass& placed) try {
    const LoadedPass pass(placed.pass, device_);
    const LoadedPass::Launch launch{
        .in = memory(placed.from), .out = memory(placed.to), .stream = stream_};
    const double ms = best_ms([&] { pass.launch(launch); }, 5);
    return {ms, pass.registers(), pass.spilled_bytes()};
  } catch (const Error&) {
    if (driver().context_synchronize() != 0) throw;  // more than a refusal
    return {.ms = std::numeric_limits<double>::infinity()};
  }

  double time(const Recipe& recipe) {
    const Engine engine(recipe, device_);
    return often_ms([&] { engine.run(input(), output(), workspace_.data(), 1.0, stream_); });
  }
  /// Endless where the device refuses a pass.
  double time(const OperatorRecipe& recipe, const OperatorRequest& request) try {
    const OperatorEngine engine(recipe, request.grid, request.function, device_);
    std::vector<const void*> in;
    std::vector<void*> out;
    for (int f = 0; f < recipe.fields.inputs; ++f) in.push_back(of_field(input(), in_stride_, f));
    for (int f = 0; f < recipe.fields.outputs; ++f)
      out.push_back(of_field(output(), out_stride_, f));
    return often_ms(
        [&] { engine.run({in, out, workspace_.data(), request.numbers, 1.0, stream_}); });
  } catch (const Error&) {
    if (driver().context_synchronize() != 0) throw;  // more than a refusal
    return std::numeric_limits<double>::infinity();
  }

 private:
  static std::size_t field_stride(std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    return (bytes + alignment - 1) / alignment * alignment;
  }
  static std::size_t all_bytes(std::size_t stride, int fields) {
    return stride * static_cast<std::size_t>(fields);
  }
  static void* of_field(void* first, std::size_t stride, int f) {
    return static_cast<char*>(first) + all_bytes(stride, f);
  }

  /// More often where that takes little time: finalists are close to each other.
  template <class Work>
  double often_ms(const Work& work) {
    const double ms = best_ms(work, 5);
    return std::min(ms, best_ms(work, std::clamp(static_cast<int>(20 / ms), 1, 50)));
  }
  void* memory(Place place) const {
    return place == Place::input ? input() : place == Place::output ? output() : workspace_.data();
  }
  void* input() const { return static_cast<char*>(in_.data()) + in_origin_; }
  void* output() const {
    return static_cast<char*>(out_.bytes() > 0 ? out_.data() : in_.data()) + out_origin_;
  }

  /// Fastest of `runs` after one to warm up, in milliseconds.
  template <class Work>
  double best_ms(const Work& work, int runs) {
    float best = std::numeric_limits<float>::max();
    for (int i = 0; i <= runs; ++i) {
      require(driver().event_record(start_, stream_), "cuEventRecord");
      work();
      require(driver().event_record(stop_, stream_), "cuEventRecord");
      require(driver().event_synchronize(stop_), "timing a recipe");
      float ms = 0;
      require(driver().event_elapsed(&ms, start_, stop_), "cuEventElapsedTime");
      if (i > 0) best = std::min(best, ms);
    }
    return best;
  }

  const GpuDevice& device_;
  UseDevice use_;
  std::size_t in_stride_, out_stride_;  ///< bytes from field to field
  DeviceMemory in_, out_, workspace_;
  std::size_t in_origin_, out_origin_;  ///< of the first elements, see origin_bytes
  Stream stream_ = nullptr;
  void *start_ = nullptr, *stop_ = nullptr;
};

/// Recipes with one pass for each axis differ in how a pass is done, not in what it does: their
/// passes may be exchanged.
bool has_pass_per_axis(const Recipe& recipe) {
  return std::ranges::all_of(recipe.passes, [](const PlacedPass& placed) {
    const std::vector<TileAxis>& tile_axes = placed.pass.tile_axes;
    return tile_axes.size() == 1 && tile_axes[0].whole == 0 &&
           tile_axes[0].chirp.role == Chirp::Role::none;
  });
}

/// A recipe of the fastest pass for each axis, from any recipe; nothing if it is one of `timed`.
std::optional<TimedRecipe> fastest_passes(const std::vector<TimedRecipe>& timed) {
  std::optional<TimedRecipe> best;
  for (const TimedRecipe& other : timed) {
    if (!has_pass_per_axis(other.recipe)) continue;
    if (!best) best = other;
    for (std::size_t s = 0; s < other.passes.size(); ++s)
      if (other.passes[s].ms < best->passes[s].ms) {
        best->passes[s] = other.passes[s];
        best->recipe.passes[s] = other.recipe.passes[s];
      }
  }
  if (!best || std::ranges::any_of(
                   timed, [&](const TimedRecipe& other) { return other.recipe == best->recipe; }))
    return std::nullopt;
  best->ms = 0;
  for (const TimedPass& pass : best->passes) best->ms += pass.ms;
  return best;
}

std::size_t largest_workspace(const std::vector<Recipe>& recipes) {
  std::size_t largest = 0;
  for (const Recipe& recipe : recipes) largest = std::max(largest, workspace_bytes(recipe));
  return largest;
}

std::optional<TuningRoom> room_for(const std::vector<Recipe>& recipes, const ArrayProblem& problem,
                                   const GpuDevice& device) {
  const UseDevice use(device);
  std::size_t free = 0, total = 0;
  require(driver().memory_info(&free, &total), "cuMemGetInfo");
  return tuning_room(array_bytes(problem, false), array_bytes(problem, true),
                     largest_workspace(recipes), free);
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
  Bench bench(problem, device, *room);
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
      passes[p] = bench.time(search.placed(p));
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
  if (auto mixed = fastest_passes(timed)) timed.push_back(std::move(*mixed));
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
    last->ms = bench.time(last->recipe);
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
  Bench bench(request.forward, device, *room, fields);
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
      const double ms = bench.time(recipes[r], request);
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
