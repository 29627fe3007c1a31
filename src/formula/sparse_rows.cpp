// SPDX-License-Identifier: BSD-3-Clause
#include "formula/sparse_rows.hpp"

#include <iterator>
#include <variant>
#include <vector>

#include "base/roots.hpp"
#include "formula/formula.hpp"
#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

using Rows = std::vector<std::vector<Sparse::Entry>>;

template <class Entry>
Rows one_entry_per_row(Index n, Entry entry) {
  Rows rows(n);
  for (Index i = 0; i < n; ++i) rows[i] = {entry(i)};
  return rows;
}

Rows rows_of(const Identity& leaf) {
  return one_entry_per_row(leaf.n, [](Index i) { return Sparse::Entry{i, 1}; });
}

Rows rows_of(const StridePermutation& leaf) {
  const Index length = leaf.n / leaf.stride;
  return one_entry_per_row(
      leaf.n, [&](Index i) { return Sparse::Entry{(i % length) * leaf.stride + i / length, 1}; });
}

Rows rows_of(const Permutation& leaf) {
  return one_entry_per_row(std::ssize(leaf.source),
                           [&](Index i) { return Sparse::Entry{leaf.source[i], 1}; });
}

Rows rows_of(const CyclicReversal& leaf) {
  return one_entry_per_row(leaf.n,
                           [&](Index i) { return Sparse::Entry{(leaf.n - i) % leaf.n, 1}; });
}

Rows rows_of(const Twiddles& leaf) {
  return one_entry_per_row(leaf.n, [&](Index i) {
    return Sparse::Entry{i, root_of_unity(leaf.n, (i / leaf.s) * (i % leaf.s))};
  });
}

Rows rows_of(const Diagonal& leaf) {
  return one_entry_per_row(std::ssize(leaf.values),
                           [&](Index i) { return Sparse::Entry{i, leaf.values[i]}; });
}

Rows rows_of(const Dense& leaf) {
  Rows rows(leaf.rows);
  for (Index i = 0; i < leaf.rows; ++i)
    for (Index j = 0; j < leaf.columns; ++j) {
      const Complex value = leaf.values[i * leaf.columns + j];
      if (value != Complex(0)) rows[i].push_back({j, value});
    }
  return rows;
}

Rows rows_of(const Sparse& leaf) { return leaf.rows; }

Rows rows_of(const Gather& leaf) {
  Rows rows(leaf.rule->rows());
  for (Index i = 0; i < leaf.rule->rows(); ++i) {
    const GatherRule::Entry entry = leaf.rule->entry(i);
    if (entry.conjugate)
      throw Error(ErrorCode::unsupported, leaf.rule->text() + " conjugates: it has no matrix");
    if (entry.value != Complex(0)) rows[i].push_back({entry.column, entry.value});
  }
  return rows;
}

template <class Other>
Rows rows_of(const Other&) {
  throw Error(ErrorCode::internal, "rows of a formula that is not a terminal leaf");
}

}  // namespace

std::vector<std::vector<Sparse::Entry>> sparse_rows(const Formula& leaf) {
  return std::visit([](const auto& node) { return rows_of(node); }, leaf.node());
}

}  // namespace weft::formula
