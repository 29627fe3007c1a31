// SPDX-License-Identifier: BSD-3-Clause
// Cooley-Tukey with an odd prime radix r whose subsequences are x[rj + a] for a = 0, +-1, +-2, ...:
// the twiddles of a pair +-a are conjugates, so their common scale melts into the constants of the
// radix-r kernel (paired_column.hpp). Columns k and -k use the same constants.
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "formula/formula.hpp"
#include "formula/rules/paired_column.hpp"
#include "formula/rules/rules.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

Formula paired(Index r, Index s) {
  const Index n = r * s;
  std::vector<Index> input, output(n);
  for (Index i = 0; i < r; ++i) {
    for (Index j = 0; j < s; ++j) input.push_back((r * j + paired_offset(i) + n) % n);
  }
  std::vector<Formula> columns;
  for (Index position = 0; position < s; ++position) {
    const Index k = 2 * position <= s ? position : position - s;
    columns.push_back(paired_column(n, r, k));
    for (Index l = 0; l < r; ++l) output[(k + s * l + n) % n] = position * r + l;
  }
  return compose({permutation(std::move(output)), direct_sum(std::move(columns)),
                  stride_permutation(n, s), tensor({identity(r), dft(s)}),
                  permutation(std::move(input))});
}

}  // namespace

/// Paired Cooley-Tukey, r an odd prime:  DFT(rs) = Q . sum_k K(k) . L(rs,s) . (I(r) x DFT(s)) . P
std::vector<Formula> paired_cooley_tukey(const Dft& transform) {
  std::vector<Formula> choices;
  for (auto [r, s] : factor_pairs(transform.n))
    if (r % 2 == 1 && is_prime(r)) choices.push_back(paired(r, s));
  return choices;
}

}  // namespace weft::formula
