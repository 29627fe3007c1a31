// SPDX-License-Identifier: BSD-3-Clause
// The generator's work, to look at: a kernel after every pass, and how many operations it needs.
#pragma once

#include <string>
#include <vector>

#include "codelet/runtime/abi.hpp"

namespace weft::codelet {

/// Operations of the kernel before multiply-adds are formed.
OperationCount count_before_fma(const KernelKey& key);
/// The same for the formula that needs fewest additions and multiplications together: the tangent
/// form of split radix for powers of two. Where there are multiply-adds it is not the fastest.
OperationCount fewest_operations(const KernelKey& key);
/// These two counts, and that of the finished kernel, for every radix of the catalogue, as text.
std::string operation_table();

/// The kernel after one pass.
struct Dump {
  std::string pass;  ///< "formula", "lower", "simplify", ...
  std::string text;
};
/// The kernel after every pass and, last, the emitted function.
std::vector<Dump> dump_all(const KernelKey& key);

}  // namespace weft::codelet
