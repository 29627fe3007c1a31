// SPDX-License-Identifier: BSD-3-Clause
// The middle of an operator whose fields lie in memory between two sweeps: columns along one axis.
// Tile by tile, a run of neighbouring columns is transformed forward, given to the function and
// transformed backward, in place, while its lines stay in the second cache, or through a buffer
// where they would share a few sets of it. (Else a buffer for the modes would displace these lines:
// through one, the columns of 256^3 r2c f32 took 15.7 ms on a core with 1 MiB of second cache, in
// place they take 12.3.)
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "local/choose/machine_model.hpp"
#include "spectral/operator_problem.hpp"
#include "spectral/sweep.hpp"
#include "spectral/wave_numbers.hpp"
#include "weft/spectral.hpp"

namespace weft::spectral {

/// What is cut into tiles: `batches` runs of so many neighbouring columns of `n` modes, `apart`
/// elements from mode to mode, of several fields.
struct ColumnCut {
  Index columns = 1, batches = 1;
  Index n = 1, apart = 1;
  Index element_bytes = 8;
  int fields = 1;
  int tasks = 1;  ///< that share the tiles
  local::CacheModel cache;
};
ColumnCut column_cut(const OperatorProblem& problem, int axis, const std::vector<Index>& strides);
/// How many columns a tile has, so that all fields together stay in the cache and all tasks have
/// about as many. In units of what a wide register holds.
Index tile_columns(const ColumnCut& cut);
/// Whether the lines of such a tile are spread over the sets of the cache. Columns whose modes are
/// a power of two apart share a few of them.
bool stay_in_cache(const ColumnCut& cut);

template <class Real>
class ColumnTiles {
 public:
  using Complex = std::complex<Real>;
  using Function = std::function<void(const ModeTile<Real>&)>;

  /// The fields have the extents of the spectrum and these strides; dimensions after `axis` lie
  /// without gaps but at the ends of rows, and there is at least one. What is in the gaps is lost.
  /// Columns that do not stay_in_cache() go through a buffer.
  ColumnTiles(const OperatorProblem& problem, int axis, const std::vector<Index>& strides,
              const OperatorChoice& choice);

  Index count() const { return batches_.count() * runs_; }
  std::size_t workspace_bytes() const;
  /// Tile number `tile` of all fields, by the calling thread.
  void run(Index tile, Complex* const* fields, const WaveNumbers<Real>& waves,
           const Function& function, void* workspace) const;
  std::string text() const;

 private:
  using Dimensions = std::array<typename ModeTile<Real>::Dimension, max_operator_dimensions>;
  struct Plans {
    Sweep<Real> forward, backward;
  };
  /// Columns begin .. end of a run; `rows` whole ones, or a part of one.
  struct Part {
    Index row, rows, begin, end;
  };

  Plans make_plans(Index columns, const local::ArrayRecipe& recipe,
                   const OperatorChoice& choice) const;
  problem::ArrayProblem problem_of(Index columns, Direction direction) const;
  std::size_t field_bytes() const;
  /// `apart`: from mode to mode of a column.
  void clear_gaps(Index begin, Index end, Complex* tile, Index apart) const;
  template <class Body>
  void for_each_part(Index begin, Index end, const Body& body) const;
  void place(const Part& part, Dimensions& dimensions) const;

  OperatorProblem problem_;
  int axis_;
  std::vector<Index> strides_;
  local::LoopIndex batches_{{}};  // over dimensions before the axis, distances in elements
  Index columns_ = 1;             // of a run
  Index row_ = 1, modes_of_row_ = 1;
  Index width_ = 1, runs_ = 1;  // columns of a tile; tiles of a run
  Index buffer_row_ = 0;        // from mode to mode of a column in the buffer; 0: there is none
  std::vector<Plans> plans_;    // of whole tiles, then of the last of a run where it has fewer
};

}  // namespace weft::spectral
