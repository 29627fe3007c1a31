// SPDX-License-Identifier: BSD-3-Clause
// One stage of a distributed transform on one rank: transforms its boxes along axes that are whole
// in them. Boxes are read from pieces and written to pieces. If the pieces of a box are one strided
// array, a local plan works on it directly. Otherwise the box is taken in tiles that fit the cache:
// gather, transform, scatter; so packing costs no pass over memory. A stage without axes copies.
#pragma once

#include <memory>
#include <vector>

#include "problem/array_problem.hpp"
#include "reshape/piece.hpp"
#include "weft/plan.hpp"

namespace weft::global {

/// The whole array as the stage transforms it, and this rank's part. Strides are those of the
/// pieces; those of the dimensions are not used.
struct StageProblem : problem::ArrayProblem {
  std::vector<int> order;               ///< the axes as reproducible transforms take them
  std::vector<Box> in_boxes;            ///< of this rank, whole along the axes
  std::vector<reshape::Piece> sources;  ///< cover the boxes
  std::vector<reshape::Piece> targets;  ///< of what the boxes become; the rest is not wanted
  /// After the transforms, element (p, q) along axes `twiddled` and `twiddled` + 1 is multiplied
  /// by the p q-th power of the root of unity of order `line`; -1: nothing is.
  int twiddled = -1;
  Index line = 0;
  Index tile_bytes = 0;  ///< of tiles that are gathered and scattered; 0: half of the L2 cache
};

class LocalTuner;

/// How the local transforms are chosen, and whether their numbers may depend on distribution.
/// Everything else about a stage follows from its problem: a box that is one strided array on both
/// sides is transformed as it lies, the columns of a line with their factors in one pass, others in
/// tiles.
struct StageOptions {
  std::shared_ptr<LocalTuner> tuner = nullptr;  ///< null: the cost model chooses
  bool reproducible = false;
  std::shared_ptr<const Executor> executor;
};

class StagePlan {
 public:
  StagePlan(const StageProblem& problem, const StageOptions& options);
  ~StagePlan();
  StagePlan(StagePlan&&) noexcept;

  /// `scratch` is 64-byte aligned and holds scratch_bytes().
  void run(const reshape::Bases& bases, std::byte* scratch) const;
  Index scratch_bytes() const;
  double flops() const;  ///< done by this rank

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::global
