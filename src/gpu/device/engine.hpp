// SPDX-License-Identifier: BSD-3-Clause
// A recipe built for one device: machine code, tables, launch parameters. Running it only launches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device/driver.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// A pass as it is to be compiled and launched.
struct PassKernel {
  std::string text;
  const char* function = "weft_pass";
  Index tiles = 1;
  std::size_t shared_bytes = 0;
  std::vector<unsigned char> tables;
};
PassKernel kernel_of(const TilePass& pass);

/// One pass on the device.
class LoadedPass {
 public:
  LoadedPass(const TilePass& pass, const GpuDevice& device);
  /// `pass` tells how the kernel is launched.
  LoadedPass(const TilePass& pass, const PassKernel& kernel, const GpuDevice& device);
  ~LoadedPass();
  LoadedPass(const LoadedPass&) = delete;
  LoadedPass& operator=(const LoadedPass&) = delete;

  struct Launch {
    const void* in;
    void* out;
    double scale = 1;
    Stream stream = nullptr;
    bool follows = false;  ///< the blocks may be made ready while the pass before still runs
  };
  void launch(const Launch& launch) const;
  /// A pass that is turned around, see emit_turned_kernel.
  struct TurnedLaunch {
    const void** fields;  ///< all inputs, then all outputs
    const void* numbers;  ///< that the function of the modes reads
    double scale;
    Stream stream;
    bool follows;
  };
  void launch(const TurnedLaunch& launch) const;

  int registers() const;
  int spilled_bytes() const;  ///< local memory per thread

 private:
  void launch(void** arguments, Stream stream, bool follows) const;
  /// If a later step fails, the destructor releases what was loaded: this constructor has finished.
  explicit LoadedPass(const GpuDevice& device) : device_(device) {}

  const GpuDevice& device_;
  void* module_ = nullptr;
  void* function_ = nullptr;
  DeviceMemory tables_;
  unsigned blocks_ = 0, threads_ = 0, shared_bytes_ = 0;
  bool is_double_ = false;
};

/// Whether passes may follow each other closely on the stream now.
bool may_follow(bool can_follow, Stream stream);

/// Compiles the kernels of passes, or of recipes, into the cache, several at once. Needs no GPU.
void compile_all(const std::vector<const TilePass*>& passes, int capability);
void compile_all(const std::vector<Recipe>& recipes, int capability);

void compile_all(const std::vector<PassKernel>& kernels, int capability);

constexpr int portable_cluster = 8;  ///< every device with clusters has room for these
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
