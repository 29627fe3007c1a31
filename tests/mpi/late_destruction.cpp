// SPDX-License-Identifier: BSD-3-Clause
// Plans that are still executing and are destroyed after MPI_Finalize. This is not allowed, but
// must not abort.
#include <mpi.h>

#include <optional>

#include "weft/distributed.hpp"
#include "weft/mpi.hpp"

int main(int argc, char** argv) {
  using namespace weft;
  MPI_Init(&argc, &argv);
  {
    const auto comm = mpi_comm(MPI_COMM_WORLD);
    const std::vector<Index> shape{12, 10, 8};
    const LocalBoxes boxes = slabs(shape, 0, comm->size(), comm->rank());
    std::vector<DistributedPlan> plans;
    std::vector<std::vector<std::complex<double>>> arrays;
    for (int exchange = 1; exchange <= 6; ++exchange) {
      plans.emplace_back(c2c(shape), boxes, boxes, *comm,
                         DistributedOptions{.exchange = static_cast<ExchangeAlgorithm>(exchange),
                                            .strategy = Strategy::pencil});
      for (int i = 0; i < 2; ++i)
        arrays.emplace_back(static_cast<std::size_t>(plans.back().input_count()));
    }
    // Their first exchange arrives, so that MPI_Finalize waits for nothing; the rest never begins.
    for (std::size_t i = 0; i < plans.size(); ++i)
      plans[i].start(arrays[2 * i].data(), arrays[2 * i + 1].data());
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }
  return 0;
}
