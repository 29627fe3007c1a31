// SPDX-License-Identifier: BSD-3-Clause
// Builds the operations of a kernel by hash-consing: an operation that already exists is reused,
// and each function below first simplifies constants and signs.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "codelet/ir/kernel.hpp"

namespace weft::codelet::ir {

class Graph {
 public:
  /// Negative constants become negations of positive ones, so that c and -c are one constant.
  Value constant(long double value);
  /// A constant that keeps its sign.
  Value signed_constant(long double value);
  Value load(int row, Part part);
  Value twiddle(int row, Part part);
  Value scale();
  Value negate(Value a);
  Value add(Value a, Value b);
  Value subtract(Value a, Value b);
  Value multiply(Value a, Value b);
  Value times_i(Value a);
  /// The operation as it is, without simplification; an equal one is still reused.
  Value exactly(const Operation& operation);

  const Operation& operation(Value v) const { return operations_[v]; }
  bool is_constant(Value v, long double value) const;
  std::vector<Operation> take() && { return std::move(operations_); }

 private:
  using Key = std::tuple<Op, int, Part, long double, bool, Value, Value, Value>;
  static Key key_of(const Operation& operation);
  Value find(const Operation& operation) const;  // -1 if there is none

  std::vector<Operation> operations_;
  std::map<Key, Value> known_;
};

/// A copy of `operation` in `graph`, with renamed arguments, simplified by the graph.
Value rebuild(Graph& graph, const Operation& operation, const std::vector<Value>& renamed);

}  // namespace weft::codelet::ir
