// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "mpi/plugin.hpp"
#include "mpi/runtime.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

/// The MPI library of mpiexec, found by the environment variables that mpiexec sets.
std::string mpi_at_hand() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return "openmpi";
  if (std::getenv("PMI_SIZE") != nullptr) return "mpich";
  return "";
}

std::vector<std::filesystem::path> plugin_places(const std::string& name) {
  const auto tool = std::filesystem::canonical("/proc/self/exe").parent_path();
  const std::string file = "weft_mpi_" + name + ".so";
  return {tool / file, tool.parent_path() / WEFT_LIBDIR / "weft" / file};
}

void* open_plugin(const std::string& name) {
  std::string problems;
  for (const auto& path : plugin_places(name)) {
    if (!std::filesystem::exists(path)) continue;
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return handle;
    problems += std::string("; ") + dlerror();
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("weft was started by mpiexec of {0}, but weft_mpi_{0}.so is not in the "
                          "folder of the tool{1}; build weft on a machine with {0}",
                          name, problems));
}

struct Loaded {
  MpiRuntime* runtime = nullptr;
  void (*stop)(int) = nullptr;

  Loaded() {
    const std::string name = mpi_at_hand();
    if (name.empty()) return;
    void* handle = open_plugin(name);
    const auto start = reinterpret_cast<StartMpi>(dlsym(handle, "weft_start_mpi"));
    stop = reinterpret_cast<StopMpi>(dlsym(handle, "weft_stop_mpi"));
    if (start == nullptr || stop == nullptr)
      throw Error(ErrorCode::unsupported,
                  "weft_mpi_" + name + ".so belongs to another version of weft; build weft again");
    runtime = start();
  }
};

bool is_loaded = false, is_alone = false;

Loaded& loaded() {
  static Loaded once;
  is_loaded = true;
  return once;
}

}  // namespace

void stay_alone() { is_alone = true; }

MpiRuntime* mpi_runtime() { return is_alone ? nullptr : loaded().runtime; }

void finish_mpi(int exit_code) {
  if (is_loaded && loaded().stop != nullptr) loaded().stop(exit_code);
}

int rank_of_this_process() {
  if (is_loaded && loaded().runtime != nullptr) return loaded().runtime->world()->rank();
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  return 0;
}

namespace {

/// A communicator with one rank, this process.
std::shared_ptr<const Comm> alone() {
  std::shared_ptr<const Comm> self;
  run_as_threads(1, [&](const Comm& comm) { self = comm.duplicate(); });
  return self;
}

}  // namespace

std::shared_ptr<const Comm> tool_comm() {
  return mpi_runtime() != nullptr ? mpi_runtime()->world() : alone();
}

}  // namespace weft::tool
