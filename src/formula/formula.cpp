// SPDX-License-Identifier: BSD-3-Clause
// Shapes, equality and checked construction of formulas.
#include "formula/formula.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/index.hpp"
#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

void require(bool holds, const std::string& message) {
  if (!holds) throw Error(ErrorCode::invalid_argument, message);
}

void require_size(Index n, const char* what) {
  require(n >= 1, std::string(what) + "(" + std::to_string(n) + "): the size must be at least 1");
}

std::string shape(Index rows, Index columns) {
  return std::to_string(rows) + "x" + std::to_string(columns);
}

/// Rows (or columns) of a formula; `size_of` says which of the two is asked of the parts.
template <class SizeOf>
Index size_by_parts(const Formula::Node& node, SizeOf size_of) {
  return std::visit(
      Overloaded{[&](const Tensor& tensor) {
                   Index size = 1;
                   for (const Formula& factor : tensor.factors)
                     size = checked_product(size, size_of(factor), "size of a tensor product");
                   return size;
                 },
                 [&](const DirectSum& sum) {
                   return std::accumulate(
                       sum.terms.begin(), sum.terms.end(), Index{0},
                       [&](Index size, const Formula& term) { return size + size_of(term); });
                 },
                 [](const Permutation& permutation) { return std::ssize(permutation.source); },
                 [](const Diagonal& diagonal) { return std::ssize(diagonal.values); },
                 [](const Dense&) { return Index{0}; },   // rectangular kinds are handled
                 [](const Sparse&) { return Index{0}; },  // by the callers
                 [](const Gather&) { return Index{0}; }, [](const Compose&) { return Index{0}; },
                 [](const auto& square) { return square.n; }},
      node);
}

bool same(const Sparse::Entry& a, const Sparse::Entry& b) {
  return a.column == b.column && a.value == b.value;
}

bool same(const Sparse& a, const Sparse& b) {
  return a.columns == b.columns &&
         std::ranges::equal(a.rows, b.rows, [](const auto& left, const auto& right) {
           return std::ranges::equal(left, right,
                                     [](const auto& x, const auto& y) { return same(x, y); });
         });
}

bool same(const Gather& a, const Gather& b) {
  if (a.rule == b.rule) return true;
  if (a.rule->rows() != b.rule->rows() || a.rule->columns() != b.rule->columns()) return false;
  for (Index i = 0; i < a.rule->rows(); ++i)
    if (a.rule->entry(i) != b.rule->entry(i)) return false;
  return true;
}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (requires { a.factors; }) {
    return a.factors == b.factors;
  } else if constexpr (requires { a.terms; }) {
    return a.terms == b.terms;
  } else if constexpr (requires { a.source; }) {
    return a.source == b.source;
  } else if constexpr (requires { a.columns; }) {
    return a.rows == b.rows && a.columns == b.columns && a.values == b.values;
  } else if constexpr (requires { a.values; }) {
    return a.values == b.values;
  } else if constexpr (requires { a.level; }) {
    return a.n == b.n && a.level == b.level;
  } else if constexpr (requires { a.kind; }) {
    return a.n == b.n && a.kind == b.kind;
  } else if constexpr (requires { a.stride; }) {
    return a.n == b.n && a.stride == b.stride;
  } else if constexpr (requires { a.s; }) {
    return a.n == b.n && a.s == b.s;
  } else {
    return a.n == b.n;
  }
}

bool all_terminal(const std::vector<Formula>& parts) {
  return std::ranges::all_of(parts, [](const Formula& part) { return part.is_terminal(); });
}

}  // namespace

Index Formula::rows() const {
  if (const auto* half = as<HalfDft>()) return half->half();
  if (const auto* dense = as<Dense>()) return dense->rows;
  if (const auto* sparse = as<Sparse>()) return std::ssize(sparse->rows);
  if (const auto* gather = as<Gather>()) return gather->rule->rows();
  if (const auto* product = as<Compose>()) return product->factors.front().rows();
  return size_by_parts(node(), [](const Formula& part) { return part.rows(); });
}

Index Formula::columns() const {
  if (const auto* half = as<InverseHalfDft>()) return half->half();
  if (const auto* dense = as<Dense>()) return dense->columns;
  if (const auto* sparse = as<Sparse>()) return sparse->columns;
  if (const auto* gather = as<Gather>()) return gather->rule->columns();
  if (const auto* product = as<Compose>()) return product->factors.back().columns();
  return size_by_parts(node(), [](const Formula& part) { return part.columns(); });
}

bool Formula::is_terminal() const {
  return std::visit(
      Overloaded{[](const Tensor& tensor) { return all_terminal(tensor.factors); },
                 [](const Compose& product) { return all_terminal(product.factors); },
                 [](const DirectSum& sum) { return all_terminal(sum.terms); },
                 [](const auto& leaf) {
                   using Kind = std::decay_t<decltype(leaf)>;
                   return !(std::is_same_v<Kind, Dft> || std::is_same_v<Kind, ScaledDft> ||
                            std::is_same_v<Kind, RealDft> || std::is_same_v<Kind, InverseRealDft> ||
                            std::is_same_v<Kind, HalfDft> || std::is_same_v<Kind, InverseHalfDft> ||
                            std::is_same_v<Kind, Trigonometric> || std::is_same_v<Kind, Dht>);
                 }},
      node());
}

bool operator==(const Formula& a, const Formula& b) {
  if (&a.node() == &b.node()) return true;
  if (a.node().index() != b.node().index()) return false;
  return std::visit(
      [&](const auto& left) {
        using Kind = std::decay_t<decltype(left)>;
        return same(left, *b.as<Kind>());
      },
      a.node());
}

Formula dft(Index n) {
  require_size(n, "DFT");
  return Dft{n};
}

Formula scaled_dft(Index n, int level) {
  require_size(n, "SDFT");
  require(std::has_single_bit(static_cast<std::uint64_t>(n)),
          "SDFT(" + std::to_string(n) + "): the tangent algorithm needs a power of two");
  require(level == 0 || level == 1 || level == 2 || level == 4,
          "SDFT: level " + std::to_string(level) + " is not one of 0, 1, 2, 4");
  return ScaledDft{n, level};
}

Formula real_dft(Index n) {
  require_size(n, "RDFT");
  return RealDft{n};
}

Formula inverse_real_dft(Index n) {
  require_size(n, "IRDFT");
  return InverseRealDft{n};
}

Formula half_dft(Index n) {
  require_size(n, "HDFT");
  return HalfDft{n};
}

Formula inverse_half_dft(Index n) {
  require_size(n, "IHDFT");
  return InverseHalfDft{n};
}

Formula trigonometric(TrigonometricKind kind, Index n) {
  require_size(n, "DCT or DST");
  require(kind != TrigonometricKind::dct1 || n >= 2, "DCT1(1): type I needs at least 2 points");
  return Trigonometric{kind, n};
}

Formula dht(Index n) {
  require_size(n, "DHT");
  return Dht{n};
}

Formula identity(Index n) {
  require_size(n, "I");
  return Identity{n};
}

Formula tensor(std::vector<Formula> factors) {
  require(!factors.empty(), "tensor product of no factors; use identity(1)");
  return Tensor{std::move(factors)};
}

Formula compose(std::vector<Formula> factors) {
  require(!factors.empty(), "product of no factors; use identity(n)");
  for (std::size_t i = 0; i + 1 < factors.size(); ++i)
    require(factors[i].columns() == factors[i + 1].rows(),
            "product of formulas: factor " + std::to_string(i) + " is " +
                shape(factors[i].rows(), factors[i].columns()) + " and cannot follow a factor of " +
                shape(factors[i + 1].rows(), factors[i + 1].columns()));
  return Compose{std::move(factors)};
}

Formula direct_sum(std::vector<Formula> terms) {
  require(!terms.empty(), "direct sum of no terms");
  return DirectSum{std::move(terms)};
}

Formula stride_permutation(Index n, Index stride) {
  require_size(n, "L");
  require(stride >= 1 && n % stride == 0, "L(" + std::to_string(n) + "," + std::to_string(stride) +
                                              "): the stride must divide the size");
  return StridePermutation{n, stride};
}

Formula cyclic_reversal(Index n) {
  require_size(n, "J");
  return CyclicReversal{n};
}

Formula twiddles(Index n, Index s) {
  require_size(n, "T");
  require(s >= 1 && n % s == 0, "T(" + std::to_string(n) + "," + std::to_string(s) +
                                    "): the block length must divide the size");
  return Twiddles{n, s};
}

Formula permutation(std::vector<Index> source) {
  std::vector<bool> seen(source.size(), false);
  for (Index i : source) {
    require(i >= 0 && i < std::ssize(source) && !seen[i],
            "permutation of " + std::to_string(source.size()) + ": index " + std::to_string(i) +
                " is out of range or occurs twice");
    seen[i] = true;
  }
  require(!source.empty(), "permutation of no elements");
  return Permutation{std::move(source)};
}

Formula diagonal(std::vector<Complex> values) {
  require(!values.empty(), "diagonal of no values");
  return Diagonal{std::move(values)};
}

Formula dense(Index rows, Index columns, std::vector<Complex> values) {
  require(rows >= 1 && columns >= 1 && std::ssize(values) == rows * columns,
          "dense " + shape(rows, columns) + " matrix from " + std::to_string(values.size()) +
              " values; give rows * columns of them");
  return Dense{rows, columns, std::move(values)};
}

Formula sparse(Index columns, std::vector<std::vector<Sparse::Entry>> rows) {
  require(columns >= 1 && !rows.empty(), "sparse matrix without rows or columns");
  for (const auto& row : rows)
    for (const Sparse::Entry& entry : row)
      require(entry.column >= 0 && entry.column < columns,
              "sparse matrix of " + std::to_string(columns) + " columns: entry in column " +
                  std::to_string(entry.column));
  return Sparse{columns, std::move(rows)};
}

Formula gather(std::shared_ptr<const GatherRule> rule) {
  require(rule != nullptr, "gather without a rule");
  return Gather{std::move(rule)};
}

}  // namespace weft::formula
