// SPDX-License-Identifier: BSD-3-Clause
// A derivative by Fourier transforms: real 3-D field -> half spectrum -> multiply by i kx -> back
// to a real field. Single precision, all cores, out of place.
#include <cmath>
#include <complex>
#include <iostream>
#include <numbers>
#include <vector>
#include <weft/weft.hpp>

int main() {
  const weft::Index nx = 48, ny = 30, nz = 32, half = nz / 2 + 1;
  const double step = 2 * std::numbers::pi / double(nx);
  std::vector<float> field(nx * ny * nz), derivative(field.size());
  for (weft::Index i = 0; i < nx * ny * nz; ++i)
    field[i] = float(std::sin(3 * step * double(i / (ny * nz))));
  std::vector<std::complex<float>> spectrum(nx * ny * half);

  using enum weft::Precision;
  const weft::PlanOptions threads{.threads = 0};
  const weft::Plan forward(weft::r2c({nx, ny, nz}, {.precision = f32}), threads);
  const weft::Plan backward(
      weft::c2r({nx, ny, nz}, {.normalization = weft::Normalization::backward, .precision = f32}),
      threads);

  forward.execute(std::span(field), std::span(spectrum));
  for (weft::Index i = 0; i < nx; ++i) {
    const weft::Index k = i <= nx / 2 ? i : i - nx;
    for (weft::Index j = 0; j < ny * half; ++j)
      spectrum[i * ny * half + j] *= std::complex<float>(0, float(2 * i == nx ? 0 : k));
  }
  backward.execute(std::span(spectrum), std::span(derivative));

  double worst = 0;
  for (weft::Index i = 0; i < nx * ny * nz; ++i)
    worst =
        std::max(worst, std::abs(derivative[i] - 3 * std::cos(3 * step * double(i / (ny * nz)))));
  std::cout << "d/dx sin 3x = 3 cos 3x, largest error " << worst << '\n';
  return worst < 1e-4 ? 0 : 1;
}
