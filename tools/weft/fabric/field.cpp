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

/// Where (x, y, z) is in the array that weft's plan transforms, and (kx, ky, kz) in its result: the
/// array itself, or one line (WaferPlan::one_line).
std::size_t place_before(const fabric::WaferPlan& plan, std::int64_t x, std::int64_t y,
                         std::int64_t z) {
  const auto [nx, ny, nz] = plan.shape;
  if (!plan.one_line) return static_cast<std::size_t>((x * ny + y) * nz + z);
  return static_cast<std::size_t>(plan.dimensions == 2 ? y * nx + x : (z * nx + x) * ny + y);
}
std::size_t place_after(const fabric::WaferPlan& plan, std::int64_t kx, std::int64_t ky,
                        std::int64_t kz) {
  const auto [nx, ny, nz] = plan.shape;
  if (!plan.one_line) return static_cast<std::size_t>((kx * ny + ky) * nz + kz);
  return static_cast<std::size_t>(plan.dimensions == 2 ? ky + ny * kx : kz + nz * (kx + nx * ky));
}

FieldError compare_all(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                       std::span<const std::complex<float>> data, int threads) {
  const auto [nx, ny, nz] = plan.shape;
  std::vector<Double> values(data.size());
  in_shares(nx, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t x = begin; x < end; ++x)
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t z = 0; z < nz; ++z)
          values[place_before(plan, x, y, z)] = field_value(x, y, z);
  });
  const Plan reference(plan.one_line ? c2c({nx * ny * nz}) : c2c({nx, ny, nz}),
                       PlanOptions{.threads = threads});
  reference.execute(values.data(), values.data());
  Sums total;
  std::mutex mutex;
  in_shares(nx, threads, [&](std::int64_t begin, std::int64_t end) {
    Sums mine;
    for (std::int64_t x = begin; x < end; ++x)
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t z = 0; z < nz; ++z)
          mine.add(data[static_cast<std::size_t>(fabric::spectral_position(plan, layout, x, y, z))],
                   values[place_after(plan, x, y, z)]);
    const std::scoped_lock lock(mutex);
    total.difference += mine.difference;
    total.norm += mine.norm;
  });
  return error_of(total, nx * ny * nz, "weft::Plan, f64, all numbers");
}

constexpr std::size_t plane_count = 4;
using PerPlane = std::array<double, plane_count>;

/// A few planes of constant kz, [plane][x][y]: sums over z by their definition.
std::array<std::vector<Double>, plane_count> planes_of_sums(
    const std::array<std::int64_t, 3>& shape, const std::array<std::int64_t, plane_count>& kz,
    int threads) {
  const auto [nx, ny, nz] = shape;
  std::vector<PerPlane> cosines(static_cast<std::size_t>(nz)), sines(cosines.size());
  for (std::int64_t z = 0; z < nz; ++z)
    for (std::size_t p = 0; p < plane_count; ++p) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(kz[p] * z % nz) / static_cast<double>(nz);
      cosines[static_cast<std::size_t>(z)][p] = std::cos(angle);
      sines[static_cast<std::size_t>(z)][p] = std::sin(angle);
    }
  std::array<std::vector<Double>, plane_count> planes;
  for (std::vector<Double>& plane : planes) plane.resize(static_cast<std::size_t>(nx * ny));
  in_shares(nx * ny, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line) {
      PerPlane real{}, imag{};
      for (std::int64_t z = 0; z < nz; ++z) {
        const Double value = field_value(line / ny, line % ny, z);
        const PerPlane& c = cosines[static_cast<std::size_t>(z)];
        const PerPlane& s = sines[static_cast<std::size_t>(z)];
        for (std::size_t p = 0; p < plane_count; ++p) {  // value * (c - i s)
          real[p] += value.real() * c[p] + value.imag() * s[p];
          imag[p] += value.imag() * c[p] - value.real() * s[p];
        }
      }
      for (std::size_t p = 0; p < plane_count; ++p)
        planes[p][static_cast<std::size_t>(line)] = {real[p], imag[p]};
    }
  });
  return planes;
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
  return {part(mixed), part(mixed >> 20U)};
}

void fill_field(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                std::span<std::complex<float>> data, int threads) {
  const auto [nx, ny, nz] = plan.shape;
  in_shares(ny, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        std::complex<float>* pencil = data.data() + fabric::spatial_position(plan, layout, x, y, 0);
        for (std::int64_t z = 0; z < nz; ++z) pencil[z] = field_value(x, y, z);
      }
  });
}

FieldError compare_spectrum(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                            std::span<const std::complex<float>> data, int threads,
                            const fabric::OnProgress& on_progress) {
  const auto [nx, ny, nz] = plan.shape;
  const std::string phase = "comparing with weft::Plan";
  if (on_progress) on_progress(phase, 0);
  if (plan.one_line || nx * ny * nz <= std::int64_t{1} << 27)
    return compare_all(plan, layout, data, threads);
  std::array<std::int64_t, plane_count> kz{};
  for (std::size_t p = 0; p < plane_count; ++p) {
    const auto k = static_cast<std::int64_t>(p);
    kz[p] = (k * nz / static_cast<std::int64_t>(plane_count) + 7 * k) % nz;
  }
  auto planes = planes_of_sums(plan.shape, kz, threads);
  const Plan reference(c2c({nx, ny}), PlanOptions{.threads = threads});
  Sums sums;
  for (std::size_t p = 0; p < plane_count; ++p) {
    std::vector<Double>& plane = planes[p];
    reference.execute(plane.data(), plane.data());
    for (std::int64_t x = 0; x < nx; ++x)
      for (std::int64_t y = 0; y < ny; ++y)
        sums.add(
            data[static_cast<std::size_t>(fabric::spectral_position(plan, layout, x, y, kz[p]))],
            plane[static_cast<std::size_t>(x * ny + y)]);
    if (on_progress) on_progress(phase, static_cast<double>(p + 1) / plane_count);
  }
  return error_of(sums, static_cast<std::int64_t>(plane_count) * nx * ny,
                  "weft::Plan, f64, four planes of constant kz");
}

FieldError compare_field(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                         std::span<const std::complex<float>> data, int threads) {
  const auto [nx, ny, nz] = plan.shape;
  Sums total;
  std::mutex mutex;
  in_shares(ny, threads, [&](std::int64_t begin, std::int64_t end) {
    Sums mine;
    for (std::int64_t y = begin; y < end; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        const auto pencil = data.begin() + fabric::spatial_position(plan, layout, x, y, 0);
        for (std::int64_t z = 0; z < nz; ++z) mine.add(pencil[z], field_value(x, y, z));
      }
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
