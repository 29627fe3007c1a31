// SPDX-License-Identifier: BSD-3-Clause
#include "field.hpp"

#include <cmath>
#include <mutex>
#include <numbers>

#include "weft/executor.hpp"
#include "weft/plan.hpp"

namespace weft::tool {
namespace {

using Double = std::complex<double>;

/// Calls work(begin, end) for a share of [0, count) on each thread.
template <class Work>
void in_shares(std::int64_t count, int threads, const Work& work) {
  const auto executor = threads > 1 ? thread_executor(threads) : serial_executor();
  executor->run(std::max(1, threads), [&](int task) {
    work(count * task / std::max(1, threads), count * (task + 1) / std::max(1, threads));
  });
}

struct Sums {
  double difference = 0, norm = 0;
  void add(Double got, Double expected) {
    difference += std::norm(got - expected);
    norm += std::norm(expected);
  }
};

FieldError error_of(const Sums& sums, std::int64_t compared, std::string against) {
  return {std::sqrt(sums.difference / std::max(sums.norm, 1e-300)), compared, std::move(against)};
}

FieldError compare_all(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                       std::span<const std::complex<float>> data, int threads) {
  const auto [nx, ny, nz] = plan.shape;
  std::vector<Double> values(data.size());
  in_shares(nx, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t x = begin; x < end; ++x)
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t z = 0; z < nz; ++z)
          values[static_cast<std::size_t>((x * ny + y) * nz + z)] = field_value(x, y, z);
  });
  const Plan reference(c2c({nx, ny, nz}), PlanOptions{.threads = threads});
  reference.execute(values.data(), values.data());
  Sums total;
  std::mutex mutex;
  in_shares(nx, threads, [&](std::int64_t begin, std::int64_t end) {
    Sums mine;
    for (std::int64_t x = begin; x < end; ++x)
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t z = 0; z < nz; ++z)
          mine.add(data[static_cast<std::size_t>(fabric::spectral_position(plan, layout, x, y, z))],
                   values[static_cast<std::size_t>((x * ny + y) * nz + z)]);
    const std::scoped_lock lock(mutex);
    total.difference += mine.difference;
    total.norm += mine.norm;
  });
  return error_of(total, nx * ny * nz, "weft::Plan, f64, all numbers");
}

/// One plane of constant kz: the sum over z by its definition, then a 2-D plan.
void add_plane(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
               std::span<const std::complex<float>> data, int threads, std::int64_t kz,
               Sums& sums) {
  const auto [nx, ny, nz] = plan.shape;
  std::vector<Double> roots(static_cast<std::size_t>(nz));
  for (std::int64_t z = 0; z < nz; ++z)
    roots[static_cast<std::size_t>(z)] = std::polar(
        1.0, -2 * std::numbers::pi * static_cast<double>(kz * z % nz) / static_cast<double>(nz));
  std::vector<Double> values(static_cast<std::size_t>(nx * ny));
  in_shares(nx, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t x = begin; x < end; ++x)
      for (std::int64_t y = 0; y < ny; ++y) {
        Double sum = 0;
        for (std::int64_t z = 0; z < nz; ++z)
          sum += Double(field_value(x, y, z)) * roots[static_cast<std::size_t>(z)];
        values[static_cast<std::size_t>(x * ny + y)] = sum;
      }
  });
  const Plan reference(c2c({nx, ny}), PlanOptions{.threads = threads});
  reference.execute(values.data(), values.data());
  for (std::int64_t x = 0; x < nx; ++x)
    for (std::int64_t y = 0; y < ny; ++y)
      sums.add(data[static_cast<std::size_t>(fabric::spectral_position(plan, layout, x, y, kz))],
               values[static_cast<std::size_t>(x * ny + y)]);
}

}  // namespace

std::complex<float> field_value(std::int64_t x, std::int64_t y, std::int64_t z) {
  auto mixed = static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15U ^
               static_cast<std::uint64_t>(y) * 0xc2b2ae3d27d4eb4fU ^
               static_cast<std::uint64_t>(z) * 0x165667b19e3779f9U;
  mixed = (mixed ^ (mixed >> 29U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 32U)) * 0x94d049bb133111ebU;
  mixed ^= mixed >> 31U;
  const auto part = [](std::uint64_t bits) {  // ten bits: exact in a half
    return (static_cast<float>(bits & 1023U) - 511.5F) / 1024.0F;
  };
  return {fabric::round_to_half(part(mixed)), fabric::round_to_half(part(mixed >> 20U))};
}

void fill_field(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                std::span<std::complex<float>> data, int threads) {
  const auto [nx, ny, nz] = plan.shape;
  in_shares(ny, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y)
      for (std::int64_t x = 0; x < nx; ++x)
        for (std::int64_t z = 0; z < nz; ++z)
          data[static_cast<std::size_t>(fabric::spatial_position(plan, layout, x, y, z))] =
              field_value(x, y, z);
  });
}

FieldError compare_spectrum(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                            std::span<const std::complex<float>> data, int threads,
                            const fabric::OnProgress& on_progress) {
  const auto [nx, ny, nz] = plan.shape;
  const std::string phase = "comparing with weft::Plan";
  if (on_progress) on_progress(phase, 0);
  if (nx * ny * nz <= std::int64_t{1} << 27) return compare_all(plan, layout, data, threads);
  constexpr std::int64_t planes = 4;
  Sums sums;
  for (std::int64_t k = 0; k < planes; ++k) {
    add_plane(plan, layout, data, threads, (k * nz / planes + 7 * k) % nz, sums);
    if (on_progress) on_progress(phase, static_cast<double>(k + 1) / planes);
  }
  return error_of(sums, planes * nx * ny, "weft::Plan, f64, four planes of constant kz");
}

FieldError compare_field(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                         std::span<const std::complex<float>> data, int threads) {
  const auto [nx, ny, nz] = plan.shape;
  Sums total;
  std::mutex mutex;
  in_shares(ny, threads, [&](std::int64_t begin, std::int64_t end) {
    Sums mine;
    for (std::int64_t y = begin; y < end; ++y)
      for (std::int64_t x = 0; x < nx; ++x)
        for (std::int64_t z = 0; z < nz; ++z)
          mine.add(data[static_cast<std::size_t>(fabric::spatial_position(plan, layout, x, y, z))],
                   field_value(x, y, z));
    const std::scoped_lock lock(mutex);
    total.difference += mine.difference;
    total.norm += mine.norm;
  });
  return error_of(total, nx * ny * nz, "the field itself");
}

double allowed_error(const fabric::WaferPlan& plan) {
  const double points = static_cast<double>(plan.shape[0] * plan.shape[1] * plan.shape[2]);
  const double unit =
      plan.precision == Precision::f16 ? std::ldexp(1.0, -11) : std::ldexp(1.0, -24);
  return 2 * unit * std::log2(points + 2);
}

}  // namespace weft::tool
