// SPDX-License-Identifier: BSD-3-Clause
#include "local/choose/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "codelet/dense/dense_lines.hpp"
#include "codelet/prime/prime_kernels.hpp"
#include "local/axis/engines.hpp"
#include "local/choose/cost_constants.hpp"
#include "local/choose/lane_cost.hpp"
#include "local/choose/memory_cost.hpp"

namespace weft::local {

using codelet::Isa;

namespace {

/// What one axis costs; every engine has a function of its name that gives cycles of one worker's
/// core if the data were in its first cache, and the walks over memory that come to it.
struct AxisCost {
  const AxisRecipe& recipe;
  const AxisProblem& problem;
  const Setting& setting;
  const MachineModel& machine;
  double n = static_cast<double>(recipe.n);
  double lanes = codelet::lanes(recipe.isa, setting.precision);
  double real_bytes = problem.half ? 2 : real_bytes_of(setting.precision);
  double point_bytes = 2 * real_bytes;
  double transforms = static_cast<double>(LoopIndex(problem.loops).count());
  Loop lane = problem.loops.empty() ? Loop{} : problem.loops.back();
  bool is_real = problem.kind != Kind::c2c;
  const codelet::CompiledKernel* whole_line = whole_line_kernel(recipe, problem, setting.precision);
  double waiting = 0;  // cycles for lines of the arrays

  enum class Side { input, output };

  /// Bytes of input and output that a worker touches.
  double bytes() const {
    return transforms * n * point_bytes * (setting.in_place ? 1 : 2) / setting.workers;
  }
  double distance(Index reals) const { return std::abs(static_cast<double>(reals)) * real_bytes; }
  double width(Side side) const {
    const bool is_single =
        problem.kind == Kind::r2r || problem.kind == (side == Side::input ? Kind::r2c : Kind::c2r);
    return is_single ? real_bytes : point_bytes;
  }
  Index row(Side side) const { return side == Side::input ? problem.in_row : problem.out_row; }
  Index lane_of(Side side) const { return side == Side::input ? lane.in : lane.out; }
  double lane_plan(const LaneRecipe& plan, Passing passing) const {
    return lane_cycles(plan, recipe.isa, setting.precision, machine,
                       {recipe.groups, static_cast<double>(passing)});
  }

  /// Adds a sweep over one side. What is written is read first, unless it goes past the caches or
  /// has just been read.
  void sweep(Side side, Walk walk, double rows_of_line) {
    const bool is_streamed = side == Side::output && recipe.stream;
    const Level home =
        is_streamed || setting.from_memory ? Level::memory : level_of(bytes(), setting, machine);
    walk.point_bytes = width(side);
    walk.points = transforms * rows_of_line;
    const double all = piece_factor() * walk_cycles(walk, home, setting, machine);
    const double cycles = home == Level::memory ? memory_cycles(side, walk, all)
                          : home == Level::l3   ? l3_cycles(walk, all)
                                                : all;
    waiting += home >= Level::l3 ? cycles * places_factor(side) : cycles;
    if (is_streamed && setting.read_again) waiting += brought_back(walk);
  }
  /// What went past the caches comes from memory when the next axis reads it.
  double brought_back(const Walk& walk) const {
    const double longer = fill_cycles(Level::memory, setting, machine).in_row -
                          fill_cycles(Level::l3, setting, machine).in_row;
    return lines_of(walk) * std::max(0.0, longer);
  }
  /// Lanes of arrays that are not too large are fetched before they are needed.
  double l3_cycles(const Walk& walk, double all) const {
    if (recipe.type != AxisRecipe::Type::lanes || !runs_ahead()) return all;
    const double in_row = lines_of(walk) * fill_cycles(Level::l3, setting, machine).in_row;
    if (bytes() > foreseen_bytes) return all;
    if (machine.wide_lanes_in_l3 > 0)
      return in_row * (1 + machine.wide_lanes_in_l3 * std::log2(recipe.groups));
    return in_row + foreseen_lanes * (all - in_row);
  }
  static double lines_of(const Walk& walk) { return walk.points * walk.point_bytes / line_bytes; }
  /// Long lines are read and written in pieces as long as a block of columns, lanes that are
  /// neighbours in pieces as long as their groups.
  double piece_factor() const {
    const double piece = lanes * recipe.groups * point_bytes;
    if (recipe.type == AxisRecipe::Type::large)
      return piece < short_piece_bytes && fills_half_of_l3(3 * n * point_bytes) ? short_pieces : 1;
    const bool in_pieces = recipe.type == AxisRecipe::Type::lanes && runs_ahead();
    return in_pieces && fills_half_of_l3(bytes()) ? 1 + piece_overhead_bytes / piece : 1;
  }
  bool fills_half_of_l3(double in_use) const {
    return 2 * in_use >= machine.l3_share_bytes(setting.threads);
  }
  /// How many places of the array a kernel reads or writes at a time.
  double places(Side side) const {
    const auto end = [&](const LaneRecipe& plan) {
      if (plan.radices.empty()) return 1;
      return side == Side::input ? plan.radices.front() : plan.radices.back();
    };
    switch (recipe.type) {
      case AxisRecipe::Type::lanes: return end(recipe.lane[0]);
      case AxisRecipe::Type::four_step:
      case AxisRecipe::Type::large: return end(recipe.lane[side == Side::input ? 0 : 1]);
      default: return 1;
    }
  }
  static double places_factor(double places) {
    return 1 + more_places * std::max(0.0, std::log2(places / 8));
  }
  /// A matrix in cache is read column by column; rows that are shorter than a register come as a
  /// whole.
  double places_factor(Side side) const {
    const bool is_matrix = recipe.type == AxisRecipe::Type::four_step;
    if (!is_matrix || side == Side::output) return places_factor(places(side));
    const bool has_whole_rows = static_cast<double>(recipe.lane[1].n) <= lanes;
    if (has_whole_rows && recipe.lane[0].radices.size() == 1) return 1;
    return places_factor(places(side)) + (has_whole_rows ? 0 : rows_in_parts);
  }
  /// Of lines that come from memory or go there; `all` is what they cost if nothing is fetched.
  double memory_cycles(Side side, const Walk& walk, double all) const {
    const bool is_streamed = side == Side::output && recipe.stream;
    const double times = side == Side::output && !is_streamed && !setting.in_place ? 2 : 1;
    if (recipe.type == AxisRecipe::Type::lanes && runs_ahead()) {
      if (times > 1) return times * all;
      const double in_row = lines_of(walk) * fill_cycles(Level::memory, setting, machine).in_row;
      const bool is_late = walk.piece_bytes() < short_piece_bytes;
      return (is_streamed ? streamed_lanes : is_late ? fetched_late : fetched_lanes) * in_row;
    }
    if (!reads_ahead(recipe) || is_streamed) return times * all;
    return times * (setting.in_place || recipe.stream ? fetched_line : fetched_elsewhere) * all;
  }
  /// Lanes that are neighbours are read while those before them are computed.
  bool runs_ahead() const {
    return has_unit_lanes(Side::input) && !is_real && !problem.is_formed();
  }
  double length(Side side) const {
    return width(side) == point_bytes && is_real ? n + 1 : static_cast<double>(problem.n);
  }
  /// One transform after another, each along its own row.
  void sweep_lines(Side side) {
    sweep(side,
          {.rows = length(side),
           .row_bytes = distance(row(side)),
           .next_bytes = lane.count > 1 ? distance(lane_of(side)) : line_bytes},
          length(side));
  }
  /// Short lines, one directly after the other, as many as a kernel takes.
  void sweep_adjacent_lines(Side side) {
    sweep(side, {.rows = lanes * length(side), .row_bytes = width(side), .next_bytes = line_bytes},
          length(side));
  }
  /// Neighbouring transforms together: the kernels' rows, then the rows after them.
  void sweep_lanes(Side side, double rows, double apart) {
    sweep(side,
          {.rows = rows,
           .row_bytes = apart * distance(row(side)),
           .lanes = std::min(lanes * recipe.groups, static_cast<double>(lane.count)),
           .lane_bytes = distance(lane_of(side)),
           .next_bytes = distance(row(side))},
          length(side));
  }

  bool has_unit_lanes(Side side) const { return distance(lane_of(side)) == width(side); }

  /// A row of points into or out of registers; of real numbers, two rows make one.
  double row_cycles(Side side) const {
    if (width(side) == point_bytes)
      return has_unit_lanes(side)
                 ? unit_row
                 : lanes * (reads_tiles(side) ? one_kernel_point() : machine.point);
    if (has_unit_lanes(side)) return real_rows;
    const bool are_pairs =
        problem.kind != Kind::r2r && problem.n % 2 == 0 && distance(row(side)) == width(side);
    const double single = problem.kind == Kind::r2r ? trig_pair : real_pair;
    return (are_pairs ? pair_point : single) * lanes;
  }

  /// One kernel takes whole lines of adjacent points: several rows at a time.
  bool reads_tiles(Side side) const {
    return !is_real && !problem.is_staged() && !problem.twiddled &&
           recipe.lane[0].type == LaneRecipe::Type::passes && recipe.lane[0].radices.size() == 1 &&
           distance(row(side)) == width(side);
  }
  double one_kernel_point() const {
    return codelet::is_prime_radix(recipe.lane[0].radices[0]) ? prime_point : tile_point;
  }

  double partial_cycles(double count) const {
    double cycles = 0;
    const double unit = partial_row * (0.5 + lanes * real_bytes / 64);
    for (const Side side : {Side::input, Side::output})
      cycles += n * (has_unit_lanes(side) ? unit : partial_row + partial_point * count);
    return cycles;
  }

  double by_lanes() {
    const auto count = static_cast<double>(lane.count);
    const double groups = std::ceil(count / lanes);
    const double outer = transforms / count;
    double moves = 0;
    for (const Side side : {Side::input, Side::output}) moves += row_cycles(side);
    double plan = lane_plan(recipe.lane[0], runs_ahead() ? Passing::ahead : Passing::in_turn);
    if (is_real && problem.kind != Kind::r2r && problem.n % 2 != 0) {
      moves /= 2;  // a complex row per real number
      // A real first pass leaves half the work of the others, as does a real convolution.
      if (recipe.lane[0].type == LaneRecipe::Type::passes ||
          recipe.lane[0].type == LaneRecipe::Type::split || has_real_convolution(recipe))
        plan /= 2;
    }
    if (problem.twiddled) moves += unit_row;  // planar rows in between
    const auto& radices = recipe.lane[0].radices;
    const double first = radices.empty() ? n : radices.front();
    const bool one_kernel = radices.size() == 1 && !is_real;
    if (one_kernel || is_real) {
      sweep_lanes(Side::input, one_kernel ? n : 1, 1);
      sweep_lanes(Side::output, one_kernel ? n : 1, 1);
    } else {
      sweep_lanes(Side::input, first, n / first);
      // Neighbours fill their lines at once; others after all calls of the last pass.
      const double last = radices.empty() ? n : radices.back();
      const double rows = has_unit_lanes(Side::output) ? last : n / first;
      sweep_lanes(Side::output, rows, n / rows);
    }
    if (is_real && problem.kind != Kind::r2r && problem.n % 2 == 0)
      moves += paired_row * machine.vector_cycles(recipe.isa);
    // Lanes that fill no register come and go through rows of their own.
    const double partial =
        count / lanes < groups ? partial_cycles(count - lanes * (groups - 1)) : 0;
    return outer *
           (groups * (plan + moves * n) + partial + 2 * call_cycles * groups / recipe.groups);
  }

  /// The matrices of a dense line are read once for each line.
  double table_cycles(const codelet::KernelKey& key) const {
    if (!codelet::is_dense_line(key)) return 0;
    return sweep_cycles(static_cast<double>(codelet::dense_table_bytes(key)), setting, machine);
  }

  double by_lines() {
    const codelet::CompiledKernel* kernel =
        whole_line != nullptr ? whole_line : line_kernel(recipe, setting.precision);
    sweep_lines(Side::input);
    sweep_lines(Side::output);
    const double operation = codelet::is_dense_line(kernel->key) ? dense_operation : line_operation;
    const int lines = codelet::lines_of(kernel->key);
    const double work =
        machine.vector_cycles(recipe.isa) *
        (line_call + operation * kernel->count.total() +
         (lines == 1 ? line_register : shared_register) * codelet::registers_of(kernel->key) / 2);
    return std::ceil(transforms / lines) * (work + table_cycles(kernel->key));
  }

  /// Beyond 16 points values spill, and line kernels do real lines better.
  const codelet::CompiledKernel* one_lane_kernel() const {
    const bool is_short = problem.kind == Kind::r2r || problem.n <= 16;
    if (recipe.isa != Isa::scalar || !is_short || distance(problem.in_row) != width(Side::input) ||
        distance(problem.out_row) != width(Side::output))
      return nullptr;
    return real_kernel(recipe.isa, problem, setting.precision);
  }

  double by_real_kernel() {
    const auto count = static_cast<double>(lane.count);
    const double whole = std::floor(count / lanes), single = count - whole * lanes;
    // Half the complex kernel's arithmetic, and less than half of what it spills.
    const double kernel =
        0.35 * kernel_cycles(static_cast<int>(problem.n), recipe.isa, false, machine);
    for (const Side side : {Side::input, Side::output})
      distance(row(side)) == width(side) ? sweep_adjacent_lines(side)
                                         : sweep_lanes(side, length(side), 1);
    if (const auto* one = one_lane_kernel())
      return transforms * (one_lane_call + one_lane_operation * one->count.total());
    return transforms / count * (2 * call_cycles + (whole + single) * (kernel + 3 * unit_row * n));
  }

  /// Columns, then rows of a matrix, in cycles of one line without its memory.
  double matrix_cycles(Passing columns_pass, Passing rows_pass) const {
    const auto n1 = static_cast<double>(recipe.lane[0].n),
               n2 = static_cast<double>(recipe.lane[1].n);
    const double columns =
        std::ceil(n2 / lanes) * (lane_plan(recipe.lane[0], columns_pass) + 2 * unit_row * n1);
    const double rows =
        std::ceil(n1 / lanes) * (lane_plan(recipe.lane[1], rows_pass) + transposed_row * n2);
    return columns + rows + 2 * call_cycles;
  }

  /// Adjacent lines beyond half of the second cache are read and written as a matrix.
  bool is_matrix_walk(Side side) const {
    return distance(row(side)) == width(side) && 2 * n * point_bytes > machine.l2.bytes;
  }
  /// The columns of the input, the rows of the output of a matrix.
  Walk matrix_walk(Side side) const {
    const bool is_input = side == Side::input;
    const LaneRecipe& plan = recipe.lane[is_input ? 0 : 1];
    const double other = static_cast<double>(recipe.lane[is_input ? 1 : 0].n);
    const double rows = plan.radices.empty()
                            ? static_cast<double>(plan.n)
                            : (is_input ? plan.radices.front() : plan.radices.back());
    return {.rows = rows,
            .row_bytes = static_cast<double>(plan.n) / rows * other * width(side),
            .lanes = std::min(other, lanes * recipe.groups),
            .lane_bytes = width(side),
            .next_bytes = line_bytes};
  }
  void sweep_matrix(Side side) {
    if (is_matrix_walk(side))
      sweep(side, matrix_walk(side), length(side));
    else
      sweep_lines(side);
  }
  /// Rows are written to places that share sets of the second cache: if it has fewer ways, each
  /// line is waited for. From 6 problems of 65536 to 524288 points on a Zen 5.
  double crowded_rows() const {
    Walk walk = matrix_walk(Side::output);
    if (width(Side::output) < point_bytes) walk.row_bytes *= 2;  // a point is two real numbers
    if (!is_matrix_walk(Side::output) || keeps(machine.l2, walk)) return 0;
    return n * point_bytes / line_bytes * fill_cycles(Level::l3, setting, machine).scattered;
  }

  double by_four_step() {
    sweep_matrix(Side::input);
    sweep_matrix(Side::output);
    // The line, the buffer and the factors in between, written and read.
    const double middle = 1.4 * sweep_cycles(3 * n * point_bytes, setting, machine);
    const double matrix = matrix_cycles(Passing::counted_elsewhere, Passing::counted_elsewhere);
    return transforms * (matrix + middle + crowded_rows() + 0.25 * n);
  }

  double by_large() {
    const double line = n * point_bytes;
    // The lines of one transform at a time; all workers together where there are few.
    const double own = recipe.together ? line / setting.workers : line;
    const double own_sweep = sweep_cycles(2 * own, setting, machine);
    // What is stored past the caches is not read first, but comes back from memory.
    const double from_memory =
        2 * own / line_bytes * fill_cycles(Level::memory, setting, machine).in_row;
    const double sweeps = recipe.stream ? 2 * std::max(own_sweep, from_memory) : 3 * own_sweep;
    const double middle = sweeps * piece_factor() * line / own *
                          places_factor(std::max(places(Side::input), places(Side::output)));
    sweep_matrix(Side::input);
    sweep_matrix(Side::output);
    const double rows = (recipe.stream ? streamed_row : buffered_row) * n / lanes;
    const double matrix = matrix_cycles(Passing::columns_of_large, Passing::ahead);
    return transforms * (matrix + buffered * n + rows + middle);
  }

  double by_convolution() {
    const AxisProblem inner{.n = recipe.inner[0].n, .in_row = 2, .out_row = 2, .loops = {}};
    const auto m = static_cast<double>(recipe.inner[0].n);
    sweep_lines(Side::input);
    sweep_lines(Side::output);
    const Setting alone{setting.precision, setting.threads, 1, false, false};
    const double inner_ns = axis_ns(recipe.inner[0], inner, alone, machine);
    double moves = gathered_point * n;
    if (recipe.type == AxisRecipe::Type::bluestein) {
      moves = chirped_point * (m + n);
      for (const Side side : {Side::input, Side::output})
        if (!is_real && distance(row(side)) != width(side)) moves += apart_point * n;
    }
    return transforms * (2 * inner_ns * machine.speeds.gigahertz + moves);
  }

  /// The lines inside, in cache, and a sweep before and after each.
  double by_trig_lines() {
    sweep_lines(Side::input);
    sweep_lines(Side::output);
    const Setting alone{setting.precision, setting.threads, 1, false, false};
    const double line_ns = axis_ns(recipe, trig_line_problem(problem, {}), alone, machine);
    return transforms * (line_ns * machine.speeds.gigahertz + trig_call + trig_point * n);
  }

  double by_real_split() {
    const int r = recipe.split_radix();
    const AxisProblem line{.n = recipe.inner[0].n, .in_row = 2, .out_row = 2, .loops = {}};
    sweep_lines(Side::input);
    sweep_lines(Side::output);
    const Setting alone{setting.precision, setting.threads, 1, false, false};
    const double inner_ns = axis_ns(recipe.inner[0], line, alone, machine);
    const double pass = n / r / lanes * kernel_cycles(r, recipe.isa, false, machine);
    return transforms * ((r + 1) / 2 * inner_ns * machine.speeds.gigahertz + pass + 2.5 * n);
  }

  double by_real_rader() {
    const Index m = 2 * recipe.inner[0].n;
    sweep_lines(Side::input);
    sweep_lines(Side::output);
    const Setting alone{setting.precision, setting.threads, 1, false, false};
    const double both_ns = axis_ns(recipe.inner[0], real_line(m, Kind::r2c), alone, machine) +
                           axis_ns(recipe.inner[0], real_line(m, Kind::c2r), alone, machine);
    return transforms * (both_ns * machine.speeds.gigahertz + rader_call + rader_point * n +
                         rader_convolved * static_cast<double>(m));
  }

  double cycles() {
    if (problem.kind == Kind::r2r && recipe.type != AxisRecipe::Type::lanes &&
        !is_own_kernel(recipe, problem, setting.precision))
      return by_trig_lines();
    switch (recipe.type) {
      case AxisRecipe::Type::lanes: return by_lanes();
      case AxisRecipe::Type::real_kernel: return by_real_kernel();
      case AxisRecipe::Type::lines: return by_lines() + mirror_cycles();
      case AxisRecipe::Type::four_step: return by_four_step() + mirror_cycles();
      case AxisRecipe::Type::large: return by_large() + mirror_cycles();
      case AxisRecipe::Type::real_split: return by_real_split();
      case AxisRecipe::Type::real_rader: return by_real_rader();
      case AxisRecipe::Type::rader:
      case AxisRecipe::Type::bluestein: break;
    }
    return by_convolution() + mirror_cycles();
  }

  /// Real lines: a sweep pairs mirror images; points that are not adjacent come one by one.
  double mirror_cycles() const {
    if (!is_real || whole_line != nullptr) return 0;
    double per_point = problem.n % 2 == 0 ? mirrored : mirrored + odd_point;
    for (const Side side : {Side::input, Side::output})
      if (distance(row(side)) != width(side)) per_point += apart_point;
    return transforms * per_point * n + mirror_call * std::ceil(transforms * n / 512);
  }

  double nanoseconds() {
    const double busy = cycles();
    const double both = std::max(busy, waiting) + overlap * std::min(busy, waiting);
    // The worker with the most units sets the time.
    const double part = std::ceil(units() / setting.workers) / units();
    const double meetings = setting.workers > 1 && works_together() ? 2 * transforms : 1;
    return both * part / machine.speeds.gigahertz + (setting.workers > 1 ? phase_ns * meetings : 0);
  }

  /// Few long lines are done by all workers together, in two phases each.
  bool works_together() const { return recipe.together && setting.workers > 1; }
  /// What can be shared out among workers.
  double units() const {
    const auto count = static_cast<double>(lane.count);
    switch (recipe.type) {
      case AxisRecipe::Type::lanes:
        return transforms / count * std::ceil(count / (lanes * recipe.groups));
      case AxisRecipe::Type::real_kernel:
        return transforms / count * std::ceil(count / (16 * lanes));
      case AxisRecipe::Type::large:
        if (!works_together()) return transforms;
        return std::ceil(static_cast<double>(recipe.lane[1].n) / (lanes * recipe.groups));
      default: return transforms;
    }
  }
};

}  // namespace

double axis_ns(const AxisRecipe& recipe, const AxisProblem& problem, const Setting& setting,
               const MachineModel& machine) {
  return AxisCost{recipe, problem, setting, machine}.nanoseconds();
}

}  // namespace weft::local
