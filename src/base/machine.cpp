// SPDX-License-Identifier: BSD-3-Clause
#include "base/machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace weft {
namespace {

namespace fs = std::filesystem;

/// The first line of a small file; empty if it cannot be read.
std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

long number_in(const std::string& path, long otherwise) {
  std::istringstream text(first_line(path));
  long value = otherwise;
  return text >> value ? value : otherwise;
}

/// "32K", "1024K", "8M" as Linux writes cache sizes.
std::size_t size_with_suffix(const std::string& text) {
  std::istringstream stream(text);
  std::size_t value = 0;
  char suffix = ' ';
  stream >> value >> suffix;
  if (suffix == 'K') return value << 10;
  if (suffix == 'M') return value << 20;
  if (suffix == 'G') return value << 30;
  return value;
}

/// The numbers in a list like "0-3,8,10-11".
std::vector<int> expand_list(const std::string& text) {
  std::vector<int> values;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    std::istringstream range(part);
    int first = 0, last = 0;
    char dash = ' ';
    if (!(range >> first)) continue;
    if (!(range >> dash >> last)) last = first;
    for (int i = first; i <= last; ++i) values.push_back(i);
  }
  return values;
}

std::vector<Cache> data_caches_of(const std::string& cpu_folder) {
  std::vector<Cache> caches;
  for (int i = 0;; ++i) {
    const std::string folder = cpu_folder + "/cache/index" + std::to_string(i);
    const std::string type = first_line(folder + "/type");
    if (type.empty()) break;
    if (type == "Instruction") continue;
    Cache cache;
    cache.level = static_cast<int>(number_in(folder + "/level", 0));
    cache.bytes = size_with_suffix(first_line(folder + "/size"));
    cache.line_bytes = static_cast<std::size_t>(number_in(folder + "/coherency_line_size", 64));
    cache.ways = static_cast<int>(number_in(folder + "/ways_of_associativity", 0));
    const auto sharers = expand_list(first_line(folder + "/shared_cpu_list"));
    cache.sharers = std::max<int>(1, static_cast<int>(sharers.size()));
    if (cache.bytes > 0) caches.push_back(cache);
  }
  std::ranges::sort(caches, {}, &Cache::level);
  return caches;
}

void count_cores(const std::string& root, Machine& machine) {
  const std::string folder = root + "/sys/devices/system/cpu";
  const std::vector<int> online = expand_list(first_line(folder + "/online"));
  std::set<std::pair<long, long>> cores;  // (socket, core)
  std::set<long> sockets;
  for (int cpu : online) {
    const std::string topology = folder + "/cpu" + std::to_string(cpu) + "/topology";
    const long socket = number_in(topology + "/physical_package_id", 0);
    sockets.insert(socket);
    cores.emplace(socket, number_in(topology + "/core_id", cpu));
  }
  machine.hardware_threads = std::max<int>(1, static_cast<int>(online.size()));
  machine.cores = std::max<int>(1, static_cast<int>(cores.size()));
  machine.sockets = std::max<int>(1, static_cast<int>(sockets.size()));
  if (!online.empty())
    machine.data_caches = data_caches_of(folder + "/cpu" + std::to_string(online.front()));
}

/// The value of the first line "key : value" of /proc/cpuinfo with one of these keys.
std::string cpuinfo_value(const std::string& root, const std::set<std::string>& keys) {
  std::ifstream file(root + "/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string key = line.substr(0, colon);
    key.erase(key.find_last_not_of(" \t") + 1);
    if (!keys.contains(key)) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::vector<std::string> instruction_sets_of(const std::string& root) {
  std::istringstream flags(cpuinfo_value(root, {"flags", "Features"}));
  std::set<std::string> present;
  for (std::string flag; flags >> flag;) present.insert(flag);
  std::vector<std::string> known;
  for (const char* name : {"sse2", "avx", "f16c", "fma", "avx2", "avx512f", "avx512dq", "avx512bw",
                           "avx512vl", "avx512_fp16", "asimd", "asimdhp", "sve", "sve2"})
    if (present.contains(name)) known.emplace_back(name);
  return known;
}

/// A value of /proc/meminfo, such as "MemTotal:"; 0 if it is missing.
std::size_t memory_bytes_of(const std::string& root, const std::string& name) {
  std::ifstream file(root + "/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    std::size_t kibibytes = 0;
    if (words >> key >> kibibytes && key == name) return kibibytes << 10;
  }
  return 0;
}

void probe_pages(const std::string& root, Machine& machine) {
  const long page = sysconf(_SC_PAGESIZE);
  if (page > 0) machine.page_bytes = static_cast<std::size_t>(page);
  const std::string kernel_mm = root + "/sys/kernel/mm";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(kernel_mm + "/hugepages", ignored)) {
    const std::string name = entry.path().filename().string();  // hugepages-2048kB
    const auto dash = name.find('-');
    if (dash != std::string::npos)
      machine.huge_page_bytes.push_back(std::stoull("0" + name.substr(dash + 1)) << 10);
  }
  std::ranges::sort(machine.huge_page_bytes);
  // "always [madvise] never": the current setting is in brackets.
  const std::string choices = first_line(kernel_mm + "/transparent_hugepage/enabled");
  const auto open = choices.find('['), close = choices.find(']');
  if (open != std::string::npos && close != std::string::npos && open < close)
    machine.transparent_huge_pages = choices.substr(open + 1, close - open - 1);
}

/// The CPUs of the calling thread and those of OpenMP's places; none if Linux does not say. Where
/// OMP_PROC_BIND is set, OpenMP binds the first thread to one place before main(), and the threads
/// of its teams to the others.
cpu_set_t usable_cpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return cpus;
#ifdef _OPENMP
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    for (const int id : ids)
      if (id >= 0 && id < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(id), &cpus);
  }
#endif
  return cpus;
}

int usable_threads(int hardware_threads) {
  const cpu_set_t cpus = usable_cpus();
  const int count = CPU_COUNT(&cpus);
  return count > 0 ? count : hardware_threads;
}

}  // namespace

void use_all_cpus() {
  const cpu_set_t cpus = usable_cpus();
  if (CPU_COUNT(&cpus) > 0) sched_setaffinity(0, sizeof cpus, &cpus);
}

std::size_t Machine::cache_bytes(int level) const {
  for (const Cache& cache : data_caches)
    if (cache.level == level) {
      const int threads_per_core = std::max(1, hardware_threads / std::max(1, cores));
      return cache.bytes / static_cast<std::size_t>(std::max(1, cache.sharers / threads_per_core));
    }
  return 0;
}

Machine probe_machine(const std::string& root) {
  Machine machine;
  count_cores(root, machine);
  utsname system{};
  if (uname(&system) == 0) machine.architecture = system.machine;
  machine.cpu = cpuinfo_value(root, {"model name", "Model", "cpu model"});
  machine.vendor = cpuinfo_value(root, {"vendor_id"});
  std::istringstream(cpuinfo_value(root, {"cpu family"})) >> machine.family;
  if (machine.cpu.empty()) machine.cpu = machine.architecture + " processor";
  machine.instruction_sets = instruction_sets_of(root);
  machine.memory_bytes = memory_bytes_of(root, "MemTotal:");
  machine.swap_bytes = memory_bytes_of(root, "SwapTotal:");
  machine.usable_threads = usable_threads(machine.hardware_threads);
  probe_pages(root, machine);
  return machine;
}

const Machine& this_machine() {
  static const Machine machine = probe_machine("");
  return machine;
}

}  // namespace weft
