// SPDX-License-Identifier: BSD-3-Clause
#include "formula/rules/circulant.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/roots.hpp"
#include "formula/formula.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

long double magnitude(long double value) { return std::abs(value); }

Formula dense_bordered_circulant(const Reals& c, long double border) {
  const Index h = std::ssize(c);
  std::vector<Complex> values(h + 1, border);
  values.front() = 1;
  for (Index i = 0; i < h; ++i) {
    values.emplace_back(1);
    for (Index j = 0; j < h; ++j) values.emplace_back(c[(i + j) % h]);
  }
  return dense(h + 1, h + 1, std::move(values));
}

}  // namespace

PrimeOrder::PrimeOrder(Index prime) : p(prime), order((prime - 1) / 2, 1) {
  const Index g = primitive_root(p);
  for (std::size_t i = 1; i < order.size(); ++i) order[i] = multiply_mod(order[i - 1], g, p);
  for (Index a : order) {
    const Complex w = root_of_unity(p, a);
    cosines.push_back(w.real());
    sines.push_back(-w.imag());
  }
}

/// C+- = (c[j] +- c[j+h/2]) / 2, where C- is skew. Odd sizes stay dense, which costs the fewest
/// operations where multiply and add are fused.
Formula bordered_circulant(const Reals& c, long double border) {
  const Index h = std::ssize(c), half = h / 2;
  if (h % 2 != 0) return dense_bordered_circulant(c, border);
  Reals even(half), odd(half);
  for (Index j = 0; j < half; ++j) {
    even[j] = (c[j] + c[j + half]) / 2;
    odd[j] = (c[j] - c[j + half]) / 2;
  }
  const Formula stage = direct_sum({identity(1), tensor({dft(2), identity(half)})});
  return compose(
      {stage, direct_sum({bordered_circulant(even, border), skew_circulant(odd)}), stage});
}

/// The largest value is taken out as a scale that follows, where the next addition can absorb it;
/// the +-1 left in its place opens each row, so that every other product has a sum to join.
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

Formula symmetric_parts(const PrimeOrder& prime) {
  std::vector<std::vector<Sparse::Entry>> rows{{{0, 1}}};
  for (long double sign : {1.0L, -1.0L})
    for (Index a : prime.order) rows.push_back({{a, 1}, {prime.p - a, sign}});
  return sparse(prime.p, std::move(rows));
}

}  // namespace weft::formula
