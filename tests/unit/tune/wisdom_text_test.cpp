// SPDX-License-Identifier: BSD-3-Clause
#include "tune/wisdom_text.hpp"

#include <gtest/gtest.h>

#include <random>

#include "weft/error.hpp"

namespace weft::tune {
namespace {

WisdomFile sample_wisdom() {
  WisdomFile file;
  file.cpus["a CPU"]["c2c 64"] = {"axes 0: scalar:lanes(8.8,1)"};
  file.cpus["a CPU"]["quotes \" and \\ and \n"] = {"\x01 \t \u00e4 \U0001F600"};
  file.cpus["a CPU"]["of another version"] = {R"({"a":[1,-2,1.50e+300,true,null,{"b":[]}]})",
                                              false};
  file.cpus["no entries"];
  file.cpus[""][""] = {""};
  file.others["comment"] = {"kept"};
  file.others["list"] = {R"([[],{},"x",0])", false};
  return file;
}

TEST(WisdomText, SurvivesTheWayThroughText) {
  EXPECT_EQ(parse_wisdom(to_text(sample_wisdom())), sample_wisdom());
  EXPECT_EQ(parse_wisdom(to_text({})), WisdomFile());
  EXPECT_EQ(parse_wisdom(""), WisdomFile());
}

TEST(WisdomText, TextThatIsNotUtf8IsWrittenAsJsonAllTheSame) {
  WisdomFile file;
  file.cpus["\xff"]["\xfe"] = {"\xc3"};
  EXPECT_EQ(parse_wisdom(to_text(file)).cpus.at("\uFFFD").at("\uFFFD").text, "\uFFFD");
}

TEST(WisdomText, TheDepthOfWhatIsKeptIsLimited) {
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth - 1);  // the document is the first
    return R"({"format": "weft wisdom", "version": 1, "x": )" + std::string(count, '[') +
           std::string(count, ']') + "}";
  };
  EXPECT_EQ(parse_wisdom(nested(max_wisdom_depth)).others.size(), 1u);
  EXPECT_THROW(parse_wisdom(nested(max_wisdom_depth + 1)), Error);
}

TEST(WisdomText, DamagedTextsAreReadOrRefusedWithWisdomErrors) {
  const std::string good = to_text(sample_wisdom());
  std::mt19937 random(7);
  int accepted = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = "{}[]\",:\\0u\xff"[random() % 11]; break;
        case 1: text.erase(at, 1 + random() % 8); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 16));
      }
    }
    try {
      const WisdomFile file = parse_wisdom(text);
      EXPECT_EQ(parse_wisdom(to_text(file)), file) << text;
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::wisdom);
      ++refused;
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace weft::tune
