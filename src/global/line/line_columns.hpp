// SPDX-License-Identifier: BSD-3-Clause
// The column stage of a line on one rank, where a box of the matrix lies as one strided array on
// both sides: transforms and factors in one pass over memory.
#pragma once

#include <variant>

#include "local/choose/columns.hpp"
#include "reshape/piece.hpp"

namespace weft::global {

struct LineColumnsProblem {
  Box box;
  int axis = 0;  ///< rows lie along it, columns along the next one
  reshape::Strides in{}, out{};
  Index line = 0;
  Direction direction = Direction::forward;
  Precision precision = Precision::f64;
};

class LineColumns {
 public:
  /// Whether the columns are adjacent on both sides.
  static bool can_do(const LineColumnsProblem& problem);
  /// What a recipe is chosen for.
  static local::ColumnsProblem local_problem(const LineColumnsProblem& problem);
  LineColumns(const LineColumnsProblem& problem, const local::AxisRecipe& recipe);

  /// Blocks of columns, of all matrices in the box; any may run at the same time.
  Index units() const { return matrices_ * blocks(); }
  void run(Index begin, Index end, const std::byte* in, std::byte* out, std::byte* scratch) const;
  Index scratch_bytes() const;
  double flops() const { return flops_; }

 private:
  using Either = std::variant<local::TwiddledColumns<float>, local::TwiddledColumns<double>>;
  static Either build(const LineColumnsProblem& problem, const local::AxisRecipe& recipe);
  Index blocks() const {
    return std::visit([](const auto& columns) { return columns.blocks(); }, columns_);
  }

  LineColumnsProblem problem_;
  Index matrices_;
  double flops_;
  Either columns_;
};

}  // namespace weft::global
