// SPDX-License-Identifier: BSD-3-Clause
// Finite abelian groups Z_a x Z_b x ...: the ring, the torus and the hypercube are their Cayley
// graphs, and the systolic transposition works over any of them.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::fabric {

struct AbelianGroup {
  std::vector<int> moduli;

  int order() const;
  int add(int a, int b) const;  ///< digit by digit, no carry
  int negate(int a) const;
  int digit(int a, std::size_t axis) const;
  int with_digit(int a, std::size_t axis, int value) const;
  /// Steps of +1 or -1 in any digit from 0 to a.
  int distance(int a) const;
};

inline int AbelianGroup::order() const {
  int order = 1;
  for (const int modulus : moduli) order *= modulus;
  return order;
}

inline int AbelianGroup::digit(int a, std::size_t axis) const {
  for (std::size_t k = moduli.size(); k-- > axis + 1;) a /= moduli[k];
  return a % moduli[axis];
}

inline int AbelianGroup::with_digit(int a, std::size_t axis, int value) const {
  int scale = 1;
  for (std::size_t k = moduli.size(); k-- > axis + 1;) scale *= moduli[k];
  return a + (value - digit(a, axis)) * scale;
}

inline int AbelianGroup::add(int a, int b) const {
  int sum = 0;
  for (std::size_t k = 0; k < moduli.size(); ++k)
    sum = sum * moduli[k] + (digit(a, k) + digit(b, k)) % moduli[k];
  return sum;
}

inline int AbelianGroup::negate(int a) const {
  int result = 0;
  for (std::size_t k = 0; k < moduli.size(); ++k)
    result = result * moduli[k] + (moduli[k] - digit(a, k)) % moduli[k];
  return result;
}

inline int AbelianGroup::distance(int a) const {
  int steps = 0;
  for (std::size_t k = 0; k < moduli.size(); ++k) {
    const int d = digit(a, k);
    steps += d < moduli[k] - d ? d : moduli[k] - d;
  }
  return steps;
}

}  // namespace weft::fabric
