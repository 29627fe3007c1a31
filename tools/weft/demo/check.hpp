// SPDX-License-Identifier: BSD-3-Clause
// Checks of a real 3-D transform without another FFT: some outputs against the definition in long
// double, Parseval's equation, and the round trip.
#pragma once

#include <complex>
#include <vector>

#include "base/buffer.hpp"

namespace weft::tool {

struct Frequency {
  Index z, y, x;
};

/// sum field(z, y, x) exp(-2 pi i (kz z + ky y + kx x) / n), as written, in long double.
std::complex<long double> direct_sum(const double* field, Index n, const Frequency& k);
/// Several direct sums, on several threads.
std::vector<std::complex<long double>> direct_sums(const double* field, Index n,
                                                   const std::vector<Frequency>& frequencies,
                                                   int threads);

/// Relative difference of sum |x|^2 and sum |X|^2 / N over the whole spectrum, of which `spectrum`
/// is the half with n/2+1 columns.
double parseval_difference(const double* field, const std::complex<double>* spectrum, Index n);

/// Largest |a - b / scale|.
double largest_difference(const double* a, const double* b, Index count, double scale);

}  // namespace weft::tool
