// SPDX-License-Identifier: BSD-3-Clause
// The text of recipes, printed and read by the same code: each type of recipe has one function that
// walks through its parts in the order of the text. Printing appends them, reading sets them.
// The text may come from anywhere, so texts that are too long, nested too deeply or contain too
// large numbers are refused, just as misspelt ones. Whether a recipe fits a problem, this build and
// this machine is checked elsewhere: misfit() in local/array/array_fit.hpp, check_fit() in
// gpu/recipe/fits.hpp, objection() in global/choose/planner.hpp.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/types.hpp"

namespace weft::tune {

/// Limits of the grammar, far larger than any real transform.
inline constexpr Index longest_transform = Index{1} << 48;
inline constexpr int largest_radix = 4096;
inline constexpr int most_groups = 1024;

/// How a value is written.
template <class Value>
struct Name {
  Value value;
  std::string_view text;
};

/// All functions that read throw weft::Error (wisdom) if the text is not as expected.
class RecipeText {
 public:
  /// Prints.
  RecipeText() = default;
  /// Reads.
  explicit RecipeText(std::string_view text);

  bool is_reading() const { return is_reading_; }
  const std::string& printed() const { return printed_; }
  std::string_view rest() const { return rest_; }
  /// The text has been read to its end.
  void end() const;
  [[noreturn]] void fail(std::string_view why) const;

  /// Text that is always there.
  void word(std::string_view word);
  /// Text that is there or not.
  bool option(std::string_view word, bool is_there);
  void flag(std::string_view word, bool& value) { value = option(word, value); }

  template <class Integer>
  void number(Integer& value, Index least, Index most = std::numeric_limits<Index>::max()) {
    if (is_reading_)
      value = static_cast<Integer>(read_number(least, most));
    else
      printed_ += std::to_string(value);
  }
  /// One of several names. False: the value has none of them, or none comes next. Names that begin
  /// with a shorter one come before it.
  template <class Value>
  bool one_of(std::span<const Name<Value>> names, Value& value) {
    for (const Name<Value>& name : names)
      if (is_reading_ ? take(name.text) : name.value == value) {
        value = name.value;
        if (!is_reading_) printed_ += name.text;
        return true;
      }
    return false;
  }
  template <class Value>
  void name(std::span<const Name<Value>> names, Value& value, std::string_view what) {
    if (!one_of(names, value)) fail("expected " + std::string(what));
  }
  /// Everything before `end`, which is not consumed.
  void until(std::string_view end, std::string& text);

  /// One or more, with a separator between them.
  template <class Item, class Each>
  void list(std::vector<Item>& items, std::string_view separator, const Each& each) {
    walk(items, separator, each, [&] { return take(separator); });
  }
  /// The same; `end` ends the list although it begins with the separator.
  template <class Item, class Each>
  void list_before(std::string_view end, std::vector<Item>& items, std::string_view separator,
                   const Each& each) {
    walk(items, separator, each, [&] { return !rest_.starts_with(end) && take(separator); });
  }
  /// The same, separated by blanks; every item begins with a digit, what follows the list does not.
  template <class Item, class Each>
  void numbered_list(std::vector<Item>& items, const Each& each) {
    walk(items, " ", each, [&] { return is_digit_after_blank() && take(" "); });
  }

  /// a * b, at most longest_transform.
  Index product(Index a, Index b) const;

  /// Counts one level of nesting as long as it exists.
  class Level {
   public:
    explicit Level(RecipeText& text);
    ~Level() { --text_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    RecipeText& text_;
  };

 private:
  bool take(std::string_view word);
  Index read_number(Index least, Index most);
  bool is_digit_after_blank() const {
    return rest_.size() > 1 && rest_[1] >= '0' && rest_[1] <= '9';
  }
  template <class Item, class Each, class GoesOn>
  void walk(std::vector<Item>& items, std::string_view separator, const Each& each,
            const GoesOn& goes_on) {
    if (is_reading_) {
      items.clear();
      do each(items.emplace_back());
      while (goes_on());
      return;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) printed_ += separator;
      each(items[i]);
    }
  }

  bool is_reading_ = false;
  std::string printed_;
  std::string_view whole_, rest_;
  int depth_ = 0;
};

/// `describe(text, recipe)` walks through the recipe.
template <class Recipe, class Describe>
std::string print_recipe(Recipe recipe, const Describe& describe) {
  RecipeText text;
  describe(text, recipe);
  return text.printed();
}
/// The whole text is one recipe.
template <class Recipe, class Describe>
Recipe read_recipe(std::string_view whole, const Describe& describe) {
  RecipeText text(whole);
  Recipe recipe;
  describe(text, recipe);
  text.end();
  return recipe;
}

}  // namespace weft::tune
