// SPDX-License-Identifier: BSD-3-Clause
// Every kernel of every instruction set of this CPU, compared with the definition of the DFT.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "codelet/dense/dense_lines.hpp"
#include "codelet/prime/prime_kernels.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "kernel_runner.hpp"

namespace weft::codelet::test {
namespace {

/// Root mean square error relative to the root mean square result. Each of the log2(r) levels and
/// the twiddle product round a value a few times, so the error stays below c eps log2(2r) with c
/// about 1 in the mean; prime radices sum r terms in a row, which is covered by log2(2r) up to 127.
double error_bound(const KernelKey& key) {
  const double eps = key.precision == Precision::f64 ? std::numeric_limits<double>::epsilon()
                                                     : std::numeric_limits<float>::epsilon();
  return eps * std::log2(2.0 * key.radix);
}

double relative_error(const Block& actual, const Block& expected) {
  long double difference = 0, magnitude = 0;
  for (std::size_t k = 0; k < actual.values.size(); ++k) {
    difference += std::norm(actual.values[k] - expected.values[k]);
    magnitude += std::norm(expected.values[k]);
  }
  return magnitude == 0 ? 0 : static_cast<double>(std::sqrt(difference / magnitude));
}

/// The generated kernels of all instruction sets, and those of prime radix and dense lines: all of
/// them, or the shortest and the longest. Of dense lines beyond 64 points "all" are those whose
/// last register is full or nearly empty.
enum class Loops { all, few };
bool is_wanted(const KernelKey& line, Loops loops) {
  const int n = line.radix;
  return n <= 64 || n >= 250 || (loops == Loops::all && n % 16 <= 3);
}
int check_all(const Case& test_case, Loops loops = Loops::few) {
  int checked = 0;
  const auto check = [&](const CompiledKernel& kernel) {
    if (!admits(kernel.key, test_case)) return;
    const Result result = run_kernel(kernel, test_case);
    const Block expected = expected_output(kernel, test_case, result);
    EXPECT_LT(relative_error(result.output, expected), error_bound(kernel.key))
        << to_string(kernel.key);
    EXPECT_FALSE(result.wrote_elsewhere) << to_string(kernel.key);
    ++checked;
  };
  for (Isa isa : available_isas()) {
    for (const CompiledKernel& kernel : kernels())
      if (kernel.key.isa == isa) check(kernel);
    for (const CompiledKernel& kernel : dense_lines(isa))
      if (is_wanted(kernel.key, loops)) check(kernel);
    for (const CompiledKernel& kernel : prime_kernels(isa))
      if (loops == Loops::all || kernel.key.radix <= 19 || kernel.key.radix == 127) check(kernel);
  }
  return checked;
}

TEST(Kernels, EqualTheDefinition) { EXPECT_GT(check_all({.count = 3}, Loops::all), 100); }

TEST(Kernels, WorkOnceAndWithNegativeStrides) {
  EXPECT_GT(check_all({.count = 1, .negative_strides = true}), 100);
}

TEST(Kernels, TransformBackwardWhenTheOutputRowsAreReversed) {
  EXPECT_GT(check_all({.count = 2, .reverse_output = true}), 100);
}

TEST(Kernels, WorkInPlace) { EXPECT_GT(check_all({.count = 2, .in_place = true}), 100); }

TEST(Kernels, WriteNothingWhenTheCountIsZero) { EXPECT_GT(check_all({.count = 0}), 100); }

TEST(Registry, KnowsEveryKernelByItsKey) {
  for (const CompiledKernel& kernel : kernels()) EXPECT_EQ(find_kernel(kernel.key), &kernel);
  EXPECT_EQ(find_kernel({.isa = best_isa(), .radix = 131}), nullptr);
}

TEST(PrimeKernels, AreFoundByTheirKeyForEveryPrimeTo127) {
  int primes = 0;
  for (int radix = 17; radix <= 127; ++radix) primes += is_prime(radix) ? 1 : 0;
  EXPECT_EQ(static_cast<int>(prime_radices().size()), primes);
  for (Isa isa : available_isas()) {
    EXPECT_FALSE(prime_kernels(isa).empty());
    for (const CompiledKernel& kernel : prime_kernels(isa)) {
      EXPECT_TRUE(is_prime(kernel.key.radix));
      EXPECT_EQ(find_kernel(kernel.key), &kernel);
      EXPECT_NE(table_of(kernel.key), nullptr);
    }
  }
}

/// A kernel with a scale stands in for a plain one that is not built, never the other way round.
TEST(Registry, FindsALineKernelForEveryScaleOfItsLength) {
  int stand_ins = 0;
  for (const CompiledKernel& kernel : kernels()) {
    if (kernel.key.in != KernelLayout::line || !kernel.key.scaled) continue;
    KernelKey plain = kernel.key;
    plain.scaled = false;
    const CompiledKernel* found = find_kernel(plain);
    ASSERT_NE(found, nullptr) << to_string(plain);
    stand_ins += found == &kernel ? 1 : 0;
  }
  if (best_isa() == Isa::avx2 || best_isa() == Isa::neon) {
    EXPECT_GT(stand_ins, 0);
  }
  EXPECT_EQ(find_generated_kernel({.isa = best_isa(), .radix = 127}), nullptr);
}

/// Every length has a line kernel for complex numbers, and real lines have their own or a complex
/// one of half the length.
TEST(DenseLines, AreThereWhereNoLineKernelIsGenerated) {
  for (Isa isa : available_isas())
    for (int n = shortest_dense_line; isa != Isa::scalar && n <= longest_dense_line; ++n) {
      KernelKey key{.isa = isa, .radix = n, .in = KernelLayout::line, .out = KernelLayout::line};
      const auto is_found = [&] {
        KernelKey narrow = key;
        narrow.isa = Isa::avx2;
        return find_kernel(key) != nullptr ||
               (isa == Isa::avx512 && find_generated_kernel(narrow) != nullptr);
      };
      EXPECT_TRUE(is_found()) << to_string(key);
      key.transform = KernelTransform::real_forward;
      if (is_found()) continue;
      key.transform = KernelTransform::dft;
      key.radix /= 2;
      EXPECT_TRUE(n % 2 == 0 && is_found()) << n;
    }
  for (const CompiledKernel& kernel : kernels()) EXPECT_FALSE(is_dense_line(kernel.key));
  for (Isa isa : available_isas()) {
    EXPECT_EQ(dense_lines(isa).empty(), isa == Isa::scalar);
    for (const CompiledKernel& kernel : dense_lines(isa)) {
      EXPECT_EQ(find_kernel(kernel.key), &kernel);
      EXPECT_NE(table_of(kernel.key), nullptr);
      EXPECT_EQ(lines_of(kernel.key), 1);
    }
  }
}

TEST(PlanarSlot, IsAPermutationOfTheLanes) {
  for (Isa isa : {Isa::scalar, Isa::neon, Isa::avx2, Isa::avx512})
    for (Precision precision : {Precision::f32, Precision::f64}) {
      unsigned seen = 0;
      for (int l = 0; l < lanes(isa, precision); ++l) seen |= 1u << planar_slot(isa, precision, l);
      EXPECT_EQ(seen, (1u << lanes(isa, precision)) - 1);
    }
}

}  // namespace
}  // namespace weft::codelet::test
