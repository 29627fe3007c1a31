// SPDX-License-Identifier: BSD-3-Clause
#include "weft/plan.hpp"

namespace weft {
namespace {

Transform make(Kind kind, std::vector<Index> shape, const TransformOptions& options) {
  Transform transform;
  transform.kind = kind;
  transform.shape = std::move(shape);
  transform.axes = options.axes;
  transform.direction = options.direction;
  transform.normalization = options.normalization;
  transform.precision = options.precision;
  return transform;
}

}  // namespace

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
  transform.r2r = std::move(kinds);
  return transform;
}

}  // namespace weft
