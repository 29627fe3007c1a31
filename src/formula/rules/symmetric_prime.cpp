// SPDX-License-Identifier: BSD-3-Clause
// An odd prime DFT from sums and differences x[j] +- x[p-j]: the sums meet real cosines, the
// differences real sines. In the order of a generator's powers both are (skew-)circulant, and a
// circulant of even size splits into two halves: p = 5 and 13 gain, p = 3, 7 and 11 stay dense,
// which costs the fewest operations where multiply and add are fused.
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/roots.hpp"
#include "formula/rules/rules.hpp"

namespace weft::formula {
namespace {

using Reals = std::vector<long double>;

long double magnitude(long double value) { return std::abs(value); }

Formula butterflies(Index half) { return tensor({dft(2), identity(half)}); }

/// The h x h matrix +-c[(i + j) mod h], negative where the index wraps. The largest value is taken
/// out as a scale that follows, where the next addition can absorb it; the +-1 left in its place
/// opens each row, so that every other product has a sum to join.
Formula skew_circulant(const Reals& c) {
  const Index h = std::ssize(c);
  const auto largest = std::ranges::max_element(c, {}, magnitude);
  const long double scale = magnitude(*largest);
  std::vector<std::vector<Sparse::Entry>> rows(h);
  for (Index i = 0; i < h; ++i)
    for (Index m = 0; m < h; ++m) {
      const Index value = (largest - c.begin() + m) % h;
      const Index column = (value - i + h) % h;
      rows[i].push_back({column, (i + column < h ? c[value] : -c[value]) / scale});
    }
  return compose({diagonal(std::vector<Complex>(h, scale)), sparse(h, std::move(rows))});
}

/// [1 1..1; 1 C]: x0 joins every output of the circulant, and all inputs are summed for y0.
Formula bordered_circulant(const Reals& c) {
  const Index h = std::ssize(c);
  std::vector<Complex> values(h + 1, 1);
  for (Index i = 0; i < h; ++i) {
    values.push_back(1);
    for (Index j = 0; j < h; ++j) values.push_back(c[(i + j) % h]);
  }
  return dense(h + 1, h + 1, std::move(values));
}

/// The bordered circulant with even sizes halved: C = (DFT(2) x I) . (C+ + C-) . (DFT(2) x I) with
/// C+- = (c[j] +- c[j+h/2]) / 2, where C- is skew.
Formula cosine_part(const Reals& c) {
  const Index h = std::ssize(c), half = h / 2;
  if (h % 2 != 0) return bordered_circulant(c);
  Reals even(half), odd(half);
  for (Index j = 0; j < half; ++j) {
    even[j] = (c[j] + c[j + half]) / 2;
    odd[j] = (c[j] - c[j + half]) / 2;
  }
  const Formula stage = direct_sum({identity(1), butterflies(half)});
  return compose({stage, direct_sum({cosine_part(even), skew_circulant(odd)}), stage});
}

/// x -> (x0, x[a_i] + x[p-a_i] ..., x[a_i] - x[p-a_i] ...)
Formula input_stage(Index p, const std::vector<Index>& order) {
  std::vector<std::vector<Sparse::Entry>> rows{{{0, 1}}};
  for (long double sign : {1.0L, -1.0L})
    for (Index a : order) rows.push_back({{a, 1}, {p - a, sign}});
  return sparse(p, std::move(rows));
}

/// (y0, C, S) -> y[a_i] = C_i - i S_i, y[p-a_i] = C_i + i S_i
Formula output_stage(Index p, const std::vector<Index>& order) {
  const Index h = std::ssize(order);
  std::vector<std::vector<Sparse::Entry>> rows(p);
  rows[0] = {{0, 1}};
  for (Index i = 0; i < h; ++i) {
    rows[order[i]] = {{1 + i, 1}, {1 + h + i, Complex(0, -1)}};
    rows[p - order[i]] = {{1 + i, 1}, {1 + h + i, Complex(0, 1)}};
  }
  return sparse(p, std::move(rows));
}

}  // namespace

/// Symmetric prime, h = (p-1)/2, a_i = g^i:
/// DFT(p) = [I(1) + [1 -i; 1 i] x I(h)] . ([1 1; 1 C] + S) . [I(1) + DFT(2) x I(h)] . permutations
/// with C[i,j] = cos(2 pi g^(i+j) / p) cyclic and S[i,j] = sin(2 pi g^(i+j) / p) skew-cyclic.
std::vector<Formula> symmetric_prime(const Dft& transform) {
  const Index p = transform.n, h = (p - 1) / 2;
  if (p < 3 || !is_prime(p)) return {};
  const Index g = primitive_root(p);
  std::vector<Index> order(h, 1);
  for (Index i = 1; i < h; ++i) order[i] = multiply_mod(order[i - 1], g, p);
  Reals cosines, sines;
  for (Index a : order) {
    const Complex w = root_of_unity(p, a);
    cosines.push_back(w.real());
    sines.push_back(-w.imag());
  }
  return {
      compose({output_stage(p, order), direct_sum({cosine_part(cosines), skew_circulant(sines)}),
               input_stage(p, order)})};
}

}  // namespace weft::formula
