// SPDX-License-Identifier: BSD-3-Clause
// Text with values in it: format("{} of {:.3g}", 2, x). The part of std::format that weft uses, for
// compilers whose standard library does not have it yet: {} and {:[0][width][.digits][type]}, with
// a number before the colon to choose the argument; types are d, x, e, f and g. A text that does
// not go with its arguments does not compile. The result does not depend on the locale.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace weft {

enum class FormatKind { integer, natural, real, text };

template <class Value>
consteval FormatKind format_kind() {
  using T = std::remove_cvref_t<Value>;
  if constexpr (std::same_as<T, bool> || std::same_as<T, char>)
    return FormatKind::text;
  else if constexpr (std::signed_integral<T>)
    return FormatKind::integer;
  else if constexpr (std::unsigned_integral<T>)
    return FormatKind::natural;
  else if constexpr (std::floating_point<T>)
    return FormatKind::real;
  else {
    static_assert(std::convertible_to<const T&, std::string_view>,
                  "format() takes numbers and texts");
    return FormatKind::text;
  }
}

/// One argument of format(). Texts are not copied.
class FormatValue {
 public:
  FormatValue(bool value) : kind_(FormatKind::text), text_(value ? "true" : "false") {}
  FormatValue(const char& value) : kind_(FormatKind::text), text_(&value, 1) {}
  FormatValue(std::signed_integral auto value)
      : kind_(FormatKind::integer), natural_(static_cast<std::uint64_t>(std::int64_t{value})) {}
  FormatValue(std::unsigned_integral auto value) : kind_(FormatKind::natural), natural_(value) {}
  template <std::floating_point Real>
  FormatValue(Real value)
      : kind_(FormatKind::real), is_float_(std::same_as<Real, float>), real_(value) {}
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  FormatValue(const Text& value) : kind_(FormatKind::text), text_(value) {}

  FormatKind kind() const { return kind_; }
  std::uint64_t natural() const { return natural_; }
  bool is_float() const { return is_float_; }
  long double real() const { return real_; }
  std::string_view text() const { return text_; }

 private:
  FormatKind kind_;
  bool is_float_ = false;
  std::uint64_t natural_ = 0;
  long double real_ = 0;
  std::string_view text_ = {};
};

/// What stands between braces.
struct FormatField {
  int argument = 0;
  int width = 0, digits = -1;
  bool zeros = false;  ///< fill with zeros
  char type = 0;
};

/// Walks over a format text. A mistake in it is a `throw`, which ends a constant evaluation.
class FormatReader {
 public:
  constexpr explicit FormatReader(std::string_view text) : rest_(text) {}
  constexpr bool at_end() const { return rest_.empty(); }
  /// The text up to the next field or doubled brace; one brace of a doubled one.
  constexpr std::string_view literal() {
    std::size_t length = 0;
    while (length < rest_.size() && rest_[length] != '{' && rest_[length] != '}') ++length;
    if (length == 0 && rest_.size() > 1 && rest_[0] == rest_[1]) {
      const std::string_view brace = rest_.substr(0, 1);
      rest_.remove_prefix(2);
      return brace;
    }
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }
  constexpr bool at_field() const { return rest_.size() > 1 && rest_[0] == '{' && rest_[1] != '{'; }
  constexpr FormatField field() {
    FormatField field;
    take('{');
    field.argument = starts_with_digit() ? number() : next_++;
    if (peek() == ':') {
      take(':');
      if (peek() == '0') {
        take('0');
        field.zeros = true;
      }
      if (starts_with_digit()) field.width = number();
      if (peek() == '.') {
        take('.');
        field.digits = number();
      }
      if (peek() != '}') {
        field.type = peek();
        if (std::string_view("dxefg").find(field.type) == std::string_view::npos)
          throw "unknown type of field";
        take(field.type);
      }
    }
    take('}');
    return field;
  }

 private:
  constexpr char peek() const { return rest_.empty() ? '\0' : rest_[0]; }
  constexpr bool starts_with_digit() const { return peek() >= '0' && peek() <= '9'; }
  constexpr void take(char expected) {
    if (peek() != expected) throw "a brace is missing, or a field is not as format.hpp says";
    rest_.remove_prefix(1);
  }
  constexpr int number() {
    if (!starts_with_digit()) throw "a number is missing";
    int value = 0;
    for (; starts_with_digit() && value < 1000; rest_.remove_prefix(1))
      value = 10 * value + (peek() - '0');
    return value;
  }
  std::string_view rest_;
  int next_ = 0;
};

/// A text that was checked against the types of its arguments by the compiler.
template <class... Values>
class FormatString {
 public:
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  consteval FormatString(const Text& text) : text_(text) {
    constexpr int count = sizeof...(Values);
    constexpr FormatKind kinds[] = {format_kind<Values>()..., FormatKind::text};
    bool used[count + 1] = {};
    for (FormatReader reader(text_); !reader.at_end();) {
      if (!reader.at_field()) {
        if (reader.literal().empty()) throw "a single brace; double it";
        continue;
      }
      const FormatField field = reader.field();
      if (field.argument >= count) throw "more fields than arguments";
      used[field.argument] = true;
      const FormatKind kind = kinds[field.argument];
      const bool is_integer = kind == FormatKind::integer || kind == FormatKind::natural;
      if ((field.type == 'd' || field.type == 'x') && !is_integer) throw "not an integer";
      if (field.type != 0 && field.type >= 'e' && field.type <= 'g' && kind != FormatKind::real)
        throw "not a floating-point number";
      if (field.digits >= 0 && kind != FormatKind::real) throw "digits of what has none";
    }
    for (int a = 0; a < count; ++a)
      if (!used[a]) throw "more arguments than fields";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

std::string format_values(std::string_view text, std::span<const FormatValue> values);

/// Write weft::format: for arguments from namespace std the compiler would also consider
/// std::format.
template <class... Values>
std::string format(FormatString<std::type_identity_t<Values>...> text, const Values&... values) {
  const FormatValue list[] = {FormatValue(values)..., FormatValue(false)};
  return format_values(text.text(), {list, sizeof...(Values)});
}

std::string joined(const std::vector<int>& numbers, std::string_view separator);
std::string joined(const std::vector<std::string>& words, std::string_view separator);

}  // namespace weft
