// SPDX-License-Identifier: BSD-3-Clause
// The transform that a problem comes from, for plans of it.
#pragma once

#include "problem/array_problem.hpp"
#include "weft/plan.hpp"

namespace weft::test {

/// Without normalization, whatever the problem's scale.
inline Transform transform_of(const problem::ArrayProblem& problem) {
  Transform t;
  t.kind = problem.kind;
  t.shape = problem.shape();
  t.axes = problem.axes;
  t.direction = problem.kind == Kind::c2r ? Direction::backward : problem.direction;
  t.precision = problem.precision;
  t.r2r = problem.r2r;
  t.orthogonalize = problem.orthogonalize;
  return t;
}

}  // namespace weft::test
