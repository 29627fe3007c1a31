// SPDX-License-Identifier: BSD-3-Clause
// What the commands about fabrics share: sizes such as 512^3 or 750x990x750, meshes, names of
// schedules, kernels and levels.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fabric/wafer/run.hpp"

namespace CLI {
class App;
}

namespace weft::tool {

/// "512^3" is a cube here, "64x32x16" a box, "4096" a line.
std::vector<Index> parse_size(const std::string& text);
/// "512x512" as width and height.
std::array<int, 2> parse_mesh(const std::string& text);

struct WaferArguments {
  std::string machine = "wse2";
  std::string size = "64^3";
  std::string mesh;       ///< empty: one element per pencil
  std::string precision;  ///< empty: that of the machine's published runs, f32 on the wafer
  std::string schedule = "paper";
  std::string kernel;  ///< empty: listing1 for the paper's schedule, else stockham
  std::string sending = "pencils";
  int groups = 0;
  bool inverse = false;
  bool one_line = false;
  bool timed = false;
};
void add_wafer_options(CLI::App& command, WaferArguments& arguments);
fabric::WaferPlan make_wafer_plan(const WaferArguments& arguments);

fabric::Fidelity parse_fidelity(const std::string& text);

/// Bytes of a complex number.
double complex_bytes(Precision precision);

/// 5 N log2 N over the time.
double flops_of(const std::array<std::int64_t, 3>& shape);

}  // namespace weft::tool
