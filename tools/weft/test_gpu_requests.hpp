// SPDX-License-Identifier: BSD-3-Clause
// Requests to GPU plans that must be refused, and plans that must do with little memory.
#pragma once

namespace weft::tool {

/// What must be refused with a weft::Error; returns the failures.
int test_refusals();

/// A cube without a workspace, and one that is tuned while most of the memory is taken; returns the
/// failures.
int test_memory();

}  // namespace weft::tool
