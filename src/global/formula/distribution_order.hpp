// SPDX-License-Identifier: BSD-3-Clause
// The order in which a distribution lists the elements of an array: rank by rank, box by box, each
// box row-major. Two distributions of one array differ by a permutation, which is what an exchange
// carries out; where both cut the array into equal blocks it is a product of stride permutations.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "formula/formula.hpp"
#include "reshape/messages.hpp"

namespace weft::global {

/// A distribution that can be asked for the place of an element and for the element at a place.
class DistributionOrder {
 public:
  using Point = std::array<Index, max_box_ndim>;
  struct Place {
    int rank;
    Point point;
  };

  explicit DistributionOrder(reshape::ArrayDistribution distribution);

  Index count() const { return begins_.back(); }
  Place at(Index position) const;
  /// Position of an element, on `rank` if it has it, else on the first rank that has; weft::Error
  /// where no rank has.
  Index position(const Point& point, int rank) const;

 private:
  struct Listed {
    int rank;
    Box box;
  };
  std::vector<Listed> boxes_;         // without empty ones
  std::vector<Index> begins_;         // of the boxes, and the end of the last
  std::vector<std::size_t> of_rank_;  // first box of every rank, and the end of the last
};

/// What an element of one distribution is made of: an element of the other, times a number,
/// conjugated or not. The number 0 stands for no element.
struct Origin {
  DistributionOrder::Point point{};
  formula::Complex value = 1;
  bool conjugate = false;
};
using OriginOf = std::function<Origin(const DistributionOrder::Point&)>;

/// What a rule is called in formulas.
struct RuleName {
  std::string text, latex;
};

/// y lists the elements of `to`, x those of `from`.
formula::Formula redistribution(const reshape::ArrayDistribution& to,
                                const reshape::ArrayDistribution& from, const OriginOf& origin,
                                RuleName name);

/// The elements of `from` in the order of `to`, both distributions of one array. As a product of
/// stride permutations (what every rank packs, whole blocks between ranks, what it unpacks) where
/// both cut the array into equal blocks that fit into each other, else by the rule itself.
formula::Formula exchange_formula(const reshape::ArrayDistribution& to,
                                  const reshape::ArrayDistribution& from,
                                  std::span<const Index> shape, RuleName name);

/// The direct sum of the terms; what repeats is written once: A + A + B + A + A + B is
/// I(2) x ((I(2) x A) + B).
formula::Formula short_direct_sum(const std::vector<formula::Formula>& terms);

}  // namespace weft::global
