// SPDX-License-Identifier: BSD-3-Clause
#include "base/machine.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "base/bandwidth.hpp"

namespace weft {
namespace {

/// A folder with files as the kernel of some machine would show them.
class FakeMachine : public ::testing::Test {
 protected:
  FakeMachine() {
    std::string pattern = ::testing::TempDir() + "weft-machine-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~FakeMachine() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ + path).substr(0, (root_ + path).rfind('/')));
    std::ofstream(root_ + path) << text << '\n';
  }
  void write_cache(int index, const std::string& type, int level, const std::string& size,
                   const std::string& sharers) const {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    write(folder + "type", type);
    write(folder + "level", std::to_string(level));
    write(folder + "size", size);
    write(folder + "shared_cpu_list", sharers);
    write(folder + "ways_of_associativity", "8");
    write(folder + "coherency_line_size", "64");
  }

  std::string root_;
};

TEST_F(FakeMachine, IsReadFromTheKernelsFiles) {
  write("/sys/devices/system/cpu/online", "0-3,6-7");
  for (int cpu : {0, 1, 2, 3, 6, 7}) {  // two threads per core, two sockets
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    write(topology + "physical_package_id", cpu >= 6 ? "1" : "0");
    write(topology + "core_id", std::to_string(cpu / 2));
  }
  write_cache(0, "Data", 1, "48K", "0-1");
  write_cache(1, "Instruction", 1, "32K", "0-1");
  write_cache(2, "Unified", 3, "16M", "0-3");
  write_cache(3, "Unified", 2, "2048K", "0-1");
  write("/proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\n"
        "model name\t: Some CPU @ 3 GHz\nflags\t\t: avx2 fma mmx");
  write("/proc/meminfo", "MemTotal:       1048576 kB\nMemFree: 1 kB\nSwapTotal:  2048 kB");
  write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0");
  write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");

  const Machine machine = probe_machine(root_);
  EXPECT_EQ(machine.cpu, "Some CPU @ 3 GHz");
  EXPECT_EQ(machine.vendor, "AuthenticAMD");
  EXPECT_EQ(machine.family, 25);
  EXPECT_EQ(machine.hardware_threads, 6);
  EXPECT_EQ(machine.cores, 3);
  EXPECT_EQ(machine.sockets, 2);
  EXPECT_EQ(machine.instruction_sets, (std::vector<std::string>{"fma", "avx2"}));
  EXPECT_EQ(machine.memory_bytes, std::size_t{1} << 30);
  EXPECT_EQ(machine.swap_bytes, 2U << 20);
  EXPECT_EQ(machine.huge_page_bytes, std::vector<std::size_t>{std::size_t{2} << 20});
  EXPECT_EQ(machine.transparent_huge_pages, "madvise");
  ASSERT_EQ(machine.data_caches.size(), 3u);
  EXPECT_EQ(machine.data_caches[1].level, 2);
  // A core's share: both of its threads use the same L2, two cores share the L3.
  EXPECT_EQ(machine.cache_bytes(1), 48u << 10);
  EXPECT_EQ(machine.cache_bytes(2), 2u << 20);
  EXPECT_EQ(machine.cache_bytes(3), 8u << 20);
  EXPECT_EQ(machine.cache_bytes(4), 0u);
}

TEST_F(FakeMachine, WithoutAnyFilesIsStillAMachine) {
  const Machine machine = probe_machine(root_);
  EXPECT_EQ(machine.cores, 1);
  EXPECT_EQ(machine.hardware_threads, 1);
  EXPECT_FALSE(machine.cpu.empty());
  EXPECT_EQ(machine.cache_bytes(2), 0u);
}

/// This test again, in a process whose threads OpenMP binds; what it prints.
std::string bound_output() {
  const std::string command = "WEFT_TEST_BOUND=1 OMP_PROC_BIND=close OMP_PLACES=cores '" +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' --gtest_filter=Machine.HasAllCpusWhereOpenMpBindsTheFirstThread";
  std::string text;
  std::FILE* output = popen(command.c_str(), "r");
  char line[256];
  while (output != nullptr && std::fgets(line, sizeof line, output) != nullptr) text += line;
  if (output != nullptr) pclose(output);
  return text;
}

TEST(Machine, HasAllCpusWhereOpenMpBindsTheFirstThread) {
  if (std::getenv("WEFT_TEST_BOUND") != nullptr) {
    use_all_cpus();
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    ASSERT_EQ(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    std::cout << "usable " << this_machine().usable_threads << ", then " << CPU_COUNT(&cpus)
              << std::endl;
    return;
  }
  const std::string all = std::to_string(this_machine().usable_threads);
  const std::string output = bound_output();
  EXPECT_NE(output.find("usable " + all + ", then " + all + "\n"), std::string::npos) << output;
}

TEST(Bandwidth, IsPositiveForEveryLevelAndStore) {
  const auto levels = memory_levels(2);
  ASSERT_GE(levels.size(), 1u);
  EXPECT_EQ(levels.back().name, "memory");
  for (const Store store : {Store::ordinary, Store::non_temporal})
    EXPECT_GT(copy_bandwidth({1 << 16, 2, store, 1e-4}), 1e6);
}

TEST(Bandwidth, OfColumnsIsPositiveInEveryWay) {
  const ColumnBench bench(1 << 20, 16, 2);
  EXPECT_EQ(bench.bytes(), 1u << 20);
  for (const std::size_t stride : {512, 1 << 16})
    for (const Store store : {Store::ordinary, Store::non_temporal})
      for (const bool in_place : {false, true})
        EXPECT_GT(bench.bandwidth({stride, 256, store, in_place}), 1e6) << stride;
}

}  // namespace
}  // namespace weft
