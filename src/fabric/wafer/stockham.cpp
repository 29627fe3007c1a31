// SPDX-License-Identifier: BSD-3-Clause
// The transform of a pencil without extra moves. Before a stage of radix R the data are n/L
// transforms of length L; number k of transform q is at k n/L + q. The stage combines R of them, q
// = q' + M j with M = n/(L R):
//   y[(k + L i) M + q'] = sum over j of w_R^{ij} w_{LR}^{jk} x[k R M + j M + q']
// so input and output are runs of M complex numbers, and the last stage gives natural order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/format.hpp"
#include "base/index.hpp"
#include "fabric/wafer/kernel.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

/// L runs of M complex numbers in memory: the operand of a butterfly.
struct Block {
  std::int32_t base = 0, stride = 0;  ///< reals; stride from one run to the next
};

class Stockham {
 public:
  Stockham(std::int32_t n, Direction direction, Precision precision, const KernelRates& rates,
           std::vector<std::int32_t> radices)
      : n_(n),
        direction_(direction),
        precision_(precision),
        rates_(rates),
        radices_(std::move(radices)) {}

  KernelProgram build() {
    program_.name = "stockham";
    program_.length = n_;
    std::int32_t scratch = n_;
    for (const std::int32_t radix : radices_)
      if (radix % 2 != 0) scratch = std::max(scratch, 2 * n_ + 2 * n_ / radix);
    twiddled_ = 4 * n_;
    scratch_ = twiddled_ + 2 * n_;
    program_.constants_base = scratch_ + scratch;
    std::int32_t source = 0;
    std::int32_t done = 1;
    if (direction_ ==
        Direction::backward)  // scaled first, so that sums do not overflow in half precision
      push(VectorOp::multiply_scalar, {1, 1, 2 * n_}, {source, {0, 0, 1}}, {source, {0, 0, 1}},
           {source, {0, 0, 1}}, round(1.0 / n_));
    for (const std::int32_t radix : radices_) {
      const std::int32_t target = source == 0 ? 2 * n_ : 0;
      add_stage(radix, done, source, target);
      done *= radix;
      source = target;
    }
    program_.output = source;
    program_.memory_reals =
        program_.constants_base + static_cast<std::int32_t>(program_.constants.size());
    return std::move(program_);
  }

 private:
  float round(double value) const {
    const auto single = static_cast<float>(value);
    return precision_ == Precision::f16 ? round_to_half(single) : single;
  }
  /// The numbers cos and sin of the multiplication x * (cos - i sin).
  std::pair<float, float> root(std::int64_t k, std::int64_t n) const {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
    const double sign = direction_ == Direction::forward ? 1 : -1;
    return {round(std::cos(angle)), round(sign * std::sin(angle))};
  }
  void push(VectorOp op, std::array<std::int32_t, 3> extents, Operand dst, Operand a, Operand b,
            float scalar = 0) {
    program_.instructions.push_back(
        {.op = op, .extents = extents, .dst = dst, .a = a, .b = b, .scalar = scalar});
    // Three descriptors with several dimensions; each takes two words to update.
    program_.scalar_work.push_back({.times = 1, .issues = 1, .descriptors = 6, .scalars = 1});
  }

  // Whole blocks: `runs` runs of `run` reals.
  void combine(VectorOp op, Block dst, Block a, Block b, float scalar = 0) {
    push(op, {1, runs_, run_}, {dst.base, {0, dst.stride, 1}}, {a.base, {0, a.stride, 1}},
         {b.base, {0, b.stride, 1}}, scalar);
  }
  /// dst = -i (a - b) forward, +i (a - b) backward.
  void subtract_turned(Block dst, Block a, Block b) {
    const bool forward = direction_ == Direction::forward;
    const auto part = [&](std::int32_t to, std::int32_t from, bool plus) {
      const Block& first = plus ? a : b;
      const Block& second = plus ? b : a;
      push(VectorOp::subtract, {1, runs_, run_ / 2}, {dst.base + to, {0, dst.stride, 2}},
           {first.base + from, {0, first.stride, 2}}, {second.base + from, {0, second.stride, 2}});
    };
    part(0, 1, forward);
    part(1, 0, !forward);
  }

  void add_stage(std::int32_t radix, std::int32_t done, std::int32_t source, std::int32_t target) {
    const std::int32_t m = n_ / (done * radix);
    run_ = 2 * m;
    const auto output = [&](std::int32_t i, std::int32_t k) {
      return Block{target + (k + done * i) * run_, run_};
    };
    const auto input = [&](std::int32_t j, std::int32_t k) {
      return Block{source + (k * radix + j) * run_, radix * run_};
    };
    runs_ = 1;  // k = 0: all twiddles are one
    std::vector<Block> in, out;
    for (std::int32_t j = 0; j < radix; ++j) in.push_back(input(j, 0)), out.push_back(output(j, 0));
    butterfly(radix, in, out);
    if (done == 1) return;
    const std::int32_t area = 2 * n_ / radix;
    twiddle(radix, done, source);
    runs_ = done - 1;
    in = {input(0, 1)};
    out = {output(0, 1)};
    for (std::int32_t j = 1; j < radix; ++j) {
      in.push_back({twiddled_ + (j - 1) * area, run_});
      out.push_back(output(j, 1));
    }
    butterfly(radix, in, out);
  }

  /// Inputs j = 1 ... R-1 of all k > 0 times w^{jk}, into the area `twiddled`.
  void twiddle(std::int32_t radix, std::int32_t done, std::int32_t source) {
    const std::int32_t length = done * radix;
    const std::int32_t area = 2 * n_ / radix;
    // A scalar root needs control code for each (j, k); a vector of roots needs one more addition
    // per number.
    const double scalar_control = 3 * rates_.issue + 6 * rates_.descriptor + 4 * rates_.scalar;
    const double vector_extra = run_ * (2 * rates_.multiply_strided + rates_.add - rates_.multiply -
                                        rates_.accumulate_strided);
    for (std::int32_t j = 1; j < radix; ++j) {
      const std::int32_t to = twiddled_ + (j - 1) * area;
      if (scalar_control < vector_extra) {
        for (std::int32_t k = 1; k < done; ++k)
          scalar_twiddle(root(std::int64_t{j} * k, length), to + (k - 1) * run_,
                         source + (k * radix + j) * run_);
      } else {
        vector_twiddle(j, done, length, to, source + (radix + j) * run_, radix * run_);
      }
    }
  }

  void scalar_twiddle(std::pair<float, float> w, std::int32_t to, std::int32_t from) {
    const auto vector = [&](VectorOp op, std::int32_t count, Operand dst, Operand a, float scalar) {
      program_.instructions.push_back(
          {.op = op, .extents = {1, 1, count}, .dst = dst, .a = a, .b = dst, .scalar = scalar});
    };
    vector(VectorOp::multiply_scalar, run_, {to, {0, 0, 1}}, {from, {0, 0, 1}}, w.first);
    vector(VectorOp::multiply_accumulate_scalar, run_ / 2, {to, {0, 0, 2}}, {from + 1, {0, 0, 2}},
           w.second);
    vector(VectorOp::multiply_accumulate_scalar, run_ / 2, {to + 1, {0, 0, 2}}, {from, {0, 0, 2}},
           -w.second);
    program_.scalar_work.push_back({.times = 1, .issues = 3, .descriptors = 6, .scalars = 4});
    program_.constants.push_back(w.first);
    program_.constants.push_back(w.second);
  }

  /// Constants per (j, k): cos, sin, -sin. The pair of a complex number reads cos twice.
  void vector_twiddle(std::int32_t j, std::int32_t done, std::int32_t length, std::int32_t to,
                      std::int32_t from, std::int32_t from_stride) {
    const auto constants =
        program_.constants_base + static_cast<std::int32_t>(program_.constants.size());
    for (std::int32_t k = 1; k < done; ++k) {
      const auto [cosine, sine] = root(std::int64_t{j} * k, length);
      program_.constants.insert(program_.constants.end(), {cosine, sine, -sine});
    }
    const std::array<std::int32_t, 3> extents = {done - 1, run_ / 2, 2};
    const Operand dst{to, {run_, 2, 1}};
    const Operand turned{scratch_, {run_, 2, 1}};
    push(VectorOp::multiply, extents, dst, {from, {from_stride, 2, 1}}, {constants, {3, 0, 0}});
    push(VectorOp::multiply, extents, turned, {from + 1, {from_stride, 2, -1}},
         {constants + 1, {3, 0, 1}});
    push(VectorOp::add, extents, dst, dst, turned);
  }

  void butterfly(std::int32_t radix, const std::vector<Block>& in, const std::vector<Block>& out) {
    if (radix == 2) {
      combine(VectorOp::subtract, out[1], in[0], in[1]);
      combine(VectorOp::add, out[0], in[0], in[1]);
    } else if (radix == 4) {
      butterfly4(in, out);
    } else {
      odd_butterfly(radix, in, out);
    }
  }

  void butterfly4(const std::vector<Block>& in, const std::vector<Block>& out) {
    const Block sum{scratch_, run_};
    const Block turned{scratch_ + runs_ * run_, run_};
    combine(VectorOp::add, sum, in[1], in[3]);
    subtract_turned(turned, in[1], in[3]);
    combine(VectorOp::add, out[0], in[0], in[2]);
    combine(VectorOp::subtract, out[1], in[0], in[2]);
    combine(VectorOp::subtract, out[2], out[0], sum);
    combine(VectorOp::add, out[0], out[0], sum);
    combine(VectorOp::subtract, out[3], out[1], turned);
    combine(VectorOp::add, out[1], out[1], turned);
  }

  /// y_i, y_{R-i} = (t_0 + sum cos(2 pi ij/R) s_j) +- sum sin(2 pi ij/R) d_j, where
  /// s_j = t_j + t_{R-j} and d_j = -+i (t_j - t_{R-j}), j up to (R-1)/2.
  void odd_butterfly(std::int32_t radix, const std::vector<Block>& in,
                     const std::vector<Block>& out) {
    const std::int32_t half = (radix - 1) / 2;
    const std::int32_t area = runs_ * run_;
    const auto block = [&](std::int32_t number) { return Block{scratch_ + number * area, run_}; };
    for (std::int32_t j = 1; j <= half; ++j) {
      const auto a = static_cast<std::size_t>(j);
      const auto b = static_cast<std::size_t>(radix - j);
      combine(VectorOp::add, block(j - 1), in[a], in[b]);
      subtract_turned(block(half + j - 1), in[a], in[b]);
    }
    const Block even = block(2 * half);
    const Block odd = block(2 * half + 1);
    for (std::int32_t i = 1; i <= half; ++i) {
      for (std::int32_t j = 1; j <= half; ++j) {
        const double angle = 2 * std::numbers::pi * (i * j % radix) / radix;
        combine(VectorOp::multiply_accumulate_scalar, even, block(j - 1), j == 1 ? in[0] : even,
                round(std::cos(angle)));
        combine(j == 1 ? VectorOp::multiply_scalar : VectorOp::multiply_accumulate_scalar, odd,
                block(half + j - 1), odd, round(std::sin(angle)));
      }
      combine(VectorOp::add, out[static_cast<std::size_t>(i)], even, odd);
      combine(VectorOp::subtract, out[static_cast<std::size_t>(radix - i)], even, odd);
    }
    combine(VectorOp::add, out[0], in[0], block(0));
    for (std::int32_t j = 2; j <= half; ++j) combine(VectorOp::add, out[0], out[0], block(j - 1));
  }

  std::int32_t n_;
  Direction direction_;
  Precision precision_;
  KernelRates rates_;
  std::vector<std::int32_t> radices_;
  KernelProgram program_;
  std::int32_t twiddled_ = 0, scratch_ = 0;
  std::int32_t runs_ = 1, run_ = 2;  ///< of the blocks of the current butterflies
};

/// Factors of 4 for pairs of twos, at most one factor of 2, and the odd primes.
std::vector<std::int32_t> radices_of(std::int64_t length) {
  std::vector<std::int32_t> radices;
  int twos = 0;
  for (const Index prime : prime_factors(length)) {
    if (prime == 2)
      ++twos;
    else
      radices.push_back(static_cast<std::int32_t>(prime));
  }
  radices.insert(radices.begin(), static_cast<std::size_t>(twos / 2), 4);
  if (twos % 2 == 1) radices.push_back(2);
  return radices;
}

}  // namespace

KernelProgram stockham_kernel(std::int64_t length, Direction direction, Precision precision,
                              const KernelRates& rates) {
  if (length < 1 || length > (1 << 20))
    throw Error(ErrorCode::unsupported,
                weft::format("a pencil of {}: lengths are 1 to 2^20", length));
  constexpr std::int64_t largest =
      512;  // computed by the definition: the number of instructions grows with the square
  if (largest_prime_factor(length) > largest)
    throw Error(ErrorCode::unsupported,
                weft::format("a pencil of {}: it has the prime factor {}, and the kernel stockham "
                             "takes primes up to {}",
                             length, largest_prime_factor(length), largest));
  // The number of orders is limited: long pencils with many different factors would take minutes.
  std::int64_t orders = std::max<std::int64_t>(1, 4'000'000 / length);
  std::vector<std::int32_t> radices = radices_of(length);
  std::ranges::sort(radices);
  KernelProgram best;
  double best_cycles = std::numeric_limits<double>::infinity();
  do {
    KernelProgram candidate =
        Stockham(static_cast<std::int32_t>(length), direction, precision, rates, radices).build();
    const double cycles = candidate.cycles(rates);
    if (cycles < best_cycles) {
      best_cycles = cycles;
      best = std::move(candidate);
    }
  } while (--orders > 0 && std::ranges::next_permutation(radices).found);
  return best;
}

}  // namespace weft::fabric
