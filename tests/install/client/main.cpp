// SPDX-License-Identifier: BSD-3-Clause
// A user's program: a cosine of three periods has exactly two non-zero coefficients.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <span>
#include <vector>
#include <weft/weft.hpp>

int main() {
  constexpr int n = 60;
  std::vector<std::complex<double>> wave(n), spectrum(n);
  for (int i = 0; i < n; ++i) wave[i] = std::cos(2 * std::numbers::pi * 3 * i / n);

  const weft::Plan plan(weft::c2c({n}), {.threads = 2});
  plan.execute(std::span(wave), std::span(spectrum));

  double error = 0;
  for (int k = 0; k < n; ++k) {
    const double expected = k == 3 || k == n - 3 ? n / 2.0 : 0.0;
    error = std::fmax(error, std::abs(spectrum[k] - expected));
  }
  std::printf("largest error %.1e\n", error);
  return error < 1e-12 ? 0 : 1;
}
