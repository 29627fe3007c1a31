// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/mpi/requests.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <span>

#include "dropins/fftw/dimensions.hpp"
#include "fftw3-mpi.h"

namespace weft::fftw {
namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int ranks_of(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

Part part_on(MPI_Comm comm, Index n, Index block) {
  return part_of(n, block_or_default(n, block, ranks_of(comm)), rank_in(comm));
}
void tell(const LocalPart& where, const Part& part) {
  if (where.count != nullptr) *where.count = part.count;
  if (where.start != nullptr) *where.start = part.start;
}

bool has_lengths(const Lengths& lengths) {
  return lengths.rank >= 1 && lengths.n != nullptr &&
         std::all_of(lengths.n, lengths.n + lengths.rank, [](auto n) { return n >= 1; });
}

std::vector<Index> shape_of(const Lengths& lengths) {
  return {lengths.n, lengths.n + lengths.rank};
}

SlabSide side_of(const Lengths& lengths, std::vector<Index> shape, bool transposed) {
  return {.shape = std::move(shape),
          .transposed = transposed,
          .block = transposed ? lengths.block1 : lengths.block0,
          .row = 0,
          .howmany = lengths.howmany,
          .locally_transposed = false};
}

/// A transform of all dimensions; one-dimensional arrays are never transposed.
PlanHandle plan(MpiProblem problem, const Lengths& lengths, unsigned flags) noexcept {
  try {
    if (!has_lengths(lengths)) return nullptr;
    const bool can_transpose = lengths.rank >= 2;
    const bool in = can_transpose && (flags & FFTW_MPI_TRANSPOSED_IN) != 0;
    const bool out = can_transpose && (flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
    problem.shape = shape_of(lengths);
    problem.howmany = lengths.howmany;
    problem.input = side_of(lengths, problem.shape, in);
    problem.output = side_of(lengths, problem.shape, out);
    if (problem.kind == Kind::r2c || problem.kind == Kind::c2r) {
      const Index half = problem.shape.back() / 2 + 1;
      const bool forward = problem.kind == Kind::r2c;
      (forward ? problem.output : problem.input).shape.back() = half;
      (forward ? problem.input : problem.output).row = 2 * half;
    }
    return make_mpi_plan(problem, flags);
  } catch (...) {
    return nullptr;
  }
}

}  // namespace

std::ptrdiff_t local_size(const Lengths& lengths, MPI_Comm comm, const LocalPart& rows,
                          const LocalPart& columns) noexcept {
  if (!has_lengths(lengths)) return 0;
  const Index n0 = lengths.n[0], n1 = lengths.rank > 1 ? lengths.n[1] : 1;
  const Part here0 = part_on(comm, n0, lengths.block0), here1 = part_on(comm, n1, lengths.block1);
  tell(rows, here0);
  tell(columns, here1);
  Index rest = lengths.howmany;
  for (int d = 2; d < lengths.rank; ++d) rest *= lengths.n[d];
  const Index untransposed = here0.count * n1;
  const Index transposed = lengths.rank > 1 ? here1.count * n0 : 0;
  return std::max<Index>(1, std::max(untransposed, transposed) * rest);
}

std::ptrdiff_t local_size_1d(std::ptrdiff_t n, std::ptrdiff_t howmany, MPI_Comm comm,
                             const LocalPart& input, const LocalPart& output) noexcept {
  if (n < 1) return 0;
  const Part here = part_on(comm, n, 0);
  tell(input, here);
  tell(output, here);
  return std::max<Index>(1, here.count * howmany);
}

PlanHandle plan_c2c(const Lengths& lengths, void* in, void* out, MPI_Comm comm, int sign,
                    unsigned flags) noexcept {
  const auto direction = direction_of(sign);
  if (!direction) return nullptr;
  return plan({.kind = Kind::c2c, .direction = *direction, .in = in, .out = out, .comm = comm},
              lengths, flags);
}
PlanHandle plan_halved(Kind kind, const Lengths& lengths, void* in, void* out, MPI_Comm comm,
                       unsigned flags) noexcept {
  return plan({.kind = kind, .in = in, .out = out, .comm = comm}, lengths, flags);
}
PlanHandle plan_r2r(const Lengths& lengths, void* in, void* out, MPI_Comm comm,
                    const R2rKind* kinds, unsigned flags) noexcept {
  try {
    const auto r2r = kinds_of(lengths.rank, kinds);
    if (!r2r) return nullptr;
    return plan({.kind = Kind::r2r, .r2r = *r2r, .in = in, .out = out, .comm = comm}, lengths,
                flags);
  } catch (...) {
    return nullptr;
  }
}

/// A matrix of howmany-tuples of reals. Here the flags say how a rank stores its part: by columns
/// instead of rows.
PlanHandle plan_transpose(const Lengths& lengths, void* in, void* out, MPI_Comm comm,
                          unsigned flags) noexcept {
  try {
    if (!has_lengths(lengths) || lengths.rank != 2) return nullptr;
    MpiProblem problem{.kind = Kind::r2r, .transforms = false, .in = in, .out = out, .comm = comm};
    problem.shape = shape_of(lengths);
    problem.howmany = lengths.howmany;
    problem.input = side_of(lengths, problem.shape, false);
    problem.output = side_of(lengths, problem.shape, true);
    problem.input.locally_transposed = (flags & FFTW_MPI_TRANSPOSED_IN) != 0;
    problem.output.locally_transposed = (flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
    return make_mpi_plan(problem, flags);
  } catch (...) {
    return nullptr;
  }
}

void gather_wisdom(MPI_Comm comm) noexcept {
  constexpr int tag = 0x3ef7;
  const int rank = rank_in(comm), ranks = ranks_of(comm);
  if (rank != 0) {
    char* const text = FFTW_NAME(export_wisdom_to_string)();
    const std::size_t length = text != nullptr ? std::strlen(text) : 0;
    MPI_Send(text, length <= INT_MAX ? static_cast<int>(length) : 0, MPI_CHAR, 0, tag, comm);
    std::free(text);
    return;
  }
  for (int from = 1; from < ranks; ++from) {
    MPI_Status status;
    int length = 0;
    MPI_Probe(from, tag, comm, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    auto* const text = static_cast<char*>(std::calloc(static_cast<std::size_t>(length) + 1, 1));
    if (text == nullptr) return;
    MPI_Recv(text, length, MPI_CHAR, from, tag, comm, MPI_STATUS_IGNORE);
    FFTW_NAME(import_wisdom_from_string)(text);
    std::free(text);
  }
}

void broadcast_wisdom(MPI_Comm comm) noexcept {
  const bool sends = rank_in(comm) == 0;
  char* text = sends ? FFTW_NAME(export_wisdom_to_string)() : nullptr;
  int length =
      text != nullptr ? static_cast<int>(std::min<std::size_t>(std::strlen(text), INT_MAX)) : 0;
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  if (!sends) text = static_cast<char*>(std::calloc(static_cast<std::size_t>(length) + 1, 1));
  MPI_Bcast(text, length, MPI_CHAR, 0, comm);
  if (!sends && text != nullptr) FFTW_NAME(import_wisdom_from_string)(text);
  std::free(text);
}

}  // namespace weft::fftw
