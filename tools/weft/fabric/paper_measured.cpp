// SPDX-License-Identifier: BSD-3-Clause
#include "paper_measured.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <thread>

#include "../timing.hpp"
#include "weft/plan.hpp"

namespace weft::tool {
namespace paper_measured {

using Numbers = std::vector<std::complex<double>>;

Numbers random_line(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers numbers(count);
  for (auto& number : numbers) number = {uniform(generator), uniform(generator)};
  return numbers;
}

/// The seconds of each, called in turns: the median of `rounds`.
std::vector<double> medians(int rounds, const std::vector<std::function<void()>>& calls) {
  std::vector<std::vector<double>> times(calls.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const Stopwatch watch;
      if (calls[k]) calls[k]();
      times[k].push_back(watch.seconds());
    }
  std::vector<double> result;
  for (auto& each : times) {
    std::ranges::sort(each);
    result.push_back(each[each.size() / 2]);
  }
  return result;
}

/// Debian's libgsl, if it is installed: the functions of its mixed-radix transform.
class Gsl {
 public:
  Gsl() {
    dlopen("libgslcblas.so.0", RTLD_NOW | RTLD_GLOBAL);
    for (const char* name : {"libgsl.so.27", "libgsl.so.28", "libgsl.so.25", "libgsl.so"})
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) return;
    load(table_alloc, "gsl_fft_complex_wavetable_alloc");
    load(space_alloc, "gsl_fft_complex_workspace_alloc");
    load(table_free, "gsl_fft_complex_wavetable_free");
    load(space_free, "gsl_fft_complex_workspace_free");
    load(forward, "gsl_fft_complex_forward");
  }
  bool is_there() const { return forward != nullptr; }

  void* (*table_alloc)(std::size_t) = nullptr;
  void* (*space_alloc)(std::size_t) = nullptr;
  void (*table_free)(void*) = nullptr;
  void (*space_free)(void*) = nullptr;
  int (*forward)(double*, std::size_t, std::size_t, const void*, void*) = nullptr;

 private:
  template <class Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
  }
  void* handle_ = nullptr;  // stays loaded
};

/// The recipe that the tool chooses without vector instructions; empty if it cannot be asked.
std::string scalar_recipe(Index points) {
  std::error_code error;
  const auto tool = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error || tool.string().find_first_of("'\\") != std::string::npos) return "";
  const std::string command =
      fmt::format("WEFT_ISA=scalar '{}' plan {} --no-wisdom 2>/dev/null", tool.string(), points);
  std::array<char, 4096> text{};
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  const char* line = std::fgets(text.data(), static_cast<int>(text.size()), pipe);
  if (pclose(pipe) != 0 || line == nullptr) return "";
  std::string recipe = line;
  while (!recipe.empty() && recipe.back() == '\n') recipe.pop_back();
  return recipe;
}

}  // namespace paper_measured

NodeRates measure_node(Index points) {
  using namespace paper_measured;
  static const Gsl gsl;
  NodeRates rates{.points = points};
  rates.thread_count = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 4U));
  const auto count = static_cast<std::size_t>(points);
  const Numbers in = random_line(count, 7);
  Numbers out(count), field = in;
  const Plan simd(c2c({points}));
  const Plan threaded(c2c({points}), {.threads = rates.thread_count});
  const std::string recipe = scalar_recipe(points);
  std::optional<Plan> scalar;
  if (!recipe.empty()) scalar.emplace(c2c({points}), PlanOptions{.recipe = recipe});
  void* table = gsl.is_there() ? gsl.table_alloc(count) : nullptr;
  void* space = gsl.is_there() ? gsl.space_alloc(count) : nullptr;
  const double flops = 5 * static_cast<double>(points) * std::log2(static_cast<double>(points));
  const int repeats = static_cast<int>(std::clamp(2e7 / flops, 1.0, 10000.0));
  const auto repeated = [&](const std::function<void()>& call) {
    return std::function<void()>([&, call] {
      for (int k = 0; k < repeats; ++k) call();
    });
  };
  // GSL works in place: its field is set back now and then, so that no number overflows.
  const std::function<void()> by_gsl = [&] {
    for (int k = 0; k < repeats; ++k) {
      if (k % 4 == 0) field = in;
      gsl.forward(reinterpret_cast<double*>(field.data()), 1, count, table, space);
    }
  };
  const auto times = medians(7, {table != nullptr ? by_gsl : std::function<void()>(),
                                 scalar ? repeated([&] { scalar->execute(in.data(), out.data()); })
                                        : std::function<void()>(),
                                 repeated([&] { simd.execute(in.data(), out.data()); }),
                                 repeated([&] { threaded.execute(in.data(), out.data()); })});
  const auto rate = [&](double seconds) { return flops * repeats / seconds / 1e9; };
  if (table != nullptr) {
    rates.gsl = rate(times[0]);
    gsl.table_free(table);
    gsl.space_free(space);
  }
  if (scalar) rates.scalar = rate(times[1]);
  rates.simd = rate(times[2]);
  rates.threads = rate(times[3]);
  return rates;
}

}  // namespace weft::tool
