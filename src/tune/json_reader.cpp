// SPDX-License-Identifier: BSD-3-Clause
#include "tune/json_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/format.hpp"

namespace weft::tune {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number of bytes of the UTF-8 character at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  struct Range {
    unsigned char first, last, second_from, second_to;
    std::size_t length;
  };
  // The table of well-formed sequences of the Unicode standard (3-7).
  constexpr Range ranges[] = {
      {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
      {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
      {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (const Range& range : ranges) {
    if (text.empty() || byte(0) < range.first || byte(0) > range.last) continue;
    if (text.size() < range.length) return 0;
    if (range.length > 1 && (byte(1) < range.second_from || byte(1) > range.second_to)) return 0;
    for (std::size_t i = 2; i < range.length; ++i)
      if ((byte(i) & 0xc0u) != 0x80u) return 0;
    return range.length;
  }
  return 0;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

class Reader {
 public:
  Reader(std::string_view text, JsonReceiver& receiver) : rest_(text), receiver_(receiver) {}

  bool document() {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // a byte order mark
    skip_space();
    return value() && (skip_space(), rest_.empty());
  }

 private:
  bool value() {
    switch (peek()) {
      case '{': return members('{', '}');
      case '[': return members('[', ']');
      case '"': {
        std::optional<std::string> text = string();
        return text && receiver_.text(std::move(*text));
      }
      case 't': return word("true");
      case 'f': return word("false");
      case 'n': return word("null");
      default: return number();
    }
  }

  /// Of an object or an array.
  bool members(char opening, char closing) {
    take(opening);
    if (!receiver_.open(opening)) return false;
    skip_space();
    if (!take(closing)) {
      do {
        skip_space();
        if (opening == '{' && !member_name()) return false;
        if (!value()) return false;
        skip_space();
      } while (take(','));
      if (!take(closing)) return false;
    }
    return receiver_.close(closing);
  }
  bool member_name() {
    if (peek() != '"') return false;
    std::optional<std::string> name = string();
    if (!name || !receiver_.key(std::move(*name))) return false;
    skip_space();
    if (!take(':')) return false;
    skip_space();
    return true;
  }

  bool word(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return receiver_.literal(expected);
  }
  bool number() {
    const std::string_view start = rest_;
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    return receiver_.literal(start.substr(0, start.size() - rest_.size()));
  }
  bool digits() {
    if (!is_digit(peek())) return false;
    while (is_digit(peek())) rest_.remove_prefix(1);
    return true;
  }

  /// Nothing if it is not well formed.
  std::optional<std::string> string() {
    std::string text;
    take('"');
    while (!take('"')) {
      if (take('\\')) {
        if (!escaped(text)) return {};
        continue;
      }
      const std::size_t length = utf8_length(rest_);
      if (length == 0 || static_cast<unsigned char>(peek()) < 0x20) return {};
      text += rest_.substr(0, length);
      rest_.remove_prefix(length);
    }
    return text;
  }
  bool escaped(std::string& text) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (rest_.empty()) return false;
    if (take('u')) return escaped_code(text);
    const std::size_t which = letters.find(peek());
    if (which == std::string_view::npos) return false;
    text += meanings[which];
    rest_.remove_prefix(1);
    return true;
  }
  /// \uXXXX, or two of them for a character beyond U+FFFF.
  bool escaped_code(std::string& text) {
    std::optional<std::uint32_t> code = hexadecimal();
    if (!code || (*code >= 0xdc00 && *code < 0xe000)) return false;
    if (*code >= 0xd800 && *code < 0xdc00) {
      if (!take('\\') || !take('u')) return false;
      const std::optional<std::uint32_t> low = hexadecimal();
      if (!low || *low < 0xdc00 || *low >= 0xe000) return false;
      code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
    }
    append_utf8(text, *code);
    return true;
  }
  std::optional<std::uint32_t> hexadecimal() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = peek();
      const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
      const bool is_letter = lower >= 'a' && lower <= 'f';
      if (!is_digit(c) && !is_letter) return {};
      code = 16 * code + static_cast<std::uint32_t>(is_letter ? lower - 'a' + 10 : c - '0');
      rest_.remove_prefix(1);
    }
    return code;
  }

  char peek() const { return rest_.empty() ? '\0' : rest_[0]; }
  bool take(char expected) {
    if (rest_.empty() || rest_[0] != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
  }

  std::string_view rest_;
  JsonReceiver& receiver_;
};

}  // namespace

bool read_json(std::string_view text, JsonReceiver& receiver) {
  return Reader(text, receiver).document();
}

std::string json_string(std::string_view text) {
  constexpr std::string_view special = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::size_t which = special.find(text[0]);
    if (which != std::string_view::npos)
      (result += '\\') += letters[which];
    else if (length == 0)
      result += "\xef\xbf\xbd";
    else if (static_cast<unsigned char>(text[0]) < 0x20)
      result += weft::format("\\u{:04x}", static_cast<unsigned>(text[0]));
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result + "\"";
}

}  // namespace weft::tune
