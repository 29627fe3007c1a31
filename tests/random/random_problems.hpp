// SPDX-License-Identifier: BSD-3-Clause
// How many random problems to run: a few in the tests, any number from the shell
// (docs/reliability.md).
#pragma once

#include <cstdint>
#include <functional>

namespace weft::test {

/// Runs `problem` once per seed: `few` seeds, or as many as the environment variable `name` says.
/// Seeds begin at 1, or at WEFT_RANDOM_FIRST. Stops at the first failure and names its seed.
void for_each_seed(const char* name, int few, const std::function<void(std::uint64_t)>& problem);

}  // namespace weft::test
