// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's helpers: MPI as functions that return values, and which types are complex numbers.
#ifndef HEFFTE_UTILS_H
#define HEFFTE_UTILS_H

#include <fftw3.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heffte_config.h"
#include "weft_heffte.h"

namespace heffte {

namespace mpi {

inline int comm_rank(MPI_Comm const comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int comm_size(MPI_Comm const comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}
inline int world_rank() { return comm_rank(MPI_COMM_WORLD); }
inline bool world_rank(int rank) { return world_rank() == rank; }

/// Prints `message` and the values on one rank; on all ranks if `rank` is negative.
template <typename values>
void dump(int rank, const values& x, const std::string& message) {
  if (rank >= 0 && !world_rank(rank)) return;
  std::cout << message << '\n';
  for (const auto& value : x) std::cout << value << "  ";
  std::cout << std::endl;
}

/// Collective over `comm`; MPI_COMM_NULL on ranks that are not in the list.
inline MPI_Comm new_comm_from_group(const std::vector<int>& ranks, MPI_Comm const comm) {
  MPI_Group all, some;
  MPI_Comm result = MPI_COMM_NULL;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  MPI_Comm_create(comm, some, &result);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return result;
}
inline void comm_free(MPI_Comm const comm) {
  MPI_Comm copy = comm;
  if (MPI_Comm_free(&copy) != MPI_SUCCESS)
    throw std::runtime_error("heffte: a communicator could not be freed");
}

/// The MPI type of a C++ type; there are no others than these.
template <typename scalar>
MPI_Datatype type_from();
template <>
inline MPI_Datatype type_from<int>() {
  return MPI_INT;
}
template <>
inline MPI_Datatype type_from<float>() {
  return MPI_FLOAT;
}
template <>
inline MPI_Datatype type_from<double>() {
  return MPI_DOUBLE;
}
template <>
inline MPI_Datatype type_from<std::complex<float>>() {
  return MPI_C_COMPLEX;
}
template <>
inline MPI_Datatype type_from<std::complex<double>>() {
  return MPI_C_DOUBLE_COMPLEX;
}

}  // namespace mpi

/// Types that are two adjacent floats, or doubles. Programs specialise these for their own types.
template <typename scalar>
struct is_ccomplex : std::false_type {};
template <typename scalar>
struct is_zcomplex : std::false_type {};
template <>
struct is_ccomplex<std::complex<float>> : std::true_type {};
template <>
struct is_zcomplex<std::complex<double>> : std::true_type {};
// Those of FFTW's header, and C's, which MKL uses.
template <>
struct is_ccomplex<fftwf_complex> : std::true_type {};
template <>
struct is_zcomplex<fftw_complex> : std::true_type {};
__extension__ typedef float _Complex c_float_complex;
__extension__ typedef double _Complex c_double_complex;
template <>
struct is_ccomplex<c_float_complex> : std::true_type {};
template <>
struct is_zcomplex<c_double_complex> : std::true_type {};

/// The type of the standard library with the same memory.
template <typename scalar, typename = void>
struct define_standard_type {};
template <>
struct define_standard_type<float, void> {
  using type = float;
};
template <>
struct define_standard_type<double, void> {
  using type = double;
};
template <typename scalar>
struct define_standard_type<scalar, typename std::enable_if<is_ccomplex<scalar>::value>::type> {
  using type = std::complex<float>;
};
template <typename scalar>
struct define_standard_type<scalar, typename std::enable_if<is_zcomplex<scalar>::value>::type> {
  using type = std::complex<double>;
};

template <typename scalar>
typename define_standard_type<scalar>::type* convert_to_standard(scalar array[]) {
  return reinterpret_cast<typename define_standard_type<scalar>::type*>(array);
}
template <typename scalar>
const typename define_standard_type<scalar>::type* convert_to_standard(const scalar array[]) {
  return reinterpret_cast<const typename define_standard_type<scalar>::type*>(array);
}

namespace weft_detail {

/// What a function of libweft_heffte returned, as an exception.
inline void check(int status) {
  if (status == weft_heffte_ok) return;
  if (status == weft_heffte_no_memory) throw std::bad_alloc();
  if (status == weft_heffte_invalid) throw std::invalid_argument(weft_heffte_error());
  throw std::runtime_error(weft_heffte_error());
}

}  // namespace weft_detail

}  // namespace heffte

#endif
