// SPDX-License-Identifier: BSD-3-Clause
#include "local/array/memory.hpp"

#include <algorithm>
#include <limits>

#include "base/format.hpp"
#include "base/machine.hpp"
#include "weft/error.hpp"

namespace weft::local {
namespace {

double bytes_per_real(Precision precision) { return precision == Precision::f64 ? 8 : 4; }

/// Reals in the tables of a lane plan: twiddles, permutations, chirps and spectra.
double table_reals(const LaneRecipe& recipe) {
  const auto n = static_cast<double>(recipe.n);
  double reals = 0;
  for (const LaneRecipe& inner : recipe.inner)
    reals += table_reals(inner) + 2 * static_cast<double>(inner.n);
  // Pass p has r_0 ... r_(p-1) (r_p - 1) twiddles: n - r_0 together.
  if (recipe.type == LaneRecipe::Type::passes && !recipe.radices.empty())
    return 2 * (n - recipe.radices[0]);
  return recipe.type == LaneRecipe::Type::bluestein ? reals + 2 * n : reals;
}

[[noreturn]] void refuse_memory(const std::string& what, double bytes, double memory_bytes) {
  constexpr double gib = 1024.0 * 1024 * 1024;
  throw Error(
      ErrorCode::out_of_memory,
      weft::format("{} needs at least {:.3g} GiB for tables and workspace, this machine has "
                   "{:.3g} GiB; make the transform shorter, or share it out by "
                   "weft::DistributedPlan",
                   what, bytes / gib, memory_bytes / gib));
}

}  // namespace

Footprint least_footprint(const AxisRecipe& recipe, Precision precision) {
  const double real = bytes_per_real(precision);
  const double point = 2 * real, n = static_cast<double>(recipe.n);
  Footprint footprint;
  for (const LaneRecipe& lane : recipe.lane) footprint.tables += table_reals(lane) * real;
  for (const AxisRecipe& inner : recipe.inner) {
    footprint = least_footprint(inner, precision);
    footprint.tables += point * static_cast<double>(inner.n);  // the spectrum
  }
  switch (recipe.type) {
    case AxisRecipe::Type::lines:
    case AxisRecipe::Type::real_kernel: break;
    case AxisRecipe::Type::lanes:
      if (recipe.lane[0].radices.size() > 1)
        footprint.workspace = point * n * codelet::lanes(recipe.isa, precision);
      break;
    case AxisRecipe::Type::four_step:
    case AxisRecipe::Type::large: footprint.workspace += point * n; break;
    case AxisRecipe::Type::rader:  // of real rows: one real per point
    case AxisRecipe::Type::real_split:
    case AxisRecipe::Type::real_rader:
    case AxisRecipe::Type::bluestein: footprint.workspace += real * n; break;
  }
  return footprint;
}

bool fits_memory(const AxisRecipe& recipe, Precision precision, double memory_bytes) {
  const Footprint footprint = least_footprint(recipe, precision);
  return footprint.tables + footprint.workspace <= memory_bytes;
}

void require_line_memory(Index n, Precision precision, double memory_bytes) {
  const double bytes = 2 * bytes_per_real(precision) * static_cast<double>(n);
  if (bytes > memory_bytes)
    refuse_memory("an axis of " + std::to_string(n) + " complex points", bytes, memory_bytes);
}

void require_memory(const ArrayRecipe& recipe, Precision precision, double memory_bytes) {
  Footprint whole;
  for (const AxisRecipe& axis : recipe.axes) {
    const Footprint footprint = least_footprint(axis, precision);
    whole.tables += footprint.tables;
    whole.workspace = std::max(whole.workspace, footprint.workspace);
  }
  if (whole.tables + whole.workspace > memory_bytes)
    refuse_memory("the plan " + to_text(recipe), whole.tables + whole.workspace, memory_bytes);
}

double memory_of_this_machine() {
  const Machine& machine = this_machine();
  return machine.memory_bytes == 0
             ? std::numeric_limits<double>::infinity()
             : static_cast<double>(machine.memory_bytes) + static_cast<double>(machine.swap_bytes);
}

}  // namespace weft::local
