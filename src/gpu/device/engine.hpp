// SPDX-License-Identifier: BSD-3-Clause
// A recipe built for one device: machine code, tables, launch parameters. Running it only launches.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device/driver.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// One pass on the device.
class LoadedPass {
 public:
  LoadedPass(const TilePass& pass, const GpuDevice& device);
  ~LoadedPass();
  LoadedPass(const LoadedPass&) = delete;
  LoadedPass& operator=(const LoadedPass&) = delete;

  /// `follows`: the blocks may be made ready while the pass before in the stream still runs.
  void launch(const void* in, void* out, double scale, Stream stream, bool follows = false) const;

  int registers() const;
  int spilled_bytes() const;  ///< local memory per thread

 private:
  /// If a later step fails, the destructor releases what was loaded: this constructor has finished.
  explicit LoadedPass(const GpuDevice& device) : device_(device) {}

  const GpuDevice& device_;
  void* module_ = nullptr;
  void* function_ = nullptr;
  DeviceMemory tables_;
  unsigned blocks_ = 0, threads_ = 0, shared_bytes_ = 0;
  bool is_double_ = false;
};

/// Compiles the kernels of passes, or of recipes, into the cache, several at once. Needs no GPU.
void compile_all(const std::vector<const TilePass*>& passes, int capability);
void compile_all(const std::vector<Recipe>& recipes, int capability);

/// Whether a device has room for the recipe's clusters; a GPU shared with other processes may have
/// none.
bool accepts(const GpuDevice& device, const Recipe& recipe);

std::size_t workspace_bytes(const Recipe& recipe);

class Engine {
 public:
  Engine(const Recipe& recipe, const GpuDevice& device);

  std::size_t workspace_bytes() const { return gpu::workspace_bytes(recipe_); }
  /// The context of the device must be current. Asynchronous.
  void run(const void* in, void* out, void* workspace, double scale, Stream stream) const;

 private:
  Recipe recipe_;
  bool can_follow_;  ///< whether passes may follow each other closely
  std::vector<std::unique_ptr<LoadedPass>> passes_;
};

}  // namespace weft::gpu
