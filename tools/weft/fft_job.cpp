// SPDX-License-Identifier: BSD-3-Clause
// Finds out, from the header of a file and the options, which transform to run on one chunk.
// fft_stream.cpp runs it.
#include "fft_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "problem.hpp"
#include "text.hpp"

namespace weft::tool {
namespace {

Kind kind_of(const FftRequest& request, const NpyHeader& input) {
  const bool complex_input = is_complex(input.type);
  const char* type = numpy_name(input.type);
  if (!request.r2r.empty()) {
    if (request.real) refuse("--real and --r2r ask for different transforms; use only one of them");
    if (complex_input)
      refuse(fmt::format("{} contains {}, but --r2r needs real input; remove --r2r", request.input,
                         type));
    return Kind::r2r;
  }
  if (!request.real) return Kind::c2c;
  if (request.inverse && !complex_input)
    refuse(
        fmt::format("{} contains {}, but --inverse --real needs a complex spectrum; remove --real "
                    "for a complex result",
                    request.input, type));
  if (!request.inverse && complex_input)
    refuse(fmt::format("{} contains {}, but --real needs real input; remove --real", request.input,
                       type));
  return request.inverse ? Kind::c2r : Kind::r2c;
}

/// The shape of the real array; the same as the input's except for c2r.
std::vector<Index> real_shape(const FftRequest& request, Kind kind, int last_axis,
                              std::vector<Index> shape) {
  if (kind != Kind::c2r) {
    if (request.real_length)
      refuse(
          "--n is only for --inverse --real, where it gives the length of the output; remove it");
    return shape;
  }
  Index& length = shape[static_cast<std::size_t>(last_axis)];
  const Index half = length;
  const Index wanted = request.real_length.value_or(2 * (half - 1));
  if (wanted < 1 || wanted / 2 + 1 != half)
    refuse(fmt::format(
        "{} complex points along axis {} give {} or {} real points, not {}; pass --n {} or --n {}",
        half, last_axis, std::max<Index>(2 * (half - 1), 1), 2 * half - 1, wanted,
        std::max<Index>(2 * (half - 1), 1), 2 * half - 1));
  length = wanted;
  return shape;
}

void check_shape(const FftRequest& request, const NpyHeader& input) {
  if (input.shape.empty())
    refuse(fmt::format(
        "{} contains a single number, not an array; save an array with at least one dimension",
        request.input));
  if (std::ranges::count(input.shape, 0) > 0)
    refuse(fmt::format("{} has shape {}, which has no elements; there is nothing to transform",
                       request.input, python_shape_text(input.shape)));
}

/// Chooses element types: the arithmetic is at least f32; real output may be stored as f16.
void choose_types(const FftRequest& request, const NpyHeader& input, Kind kind, FftJob& job) {
  const bool real_output = kind == Kind::c2r || kind == Kind::r2r;
  Precision stored = std::max(precision_of(input.type), Precision::f32);
  if (!request.precision.empty()) stored = parse_precision(request.precision);
  if (stored == Precision::f16 && !real_output)
    refuse("NumPy has no half-precision complex type; pass --precision f32");
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
    refuse(
        fmt::format("--r2r lists {} kinds for {} axes; give one kind for all axes, or one per axis",
                    kinds.size(), axes));
  return kinds;
}

/// Divides the array into items, the independent transforms: [first, last) are the dimensions of
/// one item; the other dimensions number the items and are slowest in memory.
struct ItemDimensions {
  std::size_t first, last;
};
ItemDimensions item_dimensions(const std::vector<int>& axes, std::size_t ndim, Order order) {
  const auto [lowest, highest] = std::ranges::minmax(axes);
  if (order == Order::row_major) return {static_cast<std::size_t>(lowest), ndim};
  return {0, static_cast<std::size_t>(highest) + 1};
}

/// The dimensions of an item. Dimensions of length 1 need no transform and are left out, except the
/// last transformed one (a real transform changes its length) and those of r2r (which multiply by a
/// factor).
void add_item_axes(const ItemDimensions& item, const std::vector<int>& axes,
                   const std::vector<Index>& shape, Transform& transform) {
  std::vector<int> position(shape.size(), -1);
  for (std::size_t d = item.first; d < item.last; ++d) {
    const int axis = static_cast<int>(d);
    const bool must_stay = transform.kind == Kind::r2r ? contains(axes, axis) : axis == axes.back();
    if (shape[d] == 1 && !must_stay) continue;
    position[d] = static_cast<int>(transform.shape.size());
    transform.shape.push_back(shape[d]);
  }
  for (const int axis : axes)
    if (position[at(axis)] >= 0) transform.axes.push_back(position[at(axis)]);
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
  const double chunk_items = std::floor(request.chunk_mib * 1024 * 1024 / item_bytes);
  const bool all_fit = chunk_items >= static_cast<double>(job.items);
  job.items_per_chunk = all_fit ? job.items : std::max<Index>(static_cast<Index>(chunk_items), 1);

  job.transform.kind = kind;
  job.transform.normalization = parse_normalization(request.norm);
  job.transform.shape = {job.items_per_chunk};
  add_item_axes(item, axes, shape, job.transform);
  if (job.transform.shape.size() > static_cast<std::size_t>(max_ndim))
    refuse(
        fmt::format("{} has {} dimensions; at most {} with a length other than 1 are possible; "
                    "reshape the array",
                    request.input, ndim, max_ndim - 1));
  job.transform.r2r = r2r_kinds(request, axes.size());
  job.transform.direction =
      request.inverse && kind != Kind::r2c ? Direction::backward : Direction::forward;
  return job;
}

}  // namespace weft::tool
