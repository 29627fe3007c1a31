// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/stepped_operator.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "local/array/array_report.hpp"
#include "local/choose/machine_model.hpp"
#include "spectral/run_tasks.hpp"

namespace weft::spectral {
namespace {

template <class Real>
Sweep<Real> whole_transform(const OperatorProblem& problem, Direction direction,
                            const OperatorChoice& choice) {
  const Transform& forward = problem.forward;
  const bool is_forward = direction == Direction::forward;
  std::vector<Index> shape = problem.spectrum;
  double points = 1;
  for (int axis : forward.axes) {
    shape[at(axis)] = forward.shape[at(axis)];
    points *= static_cast<double>(forward.shape[at(axis)]);
  }
  const auto outside = dense_strides(is_forward ? forward.input_extents : forward.output_extents);
  const auto modes = dense_strides(problem.spectrum);
  return make_sweep<Real>(
      array_problem(part_of(problem, forward.axes, shape, direction), is_forward ? outside : modes,
                    is_forward ? modes : outside, is_forward ? 1 : 1 / points),
      choice);
}

}  // namespace

template <class Real>
SteppedOperator<Real>::SteppedOperator(const OperatorProblem& problem, Modes modes,
                                       Function function, const OperatorChoice& choice)
    : problem_(problem),
      where_(modes),
      function_(std::move(function)),
      executor_(choice.executor),
      waves_(problem.forward, problem.spectrum, problem.lengths),
      strides_(dense_strides(problem.spectrum)),
      there_(whole_transform<Real>(problem, Direction::forward, choice)),
      back_(whole_transform<Real>(problem, Direction::backward, choice)),
      tiles_(problem.spectrum, tiling_of(problem.forward, problem.spectrum, problem.fields(), {},
                                         local::machine_model().l2.bytes / 4)) {
  Index count = 1;
  for (Index extent : problem.spectrum)
    count = checked_product(count, extent, "the arrays of an operator");
  field_bytes_ = up_to_line(static_cast<std::size_t>(count) * sizeof(Complex));
}

template <class Real>
std::size_t SteppedOperator<Real>::workspace_bytes() const {
  const int kept =
      where_ == Modes::apart ? problem_.fields() : problem_.fields() - problem_.outputs;
  return at(kept) * field_bytes_ +
         up_to_line(std::max(there_.plan.workspace_bytes(), back_.plan.workspace_bytes()));
}

template <class Real>
auto SteppedOperator<Real>::modes(int field, void* const* out, char* workspace) const -> Complex* {
  if (where_ == Modes::apart)
    return reinterpret_cast<Complex*>(workspace + at(field) * field_bytes_);
  if (field < problem_.outputs) return static_cast<Complex*>(out[field]);
  return reinterpret_cast<Complex*>(workspace + at(field - problem_.outputs) * field_bytes_);
}

template <class Real>
void SteppedOperator<Real>::execute_part(int part, const void* const* in, void* const* out,
                                         void* workspace) const {
  char* fields = static_cast<char*>(workspace);
  const int kept =
      where_ == Modes::apart ? problem_.fields() : problem_.fields() - problem_.outputs;
  char* work = fields + at(kept) * field_bytes_;
  if (part == 0)
    for (int f = 0; f < problem_.inputs; ++f)
      there_.plan.execute(in[f], modes(f, out, fields), work);
  if (part == 1) run_function(out, fields);
  if (part == 2)
    for (int f = 0; f < problem_.outputs; ++f)
      back_.plan.execute(modes(f, out, fields), out[f], work);
}

template <class Real>
void SteppedOperator<Real>::run_function(void* const* out, char* workspace) const {
  std::array<Complex*, max_operator_fields> all{};
  for (int f = 0; f < problem_.fields(); ++f) all[at(f)] = modes(f, out, workspace);
  const int tasks =
      static_cast<int>(std::min<Index>(std::max(1, executor_->concurrency()), tiles_.count()));
  run_tasks(*executor_, tasks, [&](int task) {
    for (Index i = tiles_.count() * task / tasks; i < tiles_.count() * (task + 1) / tasks; ++i) {
      const TileBoxes::Place place = tiles_.place(i);
      const auto dimensions =
          tile_dimensions(problem_, place.begin, tiles_.extents(place.is_rest), strides_, waves_);
      Index from = 0;
      for (std::size_t d = 0; d < strides_.size(); ++d) from += place.begin[d] * strides_[d];
      std::array<Complex*, max_operator_fields> fields{};
      for (int f = 0; f < problem_.fields(); ++f) fields[at(f)] = all[at(f)] + from;
      function_(ModeTile<Real>{{dimensions.data(), strides_.size()},
                               fields.data(),
                               static_cast<int>(problem_.forward.axes.size())});
    }
  });
}

template <class Real>
double SteppedOperator<Real>::passes() const {
  const int threads = std::max(1, executor_->concurrency());
  return local::cost_of(there_.recipe, there_.problem, threads).passes + 1 +
         local::cost_of(back_.recipe, back_.problem, threads).passes;
}

template <class Real>
std::string SteppedOperator<Real>::explain() const {
  return format("{:.0f} passes over memory in separate steps, {} fields in, {} out\n", passes(),
                problem_.inputs, problem_.outputs) +
         "forward: " + local::to_text(there_.recipe) + "\n" +
         format("function: {} tiles{}\n", tiles_.count(),
                where_ == Modes::apart ? "" : ", in the outputs") +
         "backward: " + local::to_text(back_.recipe) + "\n";
}

template class SteppedOperator<float>;
template class SteppedOperator<double>;

}  // namespace weft::spectral
