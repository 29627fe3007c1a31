// SPDX-License-Identifier: BSD-3-Clause
#include "formula/rewrite.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formula/formula.hpp"
#include "formula/parts.hpp"
#include "formula/sparse_rows.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

using Result = std::optional<Formula>;

bool is_identity(const Formula& formula) { return formula.as<Identity>() != nullptr; }

// ---- any operator

/// A x (B x C) = A x B x C, and the same for products and sums.
Result flatten(const Formula& formula) {
  const auto* parts = parts_of(formula);
  if (!parts) return {};
  std::vector<Formula> flat;
  for (const Formula& part : *parts) {
    if (part.node().index() == formula.node().index()) {
      const auto& inner = *parts_of(part);
      flat.insert(flat.end(), inner.begin(), inner.end());
    } else {
      flat.push_back(part);
    }
  }
  if (flat.size() == parts->size()) return {};
  return with_parts(formula, std::move(flat));
}

Result drop_operator_of_one_part(const Formula& formula) {
  const auto* parts = parts_of(formula);
  if (!parts || parts->size() != 1) return {};
  return parts->front();
}

// ---- leaves

Result trivial_stride(const Formula& formula) {
  const auto* l = formula.as<StridePermutation>();
  if (!l || (l->stride != 1 && l->stride != l->n)) return {};
  return identity(l->n);
}

Result trivial_twiddles(const Formula& formula) {
  const auto* t = formula.as<Twiddles>();
  if (!t || (t->s != 1 && t->s != t->n)) return {};
  return identity(t->n);
}

Result trivial_diagonal(const Formula& formula) {
  const auto* d = formula.as<Diagonal>();
  if (!d || !std::ranges::all_of(d->values, [](Complex v) { return v == Complex(1); })) return {};
  return identity(std::ssize(d->values));
}

Result trivial_permutation(const Formula& formula) {
  const auto* p = formula.as<Permutation>();
  if (!p || !std::ranges::is_sorted(p->source)) return {};
  return identity(std::ssize(p->source));
}

Result transform_of_one_point(const Formula& formula) {
  const bool is_transform = formula.as<Dft>() || formula.as<ScaledDft>() || formula.as<RealDft>() ||
                            formula.as<InverseRealDft>() || formula.as<Dht>();
  if (!is_transform || formula.rows() != 1) return {};
  return identity(1);
}

// ---- tensor products

/// A x I(1) = A
Result drop_unit_factors(const Formula& formula) {
  const auto* product = formula.as<Tensor>();
  if (!product) return {};
  std::vector<Formula> others;
  for (const Formula& factor : product->factors)
    if (factor != identity(1)) others.push_back(factor);
  if (others.size() == product->factors.size()) return {};
  return others.empty() ? identity(1) : tensor(std::move(others));
}

/// I(m) x I(n) = I(mn)
Result join_identities(const Formula& formula) {
  const auto* product = formula.as<Tensor>();
  if (!product) return {};
  std::vector<Formula> joined;
  for (const Formula& factor : product->factors) {
    if (!joined.empty() && is_identity(factor) && is_identity(joined.back()))
      joined.back() = identity(joined.back().rows() * factor.rows());
    else
      joined.push_back(factor);
  }
  if (joined.size() == product->factors.size()) return {};
  return tensor(std::move(joined));
}

/// I(k) x (A . B) x I(m) = (I(k) x A x I(m)) . (I(k) x B x I(m)): identities (5) and (6).
Result distribute(const Formula& formula) {
  if (!formula.as<Tensor>()) return {};
  const Frame frame = frame_of(formula);
  const auto* inner = frame.inner.as<Compose>();
  if (!inner) return {};
  return compose(mapped(inner->factors, [&](const Formula& factor) {
    return Frame{frame.left, factor, frame.right}.formula();
  }));
}

/// A x B = (A x I) . (I x B): one factor that does something in each tensor product.
Result separate_factors(const Formula& formula) {
  const auto* product = formula.as<Tensor>();
  if (!product || std::ranges::count_if(product->factors, std::not_fn(is_identity)) < 2) return {};
  std::vector<Formula> stages;
  Index left = 1, right = formula.rows();
  for (const Formula& factor : product->factors) {
    right /= factor.rows();
    if (!is_identity(factor)) stages.push_back(Frame{left, factor, right}.formula());
    left *= factor.columns();
  }
  return compose(std::move(stages));
}

// ---- direct sums

/// I(m) + I(n) = I(m+n)
Result join_identity_terms(const Formula& formula) {
  const auto* sum = formula.as<DirectSum>();
  if (!sum) return {};
  std::vector<Formula> joined;
  for (const Formula& term : sum->terms) {
    if (!joined.empty() && is_identity(term) && is_identity(joined.back()))
      joined.back() = identity(joined.back().rows() + term.rows());
    else
      joined.push_back(term);
  }
  if (joined.size() == sum->terms.size()) return {};
  return direct_sum(std::move(joined));
}

/// A + A + ... + A = I(k) x A
Result equal_terms(const Formula& formula) {
  const auto* sum = formula.as<DirectSum>();
  if (!sum || sum->terms.size() < 2) return {};
  const Formula& first = sum->terms.front();
  if (!std::ranges::all_of(sum->terms, [&](const Formula& term) { return term == first; }))
    return {};
  return tensor({identity(std::ssize(sum->terms)), first});
}

// ---- products: pairs of neighbours that become one factor

/// L(n,a) . L(n,b) = L(n,ab), strides counted so that n is 1; (13) is the case ab > n.
Result stride_times_stride(const Formula& a, const Formula& b) {
  const auto *l = a.as<StridePermutation>(), *r = b.as<StridePermutation>();
  if (!l || !r) return {};
  const Index n = l->n, stride = l->stride * r->stride;
  if (n % stride == 0) return stride_permutation(n, stride);
  if (stride % n == 0) return stride_permutation(n, stride / n);
  return {};
}

std::vector<Index> source_of(const Formula& permutation) {
  std::vector<Index> source;
  for (const auto& row : sparse_rows(permutation)) source.push_back(row.front().column);
  return source;
}

/// P . Q, at least one of them explicit: (P . Q)[i] = Q[P[i]].
Result permutation_times_permutation(const Formula& a, const Formula& b) {
  const auto is_permutation = [](const Formula& f) {
    return f.as<Permutation>() || f.as<StridePermutation>();
  };
  if (!is_permutation(a) || !is_permutation(b)) return {};
  if (!a.as<Permutation>() && !b.as<Permutation>()) return {};
  std::vector<Index> source = source_of(a);
  const std::vector<Index> inner = source_of(b);
  for (Index& i : source) i = inner[i];
  return permutation(std::move(source));
}

Result diagonal_times_diagonal(const Formula& a, const Formula& b) {
  const auto *left = a.as<Diagonal>(), *right = b.as<Diagonal>();
  if (!left || !right) return {};
  std::vector<Complex> values = left->values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= right->values[i];
  return diagonal(std::move(values));
}

/// Joins the first two neighbours for which `join` has an answer, also inside equal frames.
Result join_neighbours(const Formula& formula, Result (*join)(const Formula&, const Formula&)) {
  const auto* product = formula.as<Compose>();
  if (!product) return {};
  for (std::size_t i = 0; i + 1 < product->factors.size(); ++i) {
    const Frame a = frame_of(product->factors[i]), b = frame_of(product->factors[i + 1]);
    if (a.left != b.left || a.right != b.right) continue;
    if (const Result joined = join(a.inner, b.inner)) {
      std::vector<Formula> factors = product->factors;
      factors[i] = Frame{a.left, *joined, a.right}.formula();
      factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return compose(std::move(factors));
    }
  }
  return {};
}

Result join_strides(const Formula& formula) {
  return join_neighbours(formula, stride_times_stride);
}
Result join_permutations(const Formula& formula) {
  return join_neighbours(formula, permutation_times_permutation);
}
Result join_diagonals(const Formula& formula) {
  return join_neighbours(formula, diagonal_times_diagonal);
}

/// A . I . B = A . B
Result drop_identity_factors(const Formula& formula) {
  const auto* product = formula.as<Compose>();
  if (!product) return {};
  std::vector<Formula> others;
  for (const Formula& factor : product->factors)
    if (!is_identity(factor)) others.push_back(factor);
  if (others.size() == product->factors.size()) return {};
  return others.empty() ? product->factors.front() : compose(std::move(others));
}

constexpr RewriteRule rules[] = {
    {"drop operator of one part", drop_operator_of_one_part},
    {"flatten", flatten},
    {"L(n,1) = L(n,n) = I(n)", trivial_stride},
    {"T(n,1) = T(n,n) = I(n)", trivial_twiddles},
    {"diag(1,...,1) = I(n)", trivial_diagonal},
    {"P(0 1 2 ...) = I(n)", trivial_permutation},
    {"DFT(1) = I(1)", transform_of_one_point},
    {"A x I(1) = A", drop_unit_factors},
    {"I(m) x I(n) = I(mn)", join_identities},
    {"I(m) + I(n) = I(m+n)", join_identity_terms},
    {"A + A = I(2) x A", equal_terms},
    {"I . A = A . I = A", drop_identity_factors},
    {"L(n,a) . L(n,b) = L(n,ab)", join_strides},
    {"P . Q = PQ", join_permutations},
    {"diag(a) . diag(b) = diag(ab)", join_diagonals},
    {"I x (A . B) x I = (I x A x I) . (I x B x I)", distribute},
    {"A x B = (A x I) . (I x B)", separate_factors},
};

}  // namespace

std::span<const RewriteRule> normal_form_rules() { return rules; }

Formula normal_form(const Formula& formula) {
  Formula current = formula;
  if (const auto* parts = parts_of(formula))
    current = with_parts(formula, mapped(*parts, normal_form));
  for (const RewriteRule& rule : rules)
    if (const Result replacement = rule.apply(current)) return normal_form(*replacement);
  return current;
}

Formula rewrite_everywhere(const Formula& formula,
                           const std::function<std::optional<Formula>(const Formula&)>& rule) {
  Formula current = formula;
  if (const auto* parts = parts_of(formula))
    current = with_parts(formula, mapped(*parts, [&](const Formula& part) {
                           return rewrite_everywhere(part, rule);
                         }));
  return rule(current).value_or(current);
}

}  // namespace weft::formula
