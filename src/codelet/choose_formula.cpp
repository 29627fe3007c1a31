// SPDX-License-Identifier: BSD-3-Clause
// Chooses the formula of a kernel. Formulas with the same number of operations differ in register
// spills: radix 32 by split radix spills more than twice as often as 4 x 8 by Cooley-Tukey. So the
// alternatives are compiled up to register allocation and compared by their number of instructions.
#include <map>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "codelet/ir/line_kernel.hpp"
#include "codelet/ir/passes.hpp"
#include "codelet/runtime/registry.hpp"
#include "formula/operation_count.hpp"

namespace weft::codelet::ir {
namespace {

using formula::Formula;
using formula::Objective;

Formula transform_of(const KernelKey& key) {
  switch (key.transform) {
    case KernelTransform::dft: return formula::dft(key.radix);
    case KernelTransform::real_backward:
    case KernelTransform::halfcomplex_backward: return formula::InverseRealDft{key.radix};
    default: return formula::RealDft{key.radix};
  }
}

/// The formula with the fewest instructions, and those with at most a sixth more.
std::vector<Formula> alternatives(const Formula& transform) {
  std::vector<Formula> found{formula::expand_best(transform)};
  const Index fewest = formula::operation_count(found.front()).fused_total();
  for (const formula::Candidate& candidate : formula::candidates(transform)) {
    Formula expanded = formula::expand_best(candidate.formula);
    if (6 * formula::operation_count(expanded).fused_total() <= 7 * fewest)
      found.push_back(std::move(expanded));
  }
  return found;
}

/// A real line has the formula of the complex line of half its length, if that has the same shape.
KernelKey complex_line(const KernelKey& key) {
  if (key.transform == KernelTransform::dft) return key;
  KernelKey half = key;
  half.transform = KernelTransform::dft;
  half.radix = key.radix / 2;
  if (is_line_length(half) && line_shape(half) == line_shape(key)) return half;
  half = key;
  half.transform = KernelTransform::real_forward;
  return half;
}

/// Results must not depend on the layout, so the choice is made for one layout and used for all.
KernelKey representative(KernelKey key) {
  if (is_line(key)) {  // there is only one layout, but the shape depends on the precision
    key.scaled = key.backward = false;
    return complex_line(key);
  }
  key.precision = Precision::f64;
  key.in = has_real_input(key.transform) ? KernelLayout::unit : KernelLayout::planar;
  key.out = has_real_output(key.transform) ? KernelLayout::unit : KernelLayout::planar;
  if (key.twiddle == Twiddle::vector_in) key.twiddle = Twiddle::broadcast_in;
  key.scaled = key.backward = false;
  return key;
}

Formula fastest(const KernelKey& key, std::span<const Formula> choices) {
  std::size_t best = 0;
  int least = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const int cost =
        instructions(rotate(fuse_fma(absorb_negations(simplify(lower(key, choices[i]))))));
    if (i > 0 && cost >= least) continue;
    best = i;
    least = cost;
  }
  return choices[best];
}

Formula fastest(const KernelKey& key) {
  if (!is_line(key)) return fastest(key, alternatives(transform_of(key)));
  std::vector<Formula> lines;
  for (const Formula& across : alternatives(formula::dft(line_shape(key).registers)))
    lines.push_back(line_formula(key, across));
  return fastest(key, lines);
}

}  // namespace

Formula formula_of(const KernelKey& key, Objective objective) {
  return formula::expand_best(transform_of(key), objective);
}

Formula formula_of(const KernelKey& key) {
  if (key.isa == Isa::scalar) return formula_of(key, Objective::operations);
  // Choosing takes longer than the rest of the generator, so the result is kept for other kernels.
  static std::mutex mutex;
  static std::map<std::tuple<Isa, int, Twiddle, KernelTransform, KernelLayout, Precision>, Formula>
      known;
  const std::lock_guard lock(mutex);
  const KernelKey wanted = representative(key);
  const std::tuple name{wanted.isa,       wanted.radix, wanted.twiddle,
                        wanted.transform, wanted.in,    wanted.precision};
  if (const auto it = known.find(name); it != known.end()) return it->second;
  return known.emplace(name, fastest(wanted)).first->second;
}

}  // namespace weft::codelet::ir
