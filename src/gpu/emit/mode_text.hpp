// SPDX-License-Identifier: BSD-3-Clause
// What operators do at the modes of a spectrum, as CUDA text: a function of one mode, and where a
// mode is.
#pragma once

#include <string>
#include <vector>

#include "weft/distribution.hpp"
#include "weft/types.hpp"

namespace weft::gpu {

/// The spectrum of one field, or a box of it: contiguous, row-major.
struct ModeGrid {
  struct Axis {
    int dimension = 0;
    Index n = 1;      ///< points of the transform; a halved axis has fewer modes
    double step = 1;  ///< wave numbers are multiples of it
  };
  std::vector<Index> extents;
  std::vector<Axis> axes;  ///< that are transformed, in the order of Transform::axes
  /// Of a box: where it begins, and the extents of the whole spectrum. Empty: it is the whole.
  std::vector<Index> begin = {}, whole = {};
  /// The numbers that the function reads are those of the box alone, not of the whole spectrum.
  bool has_own_numbers = false;

  Index count() const;
  std::vector<Index> strides() const;
  Index begin_of(int dimension) const;
  bool is_halved(const Axis& axis) const;
  /// Whether the number of a mode (Mode::place) differs from its place in the box.
  bool has_other_places() const { return !whole.empty() && !has_own_numbers; }
  std::vector<Index> place_strides() const;  ///< number of a mode: sum of index times stride
};
ModeGrid part_of(const ModeGrid& whole, const Box& box);

/// `definition` defines `__device__ __forceinline__ void change(const Mode& mode, const
/// StoredComplex* numbers, Complex* u)`: u[f] is field f, read and written. A Mode has
///   Real k[], odd[]   wave numbers along the axes; odd: 0 for the mode n/2
///   ModeIndex index[] in the dimensions of the spectrum
///   ModePlace place   number of the mode in the array of numbers: in the spectrum, or in the box
///   const double* parameters, Real x[], const void* const* in   of a FieldKernel
struct ModeFunctionText {
  std::string definition;
  int inputs = 1, outputs = 1;
  bool reads_waves = false, reads_index = false, reads_place = false;
  bool is_of_fields = false;  ///< only a FieldKernel can apply it
  bool reads_places = false;
  int spline_axes = 0;  ///< of spline_of(); 0: there is none
};

/// The types, mathematical functions and the definition. Needs emit_numbers and emit_arithmetic.
std::string emit_mode_function(const ModeGrid& grid, const ModeFunctionText& function,
                               Precision precision);

/// The statements that fill `mode` with the wave numbers along axis `a` of index `index`.
std::string wave_text(const ModeGrid& grid, std::size_t a, const std::string& index);

/// The statement that fills in the place from the indices.
std::string place_text(const ModeGrid& grid);

/// A number as CUDA and C++ read it back to the last digit.
std::string number_text(double value);

}  // namespace weft::gpu
