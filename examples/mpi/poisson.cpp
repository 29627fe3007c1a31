// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation in a periodic box on MPI ranks: -laplace(u) = f is solved by dividing the
// spectrum by k^2. Real input in slabs along the first axis; weft chooses the layout of the
// spectrum.
#include <cmath>
#include <complex>
#include <iostream>
#include <numbers>
#include <vector>
#include <weft/mpi.hpp>
#include <weft/weft.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double worst = 0;
  {
    const weft::Index n = 48;
    const std::vector<weft::Index> shape{n, n, n};
    const auto comm = weft::mpi_comm(MPI_COMM_WORLD);
    const weft::LocalBoxes boxes = weft::slabs(shape, 0, comm->size(), comm->rank());
    weft::DistributedPlan forward(weft::r2c(shape), boxes, weft::any_order, *comm);
    weft::DistributedPlan backward(
        weft::c2r(shape, {.normalization = weft::Normalization::backward}), forward.output_boxes(),
        boxes, *comm);

    const double step = 2 * std::numbers::pi / double(n);
    const auto exact = [&](weft::Index x, weft::Index y, weft::Index z) {
      return std::sin(step * double(x)) * std::cos(2 * step * double(y)) *
             std::sin(3 * step * double(z));
    };
    std::vector<double> u(forward.input_count());
    const auto for_each = [&](const auto& visit) {
      std::size_t at = 0;
      for (const weft::LocalBox& local : boxes)
        for (weft::Index x = local.box.begin[0]; x < local.box.end[0]; ++x)
          for (weft::Index y = 0; y < n; ++y)
            for (weft::Index z = 0; z < n; ++z) visit(at++, x, y, z);
    };
    for_each([&](std::size_t i, auto x, auto y, auto z) { u[i] = 14 * exact(x, y, z); });

    std::vector<std::complex<double>> spectrum(forward.output_count());
    forward.execute(u.data(), spectrum.data());
    const auto wave = [&](weft::Index i) { return double(i <= n / 2 ? i : i - n); };
    std::size_t at = 0;
    for (const weft::LocalBox& local : forward.output_boxes()) {
      const weft::Box& b = local.box;
      for (weft::Index x = b.begin[0]; x < b.end[0]; ++x)
        for (weft::Index y = b.begin[1]; y < b.end[1]; ++y)
          for (weft::Index z = b.begin[2]; z < b.end[2]; ++z) {
            const double square = wave(x) * wave(x) + wave(y) * wave(y) + double(z) * double(z);
            spectrum[at++] *= square == 0 ? 0 : 1 / square;
          }
    }
    backward.execute(spectrum.data(), u.data());
    double mine = 0;
    for_each([&](std::size_t i, auto x, auto y, auto z) {
      mine = std::max(mine, std::abs(u[i] - exact(x, y, z)));
    });
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (comm->rank() == 0)
      std::cout << comm->size() << " ranks, " << forward.recipe() << "\nlargest error " << worst
                << '\n';
  }
  MPI_Finalize();
  return worst < 1e-12 ? 0 : 1;
}
