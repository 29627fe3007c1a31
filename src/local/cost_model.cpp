// SPDX-License-Identifier: BSD-3-Clause
#include "local/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/machine.hpp"
#include "codelet/line.hpp"

namespace weft::local {

using codelet::Isa;

const MachineModel& machine_model() {
  static const MachineModel model = [] {
    MachineModel m;
    const Machine& machine = weft::this_machine();
    const auto known = [&](int level, double otherwise) {
      const auto bytes = static_cast<double>(machine.cache_bytes(level));
      return bytes > 0 ? bytes : otherwise;
    };
    m.l1_bytes = known(1, m.l1_bytes);
    m.l2_bytes = known(2, m.l2_bytes);
    m.l3_bytes = std::max(m.l2_bytes, known(3, m.l3_bytes) / 2);
    return m;
  }();
  return model;
}

double kernel_cycles(int radix, Isa isa, bool twiddled) {
  const auto* kernel = codelet::find_kernel(
      {.radix = radix, .in = codelet::Layout::planar, .out = codelet::Layout::planar});
  const double operations =
      (kernel != nullptr ? kernel->count.total() : 4.0 * radix * std::log2(radix)) +
      (twiddled ? 4.0 * (radix - 1) : 0.0);
  const double memory = 2.0 * radix + 2.0 * radix + (twiddled ? 2.0 * (radix - 1) : 0.0);
  // Values live at once beyond the register file are stored and loaded again.
  const double registers = isa == Isa::avx512 || isa == Isa::neon ? 32 : 16;
  const double spilled = std::max(0.0, 2.0 * radix + 4 - registers);
  return 6 + 0.42 * operations + 0.5 * memory + 1.1 * spilled;
}

namespace {

constexpr double memory_bytes_per_cycle = 4.0;

/// Cycles to sweep `bytes` of scratch once (read and write), by the cache they fit in.
double sweep_cycles(double bytes) {
  const MachineModel& m = machine_model();
  if (bytes <= m.l1_bytes) return 0;
  return bytes / (bytes <= m.l2_bytes ? 40.0 : bytes <= m.l3_bytes ? 16.0 : memory_bytes_per_cycle);
}

double scratch_bytes(Index n, Isa isa, Precision precision) {
  return static_cast<double>(n) * 2 * codelet::lanes(isa, precision) *
         (precision == Precision::f64 ? 8 : 4);
}

}  // namespace

double lane_cycles(const LaneRecipe& recipe, Isa isa, Precision precision) {
  const double n = static_cast<double>(recipe.n), bytes = scratch_bytes(recipe.n, isa, precision);
  double cycles = 0;
  switch (recipe.type) {
    case LaneRecipe::Type::passes:
      for (std::size_t p = 0; p < recipe.radices.size(); ++p)
        cycles += n / recipe.radices[p] * kernel_cycles(recipe.radices[p], isa, p > 0);
      return cycles + static_cast<double>(recipe.radices.size()) * sweep_cycles(bytes) + 10;
    case LaneRecipe::Type::split: {
      const int r = recipe.radices[0];
      return r * lane_cycles(recipe.inner[0], isa, precision) +
             n / r * kernel_cycles(r, isa, true) + sweep_cycles(bytes) + 10;
    }
    case LaneRecipe::Type::rader:
      return 2 * lane_cycles(recipe.inner[0], isa, precision) + 10 * n +
             3 * sweep_cycles(2 * bytes);
    case LaneRecipe::Type::bluestein: {
      const double m = static_cast<double>(recipe.inner[0].n);
      return 2 * lane_cycles(recipe.inner[0], isa, precision) + 8 * n + 5 * m +
             4 * sweep_cycles(2 * scratch_bytes(recipe.inner[0].n, isa, precision));
    }
  }
  return cycles;
}

double axis_ns(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision) {
  const MachineModel& machine = machine_model();
  const double lanes = codelet::lanes(recipe.isa, precision);
  const double bytes_per_point = precision == Precision::f64 ? 16 : 8;
  const double n = static_cast<double>(recipe.n);
  double transforms = 1;
  for (const Loop& loop : problem.loops) transforms *= static_cast<double>(loop.count);
  const double line_bytes = n * bytes_per_point;
  double cycles = 0;
  switch (recipe.type) {
    case AxisRecipe::Type::lanes: {
      const double count =
          problem.loops.empty() ? 1 : static_cast<double>(problem.loops.back().count);
      const double groups = std::ceil(count / lanes), outer = transforms / count;
      // Lanes that are not neighbours cost more shuffles; a partly filled group costs two moves.
      const bool unit = !problem.loops.empty() && problem.loops.back().in <= 2;
      const double shuffles = (unit ? 1.0 : 2.0) * n + (count < lanes ? 6 * n : 0);
      const double calls = groups / recipe.groups;
      cycles = outer * (groups * (lane_cycles(recipe.lane[0], recipe.isa, precision) + shuffles) +
                        20 * calls);
      // Real lanes go through scratch twice more, number by number where they are not neighbours.
      if (problem.kind != Kind::c2c) cycles += outer * groups * (unit ? 12 : 50) * n;
      break;
    }
    case AxisRecipe::Type::lines: {
      const codelet::Kernel* kernel = line_kernel(recipe, precision);
      const int lines = codelet::line_shape(kernel->key).lines;
      // Registers are loaded and stored once, and every third instruction is a shuffle.
      cycles = transforms * (6.0 + 0.45 * kernel->count.total()) / lines;
      cycles += transforms * 1.5 * n * 2 / lanes;
      break;
    }
    case AxisRecipe::Type::real_kernel: {
      const double count =
          problem.loops.empty() ? 1 : static_cast<double>(problem.loops.back().count);
      const double whole = std::floor(count / lanes), single = count - whole * lanes;
      const double kernel = 0.5 * kernel_cycles(static_cast<int>(problem.n), recipe.isa, false);
      cycles = transforms / count * (20 + (whole + single) * (kernel + 1.5 * n));
      break;
    }
    case AxisRecipe::Type::four_step:
    case AxisRecipe::Type::large: {
      const double n1 = static_cast<double>(recipe.lane[0].n),
                   n2 = static_cast<double>(recipe.lane[1].n);
      const double columns =
          std::ceil(n2 / lanes) * (lane_cycles(recipe.lane[0], recipe.isa, precision) + n1);
      const double rows =
          std::ceil(n1 / lanes) * (lane_cycles(recipe.lane[1], recipe.isa, precision) + 6 * n2);
      double line = columns + rows + 20;
      if (recipe.type == AxisRecipe::Type::large) {
        // Memory is read and written in pieces, the longer the better. What is stored past the
        // caches is not read first, but comes back from memory.
        const bool in_memory = recipe.stream || 2 * line_bytes > machine.l3_bytes;
        const double pieces = 1 + (in_memory ? 48 / (recipe.groups * lanes * bytes_per_point) : 0);
        const double sweeps = recipe.stream ? 2 * std::max(sweep_cycles(2 * line_bytes),
                                                           2 * line_bytes / memory_bytes_per_cycle)
                                            : 3 * sweep_cycles(2 * line_bytes);
        // Two cycles per point for the way through the buffer, found by timing lines in L2.
        line += 2 * n + 4 * n / lanes + pieces * sweeps + (recipe.stream ? 2 * n / lanes : 0);
      } else {
        line += 2 * sweep_cycles(3 * line_bytes) + 0.25 * n;
      }
      cycles = transforms * line;
      break;
    }
    case AxisRecipe::Type::rader:
    case AxisRecipe::Type::bluestein: {
      AxisProblem inner{.n = recipe.inner[0].n, .in_row = 2, .out_row = 2, .loops = {}};
      const double m = static_cast<double>(recipe.inner[0].n);
      cycles = transforms *
               (2 * axis_ns(recipe.inner[0], inner, precision) * machine.gigahertz + 6 * m + 4 * n);
      break;
    }
  }
  if (recipe.type != AxisRecipe::Type::lanes && recipe.type != AxisRecipe::Type::real_kernel &&
      problem.kind != Kind::c2c)
    cycles += transforms * 2 * n;
  const double total_bytes = transforms * line_bytes * 2;
  const double ns = cycles / machine.gigahertz;
  if (total_bytes <= machine.l3_bytes) return ns;
  // Beyond the caches, short pieces cost more than their bytes: a piece costs as one of 384 more.
  double piece = 4096;
  if (recipe.type == AxisRecipe::Type::lanes && problem.in_row != 2)
    piece = lanes * recipe.groups * bytes_per_point;
  const double memory_ns = total_bytes / machine.memory_bytes_per_ns * (1 + 384 / piece);
  return std::max(ns, memory_ns) + 0.2 * std::min(ns, memory_ns);
}

}  // namespace weft::local
