// SPDX-License-Identifier: BSD-3-Clause
// Taking formulas apart and putting them together again without regard to their kind.
#pragma once

#include <vector>

#include "formula/formula.hpp"

namespace weft::formula {

/// The parts of a product, tensor product or direct sum; null for every other kind.
inline const std::vector<Formula>* parts_of(const Formula& formula) {
  if (const auto* product = formula.as<Compose>()) return &product->factors;
  if (const auto* product = formula.as<Tensor>()) return &product->factors;
  if (const auto* sum = formula.as<DirectSum>()) return &sum->terms;
  return nullptr;
}

/// The same kind of formula from other parts.
inline Formula with_parts(const Formula& formula, std::vector<Formula> parts) {
  if (formula.as<Compose>()) return compose(std::move(parts));
  if (formula.as<Tensor>()) return tensor(std::move(parts));
  return direct_sum(std::move(parts));
}

/// The images of all parts.
template <class Map>
std::vector<Formula> mapped(const std::vector<Formula>& parts, Map map) {
  std::vector<Formula> images;
  images.reserve(parts.size());
  for (const Formula& part : parts) images.push_back(map(part));
  return images;
}

/// I(left) x inner x I(right), the shape of a factor in normal form.
struct Frame {
  Index left = 1;
  Formula inner;
  Index right = 1;

  Formula formula() const {
    std::vector<Formula> factors;
    if (left > 1) factors.push_back(identity(left));
    factors.push_back(inner);
    if (right > 1) factors.push_back(identity(right));
    return factors.size() == 1 ? inner : tensor(std::move(factors));
  }
};

/// The frame of a formula; one that is no such tensor product frames itself with left = right = 1.
inline Frame frame_of(const Formula& formula) {
  const auto* product = formula.as<Tensor>();
  if (!product) return {1, formula, 1};
  Frame frame{1, identity(1), 1};
  bool has_inner = false;
  for (const Formula& factor : product->factors) {
    const auto* unit = factor.as<Identity>();
    if (!unit && has_inner) return {1, formula, 1};
    if (unit)
      (has_inner ? frame.right : frame.left) *= unit->n;
    else
      frame.inner = factor;
    has_inner = has_inner || !unit;
  }
  return frame;
}

}  // namespace weft::formula
