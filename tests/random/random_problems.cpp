// SPDX-License-Identifier: BSD-3-Clause
#include "random_problems.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

namespace weft::test {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc{} || *end != '\0')
    ADD_FAILURE() << name << " is '" << text << "'; give a whole number";
  return value;
}

}  // namespace

void for_each_seed(const char* name, int few, const std::function<void(std::uint64_t)>& problem) {
  const std::uint64_t count = from_environment(name, static_cast<std::uint64_t>(few));
  const std::uint64_t first = from_environment("WEFT_RANDOM_FIRST", 1);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    problem(seed);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "run it alone: " << name << "=1 WEFT_RANDOM_FIRST=" << seed;
      return;
    }
  }
  std::cout << count << " problems from seed " << first << "\n";
}

}  // namespace weft::test
