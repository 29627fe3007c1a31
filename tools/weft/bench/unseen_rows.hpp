// SPDX-License-Identifier: BSD-3-Clause
// The group `unseen` of `weft bench local`: random problems from a seed. Another seed gives
// problems that nothing of weft was fitted to, which show what plans of any problem are worth.
#pragma once

#include "bench/rows.hpp"

namespace weft::tool {

/// 100 rows with kinds, precisions, threads and places of the selection; the same for the same
/// selection.
std::vector<Row> unseen_rows(const RowSelection& selection);

}  // namespace weft::tool
