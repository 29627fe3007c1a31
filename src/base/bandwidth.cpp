// SPDX-License-Identifier: BSD-3-Clause
#include "base/bandwidth.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "base/machine.hpp"
#include "weft/error.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weft {
namespace {

constexpr std::size_t block_bytes = 128;  // copied per iteration of the loops below

#if defined(__x86_64__)
__attribute__((target("avx"))) void copy_avx(const char* from, char* to, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += block_bytes)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < block_bytes; j += 32)
      _mm256_store_si256(reinterpret_cast<__m256i*>(to + i + j),
                         _mm256_load_si256(reinterpret_cast<const __m256i*>(from + i + j)));
}

void copy_past_the_caches(const char* from, char* to, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += block_bytes)
#pragma GCC unroll 8
    for (std::size_t j = 0; j < block_bytes; j += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i + j),
                       _mm_load_si128(reinterpret_cast<const __m128i*>(from + i + j)));
}
#endif

using CopyFunction = void (*)(const char*, char*, std::size_t);

void copy_ordinary(const char* from, char* to, std::size_t bytes) {
  // In blocks, so that the C library's memcpy does not switch to non-temporal stores.
  for (std::size_t i = 0; i < bytes; i += 4096)
    std::memcpy(to + i, from + i, std::min<std::size_t>(4096, bytes - i));
}

CopyFunction choose_copy(Store store) {
#if defined(__x86_64__)
  if (store == Store::non_temporal) return copy_past_the_caches;
  if (__builtin_cpu_supports("avx")) return copy_avx;
#else
  if (store == Store::non_temporal)
    return [](const char* from, char* to, std::size_t bytes) { std::memcpy(to, from, bytes); };
#endif
  return copy_ordinary;
}

/// Other threads see what was stored past the caches.
void end_copies() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, Free>;

Memory untouched_memory(std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const std::size_t alignment = bytes >= huge_page ? huge_page : 4096;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  Memory memory(static_cast<char*>(std::aligned_alloc(alignment, rounded)));
  if (!memory) return memory;
  if (alignment == huge_page) madvise(memory.get(), rounded, MADV_HUGEPAGE);
  return memory;
}

Memory touched_memory(std::size_t bytes) {
  Memory memory = untouched_memory(bytes);
  if (memory) std::memset(memory.get(), 1, bytes);
  return memory;
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Repetitions that make one timed block of about half a millisecond, at a guessed 20 GB/s.
int repetitions_for(std::size_t bytes) {
  return static_cast<int>(std::clamp<double>(1e7 / static_cast<double>(bytes), 1, 1e6));
}

}  // namespace

double copy_bandwidth(const CopyMeasurement& what) {
  const int threads = std::max(1, what.threads);
  const std::size_t half =
      std::max<std::size_t>(what.bytes / 2 / block_bytes * block_bytes, 4 * block_bytes);
  const CopyFunction copy = choose_copy(what.store);
  const int repetitions = repetitions_for(2 * half);
  std::barrier meet(threads);
  std::atomic<bool> out_of_memory = false, enough = false;
  double best = 0;

  const auto work = [&](int thread) {
    const Memory from = touched_memory(half), to = touched_memory(half);
    if (!from || !to) out_of_memory = true;
    meet.arrive_and_wait();
    if (out_of_memory) return;
    copy(from.get(), to.get(), half);
    const auto begin = Clock::now();
    for (int round = 0; !enough; ++round) {
      meet.arrive_and_wait();
      const auto start = Clock::now();
      for (int i = 0; i < repetitions; ++i) copy(from.get(), to.get(), half);
      end_copies();
      meet.arrive_and_wait();
      if (thread == 0) {
        const double moved = 2.0 * static_cast<double>(half) * repetitions * threads;
        best = std::max(best, moved / seconds_since(start));
        enough = round >= 2 && seconds_since(begin) >= what.seconds;
      }
      meet.arrive_and_wait();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread)
      others.emplace_back([&work, thread] {
        use_all_cpus();
        work(thread);
      });
    work(0);
  }
  if (out_of_memory)
    throw Error(ErrorCode::out_of_memory,
                "not enough memory to measure the copy bandwidth; use a smaller working set");
  return best;
}

struct ColumnBench::Arrays {
  std::size_t bytes, rows;
  int threads;
  Memory from, to;

  /// body(thread) on all threads at once, each free to run on any CPU.
  template <class Body>
  void on_all_threads(const Body& body) const {
    std::vector<std::jthread> all;
    for (int thread = 0; thread < threads; ++thread)
      all.emplace_back([&body, thread] {
        use_all_cpus();
        body(thread);
      });
  }
  std::size_t share(std::size_t count, int thread) const {
    return count * static_cast<std::size_t>(thread) / static_cast<std::size_t>(threads);
  }

  /// One thread's part of the tiles, each all rows of a piece.
  void copy(const ColumnCopy& what, int thread, char* buffer) const {
    const std::size_t across = what.stride / what.piece, matrix = rows * what.stride;
    const std::size_t tiles = bytes / matrix * across;
    const CopyFunction load = choose_copy(Store::ordinary), store = choose_copy(what.store);
    for (std::size_t tile = share(tiles, thread); tile < share(tiles, thread + 1); ++tile) {
      const std::size_t at = tile / across * matrix + tile % across * what.piece;
      const char* source = (what.in_place ? to.get() : from.get()) + at;
      for (std::size_t row = 0; row < rows; ++row)
        load(source + row * what.stride, buffer + row * what.piece, what.piece);
      for (std::size_t row = 0; row < rows; ++row)
        store(buffer + row * what.piece, to.get() + at + row * what.stride, what.piece);
    }
    end_copies();
  }
};

ColumnBench::ColumnBench(std::size_t bytes, std::size_t rows, int threads)
    : arrays_(std::make_unique<Arrays>(
          Arrays{bytes, rows, threads, untouched_memory(bytes), untouched_memory(bytes)})) {
  if (!arrays_->from || !arrays_->to)
    throw Error(ErrorCode::out_of_memory, "not enough memory for two arrays of " +
                                              std::to_string(bytes) + " bytes to copy columns");
  arrays_->on_all_threads([&](int thread) {
    const std::size_t first = arrays_->share(bytes, thread);
    const std::size_t count = arrays_->share(bytes, thread + 1) - first;
    std::memset(arrays_->from.get() + first, 1, count);
    std::memset(arrays_->to.get() + first, 1, count);
  });
}
ColumnBench::~ColumnBench() = default;
std::size_t ColumnBench::bytes() const { return arrays_->bytes; }
std::size_t ColumnBench::rows() const { return arrays_->rows; }

double ColumnBench::bandwidth(const ColumnCopy& what) const {
  std::barrier meet(arrays_->threads);
  const std::size_t matrix = arrays_->rows * what.stride;
  const double moved = 2.0 * static_cast<double>(arrays_->bytes / matrix * matrix);
  double best = 0;
  std::atomic<bool> out_of_memory = false;
  arrays_->on_all_threads([&](int thread) {
    const Memory buffer = touched_memory(arrays_->rows * what.piece);
    if (!buffer) out_of_memory = true;
    for (int round = 0; round < 4; ++round) {
      meet.arrive_and_wait();
      if (out_of_memory) return;
      const auto start = Clock::now();
      arrays_->copy(what, thread, buffer.get());
      meet.arrive_and_wait();
      if (thread == 0 && round > 0) best = std::max(best, moved / seconds_since(start));
    }
  });
  if (out_of_memory)
    throw Error(ErrorCode::out_of_memory, "not enough memory for the buffers that columns pass");
  return best;
}

std::vector<MemoryLevel> memory_levels(int threads) {
  std::vector<MemoryLevel> levels;
  std::size_t outermost = std::size_t{1} << 20;
  for (const Cache& cache : this_machine().data_caches) {
    // Half of a thread's share of the cache, so that source and target surely fit.
    const std::size_t sharers = static_cast<std::size_t>(std::min(cache.sharers, threads));
    const std::size_t share = cache.level >= 3 ? cache.bytes / sharers : cache.bytes;
    levels.push_back({"L" + std::to_string(cache.level), share / 2});
    outermost = std::max(outermost, cache.bytes);
  }
  const std::size_t limit =
      std::max<std::size_t>(this_machine().memory_bytes / 8, std::size_t{64} << 20);
  const std::size_t all = std::min(std::max<std::size_t>(4 * outermost, 256u << 20), limit);
  levels.push_back({"memory", all / static_cast<std::size_t>(threads)});
  return levels;
}

double copy_bandwidth_for(std::size_t working_set_bytes, int threads) {
  const std::size_t share = working_set_bytes / static_cast<std::size_t>(std::max(1, threads));
  const std::vector<MemoryLevel> levels = memory_levels(threads);
  const auto found = std::ranges::find_if(
      levels, [&](const MemoryLevel& level) { return share <= 2 * level.bytes; });
  const MemoryLevel& level = found == levels.end() ? levels.back() : *found;
  double best = 0;
  for (const Store store : {Store::ordinary, Store::non_temporal})
    best = std::max(best, copy_bandwidth({level.bytes, threads, store}));
  return best;
}

}  // namespace weft
