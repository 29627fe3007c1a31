// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/heffte/transform.hpp"

#include <algorithm>
#include <complex>
#include <cstring>

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
    : request_(request), mpi_(comm), world_(agree_on_world(request, comm)), comm_(mpi_comm(comm)) {}

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

bool DistributedTransform::agree_on_call(const weft_heffte_call& call) const {
  // Ranks without data may pass any pointers.
  const bool has_data = inbox_count() > 0 && outbox_count() > 0;
  const int is_same = has_data && call.in == call.out ? 1 : 0;
  if (world_.ranks == 1) return is_same == 1;
  const int what = ((call.backward * 2 + call.is_double) * 4 + call.scale) * 4 +
                   call.complex_in * 2 + call.complex_out;
  std::array<int, 6> votes = {is_same,    has_data ? 1 - is_same : 0, what, -what, call.batch,
                              -call.batch};
  MPI_Allreduce(MPI_IN_PLACE, votes.data(), static_cast<int>(votes.size()), MPI_INT, MPI_MAX, mpi_);
  if (votes[2] != -votes[3] || votes[4] != -votes[5])
    throw Error(
        ErrorCode::invalid_argument,
        "heFFTe: ranks call different transforms; all pass the same direction, types, scale "
        "and number of transforms");
  return votes[0] == 1 && votes[1] == 0;
}

void* DistributedTransform::scratch(const weft_heffte_call& call, std::size_t bytes) const {
  if (call.workspace != nullptr) return call.workspace;
  if (own_scratch_.size() < bytes) own_scratch_.resize(bytes);
  return own_scratch_.data();
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
  const bool is_backward = call.backward != 0;
  const bool is_fft = request_.kind == weft_heffte_fft;
  const auto inputs = size((is_backward ? outbox_count() : inbox_count()) * call.batch);
  const auto outputs = size((is_backward ? inbox_count() : outbox_count()) * call.batch);
  const bool widens = is_fft && call.complex_in == 0, narrows = is_fft && call.complex_out == 0;
  const bool is_same = agree_on_call(call);
  Variant variant{ScalarTraits<Real>::precision, is_backward, normalization_of(call), false,
                  call.batch};
  variant.in_place = is_same && !widens && !narrows && request_.kind != weft_heffte_r2c;

  const void* in = call.in;
  void* out = call.out;
  if (widens) {
    auto* const wide = static_cast<Complex*>(scratch(call, inputs * sizeof(Complex)));
    std::copy_n(static_cast<const Real*>(call.in), inputs, wide);
    in = wide;
  } else if (narrows) {
    out = scratch(call, outputs * sizeof(Complex));
  } else if (call.in == call.out && !variant.in_place && inputs > 0) {
    const std::size_t bytes = inputs * (call.complex_in != 0 ? sizeof(Complex) : sizeof(Real));
    in = std::memcpy(scratch(call, bytes), call.in, bytes);
  }
  run<Real>(variant, in, out);
  if (narrows)
    std::ranges::transform(std::span(static_cast<const Complex*>(out), outputs),
                           static_cast<Real*>(call.out), [](Complex z) { return z.real(); });
  const auto factor = static_cast<Real>(factor_of(request_, call));
  if (factor != 1)
    for (Real& x : std::span(static_cast<Real*>(call.out), outputs)) x *= factor;
}

void DistributedTransform::execute(const weft_heffte_call& call) const {
  if (call.batch < 1)
    throw Error(ErrorCode::invalid_argument,
                "heFFTe: " + std::to_string(call.batch) + " transforms were asked for; at least 1");
  const std::scoped_lock lock(mutex_);
  call.is_double != 0 ? execute_as<double>(call) : execute_as<float>(call);
}

}  // namespace weft::heffte
