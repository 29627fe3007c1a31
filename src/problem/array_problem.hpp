// SPDX-License-Identifier: BSD-3-Clause
// A transform of an array with all its strides: one description for plans on CPUs, on GPUs and for
// the stages of distributed plans.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/names.hpp"

namespace weft::problem {

/// A dimension that lies in memory in equal blocks, as it does after an exchange between ranks:
/// index i lies at (i % length) * stride + (i / length) * jump.
struct Blocks {
  Index length = 0, jump = 0;  ///< 0: in one block. The jump counts what the stride counts
  explicit operator bool() const { return length > 0; }
  friend bool operator==(const Blocks&, const Blocks&) = default;
};

/// One dimension. Strides in reals of the stored type.
struct Dimension {
  Index n = 1;  ///< length; for the last transformed axis of r2c and c2r that of the real array
  Index in = 0, out = 0;
  Blocks in_blocks = {}, out_blocks = {};  ///< of stages on GPUs only
  /// Points that the input and the output have, where these are fewer than those of the transform;
  /// 0: all. On GPUs only of operators.
  Index in_kept = 0, out_kept = 0;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// What plans on CPUs do and plans on GPUs do not; the first two lines are for local plans alone.
struct Extras {
  bool in_split = false, out_split = false;  ///< imaginary parts lie in arrays of their own
  bool in_place = false;  ///< all input must be read before any output is written
  Spectrum spectrum = Spectrum::half;
  Modes modes = Modes::first;
  friend bool operator==(const Extras&, const Extras&) = default;
};

struct ArrayProblem {
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  Direction direction = Direction::forward;
  double scale = 1.0;
  std::vector<Dimension> dimensions;
  std::vector<int> axes;  ///< transformed axes; for r2c and c2r the last one has n/2+1 elements on
                          ///< the complex side ("halved")
  std::vector<R2r> r2r;   ///< one per axis, kind r2r only
  bool orthogonalize = false;  ///< kind r2r only
  Extras extras = {};

  int ndim() const { return static_cast<int>(dimensions.size()); }
  int halved_axis() const { return kind == Kind::r2c || kind == Kind::c2r ? axes.back() : -1; }
  const Dimension& dimension(int d) const { return dimensions[static_cast<std::size_t>(d)]; }
  /// Length of a dimension on the complex side of r2c and c2r.
  Index half_extent(int d) const {
    const Index n = dimension(d).n;
    return d == halved_axis() && n > 0 ? n / 2 + 1 : n;
  }
  /// Indices of a dimension that the passes read and write; of a full spectrum too only its half.
  Index read_extent(int d) const {
    if (dimension(d).in_kept > 0) return dimension(d).in_kept;
    return kind == Kind::c2r ? half_extent(d) : dimension(d).n;
  }
  Index written_extent(int d) const {
    if (dimension(d).out_kept > 0) return dimension(d).out_kept;
    return kind == Kind::r2c ? half_extent(d) : dimension(d).n;
  }
  /// Indices of a dimension that the arrays have.
  Index in_extent(int d) const { return is_full(d, Kind::c2r) ? dimension(d).n : read_extent(d); }
  Index out_extent(int d) const {
    return is_full(d, Kind::r2c) ? dimension(d).n : written_extent(d);
  }
  /// Indices of a dimension that an array between the passes needs.
  Index middle_extent(int d) const {
    if (d == halved_axis()) return kind == Kind::r2c ? written_extent(d) : read_extent(d);
    return std::max(read_extent(d), written_extent(d));
  }
  bool is_full(int d, Kind halving) const {
    return kind == halving && d == halved_axis() && extras.spectrum == Spectrum::full;
  }
  /// The lengths of all dimensions; on the complex side of r2c and c2r; of the arrays.
  std::vector<Index> shape() const {
    return extents([&](int d) { return dimension(d).n; });
  }
  std::vector<Index> half_shape() const {
    return extents([&](int d) { return half_extent(d); });
  }
  std::vector<Index> in_shape() const {
    return extents([&](int d) { return in_extent(d); });
  }
  std::vector<Index> out_shape() const {
    return extents([&](int d) { return out_extent(d); });
  }
  /// Adjacent reals per element.
  Index in_width() const { return extras.in_split ? 1 : weft::in_width(kind); }
  Index out_width() const { return extras.out_split ? 1 : weft::out_width(kind); }

  /// Without elements there is nothing to do.
  bool is_empty() const {
    return std::ranges::any_of(dimensions, [](const Dimension& d) { return d.n == 0; });
  }
  bool has_blocks() const {
    return std::ranges::any_of(dimensions, [](const Dimension& d) {
      return static_cast<bool>(d.in_blocks) || static_cast<bool>(d.out_blocks);
    });
  }
  /// Whether an array has fewer points than the transform.
  bool is_padded() const {
    return std::ranges::any_of(dimensions,
                               [](const Dimension& d) { return d.in_kept > 0 || d.out_kept > 0; });
  }

  friend bool operator==(const ArrayProblem&, const ArrayProblem&) = default;

 private:
  template <class Extent>
  std::vector<Index> extents(const Extent& extent) const {
    std::vector<Index> result;
    for (int d = 0; d < ndim(); ++d) result.push_back(extent(d));
    return result;
  }
};

/// The problem as one line of text; used as key in wisdom.
std::string to_text(const ArrayProblem& problem);

}  // namespace weft::problem
