// SPDX-License-Identifier: BSD-3-Clause
// Operators on GPUs without a GPU: a stand-in for the CUDA driver runs their kernels on the host
// (tests/support/gpu_stand_in). Compared with operators of the CPU, and with three separate steps.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <random>

#include "gpu/device/driver.hpp"
#include "weft/spectral_cuda.hpp"
#include "weft/spectral_expression.hpp"
#include "weft/spectral_functions.hpp"
#include "weft/wisdom.hpp"

namespace weft::test {

using namespace spectral;

inline Index product(const std::vector<Index>& extents) {
  return std::accumulate(extents.begin(), extents.end(), Index{1}, std::multiplies<>());
}

/// An array in the stand-in's memory.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    const gpu::UseDevice use(gpu::device(0));
    memory_ = gpu::DeviceMemory(std::max<std::size_t>(1, count) * sizeof(T));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    std::copy(values.begin(), values.end(), data());
  }
  T* data() const { return static_cast<T*>(memory_.data()); }
  std::vector<T> values() const { return {data(), data() + count_}; }

 private:
  gpu::DeviceMemory memory_;
  std::size_t count_;
};

template <class T>
std::vector<T> random_values(Index count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    if constexpr (ScalarTraits<T>::is_complex) {
      const double re = number(generator), im = number(generator);
      value = T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
    } else {
      value = static_cast<T>(number(generator));
    }
  }
  return values;
}

template <class T>
using Fields = std::vector<std::vector<T>>;

template <class T>
Fields<T> on_gpu(const cuda::SpectralOperator& op, const Fields<T>& in, std::size_t outputs,
                 bool in_place) {
  std::vector<DeviceArray<T>> inputs, results;
  for (const auto& field : in) inputs.emplace_back(field);
  const auto count = static_cast<std::size_t>(product(op.output_shape()));
  for (std::size_t f = 0; f < outputs; ++f) results.emplace_back(count);
  std::vector<const T*> from;
  std::vector<T*> to;
  for (const auto& each : inputs) from.push_back(each.data());
  for (std::size_t f = 0; f < outputs; ++f)
    to.push_back(in_place && f < inputs.size() ? inputs[f].data() : results[f].data());
  cuda::Workspace workspace = op.make_workspace();
  op.execute(std::span<const T* const>(from), std::span<T* const>(to), workspace, {});
  for (std::size_t f = 0; f < in.size() && !in_place; ++f)
    EXPECT_EQ(std::memcmp(inputs[f].data(), in[f].data(), in[f].size() * sizeof(T)), 0)
        << "the input was changed";
  Fields<T> out;
  for (T* each : to) out.emplace_back(each, each + count);
  return out;
}

template <class T>
Fields<T> on_cpu(const Transform& forward, const ModeFunction& function,
                 const std::vector<double>& lengths, const Fields<T>& in, std::size_t outputs) {
  const SpectralOperator op(forward, function, {.lengths = lengths});
  std::vector<const T*> from;
  std::vector<T*> to;
  Fields<T> out(outputs, std::vector<T>(static_cast<std::size_t>(product(op.output_shape()))));
  for (const auto& each : in) from.push_back(each.data());
  for (auto& each : out) to.push_back(each.data());
  Workspace workspace = op.make_workspace();
  op.execute(std::span<const T* const>(from), std::span<T* const>(to), workspace);
  return out;
}

template <class T>
double relative_error(const Fields<T>& got, const Fields<T>& wanted) {
  double error = 0, norm = 0;
  for (std::size_t f = 0; f < wanted.size(); ++f)
    for (std::size_t i = 0; i < wanted[f].size(); ++i) {
      error += std::norm(got[f][i] - wanted[f][i]);
      norm += std::norm(wanted[f][i]);
    }
  return norm == 0 ? std::sqrt(error) : std::sqrt(error / norm);
}

/// Two transforms of log2 n steps each, and some operations of the function.
inline double bound(Precision precision, Index points) {
  const double eps = precision == Precision::f32 ? 0x1p-24 : 0x1p-53;
  return 8 * eps * (4 + std::log2(static_cast<double>(points)));
}

struct Case {
  Kind kind = Kind::c2c;
  std::vector<Index> shape;
  std::vector<int> axes = {};
  Precision precision = Precision::f64;
  std::vector<double> lengths = {};
  std::vector<Index> in_extents = {}, out_extents = {};
};

inline Transform transform_of(const Case& c) {
  const TransformOptions options{.axes = c.axes,
                                 .precision = c.precision,
                                 .input_extents = c.in_extents,
                                 .output_extents = c.out_extents};
  return c.kind == Kind::c2c ? c2c(c.shape, options) : r2c(c.shape, options);
}

inline std::ostream& operator<<(std::ostream& to, const Case& c) {
  return to << (c.kind == Kind::c2c ? "c2c " : "r2c ")
            << (c.precision == Precision::f32 ? "f32 " : "f64 ")
            << ::testing::PrintToString(c.shape) << " axes " << ::testing::PrintToString(c.axes)
            << " from " << ::testing::PrintToString(c.in_extents) << " to "
            << ::testing::PrintToString(c.out_extents);
}

template <class T>
void expect_equal_to_cpu(const Case& c, const ModeFunction& function, bool in_place,
                         const std::string& recipe) {
  const Transform forward = transform_of(c);
  Fields<T> in;
  for (int f = 0; f < function.inputs(); ++f)
    in.push_back(random_values<T>(product(c.in_extents.empty() ? c.shape : c.in_extents),
                                  7 + static_cast<unsigned>(f)));
  const auto outputs = static_cast<std::size_t>(function.outputs());
  const auto wanted = on_cpu(forward, function, c.lengths, in, outputs);
  const cuda::SpectralOperator op(forward, function, {.recipe = recipe, .lengths = c.lengths});
  const auto got = on_gpu(op, in, outputs, in_place);
  EXPECT_LT(relative_error(got, wanted), bound(c.precision, product(c.shape)))
      << c << (in_place ? " in place\n" : "\n") << op.explain();
}

inline void expect_equal_to_cpu(const Case& c, const ModeFunction& function, bool in_place = false,
                                const std::string& recipe = "") {
  SCOPED_TRACE(::testing::Message() << c);
  if (c.kind == Kind::c2c && c.precision == Precision::f64)
    expect_equal_to_cpu<std::complex<double>>(c, function, in_place, recipe);
  else if (c.kind == Kind::c2c)
    expect_equal_to_cpu<std::complex<float>>(c, function, in_place, recipe);
  else if (c.precision == Precision::f64)
    expect_equal_to_cpu<double>(c, function, in_place, recipe);
  else
    expect_equal_to_cpu<float>(c, function, in_place, recipe);
}

/// Forward plan, loop, backward plan.
template <class T>
std::vector<T> separate_steps(const Transform& forward, const std::vector<T>& in,
                              const std::function<std::complex<double>(Index)>& multiplier) {
  using Real = std::conditional_t<ScalarTraits<T>::precision == Precision::f32, float, double>;
  Transform backward = inverse(forward);
  backward.normalization = Normalization::backward;
  const Plan there(forward), back(backward);
  std::vector<std::complex<Real>> spectrum(static_cast<std::size_t>(product(there.output_shape())));
  there.execute(in.data(), spectrum.data());
  for (std::size_t i = 0; i < spectrum.size(); ++i)
    spectrum[i] *= std::complex<Real>(multiplier(static_cast<Index>(i)));
  std::vector<T> out(in.size());
  back.execute(spectrum.data(), out.data());
  return out;
}

template <class T>
void expect_multiplied(const Case& c, const std::string& recipe = "") {
  SCOPED_TRACE(::testing::Message() << c);
  using Real = std::conditional_t<ScalarTraits<T>::precision == Precision::f32, float, double>;
  const Transform forward = transform_of(c);
  const auto in = random_values<T>(product(c.shape), 3);
  const cuda::SpectralOperator shapes(forward, laplacian());
  const std::vector<Index> spectrum = shapes.spectrum_shape();
  const auto m = random_values<std::complex<Real>>(product(spectrum), 5);
  const auto number = [&](Index i) { return std::complex<double>(m[static_cast<std::size_t>(i)]); };
  const Fields<T> plain{separate_steps<T>(forward, in, number)};
  const Fields<T> conjugate{
      separate_steps<T>(forward, in, [&](Index i) { return std::conj(number(i)); })};
  const double most = bound(c.precision, product(c.shape));
  const std::span<const std::complex<Real>> host(m);
  const DeviceArray<std::complex<Real>> device(m);
  const auto error = [&](const ModeFunction& function, const Fields<T>& wanted) {
    const cuda::SpectralOperator op(forward, function, {.recipe = recipe});
    return relative_error(on_gpu(op, Fields<T>{in}, 1, false), wanted);
  };
  EXPECT_LT(error(multiply(host, spectrum), plain), most);
  EXPECT_LT(error(multiply_conjugate(host, spectrum), conjugate), most);
  EXPECT_LT(error(cuda::multiply(device.data(), spectrum), plain), most);
  EXPECT_LT(error(cuda::multiply_conjugate(device.data(), spectrum), conjugate), most);
  std::vector<std::vector<std::complex<Real>>> lists;
  for (std::size_t d = 0; d < spectrum.size(); ++d)
    lists.push_back(d == 1 ? std::vector<std::complex<Real>>{}
                           : random_values<std::complex<Real>>(spectrum[d], 11));
  const Fields<T> separable{separate_steps<T>(forward, in, [&](Index i) {
    std::complex<double> factor = 1;
    for (std::size_t d = spectrum.size(); d-- > 0; i /= spectrum[d])
      if (!lists[d].empty())
        factor *= std::complex<double>(lists[d][static_cast<std::size_t>(i % spectrum[d])]);
    return factor;
  })};
  EXPECT_LT(error(multiply_separable(lists, spectrum), separable), most);
}

class GpuOperator : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("WEFT_NVRTC", WEFT_STAND_IN, 1);
    ::setenv("WEFT_CUDA_CACHE", "off", 1);
    ASSERT_TRUE(cuda::is_available());
  }
  void SetUp() override { wisdom::forget(); }
  void TearDown() override { wisdom::forget(); }
};

/// Depends on every wave number, differently in each direction; no derivative, so that it is the
/// same for real fields.
inline ModeFunction uneven(int axes) {
  std::string text = "(1 + 0.5*cos(kx)";
  if (axes > 1) text += " + 0.25*exp(-ky^2/40)*where(ky < 3, 1, 0.5)";
  if (axes > 2) text += " + kz^2/(20 + k2)";
  return expression(text + " + 0.1*dx) * u0");
}

}  // namespace weft::test
