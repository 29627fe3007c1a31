// SPDX-License-Identifier: BSD-3-Clause
#include "local/lane/lane_tables.hpp"

#include "base/reference_dft.hpp"
#include "codelet/runtime/isa.hpp"
#include "local/lane/lane_plan.hpp"

namespace weft::local {

template <class Real>
Index append_twiddles(std::vector<Real>& table, Index n, Index k, int radix, Direction direction) {
  // Passes of one recipe ask for the same n many times over.
  thread_local RootPowers<long double> roots(1);
  if (roots.n() != n) roots = RootPowers<long double>(n);
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

std::vector<LongComplex> spectrum_of(const std::vector<LongComplex>& sequence,
                                     const LaneRecipe& recipe) {
  constexpr std::size_t short_enough = 256;  // long double: tens of microseconds
  std::vector<LongComplex> result;
  const Index n = static_cast<Index>(sequence.size());
  if (sequence.size() <= short_enough) {
    result = reference_dft(sequence);
  } else {
    const codelet::Isa isa = codelet::best_isa();
    const Index lanes = codelet::lanes(isa, Precision::f64);
    const LaneSide planar{codelet::KernelLayout::planar, 2 * lanes, 1, 0};
    const LanePlan<double> plan({.recipe = recipe, .isa = isa, .in = planar, .out = planar});
    Buffer<double> rows(2 * lanes * n), scratch(plan.scratch_reals());
    for (Index i = 0; i < n; ++i)  // the same sequence in every lane
      for (Index l = 0; l < lanes; ++l) {
        rows[i * 2 * lanes + l] = static_cast<double>(sequence[static_cast<std::size_t>(i)].real());
        rows[i * 2 * lanes + lanes + l] =
            static_cast<double>(sequence[static_cast<std::size_t>(i)].imag());
      }
    plan.execute(rows.data(), rows.data(), scratch.data());
    for (Index i = 0; i < n; ++i)
      result.emplace_back(rows[i * 2 * lanes], rows[i * 2 * lanes + lanes]);
  }
  for (auto& v : result) v /= static_cast<long double>(n);
  return result;
}

RaderTables rader_tables(Index p) {
  RaderTables tables;
  const RootPowers<long double> roots(p);
  walk_generator(p, [&](Index, Index up, Index down) {
    tables.input.push_back(up);
    tables.output.push_back(down);
    tables.sequence.push_back(roots(down));
  });
  return tables;
}

BluesteinTables bluestein_tables(Index n, Index m) {
  BluesteinTables tables;
  tables.sequence.resize(static_cast<std::size_t>(m));
  walk_chirp(n, [&](Index j, const LongComplex& c) {
    tables.chirp.push_back(c);
    tables.sequence[static_cast<std::size_t>(j)] = std::conj(c);
    if (j > 0) tables.sequence[static_cast<std::size_t>(m - j)] = std::conj(c);
  });
  return tables;
}

void conjugate(std::vector<LongComplex>& values) {
  for (auto& v : values) v = std::conj(v);
}

}  // namespace weft::local
