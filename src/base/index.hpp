// SPDX-License-Identifier: BSD-3-Clause
// Integer arithmetic that all parts use: products with overflow checks, rounding, prime factors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "weft/types.hpp"

namespace weft {

/// a * b; throws weft::Error if it does not fit in 64 bits. `what` is the name of the quantity, for
/// the message.
Index checked_product(Index a, Index b, const char* what);
Index checked_product(std::span<const Index> values, const char* what);

/// a + b, with the same check.
Index checked_sum(Index a, Index b, const char* what);

/// Converts an axis, a rank or another small number to a container index.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

inline bool contains(std::span<const int> axes, int axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

constexpr Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }
constexpr Index round_up(Index a, Index multiple) { return ceil_div(a, multiple) * multiple; }

/// Prime factors in ascending order, with repetition; empty for 1.
std::vector<Index> prime_factors(Index n);
bool is_prime(Index n);
Index largest_prime_factor(Index n);  // 1 for n = 1
/// All (r, s) with r * s = n and r, s > 1, by ascending r; empty for a prime.
std::vector<std::pair<Index, Index>> factor_pairs(Index n);
/// Smallest m >= n whose prime factors are 2, 3 and 5 only.
Index next_smooth(Index n);

/// (a * b) mod m and a^e mod m without overflow.
Index multiply_mod(Index a, Index b, Index m);
Index power_mod(Index a, Index e, Index m);
/// Inverse of a modulo m, where gcd(a, m) = 1.
Index inverse_mod(Index a, Index m);
/// Smallest generator of the multiplicative group modulo the prime p.
Index primitive_root(Index p);

}  // namespace weft
