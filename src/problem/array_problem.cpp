// SPDX-License-Identifier: BSD-3-Clause
#include "problem/array_problem.hpp"

namespace weft::problem {

std::string to_text(const ArrayProblem& problem) {
  std::string text = std::string(to_string(problem.kind)) + " " + to_string(problem.precision) +
                     " " + to_string(problem.direction) + (problem.scale != 1.0 ? " scaled" : "");
  if (problem.orthogonalize) text += " orthogonalized";
  if (problem.extras.in_split) text += " split input";
  if (problem.extras.out_split) text += " split output";
  if (problem.extras.in_place) text += " in place";
  if (problem.extras.spectrum == Spectrum::full) text += " full spectrum";
  if (problem.extras.modes == Modes::around_zero) text += " around zero";
  for (R2r kind : problem.r2r) text += std::string(" ") + to_string(kind);
  const auto blocks = [](const char* side, const Blocks& b) {
    return b ? side + std::to_string(b.length) + ":" + std::to_string(b.jump) : std::string();
  };
  const auto kept = [](const char* side, Index count) {
    return count > 0 ? side + std::to_string(count) : std::string();
  };
  for (const Dimension& d : problem.dimensions)
    text += " " + std::to_string(d.n) + ":" + std::to_string(d.in) + ":" + std::to_string(d.out) +
            blocks(" from blocks ", d.in_blocks) + blocks(" to blocks ", d.out_blocks) +
            kept(" of ", d.in_kept) + kept(" for ", d.out_kept);
  text += " axes";
  for (int axis : problem.axes) text += " " + std::to_string(axis);
  return text;
}

}  // namespace weft::problem
