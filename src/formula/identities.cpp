// SPDX-License-Identifier: BSD-3-Clause
#include "formula/identities.hpp"

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "formula/formula.hpp"
#include "formula/parts.hpp"
#include "formula/rewrite.hpp"
#include "formula/sparse_rows.hpp"
#include "formula/transpose.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

using Result = std::optional<Formula>;

/// I(left) x L(n,stride) x I(right)
struct FramedStride {
  Index left, n, stride, right;
};

std::optional<FramedStride> framed_stride(const Formula& formula) {
  const Frame frame = frame_of(formula);
  const auto* l = frame.inner.as<StridePermutation>();
  if (!l) return {};
  return FramedStride{frame.left, l->n, l->stride, frame.right};
}

/// The A of a factor that is I(k) x A.
Result inside_left_identity(const Formula& factor, Index k) {
  if (const auto* unit = factor.as<Identity>())
    return unit->n % k == 0 ? Result(identity(unit->n / k)) : Result();
  const Frame frame = frame_of(factor);
  if (frame.left % k != 0) return {};
  return Frame{frame.left / k, frame.inner, frame.right}.formula();
}

Result inside_right_identity(const Formula& factor, Index k) {
  if (const auto* unit = factor.as<Identity>())
    return unit->n % k == 0 ? Result(identity(unit->n / k)) : Result();
  const Frame frame = frame_of(factor);
  if (frame.right % k != 0) return {};
  return Frame{frame.left, frame.inner, frame.right / k}.formula();
}

std::optional<std::vector<Formula>> all_inside(const Formula& product, Index k,
                                               Result (*inside)(const Formula&, Index)) {
  const auto* factors = parts_of(product);
  if (!product.as<Compose>()) return {};
  std::vector<Formula> inner;
  for (const Formula& factor : *factors) {
    const Result part = inside(factor, k);
    if (!part) return {};
    inner.push_back(*part);
  }
  return inner;
}

bool is_diagonal(const Formula& formula) {
  return formula.as<Diagonal>() || formula.as<Twiddles>();
}

/// Where output i of a permutation, framed or not, comes from; empty for other formulas.
std::vector<Index> sources(const Formula& formula) {
  const Frame frame = frame_of(formula);
  if (!frame.inner.as<StridePermutation>() && !frame.inner.as<Permutation>()) return {};
  const auto rows = sparse_rows(frame.inner);
  std::vector<Index> result;
  for (Index i = 0; i < frame.left; ++i)
    for (const auto& row : rows)
      for (Index j = 0; j < frame.right; ++j)
        result.push_back((i * std::ssize(rows) + row.front().column) * frame.right + j);
  return result;
}

/// The right-hand sides of (11) and (12).
Formula product_eleven(Index k, Index m, Index n) {
  return compose({tensor({stride_permutation(k * n, n), identity(m)}),
                  tensor({identity(k), stride_permutation(m * n, n)})});
}

Formula product_twelve(Index k, Index m, Index n) {
  return compose({tensor({identity(k), stride_permutation(m * n, m)}),
                  tensor({stride_permutation(k * n, k), identity(m)})});
}

}  // namespace

Result factor_length(const StridePermutation& l, Index k) {
  const Index n = l.stride, km = l.n / n;
  if (k < 1 || km % k != 0) return {};
  return product_eleven(k, km / k, n);
}

Result merge_length(const Formula& left, const Formula& right) {
  const auto a = framed_stride(left), b = framed_stride(right);
  if (!a || !b || a->left != 1 || b->right != 1 || a->stride != b->stride) return {};
  const Index n = a->stride, k = b->left, m = a->right;
  if (a->n != k * n || b->n != m * n) return {};
  return stride_permutation(k * m * n, n);
}

Result factor_stride(const StridePermutation& l, Index k) {
  if (k < 1 || l.stride % k != 0) return {};
  return product_twelve(k, l.stride / k, l.n / l.stride);
}

Result merge_stride(const Formula& left, const Formula& right) {
  const auto a = framed_stride(left), b = framed_stride(right);
  if (!a || !b || a->right != 1 || b->left != 1) return {};
  const Index k = a->left, m = a->stride, n = a->n / m;
  if (b->n != k * n || b->stride != k || b->right != m) return {};
  return stride_permutation(k * m * n, k * m);
}

Result split_in_two_strides(const StridePermutation& l, Index m) {
  const Index k = l.stride;
  if (m < 1 || (l.n / k) % m != 0) return {};
  const Index n = l.n / k / m;
  return compose({stride_permutation(l.n, k * m), stride_permutation(l.n, k * n)});
}

Result swap_factors(const Formula& tensor_product) {
  const auto* product = tensor_product.as<Tensor>();
  if (!product || product->factors.size() != 2) return {};
  const Formula &a = product->factors[0], &b = product->factors[1];
  const Index m = a.rows(), n = b.rows();
  if (a.columns() != m || b.columns() != n) return {};
  return compose({stride_permutation(m * n, m), tensor({b, a}), stride_permutation(m * n, n)});
}

Result unswap_factors(const Formula& left, const Formula& middle, const Formula& right) {
  const auto *l = left.as<StridePermutation>(), *r = right.as<StridePermutation>();
  const auto* product = middle.as<Tensor>();
  if (!l || !r || !product || product->factors.size() != 2) return {};
  const Formula &b = product->factors[0], &a = product->factors[1];
  if (a.rows() != a.columns() || b.rows() != b.columns()) return {};
  if (l->stride != a.rows() || r->stride != b.rows()) return {};
  return tensor({a, b});
}

Result group_parallel(const Formula& product, Index k) {
  auto inner = all_inside(product, k, inside_left_identity);
  if (!inner) return {};
  return tensor({identity(k), compose(*std::move(inner))});
}

Result group_vectors(const Formula& product, Index k) {
  auto inner = all_inside(product, k, inside_right_identity);
  if (!inner) return {};
  return tensor({compose(*std::move(inner)), identity(k)});
}

Result move_diagonal_left(const Formula& permutation, const Formula& diagonal) {
  const std::vector<Index> source = sources(permutation);
  if (source.empty() || !is_diagonal(diagonal)) return {};
  const auto rows = sparse_rows(diagonal);
  std::vector<Complex> values(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) values[i] = rows[source[i]].front().value;
  return compose({formula::diagonal(std::move(values)), permutation});
}

Result move_diagonal_right(const Formula& diagonal, const Formula& permutation) {
  const std::vector<Index> source = sources(permutation);
  if (source.empty() || !is_diagonal(diagonal)) return {};
  const auto rows = sparse_rows(diagonal);
  std::vector<Complex> values(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) values[source[i]] = rows[i].front().value;
  return compose({permutation, formula::diagonal(std::move(values))});
}

Result block_transposition(const StridePermutation& l, Index p) {
  const Index m = l.stride, n = l.n / m;
  if (p < 1 || m % p != 0 || n % p != 0) return {};
  // (15) is (12) with k = p; (16) is (11) with k = p on the L(np,p) of its second factor.
  const Formula product = product_twelve(p, m / p, n);
  const auto& factors = product.as<Compose>()->factors;
  return normal_form(compose(
      {factors[0], tensor({product_eleven(p, n / p, p), factors[1].as<Tensor>()->factors[1]})}));
}

Result block_transposition_transposed(const StridePermutation& l, Index p) {
  const Result swapped = block_transposition({l.n, l.n / l.stride}, p);
  if (!swapped) return {};
  return transpose(*swapped);
}

}  // namespace weft::formula
