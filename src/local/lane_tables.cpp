// SPDX-License-Identifier: BSD-3-Clause
#include "local/lane_tables.hpp"

#include "base/index.hpp"
#include "base/reference_dft.hpp"
#include "base/roots.hpp"
#include "local/lane_plan.hpp"
#include "local/twiddle_table.hpp"

namespace weft::local {

template <class Real>
Index append_twiddles(std::vector<Real>& table, Index n, Index k, int radix, Direction direction) {
  // Passes of one recipe ask for the same n many times over.
  thread_local RootTable roots(1);
  if (roots.n() != n) roots = RootTable(n);
  const Index start = static_cast<Index>(table.size());
  for (Index i = 1, e = k; i < radix; ++i, e = (e + k) % n) {
    const LongComplex w = roots(e);
    table.push_back(static_cast<Real>(w.real()));
    table.push_back(static_cast<Real>(direction == Direction::forward ? w.imag() : -w.imag()));
  }
  return start;
}
template Index append_twiddles(std::vector<float>&, Index, Index, int, Direction);
template Index append_twiddles(std::vector<double>&, Index, Index, int, Direction);

std::vector<LongComplex> transform_of(const std::vector<LongComplex>& x, const LaneRecipe& recipe) {
  constexpr std::size_t short_enough = 2048;  // long double: about a millisecond
  if (x.size() <= short_enough) return reference_dft(x);
  const codelet::Isa isa = codelet::best_isa();
  const Index lanes = codelet::lanes(isa, Precision::f64), n = static_cast<Index>(x.size());
  const LaneSide planar{codelet::Layout::planar, 2 * lanes, 1, 0};
  const LanePlan<double> plan({.recipe = recipe, .isa = isa, .in = planar, .out = planar});
  Buffer<double> rows(2 * lanes * n), scratch(plan.scratch_reals());
  for (Index i = 0; i < n; ++i)
    for (Index l = 0; l < lanes; ++l) {
      rows[i * 2 * lanes + l] = static_cast<double>(x[static_cast<std::size_t>(i)].real());
      rows[i * 2 * lanes + lanes + l] = static_cast<double>(x[static_cast<std::size_t>(i)].imag());
    }
  plan.execute(rows.data(), rows.data(), scratch.data());
  std::vector<LongComplex> result(x.size());
  for (Index i = 0; i < n; ++i)
    result[static_cast<std::size_t>(i)] = {rows[i * 2 * lanes], rows[i * 2 * lanes + lanes]};
  return result;
}

RaderTables rader_tables(const LaneRecipe& recipe) {
  const Index p = recipe.n, g = primitive_root(p), inverse = inverse_mod(g, p);
  RaderTables tables;
  std::vector<LongComplex> b;
  const RootTable roots(p);
  for (Index q = 0, up = 1, down = 1; q < p - 1; ++q) {
    tables.input.push_back(up);
    tables.output.push_back(down);
    b.push_back(roots(down));
    up = multiply_mod(up, g, p);
    down = multiply_mod(down, inverse, p);
  }
  tables.spectrum = transform_of(b, recipe.inner[0]);
  for (auto& v : tables.spectrum) v /= static_cast<long double>(p - 1);
  return tables;
}

BluesteinTables bluestein_tables(const LaneRecipe& recipe) {
  const Index n = recipe.n, m = recipe.inner[0].n;
  BluesteinTables tables;
  std::vector<LongComplex> b(static_cast<std::size_t>(m));
  const RootTable roots(2 * n);
  for (Index j = 0; j < n; ++j) {
    const LongComplex c = roots(multiply_mod(j, j, 2 * n));
    tables.chirp.push_back(c);
    b[static_cast<std::size_t>(j)] = std::conj(c);
    if (j > 0) b[static_cast<std::size_t>(m - j)] = std::conj(c);
  }
  tables.spectrum = transform_of(b, recipe.inner[0]);
  for (auto& v : tables.spectrum) v /= static_cast<long double>(m);
  return tables;
}

void BluesteinTables::conjugate() {
  for (auto& v : chirp) v = std::conj(v);
  for (auto& v : spectrum) v = std::conj(v);
}

}  // namespace weft::local
