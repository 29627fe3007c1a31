// SPDX-License-Identifier: BSD-3-Clause
#include "base/index.hpp"

#include <algorithm>
#include <string>

#include "weft/error.hpp"

namespace weft {

Index checked_product(Index a, Index b, const char* what) {
  Index result = 0;
  if (__builtin_mul_overflow(a, b, &result))
    throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + std::to_string(a) + " x " +
                                                 std::to_string(b) +
                                                 " does not fit 64 bits; use smaller sizes");
  return result;
}

Index checked_product(std::span<const Index> values, const char* what) {
  Index result = 1;
  for (Index v : values) result = checked_product(result, v, what);
  return result;
}

Index checked_sum(Index a, Index b, const char* what) {
  Index result = 0;
  if (__builtin_add_overflow(a, b, &result))
    throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + std::to_string(a) + " + " +
                                                 std::to_string(b) +
                                                 " does not fit 64 bits; use smaller sizes");
  return result;
}

std::vector<Index> prime_factors(Index n) {
  std::vector<Index> factors;
  for (Index p = 2; p <= n / p; p += (p == 2 ? 1 : 2))
    while (n % p == 0) {
      factors.push_back(p);
      n /= p;
    }
  if (n > 1) factors.push_back(n);
  return factors;
}

bool is_prime(Index n) {
  if (n < 2) return false;
  for (Index p = 2; p <= n / p; p += (p == 2 ? 1 : 2))
    if (n % p == 0) return false;
  return true;
}

Index largest_prime_factor(Index n) {
  const auto factors = prime_factors(n);
  return factors.empty() ? 1 : factors.back();
}

std::vector<std::pair<Index, Index>> factor_pairs(Index n) {
  std::vector<std::pair<Index, Index>> pairs;
  for (Index r = 2; r <= n / r; ++r)
    if (n % r == 0) pairs.emplace_back(r, n / r);
  const std::size_t small = pairs.size();
  for (std::size_t i = small; i-- > 0;)
    if (pairs[i].first != pairs[i].second) pairs.emplace_back(pairs[i].second, pairs[i].first);
  return pairs;
}

Index next_smooth(Index n) {
  Index best = 1;
  while (best < n) best *= 2;
  for (Index fives = 1; fives < best; fives *= 5)
    for (Index m = fives; m < best; m *= 3) {
      Index smooth = m;
      while (smooth < n) smooth *= 2;
      best = std::min(best, smooth);
    }
  return best;
}

Index multiply_mod(Index a, Index b, Index m) {
  constexpr Index small = Index{1} << 31;
  if (a < small && b < small)
    return a * b % m;  // the 128-bit division below is several times slower
  return static_cast<Index>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) %
                            static_cast<unsigned __int128>(m));
}

Index power_mod(Index a, Index e, Index m) {
  Index result = 1 % m;
  for (a %= m; e > 0; e >>= 1) {
    if (e & 1) result = multiply_mod(result, a, m);
    a = multiply_mod(a, a, m);
  }
  return result;
}

Index inverse_mod(Index a, Index m) {
  Index r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const Index q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    t0 = std::exchange(t1, t0 - q * t1);
  }
  return t0 < 0 ? t0 + m : t0;
}

Index primitive_root(Index p) {
  if (p == 2) return 1;
  auto factors = prime_factors(p - 1);
  for (Index g = 2;; ++g) {
    bool generates = true;
    for (Index q : factors)
      if (power_mod(g, (p - 1) / q, p) == 1) generates = false;
    if (generates) return g;
  }
}

}  // namespace weft
