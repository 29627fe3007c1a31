// SPDX-License-Identifier: BSD-3-Clause
// A forward and a backward plan over ranks whose common middle is one step (fused_stage.hpp).
#pragma once

#include <memory>

#include "global/run/plan.hpp"
#include "spectral/fused_stage.hpp"
#include "weft/distributed.hpp"

namespace weft::spectral {

class FusedPair {
 public:
  /// Collective; throws on all ranks or on none. Null where the middle cannot be fused: a plan has
  /// one stage, takes a single axis apart, or has
  /// its real axis next to the function. `there` and `back` say how; they are not used later.
  static std::unique_ptr<FusedPair> make(const Transform& forward, const Transform& backward,
                                         const DistributedPlan& there, const DistributedPlan& back,
                                         const Comm& comm, const DistributedOptions& options,
                                         BoxFunction function);

  /// Collective. `modes` is room for the forward plan's output, which is not written to as such.
  /// Where a rank has a failure, all ranks throw.
  void execute(const void* in, void* modes, void* out, std::exception_ptr failure);
  Index workspace_bytes() const;

 private:
  std::shared_ptr<const Comm> comm_;
  std::unique_ptr<global::GlobalPlan> there_, back_;
};

}  // namespace weft::spectral
