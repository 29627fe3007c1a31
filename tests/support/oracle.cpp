// SPDX-License-Identifier: BSD-3-Clause
#include "support/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>

#include "base/reference_dft.hpp"

namespace weft::test {

namespace {
std::size_t at(Index i) { return static_cast<std::size_t>(i); }
}  // namespace

Field::Field(std::vector<Index> extents) : shape(std::move(extents)) {
  Index count = 1;
  for (Index n : shape) count *= n;
  values.resize(static_cast<std::size_t>(count));
}

std::uint64_t Random::bits() {  // splitmix64
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0; }
Index Random::between(Index low, Index high) {
  return low + static_cast<Index>(bits() % static_cast<std::uint64_t>(high - low + 1));
}

Field random_field(const std::vector<Index>& shape, bool is_complex, std::uint64_t seed) {
  Field field(shape);
  Random random(seed);
  for (auto& v : field.values) {
    const double re = random.uniform();
    v = {re, is_complex ? random.uniform() : 0.0};
  }
  return field;
}

R2rByDefinition::R2rByDefinition(R2r kind, Index n) : kind_(kind), n_(n) {
  period_ = kind >= R2r::dht ? n : 8 * (kind == R2r::dct1 ? n - 1 : kind == R2r::dst1 ? n + 1 : n);
  for (Index k = 0; k < period_; ++k) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                              static_cast<long double>(period_);
    cosines_.push_back(std::cos(angle));
    sines_.push_back(std::sin(angle));
  }
}

long double R2rByDefinition::factor(Index j, Index k) const {
  // pi (j + a) (k + b) / m is 2 pi (2 j + 2 a) (2 k + 2 b) / (8 m).
  const auto cosine = [&](Index product) { return cosines_[at(product % period_)]; };
  const auto sine = [&](Index product) { return sines_[at(product % period_)]; };
  const Index n = n_, sign = k % 2 == 0 ? 1 : -1;
  switch (kind_) {
    case R2r::dct1:
      return j == 0 ? 1 : j == n - 1 ? static_cast<long double>(sign) : 2 * cosine(4 * j * k);
    case R2r::dct2: return 2 * cosine((2 * j + 1) * 2 * k);
    case R2r::dct3: return j == 0 ? 1 : 2 * cosine(2 * j * (2 * k + 1));
    case R2r::dct4: return 2 * cosine((2 * j + 1) * (2 * k + 1));
    case R2r::dst1: return 2 * sine(4 * (j + 1) * (k + 1));
    case R2r::dst2: return 2 * sine((2 * j + 1) * (2 * k + 2));
    case R2r::dst3:
      return j == n - 1 ? static_cast<long double>(sign) : 2 * sine((2 * j + 2) * (2 * k + 1));
    case R2r::dst4: return 2 * sine((2 * j + 1) * (2 * k + 1));
    case R2r::r2hc: return 2 * k <= n ? cosine(j * k) : -sine(j * (n - k));
    case R2r::hc2r:
      return 2 * j <= n ? (j == 0 || 2 * j == n ? 1 : 2) * cosine(j * k) : -2 * sine((n - j) * k);
    case R2r::dht: return cosine(j * k) + sine(j * k);
  }
  return 0;
}

std::vector<long double> R2rByDefinition::operator()(const std::vector<long double>& x) const {
  std::vector<long double> y;
  for (Index k = 0; k < n_; ++k) {
    long double sum = 0;
    for (Index j = 0; j < n_; ++j) sum += factor(j, k) * x[at(j)];
    y.push_back(sum);
  }
  return y;
}

namespace {

/// Replaces every line along `axis` by function(line); the extent may change.
template <class Function>
Field along(const Field& field, int axis, Index extent, Function function) {
  std::vector<Index> shape = field.shape;
  const Index n = shape[static_cast<std::size_t>(axis)];
  shape[static_cast<std::size_t>(axis)] = extent;
  Field result(shape);
  Index before = 1, after = 1;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d)
    (d < axis ? before : after) *= d == axis ? 1 : shape[static_cast<std::size_t>(d)];
  for (Index i = 0; i < before; ++i)
    for (Index j = 0; j < after; ++j) {
      std::vector<LongComplex> line(static_cast<std::size_t>(n));
      for (Index k = 0; k < n; ++k)
        line[static_cast<std::size_t>(k)] =
            field.values[static_cast<std::size_t>((i * n + k) * after + j)];
      line = function(line);
      for (Index k = 0; k < extent; ++k)
        result.values[static_cast<std::size_t>((i * extent + k) * after + j)] =
            line[static_cast<std::size_t>(k)];
    }
  return result;
}

std::vector<LongComplex> r2r_line(const R2rByDefinition& transform, R2r kind,
                                  const std::vector<LongComplex>& line, bool orthogonalize) {
  std::vector<long double> x;
  for (const auto& v : line) x.push_back(v.real());
  const long double root = std::sqrt(2.0L);
  // As the documentation of scipy.fft.dct and dst says it.
  if (orthogonalize && (kind == R2r::dct1 || kind == R2r::dct3)) x.front() *= root;
  if (orthogonalize && (kind == R2r::dct1 || kind == R2r::dst3)) x.back() *= root;
  std::vector<long double> transformed = transform(x);
  if (orthogonalize && (kind == R2r::dct1 || kind == R2r::dct2)) transformed.front() /= root;
  if (orthogonalize && (kind == R2r::dct1 || kind == R2r::dst2)) transformed.back() /= root;
  std::vector<LongComplex> y;
  for (long double v : transformed) y.emplace_back(v, 0);
  return y;
}

/// Where point j of the m that there are lies among all n.
Index place_of(Index j, Index m, Index n, bool around_zero) {
  return around_zero && j >= (m + 1) / 2 ? j - m + n : j;
}
/// The longer line with zeros, and the shorter one.
std::vector<LongComplex> padded(const std::vector<LongComplex>& line, Index n, bool around_zero) {
  const auto m = static_cast<Index>(line.size());
  std::vector<LongComplex> all(static_cast<std::size_t>(n));
  for (Index j = 0; j < m; ++j)
    all[static_cast<std::size_t>(place_of(j, m, n, around_zero))] =
        line[static_cast<std::size_t>(j)];
  return all;
}
std::vector<LongComplex> cropped(const std::vector<LongComplex>& line, Index m, bool around_zero) {
  std::vector<LongComplex> few;
  for (Index j = 0; j < m; ++j)
    few.push_back(line[static_cast<std::size_t>(
        place_of(j, m, static_cast<Index>(line.size()), around_zero))]);
  return few;
}

std::vector<LongComplex> half_to_real(const ReferenceDft& backward,
                                      const std::vector<LongComplex>& half, Index n) {
  std::vector<LongComplex> full(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) {
    const bool mirrored = k > n / 2;
    LongComplex v = half[static_cast<std::size_t>(mirrored ? n - k : k)];
    if (k == 0 || 2 * k == n) v = {v.real(), 0};
    full[static_cast<std::size_t>(k)] = mirrored ? std::conj(v) : v;
  }
  return backward(full);
}

double points_for_scale(const Transform& t) {
  double points = 1;
  for (std::size_t i = 0; i < t.axes.size(); ++i) {
    const auto n = static_cast<double>(t.shape[static_cast<std::size_t>(t.axes[i])]);
    points *= t.kind != Kind::r2r || t.r2r[i] >= R2r::dht ? n
              : t.r2r[i] == R2r::dct1                     ? 2 * (n - 1)
              : t.r2r[i] == R2r::dst1                     ? 2 * (n + 1)
                                                          : 2 * n;
  }
  return points;
}

}  // namespace

namespace {

Field computed(const Transform& transform, const Field& input) {
  Field field = input;
  // The halved axis is the last of them: transformed first for r2c, last for c2r.
  std::vector<int> order = transform.axes;
  if (transform.kind == Kind::r2c) std::reverse(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int axis = order[i];
    const Index n = transform.shape[static_cast<std::size_t>(axis)];
    const bool is_real = transform.kind == Kind::r2c || transform.kind == Kind::c2r;
    const bool halved = is_real && axis == transform.axes.back();
    const bool around_zero =
        transform.modes == Modes::around_zero && transform.kind != Kind::r2r && !halved;
    const bool is_forward = transform.direction == Direction::forward;
    const Index points = transform.kind == Kind::c2r && halved ? n / 2 + 1 : n;
    if (field.shape[static_cast<std::size_t>(axis)] > points)  // the full spectrum
      field = along(field, axis, points,
                    [&](const auto& line) { return cropped(line, points, false); });
    field = along(field, axis, points, [&](const auto& line) {
      return padded(line, points, around_zero && !is_forward);
    });
    const auto crop = [&] {
      if (transform.output_extents.empty()) return;
      const Index kept = transform.output_extents[static_cast<std::size_t>(axis)];
      field = along(field, axis, kept, [&](const auto& line) {
        return cropped(line, kept, around_zero && is_forward);
      });
    };
    if (transform.kind == Kind::r2r) {
      const R2rByDefinition by_definition(transform.r2r[i], n);
      field = along(field, axis, n, [&](const auto& line) {
        return r2r_line(by_definition, transform.r2r[i], line, transform.orthogonalize);
      });
    } else if (transform.kind == Kind::c2r && halved) {
      const ReferenceDft backward(n, Direction::backward);
      field =
          along(field, axis, n, [&](const auto& line) { return half_to_real(backward, line, n); });
    } else {
      const bool is_half = transform.kind == Kind::r2c && halved;
      const Index extent = is_half && transform.spectrum == Spectrum::half ? n / 2 + 1 : n;
      const ReferenceDft dft(n, transform.direction);
      field = along(field, axis, extent, dft);
    }
    crop();
  }
  const bool forward = transform.direction == Direction::forward;
  long double scale = 1;
  const double points = points_for_scale(transform);
  if (transform.normalization == Normalization::ortho)
    scale = 1 / std::sqrt(static_cast<long double>(points));
  if (transform.normalization == (forward ? Normalization::forward : Normalization::backward))
    scale = 1 / static_cast<long double>(points);
  for (auto& v : field.values) v *= scale;
  return field;
}

/// What one thread asked for last: tests run many recipes on the same input.
struct Recent {
  Transform transform;
  Field input, output;
};
constexpr std::size_t most_recent = 8, longest_recent = std::size_t{1} << 17;

}  // namespace

Field expected(const Transform& transform, const Field& input) {
  thread_local std::deque<Recent> recent;
  for (const Recent& r : recent)
    if (r.transform == transform && r.input.shape == input.shape && r.input.values == input.values)
      return r.output;
  Field output = computed(transform, input);
  if (output.values.size() > longest_recent || input.values.size() > longest_recent) return output;
  recent.push_back({transform, input, output});
  if (recent.size() > most_recent) recent.pop_front();
  return output;
}

std::vector<std::complex<double>> expected_line(const std::vector<std::complex<double>>& x) {
  std::vector<std::complex<double>> line;
  for (const LongComplex& v : reference_dft({x.begin(), x.end()}))
    line.emplace_back(static_cast<double>(v.real()), static_cast<double>(v.imag()));
  return line;
}

double relative_error(const Field& a, const Field& b) {
  long double difference = 0, norm = 0;
  for (std::size_t i = 0; i < b.values.size(); ++i) {
    difference += std::norm(a.values[i] - b.values[i]);
    norm += std::norm(b.values[i]);
  }
  if (norm == 0) return difference == 0 ? 0 : 1;
  return static_cast<double>(std::sqrt(difference / norm));
}

double tolerance(Precision precision, Index points) {
  const double eps = precision == Precision::f64   ? 0x1p-53
                     : precision == Precision::f32 ? 0x1p-24
                                                   : 0x1p-11;
  // A level of butterflies adds at most about two rounding errors (root mean square); convolutions
  // run three transforms of up to four times the length.
  return 6 * eps * std::sqrt(std::log2(static_cast<double>(points)) + 2);
}

}  // namespace weft::test
