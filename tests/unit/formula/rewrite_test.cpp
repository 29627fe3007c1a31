// SPDX-License-Identifier: BSD-3-Clause
#include "formula/rewrite.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "formula/expand.hpp"
#include "formula/print.hpp"
#include "formula/rules/rules.hpp"
#include "support/matrices.hpp"

namespace weft::formula {
namespace {

Formula l(Index n, Index stride) { return stride_permutation(n, stride); }

/// Formulas to which each rule of the table applies at the root.
std::multimap<std::string, Formula> samples() {
  const Formula wide = dense(2, 3, {1, 2, 3, 4, 5, 6});
  return {
      {"drop operator of one part", compose({dft(3)})},
      {"drop operator of one part", tensor({dft(3)})},
      {"drop operator of one part", direct_sum({dft(3)})},
      {"flatten", tensor({tensor({dft(2), identity(3)}), dft(2)})},
      {"flatten", compose({l(6, 2), compose({dft(6), l(6, 3)})})},
      {"flatten", direct_sum({dft(2), direct_sum({dft(3), identity(1)})})},
      {"L(n,1) = L(n,n) = I(n)", l(6, 1)},
      {"L(n,1) = L(n,n) = I(n)", l(6, 6)},
      {"T(n,1) = T(n,n) = I(n)", twiddles(6, 1)},
      {"T(n,1) = T(n,n) = I(n)", twiddles(6, 6)},
      {"diag(1,...,1) = I(n)", diagonal({1, 1, 1})},
      {"P(0 1 2 ...) = I(n)", permutation({0, 1, 2})},
      {"DFT(1) = I(1)", dft(1)},
      {"DFT(1) = I(1)", inverse_real_dft(1)},
      {"A x I(1) = A", tensor({identity(1), dft(3), identity(1)})},
      {"A x I(1) = A", tensor({identity(1), identity(1)})},
      {"I(m) x I(n) = I(mn)", tensor({identity(2), identity(3), dft(2)})},
      {"I(m) + I(n) = I(m+n)", direct_sum({dft(2), identity(2), identity(3)})},
      {"A + A = I(2) x A", direct_sum({wide, wide, wide})},
      {"I . A = A . I = A", compose({identity(6), dft(6), identity(6)})},
      {"I . A = A . I = A", compose({identity(2), identity(2)})},
      {"L(n,a) . L(n,b) = L(n,ab)", compose({l(12, 2), l(12, 3)})},
      {"L(n,a) . L(n,b) = L(n,ab)", compose({l(12, 6), l(12, 4)})},
      {"L(n,a) . L(n,b) = L(n,ab)", compose({l(12, 3), l(12, 4)})},
      {"L(n,a) . L(n,b) = L(n,ab)", compose({tensor({identity(2), l(12, 6), identity(3)}),
                                             tensor({identity(2), l(12, 6), identity(3)})})},
      {"P . Q = PQ", compose({permutation({2, 0, 1, 3}), permutation({1, 2, 3, 0})})},
      {"P . Q = PQ", compose({permutation({2, 0, 1, 3}), l(4, 2)})},
      {"P . Q = PQ", compose({l(6, 2), permutation({1, 2, 3, 0, 5, 4})})},
      {"diag(a) . diag(b) = diag(ab)", compose({diagonal({2, 3}), diagonal({5, Complex(0, 7)})})},
      {"I x (A . B) x I = (I x A x I) . (I x B x I)",
       tensor({identity(2), compose({wide, twiddles(3, 1), dft(3)}), identity(2)})},
      {"A x B = (A x I) . (I x B)", tensor({wide, identity(2), dft(3), dense(2, 1, {1, 2})})},
  };
}

TEST(RewriteRules, EachAppliesToItsSamplesAndKeepsTheirMatrix) {
  const auto all = samples();
  for (const RewriteRule& rule : normal_form_rules()) {
    EXPECT_GT(all.count(rule.name), 0u) << "no sample for " << rule.name;
    for (auto [sample, end] = all.equal_range(rule.name); sample != end; ++sample) {
      SCOPED_TRACE(std::string(rule.name) + " on " + print(sample->second));
      const auto replacement = rule.apply(sample->second);
      ASSERT_TRUE(replacement.has_value());
      EXPECT_NE(*replacement, sample->second);
      expect_equal_matrices(*replacement, sample->second, matrix_tolerance);
    }
  }
}

TEST(RewriteRules, LeaveAloneWhatTheyDoNotFit) {
  for (const RewriteRule& rule : normal_form_rules())
    for (const Formula& formula :
         {dft(4), l(12, 3), twiddles(12, 4), identity(3), diagonal({1, 2}),
          tensor({identity(2), dft(3)}), direct_sum({dft(2), dft(3)}),
          // 4 * 4 neither divides 24 nor is a multiple of it: no stride permutation.
          compose({l(24, 4), l(24, 4), dft(24)})})
      EXPECT_FALSE(rule.apply(formula)) << rule.name << " on " << print(formula);
}

TEST(NormalForm, WritesTheFormulaFlat) {
  const Formula eight = cooley_tukey({8}).front();
  const Formula nested =
      rewrite_everywhere(eight, [](const Formula& part) -> std::optional<Formula> {
        if (part != dft(4)) return {};
        return cooley_tukey({4}).front();
      });
  EXPECT_EQ(print(normal_form(nested)),
            "(DFT(2) x I(4)) . T(8,4) . (I(2) x DFT(2) x I(2)) . (I(2) x T(4,2)) . "
            "(I(4) x DFT(2)) . (I(2) x L(4,2)) . L(8,2)");
}

TEST(NormalForm, IsIdempotentAndKeepsTheMatrix) {
  std::vector<Formula> formulas;
  for (Index n : {1, 6, 8, 9, 12, 15, 16})
    for (const Formula& formula : expansions(dft(n), 12)) formulas.push_back(formula);
  for (Index n : {6, 9, 12, 16}) formulas.push_back(expand_best(real_dft(n)));
  for (const auto& [rule, formula] : samples()) formulas.push_back(formula);
  ASSERT_GT(formulas.size(), 50u);
  for (const Formula& formula : formulas) {
    SCOPED_TRACE(print(formula));
    const Formula normal = normal_form(formula);
    EXPECT_EQ(normal_form(normal), normal);
    expect_equal_matrices(normal, formula, matrix_tolerance);
  }
}

TEST(NormalForm, UndoesAPermutationAndItsTranspose) {
  EXPECT_EQ(normal_form(compose({l(12, 3), l(12, 4)})), identity(12));
  EXPECT_EQ(normal_form(compose({tensor({l(6, 2), identity(2)}), identity(12),
                                 tensor({l(6, 3), identity(2)}), dft(12)})),
            dft(12));
}

}  // namespace
}  // namespace weft::formula
