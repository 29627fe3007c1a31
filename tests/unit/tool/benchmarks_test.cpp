// SPDX-License-Identifier: BSD-3-Clause
// NPB FT and HPCC G-FFT: their random numbers, their verification, and whole runs with threads as
// ranks.
#include <cmath>
#include <limits>

#include "bench/hpcc.hpp"
#include "bench/npb.hpp"
#include "bench/rank_rows.hpp"
#include "progress.hpp"
#include "run_tool.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

struct Known {
  std::uint64_t index;
  double value;
};

// s a^(k+1) mod 2^46 / 2^46, by integers of any length.
constexpr Known npb_numbers[] = {
    {0, 0x1.96cb937105a80p-1},         {1, 0x1.bcf61fa2c2c80p-1},
    {2, 0x1.4b9662cb36680p-1},         {999, 0x1.227ba32b3c080p-1},
    {123456788, 0x1.5b2827dc8f280p-1}, {999999999999, 0x1.b15b5b9385080p-1}};

// (3^33 - 1)/2 * 2^(100 + 53 k) mod 3^33, times 1 / 3^33, likewise.
constexpr Known hpcc_numbers[] = {{0, 0x1.883acba844783p-1},
                                  {1, 0x1.89f7b930cdfe2p-2},
                                  {2, 0x1.4e1ca4ae8c870p-3},
                                  {3, 0x1.64c7422ba0ca5p-6},
                                  {1000, 0x1.f9d30480c010ap-1},
                                  {123456789, 0x1.ce8caa3a63c08p-1},
                                  {1000000000000, 0x1.e35537a3ec695p-1}};

TEST(NpbRandom, HasTheNumbersOfIntegerArithmetic) {
  for (const auto& [index, value] : npb_numbers) {
    double number = 0;
    npb_random(npb_seed, index, {&number, 1});
    EXPECT_EQ(number, value) << index;
  }
}

TEST(HpccRandom, HasTheNumbersOfIntegerArithmetic) {
  for (const auto& [index, value] : hpcc_numbers) {
    double number = 0;
    hpcc_random(index, {&number, 1});
    EXPECT_EQ(number, value) << index;
  }
}

/// A part that starts anywhere is that part of the whole.
template <class Fill>
void expect_parts_of_the_whole(const Fill& fill) {
  std::vector<double> whole(100000);
  fill(0, whole);
  for (std::size_t first : {1u, 7u, 8u, 99u, 54321u}) {
    std::vector<double> part(1003);
    fill(first, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<Index>(first)))
        << first;
  }
}

TEST(NpbRandom, JumpsToAnyPart) {
  expect_parts_of_the_whole(
      [](std::uint64_t first, std::span<double> numbers) { npb_random(npb_seed, first, numbers); });
}

TEST(HpccRandom, JumpsToAnyPart) {
  expect_parts_of_the_whole(
      [](std::uint64_t first, std::span<double> numbers) { hpcc_random(first, numbers); });
}

TEST(NpbVerification, AsksForEveryDigitOfEveryChecksum) {
  for (const char* name : {"S", "W", "A", "B", "C"}) {
    const NpbClass& problem = npb_class(name);
    EXPECT_EQ(problem.iterations(), name[0] < 'B' || name[0] > 'C' ? 6 : 20);
    const std::vector<std::complex<double>> official(problem.checksums.begin(),
                                                     problem.checksums.end());
    EXPECT_TRUE(npb_verified(problem, official));
    for (std::size_t i = 0; i < official.size(); ++i) {
      auto sums = official;
      sums[i] *= 1 + 0.9e-12;
      EXPECT_TRUE(npb_verified(problem, sums)) << name << i;
      sums[i] = {official[i].real(), official[i].imag() * (1 - 1.1e-12)};
      EXPECT_FALSE(npb_verified(problem, sums)) << name << i;
      sums[i] = {std::numeric_limits<double>::quiet_NaN(), official[i].imag()};
      EXPECT_FALSE(npb_verified(problem, sums)) << name << i;
    }
    EXPECT_FALSE(npb_verified(problem, std::span(official).first(official.size() - 1)));
  }
  EXPECT_THROW(npb_class("X"), Error);
  EXPECT_THROW(npb_class(""), Error);
}

TEST(Npb, ClassSVerifiesOnAnyNumberOfRanks) {
  const NpbClass& problem = npb_class("S");
  for (int ranks : {1, 3})
    run_as_threads(ranks, [&](const Comm& comm) {
      const NpbResult result = run_npb(problem, comm, {});
      EXPECT_TRUE(npb_verified(problem, result.checksums)) << ranks;
      EXPECT_GT(result.times.total_s, 0);
    });
}

TEST(Npb, MoreRanksThanPlanesChangeNothing) {
  const std::vector<std::complex<double>> unknown(3);
  const NpbClass small{'s', 8, 6, 2, unknown};
  std::vector<std::complex<double>> alone;
  run_as_threads(1, [&](const Comm& comm) { alone = run_npb(small, comm, {}).checksums; });
  ASSERT_EQ(alone.size(), 3u);
  EXPECT_NE(alone[0], alone[1]);
  run_as_threads(7, [&](const Comm& comm) {
    const NpbResult result = run_npb(small, comm, {});
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT(std::abs(result.checksums[i] - alone[i]), 1e-13 * std::abs(alone[i]));
  });
}

TEST(Npb, AnotherSeedIsNotVerified) {
  run_as_threads(2, [&](const Comm& comm) {
    const NpbResult result = run_npb(npb_class("S"), comm, {.seed = 271828183});
    EXPECT_EQ(result.checksums.size(), 6u);
    EXPECT_FALSE(npb_verified(npb_class("S"), result.checksums));
  });
}

TEST(Hpcc, EndsWhereItBegan) {
  for (Index n : {2, 1009, 1024, 3000, 65536})
    for (int ranks : {1, 2, 3})
      run_as_threads(ranks, [&](const Comm& comm) {
        if (n < ranks) return;
        Progress progress(ShowProgress::never, 1);
        const HpccResult result = run_hpcc({.n = n}, comm, progress);
        EXPECT_TRUE(result.passes()) << n << " " << result.max_error;
        EXPECT_GT(result.gflops, 0);
      });
}

TEST(Hpcc, RefusesErrorsBeyondRounding) {
  HpccResult result{.n = 1 << 20, .max_error = 15 * 0x1p-53 * std::log(1 << 20)};
  EXPECT_TRUE(result.passes());
  EXPECT_LT(result.residual(), 16);
  result.max_error *= 1.1;
  EXPECT_FALSE(result.passes());
  result.max_error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(result.passes());
}

/// The order-free error of a plan that is said to be `claimed`.
double order_free_error_of(const Transform& transform, const Transform& claimed, bool natural,
                           const Comm& comm) {
  const LocalBoxes blocks = slabs(transform.shape, 0, comm.size(), comm.rank());
  DistributedPlan plan(transform, blocks, blocks, comm);
  std::vector<std::complex<double>> in(static_cast<std::size_t>(plan.input_count())),
      out(static_cast<std::size_t>(plan.output_count()));
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = {static_cast<double>(i + 1), static_cast<double>(comm.rank())};
  plan.execute(in.data(), out.data());
  return order_free_error(plan, claimed, natural, comm, reinterpret_cast<std::byte*>(in.data()),
                          reinterpret_cast<std::byte*>(out.data()));
}

TEST(OrderFreeError, TellsTransformsFromOthers) {
  for (const std::vector<Index>& shape : {std::vector<Index>{97}, {1024}, {6, 5, 7}})
    run_as_threads(3, [&](const Comm& comm) {
      const Transform forward = c2c(shape);
      const Transform backward = c2c(shape, {.direction = Direction::backward});
      const Transform scaled = c2c(shape, {.normalization = Normalization::ortho});
      EXPECT_LT(order_free_error_of(forward, forward, true, comm), 1e-14);
      EXPECT_LT(order_free_error_of(forward, forward, false, comm), 1e-14);
      EXPECT_GT(order_free_error_of(backward, forward, true, comm), 0.1);
      EXPECT_GT(order_free_error_of(backward, forward, false, comm), 0.1);
      EXPECT_GT(order_free_error_of(scaled, forward, false, comm), 0.1);
    });
}

class Benchmarks : public ToolTest {};

TEST_F(Benchmarks, NpbPrintsWhatNpbPrints) {
  const ToolRun good = run("bench npb --class S");
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_NE(good.out.find(" T =    1     Checksum =    5.546087004964E+02    4.845363331978E+02"),
            std::string::npos)
      << good.out;
  EXPECT_NE(good.out.find(" VERIFICATION SUCCESSFUL"), std::string::npos) << good.out;
  EXPECT_NE(good.out.find(" Mop/s total "), std::string::npos) << good.out;
  const ToolRun bad = run("bench npb --class S --seed 271828183");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_EQ(bad.complaints(), 1) << bad.err;
  EXPECT_NE(bad.out.find(" VERIFICATION UNSUCCESSFUL"), std::string::npos) << bad.out;
  EXPECT_EQ(bad.out.find(" SUCCESSFUL"), std::string::npos) << bad.out;
}

TEST_F(Benchmarks, HpccPrintsWhatHpccPrints) {
  const ToolRun result = run("bench hpcc --size 2^12,1000");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* line : {"MPIFFT_N=4096\n", "MPIFFT_N=1000\n", "MPIFFT_Gflops=", "MPIFFT_maxErr=",
                           "MPIFFT_Procs=1\n", "MPIFFT_time6=0\n", "Success=1\n"})
    EXPECT_NE(result.out.find(line), std::string::npos) << line << result.out;
}

TEST_F(Benchmarks, Global1dChecksEveryRow) {
  const ToolRun result = run("bench global1d --sizes 2^10,1009 --rounds 1");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* row : {"2^10 f64 natural", "2^10 f32 scrambled", "1009 f32 natural"})
    EXPECT_NE(result.out.find(row), std::string::npos) << row << result.out;
}

TEST_F(Benchmarks, BadInputIsRefused) {
  const auto expect_refusal = [&](const std::string& arguments, const std::string& words) {
    const ToolRun result = run("bench " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.complaints(), 1) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  };
  expect_refusal("npb --class X", "choose S, W, A, B or C");
  expect_refusal("npb --exchange carrier_pigeon", "--exchange 'carrier_pigeon': unknown");
  expect_refusal("hpcc --size 1", "--size must be at least 2");
  expect_refusal("hpcc --size 64x64", "is not a length");
  expect_refusal("hpcc --size 2^45", "needs 1.5 PiB");
  expect_refusal("global1d --sizes 3*8", "is not a length");
  expect_refusal("global1d --sizes 2^45", "needs 2.5 PiB");
  expect_refusal("global1d --precisions f16", "choose f32 or f64");
  expect_refusal("global1d --orders sorted", "choose natural or scrambled");
}

}  // namespace
}  // namespace weft::tool
