// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/engine.hpp"

#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "base/format.hpp"
#include "base/index.hpp"
#include "gpu/device/compiler.hpp"
#include "gpu/emit/emit_kernel.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

// Numbers of CUfunction_attribute.
constexpr int function_local_bytes = 3, function_registers = 4, function_shared_bytes = 8,
              function_large_clusters = 14;

constexpr int portable_cluster = 8;  ///< every device with clusters has room for these

/// Where the scratch array begins, after the workspace proper.
std::size_t scratch_offset(const Recipe& recipe) {
  const Index element = stored_bytes(recipe.passes.front().pass.precision);
  return static_cast<std::size_t>(round_up(recipe.workspace_elements * element, 256));
}

}  // namespace

LoadedPass::LoadedPass(const TilePass& pass, const GpuDevice& device) : LoadedPass(device) {
  const Geometry geometry(pass);
  const Tables tables(pass);
  const Index blocks = geometry.tiles() * pass.cluster;
  if (blocks > 0x7fffffff || geometry.shared_bytes() > device.shared_bytes)
    throw Error(ErrorCode::internal,
                weft::format("GPU pass '{}' exceeds {}", to_text(pass), device.name));
  blocks_ = static_cast<unsigned>(blocks);
  threads_ = static_cast<unsigned>(pass.threads);
  shared_bytes_ = static_cast<unsigned>(geometry.shared_bytes());
  is_double_ = pass.precision == Precision::f64;
  const std::vector<char> code =
      compile_cuda(emit_kernel(pass, geometry, tables), 10 * device.major + device.minor);
  const UseDevice use(device);
  require(driver().module_load(&module_, code.data()), "loading a generated kernel");
  require(driver().module_function(&function_, module_, "weft_pass"), "cuModuleGetFunction");
  require(driver().function_set(function_, function_shared_bytes, static_cast<int>(shared_bytes_)),
          weft::format("{} bytes of shared memory per block", shared_bytes_));
  if (pass.cluster > portable_cluster) {
    require(driver().function_set(function_, function_large_clusters, 1), "clusters of 16 blocks");
    LaunchAttribute attribute = in_clusters_of(pass.cluster);
    const LaunchConfig config{{blocks_, 1, 1}, {threads_, 1, 1}, shared_bytes_,
                              nullptr,         &attribute,       1};
    int clusters = 0;
    if (driver().clusters_at_once(&clusters, function_, &config) != 0 || clusters == 0)
      throw Error(ErrorCode::unsupported,
                  weft::format("{} has no room for clusters of {} blocks with {} bytes of shared "
                               "memory each",
                               device.name, pass.cluster, shared_bytes_));
  }
  const std::vector<unsigned char> bytes = tables.bytes(pass.precision);
  tables_ = DeviceMemory(bytes.size());
  upload(tables_.address(), bytes.data(), bytes.size(), "copying tables to the GPU");
}

LoadedPass::~LoadedPass() {
  if (module_ == nullptr) return;
  const UseDevice use(device_, std::nothrow);
  driver().module_unload(module_);
}

void LoadedPass::launch(const void* in, void* out, double scale, Stream stream,
                        bool follows) const {
  DevicePointer tables = tables_.address();
  float single = static_cast<float>(scale);
  void* arguments[] = {&in, &out, &tables,
                       is_double_ ? static_cast<void*>(&scale) : static_cast<void*>(&single)};
  LaunchAttribute early = may_start_early;
  const LaunchConfig config{{blocks_, 1, 1}, {threads_, 1, 1}, shared_bytes_,
                            stream,          &early,           follows ? 1u : 0u};
  require(driver().launch_with(&config, function_, arguments, nullptr), "launching a GPU pass");
}

int LoadedPass::registers() const {
  int value = 0;
  require(driver().function_get(&value, function_registers, function_), "cuFuncGetAttribute");
  return value;
}
int LoadedPass::spilled_bytes() const {
  int value = 0;
  require(driver().function_get(&value, function_local_bytes, function_), "cuFuncGetAttribute");
  return value;
}

void compile_all(const std::vector<const TilePass*>& work, int capability) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto compile = [&] {
    for (std::size_t i = next++; i < work.size(); i = next++) try {
        const Geometry geometry(*work[i]);
        compile_cuda(emit_kernel(*work[i], geometry, Tables(*work[i])), capability);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
  };
  std::vector<std::thread> threads;
  const std::size_t count = std::min<std::size_t>(std::thread::hardware_concurrency(), work.size());
  for (std::size_t t = 1; t < count; ++t) threads.emplace_back(compile);
  compile();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

void compile_all(const std::vector<Recipe>& recipes, int capability) {
  std::map<std::string, const TilePass*> passes;
  for (const Recipe& recipe : recipes)
    for (const PlacedPass& placed : recipe.passes)
      passes.emplace(to_text(placed.pass), &placed.pass);
  std::vector<const TilePass*> work;
  for (const auto& [text, pass] : passes) work.push_back(pass);
  compile_all(work, capability);
}

bool accepts(const GpuDevice& device, const Recipe& recipe) {
  try {
    for (const PlacedPass& placed : recipe.passes)
      if (placed.pass.cluster > portable_cluster) LoadedPass(placed.pass, device);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return false;
  }
}

std::size_t workspace_bytes(const Recipe& recipe) {
  const Index element = stored_bytes(recipe.passes.front().pass.precision);
  return scratch_offset(recipe) + static_cast<std::size_t>(recipe.scratch_elements * element);
}

Engine::Engine(const Recipe& recipe, const GpuDevice& device)
    : recipe_(recipe), can_follow_(device.major >= 9) {
  for (const PlacedPass& placed : recipe.passes)
    passes_.push_back(std::make_unique<LoadedPass>(placed.pass, device));
}

void Engine::run(const void* in, void* out, void* workspace, double scale, Stream stream) const {
  const std::size_t scratch = scratch_offset(recipe_);
  const auto memory = [&](Place place) -> void* {
    if (place == Place::output) return out;
    return static_cast<char*>(workspace) + (place == Place::scratch ? scratch : 0);
  };
  int is_captured = 0;
  if (can_follow_)
    require(driver().stream_is_capturing(stream, &is_captured), "cuStreamIsCapturing");
  for (std::size_t s = 0; s < passes_.size(); ++s) {
    const PlacedPass& placed = recipe_.passes[s];
    passes_[s]->launch(placed.from == Place::input ? in : memory(placed.from), memory(placed.to),
                       s + 1 == passes_.size() ? scale : 1.0, stream,
                       s > 0 && can_follow_ && is_captured == 0);
  }
}

}  // namespace weft::gpu
