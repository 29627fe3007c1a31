// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/stream.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "fabric/wafer/numbers.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

std::int64_t bytes_of(Precision precision) { return precision == Precision::f16 ? 4 : 8; }

[[noreturn]] void refuse(const StreamPlan& stream, const std::string& what) {
  throw Error(ErrorCode::invalid_argument,
              weft::format("{} planes of {}: {}", stream.nz, stream.plane.describe(), what));
}

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A line lies on one element: what the kernel works in, and the next line, which comes meanwhile.
void check_line(const StreamPlan& stream, const WaferMachine& machine,
                const KernelProgram& kernel) {
  const std::int64_t number = bytes_of(stream.plane.precision);
  const std::int64_t bytes =
      kernel.memory_reals * number / 2 + stream.nz * number + machine.code_bytes;
  if (bytes > machine.memory_bytes)
    refuse(stream,
           weft::format("a line of {} needs {} of {} bytes of an element; take shorter lines, or "
                        "the kernel listing1, which needs less",
                        stream.nz, bytes, machine.memory_bytes));
}

/// Several wafers keep the array: its share, twice, on all elements.
void check_wafers(const StreamPlan& stream, const WaferMachine& machine) {
  const std::int64_t points = stream.plane.shape[0] * stream.plane.shape[1] * stream.nz;
  const std::int64_t elements = std::int64_t{machine.width} * machine.height * stream.wafers;
  if (stream.nz % stream.wafers != 0)
    refuse(stream, weft::format("{} wafers must share the planes evenly", stream.wafers));
  const std::int64_t bytes = 2 * ceiling(points, elements) * bytes_of(stream.plane.precision);
  if (stream.wafers > 1 && bytes > machine.memory_bytes - machine.code_bytes)
    refuse(stream, weft::format("{} bytes of every element of {} wafers, which have {}; take more "
                                "wafers",
                                bytes, stream.wafers, machine.memory_bytes));
}

}  // namespace

StreamTiming time_of_stream(const StreamPlan& stream, const WaferMachine& machine,
                            const RunOptions& options) {
  const WaferPlan plan = with_groups(stream.plane, machine);
  if (plan.dimensions != 2 || plan.direction != Direction::forward || stream.nz < 1 ||
      stream.wafers < 1 || plan.one_line)
    refuse(stream, "planes have two dimensions and are transformed forward");
  check_line(stream, machine, kernel_of(plan, stream.nz, machine));
  check_wafers(stream, machine);
  StreamTiming timing;
  timing.plane = time_on_wafer(plan, machine, options);
  timing.line_cycles = std::max<Cycle>(1, pencil_cycles(plan, stream.nz, machine));
  timing.planes_at_once = std::int64_t{machine.width / plan.width} * (machine.height / plan.height);
  timing.lines_at_once = std::int64_t{machine.width} * machine.height;
  const std::int64_t lines = plan.shape[0] * plan.shape[1];
  const std::int64_t plane_batches = ceiling(stream.nz / stream.wafers, timing.planes_at_once);
  const std::int64_t line_batches = ceiling(ceiling(lines, stream.wafers), timing.lines_at_once);
  timing.planes_s = static_cast<double>(plane_batches) * static_cast<double>(timing.plane.cycles) /
                    machine.clock_hz;
  timing.lines_s = static_cast<double>(line_batches) * static_cast<double>(timing.line_cycles) /
                   machine.clock_hz;
  const double rate = stream.link_bits_per_s > 0 ? stream.link_bits_per_s : machine.host_bits_per_s;
  const double bytes = static_cast<double>(lines * stream.nz * bytes_of(plan.precision));
  if (stream.wafers > 1) {
    // A wafer keeps 1 / wafers of its share and sends the rest; nothing overlaps: lines need all.
    const auto count = static_cast<double>(stream.wafers);
    timing.link_s = 8 * bytes / count * (count - 1) / count / rate;
    timing.seconds = timing.planes_s + timing.link_s + timing.lines_s;
  } else {
    // In and out again, for planes and for lines, over one link, while another batch is computed.
    // The link waits for the last batch, or the elements for the first and the last.
    const double pass = 2 * 8 * bytes / rate;
    timing.link_s = 2 * pass;
    const auto overlapped = [&](double computing, std::int64_t batches) {
      const auto count = static_cast<double>(batches);
      return std::max(pass + computing / count, computing + pass / count);
    };
    timing.seconds =
        overlapped(timing.planes_s, plane_batches) + overlapped(timing.lines_s, line_batches);
  }
  timing.bound_s = std::max(timing.link_s, timing.planes_s + timing.lines_s);
  timing.limit = timing.link_s > timing.planes_s + timing.lines_s
                     ? (stream.wafers > 1 ? "the links between wafers" : "the link to the host")
                     : "computing";
  return timing;
}

StreamTiming run_stream(const StreamPlan& stream, const WaferMachine& machine,
                        std::span<std::complex<float>> data, const RunOptions& options) {
  const StreamTiming timing = time_of_stream(stream, machine, options);
  const WaferPlan plan = with_groups(stream.plane, machine);
  const WaferLayout layout = layout_of(plan, machine);
  const auto [nx, ny, one] = plan.shape;
  const std::int64_t area = nx * ny;
  if (static_cast<std::int64_t>(data.size()) != area * stream.nz)
    refuse(stream, weft::format("{} numbers given", data.size()));
  std::vector<Number> plane(static_cast<std::size_t>(area));
  for (std::int64_t z = 0; z < stream.nz; ++z) {
    Number* here = data.data() + z * area;
    for (std::int64_t x = 0; x < nx; ++x)
      for (std::int64_t y = 0; y < ny; ++y)
        plane[static_cast<std::size_t>(spatial_position(plan, layout, x, y, 0))] = here[x * ny + y];
    run_on_wafer(plan, machine, plane, options);
    for (std::int64_t kx = 0; kx < nx; ++kx)
      for (std::int64_t ky = 0; ky < ny; ++ky)
        here[kx * ny + ky] =
            plane[static_cast<std::size_t>(spectral_position(plan, layout, kx, ky, 0))];
  }
  const KernelProgram kernel = kernel_of(plan, stream.nz, machine);
  PencilRunner lines(kernel, plan.precision);
  std::vector<Number> line(static_cast<std::size_t>(stream.nz));
  for (std::int64_t k = 0; k < area; ++k) {
    for (std::int64_t z = 0; z < stream.nz; ++z)
      line[static_cast<std::size_t>(z)] = data[static_cast<std::size_t>(z * area + k)];
    lines(line.data(), line.data(), stream.nz);
    for (std::int64_t z = 0; z < stream.nz; ++z)
      data[static_cast<std::size_t>(z * area + k)] = line[static_cast<std::size_t>(z)];
  }
  return timing;
}

}  // namespace weft::fabric
