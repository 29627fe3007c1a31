// SPDX-License-Identifier: BSD-3-Clause
#include "base/reference_dft.hpp"

#include "base/index.hpp"
#include "base/roots.hpp"

namespace weft {
namespace {

using LongComplex = std::complex<long double>;

/// Decimation in time by the smallest prime factor. `roots` holds the N-th roots of the whole
/// transform; this level uses every (N/n)-th.
void transform(const LongComplex* x, Index stride, Index n, const std::vector<LongComplex>& roots,
               LongComplex* y, std::vector<LongComplex>& scratch) {
  if (n == 1) {
    y[0] = x[0];
    return;
  }
  const Index p = prime_factors(n).front(), m = n / p;
  const Index total = static_cast<Index>(roots.size()), step = total / n;
  for (Index i = 0; i < p; ++i) transform(x + i * stride, stride * p, m, roots, y + i * m, scratch);
  for (Index k = 0; k < m; ++k) {
    for (Index q = 0; q < p; ++q) {
      LongComplex sum = y[k];
      for (Index i = 1; i < p; ++i) {
        const LongComplex w = roots[static_cast<std::size_t>(i * (k + q * m) % n * step)];
        const LongComplex v = y[i * m + k];
        sum += LongComplex(w.real() * v.real() - w.imag() * v.imag(),
                           w.real() * v.imag() + w.imag() * v.real());
      }
      scratch[static_cast<std::size_t>(q)] = sum;
    }
    for (Index q = 0; q < p; ++q) y[k + q * m] = scratch[static_cast<std::size_t>(q)];
  }
}

LongComplex product(LongComplex a, LongComplex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Bluestein's algorithm with a power of two, for lengths with a large prime factor p, where the
/// plain recursion would cost n * p.
std::vector<LongComplex> by_chirp(const std::vector<LongComplex>& x, Direction direction) {
  const Index n = static_cast<Index>(x.size());
  Index m = 1;
  while (m < 2 * n - 1) m *= 2;
  std::vector<LongComplex> a(static_cast<std::size_t>(m)), b(a.size()), chirp(x.size());
  for (Index j = 0; j < n; ++j) {
    const Index square = multiply_mod(j, j, 2 * n);
    const LongComplex c = root_of_unity(2 * n, direction == Direction::forward ? square : -square);
    chirp[static_cast<std::size_t>(j)] = c;
    a[static_cast<std::size_t>(j)] = product(x[static_cast<std::size_t>(j)], c);
    b[static_cast<std::size_t>(j)] = b[static_cast<std::size_t>((m - j) % m)] = std::conj(c);
  }
  a = reference_dft(a);
  b = reference_dft(b);
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = product(a[k], b[k]);
  a = reference_dft(a, Direction::backward);
  a.resize(x.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    a[k] = product(a[k], chirp[k]) / static_cast<long double>(m);
  return a;
}

}  // namespace

std::vector<LongComplex> reference_dft(const std::vector<LongComplex>& x, Direction direction) {
  const Index n = static_cast<Index>(x.size());
  if (n > 0 && largest_prime_factor(n) > 100) return by_chirp(x, direction);
  std::vector<LongComplex> roots, y(x.size()),
      scratch(static_cast<std::size_t>(largest_prime_factor(n)));
  for (Index k = 0; k < n; ++k)
    roots.push_back(root_of_unity(n, direction == Direction::forward ? k : -k));
  if (n > 0) transform(x.data(), 1, n, roots, y.data(), scratch);
  return y;
}

}  // namespace weft
