// SPDX-License-Identifier: BSD-3-Clause
#include "base/reference_dft.hpp"

#include "base/index.hpp"
#include "base/roots.hpp"

namespace weft {
namespace {

using LongComplex = std::complex<long double>;

LongComplex product(LongComplex a, LongComplex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Decimation in time by one factor after another. `roots` holds the N-th roots of the whole
/// transform; the level of n points uses every (N/n)-th.
struct Recursion {
  const std::vector<LongComplex>& roots;
  const std::vector<Index>& factors;
  std::vector<LongComplex>& scratch;  ///< as many as the largest factor

  const LongComplex& root(Index k) const { return roots[static_cast<std::size_t>(k)]; }

  void transform(const LongComplex* x, Index stride, Index n, std::size_t level,
                 LongComplex* y) const {
    if (n == 1) {
      y[0] = x[0];
      return;
    }
    const Index p = factors[level], m = n / p;
    for (Index i = 0; i < p; ++i) transform(x + i * stride, stride * p, m, level + 1, y + i * m);
    const Index step = static_cast<Index>(roots.size()) / n;
    for (Index k = 0; k < m; ++k) {
      for (Index i = 1; k > 0 && i < p; ++i)
        y[i * m + k] = product(y[i * m + k], root(i * k * step));
      butterfly(p, m, y + k);
    }
  }

  /// p points at distance m.
  void butterfly(Index p, Index m, LongComplex* y) const {
    if (p == 2) {
      const LongComplex a = y[0], b = y[m];
      y[0] = a + b;
      y[m] = a - b;
    } else if (p == 4) {
      const LongComplex a = y[0] + y[2 * m], b = y[0] - y[2 * m], c = y[m] + y[3 * m],
                        d = y[m] - y[3 * m];
      y[0] = a + c;
      y[m] = {b.real() + d.imag(), b.imag() - d.real()};
      y[2 * m] = a - c;
      y[3 * m] = {b.real() - d.imag(), b.imag() + d.real()};
    } else {
      by_definition(p, m, y);
    }
  }

  void by_definition(Index p, Index m, LongComplex* y) const {
    const Index step = static_cast<Index>(roots.size()) / p;
    for (Index q = 0; q < p; ++q) {
      LongComplex sum = y[0];
      Index power = 0;
      for (Index i = 1; i < p; ++i) {
        power += q;
        if (power >= p) power -= p;
        sum += product(y[i * m], root(power * step));
      }
      scratch[static_cast<std::size_t>(q)] = sum;
    }
    for (Index q = 0; q < p; ++q) y[q * m] = scratch[static_cast<std::size_t>(q)];
  }
};

}  // namespace

ReferenceDft::ReferenceDft(Index n, Direction direction) : direction_(direction) {
  const bool by_chirp = n > 0 && largest_prime_factor(n) > 100;
  Index length = n;
  if (by_chirp)
    for (length = 1; length < 2 * n - 1;) length *= 2;
  for (Index rest = length; rest > 0 && rest % 4 == 0; rest /= 4) factors_.push_back(4);
  for (Index p : prime_factors(length >> (2 * factors_.size()))) factors_.push_back(p);
  for (Index k = 0; k < length; ++k) roots_.push_back(root_of_unity(length, k));
  if (!by_chirp) return;
  Line b(static_cast<std::size_t>(length));
  for (Index j = 0; j < n; ++j) {
    const Index square = multiply_mod(j, j, 2 * n);
    const LongComplex c = root_of_unity(2 * n, direction == Direction::forward ? square : -square);
    chirp_.push_back(c);
    b[static_cast<std::size_t>(j)] = b[static_cast<std::size_t>((length - j) % length)] =
        std::conj(c) / static_cast<long double>(length);
  }
  chirp_spectrum_ = by_factors(b, Direction::forward);
}

ReferenceDft::Line ReferenceDft::by_factors(const Line& x, Direction direction) const {
  if (direction == Direction::backward) {  // the conjugate transform of the conjugates
    Line y = x;
    for (LongComplex& v : y) v = std::conj(v);
    y = by_factors(y, Direction::forward);
    for (LongComplex& v : y) v = std::conj(v);
    return y;
  }
  Line y(x.size()), scratch(factors_.empty() ? 0 : static_cast<std::size_t>(factors_.back()));
  if (!x.empty())
    Recursion{roots_, factors_, scratch}.transform(x.data(), 1, static_cast<Index>(x.size()), 0,
                                                   y.data());
  return y;
}

ReferenceDft::Line ReferenceDft::operator()(const Line& x) const {
  if (chirp_.empty()) return by_factors(x, direction_);
  Line a(roots_.size());
  for (std::size_t j = 0; j < x.size(); ++j) a[j] = product(x[j], chirp_[j]);
  a = by_factors(a, Direction::forward);
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = product(a[k], chirp_spectrum_[k]);
  a = by_factors(a, Direction::backward);
  a.resize(x.size());
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = product(a[k], chirp_[k]);
  return a;
}

std::vector<LongComplex> reference_dft(const std::vector<LongComplex>& x, Direction direction) {
  return ReferenceDft(static_cast<Index>(x.size()), direction)(x);
}

}  // namespace weft
