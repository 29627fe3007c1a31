// SPDX-License-Identifier: BSD-3-Clause
#include "tune/recipe_text.hpp"

#include <charconv>

#include "weft/error.hpp"

namespace weft::tune {
namespace {

constexpr std::size_t longest_text = std::size_t{1} << 20;
constexpr int deepest_nesting = 64;

}  // namespace

RecipeText::RecipeText(std::string_view text) : is_reading_(true), whole_(text), rest_(text) {
  if (text.size() > longest_text) fail("it is longer than 1048576 characters");
}

void RecipeText::fail(std::string_view why) const {
  const auto beginning = [](std::string_view text) {
    return std::string(text.substr(0, 60)) + (text.size() > 60 ? "..." : "");
  };
  if (!is_reading_)
    throw Error(ErrorCode::internal,
                "cannot print a recipe after '" + beginning(printed_) + "': " + std::string(why));
  throw Error(ErrorCode::wisdom, "cannot read the recipe '" + beginning(whole_) + "' at '" +
                                     beginning(rest_) + "': " + std::string(why));
}

void RecipeText::end() const {
  if (!rest_.empty()) fail("expected the end of the recipe");
}

bool RecipeText::take(std::string_view word) {
  if (!rest_.starts_with(word)) return false;
  rest_.remove_prefix(word.size());
  return true;
}

void RecipeText::word(std::string_view word) {
  if (!is_reading_)
    printed_ += word;
  else if (!take(word))
    fail("expected '" + std::string(word) + "'");
}

bool RecipeText::option(std::string_view word, bool is_there) {
  if (is_reading_) return take(word);
  if (is_there) printed_ += word;
  return is_there;
}

void RecipeText::until(std::string_view end, std::string& text) {
  if (!is_reading_) {
    printed_ += text;
    return;
  }
  const std::size_t length = rest_.find(end);
  if (length == std::string_view::npos) fail("expected '" + std::string(end) + "' later");
  text = rest_.substr(0, length);
  rest_.remove_prefix(length);
}

Index RecipeText::read_number(Index least, Index most) {
  Index value = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc() || value < least || value > most)
    fail("expected a number from " + std::to_string(least) + " to " + std::to_string(most));
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return value;
}

Index RecipeText::product(Index a, Index b) const {
  if (a > longest_transform / b) fail("the transform is longer than 2^48 points");
  return a * b;
}

RecipeText::Level::Level(RecipeText& text) : text_(text) {
  if (text.is_reading_ && text.depth_ >= deepest_nesting)
    text.fail("it is nested more than 64 levels deep");
  ++text.depth_;
}

}  // namespace weft::tune
