// SPDX-License-Identifier: BSD-3-Clause
// From a file's header and the options to the transform of one chunk. fft_stream.cpp runs it.
#include "fft_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/index.hpp"
#include "problem.hpp"
#include "text.hpp"

namespace weft::tool {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

Kind kind_of(const FftRequest& request, const NpyHeader& input) {
  const bool complex_input = is_complex(input.type);
  const char* type = numpy_name(input.type);
  if (!request.r2r.empty()) {
    if (request.real) refuse("--real and --r2r ask for different transforms; leave one away");
    if (complex_input)
      refuse(fmt::format("{} holds {}, --r2r transforms real arrays; leave --r2r away",
                         request.input, type));
    return Kind::r2r;
  }
  if (!request.real) return Kind::c2c;
  if (request.inverse && !complex_input)
    refuse(
        fmt::format("{} holds {}, --inverse --real needs a complex spectrum; leave --real away "
                    "for a complex result",
                    request.input, type));
  if (!request.inverse && complex_input)
    refuse(fmt::format("{} holds {}, --real needs real input; leave --real away", request.input,
                       type));
  return request.inverse ? Kind::c2r : Kind::r2c;
}

/// The shape of the real side; the same as the input's but for c2r.
std::vector<Index> real_shape(const FftRequest& request, Kind kind, int last_axis,
                              std::vector<Index> shape) {
  if (kind != Kind::c2r) {
    if (request.real_length)
      refuse("--n names the real length of --inverse --real; leave it away here");
    return shape;
  }
  Index& length = shape[static_cast<std::size_t>(last_axis)];
  const Index half = length;
  const Index wanted = request.real_length.value_or(2 * (half - 1));
  if (wanted < 1 || wanted / 2 + 1 != half)
    refuse(
        fmt::format("{} complex points along axis {} make {} or {} real ones, not {}; pass --n "
                    "{} or --n {}",
                    half, last_axis, std::max<Index>(2 * (half - 1), 1), 2 * half - 1, wanted,
                    std::max<Index>(2 * (half - 1), 1), 2 * half - 1));
  length = wanted;
  return shape;
}

void check_shape(const FftRequest& request, const NpyHeader& input) {
  if (input.shape.empty())
    refuse(fmt::format("{} holds a single number, not an array; save at least one dimension",
                       request.input));
  if (std::ranges::count(input.shape, 0) > 0)
    refuse(fmt::format("{} has shape {}, which is empty; there is nothing to transform",
                       request.input, python_shape_text(input.shape)));
}

/// Element types: the arithmetic is at least f32, the output may be stored as f16 if it is real.
void choose_types(const FftRequest& request, const NpyHeader& input, Kind kind, FftJob& job) {
  const bool real_output = kind == Kind::c2r || kind == Kind::r2r;
  Precision stored = std::max(precision_of(input.type), Precision::f32);
  if (!request.precision.empty()) stored = parse_precision(request.precision);
  if (stored == Precision::f16 && !real_output)
    refuse("NumPy has no complex type of halves; pass --precision f32");
  job.transform.precision = std::max(stored, Precision::f32);
  job.plan_input = npy_type(job.transform.precision, kind == Kind::c2c || kind == Kind::c2r);
  job.plan_output = npy_type(job.transform.precision, !real_output);
  job.output.type = npy_type(stored, !real_output);
}

std::vector<R2r> r2r_kinds(const FftRequest& request, std::size_t axes) {
  std::vector<R2r> kinds;
  for (const std::string& name : request.r2r) {
    const R2r kind = parse_r2r(name);
    kinds.push_back(request.inverse ? inverse_of(kind) : kind);
  }
  if (kinds.size() > 1 && kinds.size() != axes)
    refuse(fmt::format("--r2r names {} kinds for {} axes; name one for all or one for each",
                       kinds.size(), axes));
  return kinds;
}

/// Cuts the array into items: [first, last) are the dimensions of one, the others are independent
/// and slowest in memory.
struct ItemDimensions {
  std::size_t first, last;
};
ItemDimensions item_dimensions(const std::vector<int>& axes, std::size_t ndim, Order order) {
  const auto [lowest, highest] = std::ranges::minmax(axes);
  if (order == Order::row_major) return {static_cast<std::size_t>(lowest), ndim};
  return {0, static_cast<std::size_t>(highest) + 1};
}

Index product(std::span<const Index> extents) {
  Index result = 1;
  for (const Index n : extents) result *= n;
  return result;
}

}  // namespace

FftJob make_fft_job(const FftRequest& request, const NpyHeader& input) {
  check_shape(request, input);
  const Kind kind = kind_of(request, input);
  const std::size_t ndim = input.shape.size();
  const std::vector<int> axes = normalized_axes(request.axes, ndim);
  const std::vector<Index> shape = real_shape(request, kind, axes.back(), input.shape);

  FftJob job;
  job.order = input.order;
  choose_types(request, input, kind, job);
  job.output.order = input.order;
  job.output.shape = shape;
  if (kind == Kind::r2c) {
    Index& length = job.output.shape[static_cast<std::size_t>(axes.back())];
    length = length / 2 + 1;
  }
  checked_product(job.output.count(), 16, "the bytes of the output");

  const ItemDimensions item = item_dimensions(axes, ndim, input.order);
  const auto part = [&](const std::vector<Index>& extents) {
    return std::span(extents).subspan(item.first, item.last - item.first);
  };
  job.item_input_count = product(part(input.shape));
  job.item_output_count = product(part(job.output.shape));
  job.items = input.count() / job.item_input_count;
  const double item_bytes =
      static_cast<double>(job.item_input_count) * static_cast<double>(bytes_of(job.plan_input)) +
      static_cast<double>(job.item_output_count) * static_cast<double>(bytes_of(job.plan_output));
  job.items_per_chunk = std::clamp<Index>(
      static_cast<Index>(request.chunk_mib * 1024 * 1024 / item_bytes), 1, job.items);

  job.transform.kind = kind;
  job.transform.normalization = parse_normalization(request.norm);
  job.transform.shape = {job.items_per_chunk};
  for (const Index n : part(shape)) job.transform.shape.push_back(n);
  for (const int axis : axes) job.transform.axes.push_back(axis - static_cast<int>(item.first) + 1);
  job.transform.r2r = r2r_kinds(request, axes.size());
  job.transform.direction =
      request.inverse && kind != Kind::r2c ? Direction::backward : Direction::forward;
  return job;
}

}  // namespace weft::tool
