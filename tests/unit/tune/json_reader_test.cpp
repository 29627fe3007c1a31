// SPDX-License-Identifier: BSD-3-Clause
// Our JSON against that of nlohmann: what is JSON, and what it says.
#include "tune/json_reader.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace weft::tune {
namespace {

/// Builds the document again, as text without spaces.
class Rewriter final : public JsonReceiver {
 public:
  bool text(std::string text) override { return put(json_string(text)); }
  bool literal(std::string_view text) override { return put(std::string(text)); }
  bool key(std::string name) override { return put(json_string(name) + ":"); }
  bool open(char bracket) override { return ++depth_ < 100 && put(std::string(1, bracket)); }
  bool close(char bracket) override {
    --depth_;
    result += bracket;
    return true;
  }
  std::string result;

 private:
  bool put(const std::string& text) {
    const char last = result.empty() ? '[' : result.back();
    if (last != '[' && last != '{' && last != ':') result += ',';
    result += text;
    return true;
  }
  int depth_ = 0;
};

void expect_same(const std::string& text) {
  Rewriter ours;
  const bool is_json = read_json(text, ours);
  const auto theirs = nlohmann::json::parse(text, nullptr, false);
  const auto is_number_out_of_range = [&] {  // which nlohmann refuses; JSON has no such limit
    return text.find_first_of("eE") != std::string::npos;
  };
  if (theirs.is_discarded() && is_number_out_of_range()) return;
  ASSERT_EQ(is_json, !theirs.is_discarded()) << text;
  if (is_json) {
    EXPECT_EQ(nlohmann::json::parse(ours.result), theirs) << text;
  }
}

TEST(JsonReader, ReadsWhatIsJsonAndRefusesTheRest) {
  for (const char* text : {"",
                           " ",
                           "1",
                           "-0",
                           "01",
                           "-",
                           "1.",
                           ".5",
                           "1.5e+3",
                           "1e",
                           "true",
                           "tru",
                           "null ",
                           "[]",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "{}",
                           "{\"a\":1}",
                           "{\"a\" : [ {} , \"x\" ]}",
                           "{a:1}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "\"",
                           "\"\\\"",
                           "\"\\u00e4\"",
                           "\"\\ud83d\\ude00\"",
                           "\"\\ud83d\"",
                           "\"\\ude00\"",
                           "\"\\u12g4\"",
                           "\"\\x\"",
                           "\"\t\"",
                           "\"\x80\"",
                           "\"\xc3\xa4\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"",
                           "[] []",
                           "\xef\xbb\xbf{}",
                           "nan",
                           "+1",
                           "'a'",
                           "[1]x"})
    expect_same(text);
}

TEST(JsonReader, ReadsDamagedTextsAsOthersDo) {
  const std::string good =
      R"({"format": "weft \u00e4 \n", "list": [1, -2.5, true, null, {"b": []}], "": "\ud83d\ude00"})";
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = "{}[]\",:\\0u\xff \n-.e"[random() % 16]; break;
        case 1: text.erase(at, 1 + random() % 8); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 16));
      }
    }
    expect_same(text);
  }
}

TEST(JsonReader, EveryTextSurvivesAsAString) {
  const std::vector<std::string> characters = {
      "a",  "\"",   "\\",     "/",      std::string(1, '\0'), "\x01",
      "\n", "\x7f", "\u00e4", "\u20ac", "\U0001F600"};
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string text, bytes;
    for (int n = static_cast<int>(random() % 20); n > 0; --n) {
      text += characters[random() % characters.size()];
      bytes += static_cast<char>(random() % 256);
    }
    EXPECT_EQ(nlohmann::json::parse(json_string(text)), text);
    EXPECT_TRUE(nlohmann::json::accept(json_string(bytes)));
  }
}

}  // namespace
}  // namespace weft::tune
