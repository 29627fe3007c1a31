// SPDX-License-Identifier: BSD-3-Clause
#include "formula/expand.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/index.hpp"
#include "formula/rules/rules.hpp"
#include "weft/error.hpp"

namespace weft::formula {
namespace {

/// The largest power of n's smallest prime factor that divides n.
Index prime_power_part(Index n) {
  const Index p = prime_factors(n).front();
  Index part = 1;
  for (; n % p == 0; n /= p) part *= p;
  return part;
}

/// The choice among `factor_pairs`-ordered ones whose left factor is r.
Formula choice_with_left_factor(const std::vector<Formula>& choices, Index r) {
  for (const Formula& choice : choices)
    for (const Formula& factor : choice.as<Compose>()->factors)
      if (const auto* product = factor.as<Tensor>())
        if (product->factors.front() == dft(r)) return choice;
  throw Error(ErrorCode::internal, "no breakdown with left factor " + std::to_string(r));
}

/// The one rule applied to DFT(n), n > 2.
Formula break_down(Index n) {
  if (std::has_single_bit(static_cast<std::uint64_t>(n))) return split_radix({n}).front();
  if (is_prime(n)) {
    // Beyond 31 Rader's two convolutions undercut the (p-1)^2 products of the symmetric form.
    return n <= 31 ? symmetric_prime({n}).front() : rader({n}).front();
  }
  const Index part = prime_power_part(n);
  if (part != n) return choice_with_left_factor(good_thomas({n}), part);
  return paired_cooley_tukey({n}).front();
}

std::vector<Formula> expand_all(const std::vector<Formula>& parts) {
  std::vector<Formula> expanded;
  for (const Formula& part : parts) expanded.push_back(expand_best(part));
  return expanded;
}

}  // namespace

Formula expand_best(Index n) {
  if (n == 1) return identity(1);
  if (n == 2) return dense(2, 2, {1, 1, 1, -1});
  return expand_best(break_down(n));
}

Formula expand_best(const Formula& formula) {
  if (const auto* transform = formula.as<Dft>()) return expand_best(transform->n);
  if (const auto* product = formula.as<Compose>()) return compose(expand_all(product->factors));
  if (const auto* product = formula.as<Tensor>()) return tensor(expand_all(product->factors));
  if (const auto* sum = formula.as<DirectSum>()) return direct_sum(expand_all(sum->terms));
  if (!formula.is_terminal())
    throw Error(ErrorCode::unsupported, "no breakdown rule for this kind of transform");
  return formula;
}

}  // namespace weft::formula
