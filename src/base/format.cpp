// SPDX-License-Identifier: BSD-3-Clause
#include "base/format.hpp"

#include <charconv>
#include <cmath>

namespace weft {
namespace {

constexpr int max_number_chars = 512;

template <class... Arguments>
std::string number_text(Arguments... arguments) {
  char text[max_number_chars];
  const std::to_chars_result end = std::to_chars(text, text + sizeof text, arguments...);
  return end.ec == std::errc() ? std::string(text, end.ptr) : std::string("(too long)");
}

/// The fewest digits that read back as the same number: 0.1, 100000, 1e+20.
template <class Real>
std::string shortest(Real value) {
  const Real size = std::fabs(value);
  const bool is_plain = size == 0 || (size >= Real(1e-4) && size < Real(1e16));
  return number_text(value, is_plain ? std::chars_format::fixed : std::chars_format::scientific);
}

std::string real_text(const FormatField& field, const FormatValue& value) {
  const long double number = value.real();
  if (field.type == 0 && field.digits < 0)
    return value.is_float() ? shortest(static_cast<float>(number))
                            : shortest(static_cast<double>(number));
  const std::chars_format style = field.type == 'e'   ? std::chars_format::scientific
                                  : field.type == 'f' ? std::chars_format::fixed
                                                      : std::chars_format::general;
  return number_text(number, style, field.digits < 0 ? 6 : field.digits);
}

std::string text_of(const FormatField& field, const FormatValue& value) {
  const int base = field.type == 'x' ? 16 : 10;
  switch (value.kind()) {
    case FormatKind::integer: return number_text(static_cast<std::int64_t>(value.natural()), base);
    case FormatKind::natural: return number_text(value.natural(), base);
    case FormatKind::real: return real_text(field, value);
    case FormatKind::text: break;
  }
  return std::string(value.text());
}

/// Numbers at the right end of their field, texts at the left.
void append_field(std::string& text, const FormatField& field, const FormatValue& value) {
  const std::string own = text_of(field, value);
  const auto width = static_cast<std::size_t>(field.width);
  const std::size_t missing = own.size() < width ? width - own.size() : 0;
  if (value.kind() == FormatKind::text) {
    text += own;
    text.append(missing, ' ');
  } else if (field.zeros) {
    const std::size_t sign = own.starts_with('-') ? 1 : 0;
    text.append(own, 0, sign).append(missing, '0').append(own, sign);
  } else {
    text.append(missing, ' ') += own;
  }
}

template <class List, class ToText>
std::string joined_texts(const List& list, std::string_view separator, const ToText& to_text) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += separator;
    text += to_text(list[i]);
  }
  return text;
}

}  // namespace

std::string format_values(std::string_view text, std::span<const FormatValue> values) {
  std::string result;
  for (FormatReader reader(text); !reader.at_end();) {
    if (!reader.at_field()) {
      result += reader.literal();
      continue;
    }
    const FormatField field = reader.field();
    append_field(result, field, values[static_cast<std::size_t>(field.argument)]);
  }
  return result;
}

std::string joined(const std::vector<int>& numbers, std::string_view separator) {
  return joined_texts(numbers, separator, [](int number) { return std::to_string(number); });
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  return joined_texts(words, separator, [](const std::string& word) { return word; });
}

}  // namespace weft
