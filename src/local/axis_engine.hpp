// SPDX-License-Identifier: BSD-3-Clause
// An axis recipe made ready to run on arrays of given strides: all transforms along one axis.
// The work is cut into units that may run at the same time; engines that need a barrier in between
// have several phases.
#pragma once

#include <memory>
#include <vector>

#include "local/axis_recipe.hpp"
#include "weft/plan.hpp"

namespace weft::local {

/// One loop around the transforms: `count` times, this far apart. Distances in reals.
struct Loop {
  Index count = 1;
  Index in = 0, out = 0;
  friend bool operator==(const Loop&, const Loop&) = default;
};

/// All transforms along one axis. Distances in reals of the stored type, whatever the element type.
struct AxisProblem {
  Kind kind = Kind::c2c;
  R2r r2r = R2r::dht;  ///< kind r2r only
  Index n = 1;         ///< logical length: real points for r2c and c2r
  Index in_row = 0, out_row = 0;
  std::vector<Loop> loops;  ///< innermost (the lanes of a lane recipe) last
  Direction direction = Direction::forward;
  double scale = 1.0;
  bool half = false;  ///< both sides are stored as binary16

  /// Length of the complex transform that does the work.
  Index complex_length() const;
  friend bool operator==(const AxisProblem&, const AxisProblem&) = default;
};

/// Can the problem be done by lines, each by one kernel? Complex rows must be contiguous; real and
/// binary16 rows are brought into a line first.
bool admits_lines(const AxisRecipe& lines, const AxisProblem& problem, Precision precision);

/// Is there a real kernel of the problem's whole length?
bool admits_real_kernel(codelet::Isa isa, const AxisProblem& problem, Precision precision);

/// Where an engine works: memory of its own task, and memory that the tasks of a phase share.
template <class Real>
struct Scratch {
  Real* task = nullptr;
  Real* shared = nullptr;
};

template <class Real>
class AxisEngine {
 public:
  virtual ~AxisEngine() = default;
  virtual int phases() const { return 1; }
  virtual Index units(int phase) const = 0;
  /// Runs units [begin, end) of a phase. `in` and `out` are the arrays' first elements.
  virtual void run(int phase, Index begin, Index end, const void* in, void* out,
                   const Scratch<Real>& scratch) const = 0;
  /// Everything on the calling thread.
  void run_all(const void* in, void* out, const Scratch<Real>& scratch) const {
    for (int phase = 0; phase < phases(); ++phase) run(phase, 0, units(phase), in, out, scratch);
  }
  Index task_reals() const { return task_reals_; }
  Index shared_reals() const { return shared_reals_; }

 protected:
  Index task_reals_ = 0, shared_reals_ = 0;
};

/// `threads` tells large transforms whether to work on one line together or on a line each.
template <class Real>
std::unique_ptr<AxisEngine<Real>> make_axis_engine(const AxisRecipe& recipe,
                                                   const AxisProblem& problem, int threads);

/// Walks the loops around a unit of work: offsets of unit number `index`.
class LoopIndex {
 public:
  explicit LoopIndex(std::vector<Loop> loops) : loops_(std::move(loops)) {}
  Index count() const {
    Index count = 1;
    for (const Loop& loop : loops_) count *= loop.count;
    return count;
  }
  struct Offsets {
    Index in = 0, out = 0;
  };
  Offsets operator()(Index index) const {
    Offsets offsets;
    for (std::size_t d = loops_.size(); d-- > 0;) {
      const Index i = index % loops_[d].count;
      index /= loops_[d].count;
      offsets.in += i * loops_[d].in;
      offsets.out += i * loops_[d].out;
    }
    return offsets;
  }

 private:
  std::vector<Loop> loops_;
};

}  // namespace weft::local
