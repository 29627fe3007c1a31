// SPDX-License-Identifier: BSD-3-Clause
// The middle of an operator whose slowest axis is done in sweeps of its own: every plane once, in
// place. Its lines are transformed; tile by tile its columns are transformed forward, given to the
// function and transformed backward; then its lines. So a plane may be larger than the second
// cache: what must stay there is a tile of its columns.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spectral/column_tiles.hpp"

namespace weft::spectral {

template <class Real>
class PlaneTiles {
 public:
  using Complex = std::complex<Real>;
  using Function = std::function<void(const ModeTile<Real>&)>;

  /// `axes` are at least two, all of the operator's but the slowest. The fields have the extents of
  /// the spectrum and these strides, without gaps.
  PlaneTiles(const OperatorProblem& problem, const std::vector<int>& axes,
             const std::vector<Index>& strides, const OperatorChoice& choice);

  Index count() const { return planes_.count(); }
  std::size_t workspace_bytes() const;
  /// Plane number `plane` of all fields, by the calling thread.
  void run(Index plane, Complex* const* fields, const WaveNumbers<Real>& waves,
           const Function& function, void* workspace) const;
  std::string text() const;

 private:
  struct Lines {
    Sweep<Real> there, back;
  };
  static Lines make_lines(const OperatorProblem& problem, const std::vector<int>& axes,
                          const std::vector<Index>& strides, const OperatorChoice& choice);

  int inputs_, outputs_;
  local::LoopIndex planes_{{}};  // distances in elements
  Lines lines_;
  ColumnTiles<Real> columns_;
};

}  // namespace weft::spectral
