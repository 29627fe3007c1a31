// SPDX-License-Identifier: BSD-3-Clause
// A pencil in two halves, so that one can be sent while the other is computed (decimation in
// frequency). With h = n/2 and w = exp(-+ 2 pi i / n)
//   y[2k]     = DFT(h) of x[j] + x[j + h],
//   y[2k + 1] = DFT(h) of (x[j] - x[j + h]) w^j.
// Memory: four areas of h numbers. x is in the first two. The even half is computed in the other
// two and ends in the third; the odd half is computed in the first and the fourth and ends in the
// fourth, directly after the even half.
#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "fabric/wafer/kernel.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

/// The two areas of a half; its kernel reads and writes them alternately.
struct Areas {
  std::int32_t first, second;
};

class Halves {
 public:
  Halves(std::int32_t n, Direction direction, Precision precision, const KernelRates& rates)
      : n_(n),
        direction_(direction),
        precision_(precision),
        half_(stockham_kernel(n / 2, direction, precision, rates)) {
    // The half's own scaling would come too late: sums of two numbers are computed before it.
    if (direction == Direction::backward) {
      half_.instructions.erase(half_.instructions.begin());
      half_.scalar_work.erase(half_.scalar_work.begin());
    }
  }

  KernelProgram build() {
    program_.name = "halves";
    program_.length = n_;
    program_.constants = half_.constants;
    program_.constants_base = half_.constants_base + moved_by();
    const bool ends_in_first = half_.output == 0;
    const Areas even = ends_in_first ? Areas{2 * n_, 3 * n_} : Areas{3 * n_, 2 * n_};
    if (direction_ == Direction::backward) {
      scale(0, 0, 0);
      scale(even.first, n_, 0, 1);
    } else {
      combine(VectorOp::add, even.first, 0, n_);
    }
    transform(even);
    program_.half_instructions = program_.instructions.size();
    program_.half_scalar_work = program_.scalar_work.size();
    if (direction_ == Direction::backward)
      scale(n_, n_, 0, -1);
    else
      combine(VectorOp::subtract, n_, 0, n_);
    const Areas odd = ends_in_first ? Areas{3 * n_, 0} : Areas{0, 3 * n_};
    twiddle(odd.first, n_);
    transform(odd);
    program_.output = 2 * n_;
    program_.memory_reals =
        program_.constants_base + static_cast<std::int32_t>(program_.constants.size());
    return std::move(program_);
  }

 private:
  /// Data after the two areas of the half's kernel are here after four areas.
  std::int32_t moved_by() const { return 2 * n_; }

  float round(double value) const {
    const auto single = static_cast<float>(value);
    return precision_ == Precision::f16 ? round_to_half(single) : single;
  }
  void push(const VectorInstruction& instruction) {
    program_.instructions.push_back(instruction);
    program_.scalar_work.push_back({.times = 1, .issues = 1, .descriptors = 6, .scalars = 1});
  }
  void combine(VectorOp op, std::int32_t dst, std::int32_t a, std::int32_t b, float scalar = 0) {
    push({.op = op,
          .extents = {1, 1, n_},
          .dst = {dst, {0, 0, 1}},
          .a = {a, {0, 0, 1}},
          .b = {b, {0, 0, 1}},
          .scalar = scalar});
  }
  /// dst = a / n, or dst = plus + sign * a / n.
  void scale(std::int32_t dst, std::int32_t a, std::int32_t plus, int sign = 0) {
    const float factor = round((sign < 0 ? -1.0 : 1.0) / n_);
    combine(sign == 0 ? VectorOp::multiply_scalar : VectorOp::multiply_accumulate_scalar, dst, a,
            plus, factor);
  }

  /// dst[j] = from[j] w^j; constants per j: cos, sin, -sin. The scratch memory of the half is free
  /// at this time.
  void twiddle(std::int32_t dst, std::int32_t from) {
    const auto constants =
        program_.constants_base + static_cast<std::int32_t>(program_.constants.size());
    const double sign = direction_ == Direction::forward ? 1 : -1;
    for (std::int32_t j = 0; j < n_ / 2; ++j) {
      const double angle = 2 * std::numbers::pi * j / n_;
      const float sine = round(sign * std::sin(angle));
      program_.constants.insert(program_.constants.end(), {round(std::cos(angle)), sine, -sine});
    }
    const std::array<std::int32_t, 3> extents = {1, n_ / 2, 2};
    const Operand to{dst, {0, 2, 1}};
    const Operand turned{2 * n_ + moved_by(), {0, 2, 1}};
    push({.op = VectorOp::multiply,
          .extents = extents,
          .dst = to,
          .a = {from, {0, 2, 1}},
          .b = {constants, {0, 3, 0}}});
    push({.op = VectorOp::multiply,
          .extents = extents,
          .dst = turned,
          .a = {from + 1, {0, 2, -1}},
          .b = {constants + 1, {0, 3, 1}}});
    push({.op = VectorOp::add, .extents = extents, .dst = to, .a = to, .b = turned});
  }

  void transform(Areas areas) {
    const auto moved = [&](Operand operand) {
      if (operand.base < n_)
        operand.base += areas.first;
      else if (operand.base < 2 * n_)
        operand.base += areas.second - n_;
      else
        operand.base += moved_by();
      return operand;
    };
    for (VectorInstruction instruction : half_.instructions) {
      instruction.dst = moved(instruction.dst);
      instruction.a = moved(instruction.a);
      instruction.b = moved(instruction.b);
      program_.instructions.push_back(instruction);
    }
    program_.scalar_work.insert(program_.scalar_work.end(), half_.scalar_work.begin(),
                                half_.scalar_work.end());
  }

  std::int32_t n_;
  Direction direction_;
  Precision precision_;
  KernelProgram half_;
  KernelProgram program_;
};

}  // namespace

KernelProgram halves_kernel(std::int64_t length, Direction direction, Precision precision,
                            const KernelRates& rates) {
  if (length < 2 || length % 2 != 0 || length > (1 << 20))
    throw Error(ErrorCode::unsupported,
                weft::format("a pencil of {} in halves: lengths are even, 2 to 2^20", length));
  return Halves(static_cast<std::int32_t>(length), direction, precision, rates).build();
}

}  // namespace weft::fabric
