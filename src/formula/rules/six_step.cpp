// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "base/index.hpp"
#include "formula/formula.hpp"
#include "formula/rules/rules.hpp"
#include "weft/types.hpp"

namespace weft::formula {

/// Six-step:  DFT(mn) = L(mn,m) . (I(n) x DFT(m)) . L(mn,n) . T(mn,n) . (I(m) x DFT(n)) . L(mn,m)
/// Both stages work on contiguous rows, between three transpositions.  [Bailey 1990]
std::vector<Formula> six_step(const Dft& transform) {
  const Index mn = transform.n;
  std::vector<Formula> choices;
  for (auto [m, n] : factor_pairs(mn))
    choices.push_back(compose({stride_permutation(mn, m), tensor({identity(n), dft(m)}),
                               stride_permutation(mn, n), twiddles(mn, n),
                               tensor({identity(m), dft(n)}), stride_permutation(mn, m)}));
  return choices;
}

}  // namespace weft::formula
