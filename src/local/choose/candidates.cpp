// SPDX-License-Identifier: BSD-3-Clause
#include "local/choose/candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "base/index.hpp"
#include "codelet/prime/prime_kernels.hpp"
#include "codelet/runtime/isa.hpp"
#include "local/axis/axis_fit.hpp"
#include "local/axis/engines.hpp"
#include "local/choose/cost_model.hpp"
#include "local/choose/lane_cost.hpp"
#include "local/lane/lane_ops.hpp"

namespace weft::local {

using codelet::Isa;

namespace {

constexpr std::array kernel_radices{2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                    12, 13, 14, 15, 16, 20, 25, 32, 64};
// Of this radix there are the kernels that matrices in cache need.
constexpr int matrix_radix = 27;

bool has_kernel(int radix, Isa isa, Precision precision, codelet::KernelLayout in,
                codelet::KernelLayout out, codelet::Twiddle twiddle) {
  return codelet::find_kernel({.isa = isa,
                               .precision = precision,
                               .radix = radix,
                               .in = in,
                               .out = out,
                               .twiddle = twiddle}) != nullptr;
}

/// Cheapest way to write n as a product of radices up to a bound, by dynamic programming over the
/// divisors of n. Empty when a prime factor has no kernel.
class Factorizer {
 public:
  /// Of n; prime radices beyond the bound are taken, as nothing else divides them.
  Factorizer(Index n, Isa isa, Precision precision, int max_radix, const MachineModel& machine)
      : n_(n) {
    for (int r : kernel_radices)
      if (r <= max_radix && n % r == 0 &&
          has_kernel(r, isa, precision, codelet::KernelLayout::planar,
                     codelet::KernelLayout::planar, codelet::Twiddle::broadcast_in))
        add(r, isa, machine);
    for (int p : codelet::prime_radices())
      if (n % p == 0) add(p, isa, machine);
  }
  std::optional<std::vector<int>> best() {
    const Entry& entry = solve(n_);
    if (entry.cost == infinite) return std::nullopt;
    std::vector<int> radices;
    for (Index rest = n_; rest > 1; rest /= solve(rest).radix) radices.push_back(solve(rest).radix);
    return radices;
  }

 private:
  void add(int radix, Isa isa, const MachineModel& machine) {
    cost_per_point_.emplace_back(radix,
                                 (kernel_cycles(radix, isa, true, machine) + 2.0 * radix) / radix);
  }
  static constexpr double infinite = 1e300;
  struct Entry {
    double cost = infinite;
    int radix = 1;
  };
  const Entry& solve(Index n) {
    if (const auto known = known_.find(n); known != known_.end()) return known->second;
    Entry entry;
    if (n == 1) entry.cost = 0;
    for (const auto& [radix, cost] : cost_per_point_)
      if (n % radix == 0) {
        const double total = cost + solve(n / radix).cost;
        if (total < entry.cost) entry = {total, radix};
      }
    return known_[n] = entry;
  }
  Index n_;
  std::vector<std::pair<int, double>> cost_per_point_;
  std::map<Index, Entry> known_;
};

void add_once(std::vector<LaneRecipe>& list, LaneRecipe recipe) {
  if (std::find(list.begin(), list.end(), recipe) == list.end()) list.push_back(std::move(recipe));
}

std::vector<LaneRecipe> smooth_candidates(Index n, Isa isa, Precision precision,
                                          const MachineModel& machine) {
  std::vector<LaneRecipe> list;
  for (int max_radix : {64, 32, 25, 16, 10, 8}) {
    auto radices = Factorizer(n, isa, precision, max_radix, machine).best();
    if (!radices) continue;
    std::sort(radices->begin(), radices->end());
    add_once(list, lane_passes(*radices));
    add_once(list, lane_passes({radices->rbegin(), radices->rend()}));
  }
  // One kernel alone needs no scratch at all.
  if (n <= codelet::largest_prime_radix &&
      has_kernel(static_cast<int>(n), isa, precision, codelet::KernelLayout::strided,
                 codelet::KernelLayout::strided, codelet::Twiddle::none))
    add_once(list,
             lane_passes(n == 1 ? std::vector<int>{} : std::vector<int>{static_cast<int>(n)}));
  return list;
}

/// A length m >= least with small factors whose transform is cheap.
LaneRecipe convolution_length(Index least, Isa isa, Precision precision,
                              const MachineModel& machine) {
  std::optional<LaneRecipe> best;
  double best_cost = 0;
  Index m = next_smooth(least);
  for (int tried = 0; tried < 12 && m < least + least / 3 + 8; ++tried, m = next_smooth(m + 1)) {
    auto list = smooth_candidates(m, isa, precision, machine);
    if (list.empty()) continue;
    for (LaneRecipe& candidate : list) {
      const double cost = lane_cycles(candidate, isa, precision, machine);
      if (!best || cost < best_cost) {
        best = std::move(candidate);
        best_cost = cost;
      }
    }
  }
  return *best;
}

/// The part of n whose prime factors have no kernel.
Index rough_part(Index n) {
  Index rough = 1;
  for (Index p : prime_factors(n))
    if (p > codelet::largest_prime_radix) rough *= p;
  return rough;
}

/// A transform of `inner` points within one of n: the other factors as splits around it.
LaneRecipe split_around(LaneRecipe inner, Index n, Isa isa, Precision precision,
                        const MachineModel& machine) {
  if (n == inner.n) return inner;
  const auto radices = Factorizer(n / inner.n, isa, precision, 32, machine).best();
  for (int r : *radices) inner = lane_split(r, std::move(inner));
  return inner;
}

/// From here on Rader's convolution may be cheaper than the kernel of a prime radix.
constexpr Index least_convolved_radix = 41;

/// The largest prime factor by Rader's convolution instead of its kernel.
void add_convolved_radix(std::vector<LaneRecipe>& list, Index n, Isa isa, Precision precision,
                         const MachineModel& machine) {
  const auto factors = prime_factors(n);
  if (factors.empty()) return;
  const Index p = *std::ranges::max_element(factors);
  if (p < least_convolved_radix || rough_part(p - 1) != 1) return;
  const auto inner = smooth_candidates(p - 1, isa, precision, machine);
  for (std::size_t i = 0; i < std::min<std::size_t>(inner.size(), 2); ++i)
    add_once(list, split_around(lane_rader(p, inner[i]), n, isa, precision, machine));
}

/// Every recipe is priced once.
template <class Recipe, class Price>
void sort_by_price(std::vector<Recipe>& list, const Price& price) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < list.size(); ++i) order.emplace_back(price(list[i]), i);
  std::ranges::sort(order);
  std::vector<Recipe> sorted;
  for (const auto& [cost, i] : order) sorted.push_back(std::move(list[i]));
  list = std::move(sorted);
}

void sort_by_cost(std::vector<LaneRecipe>& list, Isa isa, Precision precision,
                  const MachineModel& machine) {
  sort_by_price(list, [&](const LaneRecipe& r) { return lane_cycles(r, isa, precision, machine); });
}

}  // namespace

std::vector<LaneRecipe> lane_candidates(Index n, Isa isa, Precision precision,
                                        const MachineModel& machine) {
  const Index rough = rough_part(n);
  std::vector<LaneRecipe> list;
  if (rough == 1) {
    list = smooth_candidates(n, isa, precision, machine);
    add_convolved_radix(list, n, isa, precision, machine);
  } else {
    std::vector<LaneRecipe> inner;
    inner.push_back(
        lane_bluestein(rough, convolution_length(2 * rough - 1, isa, precision, machine)));
    if (is_prime(rough) && rough_part(rough - 1) == 1)
      for (const LaneRecipe& candidate : smooth_candidates(rough - 1, isa, precision, machine))
        inner.push_back(lane_rader(rough, candidate));
    sort_by_cost(inner, isa, precision, machine);
    inner.resize(std::min<std::size_t>(inner.size(), 4));
    for (LaneRecipe& recipe : inner)
      list.push_back(split_around(std::move(recipe), n, isa, precision, machine));
    // Bluestein on the whole length saves the split passes.
    if (n > rough)
      list.push_back(lane_bluestein(n, convolution_length(2 * n - 1, isa, precision, machine)));
  }
  sort_by_cost(list, isa, precision, machine);
  return list;
}

namespace {

/// Everything axis_candidates() collects, with what it needs to know.
struct Collector {
  const AxisProblem& problem;
  const Setting& setting;
  const MachineModel& machine;
  Isa isa;
  std::vector<AxisRecipe>& list;
  Precision precision = setting.precision;

  Index lanes() const { return codelet::lanes(isa, precision); }
  bool is_plain() const { return problem.kind == Kind::c2c && !problem.is_staged(); }
  double point_bytes() const { return precision == Precision::f64 ? 16 : 8; }

  /// Does the whole problem exceed what the caches hold?
  bool beyond_cache() const {
    double bytes = static_cast<double>(problem.n) * point_bytes();
    for (const Loop& loop : problem.loops) bytes *= static_cast<double>(loop.count);
    const double share = machine.l3_share_bytes(setting.threads) * setting.workers;
    return setting.in_place ? bytes > share / 2 : bytes >= share / 2;
  }

  void add_lanes(Index n) {
    const auto candidates = lane_candidates(n, isa, precision, machine);
    const Index count = problem.loops.empty() ? 1 : problem.loops.back().count;
    std::size_t taken = 0;
    for (const LaneRecipe& lane : candidates) {
      if (++taken > 6) break;
      // One kernel alone needs no scratch: a call then runs over many groups.
      if (lane.radices.size() == 1 && is_plain() && count >= 16 * lanes())
        list.push_back(axis_lanes(isa, lane, 16));
      list.push_back(axis_lanes(isa, lane));
      const bool neighbours = !problem.loops.empty() && problem.loops.back().in == 2;
      if (neighbours && taken <= 3 && is_plain()) add_groups(lane, count);
    }
  }

  /// Several registers side by side read memory in longer pieces; scratch must stay in L2.
  void add_groups(const LaneRecipe& lane, Index count) {
    const bool memory_bound = beyond_cache();
    for (int groups : {2, 4, 8, 16}) {
      const double scratch = 2 * static_cast<double>(lane.n * lanes() * groups) * point_bytes();
      if (count < groups * lanes() || scratch > machine.l2.bytes) break;
      if (groups < 16 || memory_bound) list.push_back(axis_lanes(isa, lane, groups));
      if (memory_bound && groups >= 4 && problem.out_row != 2 && has_streaming_stores(isa) &&
          admits_streamed_lanes(problem, precision))
        list.push_back(axis_lanes(isa, lane, groups, true));
    }
  }

  void add_lines(Index n) {
    const AxisRecipe lines = axis_lines(isa, n);
    if (admits_lines(lines, problem, precision)) add_contiguous(lines);
  }

  /// Lines that come from memory are fetched before they are needed; those that go back to it, to
  /// other places than they came from, can be stored past the caches.
  void add_contiguous(const AxisRecipe& lines) {
    const bool can = admits_read_ahead(problem), is_whole = beyond_cache();
    if (can && is_whole && !setting.in_place && has_streaming_stores(isa))
      list.push_back(streamed(lines));
    if (can && (is_whole || setting.from_memory)) list.push_back(read_ahead(lines));
    if (!can || !setting.from_memory || is_whole) list.push_back(lines);
  }

  void add_four_step(Index n) {
    // The rows' kernel stores lanes that are neighbours.
    if (is_plain() && problem.out_row != 2) return;
    if (static_cast<double>(n) * point_bytes() > machine.l2.bytes * 2) return;
    std::vector<int> radices(kernel_radices.begin(), kernel_radices.end());
    std::ranges::copy(codelet::prime_radices(), std::back_inserter(radices));
    radices.push_back(matrix_radix);
    for (int n2 : radices) {
      if (n % n2 != 0 || n / n2 < lanes()) continue;
      if (n2 < lanes() && is_plain() && problem.in_row != 2) continue;
      if (!has_kernel(n2, isa, precision, codelet::KernelLayout::tile, codelet::KernelLayout::unit,
                      codelet::Twiddle::vector_in) &&
          !has_kernel(n2, isa, precision, codelet::KernelLayout::strided,
                      codelet::KernelLayout::unit, codelet::Twiddle::vector_in))
        continue;
      if (rough_part(n / n2) != 1) continue;
      const auto columns = matrix_columns(n / n2);
      for (std::size_t i = 0; i < std::min<std::size_t>(columns.size(), 2); ++i)
        add_contiguous(axis_four_step(isa, columns[i], lane_passes({n2})));
    }
  }

  /// Columns of a matrix in cache: their last pass may have the radix that only matrices have.
  std::vector<LaneRecipe> matrix_columns(Index n) const {
    auto list = lane_candidates(n, isa, precision, machine);
    if (n % matrix_radix != 0 || n == matrix_radix ||
        !has_kernel(matrix_radix, isa, precision, codelet::KernelLayout::planar,
                    codelet::KernelLayout::unit, codelet::Twiddle::broadcast_in))
      return list;
    for (const LaneRecipe& rest : lane_candidates(n / matrix_radix, isa, precision, machine)) {
      if (rest.type != LaneRecipe::Type::passes) continue;
      std::vector<int> radices = rest.radices;
      radices.push_back(matrix_radix);
      list.push_back(lane_passes(std::move(radices)));
    }
    sort_by_cost(list, isa, precision, machine);
    return list;
  }

  /// Few lines are worked on by all threads together.
  bool together() const {
    const bool can = is_plain() || (!problem.is_staged() && has_contiguous_real_lines(problem));
    return can && LoopIndex(problem.loops).count() < setting.workers;
  }

  void add_large(Index n) {
    if (n < 4096 || rough_part(n) != 1) return;
    std::vector<std::pair<double, Index>> splits;  // by distance from the square
    for (const auto& [n1, n2] : factor_pairs(n)) {
      const double lopsided =
          std::abs(std::log2(static_cast<double>(n1) / static_cast<double>(n2)));
      if (lopsided < 4 && std::min(n1, n2) >= lanes()) splits.emplace_back(lopsided, n1);
    }
    std::sort(splits.begin(), splits.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(splits.size(), 3); ++i) {
      const Index n1 = splits[i].second;
      const auto columns = lane_candidates(n1, isa, precision, machine),
                 rows = lane_candidates(n / n1, isa, precision, machine);
      for (std::size_t j = 0; j < std::min<std::size_t>({columns.size(), rows.size(), 2}); ++j)
        for (int wanted : {1, 2, 4, 8}) {
          // A block of columns must exist.
          const int groups = static_cast<int>(std::min<Index>(wanted, n / n1 / lanes()));
          if (groups < wanted && groups <= wanted / 2) continue;
          const double block = static_cast<double>(std::max(n1, n / n1) * lanes() * groups);
          if (groups > 1 && block * point_bytes() > 2 * machine.l2.bytes) continue;
          const auto line_bytes = static_cast<double>(n) * point_bytes();
          if (groups < 8)
            list.push_back(axis_large(isa, columns[j], rows[j], groups, false, together()));
          if (2 * line_bytes > machine.l2.bytes && problem.out_row == 2 &&
              has_streaming_stores(isa))
            list.push_back(axis_large(isa, columns[j], rows[j], groups, true, together()));
        }
    }
  }

  /// Real-to-real transforms line by line: every way to do the lines inside.
  void add_trig_lines() {
    const AxisProblem line = trig_line_problem(problem, {});
    Collector collector{line, {precision, setting.threads, 1, false, false}, machine, isa, list};
    const Index n = line.complex_length();
    collector.add_lines(n);
    collector.add_four_step(n);
    collector.add_large(n);
    collector.add_convolutions(n);
    if (line.kind != Kind::c2c) collector.add_real_lines();
  }

  /// The cheapest way to transform one contiguous line: what a convolution runs on.
  std::optional<AxisRecipe> best_line(Index m) const {
    return best_line({.n = m, .in_row = 2, .out_row = 2, .loops = {}});
  }
  std::optional<AxisRecipe> best_line(const AxisProblem& line) const {
    std::vector<AxisRecipe> inner;
    const Setting alone{precision, setting.threads, 1, false, false};
    Collector collector{line, alone, machine, isa, inner};
    collector.add_four_step(line.complex_length());
    collector.add_large(line.complex_length());
    if (inner.empty()) return std::nullopt;
    sort_by_price(inner, [&](const AxisRecipe& r) { return axis_ns(r, line, alone, machine); });
    return inner.front();
  }

  void add_real_lines() {
    add_real_split();
    add_real_rader();
  }

  /// Real lines of odd prime length by a real convolution of n - 1 points, or a longer one.
  void add_real_rader() {
    const Index n = problem.n;
    if (problem.kind == Kind::r2r || problem.is_staged() || n < 256 || !is_prime(n)) return;
    const auto add = [&](Index m) {
      if (auto inner = best_line(real_line(2 * m, Kind::r2c)))
        list.push_back(axis_real_rader(n, std::move(*inner)));
    };
    if (rough_part(n - 1) == 1) add((n - 1) / 2);
    Index m = next_smooth(n - 1);
    for (int tried = 0; tried < 3; ++tried, m = next_smooth(m + 1)) add(m);
  }

  /// Real lines of odd length by a real pass and half as many complex lines.
  void add_real_split() {
    if (problem.kind == Kind::r2r || problem.n % 2 == 0 || problem.n < 512) return;
    std::vector<int> radices{15, 9, 7, 5, 3};
    for (int p : codelet::prime_radices())
      if (p < least_convolved_radix) radices.push_back(p);
    for (int radix : radices) {
      if (problem.n % radix != 0 || rough_part(problem.n / radix) != 1) continue;
      const auto inner = best_line(problem.n / radix);
      if (!inner) continue;
      AxisRecipe recipe = axis_real_split(radix, *inner);
      if (admits_real_split(recipe, problem, precision)) list.push_back(std::move(recipe));
    }
  }

  void add_convolutions(Index n) {
    if (n < 256) return;
    const Index rough = rough_part(n);
    if (rough == 1) return;
    if (rough == n && is_prime(n) && rough_part(n - 1) == 1)
      if (auto inner = best_line(n - 1)) list.push_back(axis_rader(n, *inner));
    Index m = next_smooth(2 * n - 1);
    for (int tried = 0; tried < 3; ++tried, m = next_smooth(m + 1))
      if (auto inner = best_line(m)) list.push_back(axis_bluestein(n, *inner));
  }
};

}  // namespace

std::vector<AxisRecipe> axis_candidates(const AxisProblem& problem, const Setting& setting,
                                        const MachineModel& machine) {
  constexpr Index longest_alone = 512;
  std::vector<AxisRecipe> list;
  const Index n = problem.complex_length();
  Index transforms = 1;
  for (const Loop& loop : problem.loops) transforms *= loop.count;
  std::vector<Isa> isas = codelet::available_isas();
  std::reverse(isas.begin(), isas.end());  // the widest first: it wins ties
  for (Isa isa : isas) {
    Collector collector{problem, setting, machine, isa, list};
    if (isa == Isa::scalar && codelet::best_isa() != Isa::scalar) {
      // Lanes of which one is filled are slower than no lanes.
      if (n > longest_alone || (transforms > 1 && problem.kind != Kind::r2r)) continue;
      if (problem.kind != Kind::r2r) collector.add_lanes(n);
      if (admits_real_kernel(isa, problem, setting.precision))
        list.push_back(axis_real_kernel(isa, n));
      continue;
    }
    if (problem.kind == Kind::r2r || problem.twiddled) {
      collector.add_lanes(n);
      if (has_trig_lines(problem)) collector.add_trig_lines();
      continue;
    }
    const bool few = transforms * 4 < collector.lanes() && n > 4096;
    if (!few || n < 1024) collector.add_lanes(n);
    collector.add_lines(n);
    if (admits_real_kernel(isa, problem, setting.precision))
      list.push_back(axis_real_kernel(isa, n));
    collector.add_four_step(n);
    collector.add_large(n);
    collector.add_convolutions(n);
    if (problem.kind != Kind::c2c) collector.add_real_lines();
    if (list.empty()) collector.add_lanes(n);
  }
  sort_by_price(list, [&](const AxisRecipe& r) { return axis_ns(r, problem, setting, machine); });
  return list;
}

}  // namespace weft::local
