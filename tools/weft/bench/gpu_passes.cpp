// SPDX-License-Identifier: BSD-3-Clause
#include "bench/gpu_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <fstream>
#include <future>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "gpu/choose/candidates.hpp"
#include "gpu/choose/pass_search.hpp"
#include "gpu/choose/timing.hpp"
#include "gpu/device/compiler.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/recipe/cost.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "streams.hpp"
#include "text.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

using Clock = std::chrono::steady_clock;

/// A row, its recipes and what is known of their passes.
struct RowPasses {
  GpuRow row;
  problem::ArrayProblem problem;
  std::vector<gpu::Recipe> recipes;  ///< the one expected to be fastest first
  gpu::PassSearch search;
  std::vector<double> ms;  ///< by pass; 0: not timed
  std::minstd_rand random{1};

  RowPasses(const GpuRow& given, const gpu::DeviceNumbers& numbers)
      : row(given),
        problem(problem_of(given)),
        recipes(gpu::candidates(problem, numbers)),
        search(recipes, numbers),
        ms(search.size(), 0) {}

  /// Numbers of passes to time next, none twice.
  std::vector<std::size_t> next(int count) {
    std::vector<std::size_t> chosen = search.next(static_cast<std::size_t>(count * 3 / 4));
    std::uniform_real_distribution<double> uniform;
    for (int attempt = 0; attempt < count && std::ssize(chosen) < count; ++attempt) {
      // Rather one of the faster half.
      const double place = std::pow(uniform(random), 2) * static_cast<double>(recipes.size());
      for (const std::size_t p : search.passes_of(static_cast<std::size_t>(place)))
        if (ms[p] == 0 && std::ranges::find(chosen, p) == chosen.end()) chosen.push_back(p);
    }
    return chosen;
  }

  /// Recipes all of whose passes were timed, the fastest sum first.
  std::vector<std::pair<double, std::size_t>> timed() const {
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t r = 0; r < recipes.size(); ++r) {
      if (!search.is_timed(r)) continue;
      const auto& passes = search.passes_of(r);
      const double sum =
          std::accumulate(passes.begin(), passes.end(), 0.0,
                          [&](double before, std::size_t p) { return before + ms[p]; });
      if (!std::isinf(sum)) found.emplace_back(sum, r);
    }
    std::ranges::sort(found);
    return found;
  }
};

/// Writes kernels and compiles them into the cache while others are timed.
class Compilation {
 public:
  Compilation(const std::vector<const gpu::TilePass*>& passes, int capability)
      : passes_(passes), capability_(capability), promises_(passes.size()) {
    for (auto& promise : promises_) kernels_.push_back(promise.get_future());
    // One core is left to the thread that times.
    for (unsigned t = 1; t < std::max(2u, std::thread::hardware_concurrency()); ++t)
      threads_.emplace_back([this] { work(); });
  }
  ~Compilation() {
    next_ = passes_.size();
    for (std::thread& thread : threads_) thread.join();
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  /// Waits for it, once for each; nothing where the kernel cannot be compiled.
  std::optional<gpu::PassKernel> kernel(std::size_t i) try {
    return kernels_[i].get();
  } catch (const Error& error) {
    fmt::print("{}\n", error.what());
    return std::nullopt;
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < passes_.size(); i = next_++) try {
        gpu::PassKernel kernel = gpu::kernel_of(*passes_[i]);
        gpu::compile_cuda(kernel.text, capability_);
        promises_[i].set_value(std::move(kernel));
      } catch (...) {
        promises_[i].set_exception(std::current_exception());
      }
  }

  const std::vector<const gpu::TilePass*>& passes_;
  int capability_;
  std::vector<std::promise<gpu::PassKernel>> promises_;
  std::vector<std::future<gpu::PassKernel>> kernels_;
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::thread> threads_;
};

class PassTimes {
 public:
  PassTimes(const GpuPassOptions& options, const std::string& path)
      : options_(options), device_(gpu::device(options.device)), file_(path) {
    if (!file_) refuse(fmt::format("the file '{}' cannot be written", path));
  }

  void add(const GpuRow& row) { rows_.emplace_back(row, gpu::numbers_of(device_)); }

  void run() {
    while (!is_over() && take_turns()) {
    }
    for (const RowPasses& row : rows_) time_finalists(row);
  }

 private:
  bool is_over() const {
    return std::chrono::duration<double>(Clock::now() - start_).count() > options_.time_limit_s;
  }
  void write(const nlohmann::json& line) { file_ << line.dump() << std::endl; }

  /// False when every pass was timed.
  bool take_turns() {
    std::vector<std::vector<std::size_t>> chosen;
    std::vector<const gpu::TilePass*> passes;
    for (RowPasses& row : rows_) {
      chosen.push_back(row.next(options_.per_turn));
      for (const std::size_t p : chosen.back()) passes.push_back(&row.search.placed(p).pass);
    }
    Compilation compilation(passes, 10 * device_.major + device_.minor);
    std::size_t first = 0;
    for (std::size_t r = 0; r < rows_.size() && !is_over(); ++r) {
      time_turn(rows_[r], chosen[r], compilation, first);
      first += chosen[r].size();
    }
    return !passes.empty();
  }

  void time_turn(RowPasses& row, const std::vector<std::size_t>& chosen, Compilation& compilation,
                 std::size_t first) {
    const auto room = gpu::room_for(row.recipes, row.problem, device_);
    if (chosen.empty() || !room || room->workspace < gpu::largest_workspace(row.recipes)) return;
    gpu::TimingArrays arrays(row.problem, device_, *room);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const gpu::PlacedPass& placed = row.search.placed(chosen[i]);
      const auto kernel = compilation.kernel(first + i);
      gpu::TimedPass timed{.ms = std::numeric_limits<double>::infinity()};
      if (kernel) timed = arrays.time(placed, *kernel);
      row.ms[chosen[i]] = timed.ms;
      row.search.record(chosen[i], timed.ms);
      write({{"row", label(row.row)},
             {"pass", gpu::to_text(placed)},
             {"ms", timed.ms},
             {"predicted_ms", gpu::predicted_seconds(placed.pass, gpu::numbers_of(device_)) * 1e3},
             {"registers", timed.registers},
             {"spilled_bytes", timed.spilled_bytes}});
    }
  }

  void time_finalists(const RowPasses& row) {
    const auto order = row.timed();
    const auto room = gpu::room_for(row.recipes, row.problem, device_);
    fmt::print("{}: {} of {} passes, {} of {} recipes timed", label(row.row),
               std::ranges::count_if(row.ms, [](double ms) { return ms > 0; }), row.ms.size(),
               order.size(), row.recipes.size());
    if (!order.empty()) {
      fmt::print(", the fastest passes take {:.4f} ms\n", order.front().first);
      gpu::TimingArrays arrays(row.problem, device_, *room);
      for (std::size_t i = 0; i < order.size() && std::cmp_less(i, options_.finalists); ++i)
        write({{"row", label(row.row)},
               {"recipe", gpu::to_text(row.recipes[order[i].second])},
               {"passes_ms", order[i].first},
               {"ms", arrays.time(row.recipes[order[i].second])}});
    } else {
      fmt::print("\n");
    }
    flush_standard_output();
  }

  GpuPassOptions options_;
  const gpu::GpuDevice& device_;
  std::ofstream file_;
  std::deque<RowPasses> rows_;  ///< which stay where they are: a search points into its recipes
  Clock::time_point start_ = Clock::now();
};

}  // namespace

void time_gpu_passes(const std::vector<GpuRow>& rows, const GpuPassOptions& options,
                     const std::string& path) {
  PassTimes times(options, path);
  for (const GpuRow& row : rows) times.add(row);
  times.run();
}

}  // namespace weft::tool
