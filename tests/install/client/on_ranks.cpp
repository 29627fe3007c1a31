// SPDX-License-Identifier: BSD-3-Clause
// A user's program on many ranks: a plane wave has exactly one non-zero coefficient.
#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <vector>
#include <weft/distributed.hpp>
#include <weft/mpi.hpp>

namespace {

/// The largest distance of this rank's part of the spectrum from what it should be.
double error_of_plane_wave(const weft::Comm& comm) {
  constexpr weft::Index n = 12, frequency = 5;  // along the first axis
  const std::vector<weft::Index> shape{n, n, n};
  const auto rows = weft::slabs(shape, 0, comm.size(), comm.rank());
  const auto columns = weft::slabs(shape, 1, comm.size(), comm.rank());
  weft::DistributedPlan plan(weft::c2c(shape), rows, columns, comm);

  std::vector<std::complex<double>> wave(plan.input_count()), spectrum(plan.output_count());
  const weft::Index first_row = rows[0].box.begin[0];
  for (weft::Index i = 0; i < plan.input_count(); ++i) {
    const double row = static_cast<double>(first_row + i / (n * n));
    wave[i] = std::polar(1.0, 2 * std::numbers::pi * frequency * row / n);
  }
  plan.execute(wave.data(), spectrum.data());

  const weft::Index own_columns = columns[0].box.end[1] - columns[0].box.begin[1];
  const bool holds_the_peak = columns[0].box.begin[1] == 0;
  double error = 0;
  for (weft::Index i = 0; i < plan.output_count(); ++i) {
    const bool is_peak = holds_the_peak && i == frequency * own_columns * n;
    error = std::fmax(error, std::abs(spectrum[i] - (is_peak ? 1.0 * n * n * n : 0.0)));
  }
  return error;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double mine = 0, largest = 0;
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mine = error_of_plane_wave(*weft::mpi_comm(MPI_COMM_WORLD));
  MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("largest error of %d ranks %.1e\n", size, largest);
  MPI_Finalize();
  return largest < 1e-10 ? 0 : 1;
}
