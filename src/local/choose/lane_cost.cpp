// SPDX-License-Identifier: BSD-3-Clause
#include "local/choose/lane_cost.hpp"

#include <algorithm>
#include <cmath>

#include "codelet/prime/prime_kernels.hpp"
#include "local/choose/memory_cost.hpp"

namespace weft::local {

using codelet::Isa;

namespace {

// Of an operation, a load or store, a value beyond the registers, for registers of which two may
// start per cycle. Fitted with the constants of cost_model.cpp.
constexpr double operation = 0.28, access = 0.82, spill = 3.1;
constexpr double prime_operation = 0.62;  // of the loops over a prime radix

}  // namespace

double kernel_cycles(int radix, Isa isa, bool twiddled, const MachineModel& machine) {
  const auto* kernel = codelet::find_kernel(
      {.radix = radix, .in = codelet::KernelLayout::planar, .out = codelet::KernelLayout::planar});
  const double operations =
      (kernel != nullptr ? kernel->count.total() : 4.0 * radix * std::log2(radix)) +
      (twiddled ? 4.0 * (radix - 1) : 0.0);
  const double memory = 2.0 * radix + 2.0 * radix + (twiddled ? 2.0 * (radix - 1) : 0.0);
  const double registers = isa == Isa::avx512 || isa == Isa::neon ? 32 : 16;
  if (codelet::is_prime_radix(radix)) {
    const double each = registers == 32 ? prime_operation : 1.1 * prime_operation;
    return call_cycles + machine.vector_cycles(isa) * (each * operations + access * 2 * memory);
  }
  // Values live at once beyond the register file are stored and loaded again.
  const double spilled = std::max(0.0, 2.0 * radix + 4 - registers);
  return call_cycles +
         machine.vector_cycles(isa) * (operation * operations + access * memory + spill * spilled);
}

double lane_cycles(const LaneRecipe& recipe, Isa isa, Precision precision,
                   const MachineModel& machine, const LaneGroups& groups) {
  const auto n = static_cast<double>(recipe.n);
  // Of the scratch that all groups fill together, one group's share.
  const auto scratch_sweep = [&](Index rows) {
    const double scratch = groups.count * scratch_bytes(rows, isa, precision);
    // What no cache holds comes from many places and goes back to memory, too.
    const bool is_in_memory = level_of(scratch, {}, machine) == Level::memory;
    const double cycles =
        (is_in_memory ? 2 * memory_alone : 1) * sweep_cycles(scratch, {}, machine) +
        crowded_out_cycles(scratch, groups.passing * scratch, machine);
    return cycles / groups.count;
  };
  const auto inner_cycles = [&] {
    return lane_cycles(recipe.inner[0], isa, precision, machine, groups);
  };
  switch (recipe.type) {
    case LaneRecipe::Type::passes: {
      double cycles = 10;
      for (std::size_t p = 0; p < recipe.radices.size(); ++p)
        cycles += n / recipe.radices[p] * kernel_cycles(recipe.radices[p], isa, p > 0, machine);
      return cycles + static_cast<double>(recipe.radices.size()) * scratch_sweep(recipe.n);
    }
    case LaneRecipe::Type::split: {
      const int r = recipe.radices[0];
      return r * inner_cycles() + n / r * kernel_cycles(r, isa, true, machine) +
             scratch_sweep(recipe.n) + 10;
    }
    case LaneRecipe::Type::rader:
      return 2 * inner_cycles() + 10 * n + 3 * scratch_sweep(2 * recipe.n);
    case LaneRecipe::Type::bluestein: {
      const Index m = recipe.inner[0].n;
      return 2 * inner_cycles() + 8 * n + 5 * static_cast<double>(m) + 4 * scratch_sweep(2 * m);
    }
  }
  return 0;
}

}  // namespace weft::local
