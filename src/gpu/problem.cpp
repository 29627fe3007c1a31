// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/problem.hpp"

#include <algorithm>

namespace weft::gpu {

Problem problem_of(const local::ArrayProblem& request) {
  if (request.kind == Kind::r2r)
    throw Error(ErrorCode::unsupported,
                "a real-to-real transform was asked of the GPU; it does c2c, r2c and c2r: use "
                "weft::Plan on the host");
  Problem problem;
  problem.kind = request.kind;
  problem.precision = request.precision;
  problem.direction = request.kind == Kind::r2c   ? Direction::forward
                      : request.kind == Kind::c2r ? Direction::backward
                                                  : request.direction;
  for (const local::Dimension& d : request.dimensions)
    problem.dimensions.push_back({d.n, d.in / request.in_width(), d.out / request.out_width()});
  const int halved = request.halved_axis();
  for (int axis : request.axes)
    if (axis == halved || problem.dimensions[static_cast<std::size_t>(axis)].n > 1)
      problem.axes.push_back(axis);
  if (problem.axes.empty()) problem.axes.push_back(request.axes.front());
  problem.scales = request.scale != 1;
  return problem;
}

}  // namespace weft::gpu
