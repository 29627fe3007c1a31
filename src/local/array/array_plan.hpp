// SPDX-License-Identifier: BSD-3-Clause
// The array's recipe made ready to run. Nothing is decided here.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/buffer.hpp"
#include "local/array/array_copy.hpp"
#include "local/array/array_cut.hpp"
#include "local/array/spectrum_fill.hpp"
#include "weft/executor.hpp"

namespace weft::local {

template <class Real>
class ArrayPlan {
 public:
  /// The recipe must fit(). Throws weft::Error (out_of_memory) at once when the plan needs more
  /// memory than there is.
  ArrayPlan(const ArrayRecipe& recipe, const ArrayProblem& problem,
            std::shared_ptr<const Executor> executor);

  /// Pointers to the first elements; `workspace` is 64-byte aligned. Split sides have their
  /// imaginary parts so many reals after the real ones.
  void execute(const void* in, void* out, void* workspace, Index in_imag = 1,
               Index out_imag = 1) const;
  /// execute() is these parts, one after the other; to be timed apart. There are as many as copies,
  /// steps of the recipe and, last, half spectra that are filled up.
  int parts() const;
  void execute_part(int part, const void* in, void* out, void* workspace, Index in_imag = 1,
                    Index out_imag = 1) const;
  std::size_t workspace_bytes() const;
  /// The kernel call that does all of execute(), if one is enough; it needs no workspace. Else
  /// none.
  KernelCall as_one_call() const {
    return alone_ == nullptr ? KernelCall{} : alone_->engine->as_one_call();
  }

 private:
  struct Axis {
    Place from, to;
    std::shared_ptr<const AxisEngine<Real>> engine;
    Buffer<Real> factors;  // of the first part of a split axis, row after row; else empty
  };
  struct Step {
    LoopIndex outer, outer_middle;
    bool threads_outside;
    SplitTwiddles twiddles;
    std::vector<Axis> axes;

    /// Those of a tile.
    const Real* factors(const Axis& axis, Index tile) const {
      if (axis.factors.size() == 0) return nullptr;
      return axis.factors.data() + tile / twiddles.period % twiddles.columns * 2 * twiddles.rows;
    }
  };
  struct Memory {
    const char* in;
    char* out;
    char *temporary, *copy;
    Index in_imag, out_imag;
    Real* scratch;  // of all tasks
    Real* shared;
  };

  struct Copy {
    Place from, to;
    bool in_halves;  // real and imaginary parts one after the other
    ArrayCopy copy;
  };

  const Axis* find_alone() const;
  Memory memory_of(const void* in, void* out, void* workspace, Index in_imag, Index out_imag) const;
  void run_part(int part, const Memory& memory) const;
  void run_step(const Step& step, const Memory& memory) const;
  template <class Body>
  void share_out(Index units, const Body& body) const;
  void run_copy(const Copy& copy, const Memory& memory) const;
  char* at(const Memory& memory, Place place) const;
  Index imag(const Memory& memory, Place place) const;
  Scratch<Real> scratch_of(const Memory& memory, const Axis& axis, int task) const;
  void run_tiles(const Step& step, const Memory& memory) const;
  void run_axis(const Step& step, const Axis& axis, Index tile, const Memory& memory) const;
  const char* source(const Memory& memory, const Axis& axis, LoopIndex::Offsets outer,
                     LoopIndex::Offsets middle) const;
  char* target(const Memory& memory, const Axis& axis, LoopIndex::Offsets outer,
               LoopIndex::Offsets middle) const;

  Index stored_bytes_;  // of one real
  int tasks_;
  std::shared_ptr<const Executor> executor_;
  std::vector<Copy> copies_;
  std::vector<Step> steps_;
  const Axis* alone_ = nullptr;  // if it does everything
  std::optional<SpectrumFill> fill_;
  Index task_reals_ = 0, shared_reals_ = 0, temporary_reals_ = 0, copy_reals_ = 0;
};

}  // namespace weft::local
