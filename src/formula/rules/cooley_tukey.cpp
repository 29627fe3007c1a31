// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "base/index.hpp"
#include "formula/formula.hpp"
#include "formula/rules/rules.hpp"

namespace weft::formula {

/// Cooley-Tukey:  DFT(rs) = (DFT(r) x I(s)) . T(rs,s) . (I(r) x DFT(s)) . L(rs,r)
std::vector<Formula> cooley_tukey(const Dft& transform) {
  std::vector<Formula> choices;
  for (auto [r, s] : factor_pairs(transform.n))  // empty for a prime: the rule does not apply
    choices.push_back(compose({tensor({dft(r), identity(s)}), twiddles(transform.n, s),
                               tensor({identity(r), dft(s)}), stride_permutation(transform.n, r)}));
  return choices;
}

}  // namespace weft::formula
