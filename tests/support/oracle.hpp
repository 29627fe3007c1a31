// SPDX-License-Identifier: BSD-3-Clause
// The reference results of all transforms: in long double, one axis at a time, by the definition or
// by a plain recursive DFT. Also seeded data and the error bound of the tests.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "weft/plan.hpp"

namespace weft::test {

using LongComplex = std::complex<long double>;

/// A row-major array of long doubles with its shape.
struct Field {
  std::vector<Index> shape;
  std::vector<LongComplex> values;
  explicit Field(std::vector<Index> extents);
};

/// Reproducible numbers in [-1, 1).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t bits();
  double uniform();
  Index between(Index low, Index high);  ///< both included

 private:
  std::uint64_t state_;
};

Field random_field(const std::vector<Index>& shape, bool is_complex, std::uint64_t seed);

/// The transform of a field (for c2r: of a half-complex field), scaled as asked.
Field expected(const Transform& transform, const Field& input);

/// The forward transform of one line.
std::vector<std::complex<double>> expected_line(const std::vector<std::complex<double>>& x);

/// Real-to-real transforms of one length by their definition, O(n^2) each. The cosines and sines
/// are computed once.
class R2rByDefinition {
 public:
  R2rByDefinition(R2r kind, Index n);
  std::vector<long double> operator()(const std::vector<long double>& x) const;

 private:
  long double factor(Index j, Index k) const;  ///< of x[j] in y[k]

  R2r kind_;
  Index n_, period_;
  std::vector<long double> cosines_, sines_;  ///< of 2 pi k / period
};

/// ||a - b|| / ||b|| over all elements; 0 for two zero fields.
double relative_error(const Field& a, const Field& b);

/// The largest error that rounding explains: a few eps times the square root of the number of
/// butterfly levels.
double tolerance(Precision precision, Index points);

}  // namespace weft::test
