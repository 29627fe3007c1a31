// SPDX-License-Identifier: BSD-3-Clause
// Arrays in device memory to time passes, recipes and operators on.
#pragma once

#include "gpu/choose/choose_operator.hpp"
#include "gpu/choose/tuner.hpp"
#include "gpu/device/engine.hpp"

namespace weft::gpu {

/// Their contents are noise, like real data. Zeros switch fewer bits and may run faster.
class TimingArrays {
 public:
  TimingArrays(const ArrayProblem& problem, const GpuDevice& device, const TuningRoom& room,
               const FieldCount& fields = {});
  ~TimingArrays();
  TimingArrays(const TimingArrays&) = delete;
  TimingArrays& operator=(const TimingArrays&) = delete;

  /// Endless where the device refuses the pass, as it may for want of registers or room for a
  /// cluster.
  TimedPass time(const PlacedPass& placed) { return time(placed, kernel_of(placed.pass)); }
  TimedPass time(const PlacedPass& placed, const PassKernel& kernel);

  double time(const Recipe& recipe);
  /// Endless where the device refuses a pass.
  double time(const OperatorRecipe& recipe, const OperatorRequest& request);

 private:
  const DeviceMemory& array(Place place) const;
  void* memory(Place place) const;
  void* input() const { return static_cast<char*>(in_.data()) + in_origin_; }
  void* output() const {
    return static_cast<char*>(out_.bytes() > 0 ? out_.data() : in_.data()) + out_origin_;
  }
  template <class Work>
  double often_ms(const Work& work);
  template <class Work>
  double best_ms(const Work& work, int runs);

  const GpuDevice& device_;
  UseDevice use_;
  std::size_t in_stride_, out_stride_;  ///< bytes from field to field
  DeviceMemory in_, out_, workspace_;
  std::size_t in_origin_, out_origin_;  ///< of the first elements, see origin_bytes
  std::vector<unsigned char> noise_;
  Stream stream_ = nullptr;
  void *start_ = nullptr, *stop_ = nullptr;
};

/// Memory for the problem's arrays and for the workspace of any of the recipes, or as much as there
/// is; nothing where not even one array fits.
std::optional<TuningRoom> room_for(const std::vector<Recipe>& recipes, const ArrayProblem& problem,
                                   const GpuDevice& device);
std::size_t largest_workspace(const std::vector<Recipe>& recipes);

}  // namespace weft::gpu
