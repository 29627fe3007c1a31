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
#include "spectral/plane_sweep.hpp"
#include "spectral/tiling.hpp"
#include "spectral/wave_numbers.hpp"
#include "weft/spectral.hpp"

namespace weft::spectral {

template <class Real>
class FusedOperator {
 public:
  using Function = std::function<void(const ModeTile<Real>&)>;

  FusedOperator(const OperatorProblem& problem, const Tiling& tiling, Function function,
                const OperatorChoice& choice);

  /// Pointers to the first elements of `inputs` and `outputs` arrays.
  void execute(const void* const* in, void* const* out, void* workspace) const;
  std::size_t workspace_bytes() const;
  double passes() const;
  /// Read and written by all passes.
  double bytes() const;
  std::string explain() const;

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
    std::vector<Index> extents;
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

  void make_sweeps(const OperatorChoice& choice);
  void make_tiles(const OperatorChoice& choice);
  OuterSweep make_outer(Direction direction, const OperatorChoice& choice) const;
  TilePlans make_tile(std::vector<Index> extents, const OperatorChoice& choice) const;

  bool has_middle() const { return before_.has_value(); }
  /// Tiles of several axes lie in the fields between the sweeps, others in a buffer.
  bool has_planes() const { return has_middle() && tiling_.inside.size() > 1; }
  bool has_columns() const;
  std::size_t field_bytes() const;
  Complex* middle(const Memory& memory, int field) const;
  void run_outer(const OuterSweep& sweep, const void* from, void* to, const Memory& memory) const;
  void run_tiles(const Memory& memory) const;
  void run_columns(const Memory& memory) const;
  void run_tile(Index number, const Memory& memory, char* scratch) const;

  OperatorProblem problem_;
  Tiling tiling_;
  Function function_;
  std::shared_ptr<const Executor> executor_;
  int tasks_;
  bool in_outputs_ = false;  // fields between the sweeps lie in the output arrays
  std::vector<Index> in_strides_, out_strides_, middle_strides_;  // of one field, in elements
  Index middle_size_ = 0;
  std::optional<OuterSweep> before_, after_;
  std::optional<ColumnTiles<Real>> columns_;  // else tiles_
  std::optional<local::ArrayRecipe> whole_;   // of the axes inside, for the whole array
  std::vector<TilePlans> tiles_;  // whole tiles, then the last along the cut where it is smaller
  Index whole_along_cut_ = 1, along_cut_ = 1, tile_count_ = 1;
  std::optional<WaveNumbers<Real>> waves_;  // none without elements
  std::size_t task_bytes_ = 0, sweep_bytes_ = 0;
};

}  // namespace weft::spectral
