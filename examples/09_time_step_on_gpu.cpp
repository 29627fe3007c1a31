// SPDX-License-Identifier: BSD-3-Clause
// A field that changes in time on a GPU: two liquids part (Cahn and Hilliard),
//
//   du/dt = laplacian(u^3 - u - e^2 laplacian u).
//
// The field and its spectrum stay in device memory, functions of both are texts that are compiled
// for the device, and only sums come back. Nothing of CUDA is needed to build this.
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>
#include <weft/cuda_fields.hpp>

int main() {
  using namespace weft;
  if (!cuda::is_available()) {
    std::printf("no GPU: nothing to show\n");
    return 0;
  }
  constexpr Index n = 64, points = n * n, modes = n * (n / 2 + 1);
  const Transform forward = r2c({n, n}), backward = c2r({n, n});
  const cuda::Plan to_modes(forward), to_points(backward);
  cuda::Workspace workspace(std::max(to_modes.workspace_bytes(), to_points.workspace_bytes()));

  // The cubic term at the points; a step at the modes, with what is stiff on the left side.
  const cuda::FieldFunction cube(forward, cuda::Side::points, "u0^3 - u0");
  const cuda::FieldFunction step(
      forward, cuda::Side::modes,
      "(u0 - p0*k2*u1) / (1 + p0*p1*k2^2); p2*(u0 - p0*k2*u1) / (1 + p0*p1*k2^2)");
  const cuda::FieldReduction sums(forward, cuda::Side::points, "u0; (1 - u0^2)^2/4",
                                  cuda::Reduction::sum);
  cuda::Workspace for_sums = sums.make_workspace();

  std::mt19937 generator(1);
  std::uniform_real_distribution<double> noise(-0.1, 0.1);
  std::vector<double> start(points);
  for (double& u : start) u = noise(generator);
  cuda::Array<double> field(points), product(points);
  cuda::Array<std::complex<double>> state(modes), rate(modes), scaled(modes);
  field.upload(start);
  to_modes.execute(std::as_const(field).data(), state.data(), workspace, {});

  const double time_step = 0.02, width = 0.1;
  std::array<double, 2> before{}, after{};  // what is conserved, and an energy
  const double* const fields[] = {field.data()};
  sums.execute<double>(fields, before, {}, for_sums, {});
  for (int i = 0; i < 200; ++i) {
    double* const products[] = {product.data()};
    cube.execute<double>(fields, products, {}, {});
    to_modes.execute(std::as_const(product).data(), rate.data(), workspace, {});
    const std::complex<double>* const in[] = {state.data(), rate.data()};
    std::complex<double>* const out[] = {state.data(), scaled.data()};
    step.execute<std::complex<double>>(in, out, std::array{time_step, width * width, 1.0 / points},
                                       {});
    to_points.execute(std::as_const(scaled).data(), field.data(), workspace, {});
  }
  sums.execute<double>(fields, after, {}, for_sums, {});
  std::printf("sum of u %.12f, then %.12f; mixed %.3f, then %.3f\n", before[0], after[0],
              before[1] / points, after[1] / points);
  return std::abs(after[0] - before[0]) < 1e-9 && after[1] < 0.4 * before[1] ? 0 : 1;
}
