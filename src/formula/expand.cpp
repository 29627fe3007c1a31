// SPDX-License-Identifier: BSD-3-Clause
#include "formula/expand.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "formula/formula.hpp"
#include "formula/operation_count.hpp"
#include "formula/parts.hpp"
#include "formula/rules/rules.hpp"
#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

/// A transform of one or two points, or a formula that is no transform, needs no rule.
std::optional<Formula> leaf(const Formula& transform) {
  const auto of_size = [](Index n) -> std::optional<Formula> {
    if (n == 1) return identity(1);
    if (n == 2) return dense(2, 2, {1, 1, 1, -1});
    return std::nullopt;
  };
  if (const auto* t = transform.as<Dft>()) return of_size(t->n);
  if (const auto* t = transform.as<RealDft>()) return of_size(t->n);
  if (const auto* t = transform.as<InverseRealDft>()) return of_size(t->n);
  if (const auto* t = transform.as<Dht>()) return of_size(t->n);
  if (const auto* t = transform.as<Trigonometric>())
    if (t->kind == TrigonometricKind::dct1 && t->n == 2) return of_size(2);
  return std::nullopt;
}

template <class Transform>
using Rule = std::vector<Formula> (*)(const Transform&);
template <class Transform>
struct NamedRule {
  const char* name;
  Rule<Transform> apply;
};

constexpr NamedRule<Dft> dft_rules[] = {
    {"split radix", split_radix},
    {"good-thomas", good_thomas},
    {"symmetric prime", symmetric_prime},
    {"paired cooley-tukey", paired_cooley_tukey},
    {"cooley-tukey", cooley_tukey},
    {"six-step", six_step},
    {"tangent", tangent},
    {"rader", rader},
    {"bluestein", bluestein},
};
constexpr NamedRule<ScaledDft> scaled_dft_rules[] = {{"tangent", tangent}};
constexpr NamedRule<RealDft> real_dft_rules[] = {
    {"real split radix", real_split_radix},
    {"real two-stage", real_two_stage},
    {"real prime", real_prime},
};
constexpr NamedRule<InverseRealDft> inverse_real_dft_rules[] = {
    {"real split radix", real_split_radix},
    {"real two-stage", real_two_stage},
    {"real prime", real_prime},
};
constexpr NamedRule<Trigonometric> trigonometric_rules[] = {
    {"trigonometric", reduce_trigonometric}};
constexpr NamedRule<Dht> hartley_rules[] = {{"hartley", reduce_hartley}};

template <class Transform, std::size_t count>
std::vector<Candidate> apply_all(const NamedRule<Transform> (&rules)[count],
                                 const Transform& transform) {
  std::vector<Candidate> found;
  for (const auto& [name, apply] : rules)
    for (Formula& formula : apply(transform)) found.push_back({name, std::move(formula)});
  return found;
}

/// All ways to expand the parts, first part slowest; cut off at the limit.
std::vector<Formula> combinations(const Formula& formula, std::size_t limit) {
  std::vector<std::vector<Formula>> partial{{}};
  for (const Formula& part : *parts_of(formula)) {
    const std::vector<Formula> choices = expansions(part, limit);
    std::vector<std::vector<Formula>> longer;
    for (const auto& head : partial)
      for (const Formula& choice : choices) {
        if (longer.size() == limit) break;
        longer.push_back(head);
        longer.back().push_back(choice);
      }
    partial = std::move(longer);
  }
  std::vector<Formula> result;
  result.reserve(partial.size());
  for (auto& parts : partial) result.push_back(with_parts(formula, std::move(parts)));
  return result;
}

/// The largest power of n's smallest prime factor that divides n.
Index prime_power_part(Index n) {
  const Index p = prime_factors(n).front();
  Index part = 1;
  for (; n % p == 0; n /= p) part *= p;
  return part;
}

Formula good_thomas_with_left_factor(Index n, Index r) {
  for (const Formula& choice : good_thomas({n}))
    for (const Formula& factor : choice.as<Compose>()->factors)
      if (const auto* product = factor.as<Tensor>())
        if (product->factors.front() == dft(r)) return choice;
  throw Error(ErrorCode::internal,
              "no prime-factor split of " + std::to_string(n) + " by " + std::to_string(r));
}

/// The rule for DFT(n), n > 2: chosen by the shape of n, since its costs are known.
Formula break_down(Index n, Objective objective) {
  if (std::has_single_bit(static_cast<std::uint64_t>(n)))
    return objective == Objective::operations ? scaled_dft(n, 0) : split_radix({n}).front();
  // Beyond 31 Rader's two transforms undercut the (p-1)^2 products of the symmetric form.
  if (is_prime(n)) return n <= 31 ? symmetric_prime({n}).front() : rader({n}).front();
  const Index part = prime_power_part(n);
  if (part != n) return good_thomas_with_left_factor(n, part);
  return paired_cooley_tukey({n}).front();
}

Index cost(const Formula& terminal, Objective objective) {
  const OperationCount count = operation_count_on_reals(terminal);
  return objective == Objective::operations ? count.total() : count.fused_total();
}

/// The cheapest candidate, each with its own parts at their best. Real transforms only: their
/// rules are few and their sizes small.
Formula cheapest(const Formula& transform, Objective objective) {
  std::optional<Formula> best;
  Index best_cost = std::numeric_limits<Index>::max();
  for (const Candidate& candidate : candidates(transform)) {
    Formula expanded = expand_best(candidate.formula, objective);
    const Index its_cost = cost(expanded, objective);
    if (its_cost >= best_cost) continue;
    best = std::move(expanded);
    best_cost = its_cost;
  }
  if (!best) throw Error(ErrorCode::unsupported, "no breakdown rule for this transform");
  return *best;
}

}  // namespace

std::vector<Candidate> candidates(const Formula& transform) {
  if (leaf(transform)) return {};
  if (const auto* t = transform.as<Dft>()) return apply_all(dft_rules, *t);
  if (const auto* t = transform.as<ScaledDft>()) return apply_all(scaled_dft_rules, *t);
  if (const auto* t = transform.as<RealDft>()) return apply_all(real_dft_rules, *t);
  if (const auto* t = transform.as<InverseRealDft>()) return apply_all(inverse_real_dft_rules, *t);
  if (const auto* t = transform.as<Trigonometric>()) return apply_all(trigonometric_rules, *t);
  if (const auto* t = transform.as<Dht>()) return apply_all(hartley_rules, *t);
  return {};
}

std::vector<Formula> expansions(const Formula& formula, std::size_t limit) {
  if (const auto known = leaf(formula)) return {*known};
  if (formula.is_terminal()) return {formula};
  if (parts_of(formula)) return combinations(formula, limit);
  std::vector<Formula> found;
  for (const Candidate& candidate : candidates(formula)) {
    for (Formula& expanded : expansions(candidate.formula, limit - found.size()))
      found.push_back(std::move(expanded));
    if (found.size() >= limit) break;
  }
  return found;
}

Formula expand_best(Index n, Objective objective) { return expand_best(dft(n), objective); }

Formula expand_best(const Formula& formula, Objective objective) {
  if (auto known = leaf(formula)) return *std::move(known);
  if (formula.is_terminal()) return formula;
  if (const auto* parts = parts_of(formula))
    return with_parts(
        formula, mapped(*parts, [=](const Formula& part) { return expand_best(part, objective); }));
  if (const auto* t = formula.as<Dft>()) return expand_best(break_down(t->n, objective), objective);
  if (const auto* t = formula.as<ScaledDft>()) return expand_best(tangent(*t).front(), objective);
  return cheapest(formula, objective);
}

}  // namespace weft::formula
