// SPDX-License-Identifier: BSD-3-Clause
// Solves Poisson's equation in a periodic box, on one process and on ranks, and smooths a field
// with a function of our own. An operator is one plan: forward, a function at every mode, backward.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>
#include <weft/spectral_distributed.hpp>
#include <weft/spectral_functions.hpp>

int main() {
  const std::vector<weft::Index> shape{48, 40, 36};
  const std::vector<double> lengths{2.0, 1.0, 3.0};
  const auto wave = [&](std::size_t a) { return 2 * std::numbers::pi / lengths[a]; };
  // laplacian(u) = f with u = sin(x) cos(2 y) + sin(z), each in units of its box.
  std::vector<double> f, wanted;
  for (weft::Index x = 0; x < shape[0]; ++x)
    for (weft::Index y = 0; y < shape[1]; ++y)
      for (weft::Index z = 0; z < shape[2]; ++z) {
        const double tau = 2 * std::numbers::pi;
        const double xy = std::sin(tau * double(x) / 48) * std::cos(2 * tau * double(y) / 40);
        const double only_z = std::sin(tau * double(z) / 36);
        wanted.push_back(xy + only_z);
        f.push_back(-(wave(0) * wave(0) + 4 * wave(1) * wave(1)) * xy - wave(2) * wave(2) * only_z);
      }

  const weft::SpectralOperator solve(weft::r2c(shape), weft::spectral::inverse_laplacian(),
                                     {.threads = 2, .lengths = lengths});
  std::vector<double> u(f.size());
  solve.execute(f.data(), u.data());
  double error = 0;
  for (std::size_t i = 0; i < u.size(); ++i) error = std::max(error, std::abs(u[i] - wanted[i]));
  std::printf("%slargest error %.1e\n", solve.explain().c_str(), error);

  // The same on four ranks, each with a slab; with weft::mpi_comm() under mpiexec.
  weft::run_as_threads(4, [&](const weft::Comm& comm) {
    const weft::LocalBoxes slab = weft::slabs(shape, 0, comm.size(), comm.rank());
    weft::DistributedOperator on_ranks(weft::r2c(shape), weft::spectral::inverse_laplacian(), slab,
                                       slab, comm, {.plan = {}, .lengths = lengths});
    const weft::Index first = slab[0].box.begin[0] * shape[1] * shape[2];
    std::vector<double> mine(static_cast<std::size_t>(on_ranks.output_count()));
    on_ranks.execute(f.data() + first, mine.data());
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (std::abs(mine[i] - wanted[static_cast<std::size_t>(first) + i]) > 1e-12) std::abort();
  });

  // A function of our own: the lambda is inlined into the loop over the modes of a tile.
  const weft::SpectralOperator smooth(weft::r2c(shape),
                                      weft::at_every_mode([](const auto& k, auto values) {
                                        values[0] *= 1 / (1 + 0.001 * k.squared());
                                      }),
                                      {.lengths = lengths});
  smooth.execute(u.data(), u.data());  // in place
  return error < 1e-12 ? 0 : 1;
}
