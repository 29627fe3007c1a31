// SPDX-License-Identifier: BSD-3-Clause
// The prime-factor rule: coprime factors need no twiddles, only index maps.
#include <numeric>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "formula/formula.hpp"
#include "formula/rules/rules.hpp"
#include "weft/types.hpp"

namespace weft::formula {

/// Good-Thomas, gcd(r,s) = 1:  DFT(rs) = Q^T . (DFT(r) x DFT(s)) . P
/// P reads element (i,j) at (s i + r j) mod rs; Q^T writes (k,l) to the index that is k modulo r
/// and l modulo s. Since (s i + r j)(k,l) = s i k + r j l modulo rs, the kernel separates.
std::vector<Formula> good_thomas(const Dft& transform) {
  const Index n = transform.n;
  std::vector<Formula> choices;
  for (auto [r, s] : factor_pairs(n)) {
    if (std::gcd(r, s) != 1) continue;
    std::vector<Index> input(n), output(n);
    for (Index i = 0; i < r; ++i)
      for (Index j = 0; j < s; ++j) input[i * s + j] = (s * i + r * j) % n;
    for (Index k = 0; k < n; ++k) output[k] = (k % r) * s + k % s;
    choices.push_back(compose({permutation(std::move(output)), tensor({dft(r), identity(s)}),
                               tensor({identity(r), dft(s)}), permutation(std::move(input))}));
  }
  return choices;
}

}  // namespace weft::formula
