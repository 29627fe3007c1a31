// SPDX-License-Identifier: BSD-3-Clause
// A recipe built for one device: machine code, tables, launch parameters. Running it only launches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device/driver.hpp"
#include "gpu/emit/mode_text.hpp"
#include "gpu/recipe/operator_recipe.hpp"
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
/// A pass that is turned around, with the function of the modes in it.
PassKernel turned_kernel(const TurnedPass& turned, const ModeGrid& grid,
                         const ModeFunctionText& function);

std::vector<PassKernel> kernels_of(const OperatorRecipe& recipe, const ModeGrid& grid,
                                   const ModeFunctionText& function);

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
    const void* numbers = nullptr;  ///< that a function of the modes reads
  };
  void launch(const Launch& launch) const;

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

void compile_all(const std::vector<PassKernel>& kernels, int capability);

/// Whether a device has room for the recipe's clusters; a GPU shared with other processes may have
/// none.
bool accepts(const GpuDevice& device, const Recipe& recipe);

std::size_t workspace_bytes(const Recipe& recipe);
std::size_t workspace_bytes(const OperatorRecipe& recipe);

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

/// An operator: passes forward, one that is turned around, passes back.
class OperatorEngine {
 public:
  OperatorEngine(const OperatorRecipe& recipe, const ModeGrid& grid,
                 const ModeFunctionText& function, const GpuDevice& device);

  std::size_t workspace_bytes() const { return gpu::workspace_bytes(recipe_); }
  const OperatorRecipe& recipe() const { return recipe_; }
  struct Run {
    const void* in;
    void *out, *workspace;
    const void* numbers;
    double scale;
    Stream stream;
  };
  /// The context of the device must be current. Asynchronous.
  void run(const Run& run) const;

 private:
  OperatorRecipe recipe_;
  bool can_follow_;
  std::vector<std::unique_ptr<LoadedPass>> before_, after_;
  LoadedPass turned_;
};

}  // namespace weft::gpu
