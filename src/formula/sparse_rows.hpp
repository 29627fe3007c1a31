// SPDX-License-Identifier: BSD-3-Clause
// Every leaf of a terminal formula seen the same way: rows of (column, value) entries. What needs
// to treat all leaves alike (transposition, real form, operation counts) goes through here.
#pragma once

#include <vector>

#include "formula/formula.hpp"

namespace weft::formula {

/// The rows of a terminal leaf, zeros left out; weft::Error for transforms and for products, tensor
/// products and sums.
std::vector<std::vector<Sparse::Entry>> sparse_rows(const Formula& leaf);

}  // namespace weft::formula
