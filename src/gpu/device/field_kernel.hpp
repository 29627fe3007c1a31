// SPDX-License-Identifier: BSD-3-Clause
// A function of several fields at every element, as a kernel of its own: at the points of a lattice
// or at the modes of a spectrum, into other fields or into their sums. The public classes are in
// weft/cuda_fields.hpp.
#pragma once

#include <string>
#include <vector>

#include "gpu/device/element_kernel.hpp"
#include "gpu/emit/mode_text.hpp"

namespace weft::gpu {

inline constexpr std::size_t most_fields = 16;

/// Where the elements are.
struct FieldGrid {
  ModeGrid modes;                      ///< extents of the arrays; axes, where elements are modes
  std::vector<Index> cutoff;           ///< one per axis: only modes with |m| <= cutoff; empty: all
  std::vector<ModeGrid::Axis> places;  ///< of points: where index i of a dimension is i times step
  std::vector<Index> in_strides, out_strides;  ///< in elements, one per dimension
  bool is_complex = true;

  /// Of the elements that are computed.
  std::vector<Index> extents() const;
  Index count() const;
};

enum class Fold { sum, maximum };

/// The texts for one element, see element_kernel.hpp.
std::string emit_field_kernel(const FieldGrid& grid, const ModeFunctionText& function,
                              Precision precision);
std::string emit_fold_kernel(const FieldGrid& grid, const ModeFunctionText& function,
                             Precision precision, Fold fold);
std::string emit_second_fold(Fold fold);

/// The numbers of the first fold, for each output; then the host gets `folded_last`.
inline constexpr Index folded_first = Index{1} << 18, folded_last = Index{1} << 12;

/// `Arguments` in both texts.
struct FieldArguments {
  const void* in[most_fields] = {};
  void* out[most_fields] = {};
  double parameters[most_fields] = {};
  double* partials = nullptr;  ///< of a fold: `folds` for each output
  long long folds = 0;
};
struct SecondFoldArguments {
  const double* from = nullptr;
  double* to = nullptr;
  long long folds = 0, kept = 0;  ///< of each output, before and after
};

}  // namespace weft::gpu
