// SPDX-License-Identifier: BSD-3-Clause
#include "bench/hpcc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "bench/ranks.hpp"
#include "comm/agree.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "timing.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

constexpr std::int64_t modulus = 5559060566555523;  // 3^33, below 2^53
constexpr double epsilon = 0x1p-53, threshold = 16;

/// 2^53 z mod 3^33. The quotient is computed in floating point and is wrong by a few at most; the
/// remainder is exact modulo 2^64 and shows the difference.
std::int64_t next(std::int64_t z) {
  constexpr double scale = 0x1p53 / static_cast<double>(modulus);
  const auto quotient = static_cast<std::uint64_t>(static_cast<double>(z) * scale);
  auto rest = static_cast<std::int64_t>((static_cast<std::uint64_t>(z) << 53) -
                                        quotient * static_cast<std::uint64_t>(modulus));
  while (rest < 0) rest += modulus;
  while (rest >= modulus) rest -= modulus;
  return rest;
}

}  // namespace

void hpcc_random(std::uint64_t first, std::span<double> numbers) {
  // Euler: 2^(2 * 3^32) = 1 modulo 3^33.
  constexpr std::int64_t order = modulus / 3 * 2;
  const Index exponent = (100 + multiply_mod(static_cast<Index>(first % order), 53, order)) % order;
  std::int64_t z = multiply_mod(modulus / 2, power_mod(2, exponent, modulus), modulus);
  for (double& number : numbers) {
    number = static_cast<double>(z) * (1.0 / static_cast<double>(modulus));
    z = next(z);
  }
}

double HpccResult::residual() const {
  return max_error / (epsilon * std::log2(static_cast<double>(n)));
}

bool HpccResult::passes() const {
  return max_error / (epsilon * std::log(static_cast<double>(n))) < threshold;
}

Index hpcc_default_size(const Comm& comm) {
  const auto points =
      static_cast<std::uint64_t>(available_memory_bytes(comm) / 2 / 4 / point_bytes);
  return std::max<Index>(Index{1} << 10, static_cast<Index>(std::bit_floor(points)));
}

namespace {

void require_possible(const HpccRun& run, const Comm& comm) {
  if (run.n < 2)
    throw Error(
        ErrorCode::invalid_argument,
        "--size must be at least 2: the error of one point is divided by log N, which is 0");
  const Index share = ceil_div(run.n, comm.size());
  require_memory(comm, checked_product(share, 3 * point_bytes, "the vector"),
                 fmt::format("a vector of {}", run.n),
                 "choose a smaller --size, or use more nodes");
}

/// This rank's part of the vector: points [begin, end).
class Part {
 public:
  Part(Index n, const Comm& comm) {
    std::tie(begin_, end_) = split_evenly(n, comm.size(), comm.rank());
  }
  Index count() const { return end_ - begin_; }
  void generate(std::complex<double>* points) const {
    hpcc_random(static_cast<std::uint64_t>(2 * begin_),
                {reinterpret_cast<double*>(points), static_cast<std::size_t>(2 * count())});
  }
  /// max |x - x'| against the input vector, which is generated again piece by piece.
  double distance(const std::complex<double>* points) const {
    std::vector<std::complex<double>> original(4096);
    double largest = 0;
    for (Index done = 0; done < count(); done += std::ssize(original)) {
      const auto piece = std::min<Index>(std::ssize(original), count() - done);
      hpcc_random(
          static_cast<std::uint64_t>(2 * (begin_ + done)),
          {reinterpret_cast<double*>(original.data()), static_cast<std::size_t>(2 * piece)});
      for (Index i = 0; i < piece; ++i) {
        const double error = std::abs(points[done + i] - original[static_cast<std::size_t>(i)]);
        if (!(error <= largest))
          largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
      }
    }
    return largest;
  }

 private:
  Index begin_ = 0, end_ = 0;
};

}  // namespace

HpccResult run_hpcc(const HpccRun& run, const Comm& comm, Progress& progress) {
  require_possible(run, comm);
  HpccResult result{.n = run.n, .ranks = comm.size()};
  const Transform forward = c2c({run.n});
  const Transform backward =
      c2c({run.n}, {.direction = Direction::backward, .normalization = Normalization::backward});
  const LocalBoxes blocks = slabs(forward.shape, 0, comm.size(), comm.rank());
  const Part part(run.n, comm);
  Buffer<std::complex<double>> x, transformed;
  agree(comm, [&] {
    x = Buffer<std::complex<double>>(part.count());
    transformed = Buffer<std::complex<double>>(part.count());
  });
  result.array_bytes = largest_of_ranks(comm, (x.size() + transformed.size()) * point_bytes);
  progress.phase("generating the vector");
  result.generation_s = seconds_of_slowest(comm, [&] { part.generate(x.data()); });
  progress.advance(1);
  progress.phase("forward");
  {
    const Stopwatch planning;
    DistributedPlan plan(forward, blocks, blocks, comm, run.plan);
    result.planning_s = largest_of_ranks(comm, planning.seconds());
    progress.advance(1);
    const auto execute = [&] { plan.execute(x.data(), transformed.data()); };
    result.forward_s = time_in_turns(comm, run.rounds, execute, {}).weft_s;
    result.gflops = nominal_flops(run.n, 1, false) / result.forward_s * 1e-9;
    result.recipe = plan.recipe();
    result.workspace_bytes = largest_of_ranks(comm, plan.cost().workspace_bytes);
    result.stages = plan.trace();
  }
  progress.advance(1);
  progress.phase("inverse");
  {
    DistributedPlan plan(backward, blocks, blocks, comm,
                         DistributedOptions{.exchange = run.plan.exchange});
    result.inverse_s =
        seconds_of_slowest(comm, [&] { plan.execute(transformed.data(), x.data()); });
  }
  progress.advance(1);
  progress.phase("comparing");
  result.max_error = largest_of_ranks(comm, part.distance(x.data()));
  return result;
}

}  // namespace weft::tool
