// SPDX-License-Identifier: BSD-3-Clause
// A lane recipe made ready to run: twiddle tables, and a flat list of steps, each a kernel with the
// offsets it is called at. Everything is decided when the plan is built; execute() walks the list.
#pragma once

#include <variant>
#include <vector>

#include "base/buffer.hpp"
#include "codelet/prime/prime_kernels.hpp"
#include "codelet/runtime/registry.hpp"
#include "local/lane/kernel_call.hpp"
#include "local/lane/lane_ops.hpp"
#include "local/lane/lane_recipe.hpp"

namespace weft::local {

/// One side of a lane transform. Distances in reals.
struct LaneSide {
  codelet::KernelLayout layout = codelet::KernelLayout::planar;
  Index row = 0;    ///< from point to point of a transform
  Index lane = 0;   ///< from transform to transform within a group of V
  Index group = 0;  ///< from one group of V lanes to the next
};

struct LaneRequest {
  LaneRecipe recipe;
  codelet::Isa isa = codelet::Isa::scalar;
  Direction direction = Direction::forward;
  LaneSide in, out;
  int groups =
      1;  ///< groups of V lanes that run interleaved, so that memory is read in longer pieces
  double scale = 1.0;
  bool lane_twiddles = false;  ///< the only pass multiplies its input by factors given at execute
};

template <class Real>
class LanePlan {
 public:
  explicit LanePlan(const LaneRequest& request);

  /// `in` and `out` point at row 0, lane 0 of group 0; they may be the same rows. `scratch` is
  /// 64-byte aligned and holds scratch_reals().
  void execute(const Real* in, Real* out, Real* scratch, const Real* lane_twiddles = nullptr) const;
  Index scratch_reals() const { return groups_ * group_scratch_; }
  /// The kernel call that does all of execute(), if one is enough; else none.
  KernelCall as_one_call() const;

  /// Can the first pass run ahead of the others? Then execute() is start() followed by finish().
  bool is_pipelined() const;
  /// The first pass alone: reads all of `in` into scratch.
  void start(const Real* in, Real* scratch) const;
  /// The other passes, and in between them the first pass of the next block, `next_in` into
  /// `next_scratch`. Its lines are fetched one call ahead, so that computing hides the wait for
  /// memory. Without a next block `next_in` is null.
  void finish(Real* out, Real* scratch, const Real* next_in, Real* next_scratch) const;

 private:
  enum class Where { input, output, scratch };
  struct Ref {
    Where where;
    Index offset;  // reals
    LaneSide side;
  };
  struct Call {
    Index in, out, twiddles;
  };
  struct KernelStep {
    codelet::KernelFunction function;
    codelet::PrimeArguments arguments;
    Where in, out;
    bool lane_twiddles, all_groups;  // all_groups: the count loop runs over the groups
    std::vector<Call> calls;
  };
  struct MoveStep {
    Ref in, out;
    Index rows;
    Index in_map = -1, out_map = -1;  // offsets into maps_
    Index factors = -1;               // offset into tables_
    double scale = 1.0;
  };
  struct ZeroStep {
    Index offset, reals;
  };
  struct MultiplyStep {
    Index offset, rows, factors;
  };
  struct AddStep {
    Index a, b, sum;
  };
  using Step = std::variant<KernelStep, MoveStep, ZeroStep, MultiplyStep, AddStep>;

  struct Builder;

  void prefetch_points(const KernelStep& first, std::size_t call, const Real* in) const;
  void prefetch_rows(const KernelStep& first, std::size_t begin, std::size_t end,
                     const Real* in) const;
  Real* at(Where where, const Real* in, Real* out, Real* scratch) const;
  void run(const KernelStep& step, const Real* in, Real* out, Real* scratch,
           const Real* lane_twiddles) const;
  void run(const MoveStep& step, const Real* in, Real* out, Real* scratch) const;

  int groups_ = 1;
  Index group_scratch_ = 0;
  const LaneOps<Real>* ops_ = nullptr;
  int lanes_ = 1;
  int first_radix_ = 0;  // rows that a call of the first pass reads
  LaneSide in_;
  std::vector<Step> steps_;
  Buffer<Real> tables_;
  std::vector<Index> maps_;
};

}  // namespace weft::local
