// SPDX-License-Identifier: BSD-3-Clause
#include "local/array/plan_memory.hpp"

#include "base/shared_cache.hpp"
#include "local/array/memory.hpp"

namespace weft::local {
namespace {

/// All that an engine depends on.
struct EngineKey {
  AxisRecipe recipe;
  AxisProblem problem;
  friend bool operator==(const EngineKey&, const EngineKey&) = default;
};
struct EngineKeyHash {
  std::size_t operator()(const EngineKey& key) const {
    std::size_t hash = static_cast<std::size_t>(key.problem.n);
    const auto mix = [&](auto value) { hash = hash * 31 + static_cast<std::size_t>(value); };
    mix(key.recipe.type), mix(key.recipe.isa), mix(key.recipe.groups), mix(key.problem.kind);
    mix(key.problem.direction), mix(key.problem.in_row), mix(key.problem.out_row);
    for (const Loop& loop : key.problem.loops) mix(loop.count), mix(loop.in), mix(loop.out);
    return hash;
  }
};

template <class Real>
auto& engines() {
  static SharedCache<EngineKey, AxisEngine<Real>, EngineKeyHash> cache(
      {.entries = 64, .bytes = 16.0 * 1024 * 1024});
  return cache;
}
auto& recipes() {
  static SharedCache<std::string, ArrayRecipe> cache({.entries = 256, .bytes = 1024.0 * 1024});
  return cache;
}

}  // namespace

template <class Real>
std::shared_ptr<const AxisEngine<Real>> shared_axis_engine(const AxisRecipe& recipe,
                                                           const AxisProblem& problem) {
  constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  const EngineKey key{recipe, problem};
  if (auto known = engines<Real>().find(key)) return known;
  // Mirror images and the rows of matrices have tables as well.
  const double bytes = least_footprint(recipe, precision).tables +
                       4.0 * static_cast<double>(recipe.n) * sizeof(Real) + 1024;
  return engines<Real>().add(key, make_axis_engine<Real>(recipe, problem), bytes);
}
template std::shared_ptr<const AxisEngine<float>> shared_axis_engine(const AxisRecipe&,
                                                                     const AxisProblem&);
template std::shared_ptr<const AxisEngine<double>> shared_axis_engine(const AxisRecipe&,
                                                                      const AxisProblem&);

ArrayRecipe remembered_recipe(const std::string& question,
                              const std::function<ArrayRecipe()>& choose) {
  if (const auto known = recipes().find(question)) return *known;
  auto chosen = std::make_shared<const ArrayRecipe>(choose());
  return *recipes().add(question, std::move(chosen), 1024);
}

void forget_plans() {
  engines<float>().clear();
  engines<double>().clear();
  recipes().clear();
}

std::size_t remembered_plans() {
  return engines<float>().size() + engines<double>().size() + recipes().size();
}

}  // namespace weft::local
