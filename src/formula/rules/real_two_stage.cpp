// SPDX-License-Identifier: BSD-3-Clause
// Real transforms of composite length n = r s, s odd: r real transforms of length s, then one real
// and (s-1)/2 complex transforms of length r; the other (s-1)/2 would be conjugates. In
// Good-Thomas order (coprime factors) there are no twiddles.
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "formula/expand.hpp"
#include "formula/formula.hpp"
#include "formula/real_form.hpp"
#include "formula/rules/paired_column.hpp"
#include "formula/rules/real_packing.hpp"
#include "formula/rules/rules.hpp"
#include "formula/transpose.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

using Rows = std::vector<std::vector<Sparse::Entry>>;

/// What Good-Thomas and Cooley-Tukey differ in.
struct TwoStage {
  Index r, s;
  std::vector<Index> input;                      ///< element (i, j) of the r x s array in x
  std::vector<Index> first_order;                ///< row i of column 0 as RDFT(r) wants them
  std::function<Formula(Index)> column;          ///< the complex column of frequency l >= 1
  std::function<Index(Index, Index)> frequency;  ///< where output k of column l goes
};

/// (i, packed l) -> column 0, then the columns l = 1, 2, ... as interleaved complex numbers.
Formula to_columns(const TwoStage& t) {
  std::vector<Index> source;
  for (Index i = 0; i < t.r; ++i) source.push_back(t.first_order[i] * t.s);
  for (Index l = 1; 2 * l < t.s; ++l)
    for (Index i = 0; i < t.r; ++i)
      for (Index position : {real_position(l), imaginary_position(l)})
        source.push_back(i * t.s + position);
  return permutation(std::move(source));
}

/// Frequencies above n/2 are conjugated into their mirror images.
Formula to_packed_spectrum(const TwoStage& t) {
  const Index n = t.r * t.s;
  Rows rows(n);
  const auto set = [&](Index f, Index re, Index im) {
    const Index folded = 2 * f <= n ? f : n - f;
    rows[real_position(folded)] = {{re, 1}};
    if (has_imaginary_part(n, folded))
      rows[imaginary_position(folded)] = {{im, f == folded ? 1 : -1}};
  };
  for (Index k = 0; 2 * k <= t.r; ++k)
    set(t.frequency(k, 0), real_position(k), imaginary_position(k));
  for (Index l = 1; 2 * l < t.s; ++l)
    for (Index k = 0; k < t.r; ++k) {
      const Index base = t.r + 2 * ((l - 1) * t.r + k);
      set(t.frequency(k, l), base, base + 1);
    }
  return sparse(n, std::move(rows));
}

Formula forward(const TwoStage& t) {
  std::vector<Formula> columns{real_dft(t.r)};
  for (Index l = 1; 2 * l < t.s; ++l) columns.push_back(real_form(expand_best(t.column(l))));
  return compose({to_packed_spectrum(t), direct_sum(std::move(columns)), to_columns(t),
                  tensor({identity(t.r), real_dft(t.s)}), permutation(t.input)});
}

/// The transpose; the doubled weights of the complex frequencies cancel between the stages.
Formula inverse(const TwoStage& t) {
  std::vector<Formula> columns{inverse_real_dft(t.r)};
  for (Index l = 1; 2 * l < t.s; ++l)
    columns.push_back(real_form(expand_best(adjoint(t.column(l)))));
  return compose({transpose(permutation(t.input)), tensor({identity(t.r), inverse_real_dft(t.s)}),
                  transpose(to_columns(t)), direct_sum(std::move(columns)),
                  transpose(to_packed_spectrum(t))});
}

TwoStage good_thomas_stages(Index r, Index s) {
  const Index n = r * s;
  TwoStage t{r, s, {}, std::vector<Index>(r), [r](Index) { return dft(r); }, {}};
  for (Index i = 0; i < r; ++i)
    for (Index j = 0; j < s; ++j) t.input.push_back((s * i + r * j) % n);
  std::iota(t.first_order.begin(), t.first_order.end(), Index{0});
  const Index unit_r = s * inverse_mod(s % r, r) % n;  // 1 modulo r, 0 modulo s
  const Index unit_s = r * inverse_mod(r % s, s) % n;
  t.frequency = [=](Index k, Index l) { return (k * unit_r + l * unit_s) % n; };
  return t;
}

TwoStage paired_stages(Index r, Index s) {
  const Index n = r * s;
  TwoStage t{r,
             s,
             {},
             std::vector<Index>(r),
             [=](Index l) { return paired_column(n, r, l); },
             [=](Index k, Index l) { return l + s * k; }};
  for (Index i = 0; i < r; ++i) {
    for (Index j = 0; j < s; ++j) t.input.push_back((r * j + paired_offset(i) + n) % n);
    t.first_order[(paired_offset(i) + r) % r] = i;
  }
  return t;
}

std::vector<Formula> every_split(Index n, Formula (*build)(const TwoStage&)) {
  std::vector<Formula> choices;
  for (auto [r, s] : factor_pairs(n)) {
    if (s % 2 == 0) continue;
    if (std::gcd(r, s) == 1)
      choices.push_back(build(good_thomas_stages(r, s)));
    else if (r % 2 == 1 && is_prime(r))
      choices.push_back(build(paired_stages(r, s)));
  }
  return choices;
}

}  // namespace

/// RDFT(rs) = packing . (RDFT(r) + K(1) + K(2) + ...) . Q . (I(r) x RDFT(s)) . P,  s odd
std::vector<Formula> real_two_stage(const RealDft& transform) {
  return every_split(transform.n, forward);
}

std::vector<Formula> real_two_stage(const InverseRealDft& transform) {
  return every_split(transform.n, inverse);
}

}  // namespace weft::formula
