// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rows.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <regex>

#include "base/names.hpp"
#include "bench/unseen_rows.hpp"
#include "npy.hpp"
#include "problem.hpp"
#include "text.hpp"

namespace weft::tool {
namespace {

constexpr Index cache_budget_bytes = 1 << 20;  // a batch in cache: 1 MiB of complex elements

/// All rows of one kind, precision, thread count and place, in the order of printing.
std::vector<Row> rows_like(const Row& like) {
  std::vector<Row> rows;
  const auto add = [&](const char* group, std::vector<Index> shape, Index batch) -> Row& {
    Row row = like;
    row.group = group;
    row.shape = std::move(shape);
    row.batch = batch;
    rows.push_back(row);
    return rows.back();
  };
  const auto in_cache_batch = [&](Index n) {
    return std::max<Index>(1, cache_budget_bytes / (n * 2 * real_bytes(like.precision)));
  };
  if (like.kind == Kind::r2r) {
    for (const R2r kind : {R2r::dct2, R2r::dct3, R2r::dct4}) {
      for (const Index n : {1024, 1000}) add("dct", {n}, in_cache_batch(n)).r2r = kind;
      add("dct", {512, 512}, 1).r2r = kind;
    }
    return rows;
  }
  // One small transform per call; threads and the place make no difference to it.
  if (like.threads == 1 && like.place == Place::out)
    for (const Index n : {4,  5,  6,  7,  8,  9,  10, 11,  12,  13,  15,  16,
                          20, 25, 32, 48, 60, 64, 96, 100, 120, 128, 200, 256})
      add("single", {n}, 1);
  for (const Index n : {16, 64, 256, 512, 1024, 4096, 16384, 60, 120, 360, 1000, 3125, 10000})
    add("in-cache", {n}, in_cache_batch(n));
  for (const Index n : {44100, 65536}) add("in-cache", {n}, 1);
  for (const Index n : {17, 31, 127, 323, 437, 1001, 7429, 16807, 30030, 59049, 78125})
    add("odd", {n}, in_cache_batch(n));
  for (Index n = 64; n <= 16384; n *= 2) add("real", {n}, in_cache_batch(n));
  add("primes", {1009}, in_cache_batch(1009));
  add("primes", {65537}, 1);
  // A real array and its spectrum lie differently there, so no real columns in place.
  if (like.kind == Kind::c2c || like.place == Place::out)
    add("columns", {512}, 512).arrangement = Arrangement::columns;
  for (const Index n : {1 << 18, 1000000, 1 << 20, 1 << 22}) add("large", {n}, 1);
  for (const Index n : {1024, 4096}) add("2d", {n, n}, 1);
  for (const Index n : {128, 256, 512}) add("3d", {n, n, n}, 1);
  return rows;
}

/// A POSIX extended regular expression.
class Expression {
 public:
  explicit Expression(const std::string& text) {
    const int status = regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB);
    if (status == 0) return;
    char reason[100] = "";
    regerror(status, &compiled_, reason, sizeof reason);
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format(
            "'{}' in --rows is not a regular expression ({}); name groups (single, "
            "in-cache, odd, real, dct, primes, columns, large, 2d, 3d, unseen), lengths (2-256) or "
            "match labels such as '1024 c2c'",
            text, reason));
  }
  ~Expression() { regfree(&compiled_); }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  bool found_in(const std::string& text) const {
    return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
};

/// The row of a whole label, such as "columns 3*112500 c2r f32 out 1t".
std::optional<Row> row_of_label(const std::string& text) {
  static const std::regex form(
      "(columns )?((?:[0-9]+\\*)?[0-9]+(?:x[0-9]+)*) (c2c|r2c|c2r) (f32|f64) (in|out) "
      "([1-9][0-9]{0,3})t");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return {};
  const ShapeArgument argument = parse_shape(parts[2]);
  Row row;
  row.group = "named";
  row.shape = argument.shape;
  if (!argument.batch.empty()) row.batch = argument.batch[0];
  row.kind = parts[3] == "r2c" ? Kind::r2c : parts[3] == "c2r" ? Kind::c2r : Kind::c2c;
  row.precision = parse_precision(parts[4]);
  row.place = parts[5] == "in" ? Place::in : Place::out;
  row.threads = std::stoi(parts[6]);
  if (!parts[1].matched) return row;
  row.arrangement = Arrangement::columns;
  const bool is_possible =
      row.shape.size() == 1 && row.batch > 1 && (row.kind == Kind::c2c || row.place == Place::out);
  return is_possible ? std::optional(row) : std::nullopt;
}

/// "2-256": one transform of each of these lengths per call.
struct Lengths {
  Index first, last;
};
std::optional<Lengths> lengths_of(const std::string& text) {
  static const std::regex form("([1-9][0-9]{0,4})-([1-9][0-9]{0,4})");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return {};
  const Lengths lengths{std::stoll(parts[1]), std::stoll(parts[2])};
  if (lengths.first > lengths.last)
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("'{}' in --rows has no length; write the shorter one first, such as 2-256",
                    text));
  return lengths;
}

/// By one thread, as more have no part in so little work.
void add_lengths(const Lengths& lengths, const RowSelection& selection, std::vector<Row>& rows) {
  for (const Precision precision : selection.precisions)
    for (const Kind kind : selection.kinds)
      for (const Place place : selection.places)
        for (Index n = lengths.first; n <= lengths.last; ++n) {
          Row row;
          row.group = "lengths";
          row.shape = {n};
          row.kind = kind;
          row.precision = precision;
          row.place = place;
          rows.push_back(row);
        }
}

bool matches(const Row& row, const std::vector<std::string>& wanted) {
  // Groups that would say little new beside the others are timed when they are named.
  if (wanted.empty()) return row.group != "odd" && row.group != "real" && row.group != "dct";
  return std::ranges::any_of(wanted, [&](const std::string& text) {
    if (row_of_label(text) || lengths_of(text)) return false;  // those rows, and no others
    return text == row.group || text == row.name() || Expression(text).found_in(row.label());
  });
}

}  // namespace

std::string Row::name() const {
  const char* cosines[] = {"dct2 ", "dct3 ", "dct4 "};
  std::string one;
  if (kind == Kind::r2r) one = cosines[static_cast<int>(r2r) - static_cast<int>(R2r::dct2)];
  if (kind == Kind::r2r && batch > 1) one += fmt::format("{}*", batch);
  one += shape_text(shape);
  if (batch == 1 || kind == Kind::r2r) return one;
  return fmt::format("{}{}*{}", arrangement == Arrangement::columns ? "columns " : "", batch, one);
}

std::string Row::label() const {
  return fmt::format("{} {} {} {} {}t", name(), to_string(kind), to_string(precision),
                     place == Place::in ? "in" : "out", threads);
}

double Row::flops() const {
  Index points = 1;
  for (const Index n : shape) points *= n;
  return nominal_flops(points, batch, kind != Kind::c2c);
}

std::vector<Row> select_rows(const RowSelection& selection) {
  std::vector<Row> chosen;
  std::vector<Kind> kinds = selection.kinds;
  if (std::ranges::find(selection.rows, "dct") != selection.rows.end()) kinds.push_back(Kind::r2r);
  for (const int threads : selection.threads)
    for (const Precision precision : selection.precisions)
      for (const Kind kind : kinds)
        for (const Place place : selection.places) {
          Row like;
          like.kind = kind;
          like.precision = precision;
          like.threads = threads;
          like.place = place;
          for (const Row& row : rows_like(like))
            if (matches(row, selection.rows)) chosen.push_back(row);
        }
  const bool wants_unseen = std::ranges::find(selection.rows, "unseen") != selection.rows.end();
  if (wants_unseen) std::ranges::copy(unseen_rows(selection), std::back_inserter(chosen));
  for (const std::string& text : selection.rows) {
    if (const auto row = row_of_label(text)) chosen.push_back(*row);
    if (const auto lengths = lengths_of(text)) add_lengths(*lengths, selection, chosen);
  }
  if (chosen.empty())
    throw Error(ErrorCode::invalid_argument,
                "no row is left by --rows, --kinds, --precisions, --threads and --place; see "
                "weft bench local --list");
  return chosen;
}

namespace {

/// Strides of one side, and through `bytes` how much memory it needs.
std::vector<Index> strides_of_side(std::vector<Index> extents, bool pad_for_complex,
                                   Index element_bytes, std::size_t& bytes) {
  if (pad_for_complex) extents.back() = 2 * (extents.back() / 2 + 1);
  bytes = static_cast<std::size_t>(element_bytes);
  for (const Index n : extents) bytes *= static_cast<std::size_t>(n);
  return contiguous_strides(extents, Order::row_major);
}

}  // namespace

Geometry geometry_of(const Row& row, Direction direction) {
  Geometry geometry;
  Transform& transform = geometry.transform;
  const bool is_real = row.kind != Kind::c2c, is_r2r = row.kind == Kind::r2r;
  const bool backward = (direction == Direction::backward) != (row.kind == Kind::c2r);
  transform.shape = row.shape;
  if (row.batch > 1 && row.arrangement == Arrangement::columns) {
    transform.shape.push_back(row.batch);
    transform.axes = {0};
  } else if (row.batch > 1) {
    transform.shape.insert(transform.shape.begin(), row.batch);
    for (std::size_t d = 0; d < row.shape.size(); ++d)
      transform.axes.push_back(static_cast<int>(d) + 1);
  }
  transform.kind = !is_real ? Kind::c2c : is_r2r ? Kind::r2r : backward ? Kind::c2r : Kind::r2c;
  transform.direction = backward ? Direction::backward : Direction::forward;
  transform.precision = row.precision;
  if (is_r2r) transform.r2r = {backward ? inverse_of(row.r2r) : row.r2r};

  const std::vector<int> axes = normalized_axes(transform.axes, transform.shape.size());
  std::vector<Index> half = transform.shape;
  if (is_real && !is_r2r) {
    Index& length = half[static_cast<std::size_t>(axes.back())];
    length = length / 2 + 1;
  }
  const Index element = 2 * real_bytes(row.precision);
  // The side of the array's own shape (real for r2c) and the side of the spectrum.
  std::size_t array_bytes = 0, spectrum_bytes = 0;
  const auto array = strides_of_side(transform.shape, is_real && !is_r2r && row.place == Place::in,
                                     is_real ? element / 2 : element, array_bytes);
  const auto spectrum =
      strides_of_side(half, false, is_r2r ? element / 2 : element, spectrum_bytes);
  geometry.in.strides = backward ? spectrum : array;
  geometry.out.strides = backward ? array : spectrum;
  geometry.in_bytes = backward ? spectrum_bytes : array_bytes;
  geometry.out_bytes = backward ? array_bytes : spectrum_bytes;

  geometry.problem.kind = transform.kind;
  geometry.problem.direction = transform.direction;
  if (is_r2r) geometry.problem.r2r = transform.r2r[0];
  for (std::size_t d = 0; d < transform.shape.size(); ++d) {
    const bool is_transformed = std::ranges::find(axes, static_cast<int>(d)) != axes.end();
    (is_transformed ? geometry.problem.transformed : geometry.problem.batch)
        .push_back({transform.shape[d], geometry.in.strides[d], geometry.out.strides[d]});
  }
  return geometry;
}

}  // namespace weft::tool
