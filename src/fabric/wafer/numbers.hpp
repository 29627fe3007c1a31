// SPDX-License-Identifier: BSD-3-Clause
// Runs kernels on actual data, many pencils at a time and on several threads. Used only by run.cpp
// and run_crossed.cpp.
#pragma once

#include <algorithm>
#include <atomic>

#include "fabric/wafer/run.hpp"
#include "weft/executor.hpp"

namespace weft::fabric {

using Number = std::complex<float>;

/// Pencils in memory: a pointer to the first number, and the distance from one pencil to the next.
template <class T>
struct PencilsAt {
  T* first = nullptr;
  std::int64_t stride = 0;
  T* pencil(std::int64_t number) const { return first + number * stride; }
};

/// Runs one kernel over many pencils, kernel_lanes at a time.
class PencilRunner {
 public:
  PencilRunner(const KernelProgram& program, Precision precision)
      : program_(program), precision_(precision) {
    load_constants(program, memory_);
  }

  /// `from` and `to` must be the same or not overlap.
  void operator()(PencilsAt<const Number> from, PencilsAt<Number> to, std::int64_t count) {
    if (program_.length == 0) return;
    for (std::int64_t first = 0; first < count; first += kernel_lanes) {
      const auto lanes = static_cast<int>(std::min<std::int64_t>(kernel_lanes, count - first));
      load({from.pencil(first), from.stride}, lanes);
      execute(program_, precision_, memory_);
      store({to.pencil(first), to.stride}, lanes);
    }
  }
  /// The same for contiguous pencils with `numbers` numbers in total.
  void operator()(const Number* from, Number* to, std::int64_t numbers) {
    const std::int64_t n = program_.length;
    if (n > 0)
      (*this)({from, n}, {to, n}, numbers / n);
    else if (from != to)
      std::copy_n(from, numbers, to);
  }

 private:
  /// This many numbers of all lanes fit in the host's L1 cache while they are transposed.
  static constexpr std::int64_t block = 16;

  void load(PencilsAt<const Number> from, int lanes) {
    float* in = memory_.data() + std::ptrdiff_t{program_.input} * kernel_lanes;
    for (std::int64_t begin = 0; begin < program_.length; begin += block)
      for (int lane = 0; lane < lanes; ++lane) {
        const Number* pencil = from.pencil(lane);
        const std::int64_t end = std::min(begin + block, program_.length);
        for (std::int64_t k = begin; k < end; ++k) {
          in[(2 * k) * kernel_lanes + lane] = pencil[k].real();
          in[(2 * k + 1) * kernel_lanes + lane] = pencil[k].imag();
        }
      }
  }
  void store(PencilsAt<Number> to, int lanes) const {
    const float* out = memory_.data() + std::ptrdiff_t{program_.output} * kernel_lanes;
    for (std::int64_t begin = 0; begin < program_.length; begin += block)
      for (int lane = 0; lane < lanes; ++lane) {
        Number* pencil = to.pencil(lane);
        const std::int64_t end = std::min(begin + block, program_.length);
        for (std::int64_t k = begin; k < end; ++k)
          pencil[k] = {out[(2 * k) * kernel_lanes + lane], out[(2 * k + 1) * kernel_lanes + lane]};
      }
  }

  const KernelProgram& program_;
  Precision precision_;
  std::vector<float> memory_;
};

/// Calls work(item, scratch) for all items on several threads; each thread has its own scratch.
template <class MakeScratch, class Work>
void for_all(std::int64_t items, const std::string& phase, const RunOptions& options,
             const MakeScratch& make_scratch, const Work& work) {
  std::atomic<std::int64_t> next = 0;
  const int threads = std::max(1, options.threads);
  const auto executor = threads > 1 ? thread_executor(threads) : serial_executor();
  executor->run(threads, [&](int task) {
    auto scratch = make_scratch();
    for (std::int64_t item = next++; item < items; item = next++) {
      work(item, scratch);
      if (task == 0 && options.on_progress)
        options.on_progress(phase, static_cast<double>(item + 1) / static_cast<double>(items));
    }
  });
  if (options.on_progress) options.on_progress(phase, 1);
}

/// Transforms `count` pencils with one kernel.
inline void transform_all(const KernelProgram& kernel, Precision precision,
                          PencilsAt<const Number> from, PencilsAt<Number> to, std::int64_t count,
                          const RunOptions& options) {
  if (kernel.length == 0) return;
  constexpr std::int64_t chunk = std::int64_t{8} * kernel_lanes;
  for_all((count + chunk - 1) / chunk, "numbers through pencils", options,
          [&] { return PencilRunner(kernel, precision); },
          [&](std::int64_t item, PencilRunner& runner) {
            runner({from.pencil(item * chunk), from.stride}, {to.pencil(item * chunk), to.stride},
                   std::min(chunk, count - item * chunk));
          });
}

/// The data that the elements [0, places) of a line receive: to.pencil(place)[k] =
/// from[offsets[place * width + k]] for the first `count` numbers of each, except where the offset
/// is no_word. A few places at a time, because one source's data for neighbouring places are close
/// in memory.
inline void gather(const std::vector<std::uint32_t>& offsets, std::int64_t width,
                   const Number* from, PencilsAt<Number> to, std::int64_t places,
                   std::int64_t count) {
  constexpr std::int64_t tile = 16;
  for (std::int64_t begin = 0; begin < places; begin += tile)
    for (std::int64_t k = 0; k < count; ++k)
      for (std::int64_t place = begin; place < std::min(begin + tile, places); ++place) {
        const std::uint32_t offset = offsets[static_cast<std::size_t>(place * width + k)];
        if (offset != no_word) to.pencil(place)[k] = from[offset];
      }
}

/// The schedule `crossed` (crossed.hpp), in place.
void run_crossed(const WaferPlan& plan, const WaferMachine& machine,
                 const WaferExchanges& exchanges, std::span<Number> data,
                 const RunOptions& options);

}  // namespace weft::fabric
