// SPDX-License-Identifier: BSD-3-Clause
// The meaning of a formula: the dense matrix it stands for, in long double. The matrix of a
// transform comes from its definition, never from a fast algorithm, so rules can be proved with it.
#pragma once

#include <vector>

#include "formula/formula.hpp"

namespace weft::formula {

struct Matrix {
  Index rows, columns;
  std::vector<Complex> values;  // row-major

  Complex& operator()(Index i, Index j) { return values[i * columns + j]; }
  const Complex& operator()(Index i, Index j) const { return values[i * columns + j]; }
};

Matrix matrix_of(const Formula& formula);

/// formula * x; the length of x must be formula.columns().
std::vector<Complex> multiply(const Formula& formula, const std::vector<Complex>& x);

/// Largest |a - b| of any entry; weft::Error when the shapes differ.
long double max_difference(const Matrix& a, const Matrix& b);

/// Scale s(n, k) of the tangent algorithm (ScaledDft).  [Johnson and Frigo 2007, eq. 3]
long double tangent_scale(Index n, Index k);

}  // namespace weft::formula
