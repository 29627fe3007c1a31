// SPDX-License-Identifier: BSD-3-Clause
// Team: who computes. Ranks (processes of mpiexec, or threads) that each have a part of every
// field, and the threads of each rank. The programs are written against it and run on one thread as
// on a cluster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/comm.hpp"
#include "weft/distribution.hpp"
#include "weft/error.hpp"
#include "weft/executor.hpp"

namespace weft::apps {

/// For the containers of the standard library.
constexpr std::size_t as_size(Index i) { return static_cast<std::size_t>(i); }

class Team {
 public:
  Team(const Comm& comm, int threads)
      : comm_(comm), executor_(threads == 1 ? serial_executor() : thread_executor(threads)) {}

  const Comm& comm() const { return comm_; }
  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }
  bool is_first() const { return rank() == 0; }
  const std::shared_ptr<const Executor>& executor() const { return executor_; }

  /// function(begin, end) on parts of [0, count), by the threads of this rank. Does not throw.
  template <class Function>
  void for_range(Index count, const Function& function) const {
    const int tasks = static_cast<int>(std::clamp<Index>(count, 1, executor_->concurrency()));
    executor_->run(tasks, [&](int task) {
      const auto [begin, end] = split_evenly(count, tasks, task);
      if (begin < end) function(begin, end);
    });
  }
  /// The sum of function(i, end) over blocks of [0, count), and over all ranks. The blocks do not
  /// depend on the number of threads, so neither do the bits of the result.
  template <class Function>
  double sum(Index count, Index block, const Function& function) const {
    const Index blocks = (count + block - 1) / block;
    std::vector<double> parts(static_cast<std::size_t>(blocks));
    for_range(blocks, [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b)
        parts[static_cast<std::size_t>(b)] = function(b * block, std::min(count, (b + 1) * block));
    });
    double mine = 0;
    for (const double part : parts) mine += part;
    return sum(mine);
  }

  /// Collective, over the ranks.
  double sum(double mine) const;
  void sum(std::vector<double>& values) const;  ///< each of them
  double maximum(double mine) const;
  bool any(bool mine) const { return comm_.minimum(mine ? 0 : 1) == 0; }
  /// Runs `action` on the first rank; if it throws weft::Error there, all ranks throw it.
  template <class Action>
  void first_rank_does(const Action& action) const {
    agree([&] {
      if (is_first()) action();
    });
  }
  /// Runs `action` on every rank; if any throws weft::Error, all throw that of the first such rank.
  template <class Action>
  void agree(const Action& action) const {
    std::string problem;
    int code = 0;
    try {
      action();
    } catch (const Error& error) {
      problem = error.what();
      code = 1 + static_cast<int>(error.code());
    }
    throw_together(problem, code);
  }

 private:
  void throw_together(const std::string& problem, int code) const;

  const Comm& comm_;
  std::shared_ptr<const Executor> executor_;
};

/// Random numbers that are a function of their place: the same on any number of ranks, and after a
/// restart. splitmix64 over the words.
std::uint64_t hash(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);
/// In (0, 1).
inline double uniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}
struct NormalPair {
  double first, second;
};
/// Two independent normal numbers of variance 1 (Box and Muller).
NormalPair normal_pair(std::uint64_t bits);

}  // namespace weft::apps
