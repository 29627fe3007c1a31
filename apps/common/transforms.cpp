// SPDX-License-Identifier: BSD-3-Clause
#include "common/transforms.hpp"

#include <fmt/format.h>

namespace weft::apps {
namespace {

Box box_of(const LocalBoxes& boxes, std::size_t ndim) {
  if (!boxes.empty()) return boxes[0].box;
  const std::vector<Index> zeros(ndim, 0);
  return {zeros, zeros};
}

}  // namespace

RealTransform::RealTransform(const Team& team, std::vector<Index> shape, SpectrumOrder order,
                             Effort effort)
    : executor_(team.executor()), shape_(std::move(shape)), spectrum_shape_(shape_) {
  spectrum_shape_.back() = shape_.back() / 2 + 1;
  for (const Index extent : shape_) points_ *= static_cast<double>(extent);
  const LocalBoxes field = slabs(shape_, 0, team.size(), team.rank());
  const LocalBoxes spectrum =
      slabs(spectrum_shape_, order == SpectrumOrder::transposed ? 1 : 0, team.size(), team.rank());
  field_box_ = box_of(field, shape_.size());
  spectrum_box_ = box_of(spectrum, shape_.size());
  DistributedOptions options{.effort = effort, .executor = team.executor()};
  forward_.emplace(r2c(shape_), field, spectrum, team.comm(), options);
  options.workspace = forward_->workspace();
  backward_.emplace(c2r(shape_), spectrum, field, team.comm(), options);
}

double RealTransform::spectrum_bytes() const {
  double bytes = sizeof(Complex);
  for (const Index extent : spectrum_shape_) bytes *= static_cast<double>(extent);
  return bytes;
}

Passes RealTransform::passes_forward() const {
  return Passes::of(Plan(r2c(shape_), {.executor = executor_}).cost());
}
Passes RealTransform::passes_backward() const {
  return Passes::of(Plan(c2r(shape_), {.executor = executor_}).cost());
}

FieldOperator::FieldOperator(const Team& team, const Transform& forward,
                             const ModeFunction& function, const LocalBoxes& boxes,
                             const std::vector<double>& lengths, Where where)
    : forward_(forward), function_(function), lengths_(lengths) {
  if (where == Where::cuda) {
    Index count = 1;
    for (const Index extent : forward.shape) count *= extent;
    cuda::SpectralOperator op(forward, function, {.lengths = lengths});
    cuda::Workspace workspace = op.make_workspace();
    on_gpu_.emplace(OnGpu{std::move(op),
                          std::move(workspace),
                          {std::max(function.inputs(), function.outputs()), count}});
    return;
  }
  if (team.size() == 1) {
    alone_.emplace(forward, function,
                   SpectralOptions{.executor = team.executor(), .lengths = lengths});
    workspace_.emplace(alone_->make_workspace());
    return;
  }
  on_ranks_.emplace(
      forward, function, boxes, boxes, team.comm(),
      DistributedOperatorOptions{.plan = {.executor = team.executor()}, .lengths = lengths});
}

void FieldOperator::execute(std::span<const double* const> in, std::span<double* const> out) {
  if (on_gpu_) {
    DeviceFields<double>& fields = on_gpu_->fields;
    const auto count = as_size(fields.count());
    for (std::size_t f = 0; f < in.size(); ++f)
      fields.upload(static_cast<Index>(f), {in[f], count});
    on_gpu_->op.execute<double>(pointers_to<double>({&fields}, static_cast<Index>(in.size())),
                                pointers_into<double>({&fields}, static_cast<Index>(out.size())),
                                on_gpu_->workspace, {});
    for (std::size_t f = 0; f < out.size(); ++f)
      fields.download(static_cast<Index>(f), {out[f], count});
    return;
  }
  if (alone_)
    alone_->execute(in, out, *workspace_);
  else
    on_ranks_->execute(in, out);
}

double FieldOperator::passes_over_all() const {
  if (on_gpu_) return on_gpu_->op.passes();
  return alone_ ? alone_->passes()
                : SpectralOperator(forward_, function_, {.lengths = lengths_}).passes();
}

Passes FieldOperator::passes() const {
  double field_bytes = sizeof(double);
  for (const Index extent : forward_.shape) field_bytes *= static_cast<double>(extent);
  return Passes::over(field_bytes,
                      passes_over_all() * (function_.inputs() + function_.outputs()) / 2.0);
}

std::string FieldOperator::explain() const {
  if (on_gpu_)
    return fmt::format("{:.3g} passes over the memory of {}\n", on_gpu_->op.passes(),
                       cuda::device_name()) +
           on_gpu_->op.explain();
  return alone_ ? alone_->explain() : on_ranks_->explain();
}

}  // namespace weft::apps
