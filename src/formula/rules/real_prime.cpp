// SPDX-License-Identifier: BSD-3-Clause
// The symmetric prime rule on real data: sums give the real parts, differences the imaginary ones.
#include <iterator>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "formula/formula.hpp"
#include "formula/rules/circulant.hpp"
#include "formula/rules/real_packing.hpp"
#include "formula/rules/rules.hpp"
#include "formula/transpose.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

/// (y0, C, S) in generator order -> packed spectrum: Re y[a] = C, Im y[a] = -S. Where a > p/2 it
/// is the conjugate of p - a.
Formula packed_output(const PrimeOrder& prime) {
  const Index p = prime.p, h = std::ssize(prime.order);
  std::vector<std::vector<Sparse::Entry>> rows(p);
  rows[0] = {{0, 1}};
  for (Index i = 0; i < h; ++i) {
    const Index a = prime.order[i];
    const Index f = a <= h ? a : p - a;
    rows[real_position(f)] = {{1 + i, 1}};
    rows[imaginary_position(f)] = {{1 + h + i, a <= h ? -1 : 1}};
  }
  return sparse(p, std::move(rows));
}

Reals doubled(Reals values) {
  for (long double& value : values) value *= 2;
  return values;
}

}  // namespace

/// RDFT(p) = packing . ([1 1; 1 C] + S) . (sums and differences)
std::vector<Formula> real_prime(const RealDft& transform) {
  if (transform.n < 3 || !is_prime(transform.n)) return {};
  const PrimeOrder prime(transform.n);
  return {compose({packed_output(prime),
                   direct_sum({bordered_circulant(prime.cosines, 1), skew_circulant(prime.sines)}),
                   symmetric_parts(prime)})};
}

/// IRDFT(p) = (sums and differences)^T . ([1 2; 1 2C] + 2S) . packing^T; C and S are symmetric.
std::vector<Formula> real_prime(const InverseRealDft& transform) {
  if (transform.n < 3 || !is_prime(transform.n)) return {};
  const PrimeOrder prime(transform.n);
  return {compose({transpose(symmetric_parts(prime)),
                   direct_sum({bordered_circulant(doubled(prime.cosines), 2),
                               skew_circulant(doubled(prime.sines))}),
                   transpose(packed_output(prime))})};
}

}  // namespace weft::formula
