// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/choose/timing.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

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
  if (memory.bytes() == 0) return;
  const std::size_t first = std::min(pattern.size(), memory.bytes());
  require(driver().copy_to_device(memory.address(), pattern.data(), first), "filling GPU memory");
  for (std::size_t done = first; done < memory.bytes(); done *= 2)
    require(driver().copy_on_device(memory.address() + done, memory.address(),
                                    std::min(done, memory.bytes() - done), nullptr),
            "filling GPU memory");
  require(driver().context_synchronize(), "filling GPU memory");
}

std::size_t field_stride(std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  return (bytes + alignment - 1) / alignment * alignment;
}
std::size_t all_bytes(std::size_t stride, int fields) {
  return stride * static_cast<std::size_t>(fields);
}
void* of_field(void* first, std::size_t stride, int f) {
  return static_cast<char*>(first) + all_bytes(stride, f);
}

}  // namespace

TimingArrays::TimingArrays(const ArrayProblem& problem, const GpuDevice& device,
                           const TuningRoom& room, const FieldCount& fields)
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
      out_origin_(origin_bytes(problem, true)),
      noise_(noise(problem.precision)) {
  for (const DeviceMemory* array : {&in_, &out_, &workspace_}) fill(*array, noise_);
  require(driver().stream_create(&stream_, 1), "cuStreamCreate");
  require(driver().event_create(&start_, 0), "cuEventCreate");
  require(driver().event_create(&stop_, 0), "cuEventCreate");
}

TimingArrays::~TimingArrays() {
  driver().event_destroy(start_);
  driver().event_destroy(stop_);
  driver().stream_destroy(stream_);
}

const DeviceMemory& TimingArrays::array(Place place) const {
  if (place == Place::workspace || place == Place::scratch) return workspace_;
  return place == Place::output && out_.bytes() > 0 ? out_ : in_;
}

void* TimingArrays::memory(Place place) const {
  return place == Place::input ? input() : place == Place::output ? output() : workspace_.data();
}

/// Fastest of `runs` after one to warm up, in milliseconds.
template <class Work>
double TimingArrays::best_ms(const Work& work, int runs) {
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

/// More often where that takes little time: finalists are close to each other.
template <class Work>
double TimingArrays::often_ms(const Work& work) {
  const double ms = best_ms(work, 5);
  return std::min(ms, best_ms(work, std::clamp(static_cast<int>(20 / ms), 1, 50)));
}

TimedPass TimingArrays::time(const PlacedPass& placed, const PassKernel& kernel) try {
  const LoadedPass pass(placed.pass, kernel, device_);
  // Done again and again in place, transforms would overflow.
  if (placed.from == placed.to) fill(array(placed.to), noise_);
  const LoadedPass::Launch launch{
      .in = memory(placed.from), .out = memory(placed.to), .stream = stream_};
  const double ms = best_ms([&] { pass.launch(launch); }, 5);
  return {ms, pass.registers(), pass.spilled_bytes()};
} catch (const Error&) {
  if (driver().context_synchronize() != 0) throw;  // more than a refusal
  return {.ms = std::numeric_limits<double>::infinity()};
}

double TimingArrays::time(const Recipe& recipe) {
  const Engine engine(recipe, device_);
  return often_ms([&] { engine.run(input(), output(), workspace_.data(), 1.0, stream_); });
}

double TimingArrays::time(const OperatorRecipe& recipe, const OperatorRequest& request) try {
  const OperatorEngine engine(recipe, request.grid, request.function, device_);
  std::vector<const void*> in;
  std::vector<void*> out;
  for (int f = 0; f < recipe.fields.inputs; ++f) in.push_back(of_field(input(), in_stride_, f));
  for (int f = 0; f < recipe.fields.outputs; ++f) out.push_back(of_field(output(), out_stride_, f));
  return often_ms([&] { engine.run({in, out, workspace_.data(), request.numbers, 1.0, stream_}); });
} catch (const Error&) {
  if (driver().context_synchronize() != 0) throw;  // more than a refusal
  return std::numeric_limits<double>::infinity();
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

}  // namespace weft::gpu
