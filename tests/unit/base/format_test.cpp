// SPDX-License-Identifier: BSD-3-Clause
#include "base/format.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

namespace weft {
namespace {

TEST(Format, PutsValuesIntoText) {
  const std::string text = "text";
  EXPECT_EQ(weft::format(""), "");
  EXPECT_EQ(weft::format("{}", 42), "42");
  EXPECT_EQ(weft::format("{} {} {}", "a", text, std::string_view("c")), "a text c");
  EXPECT_EQ(weft::format("{}{}{}", true, 'x', false), "truexfalse");
  EXPECT_EQ(weft::format("{0}{1}{0}", 1, 2), "121");
  EXPECT_EQ(weft::format("{{{}}}", 7), "{7}");
  EXPECT_EQ(weft::format("a }} b {{ c"), "a } b { c");
  EXPECT_EQ(weft::format("{} {}", std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::uint64_t>::max()),
            "-9223372036854775808 18446744073709551615");
}

TEST(Format, KeepsToWidthsAndTypes) {
  EXPECT_EQ(weft::format("[{:4}] [{:4}] [{:2}]", 42, "ab", 12345), "[  42] [ab  ] [12345]");
  EXPECT_EQ(weft::format("{:x} {:016x} {:04d} {:04d}", 255u, 0xabcu, 7, -7),
            "ff 0000000000000abc 0007 -007");
  EXPECT_EQ(weft::format("{:.3g} {:.1f} {:.2e}", 1234.5678, 0.25, 1234.5678),
            "1.23e+03 0.2 1.23e+03");
  EXPECT_EQ(weft::format("{:8.2f}|", 3.14159), "    3.14|");
}

TEST(Format, NumbersAreShortAndReadBackAsTheyWere) {
  EXPECT_EQ(weft::format("{} {} {} {}", 0.1, 1.0, 100000.0, -0.0), "0.1 1 100000 -0");
  EXPECT_EQ(weft::format("{} {} {}", 1e20, 1e-5, 0.1f), "1e+20 1e-05 0.1");
  EXPECT_EQ(weft::format("{} {}", std::numeric_limits<double>::infinity(), -1e300 * 1e300),
            "inf -inf");
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (value != value) continue;
    EXPECT_EQ(std::strtod(weft::format("{}", value).c_str(), nullptr), value);
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.17g", value);
    EXPECT_EQ(weft::format("{:.17g}", value), expected);
  }
  char expected[64];
  std::snprintf(expected, sizeof expected, "%.21Lg", 1.0L / 3);
  EXPECT_EQ(weft::format("{:.21g}", 1.0L / 3), expected);
}

TEST(Format, JoinsLists) {
  EXPECT_EQ(joined(std::vector<int>{1, -2, 3}, "x"), "1x-2x3");
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(joined(std::vector<int>{}, "x"), "");
}

}  // namespace
}  // namespace weft
