// SPDX-License-Identifier: BSD-3-Clause
#include "support/local_cases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace weft::test {
namespace {

template <class T>
void shuffle(Random& random, std::vector<T>& list) {
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1],
              list[static_cast<std::size_t>(random.between(0, static_cast<Index>(i) - 1))]);
}

std::vector<int> shuffled_axes(Random& random, std::size_t ndim) {
  std::vector<int> axes(ndim);
  std::iota(axes.begin(), axes.end(), 0);
  shuffle(random, axes);
  return axes;
}

/// Strides of a random storage order with gaps; some strides are negative.
Layout random_layout(Random& random, const std::vector<Index>& extents) {
  Layout layout{std::vector<Index>(extents.size())};
  Index stride = random.between(1, 3) == 1 ? random.between(1, 3) : 1;
  for (int axis : shuffled_axes(random, extents.size())) {
    const auto d = static_cast<std::size_t>(axis);
    layout.strides[d] = random.between(0, 7) == 0 ? -stride : stride;
    stride = stride * extents[d] + (random.between(0, 1) == 0 ? 0 : random.between(0, 4));
  }
  return layout;
}

/// Short and long extents, primes and powers, whose product stays within the limit.
std::vector<Index> random_shape(Random& random, Index most_points) {
  static constexpr Index favourites[] = {1,  2,  3,  4,  5,  7,  8,  9,   11,  13,  16,  17,  19,
                                         25, 31, 32, 41, 49, 64, 97, 100, 121, 127, 128, 169, 200};
  const Index ndim = random.between(1, 6);
  std::vector<Index> shape;
  Index left = most_points;
  for (Index d = 0; d < ndim; ++d) {
    const Index most = d + 1 == ndim ? std::min<Index>(left, 200)
                                     : std::max<Index>(1, std::min<Index>(left / 2, 60));
    Index n = random.between(0, 1) == 0
                  ? favourites[static_cast<std::size_t>(random.between(0, 25))]
                  : random.between(1, most);
    n = std::min(n, std::max<Index>(1, left));
    shape.push_back(n);
    left /= n;
  }
  if (ndim == 1 && random.between(0, 2) == 0) shape[0] = random.between(1, most_points);
  shuffle(random, shape);
  return shape;
}

Transform random_transform(Random& random, Index most_points) {
  Transform t;
  t.kind = static_cast<Kind>(random.between(0, 3));
  t.precision = random.between(0, 4) == 0   ? Precision::f16
                : random.between(0, 1) == 0 ? Precision::f32
                                            : Precision::f64;
  // The reference of real-to-real lines takes quadratic time.
  t.shape =
      random_shape(random, t.kind == Kind::r2r ? std::min<Index>(most_points, 1000) : most_points);
  t.axes = shuffled_axes(random, t.shape.size());
  t.axes.resize(static_cast<std::size_t>(random.between(1, static_cast<Index>(t.axes.size()))));
  t.direction = random.between(0, 1) == 0 ? Direction::forward : Direction::backward;
  if (t.kind == Kind::r2c) t.direction = Direction::forward;
  if (t.kind == Kind::c2r) t.direction = Direction::backward;
  t.normalization = t.precision == Precision::f16
                        ? Normalization::ortho  // f16 numbers end at 65504
                        : static_cast<Normalization>(random.between(0, 3));
  if (t.kind == Kind::r2r)
    for (int axis : t.axes) {
      R2r kind = static_cast<R2r>(random.between(0, 8));
      if (kind == R2r::dct1 && t.shape[static_cast<std::size_t>(axis)] < 2) kind = R2r::dct2;
      t.r2r.push_back(kind);
    }
  return t;
}

/// Pads real rows so that the half spectrum fits, as r2c and c2r in place need it.
void pad_in_place(LocalCase& c) {
  Transform& t = c.transform;
  const auto halved = static_cast<std::size_t>(t.axes.back());
  Layout real{std::vector<Index>(t.shape.size(), 1)}, complex = real;
  Index stride = 2 * (t.shape[halved] / 2 + 1);
  for (std::size_t d = t.shape.size(); d-- > 0;) {
    if (d == halved) continue;
    real.strides[d] = stride;
    complex.strides[d] = stride / 2;
    stride *= t.shape[d];
  }
  c.options.in_place = true;
  c.options.input = t.kind == Kind::r2c ? real : complex;
  c.options.output = t.kind == Kind::r2c ? complex : real;
}

/// The shape with the halved axis as the complex side has it.
std::vector<Index> spectrum_shape(const Transform& t) {
  std::vector<Index> shape = t.shape;
  Index& last = shape[static_cast<std::size_t>(t.axes.back())];
  if (t.spectrum == Spectrum::half) last = last / 2 + 1;
  return shape;
}
std::vector<Index> output_shape(const Transform& t) {
  if (!t.output_extents.empty()) return t.output_extents;
  return t.kind == Kind::r2c ? spectrum_shape(t) : t.shape;
}

/// For every element the number of its transform in the batch.
std::vector<Index> transform_numbers(const std::vector<Index>& shape,
                                     const std::vector<int>& axes) {
  std::vector<Index> numbers{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool is_batch = std::ranges::find(axes, static_cast<int>(d)) == axes.end();
    std::vector<Index> next;
    for (Index number : numbers)
      for (Index i = 0; i < shape[d]; ++i)
        next.push_back(is_batch ? number * shape[d] + i : number);
    numbers = std::move(next);
  }
  return numbers;
}

LongComplex bad_value(Random& random, const Transform& t) {
  const long double huge = t.precision == Precision::f64   ? 1e300L
                           : t.precision == Precision::f32 ? 1e37L
                                                           : 65504.0L;
  const long double values[] = {std::numeric_limits<long double>::quiet_NaN(),
                                std::numeric_limits<long double>::infinity(),
                                -std::numeric_limits<long double>::infinity(), huge};
  const bool is_complex = t.kind == Kind::c2c || t.kind == Kind::c2r;
  const auto pick = [&] { return values[random.between(0, 3)]; };
  switch (is_complex ? random.between(0, 2) : 0) {
    case 0: return {pick(), 0};
    case 1: return {0, pick()};
    default: return {pick(), pick()};
  }
}

bool same_bits(LongComplex a, LongComplex b) {
  const auto same = [](long double x, long double y) {
    return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
  };
  return same(a.real(), b.real()) && same(a.imag(), b.imag());
}

}  // namespace

std::vector<Index> LocalCase::input_shape() const {
  if (!transform.input_extents.empty()) return transform.input_extents;
  return transform.kind == Kind::c2r ? spectrum_shape(transform) : transform.shape;
}

Field LocalCase::input(std::uint64_t seed) const {
  const bool is_complex = transform.kind == Kind::c2c || transform.kind == Kind::c2r;
  return rounded(random_field(input_shape(), is_complex, seed), transform.precision);
}

std::string LocalCase::name() const {
  const auto list = [](const auto& numbers) {
    std::string text;
    for (const auto& n : numbers) text += " " + std::to_string(static_cast<Index>(n));
    return text;
  };
  return "kind " + std::to_string(static_cast<int>(transform.kind)) + " precision " +
         std::to_string(static_cast<int>(transform.precision)) + " shape" + list(transform.shape) +
         " axes" + list(transform.axes) + " r2r" + list(transform.r2r) + " input strides" +
         list(options.input.strides) + " output strides" + list(options.output.strides) +
         " input extents" + list(transform.input_extents) + " output extents" +
         list(transform.output_extents) + (options.in_place ? " in place" : "") +
         (options.plan.in_place ? " planned so" : "") +
         (options.input.storage == ComplexStorage::split ? " split input" : "") +
         (options.output.storage == ComplexStorage::split ? " split output" : "") +
         (transform.spectrum == Spectrum::full ? " full" : "") +
         (transform.modes == Modes::around_zero ? " around zero" : "") +
         (transform.orthogonalize ? " orthogonalized" : "") + " direction " +
         std::to_string(static_cast<int>(transform.direction)) + " normalization " +
         std::to_string(static_cast<int>(transform.normalization)) + " threads " +
         std::to_string(options.plan.threads);
}

LocalCase random_local_case(std::uint64_t seed, Index most_points) {
  Random random(seed);
  LocalCase c;
  c.transform = random_transform(random, most_points);
  const Transform& t = c.transform;
  c.options.plan.threads = static_cast<int>(random.between(1, 3));
  if (random.between(0, 3) > 0) c.options.input = random_layout(random, c.input_shape());
  if (random.between(0, 3) > 0) c.options.output = random_layout(random, output_shape(t));
  if (random.between(0, 2) > 0) return c;
  if (t.kind == Kind::c2c || t.kind == Kind::r2r) {
    c.options.in_place = true;
    c.options.output = c.options.input;
  } else {
    pad_in_place(c);
  }
  return c;
}

namespace {

/// Fewer points along some of the transformed axes.
std::vector<Index> random_extents(Random& random, const Transform& t, std::vector<Index> shape) {
  for (int axis : t.axes) {
    Index& n = shape[static_cast<std::size_t>(axis)];
    if (random.between(0, 1) == 0) n = random.between(1, n);
  }
  return shape;
}

void make_special(Random& random, Transform& t) {
  const auto sometimes = [&](Index of) { return random.between(1, of) == 1; };
  if (t.kind == Kind::r2r) {
    t.orthogonalize = sometimes(2);
    for (R2r& kind : t.r2r)
      if (sometimes(4)) kind = sometimes(2) ? R2r::r2hc : R2r::hc2r;
  } else if (t.kind != Kind::c2c && sometimes(3)) {
    t.spectrum = Spectrum::full;
  }
  if (sometimes(2)) t.modes = Modes::around_zero;
  const bool full = t.spectrum == Spectrum::full;
  if (sometimes(2) && !(full && t.kind == Kind::c2r))
    t.input_extents = random_extents(random, t, t.kind == Kind::c2r ? spectrum_shape(t) : t.shape);
  if (sometimes(2) && !(full && t.kind == Kind::r2c))
    t.output_extents = random_extents(random, t, t.kind == Kind::r2c ? spectrum_shape(t) : t.shape);
  if (t.kind != Kind::r2c && t.kind != Kind::c2r && sometimes(12)) {
    t.axes.clear();
    t.r2r.clear();
    t.input_extents.clear();
    t.output_extents.clear();
    t.empty_axes = EmptyAxes::none;
  }
}

}  // namespace

LocalCase random_special_case(std::uint64_t seed, Index most_points) {
  Random random(seed);
  const auto sometimes = [&](Index of) { return random.between(1, of) == 1; };
  LocalCase c;
  Transform& t = c.transform;
  t = random_transform(random, most_points);
  make_special(random, t);
  c.options.plan.threads = static_cast<int>(random.between(1, 3));
  if (!sometimes(4)) c.options.input = random_layout(random, c.input_shape());
  if (!sometimes(4)) c.options.output = random_layout(random, output_shape(t));
  const bool complex_input = t.kind == Kind::c2c || t.kind == Kind::c2r;
  const bool complex_output = t.kind == Kind::c2c || t.kind == Kind::r2c;
  if (complex_input && sometimes(3)) c.options.input.storage = ComplexStorage::split;
  if (complex_output && sometimes(3)) c.options.output.storage = ComplexStorage::split;
  const bool any_split = c.options.input.storage == ComplexStorage::split ||
                         c.options.output.storage == ComplexStorage::split;
  if (sometimes(3) && !any_split) {
    c.options.in_place = c.options.plan.in_place = true;
  } else if (c.options.input.storage == c.options.output.storage && t.kind == Kind::c2c &&
             t.input_extents.empty() && t.output_extents.empty() && sometimes(3)) {
    c.options.in_place = true;
    c.options.output = c.options.input;
  }
  return c;
}

LocalCase random_long_case(std::uint64_t seed, Index most_points) {
  static constexpr Index factors[] = {
      2,  3,  3,  4,  5,  5,  7,  8,  9,  11, 13, 15, 16, 17, 19, 23, 25,  29,  31,  32,  37,  41,
      43, 47, 49, 53, 59, 61, 64, 67, 71, 73, 75, 79, 81, 83, 89, 97, 101, 103, 107, 109, 113, 127};
  Random random(seed);
  LocalCase c;
  Transform& t = c.transform;
  t = random_transform(random, 1);
  const Index most = random.between(200, t.kind == Kind::r2r ? 1000 : most_points);
  Index n = 1;
  for (int tries = 0; tries < 12; ++tries) {
    const Index factor = factors[random.between(0, std::size(factors) - 1)];
    if (n * factor <= most) n *= factor;
  }
  n = std::max<Index>(n, 2);  // DCT-I
  t.axes = {random.between(0, 4) == 0 ? 0 : 1};
  t.shape.assign(2, random.between(1, 3));
  t.shape[static_cast<std::size_t>(t.axes[0])] = n;
  if (t.kind == Kind::r2r) t.r2r = {static_cast<R2r>(random.between(0, 10))};
  c.options.plan.threads = static_cast<int>(random.between(1, 3));
  if (random.between(0, 3) == 0) c.options.input = random_layout(random, c.input_shape());
  if (random.between(0, 3) == 0) c.options.output = random_layout(random, output_shape(t));
  return c;
}

PlantedField with_bad_value(const LocalCase& c, std::uint64_t seed) {
  Random random(seed ^ 0xbad);
  PlantedField planted{c.input(seed), 0};
  const auto where = static_cast<std::size_t>(
      random.between(0, static_cast<Index>(planted.field.values.size()) - 1));
  planted.field.values[where] = bad_value(random, c.transform);
  planted.transform = transform_numbers(c.input_shape(), c.transform.axes)[where];
  return planted;
}

bool others_are_equal(const LocalCase& c, const PlantedField& planted, const Field& before,
                      const Field& after) {
  const auto numbers = transform_numbers(before.shape, c.transform.axes);
  for (std::size_t i = 0; i < after.values.size(); ++i)
    if (numbers[i] != planted.transform && !same_bits(after.values[i], before.values[i]))
      return false;
  return true;
}

bool keeps_transforms_apart(const LocalCase& c, std::uint64_t seed, const Field& before) {
  const PlantedField planted = with_bad_value(c, seed);
  return others_are_equal(c, planted, before,
                          run_plan(c.transform, planted.field, c.options).output);
}

}  // namespace weft::test
