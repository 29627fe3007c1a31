// SPDX-License-Identifier: BSD-3-Clause
// A forward and a backward plan over ranks whose common middle is one step: the last stage forward,
// the function and the first stage backward (pair_devices.hpp). Several fields go through both
// plans together (fused_fields.hpp).
#pragma once

#include <memory>
#include <span>

#include "global/run/plan.hpp"
#include "spectral/pair_devices.hpp"
#include "weft/distributed.hpp"

namespace weft::spectral {

/// A plan once more: how it does its transform, and where.
struct PlanAgain {
  Transform transform;
  global::Recipe recipe;
  LocalBoxes input, output;
  bool output_is_free = false;
  int fields = 1;

  PlanAgain(const Transform& transform, const DistributedPlan& plan, bool output_is_free,
            int fields);
};

/// Whether the middle of the two plans can be one step, of arrays of that many dimensions. Not
/// where a plan has one stage, takes a single axis apart or has its real axis next to the function,
/// nor where chunks of a pipelined exchange would cut what the function needs whole.
bool can_be_fused(const PlanAgain& there, const PlanAgain& back);
/// What tiles of the middle are made of: modes along the axes of both stages, which no tile cuts,
/// and in a row, which tiles may cut; 1 where they may not.
struct TileModes {
  Index whole = 1, row = 1;
};
TileModes tile_modes(const PlanAgain& there, const PlanAgain& back,
                     const std::vector<Index>& spectrum);

class FusedPair {
 public:
  /// Collective; throws on all ranks or on none. `modes` must live as long.
  static std::unique_ptr<FusedPair> make(const PlanAgain& there, const PlanAgain& back,
                                         const Comm& comm, const DistributedOptions& options,
                                         const std::shared_ptr<const global::RankDevice>& device,
                                         RankModes& modes);

  /// Collective. Where a rank has a failure, all ranks throw.
  void execute(std::span<const void* const> in, std::span<void* const> out,
               std::exception_ptr failure);
  Index workspace_bytes() const;
  Index messages() const { return there_->messages() + back_->messages(); }
  Index message_bytes() const { return there_->message_bytes() + back_->message_bytes(); }
  double flops() const { return there_->flops() + back_->flops(); }
  int copied_sides() const { return there_->copied_sides() + back_->copied_sides(); }

 private:
  std::shared_ptr<const Comm> comm_;
  std::shared_ptr<FieldArrays> in_, out_;
  std::unique_ptr<global::GlobalPlan> there_, back_;
};

}  // namespace weft::spectral
