// SPDX-License-Identifier: BSD-3-Clause
// One transform of 1000 points: a tone of frequency 50 shows up in bin 50 and nowhere else.
#include <cmath>
#include <complex>
#include <iostream>
#include <numbers>
#include <vector>
#include <weft/weft.hpp>

int main() {
  const weft::Index n = 1000;
  std::vector<std::complex<double>> signal(n), spectrum(n);
  for (weft::Index j = 0; j < n; ++j)
    signal[j] = std::polar(1.0, 2 * std::numbers::pi * 50 * double(j) / double(n));

  const weft::Plan plan(weft::c2c({n}));
  plan.execute(std::span(signal), std::span(spectrum));

  std::cout << "how it is done:\n" << plan.tree();
  std::cout << "bin 50: " << std::abs(spectrum[50]) << ", bin 51: " << std::abs(spectrum[51])
            << '\n';
  return std::abs(std::abs(spectrum[50]) - double(n)) < 1e-9 ? 0 : 1;
}
