// SPDX-License-Identifier: BSD-3-Clause
#include "demo/check.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/roots.hpp"

namespace weft::tool {

using Exact = std::complex<long double>;

Exact direct_sum(const double* field, Index n, const Frequency& k) {
  std::vector<Exact> roots(static_cast<std::size_t>(n));  // exp(-2 pi i kx x / n)
  for (Index x = 0; x < n; ++x) roots[static_cast<std::size_t>(x)] = root_of_unity(n, k.x * x);
  Exact total = 0;
  for (Index z = 0; z < n; ++z)
    for (Index y = 0; y < n; ++y) {
      const double* const row = field + (z * n + y) * n;
      long double re = 0, im = 0;
      for (Index x = 0; x < n; ++x) {
        const Exact& root = roots[static_cast<std::size_t>(x)];
        re += static_cast<long double>(row[x]) * root.real();
        im += static_cast<long double>(row[x]) * root.imag();
      }
      total += Exact(re, im) * root_of_unity(n, k.z * z + k.y * y);
    }
  return total;
}

std::vector<Exact> direct_sums(const double* field, Index n,
                               const std::vector<Frequency>& frequencies, int threads) {
  std::vector<Exact> sums(frequencies.size());
  const auto work = [&](std::size_t first) {
    for (std::size_t i = first; i < sums.size(); i += static_cast<std::size_t>(threads))
      sums[i] = direct_sum(field, n, frequencies[i]);
  };
  std::vector<std::jthread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(work, static_cast<std::size_t>(thread));
  work(0);
  others.clear();
  return sums;
}

double parseval_difference(const double* field, const std::complex<double>* spectrum, Index n) {
  long double left = 0, right = 0;
  for (Index i = 0; i < n * n * n; ++i) left += static_cast<long double>(field[i]) * field[i];
  const Index columns = n / 2 + 1;
  for (Index row = 0; row < n * n; ++row)
    for (Index k = 0; k < columns; ++k) {
      const bool is_its_own_mirror = k == 0 || 2 * k == n;
      right += (is_its_own_mirror ? 1 : 2) * std::norm(spectrum[row * columns + k]);
    }
  right /= static_cast<long double>(n) * n * n;
  return static_cast<double>(std::abs(left - right) / left);
}

double largest_difference(const double* a, const double* b, Index count, double scale) {
  double largest = 0;
  for (Index i = 0; i < count; ++i) {
    const double difference = std::abs(a[i] - b[i] / scale);
    if (!(difference <= largest)) largest = difference;  // a NaN is kept
  }
  return largest;
}

}  // namespace weft::tool
