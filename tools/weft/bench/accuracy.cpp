// SPDX-License-Identifier: BSD-3-Clause
#include "bench/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/index.hpp"
#include "base/reference_dft.hpp"
#include "base/roots.hpp"
#include "problem.hpp"

namespace weft::tool {
namespace {

using Exact = std::complex<long double>;

/// Input element `offset`, real or complex, exactly.
class Input {
 public:
  Input(const Row& row, const std::byte* data)
      : data_(data), is_real_(row.kind == Kind::r2c), is_f32_(row.precision == Precision::f32) {}
  Exact operator()(Index offset) const {
    if (is_real_) return {number(offset), 0};
    return {number(2 * offset), number(2 * offset + 1)};
  }

 private:
  long double number(Index i) const {
    return is_f32_ ? static_cast<long double>(reinterpret_cast<const float*>(data_)[i])
                   : static_cast<long double>(reinterpret_cast<const double*>(data_)[i]);
  }
  const std::byte* data_;
  bool is_real_, is_f32_;
};

constexpr Index longest_reference = 1 << 16;
constexpr Index largest_reference_prime = 1100;  // its DFT takes n * p operations

bool is_cheap(Index n) {
  return n <= longest_reference && largest_prime_factor(n) <= largest_reference_prime;
}

/// The smallest n1 for which a DFT of length n/n1 is cheap; 0 if there is none.
Index decimation_for(Index n) {
  if (is_cheap(n)) return 1;
  for (const auto& [r, s] : factor_pairs(n))
    if (is_cheap(s)) return r;
  return 0;
}

struct Line {
  Index n, in_stride, out_stride;
  Index outputs;  // n, or n/2+1 of a real transform
};

/// Outputs k = k1 + n1 k2 for one k1: sum over j1 first, twiddle, then a DFT of length n2 = n/n1.
void decimated(const Input& x, Index in_base, Index out_base, const Line& line, Index n1,
               std::vector<ReferencePoint>& points) {
  const Index n2 = line.n / n1, k1 = n1 - 1;
  std::vector<Exact> roots(static_cast<std::size_t>(n1));
  for (Index j = 0; j < n1; ++j)
    roots[static_cast<std::size_t>(j)] = root_of_unity(n1, multiply_mod(j, k1, n1));
  std::vector<Exact> y(static_cast<std::size_t>(n2));
  for (Index j2 = 0; j2 < n2; ++j2) {
    Exact sum = 0;
    for (Index j1 = 0; j1 < n1; ++j1)
      sum += x(in_base + (j1 * n2 + j2) * line.in_stride) * roots[static_cast<std::size_t>(j1)];
    y[static_cast<std::size_t>(j2)] = sum * root_of_unity(line.n, j2 * k1);
  }
  const auto spectrum = reference_dft(y);
  for (Index k2 = 0; k2 < n2; ++k2)
    if (const Index k = k1 + n1 * k2; k < line.outputs)
      points.push_back({out_base + k * line.out_stride, spectrum[static_cast<std::size_t>(k2)]});
}

/// Some outputs of a transform of prime length, each by its definition.
void by_definition(const Input& x, Index in_base, Index out_base, const Line& line,
                   std::vector<ReferencePoint>& points) {
  std::vector<Exact> roots(static_cast<std::size_t>(line.n));
  for (Index j = 0; j < line.n; ++j) roots[static_cast<std::size_t>(j)] = root_of_unity(line.n, j);
  constexpr Index wanted = 64;
  for (Index i = 0; i < wanted; ++i) {
    const Index k = (i * line.outputs + line.outputs / 2) / wanted;
    Exact sum = 0;
    Index phase = 0;
    for (Index j = 0; j < line.n; ++j) {
      sum += x(in_base + j * line.in_stride) * roots[static_cast<std::size_t>(phase)];
      phase = (phase + k) % line.n;
    }
    points.push_back({out_base + k * line.out_stride, sum});
  }
}

void one_dimension(const Row& row, const Geometry& geometry, const Input& x,
                   std::vector<ReferencePoint>& points) {
  const auto& dimension = geometry.problem.transformed[0];
  const Index n = dimension.n;
  const Line line{n, dimension.in_stride, dimension.out_stride,
                  row.kind == Kind::r2c ? n / 2 + 1 : n};
  const Index lines = std::clamp<Index>((1 << 14) / n, 1, row.batch);
  for (Index i = 0; i < lines; ++i) {
    const Index b = i * row.batch / lines;
    const bool has_batch = !geometry.problem.batch.empty();
    const Index in_base = has_batch ? b * geometry.problem.batch[0].in_stride : 0;
    const Index out_base = has_batch ? b * geometry.problem.batch[0].out_stride : 0;
    const Index n1 = decimation_for(n);
    if (n1 > 0)
      decimated(x, in_base, out_base, line, n1, points);
    else
      by_definition(x, in_base, out_base, line, points);
  }
}

/// DFTs along one axis of a contiguous array: (outer, n, inner).
void transform_axis(std::vector<Exact>& data, Index outer, Index n, Index inner) {
  std::vector<Exact> line(static_cast<std::size_t>(n));
  for (Index o = 0; o < outer; ++o)
    for (Index i = 0; i < inner; ++i) {
      Exact* const first = data.data() + o * n * inner + i;
      for (Index j = 0; j < n; ++j) line[static_cast<std::size_t>(j)] = first[j * inner];
      const auto spectrum = reference_dft(line);
      for (Index j = 0; j < n; ++j) first[j * inner] = spectrum[static_cast<std::size_t>(j)];
    }
}

/// The outputs with one frequency of the first axis: a sum along it, then a transform of the rest.
void one_plane(const Row& row, const Geometry& geometry, const Input& x,
               std::vector<ReferencePoint>& points) {
  const auto& dims = geometry.problem.transformed;
  const Index n0 = dims[0].n, k0 = n0 / 3;
  const Index n1 = dims.size() == 3 ? dims[1].n : 1, n2 = dims.back().n;
  const Index in1 = dims.size() == 3 ? dims[1].in_stride : 0;
  const Index out1 = dims.size() == 3 ? dims[1].out_stride : 0;
  std::vector<Exact> plane(static_cast<std::size_t>(n1 * n2));
  for (Index j0 = 0; j0 < n0; ++j0) {
    const Exact root = root_of_unity(n0, j0 * k0);
    for (Index j1 = 0; j1 < n1; ++j1)
      for (Index j2 = 0; j2 < n2; ++j2)
        plane[static_cast<std::size_t>(j1 * n2 + j2)] +=
            x(j0 * dims[0].in_stride + j1 * in1 + j2 * dims.back().in_stride) * root;
  }
  transform_axis(plane, n1, n2, 1);
  transform_axis(plane, 1, n1, n2);
  const Index outputs = row.kind == Kind::r2c ? n2 / 2 + 1 : n2;
  for (Index k1 = 0; k1 < n1; ++k1)
    for (Index k2 = 0; k2 < outputs; ++k2)
      points.push_back({k0 * dims[0].out_stride + k1 * out1 + k2 * dims.back().out_stride,
                        plane[static_cast<std::size_t>(k1 * n2 + k2)]});
}

/// Relative L2 difference of two arrays with the same layout, without padding; `b` is divided by
/// `scale`.
template <class Real>
double strided_difference(const Geometry& geometry, const std::byte* a, const std::byte* b,
                          double scale) {
  const Index reals = geometry.transform.kind == Kind::r2c ? 1 : 2;
  const auto* exact = reinterpret_cast<const Real*>(a);
  const auto* other = reinterpret_cast<const Real*>(b);
  const auto& shape = geometry.transform.shape;
  std::vector<Index> position(shape.size(), 0);
  double difference = 0, norm = 0;
  while (true) {
    Index offset = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) offset += position[d] * geometry.in.strides[d];
    for (Index i = 0; i < shape.back() * reals; ++i) {  // the last axis is adjacent
      const double x = static_cast<double>(exact[offset * reals + i]);
      const double e = static_cast<double>(other[offset * reals + i]) / scale - x;
      difference += e * e;
      norm += x * x;
    }
    auto d = static_cast<Index>(shape.size()) - 2;
    for (; d >= 0; --d) {
      if (++position[static_cast<std::size_t>(d)] < shape[static_cast<std::size_t>(d)]) break;
      position[static_cast<std::size_t>(d)] = 0;
    }
    if (d < 0) return std::sqrt(difference / norm);
  }
}

}  // namespace

std::vector<ReferencePoint> reference_points(const Row& row, const Geometry& geometry,
                                             const std::byte* input) {
  std::vector<ReferencePoint> points;
  const Input x(row, input);
  if (row.shape.size() == 1)
    one_dimension(row, geometry, x, points);
  else
    one_plane(row, geometry, x, points);
  return points;
}

double error_against(const std::vector<ReferencePoint>& reference, const std::byte* output,
                     Precision precision) {
  long double difference = 0, norm = 0;
  for (const ReferencePoint& point : reference) {
    Exact value;
    if (precision == Precision::f32)
      value = reinterpret_cast<const std::complex<float>*>(output)[point.offset];
    else
      value = reinterpret_cast<const std::complex<double>*>(output)[point.offset];
    difference += std::norm(value - point.value);
    norm += std::norm(point.value);
  }
  return static_cast<double>(std::sqrt(difference / norm));
}

Accuracy measure_accuracy(Pair& forward, Fftw& fftw, const PairOptions& options) {
  const Row& row = forward.row();
  const Geometry& geometry = forward.geometry();
  forward.fill_input(7);
  Buffer<std::byte> input(static_cast<Index>(geometry.in_bytes));
  std::memcpy(input.data(), forward.in(), geometry.in_bytes);
  const auto reference = reference_points(row, geometry, input.data());
  Pair backward(row, Direction::backward, &fftw, options);

  const double points = static_cast<double>(size_of(geometry.transform).points);
  Accuracy accuracy;
  const auto there_and_back = [&](auto run, double& error, double& round_trip) {
    std::memcpy(forward.in(), input.data(), geometry.in_bytes);
    run(forward);
    error = error_against(reference, forward.out(), row.precision);
    std::memcpy(backward.in(), forward.out(), geometry.out_bytes);
    run(backward);
    round_trip = row.precision == Precision::f32
                     ? strided_difference<float>(geometry, input.data(), backward.out(), points)
                     : strided_difference<double>(geometry, input.data(), backward.out(), points);
  };
  there_and_back([](Pair& pair) { pair.run_weft(); }, accuracy.weft, accuracy.weft_round_trip);
  there_and_back([](Pair& pair) { pair.run_fftw(); }, accuracy.fftw, accuracy.fftw_round_trip);
  return accuracy;
}

}  // namespace weft::tool
