// SPDX-License-Identifier: BSD-3-Clause
// A pencil in parts, so that the first can be sent while the others are computed (decimation in
// frequency). With w = exp(-+ 2 pi i / n), two parts of h = n/2 numbers are
//   y[2k]     = DFT(h) of x[j] + x[j + h],
//   y[2k + 1] = DFT(h) of (x[j] - x[j + h]) w^j,
// and four of q = n/4 numbers, with z_m = x[j + m q], are
//   y[4k]     = DFT(q) of (z_0 + z_2) + (z_1 + z_3),
//   y[4k + 2] = DFT(q) of ((z_0 + z_2) - (z_1 + z_3)) w^2j,
//   y[4k + 1] = DFT(q) of ((z_0 - z_2) -+ i (z_1 - z_3)) w^j,
//   y[4k + 3] = DFT(q) of ((z_0 - z_2) +- i (z_1 - z_3)) w^3j.
// Memory: areas of one part each. x is in the first half of them; the parts end in the second half,
// in the order of their numbers. The kernel of a part works in its own area and in another one.
#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "fabric/wafer/kernel.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

class Parts {
 public:
  Parts(int parts, std::int32_t n, Direction direction, Precision precision,
        const KernelRates& rates)
      : parts_(parts),
        n_(n),
        reals_(2 * n / parts),
        direction_(direction),
        precision_(precision),
        part_(stockham_kernel(n / parts, direction, precision, rates)) {
    // The part's own scaling would come too late: sums of numbers are computed before it.
    if (direction == Direction::backward) {
      part_.instructions.erase(part_.instructions.begin());
      part_.scalar_work.erase(part_.scalar_work.begin());
    }
  }

  KernelProgram build() {
    program_.name = parts_ == 2 ? "halves" : "a quarter first";
    program_.length = n_;
    program_.constants = part_.constants;
    program_.constants_base = part_.constants_base + moved_by();
    if (parts_ == 2)
      in_halves();
    else
      in_quarters();
    program_.output = 2 * n_;
    program_.memory_reals =
        program_.constants_base + static_cast<std::int32_t>(program_.constants.size());
    return std::move(program_);
  }

 private:
  std::int32_t area(int number) const { return number * reals_; }
  /// Data after the two areas of the part's kernel are here after all areas.
  std::int32_t moved_by() const { return 4 * n_ - 2 * reals_; }

  void in_halves() {
    const bool forward = direction_ == Direction::forward;
    if (forward) {
      combine(VectorOp::add, start_of(2, 3), area(0), area(1));
    } else {
      scale(area(0), area(0), 0);
      scale(start_of(2, 3), area(1), area(0), 1);
    }
    transform(2, 3);
    first_part_is_complete();
    if (forward)
      combine(VectorOp::subtract, area(1), area(0), area(1));
    else
      scale(area(1), area(1), area(0), -1);
    twiddle(start_of(3, 0), area(1), 1);
    transform(3, 0);
  }

  void in_quarters() {
    if (direction_ == Direction::backward)
      for (int k = 0; k < 4; ++k) scale(area(k), area(k), 0);
    combine(VectorOp::add, area(5), area(0), area(2));
    combine(VectorOp::add, area(6), area(1), area(3));
    combine(VectorOp::add, start_of(4, 7), area(5), area(6));
    transform(4, 7);
    first_part_is_complete();
    combine(VectorOp::subtract, area(7), area(5), area(6));
    twiddle(start_of(6, 5), area(7), 2);
    transform(6, 5);
    combine(VectorOp::subtract, area(0), area(0), area(2));
    subtract_turned(area(2), area(1), area(3));
    combine(VectorOp::add, area(1), area(0), area(2));
    combine(VectorOp::subtract, area(0), area(0), area(2));
    twiddle(start_of(5, 3), area(1), 1);
    transform(5, 3);
    twiddle(start_of(7, 3), area(0), 3);
    transform(7, 3);
  }

  void first_part_is_complete() {
    program_.part_instructions = program_.instructions.size();
    program_.part_scalar_work = program_.scalar_work.size();
  }

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
          .extents = {1, 1, reals_},
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
  /// dst = -i (a - b) forward, +i (a - b) backward.
  void subtract_turned(std::int32_t dst, std::int32_t a, std::int32_t b) {
    const bool forward = direction_ == Direction::forward;
    for (const std::int32_t part : {0, 1}) {
      const bool is_plus = (part == 0) == forward;
      const Operand first{(is_plus ? a : b) + 1 - part, {0, 0, 2}};
      const Operand second{(is_plus ? b : a) + 1 - part, {0, 0, 2}};
      push({.op = VectorOp::subtract,
            .extents = {1, 1, reals_ / 2},
            .dst = {dst + part, {0, 0, 2}},
            .a = first,
            .b = second});
    }
  }

  /// dst[j] = from[j] w^(power j); constants per j: cos, sin, -sin. The scratch memory of the
  /// part's kernel is free at this time.
  void twiddle(std::int32_t dst, std::int32_t from, int power) {
    const auto constants =
        program_.constants_base + static_cast<std::int32_t>(program_.constants.size());
    const double sign = direction_ == Direction::forward ? 1 : -1;
    for (std::int32_t j = 0; j < reals_ / 2; ++j) {
      const double angle = 2 * std::numbers::pi * power * j / n_;
      const float sine = round(sign * std::sin(angle));
      program_.constants.insert(program_.constants.end(), {round(std::cos(angle)), sine, -sine});
    }
    const std::array<std::int32_t, 3> extents = {1, reals_ / 2, 2};
    const Operand to{dst, {0, 2, 1}};
    const Operand turned{4 * n_, {0, 2, 1}};
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

  /// Where the kernel of a part begins that works in two areas and ends in `last`.
  std::int32_t start_of(int last, int other) const {
    return area(part_.output == 0 ? last : other);
  }
  void transform(int last, int other) {
    const std::int32_t first_area = start_of(last, other);
    const std::int32_t second_area = area(part_.output == 0 ? other : last);
    const auto moved = [&](Operand operand) {
      if (operand.base < reals_)
        operand.base += first_area;
      else if (operand.base < 2 * reals_)
        operand.base += second_area - reals_;
      else
        operand.base += moved_by();
      return operand;
    };
    for (VectorInstruction instruction : part_.instructions) {
      instruction.dst = moved(instruction.dst);
      instruction.a = moved(instruction.a);
      instruction.b = moved(instruction.b);
      program_.instructions.push_back(instruction);
    }
    program_.scalar_work.insert(program_.scalar_work.end(), part_.scalar_work.begin(),
                                part_.scalar_work.end());
  }

  int parts_;
  std::int32_t n_, reals_;  ///< numbers of the pencil, reals of a part
  Direction direction_;
  Precision precision_;
  KernelProgram part_;
  KernelProgram program_;
};

}  // namespace

KernelProgram parts_kernel(int parts, std::int64_t length, Direction direction, Precision precision,
                           const KernelRates& rates) {
  if (parts != 2 && parts != 4)
    throw Error(ErrorCode::invalid_argument,
                weft::format("a pencil in {} parts: a kernel has two or four", parts));
  if (length < parts || length % parts != 0 || length > (1 << 20))
    throw Error(ErrorCode::unsupported,
                weft::format("a pencil of {} in {} parts: lengths are multiples of {}, up to 2^20",
                             length, parts, parts));
  return Parts(parts, static_cast<std::int32_t>(length), direction, precision, rates).build();
}

}  // namespace weft::fabric
