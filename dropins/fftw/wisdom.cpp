// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/wisdom.hpp"

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>

#include "weft/wisdom.hpp"

namespace weft::fftw::wisdom {
namespace {

constexpr std::string_view head =
    sizeof(Real) == sizeof(float) ? "(weft-fftw3f-wisdom 1\n" : "(weft-fftw3-wisdom 1\n";
constexpr std::string_view tail = ")\n";
constexpr std::string_view rigor_names[] = {"estimate", "measure", "patient", "exhaustive"};

struct Store {
  std::mutex mutex;
  std::map<std::string, Entry, std::less<>> entries;
  std::atomic<bool> uses_weft = false;
};
Store& store() {  // never destroyed: a program may plan until its very end
  static auto* const instance = new Store;
  return *instance;
}

/// Called with the lock. A recipe found with more effort replaces another, never the reverse.
void merge(Store& into, const std::string& problem, const Entry& entry) {
  const auto [place, is_new] = into.entries.try_emplace(problem, entry);
  if (!is_new && entry.rigor > place->second.rigor) place->second = entry;
}

/// "measure c2c forward 8:1:1 = recipe" as a problem and its entry.
std::optional<std::pair<std::string, Entry>> read_line(std::string_view line) {
  const std::size_t blank = line.find(' '), equals = line.find(" = ");
  if (blank == line.npos || equals == line.npos || equals <= blank) return {};
  for (int rigor = 0; rigor < 4; ++rigor)
    if (line.substr(0, blank) == rigor_names[rigor])
      return std::pair{std::string(line.substr(blank + 1, equals - blank - 1)),
                       Entry{static_cast<Rigor>(rigor), std::string(line.substr(equals + 3))}};
  return {};
}

}  // namespace

std::optional<std::string> find(const std::string& problem, Rigor rigor) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  const auto found = s.entries.find(problem);
  if (found == s.entries.end() || found->second.rigor < rigor) return {};
  return found->second.recipe;
}

void add(const std::string& problem, const Entry& entry) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  merge(s, problem, entry);
}

void forget() noexcept {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  s.entries.clear();
  s.uses_weft = false;
}

std::string to_text() {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  std::string text(head);
  for (const auto& [problem, entry] : s.entries)
    text += std::string(rigor_names[static_cast<int>(entry.rigor)]) + " " + problem + " = " +
            entry.recipe + "\n";
  return text.append(tail);
}

bool from_text(const std::string& text) {
  const std::string_view all = text;
  const std::size_t begin = all.find_first_not_of(" \t\r\n");
  if (begin == all.npos || !all.substr(begin).starts_with(head)) return false;
  std::string_view rest = all.substr(begin + head.size());
  std::map<std::string, Entry, std::less<>> read;
  while (!rest.starts_with(')')) {
    const std::size_t end = rest.find('\n');
    if (end == rest.npos) return false;
    const auto entry = read_line(rest.substr(0, end));
    if (!entry) return false;
    read.insert(*entry);
    rest.remove_prefix(end + 1);
  }
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  for (const auto& [problem, entry] : read) merge(s, problem, entry);
  return true;
}

bool use_weft() {
  std::error_code failed;
  if (!std::filesystem::exists(weft::wisdom::default_path(), failed)) return false;
  if (!weft::wisdom::load_default().empty()) return false;
  store().uses_weft = true;
  return true;
}
bool uses_weft() noexcept { return store().uses_weft; }

}  // namespace weft::fftw::wisdom
