// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/heffte/lines.hpp"

#include <complex>

#include "dropins/heffte/geometry.hpp"
#include "dropins/heffte/kinds.hpp"

namespace weft::heffte {

Lines::Lines(const weft_heffte_box& box, int kind, std::vector<int> directions,
             double backward_factor)
    : kind_(kind), factor_(std::pow(backward_factor, static_cast<double>(directions.size()) / 3)) {
  shape_ = box_of(box).extents();
  for (const int direction : directions) axes_.push_back(axis_of(direction));
  strides_.assign(3, 1);
  Index stride = 1;
  for (const int direction : box.order) {
    const auto axis = static_cast<std::size_t>(axis_of(direction));
    strides_[axis] = stride;
    stride *= shape_[axis];
  }
}

const Plan& Lines::plan(Direction direction, Precision precision) const {
  const std::scoped_lock lock(mutex_);
  auto& plan = plans_[direction == Direction::forward ? 0 : 1][precision == Precision::f32 ? 0 : 1];
  if (!plan) {
    Transform t;
    t.kind = kind_ == weft_heffte_fft ? Kind::c2c : Kind::r2r;
    t.shape = shape_;
    t.axes = axes_;
    t.direction = direction;
    t.precision = precision;
    if (t.kind == Kind::r2r) t.r2r = {r2r_of(kind_, direction)};
    plan = std::make_unique<Plan>(t, Layout{strides_}, Layout{strides_});
  }
  return *plan;
}

template <class Real>
void Lines::execute_as(Direction direction, void* data) const {
  const Plan& p = plan(direction, ScalarTraits<Real>::precision);
  auto* const reals = static_cast<Real*>(data);
  auto* const complexes = static_cast<std::complex<Real>*>(data);
  if (kind_ == weft_heffte_fft) return p.execute(complexes, complexes);
  p.execute(reals, reals);
  if (direction == Direction::forward || factor_ == 1) return;
  for (Index i = 0; i < Box::of_shape(shape_).count(); ++i) reals[i] *= static_cast<Real>(factor_);
}

void Lines::execute(Direction direction, Precision precision, void* data) const {
  precision == Precision::f32 ? execute_as<float>(direction, data)
                              : execute_as<double>(direction, data);
}

}  // namespace weft::heffte
