// SPDX-License-Identifier: BSD-3-Clause
#include "formula/formula.hpp"

#include <gtest/gtest.h>

#include "formula/matrix.hpp"
#include "formula/print.hpp"
#include "formula/sparse_rows.hpp"
#include "formula/transpose.hpp"
#include "weft/error.hpp"

namespace weft::formula {
namespace {

TEST(Formula, KnowsItsShape) {
  const Formula wide = dense(2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(wide.rows(), 2);
  EXPECT_EQ(wide.columns(), 3);
  const Formula product = tensor({wide, identity(5)});
  EXPECT_EQ(product.rows(), 10);
  EXPECT_EQ(product.columns(), 15);
  const Formula sum = direct_sum({wide, dft(4)});
  EXPECT_EQ(sum.rows(), 6);
  EXPECT_EQ(sum.columns(), 7);
  const Formula chain = compose({wide, sparse(7, {{{6, 1}}, {}, {{0, 1}}})});
  EXPECT_EQ(chain.rows(), 2);
  EXPECT_EQ(chain.columns(), 7);
}

/// Row i is (i + 1) times element 2 - i; the last row is the conjugate of element 0, or nothing.
class Backwards final : public GatherRule {
 public:
  explicit Backwards(bool conjugates) : conjugates_(conjugates) {}
  Index rows() const override { return 4; }
  Index columns() const override { return 3; }
  Entry entry(Index row) const override {
    if (row == 3) return {0, conjugates_ ? 1 : 0, conjugates_};
    return {2 - row, static_cast<long double>(row + 1), false};
  }
  std::string text() const override { return "R(3)"; }
  std::string latex() const override { return "R_3"; }

 private:
  bool conjugates_;
};

TEST(Gather, FollowsItsRule) {
  const Formula rule = gather(std::make_shared<Backwards>(false));
  const Formula table = sparse(3, {{{2, 1}}, {{1, 2}}, {{0, 3}}, {}});
  EXPECT_EQ(max_difference(matrix_of(rule), matrix_of(table)), 0);
  EXPECT_EQ(max_difference(matrix_of(transpose(rule)), matrix_of(transpose(table))), 0);
  EXPECT_EQ(sparse_rows(rule).back().size(), 0U);
  EXPECT_TRUE(rule.is_terminal());
  EXPECT_EQ(rule, gather(std::make_shared<Backwards>(false)));
  EXPECT_EQ(print(rule), "R(3)");
  EXPECT_EQ(print_latex(rule), "R_3");
  EXPECT_THROW(gather(nullptr), Error);
}

TEST(Gather, MayConjugateAndThenHasNoRows) {
  const Formula rule = gather(std::make_shared<Backwards>(true));
  EXPECT_EQ(multiply(rule, {Complex(1, 2), 0, 0}).back(), Complex(1, -2));
  EXPECT_THROW(sparse_rows(rule), Error);
  EXPECT_FALSE(rule == gather(std::make_shared<Backwards>(false)));
}

TEST(Formula, IsTerminalWhenNoTransformIsInside) {
  EXPECT_FALSE(dft(2).is_terminal());
  EXPECT_FALSE(tensor({identity(2), compose({twiddles(4, 2), dft(4)})}).is_terminal());
  EXPECT_FALSE(direct_sum({identity(1), dht(3)}).is_terminal());
  EXPECT_TRUE(
      tensor({identity(2), compose({twiddles(4, 2), stride_permutation(4, 2)})}).is_terminal());
}

TEST(Formula, ComparesByStructure) {
  const auto make = [](Index s) {
    return compose(
        {tensor({dft(2), identity(4)}), twiddles(8, s), permutation({0, 1, 2, 3, 4, 5, 7, 6})});
  };
  EXPECT_EQ(make(4), make(4));
  EXPECT_NE(make(4), make(2));
  EXPECT_NE(dft(4), real_dft(4));
  EXPECT_NE(scaled_dft(8, 1), scaled_dft(8, 2));
  EXPECT_NE(trigonometric(TrigonometricKind::dct2, 4), trigonometric(TrigonometricKind::dct3, 4));
  EXPECT_NE(sparse(2, {{{0, 1}}}), sparse(2, {{{1, 1}}}));
  EXPECT_EQ(diagonal({1, Complex(0, 1)}), diagonal({1, Complex(0, 1)}));
}

TEST(Formula, RefusesShapesThatDoNotFit) {
  EXPECT_THROW(dft(0), Error);
  EXPECT_THROW(identity(-3), Error);
  EXPECT_THROW(stride_permutation(8, 3), Error);
  EXPECT_THROW(twiddles(8, 0), Error);
  EXPECT_THROW(compose({dft(4), dft(3)}), Error);
  EXPECT_THROW(compose({}), Error);
  EXPECT_THROW(permutation({0, 0}), Error);
  EXPECT_THROW(permutation({0, 2}), Error);
  EXPECT_THROW(dense(2, 2, {1, 2, 3}), Error);
  EXPECT_THROW(sparse(2, {{{2, 1}}}), Error);
  EXPECT_THROW(scaled_dft(12, 1), Error);
  EXPECT_THROW(scaled_dft(8, 3), Error);
  EXPECT_THROW(trigonometric(TrigonometricKind::dct1, 1), Error);
}

TEST(Formula, SaysWhatDoesNotFit) {
  try {
    compose({dft(4), dft(3)});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("4x4"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("3x3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weft::formula
