// SPDX-License-Identifier: BSD-3-Clause
// Operation counts equal the best published ones: split radix [Yavne 1968] and its tangent form
// [Johnson and Frigo 2007] for powers of two.
#include <gtest/gtest.h>

#include "codelet/compile.hpp"
#include "codelet/dump.hpp"

namespace weft::codelet {
namespace {

struct Published {
  int radix, additions, multiplications;
};

TEST(OperationCounts, OfPowersOfTwoEqualSplitRadix) {
  for (const auto [radix, additions, multiplications] :
       {Published{2, 4, 0}, {4, 16, 0}, {8, 52, 4}, {16, 144, 24}, {32, 372, 84}, {64, 912, 248}}) {
    const OperationCount count = count_before_fma({.isa = Isa::avx2, .radix = radix});
    EXPECT_EQ(count.additions, additions) << radix;
    EXPECT_EQ(count.multiplications, multiplications) << radix;
    EXPECT_EQ(count.negations, 0) << radix;
  }
}

TEST(OperationCounts, OfTheTangentFormAreTheFewestKnown) {
  EXPECT_EQ(fewest_operations({.isa = Isa::avx2, .radix = 64}).total(), 1152);
  for (int radix : {8, 16, 32})
    EXPECT_LE(fewest_operations({.isa = Isa::avx2, .radix = radix}).total(),
              count_before_fma({.isa = Isa::avx2, .radix = radix}).total());
}

/// Every multiplication of these radices is absorbed by an addition.
TEST(OperationCounts, NoMultiplicationSurvivesFusion) {
  for (int radix : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 25, 27, 32, 64}) {
    const OperationCount count = ir::count(compile({.isa = Isa::avx2, .radix = radix}));
    EXPECT_EQ(count.multiplications, 0) << radix;
    EXPECT_EQ(count.negations, 0) << radix;
  }
}

TEST(OperationCounts, OfRealTransformsAreAboutHalf) {
  for (int radix : {4, 8, 16, 32, 64}) {
    const KernelKey complex{.isa = Isa::avx2, .radix = radix};
    KernelKey real = complex;
    real.transform = KernelTransform::real_forward;
    EXPECT_LT(2 * ir::count(compile(real)).total(), ir::count(compile(complex)).total() + radix);
  }
}

}  // namespace
}  // namespace weft::codelet
