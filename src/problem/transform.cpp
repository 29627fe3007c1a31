// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "weft/plan.hpp"

namespace weft {
namespace {

Transform make(Kind kind, std::vector<Index> shape, const TransformOptions& options) {
  Transform transform;
  transform.kind = kind;
  transform.shape = std::move(shape);
  transform.axes = options.axes;
  transform.direction = options.direction.value_or(Direction::forward);
  transform.normalization = options.normalization;
  transform.precision = options.precision;
  transform.empty_axes = options.empty_axes;
  transform.spectrum = options.spectrum;
  transform.input_extents = options.input_extents;
  transform.output_extents = options.output_extents;
  transform.modes = options.modes;
  transform.orthogonalize = options.orthogonalize;
  return transform;
}

/// The direction that r2r kinds imply: type III is the inverse of type II, hc2r that of r2hc; the
/// other types are their own inverses.
Direction direction_of(const std::vector<R2r>& kinds, Normalization normalization) {
  const auto have = [&](R2r cosine, R2r sine, R2r complex) {
    return std::ranges::any_of(
        kinds, [&](R2r kind) { return kind == cosine || kind == sine || kind == complex; });
  };
  const bool second = have(R2r::dct2, R2r::dst2, R2r::r2hc);
  const bool third = have(R2r::dct3, R2r::dst3, R2r::hc2r);
  const bool differs =
      normalization == Normalization::forward || normalization == Normalization::backward;
  if (second && third && differs)
    throw Error(
        ErrorCode::invalid_argument,
        "a normalized real-to-real transform has axes of type II or r2hc and of type III or hc2r, "
        "which are inverse to each other; set direction to say which way it goes");
  return third && !second ? Direction::backward : Direction::forward;
}

R2r inverse(R2r kind) {
  switch (kind) {
    case R2r::dct2: return R2r::dct3;
    case R2r::dct3: return R2r::dct2;
    case R2r::dst2: return R2r::dst3;
    case R2r::dst3: return R2r::dst2;
    case R2r::r2hc: return R2r::hc2r;
    case R2r::hc2r: return R2r::r2hc;
    default: return kind;
  }
}

}  // namespace

Transform inverse(const Transform& transform) {
  Transform back = transform;
  if (transform.kind == Kind::r2c) back.kind = Kind::c2r;
  if (transform.kind == Kind::c2r) back.kind = Kind::r2c;
  back.direction =
      transform.direction == Direction::forward ? Direction::backward : Direction::forward;
  for (R2r& kind : back.r2r) kind = inverse(kind);
  std::swap(back.input_extents, back.output_extents);
  return back;
}

Transform c2c(std::vector<Index> shape, const TransformOptions& options) {
  return make(Kind::c2c, std::move(shape), options);
}

Transform r2c(std::vector<Index> shape, const TransformOptions& options) {
  Transform transform = make(Kind::r2c, std::move(shape), options);
  transform.direction = Direction::forward;
  return transform;
}

Transform c2r(std::vector<Index> shape, const TransformOptions& options) {
  Transform transform = make(Kind::c2r, std::move(shape), options);
  transform.direction = Direction::backward;
  return transform;
}

Transform r2r(std::vector<Index> shape, std::vector<R2r> kinds, const TransformOptions& options) {
  Transform transform = make(Kind::r2r, std::move(shape), options);
  if (!options.direction) transform.direction = direction_of(kinds, options.normalization);
  transform.r2r = std::move(kinds);
  return transform;
}

}  // namespace weft
