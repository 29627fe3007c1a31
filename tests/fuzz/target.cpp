// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/target.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace weft::fuzz {
namespace {

constexpr Index most_points = 4096;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::optional<Index> number(std::string_view word) {
  Index value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<Index>> numbers(std::string_view word, char separator) {
  std::vector<Index> values;
  for (const std::string_view part : split(word, separator)) {
    const auto value = number(part);
    if (!value || *value < 0 || *value > most_points) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

bool set_kind(std::string_view word, Transform& transform) {
  static constexpr std::string_view kinds[] = {"c2c", "r2c", "c2r"};
  static constexpr std::string_view r2r_kinds[] = {"dct1", "dct2", "dct3", "dct4", "dst1",
                                                   "dst2", "dst3", "dst4", "dht"};
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    if (word == kinds[i]) {
      transform.kind = static_cast<Kind>(i);
      if (transform.kind == Kind::c2r) transform.direction = Direction::backward;
      return true;
    }
  for (std::size_t i = 0; i < std::size(r2r_kinds); ++i)
    if (word == r2r_kinds[i]) {
      transform.kind = Kind::r2r;
      transform.r2r = {static_cast<R2r>(i)};
      return true;
    }
  return false;
}

bool set_shape(std::string_view word, Transform& transform) {
  const auto shape = numbers(word, 'x');
  if (!shape || shape->size() > 4) return false;
  Index points = 1;
  for (const Index n : *shape) points *= n;
  if (points < 1 || points > most_points) return false;
  transform.shape = *shape;
  return true;
}

/// Axes are listed even where all are meant: the oracle wants them so.
bool set_axes(const std::vector<Index>& axes, Transform& transform) {
  transform.axes.clear();
  for (const Index axis : axes) {
    if (axis >= static_cast<Index>(transform.shape.size())) return false;
    for (const int known : transform.axes)
      if (known == axis) return false;
    transform.axes.push_back(static_cast<int>(axis));
  }
  return true;
}

}  // namespace

std::pair<std::string_view, std::string_view> first_line(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

std::optional<Transform> small_transform(std::string_view text) {
  const auto words = split(text, ' ');
  Transform transform;
  if (words.size() < 3 || !set_kind(words[0], transform)) return std::nullopt;
  if (words[1] != "f32" && words[1] != "f64") return std::nullopt;
  transform.precision = words[1] == "f32" ? Precision::f32 : Precision::f64;
  if (!set_shape(words[2], transform)) return std::nullopt;
  std::vector<Index> axes;
  for (std::size_t d = 0; d < transform.shape.size(); ++d) axes.push_back(static_cast<Index>(d));
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (words[i] == "backward" && transform.kind == Kind::c2c) {
      transform.direction = Direction::backward;
    } else if (words[i] == "axes" && i + 1 < words.size()) {
      const auto listed = numbers(words[++i], ',');
      if (!listed) return std::nullopt;
      axes = *listed;
    } else {
      return std::nullopt;
    }
  }
  if (!set_axes(axes, transform)) return std::nullopt;
  if (transform.kind == Kind::r2r) transform.r2r.resize(transform.axes.size(), transform.r2r[0]);
  return transform;
}

test::Field input_for(const Transform& transform) {
  const bool is_complex = transform.kind == Kind::c2c;
  test::Field field = test::random_field(transform.shape, is_complex, 1);
  if (transform.kind == Kind::c2r) {
    Transform mirrored = transform;
    mirrored.kind = Kind::r2c;
    mirrored.direction = Direction::forward;
    field = test::expected(mirrored, field);
  }
  for (auto& value : field.values)
    value = transform.precision == Precision::f64 ? test::LongComplex(std::complex<double>(value))
                                                  : test::LongComplex(std::complex<float>(value));
  return field;
}

void check_output(const Transform& transform, const test::Field& input, const test::Field& output,
                  const std::string& how) {
  const double error = test::relative_error(output, test::expected(transform, input));
  // Not a test of accuracy: any order of operations may be asked for.
  const double tolerance =
      100 * test::tolerance(transform.precision, static_cast<Index>(input.values.size()));
  ++accepted;
  if (!(error < tolerance)) fail("'" + how + "' has a relative error of " + std::to_string(error));
}

void fail(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

}  // namespace weft::fuzz
