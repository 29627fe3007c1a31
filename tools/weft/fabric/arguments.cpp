// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "../problem.hpp"
#include "global/run/stage.hpp"
#include "text.hpp"
#include "validators.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

fabric::WaferSchedule parse_schedule(const std::string& text) {
  if (text == "paper") return fabric::WaferSchedule::paper;
  if (text == "segmented") return fabric::WaferSchedule::segmented;
  if (text == "crossed") return fabric::WaferSchedule::crossed;
  refuse(fmt::format("schedule {}: one of paper, segmented, crossed", text));
}

fabric::WaferKernel parse_kernel(const std::string& text, fabric::WaferSchedule schedule) {
  if (text == "listing1") return fabric::WaferKernel::listing1;
  if (text == "stockham") return fabric::WaferKernel::stockham;
  if (text.empty())
    return schedule == fabric::WaferSchedule::paper ? fabric::WaferKernel::listing1
                                                    : fabric::WaferKernel::stockham;
  refuse(fmt::format("kernel {}: one of listing1, stockham", text));
}

fabric::WaferSending parse_sending(const std::string& text) {
  if (text == "pencils") return fabric::WaferSending::pencils;
  if (text == "halves") return fabric::WaferSending::halves;
  if (text == "quarter") return fabric::WaferSending::quarter;
  refuse(fmt::format("sending {}: one of pencils, halves, quarter", text));
}

}  // namespace

std::vector<Index> parse_size(const std::string& text) {
  const std::size_t hat = text.find('^');
  if (hat != std::string::npos && text.find('x') == std::string::npos) {
    const std::string power = text.substr(hat + 1);
    if (power != "1" && power != "2" && power != "3" && power != "4")
      refuse(fmt::format("size {}: powers are 1 to 4, as in 512^3", text));
    const ShapeArgument base = parse_shape(text.substr(0, hat));
    return std::vector<Index>(static_cast<std::size_t>(std::stoi(power)), base.shape.at(0));
  }
  const ShapeArgument parsed = parse_shape(text);
  if (!parsed.batch.empty()) refuse(fmt::format("size {}: one transform, no batch", text));
  return parsed.shape;
}

std::array<int, 2> parse_mesh(const std::string& text) {
  const std::vector<Index> mesh = parse_size(text);
  if (mesh.size() != 2 || mesh[0] > 1 << 20 || mesh[1] > 1 << 20)
    refuse(fmt::format("mesh {}: width and height, as in 512x512", text));
  return {static_cast<int>(mesh[0]), static_cast<int>(mesh[1])};
}

void add_wafer_options(CLI::App& command, WaferArguments& arguments) {
  command
      .add_option("--machine", arguments.machine,
                  "Name of a machine (see weft predict --machines), or a .json file")
      ->capture_default_str();
  command
      .add_option("--size", arguments.size,
                  "Size of the array: 512^3, 12x10x6 for x, y, z, or 1024^2")
      ->capture_default_str();
  command.add_option("--mesh", arguments.mesh,
                     "Wafer: processing elements, width x height (default: one per pencil)");
  command.add_option(
      "--precision", arguments.precision,
      "Precision: f16, f32 or f64 (default: as in the machine's published runs; f32 on a wafer)");
  command
      .add_option(
          "--schedule", arguments.schedule,
          "Wafer: how elements exchange data. paper: each broadcasts, receivers filter out their "
          "part; segmented: lines are divided into segments, and each element sends its own "
          "block first; crossed: as segmented, with rows and columns at the same time")
      ->capture_default_str();
  command.add_option(
      "--kernel", arguments.kernel,
      "Wafer: how an element transforms a line: listing1 (the paper's) or stockham (any length; "
      "moves no data) (default: listing1 with the schedule paper, else stockham)");
  command
      .add_option(
          "--sending", arguments.sending,
          "Wafer: when data are sent. pencils: a pencil after its transform; halves: the even "
          "half while the odd half is transformed; quarter: every fourth number while the others "
          "are transformed (both not with the schedule paper)")
      ->capture_default_str();
  command
      .add_option("--groups", arguments.groups,
                  "Wafer: segments per line (default: as many as the routers have colors for)")
      ->check(at_least(0));
  command.add_flag("--timed", arguments.timed,
                   "Wafer: send every block at its time, so that no two colors want a link at once "
                   "(not with the schedule paper)");
}

fabric::WaferPlan make_wafer_plan(const WaferArguments& arguments) {
  const std::vector<Index> size = parse_size(arguments.size);
  if (size.size() != 2 && size.size() != 3)
    refuse(fmt::format("size {}: the wafer transforms two or three dimensions, as in 512^3",
                       arguments.size));
  if (size[0] > 1 << 20 || size[1] > 1 << 20)
    refuse(fmt::format("size {}: lengths are 1 to 2^20", arguments.size));
  fabric::WaferPlan plan;
  plan.dimensions = static_cast<int>(size.size());
  plan.shape = {size[0], size[1], size.size() == 3 ? size[2] : 1};
  if (arguments.mesh.empty() && plan.dimensions == 2) {
    const auto side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(size[0]))));
    if (size[0] != size[1] || Index{side} * side != size[0])
      refuse(fmt::format("size {}: no mesh has one element per line; give --mesh, as in 32x32",
                         arguments.size));
    plan.width = plan.height = side;
  } else if (arguments.mesh.empty()) {
    plan.width = static_cast<int>(size[0]);
    plan.height = static_cast<int>(size[1]);
  } else {
    const auto [width, height] = parse_mesh(arguments.mesh);
    plan.width = width;
    plan.height = height;
  }
  plan.precision =
      arguments.precision.empty() ? Precision::f32 : parse_precision(arguments.precision);
  plan.direction = arguments.inverse ? Direction::backward : Direction::forward;
  plan.schedule = parse_schedule(arguments.schedule);
  plan.kernel = parse_kernel(arguments.kernel, plan.schedule);
  plan.groups = arguments.groups;
  plan.sending = parse_sending(arguments.sending);
  plan.one_line = arguments.one_line;
  plan.timed = arguments.timed;
  return plan;
}

fabric::Fidelity parse_fidelity(const std::string& text) {
  if (text == "closed-form") return fabric::Fidelity::closed_form;
  if (text == "runs") return fabric::Fidelity::runs;
  if (text == "wavelets") return fabric::Fidelity::wavelets;
  if (text == "whole") return fabric::Fidelity::whole;
  refuse(fmt::format("level {}: one of closed-form, runs, wavelets, whole", text));
}

double complex_bytes(Precision precision) { return 2 * static_cast<double>(real_bytes(precision)); }

double flops_of(const std::array<std::int64_t, 3>& shape) {
  const double points = static_cast<double>(shape[0] * shape[1] * shape[2]);
  return 5 * points * std::log2(std::max(points, 2.0));
}

}  // namespace weft::tool
