// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ranks/chirp_kernel.hpp"

#include "base/index.hpp"
#include "gpu/emit/emit_preamble.hpp"

namespace weft::gpu {
namespace {

/// k k modulo 2n: the quotient in double is off by a few at most, and the rest is exact modulo
/// 2^64.
constexpr const char* chirp_text = R"(
struct Arguments {
  const void* in;
  void* out;
  int ndim, axis, from_reals, to_reals;
  long long extents[8], from[8], to[8];
  long long begin, n;
  double sign, conjugate, scale;
};
#ifndef __CUDACC__
#include <math.h>
static void sincospi(double t, double* s, double* c) {
  *s = sin(3.14159265358979323846 * t);
  *c = cos(3.14159265358979323846 * t);
}
#endif
__device__ __forceinline__ long long square_modulo(long long k, long long m) {
  const long long quotient = (long long)((double)k * (double)k / (double)m);
  const unsigned long long rest =
      (unsigned long long)k * (unsigned long long)k - (unsigned long long)quotient * (unsigned long long)m;
  const long long r = (long long)rest % m;
  return r < 0 ? r + m : r;
}
__device__ __forceinline__ void treat(const Arguments& a, long long i) {
  long long from = 0, to = 0, k = a.begin;
  for (int d = a.ndim - 1; d >= 0; --d) {
    const long long digit = i % a.extents[d];
    i /= a.extents[d];
    from += digit * a.from[d];
    to += digit * a.to[d];
    if (d == a.axis) k += digit;
  }
  long long half_turns = square_modulo(k, 2 * a.n);  // over n
  if (half_turns > a.n) half_turns -= 2 * a.n;
  double s, c;
  sincospi(a.sign * ((double)half_turns / (double)a.n), &s, &c);
  const Complex z = a.from_reals ? load((const StoredReal*)a.in + from) : load((const StoredComplex*)a.in + from);
  const double x = z.re, y = a.conjugate * z.im;
  const Complex result = {(Real)(a.scale * (x * c - y * s)), (Real)(a.scale * (x * s + y * c))};
  if (a.to_reals)
    store((StoredReal*)a.out + to, result);
  else
    store((StoredComplex*)a.out + to, result);
}
)";

constexpr const char* product_text = R"(
struct Arguments { StoredComplex* x; const StoredComplex* y; };
__device__ __forceinline__ void treat(const Arguments& a, long long i) {
  const Complex x = load(a.x + i), y = load(a.y + i);
  store(a.x + i, Complex{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re});
}
)";

class CudaChirpSteps final : public global::ChirpSteps {
 public:
  CudaChirpSteps(const global::ChirpLine& line, const GpuDevice& device, Stream stream)
      : line_(line),
        device_(device),
        stream_(stream),
        chirp_(emit_chirp(line.precision), device),
        product_(emit_product(line.precision), device) {}

  void run(const global::ChirpProduct& product, const std::byte* in,
           std::byte* out) const override {
    const UseDevice use(device_);
    chirp_.run(chirp_arguments(line_, product, in, out), product.from.box.count(), stream_);
  }
  void multiply(std::byte* x, const std::byte* y, Index count) const override {
    const UseDevice use(device_);
    product_.run(ProductArguments{x, y}, count, stream_);
  }

 private:
  global::ChirpLine line_;
  const GpuDevice& device_;
  Stream stream_;
  ElementKernel chirp_, product_;
};

}  // namespace

std::string emit_chirp(Precision precision) {
  return "// weft: products with a chirp\n" + emit_numbers(precision) + chirp_text;
}
std::string emit_product(Precision precision) {
  return "// weft: a product\n" + emit_numbers(precision) + product_text;
}

ChirpArguments chirp_arguments(const global::ChirpLine& line, const global::ChirpProduct& product,
                               const std::byte* in, std::byte* out) {
  const Box& box = product.from.box;
  ChirpArguments a{};
  a.in = in + product.from.offset;
  a.out = out + product.to.offset;
  a.ndim = box.ndim;
  a.axis = line.axis;
  a.from_reals = product.from_reals ? 1 : 0;
  a.to_reals = product.to_reals ? 1 : 0;
  for (int d = 0; d < box.ndim; ++d) {
    a.extents[d] = box.extent(d);
    a.from[d] = product.from.strides[at(d)];
    a.to[d] = product.to.strides[at(d)];
  }
  a.begin = box.begin[at(line.axis)];
  a.n = line.n;
  a.sign = line.direction == Direction::forward ? -1 : 1;
  a.conjugate = product.from.conjugate ? -1 : 1;
  a.scale = product.scale;
  return a;
}

std::unique_ptr<global::ChirpSteps> make_cuda_chirp_steps(const global::ChirpLine& line,
                                                          const GpuDevice& device, Stream stream) {
  return std::make_unique<CudaChirpSteps>(line, device, stream);
}

}  // namespace weft::gpu
