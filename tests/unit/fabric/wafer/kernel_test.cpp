// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/kernel.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <random>

#include "fabric/fabric_machine.hpp"
#include "fabric/wafer/pencil.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

PencilFormula paper_pencil(Precision precision) {
  return wafer_of(load_machine("wse2")).speeds(precision).pencil;
}
KernelRates paper_rates(Precision precision) {
  return wafer_of(load_machine("wse2")).speeds(precision).rates;
}

using Pencil = std::vector<std::complex<double>>;

Pencil random_pencil(std::int64_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-0.5F, 0.5F);
  Pencil pencil;
  for (std::int64_t k = 0; k < n; ++k)
    pencil.emplace_back(round_to_half(uniform(generator)), round_to_half(uniform(generator)));
  return pencil;
}

/// The program on one pencil in lane `lane`, the other lanes filled with something else.
Pencil run(const KernelProgram& program, Precision precision, const Pencil& input, int lane) {
  std::vector<float> memory(static_cast<std::size_t>(program.memory_reals) * kernel_lanes, 0.25F);
  const auto at = [&](std::int32_t real) -> float& {
    return memory[static_cast<std::size_t>(real) * kernel_lanes + static_cast<std::size_t>(lane)];
  };
  for (std::size_t k = 0; k < input.size(); ++k) {
    at(program.input + 2 * static_cast<std::int32_t>(k)) = static_cast<float>(input[k].real());
    at(program.input + 2 * static_cast<std::int32_t>(k) + 1) = static_cast<float>(input[k].imag());
  }
  load_constants(program, memory);
  execute(program, precision, memory);
  Pencil output(input.size());
  for (std::size_t k = 0; k < input.size(); ++k)
    output[k] = {at(program.output + 2 * static_cast<std::int32_t>(k)),
                 at(program.output + 2 * static_cast<std::int32_t>(k) + 1)};
  return output;
}

Pencil dft(const Pencil& input, int sign) {
  const auto n = static_cast<std::int64_t>(input.size());
  Pencil output(input.size());
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t j = 0; j < n; ++j)
      output[static_cast<std::size_t>(k)] +=
          input[static_cast<std::size_t>(j)] *
          std::polar(1.0,
                     sign * 2 * M_PI * static_cast<double>(j * k % n) / static_cast<double>(n));
  return output;
}

double relative_error(const Pencil& a, const Pencil& b) {
  double difference = 0, norm = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference += std::norm(a[k] - b[k]);
    norm += std::norm(b[k]);
  }
  return std::sqrt(difference / norm);
}

double tolerance(Precision precision, std::int64_t n) {
  const double eps = precision == Precision::f16 ? std::ldexp(1.0, -11) : std::ldexp(1.0, -24);
  return 2 * eps * std::max(1.0, std::log2(static_cast<double>(n)));
}

void check_kernel(const KernelProgram& forward, const KernelProgram& backward,
                  Precision precision) {
  const Pencil input = random_pencil(forward.length, 7);
  const Pencil spectrum = run(forward, precision, input, 3);
  EXPECT_LT(relative_error(spectrum, dft(input, -1)), tolerance(precision, forward.length))
      << forward.name << " " << forward.length;
  EXPECT_LT(relative_error(run(backward, precision, spectrum, 5), input),
            2 * tolerance(precision, forward.length))
      << backward.name << " " << backward.length;
}

TEST(Listing1, IsTheFourierTransformAndItsInverse) {
  for (const Precision precision : {Precision::f32, Precision::f16})
    for (const std::int64_t n : {2, 4, 8, 16, 64, 128, 512})
      check_kernel(listing1_kernel(n, Direction::forward, precision),
                   listing1_kernel(n, Direction::backward, precision), precision);
}

TEST(Listing1, RefusesWhatIsNotAPowerOfTwo) {
  EXPECT_THROW(listing1_kernel(12, Direction::forward, Precision::f32), Error);
  EXPECT_THROW(listing1_kernel(1, Direction::forward, Precision::f32), Error);
}

TEST(Listing1, CountsAsThePublishedFormulasWithoutTheMovesOfTheLastStage) {
  for (const std::int64_t n : {16, 32, 512, 2048}) {
    const double log_n = std::log2(static_cast<double>(n));
    for (const Precision precision : {Precision::f32, Precision::f16}) {
      const PencilFormula formula = paper_pencil(precision);
      const double counted =
          listing1_kernel(n, Direction::forward, precision).cycles(paper_rates(precision));
      const double last_stage = precision == Precision::f32 ? 3.5 : 1.75;
      const double loops = precision == Precision::f32 ? 19 + 4 * 8 : 18 + 4 * 8;  // n-1, 2n-4
      EXPECT_NEAR(counted, formula.cycles(n) - last_stage * static_cast<double>(n) - loops, 1e-6)
          << n << " " << log_n;
    }
  }
}

TEST(Stockham, IsTheFourierTransformAndItsInverseForAnyLength) {
  for (const Precision precision : {Precision::f32, Precision::f16}) {
    const KernelRates rates = paper_rates(precision);
    for (const std::int64_t n :
         {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 30, 32, 45, 64, 77, 100, 128, 375, 512})
      check_kernel(stockham_kernel(n, Direction::forward, precision, rates),
                   stockham_kernel(n, Direction::backward, precision, rates), precision);
  }
}

TEST(Stockham, RefusesPrimesThatWouldTakeGigabytes) {
  const KernelRates rates = paper_rates(Precision::f32);
  for (const std::int64_t n : {521, 65537, 1048573})
    EXPECT_THROW(stockham_kernel(n, Direction::forward, Precision::f32, rates), Error) << n;
  EXPECT_GT(stockham_kernel(510510, Direction::forward, Precision::f32, rates).memory_reals, 0);
}

TEST(Stockham, SumsOfLargeHalvesStayFiniteOnTheWayBack) {
  const KernelRates rates = paper_rates(Precision::f16);
  const KernelProgram backward = stockham_kernel(512, Direction::backward, Precision::f16, rates);
  Pencil impulse(512, 0.0);
  impulse[0] = 16384.0;
  EXPECT_LT(relative_error(run(backward, Precision::f16, Pencil(512, 16384.0), 2), impulse),
            tolerance(Precision::f16, 512));
}

TEST(Stockham, HalvesTheCyclesOfListing1) {
  for (const Precision precision : {Precision::f32, Precision::f16}) {
    const KernelRates rates = paper_rates(precision);
    EXPECT_LT(2 * stockham_kernel(512, Direction::forward, precision, rates).cycles(rates),
              listing1_kernel(512, Direction::forward, precision).cycles(rates));
  }
}

TEST(HalfRounding, AgreesWithTheDefinition) {
  EXPECT_EQ(round_to_half(1.0F + std::ldexp(1.0F, -11)), 1.0F);  // a tie, to even
  EXPECT_EQ(round_to_half(1.0F + 3 * std::ldexp(1.0F, -11)), 1.0F + 2 * std::ldexp(1.0F, -10));
  EXPECT_EQ(round_to_half(1.0F + std::ldexp(1.0F, -11) + std::ldexp(1.0F, -20)),
            1.0F + std::ldexp(1.0F, -10));
  EXPECT_EQ(round_to_half(65519.0F), 65504.0F);
  EXPECT_EQ(round_to_half(-65520.0F), -INFINITY);
  EXPECT_EQ(round_to_half(std::ldexp(1.0F, -24)), std::ldexp(1.0F, -24));
  EXPECT_EQ(round_to_half(std::ldexp(1.0F, -25)), 0.0F);
  EXPECT_TRUE(std::signbit(round_to_half(-std::ldexp(1.0F, -25))));
  EXPECT_EQ(round_to_half(3 * std::ldexp(1.0F, -25)), std::ldexp(1.0F, -23));
  EXPECT_TRUE(std::isnan(round_to_half(NAN)));
}

/// Every instruction on halves of all sizes, among them the smallest and the largest.
TEST(HalfArithmetic, GivesTheSameBitsOnTheHostsConversionsAsWithout) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<float> mantissa(-2.0F, 2.0F);
  std::uniform_int_distribution<int> exponent(-24, 14);
  const auto half = [&] {
    return round_to_half(std::ldexp(mantissa(generator), exponent(generator)));
  };
  constexpr std::int32_t count = 20000;
  KernelProgram program;
  program.memory_reals = 8 * count;
  std::int32_t to = 2 * count;
  for (const VectorOp op :
       {VectorOp::multiply_scalar, VectorOp::multiply_accumulate_scalar, VectorOp::multiply,
        VectorOp::add, VectorOp::subtract, VectorOp::move}) {
    program.instructions.push_back({.op = op,
                                    .extents = {count / 10, 5, 2},
                                    .dst = {to, {10, 2, 1}},
                                    .a = {0, {10, 2, 1}},
                                    .b = {count, {10, 2, 1}},
                                    .scalar = round_to_half(0.7F)});
    to += count;
  }
  std::vector<float> memory(static_cast<std::size_t>(program.memory_reals) * kernel_lanes);
  for (std::size_t k = 0; k < std::size_t{2} * count * kernel_lanes; ++k) memory[k] = half();
  memory[0] = 65504.0F, memory[std::size_t{count} * kernel_lanes] = 65504.0F;
  std::vector<float> portable = memory;
  execute(program, Precision::f16, memory);
  execute_portably(program, Precision::f16, portable);
  EXPECT_TRUE(std::isinf(memory[std::size_t{5} * count * kernel_lanes]));  // 65504 + 65504
  for (std::size_t k = 0; k < memory.size(); ++k)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(memory[k]), std::bit_cast<std::uint32_t>(portable[k]))
        << k;
}

/// The numbers of parts that are stored one after another, in the order of the transform.
Pencil interleaved(const Pencil& stored, int parts) {
  const auto count = static_cast<std::size_t>(parts);
  Pencil result(stored.size());
  for (std::size_t k = 0; k < stored.size(); ++k)
    result[k] = stored[k / count + k % count * (stored.size() / count)];
  return result;
}

TEST(Parts, AreTheNumbersOfTheFourierTransformPartByPart) {
  for (const Precision precision : {Precision::f32, Precision::f16}) {
    const KernelRates rates = paper_rates(precision);
    for (const int parts : {2, 4})
      for (const std::int64_t n : {2, 4, 6, 8, 12, 16, 20, 32, 64, 90, 128, 512}) {
        if (n % parts != 0) continue;
        const Pencil input = random_pencil(n, 7);
        const auto kernel = [&](Direction direction) {
          return parts_kernel(parts, n, direction, precision, rates);
        };
        const Pencil spectrum =
            interleaved(run(kernel(Direction::forward), precision, input, 3), parts);
        EXPECT_LT(relative_error(spectrum, dft(input, -1)), tolerance(precision, n)) << n;
        const Pencil back =
            interleaved(run(kernel(Direction::backward), precision, spectrum, 5), parts);
        EXPECT_LT(relative_error(back, input), 2 * tolerance(precision, n)) << n;
      }
    EXPECT_THROW(parts_kernel(2, 9, Direction::forward, precision, rates), Error);
    EXPECT_THROW(parts_kernel(4, 6, Direction::forward, precision, rates), Error);
    EXPECT_THROW(parts_kernel(3, 9, Direction::forward, precision, rates), Error);
  }
}

/// A part takes less than its share of the time, because the others need twiddles.
TEST(Parts, TheFirstIsCompleteEarly) {
  for (const Precision precision : {Precision::f32, Precision::f16})
    for (const int parts : {2, 4}) {
      const KernelRates rates = paper_rates(precision);
      KernelProgram kernel = parts_kernel(parts, 512, Direction::forward, precision, rates);
      const Pencil input = random_pencil(512, 9);
      const Pencil expected = dft(input, -1);
      EXPECT_LT(kernel.cycles_of_first_part(rates), kernel.cycles(rates) / parts);
      kernel.instructions.resize(kernel.part_instructions);
      const Pencil early = run(kernel, precision, input, 1);
      Pencil first, got(early.begin(), early.begin() + 512 / parts);
      for (std::size_t k = 0; k < 512; k += static_cast<std::size_t>(parts))
        first.push_back(expected[k]);
      EXPECT_LT(relative_error(got, first), tolerance(precision, 512));
    }
}

}  // namespace
}  // namespace weft::fabric
