// SPDX-License-Identifier: BSD-3-Clause
// Listing 1 of the wsFFT paper, corrected: the printed one omits a base address, lets a length grow
// and reads the odd half from the wrong array. Constant geometry: a butterfly always combines the
// lower and the upper half of the array; input and output are in natural order.
#include <bit>
#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "fabric/wafer/kernel.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

class Listing1 {
 public:
  Listing1(std::int32_t n, Direction direction, Precision precision)
      : n_(n), direction_(direction), precision_(precision) {}

  KernelProgram build() {
    program_.name = "listing1";
    program_.length = n_;
    program_.memory_reals = 4 * n_;
    program_.constants_base = 3 * n_;
    add_roots();
    for (std::int32_t stride = n_; stride > 1; stride /= 2) add_stage(stride);
    if (direction_ == Direction::backward)
      push(VectorOp::multiply_scalar, 2 * n_, {0, 1}, {0, 1}, {0, 1},
           round(1.0F / static_cast<float>(n_)));
    // Two loads of a root (one in FP16, where both parts are in one word), a negation and the loop.
    const double loads = precision_ == Precision::f16 ? 1 : 2;
    program_.scalar_work.push_back(
        {.times = n_ - 1, .issues = 3, .descriptors = 6, .scalars = loads + 2});
    program_.scalar_work.push_back(
        {.times = 2 * n_ - 4, .issues = 1, .descriptors = 2, .scalars = 3});
    program_.scalar_work.push_back({.times = std::bit_width(static_cast<unsigned>(n_)) - 1,
                                    .scalars = precision_ == Precision::f16 ? 34.0 : 36.0});
    return std::move(program_);
  }

 private:
  struct Vector {
    std::int32_t base = 0, stride = 1;
  };
  float round(float value) const {
    return precision_ == Precision::f16 ? round_to_half(value) : value;
  }
  void push(VectorOp op, std::int32_t count, Vector dst, Vector a, Vector b, float scalar = 0) {
    program_.instructions.push_back({.op = op,
                                     .extents = {1, 1, count},
                                     .dst = {dst.base, {0, 0, dst.stride}},
                                     .a = {a.base, {0, 0, a.stride}},
                                     .b = {b.base, {0, 0, b.stride}},
                                     .scalar = scalar});
  }

  void add_roots() {
    for (std::int32_t k = 0; k < n_ / 2; ++k) {
      const double angle = 2 * std::numbers::pi * k / n_;
      const double sign = direction_ == Direction::forward ? 1 : -1;
      program_.constants.push_back(round(static_cast<float>(std::cos(angle))));
      program_.constants.push_back(round(static_cast<float>(sign * std::sin(angle))));
    }
  }

  void add_stage(std::int32_t stride) {
    const std::int32_t sub = stride / 2;
    const std::int32_t aux = 2 * n_;
    for (std::int32_t off = 0; off < n_; off += stride) {
      const float ca = program_.constants[static_cast<std::size_t>(off)];
      const float cb = program_.constants[static_cast<std::size_t>(off) + 1];
      push(VectorOp::multiply_scalar, stride, {aux + off}, {n_ + off}, {n_ + off}, ca);
      push(VectorOp::multiply_accumulate_scalar, sub, {aux + off, 2}, {n_ + off + 1, 2},
           {aux + off, 2}, cb);
      push(VectorOp::multiply_accumulate_scalar, sub, {aux + off + 1, 2}, {n_ + off, 2},
           {aux + off + 1, 2}, -cb);
    }
    push(VectorOp::subtract, n_, {n_}, {0}, {aux});
    push(VectorOp::add, n_, {0}, {0}, {aux});
    if (sub == 1) return;
    push(VectorOp::move, n_, {aux}, {n_}, {n_});
    gather(n_, sub, stride, sub);
    gather(0, sub, stride, 0);
  }

  /// Copies every second block, first of the lower half and then of the upper half, to consecutive
  /// places.
  void gather(std::int32_t to, std::int32_t sub, std::int32_t stride, std::int32_t first) {
    for (const std::int32_t array : {0, 2 * n_})
      for (std::int32_t from = first; from < n_; from += stride, to += sub)
        push(VectorOp::move_block, sub, {to}, {array + from}, {array + from});
  }

  std::int32_t n_;
  Direction direction_;
  Precision precision_;
  KernelProgram program_;
};

}  // namespace

KernelProgram listing1_kernel(std::int64_t length, Direction direction, Precision precision) {
  if (length < 2 || length > (1 << 20) || !std::has_single_bit(static_cast<std::uint64_t>(length)))
    throw Error(
        ErrorCode::unsupported,
        weft::format("a pencil of {} with the paper's kernel: it takes powers of two from 2; "
                     "use the kernel `stockham`",
                     length));
  return Listing1(static_cast<std::int32_t>(length), direction, precision).build();
}

}  // namespace weft::fabric
