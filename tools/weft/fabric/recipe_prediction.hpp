// SPDX-License-Identifier: BSD-3-Clause
// The recipes that weft carries out over MPI, priced for the ranks of another machine: the same
// recipes, the same cost model (src/global), that machine's network.
#pragma once

#include "fabric/network/machine_ranks.hpp"
#include "prediction.hpp"

namespace weft::tool {

/// More ranks take longer than a second. In a line every rank has data for every other.
Index most_priced_ranks(const std::vector<Index>& shape);

/// The best recipe in which every rank sends to every rank it has data for (heFFTe's scheme:
/// bricks, pencils, bricks; of one axis: a line), and the best in which nodes speak to nodes;
/// bricks in, bricks out. Nothing for more than
/// most_priced_ranks().
/// Then the recipe that was given as text, if one was.
std::vector<Prediction> price_recipes(const fabric::MachineRanks& machine,
                                      const std::vector<Index>& shape, Precision precision,
                                      const std::string& given);

}  // namespace weft::tool
