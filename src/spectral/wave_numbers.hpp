// SPDX-License-Identifier: BSD-3-Clause
// The wave numbers of the modes along each transformed axis.
#pragma once

#include <array>
#include <numbers>
#include <vector>

#include "base/index.hpp"
#include "base/names.hpp"
#include "spectral/operator_problem.hpp"

namespace weft::spectral {

/// One list per axis: 2 pi m / L, and the same with 0 where the sign of m is unknown.
template <class Real>
struct WaveNumbers {
  std::vector<std::vector<Real>> k, odd;

  /// `spectrum` are the extents of the modes, `lengths` one per axis.
  WaveNumbers(const Transform& forward, const std::vector<Index>& spectrum,
              const std::vector<double>& lengths) {
    for (std::size_t a = 0; a < forward.axes.size(); ++a) {
      const std::size_t d = at(forward.axes[a]);
      const Index n = forward.shape[d];
      const bool is_halved = spectrum[d] < n;
      std::vector<Real>&axis = k.emplace_back(), &odd_axis = odd.emplace_back();
      for (Index i = 0; i < spectrum[d]; ++i) {
        const Index mode = is_halved || 2 * i < n ? i : i - n;
        const double wave = 2 * std::numbers::pi / lengths[a] * static_cast<double>(mode);
        axis.push_back(static_cast<Real>(wave));
        odd_axis.push_back(2 * i == n ? Real{0} : static_cast<Real>(wave));
      }
    }
  }
};

/// Of a tile of modes that begins there.
template <class Real>
std::array<typename ModeTile<Real>::Dimension, max_operator_dimensions> tile_dimensions(
    const OperatorProblem& problem, const std::array<Index, max_operator_dimensions>& begin,
    const std::vector<Index>& extents, const std::vector<Index>& strides,
    const WaveNumbers<Real>& waves) {
  std::array<typename ModeTile<Real>::Dimension, max_operator_dimensions> dimensions;
  for (std::size_t d = 0; d < extents.size(); ++d)
    dimensions[d] = {.begin = begin[d], .extent = extents[d], .stride = strides[d]};
  for (std::size_t a = 0; a < problem.forward.axes.size(); ++a) {
    auto& dimension = dimensions[at(problem.forward.axes[a])];
    dimension.axis = static_cast<int>(a);
    dimension.k = waves.k[a].data() + dimension.begin;
    dimension.odd = waves.odd[a].data() + dimension.begin;
  }
  return dimensions;
}

}  // namespace weft::spectral
