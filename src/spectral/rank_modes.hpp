// SPDX-License-Identifier: BSD-3-Clause
// What the function of a distributed operator does on one rank: as a step of its own on spectra
// that are stored, or within the one step that also does the stages beside it (fused_pair.hpp).
#pragma once

#include <memory>

#include "global/run/rank_device.hpp"
#include "spectral/operator_problem.hpp"
#include "weft/distributed.hpp"

namespace weft::spectral {

/// What the forward plan leaves to the backward plan on this rank.
struct UndoneStage {
  global::StageProblem problem;
  reshape::Bases bases{};  ///< of the last execution
  /// Both plans keep the array between their stages in the same shared memory, at the same place.
  bool stays_in_place = false;
};

class RankModes {
 public:
  virtual ~RankModes() = default;

  /// Makes room for the spectra of all fields, each in these boxes. Throws on this rank alone.
  virtual void store(const LocalBoxes& boxes, Index count) = 0;
  virtual void* field(int f) const = 0;
  virtual Index bytes() const = 0;
  /// The function at all stored modes. What it throws is thrown when all threads have returned.
  virtual void run() const = 0;

  /// The last stage forward, the function and the first stage backward. Where there are several
  /// fields they are the first dimension of a stage's problem. Throws on this rank alone.
  virtual std::unique_ptr<global::RunnableStage> fused_stage(
      std::shared_ptr<const UndoneStage> undone, const global::StageProblem& next,
      const global::StageOptions& options) = 0;
  /// Whether all of it is one pass over the memory of this rank, when it has been made.
  virtual bool is_one_pass() const = 0;
  /// Takes over the whole operator, which needs no other rank, on arrays in these boxes. False
  /// where that would be no faster. Throws on this rank alone.
  virtual bool take_whole(const LocalBoxes& /*input*/, const LocalBoxes& /*output*/) {
    return false;
  }
  virtual void run_whole(const void* /*in*/, void* /*out*/) const {}
  /// Whether that is faster than steps, because the smallest tile of all fields stays in cache. Its
  /// size follows from `points` and `row`, see least_tile_bytes().
  virtual bool fit(Index points, Index row) const = 0;
};

std::unique_ptr<RankModes> modes_on_cpu(const OperatorProblem& problem,
                                        const ModeFunction& function,
                                        std::shared_ptr<const Executor> executor);
/// Throws weft::Error (unsupported) if the function has no form for GPUs.
std::unique_ptr<RankModes> modes_on_gpu(const OperatorProblem& problem,
                                        const ModeFunction& function, const Device& choice,
                                        std::shared_ptr<const global::RankDevice> device);

}  // namespace weft::spectral
