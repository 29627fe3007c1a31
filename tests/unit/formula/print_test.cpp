// SPDX-License-Identifier: BSD-3-Clause
#include "formula/print.hpp"

#include <gtest/gtest.h>

#include "formula/rules/rules.hpp"

namespace weft::formula {
namespace {

TEST(Print, WritesCooleyTukeyAsTheMathematicsDoes) {
  EXPECT_EQ(print(cooley_tukey({8}).front()),
            "(DFT(2) x I(4)) . T(8,4) . (I(2) x DFT(4)) . L(8,2)");
}

TEST(Print, PutsNestedOperatorsInParentheses) {
  EXPECT_EQ(print(tensor({identity(2), compose({dft(4), twiddles(4, 2)}), identity(3)})),
            "I(2) x (DFT(4) . T(4,2)) x I(3)");
  EXPECT_EQ(print(compose({direct_sum({identity(1), dft(2)}), permutation({2, 0, 1})})),
            "(I(1) + DFT(2)) . P(2 0 1)");
}

TEST(Print, NamesEveryTransform) {
  EXPECT_EQ(print(scaled_dft(8, 2)), "SDFT(8,2)");
  EXPECT_EQ(print(real_dft(5)), "RDFT(5)");
  EXPECT_EQ(print(inverse_real_dft(5)), "IRDFT(5)");
  EXPECT_EQ(print(half_dft(5)), "HDFT(5)");
  EXPECT_EQ(print(inverse_half_dft(5)), "IHDFT(5)");
  EXPECT_EQ(print(cyclic_reversal(5)), "J(5)");
  EXPECT_EQ(print(dht(5)), "DHT(5)");
  EXPECT_EQ(print(trigonometric(TrigonometricKind::dct1, 5)), "DCT1(5)");
  EXPECT_EQ(print(trigonometric(TrigonometricKind::dst4, 5)), "DST4(5)");
}

TEST(Print, WritesSmallMatricesOutAndLargeOnesByShape) {
  EXPECT_EQ(print(dense(2, 2, {1, 1, Complex(0, -1), Complex(0, 1)})), "[1 1; -i i]");
  EXPECT_EQ(print(dense(1, 2, {Complex(0.5L, 0.25L), Complex(1, -2)})), "[0.5+0.25i 1-2i]");
  EXPECT_EQ(print(diagonal({1, 0.5L})), "diag(1, 0.5)");
  EXPECT_EQ(print(diagonal(std::vector<Complex>(9, 1))), "D(9)");
  EXPECT_EQ(print(dense(3, 3, std::vector<Complex>(9, 1))), "M(3x3)");
  EXPECT_EQ(print(permutation({8, 0, 1, 2, 3, 4, 5, 6, 7})), "P(9)");
  EXPECT_EQ(print(sparse(3, {{{1, 1}}, {}})), "S(2x3)");
}

TEST(Print, ShortensLongSums) {
  std::vector<Formula> terms;
  for (Index n = 2; n < 22; ++n) terms.push_back(dft(n));
  const std::string text = print(direct_sum(terms));
  EXPECT_EQ(text.substr(0, 19), "DFT(2) + DFT(3) + D");
  EXPECT_EQ(text.substr(text.size() - 25), " + DFT(9) + ... + DFT(21)");
  terms.resize(16, dft(2));
  EXPECT_EQ(print(direct_sum(terms)).find("..."), std::string::npos);
}

TEST(PrintLatex, FollowsThePapersNotation) {
  EXPECT_EQ(print_latex(cooley_tukey({8}).front()),
            "\\left(\\mathrm{DFT}_{2} \\otimes \\mathrm{I}_{4}\\right) \\, \\mathrm{T}^{8}_{4} \\, "
            "\\left(\\mathrm{I}_{2} \\otimes \\mathrm{DFT}_{4}\\right) \\, \\mathrm{L}^{8}_{2}");
  EXPECT_EQ(print_latex(direct_sum({identity(1), dense(2, 2, {1, 1, 1, -1})})),
            "\\mathrm{I}_{1} \\oplus \\begin{bmatrix} 1 & 1 \\\\ 1 & -1 \\end{bmatrix}");
  EXPECT_EQ(print_latex(sparse(3, {{{1, 1}}, {}})), "\\mathrm{S}_{2 \\times 3}");
  EXPECT_EQ(print_latex(diagonal({1, Complex(0, 1)})), "\\operatorname{diag}(1, i)");
}

}  // namespace
}  // namespace weft::formula
