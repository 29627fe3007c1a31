// SPDX-License-Identifier: BSD-3-Clause
// Which kernels are built.
#pragma once

#include <span>
#include <vector>

#include "codelet/runtime/abi.hpp"

namespace weft::codelet {

/// Every kernel of the catalogue for one instruction set, by precision, radix and kind.
std::vector<KernelKey> catalogue(Isa isa);

/// The radices of complex kernels, ascending.
std::span<const int> catalogue_radices();

/// The largest radix of each file of kernels, ascending.
std::span<const int> catalogue_radix_files();

/// The longest line of each file of line kernels, ascending.
std::span<const int> catalogue_line_files();

}  // namespace weft::codelet
