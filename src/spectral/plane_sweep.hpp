// SPDX-License-Identifier: BSD-3-Clause
// All axes of an operator but the slowest in one sweep over memory, plane by plane: some of them
// into a buffer that stays in cache, the others from there to memory, past the caches. Memory is
// read once and written once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spectral/sweep.hpp"

namespace weft::spectral {

/// One side of the sweep: strides in elements.
struct PlaneSide {
  std::vector<Index> strides;
  Index reals = 2;  ///< of one element
};

/// Both, and what the result is multiplied by.
struct PlaneSides {
  PlaneSide from, to;
  double scale = 1;
};

template <class Real>
class PlaneSweep {
 public:
  /// From fields in memory to the fields between the sweeps (forward), or back. `whole` is the
  /// recipe of all `axes` of the array whose dimensions that are not transformed have `extents`.
  /// Nothing where planes do not fit into a cache, where there are too few for all threads, or
  /// where the halved axis is the slowest of them.
  static std::optional<PlaneSweep> make(const OperatorProblem& problem,
                                        const std::vector<int>& axes,
                                        const std::vector<Index>& extents, Direction direction,
                                        const PlaneSides& sides, const local::ArrayRecipe& whole,
                                        const OperatorChoice& choice);

  Index planes() const { return loops_.count(); }
  std::size_t scratch_bytes() const;
  /// Plane number `plane` of one field, by the calling thread.
  void run(Index plane, const void* from, void* to, char* scratch) const;
  std::string text() const;

 private:
  PlaneSweep(Sweep<Real> first, Sweep<Real> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  Sweep<Real> first_, second_;
  local::LoopIndex loops_{{}};  // over planes, distances in reals
  std::size_t buffer_bytes_ = 0;
};

}  // namespace weft::spectral
