// SPDX-License-Identifier: BSD-3-Clause
// Functions of fields on GPUs and their sums (weft/cuda_fields.hpp), by the stand-in for the
// driver, against the same formulas in C++.
#include "operator_cases.hpp"
#include "weft/cuda_fields.hpp"

namespace weft::test {
namespace {

using cuda::FieldFunction;
using cuda::FieldOptions;
using cuda::FieldReduction;
using cuda::Reduction;
using cuda::Side;

class GpuFields : public GpuOperator {};

template <class T>
std::vector<DeviceArray<T>> on_device(const Fields<T>& fields) {
  std::vector<DeviceArray<T>> arrays;
  for (const auto& each : fields) arrays.emplace_back(each);
  return arrays;
}

template <class T>
Fields<T> random_fields(std::size_t count, Index elements) {
  Fields<T> fields;
  for (std::size_t f = 0; f < count; ++f)
    fields.push_back(random_values<T>(elements, static_cast<unsigned>(f + 1)));
  return fields;
}

/// The outputs, which lie in the first inputs if `in_place`.
template <class T>
Fields<T> applied(const FieldFunction& function, const Fields<T>& in,
                  const std::vector<double>& parameters, bool in_place = false) {
  const auto inputs = on_device(in);
  const auto results = on_device(random_fields<T>(static_cast<std::size_t>(function.outputs()),
                                                  static_cast<Index>(in.front().size())));
  std::vector<const T*> from;
  std::vector<T*> to;
  for (const auto& each : inputs) from.push_back(each.data());
  for (std::size_t f = 0; f < results.size(); ++f)
    to.push_back(in_place && f < inputs.size() ? inputs[f].data() : results[f].data());
  function.execute<T>(from, to, parameters, {});
  Fields<T> out;
  for (T* each : to) out.emplace_back(each, each + in.front().size());
  return out;
}

template <class T>
std::vector<double> reduced(const FieldReduction& reduction, const Fields<T>& in,
                            const std::vector<double>& parameters = {}) {
  const auto inputs = on_device(in);
  std::vector<const T*> from;
  for (const auto& each : inputs) from.push_back(each.data());
  std::vector<double> results(static_cast<std::size_t>(reduction.outputs()));
  cuda::Workspace workspace = reduction.make_workspace();
  reduction.execute<T>(from, results, parameters, workspace, {});
  return results;
}

template <class Real>
void expect_cross_product() {
  const Transform forward = r2c({5, 6, 7}, {.precision = ScalarTraits<Real>::precision});
  const FieldFunction cross(forward, Side::points,
                            "u1*u5 - u2*u4; u2*u3 - u0*u5; p1*(u0*u4 - u1*u3)");
  EXPECT_EQ(cross.inputs(), 6);
  EXPECT_EQ(cross.outputs(), 3);
  EXPECT_EQ(cross.parameters(), 2);
  const auto u = random_fields<Real>(6, 210);
  for (const bool in_place : {false, true}) {
    const auto got = applied<Real>(cross, u, {7, 2}, in_place);
    for (std::size_t i = 0; i < 210; ++i) {
      ASSERT_EQ(got[0][i], u[1][i] * u[5][i] - u[2][i] * u[4][i]);
      ASSERT_EQ(got[1][i], u[2][i] * u[3][i] - u[0][i] * u[5][i]);
      ASSERT_EQ(got[2][i], 2 * (u[0][i] * u[4][i] - u[1][i] * u[3][i]));
    }
  }
}

TEST_F(GpuFields, ArraysThatNoMemoryHoldsAreRefused) {
  EXPECT_THROW(cuda::Array<double>{-1}, Error);
  EXPECT_THROW(cuda::Array<double>{(Index{1} << 61) + 1}, Error);
}

TEST_F(GpuFields, AreCombinedAtEveryPoint) {
  expect_cross_product<double>();
  expect_cross_product<float>();
  const FieldFunction square(c2c({9}), Side::points, "u0*conj(u0)*p0 + i");
  const auto z = random_fields<std::complex<double>>(1, 9);
  const auto got = applied<std::complex<double>>(square, z, {3}).front();
  for (std::size_t i = 0; i < 9; ++i)
    ASSERT_LT(std::abs(got[i] - std::complex<double>(3 * std::norm(z[0][i]), 1)), 1e-14);
}

/// The wave number of an index, and whether all of a real field's axis is in the spectrum.
struct Wave {
  Index m;
  double k;
};
Wave wave_of(Index index, Index n, Index extent, double length) {
  const Index m = extent < n || 2 * index < n ? index : index - n;
  return {m, 2 * std::numbers::pi / length * static_cast<double>(m)};
}

/// u0 + p0 (kx + 2 ky + 3 kz^2) u1 at the kept modes, and nothing at the others.
template <class Real>
void expect_modes(Kind kind, const std::vector<Index>& shape, const std::vector<int>& axes,
                  const std::vector<Index>& cutoff) {
  using Complex = std::complex<Real>;
  const std::vector<double> lengths{2.5, 4, 1};
  Transform forward = kind == Kind::c2c ? c2c(shape) : r2c(shape);
  forward.axes = axes;
  forward.precision = ScalarTraits<Real>::precision;
  std::vector<Index> spectrum = shape;
  if (kind == Kind::r2c)
    spectrum[static_cast<std::size_t>(axes.back())] =
        shape[static_cast<std::size_t>(axes.back())] / 2 + 1;
  const FieldFunction function(forward, Side::modes, "u0 + p0*(kx + 2*ky + 3*kz^2)*u1",
                               {.lengths = lengths, .cutoff = cutoff});
  const Index count = product(spectrum);
  const auto u = random_fields<Complex>(2, count);
  const auto got = applied<Complex>(function, u, {0.5}, true).front();
  Index kept = 0;
  for (Index i = 0; i < count; ++i) {
    double k[3] = {};
    bool is_kept = true;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto d = static_cast<std::size_t>(axes[a]);
      Index index = i;
      for (std::size_t e = spectrum.size(); e-- > d + 1;) index /= spectrum[e];
      const Wave wave = wave_of(index % spectrum[d], shape[d], spectrum[d], lengths[a]);
      k[a] = wave.k;
      is_kept &= cutoff.empty() || std::abs(wave.m) <= cutoff[a];
    }
    kept += is_kept ? 1 : 0;
    const auto at = static_cast<std::size_t>(i);
    const auto factor = static_cast<Real>(0.5 * (k[0] + 2 * k[1] + 3 * k[2] * k[2]));
    const Complex wanted = is_kept ? u[0][at] + factor * u[1][at] : u[0][at];
    const double most = 20 * std::numeric_limits<Real>::epsilon() * (1 + std::abs(wanted));
    ASSERT_LE(std::abs(got[at] - wanted), is_kept ? most : 0) << i;
  }
  EXPECT_EQ(function.count(), kept);
}

TEST_F(GpuFields, AreCombinedAtEveryMode) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    expect_modes<double>(kind, {6, 5, 8}, {0, 1, 2}, {});
    expect_modes<float>(kind, {5, 2, 4, 7}, {0, 2, 3}, {});
    expect_modes<double>(kind, {1, 2, 9}, {0, 1, 2}, {});
  }
}

TEST_F(GpuFields, AreLeftAsTheyAreBeyondTheCutoff) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    expect_modes<double>(kind, {12, 11, 10}, {0, 1, 2}, {3, 3, 2});
    expect_modes<double>(kind, {6, 2, 8, 9}, {0, 2, 3}, {2, 3, 4});
    expect_modes<double>(kind, {6, 5, 8}, {0, 1, 2}, {0, 100, 4});
  }
}

TEST_F(GpuFields, MayBePartOfALargerArray) {
  const std::vector<double> cube = random_values<double>(4 * 5 * 6, 3);
  const DeviceArray<double> in(cube), out(std::vector<double>(20, -1.0));
  const FieldFunction plane(r2c({4, 5}), Side::points, "2*u0",
                            {.input_strides = {30, 6}, .output_strides = {1, 4}});
  const double* const from[] = {in.data() + 2};
  double* const to[] = {out.data()};
  plane.execute<double>(from, to, {}, {});
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      EXPECT_EQ(out.values()[j * 4 + i], 2 * cube[i * 30 + j * 6 + 2]);
}

TEST_F(GpuFields, AreSummed) {
  const FieldReduction sums(r2c({30, 40, 50}), Side::points, "u0*u1; p0", Reduction::sum);
  const auto u = random_fields<double>(2, 60000);
  const auto got = reduced(sums, u, {0.25});
  double wanted = 0;
  for (std::size_t i = 0; i < u[0].size(); ++i) wanted += u[0][i] * u[1][i];
  EXPECT_NEAR(got[0], wanted, 1e-10);
  EXPECT_EQ(got[1], 15000);
  EXPECT_EQ(reduced(sums, u, {0.25})[0], got[0]);
}

/// More elements than partial sums, in f32: the sums are of f64.
TEST_F(GpuFields, AreSummedInDoublePrecision) {
  const FieldReduction sum(r2c({700000}, {.precision = Precision::f32}), Side::points, "u0",
                           Reduction::sum);
  Fields<float> u{std::vector<float>(700000, 0.1f)};
  const double wanted = 700000 * static_cast<double>(0.1f);
  EXPECT_NEAR(reduced(sum, u)[0], wanted, 1e-9 * wanted);
}

TEST_F(GpuFields, HaveALargestValue) {
  const FieldReduction most(r2c({8, 9}), Side::modes, "abs(u0)*where(kx == -3, 1, 0); 0 - k2",
                            Reduction::maximum, {.cutoff = {3, 3}});
  auto u = random_fields<std::complex<double>>(1, 40);
  double wanted = 0;
  for (std::size_t i = 25; i < 29; ++i) wanted = std::max(wanted, std::abs(u[0][i]));
  u[0][29] = 1e3;  // cut off
  const auto got = reduced(most, u);
  EXPECT_NEAR(got[0], wanted, 1e-15);
  EXPECT_EQ(got[1], 0);
  u[0][25] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(reduced(most, u)[0]));
}

std::uint64_t split_mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
std::complex<double> drawn_at(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t bits = split_mix(split_mix(split_mix(a) ^ b) ^ c);
  const auto uniform = [](std::uint64_t x) {
    return (static_cast<double>(x >> 11) + 0.5) / 0x1p53;
  };
  return std::polar(std::sqrt(-2 * std::log(uniform(split_mix(bits)))),
                    2 * std::numbers::pi * uniform(split_mix(~bits)));
}

/// By splitmix64 and Box and Muller, and with the moments of normal numbers.
TEST_F(GpuFields, MayBeDrawnAtRandom) {
  const Transform forward = c2c({200, 100});
  const FieldFunction draw(forward, Side::modes, "normal(p0, 5, (kx + 1000)*4294967296 + ky + 50)");
  const auto nothing = random_fields<std::complex<double>>(1, 20000);
  const auto first = applied(draw, nothing, {1}).front();
  for (std::uint64_t i = 0; i < 3; ++i)
    EXPECT_LT(std::abs(first[i] - drawn_at(1, 5, (std::uint64_t{1000} << 32) + 50 + i)), 1e-13);
  const auto second = applied(draw, nothing, {2}).front();
  std::complex<double> mean = 0, across = 0, neighbours = 0;
  double square = 0, fourth = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    mean += first[i] / 2e4;
    across += first[i] * std::conj(second[i]) / 2e4;
    if (i > 0) neighbours += first[i] * std::conj(first[i - 1]) / 2e4;
    square += std::norm(first[i]) / 4e4;
    fourth += std::pow(first[i].imag(), 4) / 2e4;
  }
  const double five_deviations = 5 / std::sqrt(2e4);
  EXPECT_LT(std::abs(mean), 2 * five_deviations);
  EXPECT_LT(std::abs(across), 3 * five_deviations);
  EXPECT_LT(std::abs(neighbours), 3 * five_deviations);
  EXPECT_NEAR(square, 1, five_deviations);
  EXPECT_NEAR(fourth, 3, 10 * five_deviations);
}

TEST_F(GpuFields, KnowTheirPlace) {
  const FieldFunction place(r2c({3, 4, 5}, {.axes = {1, 2}}), Side::points, "x + 100*y",
                            {.lengths = {2, 10}});
  const auto got = applied<double>(place, random_fields<double>(1, 60), {}).front();
  for (std::size_t i = 0; i < 60; ++i)
    ASSERT_DOUBLE_EQ(got[i],
                     0.5 * static_cast<double>(i / 5 % 4) + 200.0 * static_cast<double>(i % 5));
}

double b_spline(double x) {
  x = std::abs(x);
  if (x < 1) return (4 - 6 * x * x + 3 * x * x * x) / 6;
  return x < 2 ? (2 - x) * (2 - x) * (2 - x) / 6 : 0;
}
/// The sum over all coefficients, periodic.
double spline_at(const std::vector<double>& c, const std::vector<Index>& shape,
                 const std::vector<double>& place) {
  double sum = 0;
  for (Index i = 0; i < product(shape); ++i) {
    double weight = 1;
    Index rest = i;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
      const auto n = static_cast<double>(shape[d]);
      double each = 0;
      for (int turn = -3; turn <= 3; ++turn)
        each += b_spline(place[d] - static_cast<double>(rest % shape[d]) + turn * n);
      weight *= each;
    }
    sum += weight * c[static_cast<std::size_t>(i)];
  }
  return sum;
}

TEST_F(GpuFields, MayBeReadBetweenTheirPoints) {
  for (const auto& shape : std::vector<std::vector<Index>>{{9}, {4, 7}, {5, 4, 6}}) {
    std::string text = "1 + spline(u0";
    for (std::size_t d = 0; d < shape.size(); ++d) text += ", p0*u" + std::to_string(d + 1);
    const FieldFunction function(r2c(shape), Side::points, text + ")");
    auto u = random_fields<double>(shape.size() + 1, product(shape));
    u[1][1] = 0.5;  // just between two points
    u[1][2] = 1e-300;
    const auto got = applied<double>(function, u, {8}).front();
    for (Index i = 0; i < product(shape); ++i) {
      std::vector<double> place(shape.size());
      Index rest = i;
      for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
        place[d] = static_cast<double>(rest % shape[d]) - 8 * u[d + 1][static_cast<std::size_t>(i)];
      ASSERT_NEAR(got[static_cast<std::size_t>(i)], 1 + spline_at(u[0], shape, place), 1e-13);
    }
    u[1][0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(applied<double>(function, u, {8}).front()[0]));
  }
}

TEST_F(GpuFields, MayHaveNoElements) {
  const FieldFunction function(r2c({0, 4}), Side::points, "2*u0");
  const FieldReduction most(r2c({0, 4}), Side::points, "u0", Reduction::maximum);
  const Fields<double> none(1);
  EXPECT_TRUE(applied(function, none, {}).front().empty());
  const double* const from[] = {nullptr};
  double* const to[] = {nullptr};
  function.execute<double>(from, to, {}, {});
  EXPECT_EQ(reduced(most, none)[0], std::numeric_limits<double>::lowest());
}

TEST_F(GpuFields, AreUploadedAndDownloaded) {
  cuda::Array<float> array(10);
  std::vector<float> got(10, -1);
  array.download(got);
  EXPECT_EQ(got, std::vector<float>(10, 0));
  const std::vector<float> part{1, 2, 3};
  array.upload(part, {}, 7);
  array.download(std::span(got).first(4), {}, 6);
  EXPECT_EQ(got, (std::vector<float>{0, 1, 2, 3, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(array.count(), 10);
  EXPECT_THROW(array.upload(part, {}, 8), Error);
  EXPECT_THROW(array.download(got, {}, -1), Error);
}

void expect_refused_field(const std::function<void()>& work, const std::string& words,
                          ErrorCode code = ErrorCode::invalid_argument) {
  try {
    work();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST_F(GpuFields, RefuseWhatMakesNoSense) {
  const auto refused = [](const std::string& words, Side side, const std::string& text,
                          const FieldOptions& options = {}) {
    expect_refused_field([&] { FieldFunction(r2c({6, 8}), side, text, options); }, words);
  };
  refused("of modes", Side::points, "k2*u0");
  refused("of modes", Side::points, "dx*u0");
  refused("is complex", Side::points, "i*u0");
  refused("not known", Side::modes, "x*u0");
  refused("not known", Side::modes, "spline(u0, 1, 2)");
  refused("real field", Side::points, "spline(2, 1, 2)");
  refused("one distance per dimension", Side::points, "spline(u0, 1)");
  refused("one per dimension", Side::points, "spline(u0)");
  refused("one per dimension", Side::points, "spline(u0, 1, 2, 3, 4)");
  refused("one per dimension", Side::points, "spline(u0, 1, 2) + spline(u0, 1)");
  refused("is complex", Side::modes, "normal(u0, 1, 2)");
  expect_refused_field([] { FieldFunction(r2c({3, 8}), Side::points, "spline(u0, 1, 2)"); },
                       "at least 4 points");
  refused("p0 to p15", Side::points, "p16*u0");
  refused("along 3 axes", Side::modes, "kz*u0");
  refused("one per transformed axis", Side::modes, "u0", {.cutoff = {3}});
  refused("negative", Side::modes, "u0", {.cutoff = {3, -1}});
  refused("leave it out", Side::points, "u0", {.cutoff = {3, 3}});
  refused("one per dimension", Side::points, "u0", {.input_strides = {8}});
  refused("not positive", Side::points, "u0", {.output_strides = {8, 0}});
  expect_refused_field([] { FieldReduction(r2c({6, 8}), Side::modes, "u0", Reduction::sum); },
                       "of real numbers");
  expect_refused_field(
      [] { FieldFunction(r2c({6, 8}, {.input_extents = {6, 4}}), Side::points, "u0"); }, "padded",
      ErrorCode::unsupported);
  for (const char* text : {"p0*u0", "normal(1, 2, 3)", "x*u0"})
    expect_refused_field([&] { expression(text); }, "not known");
}

TEST_F(GpuFields, RefuseWrongArrays) {
  const FieldFunction function(r2c({6, 8}), Side::points, "p0*u0 + u1");
  const FieldReduction sum(r2c({6, 8}), Side::points, "u0", Reduction::sum);
  const DeviceArray<double> a(49), b(48), c(48);
  std::vector<double> host(48);
  const auto refused = [&](const std::string& words, const double* x, const double* y, double* to,
                           const std::vector<double>& parameters) {
    const double* const in[] = {x, y};
    double* const out[] = {to};
    expect_refused_field([&] { function.execute<double>(in, out, parameters, {}); }, words);
  };
  refused("host memory", host.data(), b.data(), c.data(), {1});
  refused("host memory", a.data(), b.data(), host.data(), {1});
  refused("null", a.data(), nullptr, c.data(), {1});
  refused("1 parameters, 2 were", a.data(), b.data(), c.data(), {1, 2});
  refused("shares memory", a.data(), b.data(), a.data() + 1, {1});
  const double* const in[] = {a.data()};
  double* const out[] = {b.data()};
  const FieldFunction moved(r2c({6, 8}), Side::points, "spline(u0, 1, 1)");
  double* const same[] = {a.data()};
  expect_refused_field([&] { moved.execute<double>(in, same, {}, {}); }, "spline");
  expect_refused_field([&] { function.execute<double>(in, out, std::vector<double>{1}, {}); },
                       "2 inputs, 1 were");
  const DeviceArray<float> single(48);
  const float* const floats[] = {single.data(), single.data()};
  float* const result[] = {single.data()};
  expect_refused_field([&] { function.execute<float>(floats, result, std::vector<double>{1}, {}); },
                       "f64");
  std::vector<double> results(1);
  cuda::Workspace small(8);
  expect_refused_field([&] { sum.execute<double>(in, results, {}, small, {}); }, "make_workspace");
  cuda::Workspace workspace = sum.make_workspace();
  results.resize(2);
  expect_refused_field([&] { sum.execute<double>(in, results, {}, workspace, {}); }, "room for 2");
}

}  // namespace
}  // namespace weft::test
