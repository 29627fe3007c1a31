// SPDX-License-Identifier: BSD-3-Clause
// The wisdom store: for each CPU and GPU a map from problems to recipes, both as text.
#include "weft/wisdom.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/machine.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"
#include "tune/wisdom_file.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

constexpr const char* gpu_prefix = "GPU ";  // GPUs are stored in the list of CPUs

struct KnownRecipe {
  std::string text;
  bool is_measured_here = false;  // by this process, not loaded from a file
};

struct Store {
  std::mutex mutex;
  std::map<std::string, std::map<std::string, KnownRecipe>> cpus;
};
Store& store() {
  static Store instance;
  return instance;
}

/// The CPU with its instruction set, because recipes for one CPU or instruction set are not the
/// best for another.
const std::string& this_cpu() {
  static const std::string name =
      this_machine().cpu + ", " + codelet::to_string(codelet::best_isa());
  return name;
}

std::optional<std::string> find(const std::string& cpu, const std::string& problem) {
  const std::lock_guard lock(store().mutex);
  const auto entries = store().cpus.find(cpu);
  if (entries == store().cpus.end()) return std::nullopt;
  const auto found = entries->second.find(problem);
  if (found == entries->second.end()) return std::nullopt;
  return found->second.text;
}

void add(const std::string& cpu, const std::string& problem, const std::string& recipe) {
  const std::lock_guard lock(store().mutex);
  store().cpus[cpu][problem] = {recipe, true};
}

void merge_into_store(const tune::WisdomFile& file) {
  const std::lock_guard lock(store().mutex);
  for (const auto& [cpu, entries] : file.cpus)
    for (const auto& [problem, value] : entries) {
      if (!value.is_recipe) continue;
      KnownRecipe& known = store().cpus[cpu][problem];
      if (known.text != value.text) known = {value.text, false};
    }
}

std::string text_of_store(tune::WisdomPart part) {
  const std::lock_guard lock(store().mutex);
  tune::WisdomFile file;
  for (const auto& [cpu, entries] : store().cpus)
    for (const auto& [problem, recipe] : entries)
      if (part == tune::WisdomPart::all || recipe.is_measured_here)
        file.cpus[cpu][problem] = {recipe.text, true};
  return tune::to_text(file);
}

/// Recipes measured by this process replace those in the file. Recipes that were only loaded do
/// not: another process may have measured them again since.
void merge_into_file(tune::WisdomFile& file) {
  const std::lock_guard lock(store().mutex);
  for (const auto& [cpu, entries] : store().cpus)
    for (const auto& [problem, recipe] : entries) {
      const auto [place, is_new] = file.cpus[cpu].try_emplace(problem);
      if (is_new || (recipe.is_measured_here && place->second.is_recipe))
        place->second = {recipe.text, true};
    }
}

}  // namespace

namespace tune {

namespace {

std::string owner(const std::string& device) {
  return device.empty() ? this_cpu() : gpu_prefix + device;
}

}  // namespace

std::optional<std::string> find_wisdom(const std::string& problem, const std::string& device) {
  return find(owner(device), problem);
}

void add_wisdom(const std::string& problem, const std::string& recipe, const std::string& device) {
  add(owner(device), problem, recipe);
}

std::optional<std::string> find_wisdom_like(const std::string& beginning) {
  const std::lock_guard lock(store().mutex);
  const auto entries = store().cpus.find(this_cpu());
  if (entries == store().cpus.end()) return std::nullopt;
  const auto found = entries->second.lower_bound(beginning);
  if (found == entries->second.end() || !found->first.starts_with(beginning)) return std::nullopt;
  return found->second.text;
}

std::string wisdom_text(WisdomPart part) { return text_of_store(part); }

}  // namespace tune

namespace wisdom {

std::string to_string() { return text_of_store(tune::WisdomPart::all); }

void from_string(const std::string& text) {
  try {
    merge_into_store(tune::parse_wisdom(text));
  } catch (const Error& error) {
    throw Error(error.code(), std::string("the wisdom text ") + error.what() +
                                  "; pass what wisdom::to_string() or a wisdom file has");
  }
}

void load(const std::string& path) {
  const auto file = tune::read_wisdom_file(path);
  if (!file)
    throw Error(ErrorCode::io,
                "there is no wisdom file " + path + "; check the name, or run weft tune");
  merge_into_store(*file);
}

void save(const std::string& path) { tune::update_wisdom_file(path, merge_into_file); }

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
    try {
      if (const auto file = tune::read_wisdom_file(default_path())) merge_into_store(*file);
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  } catch (const std::exception&) {  // making the message may fail too
    return "out of memory";          // short enough to need no allocation
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
