// SPDX-License-Identifier: BSD-3-Clause
// A transform along one axis that is shared out over the ranks. The line of n m points becomes a
// matrix of n rows and m columns, as in the six-step form and its blocked version, equation (19) of
// Franchetti et al.: DFT(n) along the columns, factors w^(p q), DFT(m) along the rows. So it is a
// transform of a matrix like any other, with factors between its two axes; what differs is which
// element of the matrix a point of the line is, before and after.
#pragma once

#include "global/recipe/recipe.hpp"
#include "reshape/piece.hpp"

namespace weft::global {

/// Whether the problem is one transform along one axis that may be shared out.
bool is_line(const GlobalProblem& problem);

/// The problem whose axes the recipe's stages speak of: the matrix of a line or of a chirp's
/// convolution, otherwise the problem itself.
GlobalProblem staged_problem(const GlobalProblem& problem, const Recipe& recipe);
/// Whether the recipe can be carried out.
bool fits(const Recipe& recipe, const GlobalProblem& problem);
/// A chirp's recipe for the way back: from the scrambled order to the output.
Recipe way_back(const Recipe& recipe);

/// The line as a matrix.
GlobalProblem matrix_problem(const GlobalProblem& line, const LineSplit& split);
/// Pieces of the line's input and output as pieces of the matrix. Of a half spectrum only about
/// half the matrix lies in the line as it is; the rest is conjugated, from the mirrored point.
std::vector<reshape::Piece> matrix_input(const GlobalProblem& line, const LineSplit& split,
                                         const std::vector<reshape::Piece>& pieces);
std::vector<reshape::Piece> matrix_output(const GlobalProblem& line, const LineSplit& split,
                                          const std::vector<reshape::Piece>& pieces);

/// The parts of a half spectrum's box that also stand for the conjugates of the points beyond the
/// half, seen from there: box [b, e) of the axis becomes [n - e + 1, n - b + 1).
std::vector<reshape::Piece> mirrored_half(const reshape::Piece& piece, int axis, Index n,
                                          Index element_bytes);

/// A convolution of at least 2 n - 1 points in place of a line of n (Bluestein): the forward
/// transform of the longer line, filled up with zeros, scrambled; and the backward one from there.
GlobalProblem padded_problem(const GlobalProblem& line, const LineSplit& padded);
GlobalProblem unpadded_problem(const GlobalProblem& line, const LineSplit& padded,
                               const ArrayDistribution& scrambled);

}  // namespace weft::global
