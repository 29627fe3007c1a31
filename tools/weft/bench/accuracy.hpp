// SPDX-License-Identifier: BSD-3-Clause
// How accurate both libraries are on a row: relative L2 errors of the forward transform against
// long double, and of the round trip.
#pragma once

#include "bench/pair.hpp"

namespace weft::tool {

/// The correct value of one output of a row.
struct ReferencePoint {
  Index offset;  ///< in the output, in complex elements
  std::complex<long double> value;
};
/// Correct outputs of the row for an input in memory. All outputs for short transforms; for long
/// ones a part whose computation takes linear time: every n1-th frequency of a 1-D transform, one
/// plane of frequencies of a 2-D or 3-D one, some frequencies of a long prime.
std::vector<ReferencePoint> reference_points(const Row& row, const Geometry& geometry,
                                             const std::byte* input);

double error_against(const std::vector<ReferencePoint>& reference, const std::byte* output,
                     Precision precision);

struct Accuracy {
  double weft = 0, fftw = 0;                        ///< forward
  double weft_round_trip = 0, fftw_round_trip = 0;  ///< forward, backward, divided by N
};
/// `forward` is a pair planned for the row; the backward transform is planned here.
Accuracy measure_accuracy(Pair& forward, Fftw& fftw, const PairOptions& options);

}  // namespace weft::tool
