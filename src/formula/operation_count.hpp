// SPDX-License-Identifier: BSD-3-Clause
// What a terminal formula costs as straight-line code: real additions and multiplications after
// sharing equal values, with factors 0, 1, -1, i and -i free. expand.cpp chooses by it.
#pragma once

#include "formula/formula.hpp"

namespace weft::formula {

struct OperationCount {
  Index additions = 0;
  Index multiplications = 0;
  Index absorbed = 0;  ///< multiplications used by additions only, which can fuse them

  Index total() const { return additions + multiplications; }
  Index fused_total() const { return total() - absorbed; }
  friend bool operator==(const OperationCount&, const OperationCount&) = default;
};

/// Cost on complex input, or on real input (the imaginary parts are known to be zero).
OperationCount operation_count(const Formula& formula);
OperationCount operation_count_on_reals(const Formula& formula);

}  // namespace weft::formula
