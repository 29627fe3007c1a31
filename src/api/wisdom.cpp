// SPDX-License-Identifier: BSD-3-Clause
// The store is a map per CPU. On disk:
//   {"format": "weft wisdom", "version": 1, "cpus": {"<cpu>": {"<problem>": "<recipe>", ...}}}
#include "weft/wisdom.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "api/wisdom_store.hpp"
#include "base/machine.hpp"
#include "codelet/registry.hpp"
#include "global/model.hpp"
#include "local/array_recipe.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

constexpr int file_version = 1;
constexpr const char* gpu_prefix = "GPU ";  // devices stand among the CPUs; their recipes are
                                            // checked against the candidates when they are used
using Entries = std::map<std::string, std::string>;

struct Store {
  std::mutex mutex;
  std::map<std::string, Entries> cpus;
};
Store& store() {
  static Store instance;
  return instance;
}

/// Wisdom of one CPU does not serve another, nor the same one with fewer instructions.
std::string this_cpu() {
  return this_machine().cpu + ", " + codelet::to_string(codelet::best_isa());
}

[[noreturn]] void io_error(const std::string& path, const char* what) {
  throw Error(ErrorCode::io, "cannot " + std::string(what) + " wisdom file " + path + ": " +
                                 std::strerror(errno) + "; check the path and its permissions");
}

[[noreturn]] void damaged(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::wisdom, "wisdom file " + path + " is damaged (" + why +
                                     "); it was ignored: delete it and tune again");
}

/// Throws weft::Error where the text is not what its problem asks for.
void check_entry(const std::string& problem, const std::string& text) {
  if (problem.starts_with(api::distributed_prefix))
    global::parse_recipe(text);
  else if (problem.starts_with(api::network_prefix))
    global::parse_network(text);
  else
    local::parse_array_recipe(text);
}

std::map<std::string, Entries> read(const std::string& path) {
  std::ifstream file(path);
  if (!file) io_error(path, "read");
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded() || !json.is_object()) damaged(path, "not JSON");
  if (json.value("format", "") != "weft wisdom") damaged(path, "no weft wisdom in it");
  if (!json.contains("version") || !json["version"].is_number_integer())
    damaged(path, "no version");
  if (json["version"].get<int>() != file_version)
    throw Error(ErrorCode::wisdom, "wisdom file " + path + " has version " +
                                       json["version"].dump() + ", this weft reads " +
                                       std::to_string(file_version) +
                                       "; it was ignored: tune again into another file");
  std::map<std::string, Entries> cpus;
  const auto cpus_json = json.value("cpus", nlohmann::json::object());
  if (!cpus_json.is_object()) damaged(path, "'cpus' is not an object");
  for (const auto& [cpu, entries] : cpus_json.items()) {
    if (!entries.is_object()) damaged(path, "a CPU without entries");
    for (const auto& [problem, recipe] : entries.items()) {
      if (!recipe.is_string()) damaged(path, "a recipe is not text");
      const auto text = recipe.get<std::string>();
      try {
        if (!cpu.starts_with(gpu_prefix)) check_entry(problem, text);
      } catch (const Error&) {
        damaged(path, "unreadable recipe '" + text.substr(0, 40) + "'");
      }
      cpus[cpu][problem] = text;
    }
  }
  return cpus;
}

/// Writes beside the target and renames, so that readers see the old file or the new one.
void write_atomically(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) io_error(path, "write");
  const char* data = text.data();
  std::size_t left = text.size();
  bool good = true;
  while (good && left > 0) {
    const ssize_t written = ::write(file, data, left);
    if (written < 0 && errno == EINTR) continue;
    good = written > 0;
    if (good) {
      data += written;
      left -= static_cast<std::size_t>(written);
    }
  }
  good = good && ::fsync(file) == 0;
  const int write_errno = errno;
  good = (::close(file) == 0) && good;
  if (!good || ::rename(temporary.c_str(), path.c_str()) != 0) {
    if (!good) errno = write_errno;
    const int reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    io_error(path, "write");
  }
}

}  // namespace

namespace api {

std::optional<std::string> find_wisdom(const std::string& problem) {
  static const std::string cpu = this_cpu();
  const std::lock_guard lock(store().mutex);
  const auto entries = store().cpus.find(cpu);
  if (entries == store().cpus.end()) return std::nullopt;
  const auto found = entries->second.find(problem);
  if (found == entries->second.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> find_wisdom_like(const std::string& beginning) {
  const std::lock_guard lock(store().mutex);
  const auto entries = store().cpus.find(this_cpu());
  if (entries == store().cpus.end()) return std::nullopt;
  const auto found = entries->second.lower_bound(beginning);
  if (found == entries->second.end() || !found->first.starts_with(beginning)) return std::nullopt;
  return found->second;
}

std::optional<std::string> find_gpu_wisdom(const std::string& device, const std::string& problem) {
  const std::lock_guard lock(store().mutex);
  const auto entries = store().cpus.find(gpu_prefix + device);
  if (entries == store().cpus.end()) return std::nullopt;
  const auto found = entries->second.find(problem);
  if (found == entries->second.end()) return std::nullopt;
  return found->second;
}

void add_gpu_wisdom(const std::string& device, const std::string& problem,
                    const std::string& recipe) {
  const std::lock_guard lock(store().mutex);
  store().cpus[gpu_prefix + device][problem] = recipe;
}

void add_wisdom(const std::string& problem, const std::string& recipe) {
  const std::string cpu = this_cpu();
  const std::lock_guard lock(store().mutex);
  store().cpus[cpu][problem] = recipe;
}

}  // namespace api

namespace wisdom {

void load(const std::string& path) {
  auto cpus = read(path);
  const std::lock_guard lock(store().mutex);
  for (auto& [cpu, entries] : cpus)
    for (auto& [problem, recipe] : entries) store().cpus[cpu][problem] = recipe;
}

void save(const std::string& path) {
  std::map<std::string, Entries> merged;
  if (std::filesystem::exists(path)) {
    try {
      merged = read(path);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::wisdom) throw;  // a damaged file is replaced
    }
  }
  {
    const std::lock_guard lock(store().mutex);
    for (const auto& [cpu, entries] : store().cpus)
      for (const auto& [problem, recipe] : entries) merged[cpu][problem] = recipe;
  }
  const nlohmann::json json{{"format", "weft wisdom"}, {"version", file_version}, {"cpus", merged}};
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  write_atomically(path, json.dump(1) + "\n");
}

std::string default_path() {
  if (const char* path = std::getenv("WEFT_WISDOM"); path != nullptr && *path != '\0') return path;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (cache != nullptr && *cache != '\0')
    folder = cache;
  else if (home != nullptr && *home != '\0')
    folder = std::filesystem::path(home) / ".cache";
  else
    folder = ".";
  return (folder / "weft" / "wisdom.json").string();
}

std::string load_default() noexcept {
  try {
    const std::string path = default_path();
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) load(path);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

void forget() {
  const std::lock_guard lock(store().mutex);
  store().cpus.clear();
}

std::size_t size() {
  const std::lock_guard lock(store().mutex);
  std::size_t count = 0;
  for (const auto& [cpu, entries] : store().cpus) count += entries.size();
  return count;
}

}  // namespace wisdom
}  // namespace weft
