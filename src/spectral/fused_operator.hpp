// SPDX-License-Identifier: BSD-3-Clause
// Forward, function, backward, made ready to run. Up to three sweeps over memory: the axes outside
// of the tiles forward; tile by tile the other axes forward, the function, and these axes backward;
// the axes outside backward.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "local/array/array_report.hpp"
#include "spectral/column_tiles.hpp"
#include "spectral/operator_problem.hpp"
#include "spectral/operator_way.hpp"
#include "spectral/plane_sweep.hpp"
#include "spectral/plane_tiles.hpp"
#include "spectral/runnable_operator.hpp"
#include "spectral/tiling.hpp"
#include "spectral/wave_numbers.hpp"
#include "weft/spectral.hpp"

namespace weft::spectral {

template <class Real>
class FusedOperator final : public RunnableOperator {
 public:
  using Function = std::function<void(const ModeTile<Real>&)>;

  /// Not of a problem without elements, and not by steps.
  FusedOperator(const OperatorProblem& problem, const OperatorWay& way, Function function,
                const OperatorChoice& choice);

  int parts() const override { return has_middle() ? 3 : 1; }
  void execute_part(int part, const void* const* in, void* const* out,
                    void* workspace) const override;
  std::size_t workspace_bytes() const override;
  double passes() const override;
  std::string explain() const override;

 private:
  using Complex = std::complex<Real>;
  /// The axes outside of the tiles: plane by plane, else by a plan of the whole array.
  struct OuterSweep {
    problem::ArrayProblem problem;
    local::ArrayRecipe recipe;
    std::optional<PlaneSweep<Real>> planes;
    std::optional<local::ArrayPlan<Real>> plan;
  };
  /// Boxes of modes of one size: all of them, or the last along the dimension that is cut.
  struct TilePlans {
    std::vector<Index> strides;  // within the tile
    Index modes;                 // of one field
    Sweep<Real> forward, backward;
  };
  struct Memory {
    const void* const* in;
    void* const* out;
    char* tasks;    // scratch of every task
    Complex* kept;  // fields that do not lie in the outputs
    char* sweeps;   // workspace of the sweeps before and after
  };

  /// Read and written by all passes.
  double bytes() const;
  void make_sweeps(const OperatorChoice& choice);
  void make_tiles(const OperatorChoice& choice);
  OuterSweep make_outer(Direction direction, const OperatorChoice& choice) const;
  TilePlans make_tile(std::vector<Index> extents, const OperatorChoice& choice) const;

  bool has_middle() const { return before_.has_value(); }
  bool has_columns() const;
  std::size_t field_bytes() const;
  Complex* middle(const Memory& memory, int field) const;
  void run_outer(const OuterSweep& sweep, const void* from, void* to, const Memory& memory) const;
  void run_tiles(const Memory& memory) const;
  template <class Tiles>
  void run_in_place(const Tiles& tiles, const Memory& memory) const;
  void run_tile(Index number, const Memory& memory, char* scratch) const;

  OperatorProblem problem_;
  OperatorWay way_;
  Tiling tiling_;
  Function function_;
  std::shared_ptr<const Executor> executor_;
  int tasks_;
  std::vector<Index> in_strides_, out_strides_, middle_strides_;  // of one field, in elements
  Index middle_size_ = 0;
  std::optional<OuterSweep> before_, after_;
  std::optional<ColumnTiles<Real>> columns_;
  std::optional<PlaneTiles<Real>> planes_;
  // Else tiles in a buffer: whole ones, then the last along the cut where it is smaller.
  std::vector<TilePlans> tiles_;
  TileBoxes boxes_;
  std::optional<local::ArrayRecipe> whole_;  // of the axes inside, for the whole array
  WaveNumbers<Real> waves_;
  std::size_t task_bytes_ = 0, sweep_bytes_ = 0;
};

}  // namespace weft::spectral
