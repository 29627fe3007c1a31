// SPDX-License-Identifier: BSD-3-Clause
// Equation (19) of the Spiral Global FFT paper: one DFT over p processors as three all-to-alls of
// one block per pair, two node libraries, and two local transpositions at the ends. Derived from
// the six-step form by the identities, for any sizes that p divides.
#pragma once

#include <optional>
#include <vector>

#include "formula/formula.hpp"

namespace weft::formula {

struct GlobalStep {
  enum class Kind { local_transposition, all_to_all, rows_library, columns_library };
  Kind kind;
  Formula formula;
};

/// DFT(mn) as a product, left to right; the data comes in at the right. Nothing unless p > 1
/// divides m and n. The twiddles of the rows library stand before its scatter; move_diagonal_left()
/// gives the paper's form.
std::optional<std::vector<GlobalStep>> global_fft(Index m, Index n, Index p);

/// What a step is, in the paper's words.
const char* to_string(GlobalStep::Kind kind);

/// The product in LaTeX, an underbrace below every step.
std::string print_latex(const std::vector<GlobalStep>& steps);

}  // namespace weft::formula
