// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/r2r_kernel.hpp"

#include <cstring>

#include "base/format.hpp"
#include "gpu/emit/emit_preamble.hpp"

namespace weft::gpu {
namespace {

/// Neighbouring elements are neighbours along the last dimension of the array that is written.
constexpr const char* step_text = R"(
struct Entry { long long first, second; Real a, b, c, d; };
struct Side { long long stride[12], length[12], jump[12]; };
struct Shape { int ndim, axis; long long count, extents[12]; Side in, out; };
struct Arguments { const Input* in; Output* out; const Entry* table; double scale; Shape shape; };
__device__ __forceinline__ long long place(const Side& side, int d, long long i) {
  return i < side.length[d] ? i * side.stride[d]
                            : i % side.length[d] * side.stride[d] + i / side.length[d] * side.jump[d];
}
__device__ __forceinline__ Complex combined(const Entry& e, Complex x, Complex y) {
  if (is_complex_in) return {e.a * x.re + e.b * x.im, Real(0)};
  return {e.a * x.re + e.c * y.re, e.b * x.re + e.d * y.re};
}
__device__ __forceinline__ void treat(const Arguments& a, long long i) {
  const Shape& shape = a.shape;
  long long from = 0, to = 0, along = 0;
  for (int d = shape.ndim - 1; d >= 0; --d) {
    const long long digit = i % shape.extents[d];
    i /= shape.extents[d];
    to += place(shape.out, d, digit);
    if (d == shape.axis)
      along = digit;
    else
      from += place(shape.in, d, digit);
  }
  const Entry e = a.table[along];
  Complex x = {0, 0}, y = {0, 0};
  if (e.first >= 0) x = load(a.in + from + place(shape.in, shape.axis, e.first));
  if (e.second >= 0) y = load(a.in + from + place(shape.in, shape.axis, e.second));
  const Complex z = combined(e, x, y);
  const Real scale = (Real)a.scale;
  store(a.out + to, Complex{scale * z.re, scale * z.im});
}
)";

template <class Real>
std::vector<unsigned char> table_of(const std::vector<R2rEntry>& entries) {
  struct Stored {
    Index first, second;
    Real a, b, c, d;
  };
  std::vector<unsigned char> bytes(entries.size() * sizeof(Stored));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const R2rEntry& e = entries[i];
    const Stored stored{e.first,
                        e.second,
                        static_cast<Real>(e.a),
                        static_cast<Real>(e.b),
                        static_cast<Real>(e.c),
                        static_cast<Real>(e.d)};
    std::memcpy(bytes.data() + i * sizeof stored, &stored, sizeof stored);
  }
  return bytes;
}

}  // namespace

std::string emit_r2r_step(Precision precision, bool is_complex_in, bool is_complex_out) {
  const auto stored = [](bool is_complex) { return is_complex ? "StoredComplex" : "StoredReal"; };
  return "// weft: a step of a real-to-real transform\n" + emit_numbers(precision) +
         weft::format("using Input = {};\nusing Output = {};\nconstexpr bool is_complex_in = {};\n",
                      stored(is_complex_in), stored(is_complex_out),
                      is_complex_in ? "true" : "false") +
         step_text;
}

std::vector<unsigned char> r2r_table(const std::vector<R2rEntry>& entries, Precision precision) {
  return precision == Precision::f64 ? table_of<double>(entries) : table_of<float>(entries);
}

R2rStep::R2rStep(const std::vector<R2rEntry>& entries, const R2rShape& shape, Precision precision,
                 bool is_complex_in, bool is_complex_out, const GpuDevice& device)
    : kernel_(emit_r2r_step(precision, is_complex_in, is_complex_out), device), shape_(shape) {
  const std::vector<unsigned char> bytes = r2r_table(entries, precision);
  const UseDevice use(device);
  table_ = DeviceMemory(bytes.size());
  upload(table_.address(), bytes.data(), bytes.size(), "copying a table to the GPU");
}

}  // namespace weft::gpu
