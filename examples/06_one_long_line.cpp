// SPDX-License-Identifier: BSD-3-Clause
// A low-pass filter of one long signal that is distributed over all ranks. The spectrum stays in
// split order, which saves an exchange in each direction; split() says which frequency each element
// is.
#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>
#include <mutex>
#include <numbers>
#include <vector>
#include <weft/weft.hpp>

int main() {
  const weft::Index n = 1'000'000;
  const weft::Index kept = 1200, removed = 90'000;
  double worst = 0;
  std::mutex mutex;
  weft::run_as_threads(4, [&](const weft::Comm& comm) {
    const weft::Index shape[] = {n};
    const weft::LocalBoxes boxes = weft::slabs(shape, 0, comm.size(), comm.rank());
    weft::DistributedPlan forward(weft::r2c({n}), boxes, weft::any_order, comm,
                                  {.strategy = weft::Strategy::line});
    const weft::LineSplit split = forward.split().value();
    weft::DistributedPlan backward(weft::c2r({n}, {.normalization = weft::Normalization::backward}),
                                   forward.output_boxes(), boxes, comm, {.split = split});

    const auto wave = [&](weft::Index frequency, weft::Index i) {
      return std::cos(2 * std::numbers::pi * double(frequency * i % n) / double(n));
    };
    const weft::Index first = boxes[0].box.begin[0];
    std::vector<double> signal(forward.input_count()), filtered(signal.size());
    for (std::size_t i = 0; i < signal.size(); ++i)
      signal[i] = wave(kept, first + weft::Index(i)) + wave(removed, first + weft::Index(i));
    std::vector<std::complex<double>> spectrum(forward.output_count());
    forward.execute(signal.data(), spectrum.data());

    // Element (p, q) has frequency k = p + rows q. Frequencies above n/2 are the negative ones, k -
    // n.
    auto value = spectrum.begin();
    for (const weft::LocalBox& local : forward.output_boxes())
      for (weft::Index p = local.box.begin[0]; p < local.box.end[0]; ++p)
        for (weft::Index q = local.box.begin[1]; q < local.box.end[1]; ++q, ++value) {
          const weft::Index k = p + split.rows * q;
          if (std::min(k, n - k) > 10'000) *value = 0;
        }
    backward.execute(spectrum.data(), filtered.data());

    const std::lock_guard lock(mutex);
    if (comm.rank() == 0)
      std::cout << "there: " << forward.recipe() << '\n' << "back:  " << backward.recipe() << '\n';
    for (std::size_t i = 0; i < signal.size(); ++i)
      worst = std::max(worst, std::abs(filtered[i] - wave(kept, first + weft::Index(i))));
  });
  std::cout << "largest error of the filtered signal: " << worst << '\n';
  return worst < 1e-11 ? 0 : 1;
}
