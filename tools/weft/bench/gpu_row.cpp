// SPDX-License-Identifier: BSD-3-Clause
#include "bench/gpu_row.hpp"

#include <fmt/format.h>

#include <optional>
#include <regex>

#include "base/names.hpp"
#include "problem.hpp"
#include "problem/request.hpp"
#include "text.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

std::vector<Index> cube(Index n) { return {n, n, n}; }

/// The row of a whole label; nothing where the text is none.
std::optional<GpuRow> parse_row(const std::string& text) {
  static const std::regex form(
      R"(([0-9]+(?:x[0-9]+){0,2})(?:\*([0-9]+))? (c2c|r2c|c2r) (f16|f32|f64))");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return {};
  GpuRow row;
  row.shape = parse_shape(parts[1]).shape;
  if (parts[2].matched) row.batch = parse_shape(parts[2]).shape[0];
  row.kind = parts[3] == "r2c" ? Kind::r2c : parts[3] == "c2r" ? Kind::c2r : Kind::c2c;
  row.precision = parse_precision(parts[4]);
  return row;
}

std::vector<GpuRow> rows_of(const std::string& chosen) {
  if (chosen == "unseen") return unseen_gpu_rows();
  if (const auto row = parse_row(chosen)) return {*row};
  std::vector<GpuRow> found;
  try {
    const std::regex pattern(chosen);
    for (const GpuRow& row : gpu_rows())
      if (std::regex_search(label(row), pattern)) found.push_back(row);
  } catch (const std::regex_error&) {
    refuse(fmt::format("--rows {} is not a regular expression", chosen));
  }
  if (found.empty())
    refuse(
        fmt::format("--rows {} is neither 'unseen' nor a label such as '343x343x343 c2c f32', "
                    "and matches no row of the benchmark; weft bench gpu --list prints all rows",
                    chosen));
  return found;
}

}  // namespace

std::string label(const GpuRow& row) {
  return fmt::format("{}{} {} {}", shape_text(row.shape),
                     row.batch > 1 ? fmt::format("*{}", row.batch) : "", to_string(row.kind),
                     to_string(row.precision));
}

Transform transform_of(const GpuRow& row) {
  std::vector<Index> shape = row.shape;
  std::vector<int> axes;
  if (row.batch > 1) shape.insert(shape.begin(), row.batch);
  for (std::size_t d = shape.size() - row.shape.size(); d < shape.size(); ++d)
    axes.push_back(static_cast<int>(d));
  Transform transform;
  transform.kind = row.kind;
  transform.shape = shape;
  transform.axes = axes;
  transform.precision = row.precision;
  return transform;
}

problem::ArrayProblem problem_of(const GpuRow& row) {
  return problem::check_request(transform_of(row), {}, {}).problem;
}

std::vector<GpuRow> gpu_rows() {
  std::vector<GpuRow> rows;
  for (const Precision precision : {Precision::f32, Precision::f16, Precision::f64})
    for (const Index n : {64, 128, 256, 512, 1024})
      if (precision != Precision::f64 || n <= 512)
        rows.push_back({cube(n), 1, Kind::c2c, precision});
  for (const Index n : {256, 512, 1024}) rows.push_back({cube(n), 1, Kind::r2c, Precision::f32});
  for (const Index n : {256, 512, 1024}) rows.push_back({cube(n), 1, Kind::c2r, Precision::f32});
  for (const Index n : {384, 400, 500, 640, 768})
    rows.push_back({cube(n), 1, Kind::c2c, Precision::f32});
  for (const Index n : {64, 256, 512, 1024, 4096, 16384, 65536})
    rows.push_back({{n}, (Index(1) << 27) / n, Kind::c2c, Precision::f32});
  for (const int bits : {20, 24, 26, 28})
    rows.push_back({{Index(1) << bits}, 1, Kind::c2c, Precision::f32});
  rows.push_back({{4096, 4096}, 1, Kind::c2c, Precision::f32});
  rows.push_back({{1009}, 65536, Kind::c2c, Precision::f32});
  return rows;
}

std::vector<GpuRow> unseen_gpu_rows() {
  constexpr auto c2c = Kind::c2c, r2c = Kind::r2c, c2r = Kind::c2r;
  constexpr auto f16 = Precision::f16, f32 = Precision::f32, f64 = Precision::f64;
  return {// 7^k
          {{2401}, 32768, c2c, f32},
          {{16807}, 4096, c2c, f32},
          {{117649}, 512, c2c, f32},
          {{5764801}, 1, c2c, f32},
          {{40353607}, 1, c2c, f32},
          {{147, 147, 147}, 8, c2c, f32},
          // 3^k
          {{243}, 262144, c2c, f32},
          {{2187}, 32768, c2c, f32},
          {{19683}, 4096, c2c, f32},
          {{177147}, 512, c2c, f32},
          {{14348907}, 1, c2c, f32},
          {{243, 243, 243}, 1, c2c, f32},
          {{81, 729, 729}, 1, c2c, f32},
          // 5^k
          {{625}, 131072, c2c, f32},
          {{3125}, 16384, c2c, f32},
          {{15625}, 4096, c2c, f32},
          {{9765625}, 1, c2c, f32},
          {{125, 125, 125}, 16, c2c, f32},
          {{125, 625, 625}, 1, c2c, f32},
          // 11^a 13^b
          {{121}, 524288, c2c, f32},
          {{143}, 262144, c2c, f32},
          {{1331}, 32768, c2c, f32},
          {{1573}, 32768, c2c, f32},
          {{20449}, 2048, c2c, f32},
          {{143, 143, 143}, 4, c2c, f32},
          {{169, 121, 143}, 4, c2c, f32},
          // odd boxes
          {{135, 189, 225}, 4, c2c, f32},
          {{231, 315, 351}, 1, c2c, f32},
          {{300, 420, 560}, 1, c2c, f32},
          {{96, 600, 1000}, 1, c2c, f32},
          {{1000, 1000, 200}, 1, c2c, f32},
          {{448, 448, 448}, 1, c2c, f32},
          {{700, 700, 700}, 1, c2c, f32},
          {{2000, 3000}, 8, c2c, f32},
          {{6561, 6561}, 1, c2c, f32},
          {{2187, 4096}, 4, c2c, f32},
          {{2048, 8192}, 4, c2c, f16},
          // real lines and boxes
          {{33554432}, 1, r2c, f32},
          {{8388608}, 8, r2c, f32},
          {{100000000}, 1, r2c, f32},
          {{48828125}, 1, r2c, f32},
          {{10077696}, 4, c2r, f32},
          {{16777216}, 1, c2r, f32},
          {{1000000}, 64, r2c, f32},
          {{65536}, 1024, r2c, f32},
          {{4096}, 16384, c2r, f32},
          {{360, 360, 360}, 1, r2c, f32},
          {{486, 486, 486}, 1, c2r, f32},
          // f64
          {{67108864}, 1, c2c, f64},
          {{33554432}, 1, r2c, f64},
          {{14348907}, 1, c2c, f64},
          {{1000}, 65536, c2c, f64},
          {{2048}, 32768, c2c, f64},
          {{768}, 65536, c2c, f64},
          {{320, 320, 320}, 1, c2c, f64},
          {{375, 375, 375}, 1, c2c, f64},
          {{147, 147, 147}, 4, c2c, f64},
          {{196, 196, 196}, 4, r2c, f64},
          {{280, 280, 280}, 1, c2r, f64},
          {{5000, 5000}, 1, c2c, f64}};
}

std::vector<GpuRow> select_gpu_rows(const std::vector<std::string>& chosen) {
  if (chosen.empty()) return gpu_rows();
  std::vector<GpuRow> rows;
  for (const std::string& each : chosen)
    for (const GpuRow& row : rows_of(each)) {
      bool is_there = false;
      for (const GpuRow& other : rows) is_there |= label(other) == label(row);
      if (!is_there) rows.push_back(row);
    }
  return rows;
}

}  // namespace weft::tool
