// SPDX-License-Identifier: BSD-3-Clause
// Conjugate-pair split radix on real data: half of the complex algorithm, the other half being its
// mirror image.
#include <utility>
#include <vector>

#include "formula/formula.hpp"
#include "formula/rules/normalized_root.hpp"
#include "formula/rules/real_packing.hpp"
#include "formula/rules/rules.hpp"
#include "formula/transpose.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

using Rows = std::vector<std::vector<Sparse::Entry>>;

/// Reads x[2j], then x[4j+1], then x[4j-1].
Formula split_input(Index n) {
  std::vector<Index> source;
  for (Index j = 0; j < n / 2; ++j) source.push_back(2 * j);
  for (Index j = 0; j < n / 4; ++j) source.push_back(4 * j + 1);
  for (Index j = 0; j < n / 4; ++j) source.push_back((4 * j - 1 + n) % n);
  return permutation(std::move(source));
}

/// The directions t[k] of the twiddles on a packed spectrum of n/4 points. Its last point, at
/// n/8, is real; there only the scale applies (the final stage takes care of the direction).
Formula rotations(Index n) {
  const Index m = n / 4;
  std::vector<Formula> blocks{identity(1)};
  for (Index k = 1; has_imaginary_part(m, k) && 2 * k < m; ++k) {
    const Complex t = normalized_root(n, k).direction;
    blocks.push_back(dense(2, 2, {t.real(), -t.imag(), t.imag(), t.real()}));
  }
  if (m % 2 == 0) blocks.push_back(identity(1));
  return direct_sum(std::move(blocks));
}

std::vector<Complex> packed_scales(Index n) {
  std::vector<Complex> scales;
  for (Index position = 0; position < n / 4; ++position)
    scales.push_back(normalized_root(n, (position + 1) / 2).scale);
  return scales;
}

/// Writes y from u (n/2 packed), p = Z + Z' and q = Z - Z' (n/4 packed each), all of them scaled:
/// y[k] = u[k] + p, y[n/2-k] = (u[k] - p)^*, y[n/4+-k] = u[n/4-k]^(*) +- (-iq)^(*).
Formula final_stage(Index n) {
  const Index m = n / 4, p = n / 2, q = p + m;
  Rows rows(n);
  const auto set = [&](Index f, std::vector<Sparse::Entry> re, std::vector<Sparse::Entry> im) {
    rows[real_position(f)] = std::move(re);
    if (!im.empty()) rows[imaginary_position(f)] = std::move(im);
  };
  set(0, {{0, 1}, {p, 1}}, {});
  set(n / 2, {{0, 1}, {p, -1}}, {});
  set(n / 4, {{real_position(m), 1}}, {{q, -1}});
  for (Index k = 1; 2 * k < m; ++k) {
    const Index re = real_position(k), im = imaginary_position(k);
    const Index mirror_re = real_position(m - k), mirror_im = imaginary_position(m - k);
    set(k, {{re, 1}, {p + re, 1}}, {{im, 1}, {p + im, 1}});
    set(n / 2 - k, {{re, 1}, {p + re, -1}}, {{im, -1}, {p + im, 1}});
    set(m + k, {{mirror_re, 1}, {q + im, 1}}, {{mirror_im, -1}, {q + re, -1}});
    set(m - k, {{mirror_re, 1}, {q + im, -1}}, {{mirror_im, 1}, {q + re, -1}});
  }
  if (m % 2 == 0) {  // the real point n/8 of Z: its twiddle is (1 - i) / sqrt(2)
    const Index k = m / 2, re = real_position(k), im = imaginary_position(k);
    set(k, {{re, 1}, {p + re, 1}}, {{im, 1}, {q + re, -1}});
    set(n / 2 - k, {{re, 1}, {p + re, -1}}, {{im, -1}, {q + re, -1}});
  }
  return sparse(n, std::move(rows));
}

Formula beside_even_half(Index n, const Formula& odd_half) {
  return direct_sum({identity(n / 2), odd_half});
}

Formula butterflies(Index n) { return tensor({dft(2), identity(n / 4)}); }

/// How often row i of the transposed final stage counts: its inputs stand for themselves and their
/// conjugates, its output perhaps only for itself.
std::vector<Complex> inverse_scales(Index n) {
  const Index m = n / 4;
  std::vector<Complex> scales(n / 2, 1);
  scales[real_position(m)] = 2;
  for (Index half = 0; half < 2; ++half)
    for (Complex scale : packed_scales(n)) scales.push_back(scale);
  scales[n / 2 + m] *= 2;
  if (m % 2 == 0)
    for (Index end : {n / 2 + m - 1, n - 1}) scales[end] *= 2;
  return scales;
}

}  // namespace

/// Real split radix, 4 | n:
/// RDFT(n) = F . (I(n/2) + (I(2) x C) . (DFT(2) x I(n/4)) . (R + R^T))
///           . (RDFT(n/2) + RDFT(n/4) + RDFT(n/4)) . P
/// with the rotations R by t[k] and the scales C = c[k] of the twiddles w^k = c[k] t[k].
std::vector<Formula> real_split_radix(const RealDft& transform) {
  const Index n = transform.n;
  if (n % 4 != 0) return {};
  const Formula turn = rotations(n);
  return {compose(
      {final_stage(n), beside_even_half(n, tensor({identity(2), diagonal(packed_scales(n))})),
       beside_even_half(n, butterflies(n)),
       beside_even_half(n, direct_sum({turn, transpose(turn)})),
       direct_sum({real_dft(n / 2), real_dft(n / 4), real_dft(n / 4)}), split_input(n)})};
}

/// The transpose of the above; IRDFT = RDFT^T . diag(1, 2, 2, ...), and the twos cancel but for a
/// few, which go into the scales.
std::vector<Formula> real_split_radix(const InverseRealDft& transform) {
  const Index n = transform.n;
  if (n % 4 != 0) return {};
  const Formula turn = rotations(n);
  return {compose(
      {transpose(split_input(n)),
       direct_sum({inverse_real_dft(n / 2), inverse_real_dft(n / 4), inverse_real_dft(n / 4)}),
       beside_even_half(n, direct_sum({transpose(turn), turn})),
       beside_even_half(n, butterflies(n)), diagonal(inverse_scales(n)),
       transpose(final_stage(n))})};
}

}  // namespace weft::formula
