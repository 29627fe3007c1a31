// SPDX-License-Identifier: BSD-3-Clause
// The passes of the generator in the order in which compile.cpp applies them.
#pragma once

#include "codelet/ir/kernel.hpp"
#include "formula/expand.hpp"
#include "formula/formula.hpp"

namespace weft::codelet::ir {

/// The fully expanded formula of the kernel's transform. Without an objective, the best one for the
/// instruction set: the fewest operations if there are no multiply-adds, otherwise the fewest
/// instructions.
formula::Formula formula_of(const KernelKey& key, formula::Objective objective);
formula::Formula formula_of(const KernelKey& key);
/// Formula to arithmetic without simplification: every constant is multiplied, nothing is shared.
Kernel lower(const KernelKey& key, const formula::Formula& formula);

/// Merges common subexpressions and simplifies constants and signs.
Kernel simplify(Kernel kernel);
/// Moves remaining negations into the operation that produced the value.
Kernel absorb_negations(Kernel kernel);
/// Forms multiply-adds, on instruction sets that have them.
Kernel fuse_fma(Kernel kernel);
/// Removes multiplications by i in line kernels.
Kernel rotate(Kernel kernel);
/// Finds an order of execution with few live values.
Kernel schedule(Kernel kernel);
/// Estimated number of instructions of a kernel that is not scheduled yet: operations, spills and
/// reloads.
int instructions(const Kernel& kernel);

}  // namespace weft::codelet::ir
