// SPDX-License-Identifier: BSD-3-Clause
// Runs the formula on symbols. A value is a sign and the number of a node; nodes are hash-consed,
// so equal expressions are counted once and those that no output needs not at all.
#include "formula/operation_count.hpp"

#include <map>
#include <ranges>
#include <utility>
#include <vector>

#include "formula/formula.hpp"
#include "formula/sparse_rows.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

constexpr Index zero_node = 0;

struct Value {
  Index node = zero_node;
  int sign = 1;
};

struct ComplexValue {
  Value re, im;
};

using Values = std::vector<ComplexValue>;

class Graph {
 public:
  enum class Kind { input, add, multiply };
  /// add: left + sign * right; multiply: factor * left.
  struct Node {
    Kind kind;
    Index left = zero_node, right = zero_node;
    int sign = 1;
    double factor = 0;  // rounded, so that constants from different formulas meet
    friend auto operator<=>(const Node&, const Node&) = default;
  };

  Value input() {
    nodes_.push_back({Kind::input});
    return {std::ssize(nodes_) - 1, 1};
  }

  Value add(Value a, Value b) {
    if (a.node == zero_node) return b;
    if (b.node == zero_node) return a;
    if (a.node > b.node) std::swap(a, b);
    if (a.node == b.node) return a.sign == b.sign ? multiply(2, a) : Value{};  // x - x vanishes
    return {shared({Kind::add, a.node, b.node, a.sign * b.sign, 0}), a.sign};
  }

  Value multiply(long double exact, Value a) {
    auto factor = static_cast<double>(exact);
    if (factor == 0 || a.node == zero_node) return {};
    const int sign = factor < 0 ? -a.sign : a.sign;
    factor = factor < 0 ? -factor : factor;
    if (factor == 1) return {a.node, sign};
    return {shared({Kind::multiply, a.node, zero_node, 1, factor}), sign};
  }

  OperationCount count(const Values& outputs) const;

 private:
  Index absorbed_products(const Values& outputs, const std::vector<Index>& uses) const;

  Index shared(const Node& node) {
    const auto [place, is_new] = known_.try_emplace(node, std::ssize(nodes_));
    if (is_new) nodes_.push_back(node);
    return place->second;
  }

  std::vector<Node> nodes_{{Kind::input}};  // node 0 stands for zero
  std::map<Node, Index> known_;
};

OperationCount Graph::count(const Values& outputs) const {
  std::vector<Index> uses(nodes_.size());
  for (const ComplexValue& output : outputs)
    for (Value part : {output.re, output.im}) ++uses[part.node];
  OperationCount count;
  for (Index i = std::ssize(nodes_) - 1; i > zero_node; --i) {  // operands precede their users
    const Node& node = nodes_[i];
    if (uses[i] == 0 || node.kind == Kind::input) continue;
    ++(node.kind == Kind::add ? count.additions : count.multiplications);
    ++uses[node.left];
    if (node.kind == Kind::add) ++uses[node.right];
  }
  count.absorbed = absorbed_products(outputs, uses);
  return count;
}

/// Products that only additions use, where an addition fuses one product at most: of two it keeps
/// the one already computed by itself, else the second.
Index Graph::absorbed_products(const Values& outputs, const std::vector<Index>& uses) const {
  std::vector<bool> stands_alone(nodes_.size(), false);
  const auto is_product = [&](Index i) { return nodes_[i].kind == Kind::multiply; };
  for (const ComplexValue& output : outputs)
    for (Value part : {output.re, output.im}) stands_alone[part.node] = true;
  for (Index i = 1; i < std::ssize(nodes_); ++i)
    if (uses[i] > 0 && is_product(i)) stands_alone[nodes_[i].left] = true;
  for (Index i = 1; i < std::ssize(nodes_); ++i) {
    const auto& [kind, left, right, sign, factor] = nodes_[i];
    if (uses[i] == 0 || kind != Kind::add || !is_product(left) || !is_product(right)) continue;
    if (!stands_alone[left]) stands_alone[right] = true;
  }
  Index absorbed = 0;
  for (Index i = 1; i < std::ssize(nodes_); ++i)
    absorbed += uses[i] > 0 && is_product(i) && !stands_alone[i];
  return absorbed;
}

class Interpreter {
 public:
  explicit Interpreter(Graph& graph) : graph_(graph) {}

  Values run(const Formula& formula, Values x) {
    if (const auto* product = formula.as<Compose>()) return run_compose(*product, std::move(x));
    if (const auto* product = formula.as<Tensor>()) return run_tensor(*product, std::move(x));
    if (const auto* sum = formula.as<DirectSum>()) return run_sum(*sum, x);
    return run_leaf(formula, x);
  }

 private:
  ComplexValue multiply(Complex c, ComplexValue x) {
    return {graph_.add(graph_.multiply(c.real(), x.re), graph_.multiply(-c.imag(), x.im)),
            graph_.add(graph_.multiply(c.real(), x.im), graph_.multiply(c.imag(), x.re))};
  }

  Values run_leaf(const Formula& leaf, const Values& x) {
    Values y;
    for (const auto& row : sparse_rows(leaf)) {
      ComplexValue sum;
      for (const Sparse::Entry& entry : row) {
        const ComplexValue term = multiply(entry.value, x[entry.column]);
        sum = {graph_.add(sum.re, term.re), graph_.add(sum.im, term.im)};
      }
      y.push_back(sum);
    }
    return y;
  }

  Values run_compose(const Compose& product, Values x) {
    for (const Formula& factor : std::views::reverse(product.factors))
      x = run(factor, std::move(x));
    return x;
  }

  Values run_sum(const DirectSum& sum, const Values& x) {
    Values y;
    auto begin = x.begin();
    for (const Formula& term : sum.terms) {
      const Values part = run(term, Values(begin, begin + term.columns()));
      begin += term.columns();
      y.insert(y.end(), part.begin(), part.end());
    }
    return y;
  }

  Values run_tensor(const Tensor& product, Values x) {
    Index outer = 1, inner = 1;
    for (const Formula& factor : product.factors) outer *= factor.columns();
    for (const Formula& factor : std::views::reverse(product.factors)) {
      outer /= factor.columns();
      x = run_along(factor, x, outer, inner);
      inner *= factor.rows();
    }
    return x;
  }

  Values run_along(const Formula& factor, const Values& x, Index outer, Index inner) {
    const Index columns = factor.columns(), rows = factor.rows();
    Values y(outer * rows * inner), line(columns);
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < inner; ++i) {
        for (Index j = 0; j < columns; ++j) line[j] = x[(o * columns + j) * inner + i];
        const Values image = run(factor, line);
        for (Index k = 0; k < rows; ++k) y[(o * rows + k) * inner + i] = image[k];
      }
    return y;
  }

  Graph& graph_;
};

enum class Input { complex, real };

OperationCount count_on(const Formula& formula, Input kind) {
  Graph graph;
  Values x(formula.columns());
  for (ComplexValue& value : x) {
    value.re = graph.input();
    if (kind == Input::complex) value.im = graph.input();
  }
  return graph.count(Interpreter(graph).run(formula, std::move(x)));
}

}  // namespace

OperationCount operation_count(const Formula& formula) { return count_on(formula, Input::complex); }

OperationCount operation_count_on_reals(const Formula& formula) {
  return count_on(formula, Input::real);
}

}  // namespace weft::formula
