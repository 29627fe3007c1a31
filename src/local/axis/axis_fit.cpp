// SPDX-License-Identifier: BSD-3-Clause
// Which recipes fit which problems: every recipe that fits() accepts can be built here and computes
// the right numbers. Recipes may come from a file, so everything about them is checked.
#include "local/axis/axis_fit.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "codelet/runtime/isa.hpp"
#include "local/axis/axis_engine.hpp"
#include "local/axis/engines.hpp"
#include "local/lane/lane_ops.hpp"

namespace weft::local {
namespace {

using codelet::Isa;
using codelet::KernelLayout;
using codelet::Twiddle;

/// No recipe gains by more groups; scratch grows with them.
constexpr int most_useful_groups = most_streamed_groups;
/// A convolution this many times longer than its transform wastes memory only.
constexpr Index longest_convolution = 8;

bool is_built(int radix, Isa isa, Precision precision, KernelLayout in, KernelLayout out,
              Twiddle twiddle) {
  return codelet::find_kernel({.isa = isa,
                               .precision = precision,
                               .radix = radix,
                               .in = in,
                               .out = out,
                               .twiddle = twiddle}) != nullptr;
}

/// A pass between planar rows, by which every other pass can be done.
bool has_planar_pass(int radix, Isa isa, Precision precision) {
  return is_built(radix, isa, precision, KernelLayout::planar, KernelLayout::planar,
                  Twiddle::broadcast_in);
}

bool is_odd_prime(Index n) { return n > 2 && is_prime(n); }

bool is_convolution_length(Index n, Index m) {
  return m >= 2 * n - 1 && m <= longest_convolution * n;
}

bool has_kernels(const LaneRecipe& recipe, Isa isa, Precision precision) {
  switch (recipe.type) {
    case LaneRecipe::Type::passes:
      return std::ranges::all_of(recipe.radices, [&](int radix) {
        // Radix 64 reads from memory; elsewhere lane plans do it as 8 x 8.
        return has_planar_pass(radix == 64 ? 8 : radix, isa, precision) &&
               is_built(radix, isa, precision, KernelLayout::strided, KernelLayout::planar,
                        Twiddle::none);
      });
    case LaneRecipe::Type::split:
      return has_planar_pass(recipe.radices[0], isa, precision) &&
             has_kernels(recipe.inner[0], isa, precision);
    case LaneRecipe::Type::rader:
      return is_odd_prime(recipe.n) && has_kernels(recipe.inner[0], isa, precision);
    case LaneRecipe::Type::bluestein:
      return is_convolution_length(recipe.n, recipe.inner[0].n) &&
             has_kernels(recipe.inner[0], isa, precision);
  }
  return false;
}

/// Steps of the lane plan: parts of a split are steps of their own.
double plan_steps(const LaneRecipe& recipe) {
  switch (recipe.type) {
    case LaneRecipe::Type::passes: return static_cast<double>(recipe.radices.size());
    case LaneRecipe::Type::split: return 1 + recipe.radices[0] * plan_steps(recipe.inner[0]);
    default: return 8 + 2 * plan_steps(recipe.inner[0]);
  }
}

/// The longest transform within: convolutions in convolutions grow.
Index longest_inside(const LaneRecipe& recipe) {
  return recipe.inner.empty() ? recipe.n : std::max(recipe.n, longest_inside(recipe.inner[0]));
}

bool fits(const LaneRecipe& recipe, Isa isa, Precision precision) {
  const auto n = static_cast<double>(recipe.n);
  return has_kernels(recipe, isa, precision) && plan_steps(recipe) <= 4 * n + 64 &&
         longest_inside(recipe) <= longest_convolution * recipe.n;
}

/// Only complex transforms run in groups. Streaming stores whole cache lines of neighbours.
bool fits_lanes(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision) {
  const bool is_plain = problem.kind == Kind::c2c && !problem.is_staged();
  if (recipe.groups > (is_plain ? most_useful_groups : 1)) return false;
  if (recipe.stream &&
      (!has_streaming_stores(recipe.isa) || !admits_streamed_lanes(problem, precision)))
    return false;
  return fits(recipe.lane[0], recipe.isa, precision);
}

/// Streaming stores columns of adjacent points; a block of columns must exist; all threads work on
/// one line where that line is not brought into another form first.
bool fits_large(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision) {
  const bool is_plain = problem.kind == Kind::c2c && !problem.is_staged();
  if (recipe.groups * codelet::lanes(recipe.isa, precision) > recipe.lane[1].n) return false;
  if (recipe.stream && !has_streaming_stores(recipe.isa)) return false;
  if (recipe.stream && is_plain && problem.out_row != 2) return false;
  return !recipe.together || is_plain ||
         (!problem.is_staged() && has_contiguous_real_lines(problem));
}

/// Both factors fill a register, or the rows of a matrix in cache nearly: contiguous points then
/// fill the rest. Real and staged lines come as contiguous complex ones.
bool fits_matrix(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision) {
  const LaneRecipe &columns = recipe.lane[0], &rows = recipe.lane[1];
  const Index lanes = codelet::lanes(recipe.isa, precision);
  if (columns.n < lanes || recipe.groups > most_useful_groups) return false;
  if (!fits(columns, recipe.isa, precision)) return false;
  if (recipe.type == AxisRecipe::Type::large)
    return rows.n >= lanes && fits_large(recipe, problem, precision) &&
           fits(rows, recipe.isa, precision);
  const bool is_contiguous = problem.kind != Kind::c2c || problem.is_staged() ||
                             (problem.out_row == 2 && (rows.n >= lanes || problem.in_row == 2));
  return is_contiguous && rows.type == LaneRecipe::Type::passes && rows.radices.size() == 1 &&
         is_built(rows.radices[0], recipe.isa, precision, KernelLayout::tile, KernelLayout::unit,
                  Twiddle::vector_in);
}

/// The inner line, also in f64: the convolution's spectrum is computed by the same recipe.
bool fits_convolution(const AxisRecipe& recipe, Precision precision) {
  const AxisRecipe& inner = recipe.inner[0];
  const bool has_length = recipe.type == AxisRecipe::Type::rader
                              ? is_odd_prime(recipe.n)
                              : is_convolution_length(recipe.n, inner.n);
  const AxisProblem line{.n = inner.n, .in_row = 2, .out_row = 2, .loops = {}};
  return has_length && !inner.together && fits(inner, line, precision) &&
         fits(inner, line, Precision::f64);
}

/// Streaming recipes read ahead anyway.
bool fits_read_ahead(const AxisRecipe& recipe, const AxisProblem& problem) {
  if (recipe.stream && (recipe.ahead || !has_streaming_stores(recipe.isa))) return false;
  return admits_read_ahead(problem);
}

bool fits_real_split(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision) {
  const AxisRecipe& inner = recipe.inner[0];
  const AxisProblem line{.n = inner.n, .in_row = 2, .out_row = 2, .loops = {{2, 0, 0}}};
  return !inner.together && !reads_ahead(inner) && inner.type != AxisRecipe::Type::real_split &&
         admits_real_split(recipe, problem, precision) && fits(inner, line, precision);
}

/// The inner line there and back, also in f64 for the convolution's spectrum.
bool fits_real_rader(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision) {
  const AxisRecipe& inner = recipe.inner[0];
  const bool is_real = problem.kind == Kind::r2c || problem.kind == Kind::c2r;
  if (!is_real || problem.is_staged() || problem.n != recipe.n) return false;
  const bool has_length =
      2 * inner.n == recipe.n - 1 ||
      (inner.n >= recipe.n - 1 && 2 * inner.n <= longest_convolution * recipe.n);
  return is_odd_prime(recipe.n) && has_length && !inner.together && !reads_ahead(inner) &&
         fits(inner, real_line(2 * inner.n, Kind::r2c), precision) &&
         fits(inner, real_line(2 * inner.n, Kind::c2r), precision) &&
         fits(inner, real_line(2 * inner.n, Kind::r2c), Precision::f64);
}

}  // namespace

bool admits_streamed_lanes(const AxisProblem& problem, Precision precision) {
  return problem.kind == Kind::c2c && !problem.is_staged() && !problem.twiddled &&
         !problem.loops.empty() && problem.loops.back().out == 2 &&
         problem.out_row * (precision == Precision::f64 ? 8 : 4) % 64 == 0;
}

bool fits(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision) {
  using Type = AxisRecipe::Type;
  if (recipe.n != problem.complex_length()) return false;
  if (problem.twiddled && recipe.type != Type::lanes) return false;
  if (problem.kind == Kind::r2r && recipe.type != Type::lanes &&
      !is_own_kernel(recipe, problem, precision))
    return has_trig_lines(problem) && !recipe.together && !reads_ahead(recipe) &&
           fits(recipe, trig_line_problem(problem, {}), precision);
  const auto isas = codelet::available_isas();
  if (std::ranges::find(isas, recipe.isa) == isas.end()) return false;
  if (reads_ahead(recipe) && !fits_read_ahead(recipe, problem)) return false;
  switch (recipe.type) {
    case Type::lanes: return fits_lanes(recipe, problem, precision);
    case Type::lines: return admits_lines(recipe, problem, precision);
    case Type::real_kernel:
      return admits_real_kernel(recipe.isa, problem, precision) &&
             admits_real_kernel(Isa::scalar, problem, precision);
    case Type::four_step:
    case Type::large: return fits_matrix(recipe, problem, precision);
    case Type::rader:
    case Type::bluestein: return fits_convolution(recipe, precision);
    case Type::real_split: return fits_real_split(recipe, problem, precision);
    case Type::real_rader: return fits_real_rader(recipe, problem, precision);
  }
  return false;
}

}  // namespace weft::local
