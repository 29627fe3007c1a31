// SPDX-License-Identifier: BSD-3-Clause
// Discrete cosine and sine transforms as real or half-length complex transforms between cheap
// factors. A DST is a DCT with its data reversed and alternating signs.
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/roots.hpp"
#include "formula/expand.hpp"
#include "formula/formula.hpp"
#include "formula/real_form.hpp"
#include "formula/rules/real_packing.hpp"
#include "formula/rules/rules.hpp"
#include "formula/transpose.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

using Kind = TrigonometricKind;
using Rows = std::vector<std::vector<Sparse::Entry>>;

long double cosine(Index n, Index k) { return root_of_unity(n, k).real(); }
long double sine(Index n, Index k) { return -root_of_unity(n, k).imag(); }

Formula alternating_signs(Index n) {
  std::vector<Complex> signs(n, 1);
  for (Index j = 1; j < n; j += 2) signs[j] = -1;
  return diagonal(std::move(signs));
}

Formula reversal(Index n) {
  std::vector<Index> source;
  for (Index j = n - 1; j >= 0; --j) source.push_back(j);
  return permutation(std::move(source));
}

/// x0, x2, x4, ..., x5, x3, x1
Formula fold(Index n) {
  std::vector<Index> source;
  for (Index j = 0; j < n; j += 2) source.push_back(j);
  for (Index j = n % 2 == 0 ? n - 1 : n - 2; j >= 0; j -= 2) source.push_back(j);
  return permutation(std::move(source));
}

/// y[k] = 2 Re(w^k V[k]) with w = exp(-2 pi i / 4n), from the packed spectrum V.
Formula quarter_turns(Index n) {
  Rows rows(n);
  rows[0] = {{0, 2}};
  for (Index k = 1; 2 * k < n; ++k) {
    const Index re = real_position(k), im = imaginary_position(k);
    const long double c = 2 * cosine(4 * n, k), s = 2 * sine(4 * n, k);
    rows[k] = {{re, c}, {im, s}};
    rows[n - k] = {{re, s}, {im, -c}};
  }
  if (n % 2 == 0) rows[n / 2] = {{n - 1, 2 * cosine(8, 1)}};
  return sparse(n, std::move(rows));
}

/// diag(1/2, 1, ..., 1) . (the same turns transposed, as an inverse real transform wants them)
Formula inverse_quarter_turns(Index n) {
  auto rows = std::get<Sparse>(transpose(quarter_turns(n)).node()).rows;
  for (Index i = 0; i < n; ++i) {
    const bool is_single = i == 0 || (n % 2 == 0 && i == n - 1);
    for (Sparse::Entry& entry : rows[i])
      entry.value *= (entry.column == 0 ? 0.5L : 1.0L) * (is_single ? 1.0L : 0.5L);
  }
  return sparse(n, std::move(rows));
}

/// DCT2(n) = (quarter turns) . RDFT(n) . fold   [Makhoul 1980]
Formula dct2_by_real_dft(Index n) { return compose({quarter_turns(n), real_dft(n), fold(n)}); }

Formula dct3_by_real_dft(Index n) {
  return compose({transpose(fold(n)), inverse_real_dft(n), inverse_quarter_turns(n)});
}

/// x -> (x[j] + x[n-1-j], x[j] - x[n-1-j]), j < n/2
Formula mirror_butterflies(Index n) {
  Rows rows;
  for (long double sign : {1.0L, -1.0L})
    for (Index j = 0; j < n / 2; ++j) rows.push_back({{j, 1}, {n - 1 - j, sign}});
  return sparse(n, std::move(rows));
}

/// DCT2(n) = L(n,n/2) . (DCT2(n/2) + DCT4(n/2)) . (mirror butterflies), n even
Formula dct2_by_halves(Index n) {
  return compose({stride_permutation(n, n / 2),
                  direct_sum({trigonometric(Kind::dct2, n / 2), trigonometric(Kind::dct4, n / 2)}),
                  mirror_butterflies(n)});
}

Formula dct3_by_halves(Index n) {
  return compose({transpose(mirror_butterflies(n)),
                  direct_sum({trigonometric(Kind::dct3, n / 2), trigonometric(Kind::dct4, n / 2)}),
                  stride_permutation(n, 2)});
}

/// n even: z[j] = x[2j] + i x[n-1-2j], twiddled, DFT(n/2), twiddled; the real parts are the even
/// outputs, the negated imaginary parts the odd ones from the end.
Formula dct4_by_complex_dft(Index n) {
  const Index half = n / 2;
  std::vector<Index> source;
  std::vector<Complex> before, after;
  Rows rows(n);
  for (Index j = 0; j < half; ++j) {
    source.push_back(2 * j);
    source.push_back(n - 1 - 2 * j);
    before.push_back(root_of_unity(8 * n, 4 * j + 1));
    after.push_back(2.0L * root_of_unity(2 * n, j));
    rows[2 * j] = {{2 * j, 1}};
    rows[n - 1 - 2 * j] = {{2 * j + 1, -1}};
  }
  return compose({sparse(n, std::move(rows)),
                  real_form(compose({diagonal(std::move(after)), expand_best(half),
                                     diagonal(std::move(before))})),
                  permutation(std::move(source))});
}

/// n odd: modulo 8n the odd numbers 2j+1 are pairs of residues modulo 8 and n. Up to sign
/// (cos(-a) = cos(a), cos(a + pi) = -cos(a)) each has a twin that is 1 modulo 8: `column` is its
/// residue modulo n.
struct OddResidue {
  Index column;
  int sign;
};
OddResidue odd_residue(Index j, Index n) {
  const Index a = 2 * j + 1;
  const Index column = a % n, mirrored = (n - column) % n;
  switch (a % 8) {
    case 1: return {column, 1};
    case 3: return {mirrored, -1};
    case 5: return {column, -1};
    default: return {mirrored, 1};
  }
}

/// DCT4(n) = sqrt(2) (signed permutation) . DHT(n) . (signed permutation), n odd: with a and b both
/// 1 modulo 8 the angle is 2 pi (u/8 + v ab/n), u n = 1 mod 8, v 8 = 1 mod n.
Formula dct4_by_hartley(Index n) {
  const Index u = inverse_mod(n % 8, 8), v = n == 1 ? 0 : inverse_mod(8 % n, n);
  const long double c = cosine(8, u), s = sine(8, u);  // cos(..) = c cos(t) - s sin(t)
  Rows before(n), after(n);
  for (Index j = 0; j < n; ++j) {
    const auto [residue, sign] = odd_residue(j, n);
    before[residue] = {{j, sign}};
    // c cos(t) - s sin(t) is c cas(t) where the signs of c and s differ, else c cas(-t).
    const Index row = multiply_mod(residue, v, n);
    const Index frequency = c * s < 0 ? row : (n - row) % n;
    after[j] = {{frequency, 2 * c * static_cast<long double>(sign)}};
  }
  return compose({sparse(n, std::move(after)), dht(n), sparse(n, std::move(before))});
}

/// DCT1(n), m = n-1 even: even outputs DCT1(m/2+1) of the sums, odd outputs DCT3(m/2) of the
/// differences of x[j] and x[m-j].
Formula dct1_by_halves(Index n) {
  const Index half = (n - 1) / 2;
  Rows before, after(n);
  for (Index j = 0; j < half; ++j) before.push_back({{j, 1}, {n - 1 - j, 1}});
  before.push_back({{half, 2}});
  for (Index j = 0; j < half; ++j) before.push_back({{j, 1}, {n - 1 - j, -1}});
  for (Index k = 0; k < n; ++k) after[k] = {{k % 2 == 0 ? k / 2 : half + 1 + k / 2, 1}};
  const Formula odd = trigonometric(Kind::dct3, half);
  return compose({sparse(n, std::move(after)),
                  direct_sum({trigonometric(Kind::dct1, half + 1), odd}),
                  sparse(n, std::move(before))});
}

/// DCT1(n) is the real part of a real DFT of the even extension to 2(n-1) points.
Formula dct1_by_extension(Index n) {
  const Index length = 2 * (n - 1);
  Rows extension(length), selection(n);
  for (Index j = 0; j < length; ++j) extension[j] = {{j < n ? j : length - j, 1}};
  for (Index k = 0; k < n; ++k) selection[k] = {{real_position(k), 1}};
  return compose(
      {sparse(length, std::move(selection)), real_dft(length), sparse(n, std::move(extension))});
}

/// DST1(n), n odd: the odd outputs DST1 of the differences, the even ones DST3 of the sums.
Formula dst1_by_halves(Index n) {
  const Index half = n / 2;
  Rows before, after(n);
  for (Index j = 0; j < half; ++j) before.push_back({{j, 1}, {n - 1 - j, -1}});
  for (Index j = 0; j < half; ++j) before.push_back({{j, 1}, {n - 1 - j, 1}});
  before.push_back({{half, 2}});
  for (Index k = 0; k < n; ++k) after[k] = {{k % 2 == 1 ? k / 2 : half + k / 2, 1}};
  std::vector<Formula> parts{trigonometric(Kind::dst3, half + 1)};
  if (half > 0) parts.insert(parts.begin(), trigonometric(Kind::dst1, half));
  return compose(
      {sparse(n, std::move(after)), direct_sum(std::move(parts)), sparse(n, std::move(before))});
}

/// DST1(n) is minus the imaginary part of a real DFT of the odd extension to 2(n+1) points.
Formula dst1_by_extension(Index n) {
  const Index length = 2 * (n + 1);
  Rows extension(length), selection(n);
  for (Index j = 0; j < n; ++j) {
    extension[j + 1] = {{j, 1}};
    extension[length - 1 - j] = {{j, -1}};
    selection[j] = {{imaginary_position(j + 1), -1}};
  }
  return compose(
      {sparse(length, std::move(selection)), real_dft(length), sparse(n, std::move(extension))});
}

}  // namespace

std::vector<Formula> reduce_trigonometric(const Trigonometric& transform) {
  const auto [kind, n] = transform;
  const bool is_even = n % 2 == 0;
  std::vector<Formula> choices;
  switch (kind) {
    case Kind::dct1:
      if (!is_even) choices.push_back(dct1_by_halves(n));
      choices.push_back(dct1_by_extension(n));
      break;
    case Kind::dct2:
      choices.push_back(dct2_by_real_dft(n));
      if (is_even) choices.push_back(dct2_by_halves(n));
      break;
    case Kind::dct3:
      choices.push_back(dct3_by_real_dft(n));
      if (is_even) choices.push_back(dct3_by_halves(n));
      break;
    case Kind::dct4:
      choices.push_back(is_even ? dct4_by_complex_dft(n) : dct4_by_hartley(n));
      break;
    case Kind::dst1:
      if (!is_even) choices.push_back(dst1_by_halves(n));
      choices.push_back(dst1_by_extension(n));
      break;
    case Kind::dst2:
      choices.push_back(compose({reversal(n), trigonometric(Kind::dct2, n), alternating_signs(n)}));
      break;
    case Kind::dst3:
      choices.push_back(compose({alternating_signs(n), trigonometric(Kind::dct3, n), reversal(n)}));
      break;
    case Kind::dst4:
      choices.push_back(compose({alternating_signs(n), trigonometric(Kind::dct4, n), reversal(n)}));
      break;
  }
  return choices;
}

/// DHT(n) = (Re y - Im y, Re y + Im y) . RDFT(n)
std::vector<Formula> reduce_hartley(const Dht& transform) {
  const Index n = transform.n;
  Rows rows(n);
  rows[0] = {{0, 1}};
  for (Index k = 1; 2 * k <= n; ++k) {
    rows[k] = {{real_position(k), 1}};
    if (!has_imaginary_part(n, k)) continue;
    rows[k].push_back({imaginary_position(k), -1});
    rows[n - k] = {{real_position(k), 1}, {imaginary_position(k), 1}};
  }
  return {compose({sparse(n, std::move(rows)), real_dft(n)})};
}

}  // namespace weft::formula
