// SPDX-License-Identifier: BSD-3-Clause
// A transform over many ranks, forward and backward. The ranks are threads here. With MPI only the
// line that makes the communicator differs (see examples/mpi/poisson.cpp).
#include <complex>
#include <iostream>
#include <mutex>
#include <vector>
#include <weft/weft.hpp>

int main() {
  const std::vector<weft::Index> shape{60, 50, 40};
  double worst = 0;
  std::mutex mutex;
  weft::run_as_threads(6, [&](const weft::Comm& comm) {
    // This rank's part of the array: its brick of a 2 x 3 grid over the first two axes.
    const weft::LocalBoxes boxes = weft::bricks(shape, {2, 3, 1}, comm.rank());

    // any_order: the spectrum stays in the layout of the last stage. This saves one exchange in
    // each direction.
    weft::DistributedPlan forward(weft::c2c(shape), boxes, weft::any_order, comm);
    weft::DistributedPlan backward(
        weft::c2c(shape, {.direction = weft::Direction::backward,
                          .normalization = weft::Normalization::backward}),
        forward.output_boxes(), boxes, comm);

    std::vector<std::complex<double>> field(forward.input_count()), again(field.size());
    std::vector<std::complex<double>> spectrum(forward.output_count());
    for (std::size_t i = 0; i < field.size(); ++i) field[i] = {double(i % 7), double(comm.rank())};
    forward.execute(field.data(), spectrum.data());
    backward.execute(spectrum.data(), again.data());

    const std::lock_guard lock(mutex);
    if (comm.rank() == 0)
      std::cout << "there: " << forward.recipe() << '\n' << "back:  " << backward.recipe() << '\n';
    for (std::size_t i = 0; i < field.size(); ++i)
      worst = std::max(worst, std::abs(field[i] - again[i]));
  });
  std::cout << "largest error after the round trip: " << worst << '\n';
  return worst < 1e-12 ? 0 : 1;
}
