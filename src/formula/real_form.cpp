// SPDX-License-Identifier: BSD-3-Clause
#include "formula/real_form.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "formula/formula.hpp"
#include "formula/parts.hpp"
#include "formula/sparse_rows.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

Formula real_form_of_leaf(const Formula& leaf) {
  std::vector<std::vector<Sparse::Entry>> rows;
  for (const auto& row : sparse_rows(leaf)) {
    std::vector<Sparse::Entry> re, im;
    for (const auto& [column, value] : row) {
      if (value.real() != 0) re.push_back({2 * column, value.real()});
      if (value.imag() != 0) re.push_back({2 * column + 1, -value.imag()});
      if (value.real() != 0) im.push_back({2 * column + 1, value.real()});
      if (value.imag() != 0) im.push_back({2 * column, value.imag()});
    }
    rows.push_back(std::move(re));
    rows.push_back(std::move(im));
  }
  return sparse(2 * leaf.columns(), std::move(rows));
}

/// A x I(b), A complex: bring the parts out of the way of b, (b, part) -> (part, b), and back.
Formula real_form_before_identity(const Formula& a, Index b) {
  if (b == 1) return real_form(a);
  return compose({tensor({identity(a.rows()), stride_permutation(2 * b, b)}),
                  tensor({real_form(a), identity(b)}),
                  tensor({identity(a.columns()), stride_permutation(2 * b, 2)})});
}

/// A x B x ... as the product of I x A x I, one for each factor: a factor sees the rows of those on
/// its right, which work before it, and the columns of those on its left.
Formula real_form_of_tensor(const Tensor& product) {
  std::vector<Formula> stages;
  for (std::size_t i = 0; i < product.factors.size(); ++i) {
    Index left = 1, right = 1;
    for (std::size_t j = 0; j < i; ++j) left *= product.factors[j].columns();
    for (std::size_t j = i + 1; j < product.factors.size(); ++j) right *= product.factors[j].rows();
    stages.push_back(
        tensor({identity(left), real_form_before_identity(product.factors[i], right)}));
  }
  return compose(std::move(stages));
}

}  // namespace

bool is_real(const Formula& terminal) {
  const auto all_real = [](const auto& parts) { return std::ranges::all_of(parts, is_real); };
  if (const auto* product = terminal.as<Compose>()) return all_real(product->factors);
  if (const auto* product = terminal.as<Tensor>()) return all_real(product->factors);
  if (const auto* sum = terminal.as<DirectSum>()) return all_real(sum->terms);
  for (const auto& row : sparse_rows(terminal))
    for (const Sparse::Entry& entry : row)
      if (entry.value.imag() != 0) return false;
  return true;
}

Formula real_form(const Formula& terminal) {
  if (is_real(terminal)) return tensor({terminal, identity(2)});
  if (const auto* product = terminal.as<Compose>())
    return compose(mapped(product->factors, real_form));
  if (const auto* sum = terminal.as<DirectSum>()) return direct_sum(mapped(sum->terms, real_form));
  if (const auto* product = terminal.as<Tensor>()) return real_form_of_tensor(*product);
  return real_form_of_leaf(terminal);
}

}  // namespace weft::formula
