// SPDX-License-Identifier: BSD-3-Clause
// An odd prime DFT from sums and differences x[j] +- x[p-j]: the sums meet real cosines, the
// differences real sines.
#include <iterator>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "formula/formula.hpp"
#include "formula/rules/circulant.hpp"
#include "formula/rules/rules.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

/// (y0, C, S) -> y[a_i] = C_i - i S_i, y[p-a_i] = C_i + i S_i
Formula output_stage(const PrimeOrder& prime) {
  const Index h = std::ssize(prime.order);
  std::vector<std::vector<Sparse::Entry>> rows(prime.p);
  rows[0] = {{0, 1}};
  for (Index i = 0; i < h; ++i) {
    rows[prime.order[i]] = {{1 + i, 1}, {1 + h + i, Complex(0, -1)}};
    rows[prime.p - prime.order[i]] = {{1 + i, 1}, {1 + h + i, Complex(0, 1)}};
  }
  return sparse(prime.p, std::move(rows));
}

}  // namespace

/// Symmetric prime, h = (p-1)/2, a_i = g^i:
/// DFT(p) = [I(1) + [1 -i; 1 i] x I(h)] . ([1 1; 1 C] + S) . [I(1) + DFT(2) x I(h)] . permutations
/// with C[i,j] = cos(2 pi g^(i+j) / p) cyclic and S[i,j] = sin(2 pi g^(i+j) / p) skew-cyclic.
std::vector<Formula> symmetric_prime(const Dft& transform) {
  if (transform.n < 3 || !is_prime(transform.n)) return {};
  const PrimeOrder prime(transform.n);
  return {compose({output_stage(prime),
                   direct_sum({bordered_circulant(prime.cosines, 1), skew_circulant(prime.sines)}),
                   symmetric_parts(prime)})};
}

}  // namespace weft::formula
