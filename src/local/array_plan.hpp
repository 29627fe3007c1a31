// SPDX-License-Identifier: BSD-3-Clause
// The array's recipe made ready to run.
#pragma once

#include <memory>
#include <vector>

#include "local/array_recipe.hpp"
#include "weft/executor.hpp"

namespace weft::local {

template <class Real>
class ArrayPlan {
 public:
  ArrayPlan(const ArrayRecipe& recipe, const ArrayProblem& problem,
            std::shared_ptr<const Executor> executor);

  /// Pointers to the first elements; `workspace` is 64-byte aligned.
  void execute(const void* in, void* out, void* workspace) const;
  std::size_t workspace_bytes() const;

 private:
  struct Axis {
    Place from, to;
    std::unique_ptr<AxisEngine<Real>> engine;
  };
  struct Step {
    std::vector<Loop> outer_loops;
    LoopIndex outer, outer_middle;
    bool fused;  // tiles are shared out among threads, each goes through all axes at once
    std::vector<Axis> axes;
  };
  struct Memory {
    const char* in;
    char* out;
    char* temporary;
    Real* scratch;  // of all tasks
    Real* shared;
  };

  void run_tiles(const Step& step, const Memory& memory) const;
  void run_axis(const Axis& axis, const Memory& memory, LoopIndex::Offsets from,
                LoopIndex::Offsets to) const;
  const char* source(const Memory& memory, const Axis& axis, LoopIndex::Offsets outer,
                     LoopIndex::Offsets middle) const;
  char* target(const Memory& memory, const Axis& axis, LoopIndex::Offsets outer,
               LoopIndex::Offsets middle) const;

  Index stored_bytes_;  // of one real
  int tasks_;
  std::shared_ptr<const Executor> executor_;
  std::vector<Step> steps_;
  Index task_reals_ = 0, shared_reals_ = 0, temporary_reals_ = 0;
};

}  // namespace weft::local
