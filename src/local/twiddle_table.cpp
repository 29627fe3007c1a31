// SPDX-License-Identifier: BSD-3-Clause
#include "local/twiddle_table.hpp"

#include "base/index.hpp"
#include "base/roots.hpp"

namespace weft::local {

RootTable::RootTable(Index n) : n_(n) {
  while ((Index{1} << (2 * shift_)) < n) ++shift_;
  mask_ = (Index{1} << shift_) - 1;
  low_.reserve(static_cast<std::size_t>(mask_ + 1));
  for (Index e = 0; e <= mask_; ++e) low_.push_back(root_of_unity(n, e));
  for (Index e = 0; e < n; e += mask_ + 1) high_.push_back(root_of_unity(n, e));
}

}  // namespace weft::local
