// SPDX-License-Identifier: BSD-3-Clause
// A four-dimensional lattice on a three-dimensional grid of ranks, as in lattice field theory on
// machines with a torus network: each rank has whole lines along the time axis. The pencil strategy
// makes one axis after the other local.
#include <cmath>
#include <complex>
#include <iostream>
#include <mutex>
#include <numbers>
#include <vector>
#include <weft/weft.hpp>

int main() {
  using Complex = std::complex<double>;
  const std::vector<weft::Index> lattice{8, 6, 6, 12};  // x, y, z, t
  const weft::Grid grid{2, 2, 2, 1};
  const weft::Index momentum[] = {3, 1, 2, 5};
  int peaks = 0;
  double strays = 0;
  std::mutex mutex;
  weft::run_as_threads(8, [&](const weft::Comm& comm) {
    const weft::LocalBoxes boxes = weft::bricks(lattice, grid, comm.rank());
    weft::DistributedPlan plan(weft::c2c(lattice), boxes, boxes, comm,
                               {.strategy = weft::Strategy::pencil});
    const weft::Box& box = boxes[0].box;
    std::vector<Complex> wave(plan.input_count()), spectrum(plan.output_count());
    const auto for_each = [&](const auto& visit) {
      std::size_t at = 0;
      for (weft::Index x = box.begin[0]; x < box.end[0]; ++x)
        for (weft::Index y = box.begin[1]; y < box.end[1]; ++y)
          for (weft::Index z = box.begin[2]; z < box.end[2]; ++z)
            for (weft::Index t = box.begin[3]; t < box.end[3]; ++t) visit(at++, x, y, z, t);
    };
    for_each([&](std::size_t i, auto x, auto y, auto z, auto t) {
      const double turns = double(momentum[0] * x) / 8 + double(momentum[1] * y) / 6 +
                           double(momentum[2] * z) / 6 + double(momentum[3] * t) / 12;
      wave[i] = std::polar(1.0, 2 * std::numbers::pi * turns);
    });
    plan.execute(wave.data(), spectrum.data());

    const std::lock_guard lock(mutex);
    if (comm.rank() == 0) std::cout << plan.recipe() << '\n';
    for_each([&](std::size_t i, auto x, auto y, auto z, auto t) {
      if (x == momentum[0] && y == momentum[1] && z == momentum[2] && t == momentum[3])
        peaks += std::abs(spectrum[i] - 3456.0) < 1e-9;
      else
        strays = std::max(strays, std::abs(spectrum[i]));
    });
  });
  std::cout << "a plane wave has one peak; peaks found: " << peaks << ", all other values below "
            << strays << '\n';
  return peaks == 1 && strays < 1e-10 ? 0 : 1;
}
