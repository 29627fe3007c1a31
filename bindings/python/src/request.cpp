// SPDX-License-Identifier: BSD-3-Clause
#include "request.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace weft::python {
namespace {

Normalization normalization_of(Scale scale, Direction direction) {
  if (scale == Scale::none) return Normalization::none;
  if (scale == Scale::by_sqrt_n) return Normalization::ortho;
  return direction == Direction::forward ? Normalization::forward : Normalization::backward;
}

std::vector<Index> first(const std::array<npy_intp, max_ndim>& numbers, int count) {
  return {numbers.begin(), numbers.begin() + count};
}

}  // namespace

npy_intp Request::point_count() const {
  npy_intp count = 1;
  for (int d = 0; d < ndim; ++d) count *= shape[d];
  return count;
}

Transform Request::transform() const {
  Transform result;
  result.kind = kind;
  result.shape = first(shape, ndim);
  result.axes.assign(axes.begin(), axes.begin() + axis_count);
  result.direction = direction;
  result.normalization = normalization_of(scale, direction);
  result.precision = precision;
  if (kind == Kind::r2r) result.r2r = {r2r};
  result.empty_axes = EmptyAxes::none;
  result.spectrum = spectrum;
  if (is_padded) result.input_extents = first(input_extents, ndim);
  result.orthogonalize = orthogonalize;
  return result;
}

Layout Request::input_layout() const { return {.strides = first(input_strides, ndim)}; }
Layout Request::output_layout() const { return {.strides = first(output_strides, ndim)}; }

void set_shapes(Request& request, const Axes& axes, const Array& input) {
  request.ndim = input.ndim();
  request.axis_count = axes.count;
  request.axes = axes.axis;
  for (int d = 0; d < request.ndim; ++d)
    request.shape[d] = request.input_extents[d] = request.output_extents[d] = input.extent(d);
  for (int i = 0; i < axes.count; ++i) {
    const int d = axes.axis[i];
    const bool is_half = request.spectrum == Spectrum::half && i + 1 == axes.count;
    npy_intp length = axes.length[i];
    if (length < 0)
      length = request.kind == Kind::c2r && is_half ? 2 * (input.extent(d) - 1) : input.extent(d);
    if (length < 1)
      throw nb::value_error(
          ("Invalid number of FFT data points (" + std::to_string(length) + ") specified").c_str());
    const npy_intp half = length / 2 + 1;
    const npy_intp needed = request.kind == Kind::c2r && is_half ? half : length;
    request.shape[d] = length;
    request.input_extents[d] = std::min(needed, input.extent(d));
    request.output_extents[d] = request.kind == Kind::r2c && is_half ? half : length;
    if (input.extent(d) < needed) request.is_padded = true;
    if (input.extent(d) < 1) throw nb::value_error("cannot pad an axis that has no points");
  }
}

void set_strides(std::array<npy_intp, max_ndim>& strides, const Array& array) {
  const npy_intp item = array.item_bytes();
  npy_intp contiguous = 1;
  for (int d = array.ndim() - 1; d >= 0; --d) {
    strides[d] = array.extent(d) == 1 ? contiguous : array.stride_bytes(d) / item;
    contiguous *= std::max<npy_intp>(array.extent(d), 1);
  }
}

Key::Key(const Request& r) {
  const auto add = [this](npy_intp number) { numbers[count++] = number; };
  add(static_cast<npy_intp>(r.kind) | static_cast<npy_intp>(r.spectrum) << 4 |
      static_cast<npy_intp>(r.direction) << 8 | static_cast<npy_intp>(r.scale) << 12 |
      static_cast<npy_intp>(r.precision) << 16 | static_cast<npy_intp>(r.r2r) << 20 |
      static_cast<npy_intp>(r.orthogonalize) << 24 | static_cast<npy_intp>(r.in_place) << 25 |
      static_cast<npy_intp>(r.ndim) << 32 | static_cast<npy_intp>(r.axis_count) << 40);
  add(r.threads | static_cast<npy_intp>(r.device + 1) << 32);
  for (int d = 0; d < r.ndim; ++d) {
    add(r.shape[d]);
    add(r.input_extents[d]);
    add(r.input_strides[d]);
    add(r.output_strides[d]);
  }
  for (int i = 0; i < r.axis_count; ++i) add(r.axes[i]);
  std::uint64_t mixed = 0x9E3779B97F4A7C15u;
  for (int i = 0; i < count; ++i) {
    mixed = (mixed ^ static_cast<std::uint64_t>(numbers[i])) * 0xBF58476D1CE4E5B9u;
    mixed ^= mixed >> 29;
  }
  hash = static_cast<std::size_t>(mixed);
}

bool Key::equals(const std::vector<npy_intp>& other) const {
  return other.size() == static_cast<std::size_t>(count) &&
         std::memcmp(other.data(), numbers.data(), sizeof(npy_intp) * other.size()) == 0;
}

}  // namespace weft::python
