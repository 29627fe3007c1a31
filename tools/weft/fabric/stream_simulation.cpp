// SPDX-License-Identifier: BSD-3-Clause
#include "stream_simulation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "../commands.hpp"
#include "../text.hpp"
#include "fabric/wafer/stream.hpp"
#include "field.hpp"
#include "weft/plan.hpp"

namespace weft::tool {
namespace stream_simulation {

constexpr Index most_points = Index{1} << 24;

fabric::StreamPlan stream_of(const WaferArguments& wafer, const StreamRequest& request) {
  const std::vector<Index> size = parse_size(wafer.size);
  if (size.size() != 3)
    refuse(fmt::format("size {}: --stream takes three dimensions, as in 64x64x128", wafer.size));
  WaferArguments plane = wafer;
  plane.size = fmt::format("{}x{}", size[0], size[1]);
  if (plane.schedule == "paper") plane.schedule = "segmented";
  return {.plane = make_wafer_plan(plane),
          .nz = size[2],
          .wafers = request.wafers,
          .link_bits_per_s = request.link_bits_per_s};
}

/// The relative error of the transform of a known field against weft's own.
double error_of(const fabric::StreamPlan& stream, const fabric::WaferMachine& machine) {
  const auto [nx, ny, one] = stream.plane.shape;
  std::vector<std::complex<float>> data(static_cast<std::size_t>(nx * ny * stream.nz));
  std::vector<std::complex<double>> expected(data.size());
  for (std::int64_t z = 0; z < stream.nz; ++z)
    for (std::int64_t x = 0; x < nx; ++x)
      for (std::int64_t y = 0; y < ny; ++y) {
        const auto at = static_cast<std::size_t>((z * nx + x) * ny + y);
        data[at] = field_value(x, y, z);
        expected[at] = data[at];
      }
  fabric::run_stream(stream, machine, data);
  Plan(c2c({stream.nz, nx, ny})).execute(expected.data(), expected.data());
  double wrong = 0, whole = 0;
  for (std::size_t k = 0; k < data.size(); ++k) {
    wrong += std::norm(std::complex<double>(data[k]) - expected[k]);
    whole += std::norm(expected[k]);
  }
  return std::sqrt(wrong / whole);
}

}  // namespace stream_simulation

nlohmann::json simulate_stream(const fabric::FabricMachine& machine, const WaferArguments& wafer,
                               const StreamRequest& request, bool json_only) {
  using namespace stream_simulation;
  const fabric::WaferMachine& wafers = fabric::wafer_of(machine);
  const fabric::StreamPlan stream = stream_of(wafer, request);
  const Index points = stream.plane.shape[0] * stream.plane.shape[1] * stream.nz;
  const fabric::Fidelity level = parse_fidelity(request.level);
  const bool with_numbers = points <= most_points && level >= fabric::Fidelity::wavelets;
  const fabric::StreamTiming timing = fabric::time_of_stream(
      stream, wafers,
      {.fidelity = with_numbers ? level : std::min(level, fabric::Fidelity::closed_form)});
  fabric::WaferPlan whole = stream.plane;
  whole.shape[2] = stream.nz;
  const double allowed = allowed_error(whole);
  const double error = with_numbers ? error_of(stream, wafers) : 0;
  const double flops = 5 * static_cast<double>(points) * std::log2(static_cast<double>(points));
  if (!json_only) {
    fmt::print("{} planes of {}\n{}\n", stream.nz, stream.plane.describe(),
               stream.wafers > 1
                   ? fmt::format("on {} wafers {}", stream.wafers, machine.name)
                   : fmt::format("through the link between {} and its host", machine.name));
    fmt::print("  {:<30}{:>12}   {} at once, {} cycles each\n", "planes",
               seconds_text(timing.planes_s), timing.planes_at_once, timing.plane.cycles);
    fmt::print("  {:<30}{:>12}   {} at once, {} cycles each\n", "lines along z",
               seconds_text(timing.lines_s), timing.lines_at_once, timing.line_cycles);
    fmt::print("  {:<30}{:>12}\n", stream.wafers > 1 ? "links between wafers" : "link to the host",
               seconds_text(timing.link_s));
    fmt::print("  {:<30}{:>12}   {:.3g} Tflop/s; limited by {}, bound {}\n", "in all",
               seconds_text(timing.seconds), flops / timing.seconds / 1e12, timing.limit,
               seconds_text(timing.bound_s));
    if (with_numbers)
      fmt::print("  numbers: relative error {:.2e} (allowed {:.1e}) against weft in f64\n", error,
                 allowed);
    else
      fmt::print("  by formulas; numbers are transformed up to 2^24 points\n");
  }
  if (with_numbers && !(error <= allowed))
    throw Failed{fmt::format("the numbers are wrong: relative error {:.2e}, allowed {:.2e}", error,
                             allowed)};
  nlohmann::json document = {{"machine", machine.name},
                             {"size", wafer.size},
                             {"wafers", stream.wafers},
                             {"planes_s", timing.planes_s},
                             {"lines_s", timing.lines_s},
                             {"link_s", timing.link_s},
                             {"seconds", timing.seconds},
                             {"bound_s", timing.bound_s},
                             {"limit", timing.limit},
                             {"plane_cycles", timing.plane.cycles},
                             {"line_cycles", timing.line_cycles}};
  if (with_numbers) document["numbers"] = {{"relative_error", error}, {"allowed", allowed}};
  return document;
}

}  // namespace weft::tool
