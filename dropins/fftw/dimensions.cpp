// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/dimensions.hpp"

namespace weft::fftw {
namespace {

/// Strides of one side, last axis first; false if they do not fit in 64 bits.
bool set_strides(std::vector<Dimension>& axes, Index Dimension::* stride, const Side& side,
                 Index last_extent) {
  Index step = side.stride;
  for (std::size_t d = axes.size(); d-- > 0;) {
    axes[d].*stride = step;
    const Index extent = side.embed != nullptr  ? side.embed[d]
                         : d + 1 == axes.size() ? last_extent
                                                : axes[d].n;
    if (d > 0 && __builtin_mul_overflow(step, extent, &step)) return false;
  }
  return true;
}

}  // namespace

Dimensions row_major(Kind kind, int rank, const int* n, const Side& in, const Side& out,
                     bool in_place) {
  if (rank < 0 || (rank > 0 && n == nullptr)) return {};
  std::vector<Dimension> axes;
  for (int d = 0; d < rank; ++d) axes.push_back({n[d], 0, 0});
  if (axes.empty()) return axes;
  const Index last = axes.back().n, half = last / 2 + 1, padded = in_place ? 2 * half : last;
  const Index in_last = kind == Kind::r2c ? padded : kind == Kind::c2r ? half : last;
  const Index out_last = kind == Kind::c2r ? padded : kind == Kind::r2c ? half : last;
  if (!set_strides(axes, &Dimension::in, in, in_last)) return {};
  if (!set_strides(axes, &Dimension::out, out, out_last)) return {};
  return axes;
}

std::optional<std::vector<R2r>> kinds_of(int rank, const R2rKind* kinds) {
  if (rank < 0 || (rank > 0 && kinds == nullptr)) return {};
  std::vector<R2r> result;
  for (int d = 0; d < rank; ++d) {
    const auto kind = kind_of(kinds[d]);
    if (!kind) return {};
    result.push_back(*kind);
  }
  return result;
}

}  // namespace weft::fftw
