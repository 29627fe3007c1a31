// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/run_plan.hpp"

namespace weft::test {

/// Plans and runs the transform on seeded data and expects the oracle's result, an untouched input
/// and untouched memory around the output.
void expect_close(const Transform& transform, std::uint64_t seed, const RunOptions& options = {});

}  // namespace weft::test
