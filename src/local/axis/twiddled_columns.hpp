// SPDX-License-Identifier: BSD-3-Clause
// The first half of a long transform in two: DFT(rows) down the columns of a matrix, then element
// (p, q) times w^(p q). Groups of neighbouring columns go through it in cache, in one pass over
// memory; the factors come from tables of about the square root of the line's length.
#pragma once

#include "base/roots.hpp"
#include "local/lane/lane_plan.hpp"

namespace weft::local {

struct ColumnsRequest {
  LaneRecipe recipe;  ///< of the columns
  codelet::Isa isa = codelet::Isa::scalar;
  Direction direction = Direction::forward;
  int groups = 1;                 ///< of V columns each
  Index line = 0;                 ///< order of the root of unity
  Index columns = 0;              ///< of this matrix
  Index first = 0;                ///< q of its first column
  Index in_row = 0, in_lane = 2;  ///< distances in reals from row to row, from column to column
  Index out_row = 0;              ///< columns of the output are adjacent
  bool stream = false;            ///< full blocks are stored past the caches
};

template <class Real>
class TwiddledColumns {
 public:
  explicit TwiddledColumns(const ColumnsRequest& request);

  /// Blocks of columns; any of them may run at the same time. `out` may be `in`. `scratch` is
  /// 64-byte aligned and holds scratch_reals().
  Index blocks() const;
  void run(Index begin, Index end, const Real* in, Real* out, Real* scratch) const;
  Index scratch_reals() const {
    return work_reals_ + factor_reals_ + 2 * plan_reals_ + edge_reals_;
  }

 private:
  Index block() const { return lanes_ * request_.groups; }
  void store(Real* scratch, Index column, bool streamed, Real* out, Index out_row) const;
  TwiddleBlock<Real> factors(Index column, Real* table) const;
  void run_edge(const Real* in, Real* out, Real* scratch) const;
  LanePlan<Real> plan(Index row, Index lane) const;

  ColumnsRequest request_;
  Index rows_;
  const LaneOps<Real>& ops_;
  Index lanes_;
  LanePlan<Real> columns_;
  LanePlan<Real> edge_;  ///< the columns after the last whole block, from a buffer of their own
  RootPowers<double> roots_;
  Index period_;  ///< of the factors' fine rows
  Index work_reals_, factor_reals_, plan_reals_, edge_reals_;
};

}  // namespace weft::local
