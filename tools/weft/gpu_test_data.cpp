// SPDX-License-Identifier: BSD-3-Clause
#include "gpu_test_data.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "convert.hpp"

namespace weft::tool {

std::vector<double> random_reals(std::size_t count) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-1.0 / 16, 1.0 / 16);
  std::vector<double> values(count);
  for (double& x : values) x = uniform(generator);
  return values;
}

std::vector<char> narrowed(const std::vector<double>& values, Precision precision) {
  const std::size_t size = precision == Precision::f64 ? 8 : precision == Precision::f32 ? 4 : 2;
  std::vector<char> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float single = static_cast<float>(values[i]);
    const Half half = half_of(single);
    const void* from = size == 8   ? static_cast<const void*>(&values[i])
                       : size == 4 ? static_cast<const void*>(&single)
                                   : static_cast<const void*>(&half);
    std::memcpy(bytes.data() + i * size, from, size);
  }
  return bytes;
}
std::vector<double> widened(const std::vector<char>& bytes, Precision precision) {
  const std::size_t size = precision == Precision::f64 ? 8 : precision == Precision::f32 ? 4 : 2;
  std::vector<double> values(bytes.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (size == 8) {
      std::memcpy(&values[i], bytes.data() + i * size, size);
    } else if (size == 4) {
      float single = 0;
      std::memcpy(&single, bytes.data() + i * size, size);
      values[i] = single;
    } else {
      Half half{};
      std::memcpy(&half, bytes.data() + i * size, size);
      values[i] = float_of(half);
    }
  }
  return values;
}

double error_between(const std::vector<double>& got, const std::vector<double>& expected) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    difference += (got[i] - expected[i]) * (got[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
}

double allowed_error(Precision precision) {
  return precision == Precision::f16 ? 1e-3 : precision == Precision::f32 ? 1e-6 : 2e-15;
}

void transform_on_host(const Plan& plan, const std::vector<double>& in, std::vector<double>& out) {
  with_types(plan.transform(), [&]<class In, class Out>(In*, Out*) {
    if constexpr (ScalarTraits<In>::precision == Precision::f64)
      plan.execute(reinterpret_cast<const In*>(in.data()), reinterpret_cast<Out*>(out.data()));
  });
}

}  // namespace weft::tool
