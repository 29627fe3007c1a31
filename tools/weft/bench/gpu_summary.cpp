// SPDX-License-Identifier: BSD-3-Clause
#include "bench/gpu_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "streams.hpp"

namespace weft::tool {
namespace {

/// Rows above it are printed with both recipes.
constexpr double notable_ratio = 1.05;
constexpr double clearly_slower = 1.03;

double by_timed(const GpuResult& r) { return r.weft_ms / *r.other_ms; }

class GeometricMean {
 public:
  void add(double value) {
    sum_ += std::log(value);
    ++count_;
  }
  double value() const { return std::exp(sum_ / count_); }
  int count() const { return count_; }

 private:
  double sum_ = 0;
  int count_ = 0;
};

}  // namespace

void print_gpu_effort_heading(const std::string& effort) {
  fmt::print("{:<28} {:>11} {:>10} {:>9} {:>7} {:>10} {:>7} {:>9}\n", "row", "estimate ms",
             effort + " ms", "cuFFT ms", "ratio", "cuFFT/est.", "copies", "error");
}

void print_gpu_effort_line(const GpuResult& r) {
  fmt::print("{:<28} {:>11.4f} {:>10.4f} {:>9} {:>7.3f} {:>10} {:>7.2f} {:>9.2e}{}\n", label(r.row),
             r.weft_ms, *r.other_ms, r.cufft_ms ? fmt::format("{:.4f}", *r.cufft_ms) : "-",
             by_timed(r), r.cufft_ms ? fmt::format("{:.3f}", *r.cufft_ms / r.weft_ms) : "-",
             r.weft_ms / r.copy_ms, r.weft_error, r.recipe == r.other_recipe ? " same recipe" : "");
  flush_standard_output();
}

void print_gpu_effort_summary(const std::vector<GpuResult>& results, const std::string& effort) {
  GeometricMean efforts, cufft;
  std::vector<const GpuResult*> worst;
  for (const GpuResult& r : results) {
    efforts.add(by_timed(r));
    if (r.cufft_ms) cufft.add(*r.cufft_ms / r.weft_ms);
    worst.push_back(&r);
  }
  if (results.empty()) return;
  std::ranges::sort(worst, std::greater{}, [](const GpuResult* r) { return by_timed(*r); });
  fmt::print("\nestimate time / {} time: geometric mean {:.3f}, highest {:.3f} ({}), {} rows\n",
             effort, efforts.value(), by_timed(*worst.front()), label(worst.front()->row),
             efforts.count());
  if (cufft.count() > 0)
    fmt::print("cuFFT time / estimate time: geometric mean {:.3f}, {} rows\n", cufft.value(),
               cufft.count());
  for (const GpuResult* r : worst)
    if (by_timed(*r) > notable_ratio)
      fmt::print("  {:.3f}  {}\n    estimate  {}\n    {:<9} {}\n", by_timed(*r), label(r->row),
                 r->recipe, effort, r->other_recipe);
}

void print_faster_in_cufft(const std::vector<GpuResult>& results) {
  bool is_first = true;
  for (const GpuResult& r : results) {
    if (!r.cufft_ms || r.weft_ms < clearly_slower * *r.cufft_ms) continue;
    if (is_first) fmt::print("\nFaster in cuFFT by 3 % or more: row, cuFFT time / weft time\n");
    is_first = false;
    fmt::print("{} {:.3f}\n", label(r.row), *r.cufft_ms / r.weft_ms);
  }
}

}  // namespace weft::tool
