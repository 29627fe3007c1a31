// SPDX-License-Identifier: BSD-3-Clause
// What a program asks cuFFT for, and the same as a transform of weft.
#pragma once

#include <optional>
#include <vector>

#include "dropins/cufft/cufft_types.hpp"
#include "weft/plan.hpp"

namespace weft::cufft {

struct TypePair {
  Kind kind = Kind::c2c;
  Precision precision = Precision::f32;
  friend bool operator==(TypePair, TypePair) = default;
};
/// cudaDataType of the arrays and of the arithmetic.
struct DataTypes {
  int input = complex_f32, output = complex_f32, execution = complex_f32;
};
/// Those of a cufftType; nullopt for other numbers.
std::optional<DataTypes> parse_type(int type);
/// nullopt where weft has no such transform.
std::optional<TypePair> type_pair_of(const DataTypes& types);

/// One side of cuFFT's advanced layout: element x of transform b is at b * distance + (((x[0] *
/// embed[1] + x[1]) * embed[2]) + x[2]) * stride.
struct Side {
  std::vector<Long> embed = {};
  Long stride = 1, distance = 0;
};

struct Request {
  std::vector<Long> lengths;
  /// Without it arrays are contiguous; real arrays of transforms in place have padded rows.
  std::optional<Side> in, out;
  Long batch = 1;
  DataTypes types;
  TypePair type{};
  bool is_for_cufft = false;  ///< weft has no such types

  bool is_real() const { return type.kind != Kind::c2c; }
};

/// Success, or what is wrong with the lengths, the layout or the number of transforms.
Result check(const Request& request);

/// What to plan: forward or backward for c2c; `in_place` changes the default layout of reals.
struct Variant {
  Direction direction = Direction::forward;
  bool in_place = false;
  friend bool operator==(const Variant&, const Variant&) = default;
};
struct PlannedTransform {
  Transform transform;
  Layout input, output;
};
PlannedTransform transform_of(const Request& request, const Variant& variant);

/// Bytes of the complex array: what cuFFT's estimates promise as well.
Size array_bytes(const Request& request);

}  // namespace weft::cufft
