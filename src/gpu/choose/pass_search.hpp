// SPDX-License-Identifier: BSD-3-Clause
// Which passes of many recipes to time. Recipes share passes, and the time of a recipe is about the
// sum of its passes. Each timing corrects the model for passes that do the same work, and for those
// that hold their tiles the same way.
#pragma once

#include <string>
#include <vector>

#include "gpu/recipe/device_numbers.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

class PassSearch {
 public:
  PassSearch(const std::vector<Recipe>& recipes, const DeviceNumbers& numbers);

  /// Numbers of passes that were not timed yet, `count` of them or a few more, of the recipes that
  /// are expected to be fastest; at first some of each number of passes. Empty: all are timed.
  std::vector<std::size_t> next(std::size_t count) const;
  /// Milliseconds; infinite where the device refuses the pass.
  void record(std::size_t pass, double ms);

  std::size_t size() const { return passes_.size(); }
  const PlacedPass& placed(std::size_t pass) const { return *passes_[pass].placed; }
  /// The numbers of a recipe's passes.
  const std::vector<std::size_t>& passes_of(std::size_t recipe) const { return recipes_[recipe]; }
  bool is_timed(std::size_t recipe) const;

 private:
  struct Pass {
    const PlacedPass* placed;
    double predicted_ms;
    std::size_t work, holding;  ///< which passes it has these in common with
    double ms = 0;              ///< 0: not timed
  };
  std::vector<double> expected_ms() const;

  std::vector<Pass> passes_;
  std::vector<std::vector<std::size_t>> recipes_;
  std::size_t works_ = 0, holdings_ = 0;
};

}  // namespace weft::gpu
