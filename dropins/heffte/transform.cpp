// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/heffte/transform.hpp"

#include <algorithm>
#include <complex>

#include "dropins/heffte/agreement.hpp"
#include "dropins/heffte/kinds.hpp"
#include "weft/error.hpp"
#include "weft/mpi.hpp"

namespace weft::heffte {
namespace {

Normalization normalization_of(const weft_heffte_call& call) {
  switch (call.scale) {
    case weft_heffte_scale_none: return Normalization::none;
    case weft_heffte_scale_full:
      return call.backward != 0 ? Normalization::backward : Normalization::forward;
    case weft_heffte_scale_symmetric: return Normalization::ortho;
    default:
      throw Error(ErrorCode::invalid_argument,
                  "heFFTe: the scale " + std::to_string(call.scale) +
                      " is none of none (0), full (1) and symmetric (2)");
  }
}

/// By what a call differs from weft's transform with that normalization.
double factor_of(const weft_heffte_request& request, const weft_heffte_call& call) {
  const double more = request.backward_factor;
  double factor = call.backward != 0 ? more : 1;
  if (call.scale == weft_heffte_scale_full) factor /= more;
  if (call.scale == weft_heffte_scale_symmetric) factor /= std::sqrt(more);
  return factor;
}

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

}  // namespace

DistributedTransform::DistributedTransform(const weft_heffte_request& request, MPI_Comm comm)
    : request_(request),
      world_(agree_on_world(request, comm)),
      comm_(mpi_comm(comm)),
      memory_(request) {}

Index DistributedTransform::workspace() const {
  const auto points = Box::of_shape(world_.spectrum).count();
  const Index share = (points + world_.ranks - 1) / world_.ranks;
  return message_room() + std::max(outbox_count(), share);
}

double DistributedTransform::scale_factor() const {
  double factor = request_.backward_factor;
  for (const Index n : world_.extents) factor *= logical_length(request_.kind, n);
  return 1 / factor;
}

Kind DistributedTransform::kind_of(const Variant& variant) const {
  if (request_.kind == weft_heffte_fft) return Kind::c2c;
  if (request_.kind == weft_heffte_r2c) return variant.is_backward ? Kind::c2r : Kind::r2c;
  return Kind::r2r;
}

Transform DistributedTransform::transform_of(const Variant& variant) const {
  Transform t;
  t.kind = kind_of(variant);
  t.direction = variant.is_backward ? Direction::backward : Direction::forward;
  t.normalization = variant.normalization;
  t.precision = variant.precision;
  const int first = variant.batch == 1 ? 0 : 1;
  if (first == 1) t.shape.push_back(variant.batch);
  t.shape.insert(t.shape.end(), world_.extents.begin(), world_.extents.end());
  for (int axis = 0; axis < 3; ++axis)
    if (request_.kind != weft_heffte_r2c || axis != axis_of(request_.r2c_direction))
      t.axes.push_back(first + axis);
  // The last one is halved.
  if (request_.kind == weft_heffte_r2c) t.axes.push_back(first + axis_of(request_.r2c_direction));
  if (t.kind == Kind::r2r) t.r2r = {r2r_of(request_.kind, t.direction)};
  return t;
}

DistributedPlan& DistributedTransform::plan_for(const Variant& variant) const {
  const auto planned = std::ranges::find(plans_, variant, &PlannedVariant::variant);
  if (planned != plans_.end()) return *planned->plan;
  DistributedOptions options;
  options.in_place = variant.in_place;
  if (request_.on_gpu != 0)
    options.device = Device::cuda(request_.device_number, request_.stream);
  else if (!plans_.empty())
    options.workspace = plans_.front().plan->workspace();
  auto input = local_boxes(request_.in, variant.batch);
  auto output = local_boxes(request_.out, variant.batch);
  if (variant.is_backward) std::swap(input, output);
  auto plan =
      std::make_unique<DistributedPlan>(transform_of(variant), input, output, *comm_, options);
  plans_.push_back({variant, std::move(plan)});
  return *plans_.back().plan;
}

void* DistributedTransform::scratch(const weft_heffte_call& call,
                                    std::size_t bytes) const noexcept {
  try {
    return call.workspace != nullptr ? call.workspace : memory_.scratch(bytes);
  } catch (...) {
    return nullptr;
  }
}

template <class Real>
void DistributedTransform::run(const Variant& variant, const void* in, void* out) const {
  using Complex = std::complex<Real>;
  DistributedPlan& plan = plan_for(variant);
  const auto* real_in = static_cast<const Real*>(in);
  const auto* complex_in = static_cast<const Complex*>(in);
  auto* real_out = static_cast<Real*>(out);
  auto* complex_out = static_cast<Complex*>(out);
  switch (kind_of(variant)) {
    case Kind::c2c: return plan.execute(complex_in, complex_out);
    case Kind::r2c: return plan.execute(real_in, complex_out);
    case Kind::c2r: return plan.execute(complex_in, real_out);
    case Kind::r2r: return plan.execute(real_in, real_out);
  }
}

template <class Real>
void DistributedTransform::execute_as(const weft_heffte_call& call) const {
  using Complex = std::complex<Real>;
  const bool is_backward = call.backward != 0, is_r2c = request_.kind == weft_heffte_r2c;
  const bool is_fft = request_.kind == weft_heffte_fft;
  const bool widens = is_fft && call.complex_in == 0, narrows = is_fft && call.complex_out == 0;
  const Index batch = std::max(call.batch, 0);
  const auto inputs = size((is_backward ? outbox_count() : inbox_count()) * batch);
  const auto outputs = size((is_backward ? inbox_count() : outbox_count()) * batch);
  const std::size_t input_bytes = inputs * (call.complex_in != 0 ? sizeof(Complex) : sizeof(Real));
  const bool has_data = inputs > 0 && outputs > 0;

  // Numbers of another type are in an array between; so is an input that the output overwrites,
  // unless all ranks work in place.
  bool copies = is_r2c && call.in == call.out;
  const std::size_t bytes = widens    ? inputs * sizeof(Complex)
                            : narrows ? outputs * sizeof(Complex)
                            : copies  ? input_bytes
                                      : 0;
  void* between = bytes > 0 ? scratch(call, bytes) : nullptr;
  const Agreement ranks = agree_on_call(*comm_, call, {has_data, bytes == 0 || between != nullptr});
  Variant variant{ScalarTraits<Real>::precision, is_backward, normalization_of(call), false,
                  call.batch};
  if (!widens && !narrows && !is_r2c && ranks.is_some_same) {
    variant.in_place = !ranks.is_some_apart;
    copies = !variant.in_place && call.in == call.out && inputs > 0;
    if (copies) between = scratch(call, input_bytes);
    if (!variant.in_place) agree_on_call(*comm_, call, {has_data, !copies || between != nullptr});
  }

  if (widens)
    memory_.widen(static_cast<const Real*>(call.in), inputs, static_cast<Complex*>(between));
  if (copies) memory_.copy(call.in, input_bytes, between);
  run<Real>(variant, widens || copies ? between : call.in, narrows ? between : call.out);
  if (narrows)
    memory_.narrow(static_cast<const Complex*>(between), outputs, static_cast<Real*>(call.out));
  const double factor = factor_of(request_, call);
  if (factor != 1)  // of real numbers
    memory_.multiply(static_cast<Real*>(call.out), outputs, static_cast<Real>(factor));
}

void DistributedTransform::execute(const weft_heffte_call& call) const {
  const std::scoped_lock lock(mutex_);
  call.is_double != 0 ? execute_as<double>(call) : execute_as<float>(call);
}

}  // namespace weft::heffte
