// SPDX-License-Identifier: BSD-3-Clause
// An axis recipe made ready to run on arrays of given strides: all transforms along one axis.
// The work is cut into units that may run at the same time; engines that need a barrier in between
// have several phases.
#pragma once

#include <memory>
#include <vector>

#include "local/axis/axis_recipe.hpp"
#include "local/lane/kernel_call.hpp"
#include "weft/plan.hpp"

namespace weft::local {

/// One loop around the transforms: `count` times, this far apart. Distances in reals.
struct Loop {
  Index count = 1;
  Index in = 0, out = 0;
  friend bool operator==(const Loop&, const Loop&) = default;
};

/// How one side of a problem is stored, if not as one complex (or real) number per row. Such rows
/// are first converted to planar rows or to a contiguous line, as binary16 is.
struct RowForm {
  Index kept = 0;            ///< rows in memory; 0: all. The others are zero, or not stored
  bool around_zero = false;  ///< the rows around row 0 are in memory, else the first ones
  bool split = false;        ///< imaginary parts lie apart; Scratch has the distance

  bool is_plain() const { return kept == 0 && !split; }
  /// Of n rows the first `head` and the last `tail` are in memory.
  Index head(Index n) const { return kept == 0 ? n : around_zero ? (kept + 1) / 2 : kept; }
  Index tail() const { return kept > 0 && around_zero ? kept / 2 : 0; }
  friend bool operator==(const RowForm&, const RowForm&) = default;
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
  bool half = false;      ///< both sides are stored as binary16
  bool twiddled = false;  ///< row k of the output times a factor of its own: Scratch::factors
  RowForm in_form = {}, out_form = {};
  bool orthogonalize = false;  ///< kind r2r only, as in Transform

  /// Length of the complex transform that does the work.
  Index complex_length() const;
  /// Rows of a side: of the half spectrum for the complex side of r2c and c2r.
  Index in_rows() const { return kind == Kind::c2r ? n / 2 + 1 : n; }
  Index out_rows() const { return kind == Kind::r2c ? n / 2 + 1 : n; }
  /// Whether the rows must be converted before the arithmetic: binary16, or a RowForm.
  bool is_staged() const { return half || is_formed(); }
  bool is_formed() const { return !in_form.is_plain() || !out_form.is_plain(); }
  friend bool operator==(const AxisProblem&, const AxisProblem&) = default;
};

/// Can the problem be done by lines, each by one kernel? Complex rows must be contiguous; real and
/// binary16 rows are brought into a line first.
bool admits_lines(const AxisRecipe& lines, const AxisProblem& problem, Precision precision);

/// The kernel that does whole contiguous lines of the problem, complex or real; nullptr if there is
/// none. Real lines can then still be done by a complex kernel and a step of their own.
const codelet::CompiledKernel* whole_line_kernel(const AxisRecipe& lines,
                                                 const AxisProblem& problem, Precision precision);

/// How a recipe runs on a problem; it follows from the recipe's type and the problem. Chosen by
/// engine_of(), built by make_axis_engine(), named by Plan::tree().
enum class Engine {
  lanes,             ///< complex transforms side by side
  lines,             ///< complex lines by one kernel each
  whole_lines,       ///< contiguous real lines of even length by one real kernel each
  four_step,         ///< complex lines as a matrix in cache
  large,             ///< complex lines as a matrix in two passes over memory
  convolution,       ///< complex lines by Rader or Bluestein
  real_lanes,        ///< real transforms side by side, as complex ones
  odd_lanes,         ///< the same of odd length, by a real first pass
  prime_lanes,       ///< the same of prime length, by a real convolution
  real_kernel,       ///< real transforms side by side by one real kernel
  short_real_lines,  ///< contiguous real lines of even length by one complex kernel each
  real_by_complex,   ///< real lines by a complex line
  real_split,        ///< contiguous real lines of odd length by a real pass and complex lines
  real_rader,        ///< real lines of odd prime length by a real convolution
  staged_line,       ///< lines stored in another form, each converted to a contiguous line and back
  r2r,               ///< real-to-real transforms side by side
  trig_lanes,        ///< DCTs and DSTs of types II to IV and even length side by side
  trig_lines,        ///< contiguous real-to-real lines by real or complex lines
};
Engine engine_of(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision);
/// What an engine does besides the complex transform of the recipe; empty for complex ones.
const char* words_of(Engine engine);

/// Where an engine works: memory of its own task, and memory that the tasks of a phase share. A
/// twiddled problem has a complex factor for each row of its output. Sides that are split have
/// their imaginary parts so many reals after the real ones.
template <class Real>
struct Scratch {
  Real* task = nullptr;
  Real* shared = nullptr;
  const Real* factors = nullptr;
  Index in_imag = 1, out_imag = 1;
};

template <class Real>
class AxisEngine {
 public:
  virtual ~AxisEngine() = default;
  /// The kernel call that does all the work, if one is enough; else none.
  virtual KernelCall as_one_call() const { return {}; }
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

/// The recipe must fit().
template <class Real>
std::unique_ptr<AxisEngine<Real>> make_axis_engine(const AxisRecipe& recipe,
                                                   const AxisProblem& problem);

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
