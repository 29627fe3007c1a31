// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_runner.hpp"

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <random>

#include "base/roots.hpp"
#include "codelet/dense/dense_lines.hpp"
#include "codelet/ir/line_kernel.hpp"
#include "codelet/prime/prime_kernels.hpp"

namespace weft::codelet::test {
namespace {

/// Where the reals of one side lie, relative to the pointer handed to the kernel.
struct Side {
  KernelLayout layout;
  bool is_real;
  int lanes, rows;
  Index row, lane, step;
  Isa isa;
  Precision precision;

  int parts() const { return is_real ? 1 : 2; }
  Index address(int t, int l, int i, int part) const {
    const Index at = t * step + i * row;
    switch (layout) {
      case KernelLayout::unit: return at + parts() * l + part;
      case KernelLayout::planar: return at + planar_slot(isa, precision, l) + part * lanes;
      default: return at + l * lane + part;
    }
  }
};

/// Transforms per repetition: line kernels compute one or two.
int transforms(const KernelKey& key) {
  return is_line(key) ? lines_of(key) : lanes(key.isa, key.precision);
}

/// Rows of a half spectrum are fewer than the points.
int rows_of(const KernelKey& key, KernelTransform halved) {
  return key.transform == halved ? key.radix / 2 + 1 : key.radix;
}

/// Strides with gaps between rows, lanes and repetitions.
Side make_side(const KernelKey& key, KernelLayout layout, int rows, bool is_real, bool negative) {
  const int v = transforms(key), r = rows;
  Side side{layout, is_real, v, r, 0, 0, 0, key.isa, key.precision};
  switch (layout) {
    case KernelLayout::unit:
      side.row = side.parts() * v + 3;
      side.step = r * side.row + 5;
      break;
    case KernelLayout::planar:
      side.row = 4 * v;
      side.step = (r + 1) * side.row;
      break;
    case KernelLayout::strided:
    case KernelLayout::line:
    case KernelLayout::tile:
      side.row = layout != KernelLayout::strided ? side.parts() : side.parts() + 1;
      side.lane = side.row * r + 4;
      side.step = side.lane * v + 3;
      break;
  }
  if (negative) {
    if (layout != KernelLayout::tile && layout != KernelLayout::line) side.row = -side.row;
    side.lane = -side.lane;
    side.step = -side.step;
  }
  return side;
}

struct Range {
  Index low = 0, high = 0;
  void include(Index at) {
    low = std::min(low, at);
    high = std::max(high, at + 1);
  }
};

Range range_of(const Side& side, int count) {
  Range range;
  for (int t = 0; t < count; ++t)
    for (int l = 0; l < side.lanes; ++l)
      for (int i = 0; i < side.rows; ++i)
        for (int part = 0; part < side.parts(); ++part) range.include(side.address(t, l, i, part));
  return range;
}

/// A buffer in which the side fits, with guard bands; `origin` is the kernel's pointer.
template <class Real>
struct Buffer {
  std::vector<Real> storage;
  Real* origin;

  Buffer(const Range& range, std::mt19937& random) {
    constexpr Index guard = 64;
    storage.resize(range.high - range.low + 3 * guard);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    for (Real& x : storage) x = uniform(random);
    // Planar data must start on 64 bytes; other layouts get the same, plus odd strides.
    auto start = reinterpret_cast<std::uintptr_t>(storage.data() + guard - range.low);
    start = (start + 63) / 64 * 64;
    origin = reinterpret_cast<Real*>(start);
  }
};

template <class Real>
struct Run {
  const CompiledKernel& kernel;
  const Case& test_case;
  std::mt19937 random{12345};

  Result run() {
    const KernelKey& key = kernel.key;
    const int count = test_case.count, r = key.radix, v = transforms(key);
    const bool negative = test_case.negative_strides;
    const Side in = make_side(key, key.in, rows_of(key, KernelTransform::real_backward),
                              has_real_input(key.transform), negative);
    const Side out = make_side(key, key.out, rows_of(key, KernelTransform::real_forward),
                               has_real_output(key.transform), negative);
    Buffer<Real> source(range_of(in, count), random);
    Buffer<Real> target(range_of(out, count), random);
    Result result{Block(count, v, in.rows), Block(count, v, r), Block(count, v, out.rows)};
    read(source.origin, in, result.input);
    const std::vector<Real> table = make_twiddles(key, result.twiddles);

    PrimeArguments a;
    a.table = table_of(key);
    a.in_row = in.row, a.in_lane = in.lane, a.in_step = in.step;
    a.out_row = out.row, a.out_lane = out.lane, a.out_step = out.step;
    a.count = count, a.scale = test_scale;
    a.twiddle_step = static_cast<Index>(table.size()) / std::max(count, 1);
    Buffer<Real>& written = test_case.in_place ? source : target;
    Real* to = written.origin;
    if (test_case.reverse_output) {
      to += r * out.row;
      a.out_first = -r * out.row;
      a.out_row = -out.row;
    }
    const std::vector<Real> before = written.storage;
    kernel.function(source.origin, to, table.data(), a);
    read(written.origin, out, result.output);
    result.wrote_elsewhere = differs_outside(before, written, out);
    return result;
  }

  void read(const Real* origin, const Side& side, Block& block) const {
    for (int t = 0; t < block.repetitions; ++t)
      for (int l = 0; l < block.lanes; ++l)
        for (int i = 0; i < block.rows; ++i)
          block(t, l, i) = {origin[side.address(t, l, i, 0)],
                            side.is_real ? 0 : origin[side.address(t, l, i, 1)]};
  }

  std::vector<Real> make_twiddles(const KernelKey& key, Block& factors) {
    const int v = factors.lanes, r = key.radix;
    const bool per_lane = key.twiddle == Twiddle::vector_in;
    const int width = per_lane ? v : 1;
    std::vector<Real> table;
    std::uniform_real_distribution<double> angle(-std::numbers::pi, std::numbers::pi);
    for (int t = 0; t < factors.repetitions; ++t)
      for (int i = 0; i < r; ++i) {
        std::vector<Real> re(width), im(width);
        for (int k = 0; k < width; ++k) {
          const double phi = angle(random);
          re[k] = static_cast<Real>(std::cos(phi)), im[k] = static_cast<Real>(std::sin(phi));
        }
        for (int l = 0; l < v; ++l) {
          const int k = per_lane ? planar_slot(key.isa, key.precision, l) : 0;
          factors(t, l, i) =
              i == 0 || key.twiddle == Twiddle::none ? Complex(1) : Complex(re[k], im[k]);
        }
        if (i == 0) continue;
        table.insert(table.end(), re.begin(), re.end());
        table.insert(table.end(), im.begin(), im.end());
      }
    return table;
  }

  bool differs_outside(const std::vector<Real>& before, const Buffer<Real>& after,
                       const Side& side) const {
    std::vector<bool> owned(before.size(), false);
    const Index origin = after.origin - after.storage.data();
    for (int t = 0; t < test_case.count; ++t)
      for (int l = 0; l < side.lanes; ++l)
        for (int i = 0; i < side.rows; ++i)
          for (int part = 0; part < side.parts(); ++part)
            owned[origin + side.address(t, l, i, part)] = true;
    for (std::size_t k = 0; k < before.size(); ++k)
      if (!owned[k] && before[k] != after.storage[k]) return true;
    return false;
  }
};

}  // namespace

bool admits(const KernelKey& key, const Case& test_case) {
  const bool is_real = key.transform != KernelTransform::dft;
  if (test_case.reverse_output &&
      (key.out == KernelLayout::tile || key.out == KernelLayout::line || key.backward || is_real))
    return false;
  return !test_case.in_place ||
         (key.in == key.out && has_real_input(key.transform) == has_real_output(key.transform));
}

Result run_kernel(const CompiledKernel& kernel, const Case& test_case) {
  if (kernel.key.precision == Precision::f64) return Run<double>{kernel, test_case}.run();
  return Run<float>{kernel, test_case}.run();
}

namespace {

/// The points that one lane of one repetition transforms: twiddled, or completed by symmetry.
std::vector<Complex> points(const KernelKey& key, const Result& result, int t, int l) {
  std::vector<Complex> x;
  if (key.transform == KernelTransform::halfcomplex_backward) {
    for (int i = 0; i < key.radix; ++i) {
      const int k = std::min(i, key.radix - i);
      const bool has_imaginary = k != 0 && 2 * k != key.radix;
      const long double im = has_imaginary ? result.input(t, l, key.radix - k).real() : 0;
      x.emplace_back(result.input(t, l, k).real(), k == i ? im : -im);
    }
    return x;
  }
  for (int i = 0; i < key.radix; ++i) {
    if (key.transform != KernelTransform::real_backward) {
      x.push_back(result.input(t, l, i) * result.twiddles(t, l, i));
      continue;
    }
    const int mirror = std::min(i, key.radix - i);
    Complex value = result.input(t, l, mirror);
    if (mirror == 0 || 2 * mirror == key.radix) value = value.real();  // the rest is ignored
    x.push_back(mirror == i ? value : std::conj(value));
  }
  return x;
}

/// Without the care that operator* takes of infinite factors.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

Block expected_output(const CompiledKernel& kernel, const Case& test_case, const Result& result) {
  const KernelKey& key = kernel.key;
  const int r = key.radix;
  const bool is_backward = key.backward || test_case.reverse_output ||
                           key.transform == KernelTransform::real_backward ||
                           key.transform == KernelTransform::halfcomplex_backward;
  std::vector<Complex> roots;
  for (int m = 0; m < r; ++m) roots.push_back(root_of_unity(r, is_backward ? -m : m));
  Block expected(result.output.repetitions, result.output.lanes, result.output.rows);
  for (int t = 0; t < expected.repetitions; ++t)
    for (int l = 0; l < expected.lanes; ++l) {
      const std::vector<Complex> x = points(key, result, t, l);
      for (int k = 0; k < expected.rows; ++k) {
        Complex sum = 0;
        for (int i = 0, power = 0; i < r; ++i) {
          sum += product(x[i], roots[power]);
          power = (power + k) % r;
        }
        expected(t, l, k) = key.scaled ? sum * static_cast<long double>(test_scale) : sum;
      }
      if (has_real_input(key.transform) && has_real_output(key.transform) && !is_backward) {
        std::vector<Complex> spectrum;
        for (int k = 0; k < r; ++k) spectrum.push_back(expected(t, l, k));
        for (int k = 0; k < r; ++k) {
          const Complex z = spectrum[k];
          // Point n - k of the spectrum is the conjugate of point k.
          expected(t, l, k) = key.transform == KernelTransform::hartley ? z.real() - z.imag()
                              : 2 * k <= r                              ? z.real()
                                                                        : -z.imag();
        }
      }
    }
  return expected;
}

}  // namespace weft::codelet::test
