// SPDX-License-Identifier: BSD-3-Clause
// Formulas as text, "(DFT(2) x I(4)) . T(8,4) . (I(2) x DFT(4)) . L(8,2)", and as LaTeX. Products
// are written " . ", tensor products " x ", direct sums " + ". Large explicit matrices appear by
// their shape only.
#pragma once

#include <string>

#include "formula/formula.hpp"

namespace weft::formula {

std::string print(const Formula& formula);
std::string print_latex(const Formula& formula);

}  // namespace weft::formula
