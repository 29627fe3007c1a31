// SPDX-License-Identifier: BSD-3-Clause
// The functions of FFTW's MPI interface in their most general form each; interface.cpp has all
// names.
#pragma once

#include <cstddef>

#include "dropins/fftw/mpi/mpi_plan.hpp"

namespace weft::fftw {

/// Lengths of an array, howmany numbers per point, and the two block sizes: that of dimension 0,
/// and that of dimension 1 of transposed data.
struct Lengths {
  int rank;
  const std::ptrdiff_t* n;
  Index howmany = 1, block0 = 0, block1 = 0;
};
/// Where the parts of this rank are written to; pointers may be null.
struct LocalPart {
  std::ptrdiff_t *count = nullptr, *start = nullptr;
};

/// The elements to allocate on this rank, 0 if the lengths make no sense.
std::ptrdiff_t local_size(const Lengths& lengths, MPI_Comm comm, const LocalPart& rows,
                          const LocalPart& columns) noexcept;
/// One dimension: input and output are distributed alike.
std::ptrdiff_t local_size_1d(std::ptrdiff_t n, std::ptrdiff_t howmany, MPI_Comm comm,
                             const LocalPart& input, const LocalPart& output) noexcept;

PlanHandle plan_transpose(const Lengths& lengths, void* in, void* out, MPI_Comm comm,
                          unsigned flags) noexcept;
PlanHandle plan_c2c(const Lengths& lengths, void* in, void* out, MPI_Comm comm, int sign,
                    unsigned flags) noexcept;
PlanHandle plan_halved(Kind kind, const Lengths& lengths, void* in, void* out, MPI_Comm comm,
                       unsigned flags) noexcept;
PlanHandle plan_r2r(const Lengths& lengths, void* in, void* out, MPI_Comm comm,
                    const R2rKind* kinds, unsigned flags) noexcept;

/// Every rank's wisdom to rank 0; that of rank 0 to all.
void gather_wisdom(MPI_Comm comm) noexcept;
void broadcast_wisdom(MPI_Comm comm) noexcept;

}  // namespace weft::fftw
