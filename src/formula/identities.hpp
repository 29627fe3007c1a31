// SPDX-License-Identifier: BSD-3-Clause
// Formula identities to be applied where a derivation wants them, each in both directions. The
// numbers are those of the Spiral Global FFT paper, section 2. Every function returns nothing where
// its identity does not fit.
#pragma once

#include <optional>

#include "formula/formula.hpp"

namespace weft::formula {

/// (11)  L(kmn,n) = (L(kn,n) x I(m)) . (I(k) x L(mn,n))
std::optional<Formula> factor_length(const StridePermutation& l, Index k);
std::optional<Formula> merge_length(const Formula& left, const Formula& right);

/// (12)  L(kmn,km) = (I(k) x L(mn,m)) . (L(kn,k) x I(m))
std::optional<Formula> factor_stride(const StridePermutation& l, Index k);
std::optional<Formula> merge_stride(const Formula& left, const Formula& right);

/// (13)  L(kmn,k) = L(kmn,km) . L(kmn,kn)
std::optional<Formula> split_in_two_strides(const StridePermutation& l, Index m);

/// (9)  A x B = L(mn,m) . (B x A) . L(mn,n), A of size m and B of size n
std::optional<Formula> swap_factors(const Formula& tensor_product);
std::optional<Formula> unswap_factors(const Formula& left, const Formula& middle,
                                      const Formula& right);

/// (5)  (I(k) x A) . (I(k) x B) = I(k) x (A . B), for all factors of a product
std::optional<Formula> group_parallel(const Formula& product, Index k);
/// (6)  (A x I(k)) . (B x I(k)) = (A . B) x I(k)
std::optional<Formula> group_vectors(const Formula& product, Index k);

/// P . D = (P D P^T) . P for a permutation and a diagonal or twiddles
std::optional<Formula> move_diagonal_left(const Formula& permutation, const Formula& diagonal);
std::optional<Formula> move_diagonal_right(const Formula& diagonal, const Formula& permutation);

/// The transposition of a matrix spread over p processors, p | m, n:
/// (17)  L(mn,m) = (I(p) x L(mn/p,m/p)) . (L(pp,p) x I(mn/pp)) . (I(p) x L(n,p) x I(m/p))
/// (18)  L(mn,m) = (I(p) x L(m,m/p) x I(n/p)) . (L(pp,p) x I(mn/pp)) . (I(p) x L(mn/p,m))
/// computed from (12), (11) and (7).
std::optional<Formula> block_transposition(const StridePermutation& l, Index p);
std::optional<Formula> block_transposition_transposed(const StridePermutation& l, Index p);

}  // namespace weft::formula
