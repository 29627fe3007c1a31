// SPDX-License-Identifier: BSD-3-Clause
// Equation (19) of the Spiral Global FFT paper, derived: one DFT over p processors as three
// all-to-alls of one block per pair, two node libraries, and two local transpositions at the ends,
// from the six-step form by the identities.
#include <gtest/gtest.h>

#include <optional>

#include "formula/identities.hpp"
#include "formula/print.hpp"
#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

struct GlobalStep {
  enum class Kind { local_transposition, all_to_all, rows_library, columns_library };
  Kind kind;
  Formula formula;
};

const std::vector<Formula>& factors_of(const Formula& product) {
  return product.as<Compose>()->factors;
}

/// L . (I x DFT(m)) . L . T . (I x DFT(n)) . L, with L(mn,m) outermost.
std::optional<Formula> six_steps(Index m, Index n) {
  for (const Formula& choice : six_step({m * n}))
    if (factors_of(choice)[0] == stride_permutation(m * n, m)) return choice;
  return std::nullopt;
}

/// A transposition over p processors: local, all-to-all, local. What is the identity is left out.
struct Transposition {
  std::vector<Formula> left;
  Formula exchange;
  std::vector<Formula> right;
};
std::optional<Transposition> in_three(const std::optional<Formula>& product, Index n, Index p) {
  if (!product) return std::nullopt;
  Transposition parts{{}, tensor({stride_permutation(p * p, p), identity(n / (p * p))}), {}};
  const auto* several = product->as<Compose>();
  bool found = false;
  for (const Formula& factor : several ? several->factors : std::vector<Formula>{*product}) {
    if (factor == parts.exchange)
      found = true;
    else
      (found ? parts.right : parts.left).push_back(factor);
  }
  return found ? std::optional(std::move(parts)) : std::nullopt;
}

std::vector<Formula> joined(std::vector<Formula> a, const Formula& b,
                            const std::vector<Formula>& c) {
  a.push_back(b);
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

/// I(p) x (...) from factors of that shape.
std::optional<Formula> on_processors(const std::vector<Formula>& factors, Index p) {
  return factors.size() == 1 ? std::optional(factors[0]) : group_parallel(compose(factors), p);
}

/// I(p) x (L . (I(k) x DFT(m)) . L) as I(p) x (DFT(m) x I(k)), identity (9); k = 1 has it already.
std::optional<Formula> strided_columns(const Formula& library, Index p) {
  const auto* product = library.as<Tensor>()->factors.back().as<Compose>();
  if (product == nullptr) return library;
  if (product->factors.size() != 3) return std::nullopt;
  const auto swapped =
      unswap_factors(product->factors[0], product->factors[1], product->factors[2]);
  return swapped ? std::optional(tensor({identity(p), *swapped})) : std::nullopt;
}

/// DFT(mn) as a product, left to right; the data comes in at the right. Nothing unless p > 1
/// divides m and n. The twiddles of the rows library stand before its scatter.
std::optional<std::vector<GlobalStep>> global_fft(Index m, Index n, Index p) {
  if (p < 2 || m < 2 || n < 2) return std::nullopt;
  const auto steps = six_steps(m, n);
  const auto last = in_three(block_transposition_transposed({m * n, m}, p), m * n, p);
  const auto middle = in_three(block_transposition({m * n, n}, p), m * n, p);
  const auto first = in_three(block_transposition({m * n, m}, p), m * n, p);
  if (!steps || !last || !middle || !first) return std::nullopt;
  const auto& step = factors_of(*steps);
  const auto columns = on_processors(joined(last->right, step[1], middle->left), p);
  const auto rows = on_processors(joined({}, step[4], first->left), p);
  if (!columns || !rows) return std::nullopt;
  const auto strided = strided_columns(*columns, p);
  if (!strided) return std::nullopt;
  using enum GlobalStep::Kind;
  std::vector<GlobalStep> result;
  for (const Formula& local : last->left) result.push_back({local_transposition, local});
  result.push_back({all_to_all, last->exchange});
  result.push_back({columns_library, *strided});
  result.push_back({all_to_all, middle->exchange});
  result.push_back({rows_library, compose(joined(middle->right, step[3], {*rows}))});
  result.push_back({all_to_all, first->exchange});
  for (const Formula& local : first->right) result.push_back({local_transposition, local});
  return result;
}

Formula product_of(const std::vector<GlobalStep>& steps) {
  std::vector<Formula> factors;
  for (const GlobalStep& step : steps) factors.push_back(step.formula);
  return compose(std::move(factors));
}

TEST(GlobalFft, FollowsFromTheSixStepForm) {
  const auto steps = global_fft(6, 4, 2);
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(print(product_of(*steps)),
            "(I(2) x L(6,3) x I(2)) . (L(4,2) x I(6)) . (I(2) x (DFT(6) x I(2))) . "
            "(L(4,2) x I(6)) . ((I(2) x L(6,2) x I(2)) . T(24,4) . "
            "(I(2) x ((I(3) x DFT(4)) . L(12,3)))) . "
            "(L(4,2) x I(6)) . (I(2) x L(4,2) x I(3))");
}

TEST(GlobalFft, IsTheDft) {
  for (const auto& [m, n, p] :
       {std::tuple{4, 4, 2}, {8, 4, 2}, {4, 8, 4}, {8, 8, 4}, {6, 9, 3}, {12, 8, 4}, {16, 8, 8}}) {
    const auto steps = global_fft(m, n, p);
    ASSERT_TRUE(steps.has_value()) << m << " " << n << " " << p;
    expect_equal_matrices(product_of(*steps), dft(m * n), matrix_tolerance);
  }
}

/// With the diagonal before the scatter, as the paper writes the library (20).
TEST(GlobalFft, TakesThePapersFormWhenTheDiagonalMovesLeft) {
  const auto steps = global_fft(6, 4, 2);
  ASSERT_TRUE(steps.has_value());
  const auto& library = (*steps)[4].formula.as<Compose>()->factors;
  const auto scaled = move_diagonal_left(library[0], library[1]);
  ASSERT_TRUE(scaled.has_value());
  EXPECT_EQ(print(*scaled), "D(24) . (I(2) x L(6,2) x I(2))");
  expect_equal_matrices(*scaled, compose({library[0], library[1]}), matrix_tolerance);
}

TEST(GlobalFft, NeedsSizesThatTheProcessorsDivide) {
  EXPECT_FALSE(global_fft(6, 4, 4).has_value());
  EXPECT_FALSE(global_fft(6, 4, 3).has_value());
  EXPECT_FALSE(global_fft(6, 4, 1).has_value());
}

TEST(GlobalFft, IsWrittenForLongLinesWithoutTables) {
  const auto steps = global_fft(65536, 256, 4);
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(print((*steps)[1].formula), "L(16,4) x I(1048576)");
}

}  // namespace
}  // namespace weft::formula
