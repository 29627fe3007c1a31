// SPDX-License-Identifier: BSD-3-Clause
// The passes of the generator in the order in which compile.cpp applies them.
#pragma once

#include "codelet/kernel.hpp"
#include "formula/expand.hpp"
#include "formula/formula.hpp"

namespace weft::codelet::ir {

/// The formula of the kernel's transform, terminals only. Without an objective the one that suits
/// the instruction set: fewest operations where there are no multiply-adds, else fewest
/// instructions.
formula::Formula formula_of(const KernelKey& key, formula::Objective objective);
formula::Formula formula_of(const KernelKey& key);
/// Formula to arithmetic, literally: every constant is multiplied, nothing is shared.
Kernel lower(const KernelKey& key, const formula::Formula& formula);

/// Common subexpressions, constants and signs.
Kernel simplify(Kernel kernel);
/// Signs that are left over move into the operation that produced the value.
Kernel absorb_negations(Kernel kernel);
/// Multiply-adds, on instruction sets that have them.
Kernel fuse_fma(Kernel kernel);
/// Factors i of line kernels.
Kernel rotate(Kernel kernel);
/// An order that keeps few values alive.
Kernel schedule(Kernel kernel);
/// Instructions of a kernel that is not scheduled yet, roughly: operations, spills and reloads.
int instructions(const Kernel& kernel);

}  // namespace weft::codelet::ir
