// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/tile_geometry.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <set>

#include "base/index.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

/// The distance of a digit of so many values, neighbours of which are `weight` points apart; 0
/// where blocks give it several.
Index digit_distance(Index weight, Index extent, Index stride, const Blocks& blocks) {
  if (!blocks) return weight * stride;
  if (weight % blocks.length == 0) return weight / blocks.length * blocks.jump;
  return blocks.length % (weight * extent) == 0 ? weight * stride : 0;
}

}  // namespace

bool has_plain_blocks(const TileAxis& tile_axis, bool is_output) {
  Index weight = is_output ? 1 : tile_axis.n();
  for (const int r : tile_axis.radices) {
    if (!is_output) weight /= r;
    if (digit_distance(weight, r, 1, is_output ? tile_axis.out_blocks : tile_axis.in_blocks) == 0)
      return false;
    if (is_output) weight *= r;
  }
  return true;
}

int wavefronts(std::span<const Index> offsets, int element_bytes) {
  const std::size_t lanes_at_once = static_cast<std::size_t>(128 / element_bytes);
  const Index banks = 128 / element_bytes;  // as wide as an element
  int total = 0;
  for (std::size_t first = 0; first < offsets.size(); first += lanes_at_once) {
    const std::size_t end = std::min(offsets.size(), first + lanes_at_once);
    int most = 0;
    std::array<int, 32> distinct{};
    for (std::size_t lane = first; lane < end; ++lane) {
      const auto begin = offsets.begin() + static_cast<std::ptrdiff_t>(first);
      const auto here = offsets.begin() + static_cast<std::ptrdiff_t>(lane);
      if (std::find(begin, here, *here) == here)
        most = std::max(most, ++distinct[static_cast<std::size_t>(*here % banks)]);
    }
    total += most;
  }
  return total;
}

Geometry::Geometry(const TilePass& pass, int held) : pass_(pass), held_(held) {
  check(pass);
  crossing_stage_ = gpu::crossing_stage(pass);
  combining_stage_ = combining_stage(pass);
  make_digits();
  spread_over_cluster();
  if (pass.stages.size() > 1) place_in_shared_memory();
  for (int s = 0; s <= last_stage(); ++s) arrange(s);
}

Geometry::Geometry(const TilePass& backward, const Geometry& forward)
    : pass_(backward), shared_points_(forward.shared_points_), held_(forward.held_) {
  check(backward);
  make_digits();
  std::vector<int> mine(digits_.size());  // by the number of the digit in `forward`
  for (int d = 0; d < static_cast<int>(digits_.size()); ++d) {
    const Digit& other = forward.digit(d);
    DigitName name{other.tile_axis, other.position};
    if (other.tile_axis >= 0)
      name.position = static_cast<int>(pass_.tile_axes[at(other.tile_axis)].radices.size()) - 1 -
                      other.position;
    mine[at(d)] = find(name);
    digits_[at(mine[at(d)])].local = other.local;
    digits_[at(mine[at(d)])].shared = other.shared;
    if (d == forward.cluster_digit_) cluster_digit_ = mine[at(d)];
  }
  for (auto order = forward.orders_.rbegin(); order != forward.orders_.rend(); ++order) {
    orders_.emplace_back();
    for (const int d : *order) orders_.back().push_back(mine[at(d)]);
  }
}

void Geometry::make_digits() {
  for (int p = 0; p < static_cast<int>(pass_.tile_axes.size()); ++p) {
    const TileAxis& tile_axis = pass_.tile_axes[at(p)];
    const Blocks in_blocks = has_plain_blocks(tile_axis, false) ? tile_axis.in_blocks : Blocks{};
    const Blocks out_blocks = has_plain_blocks(tile_axis, true) ? tile_axis.out_blocks : Blocks{};
    const auto reals_of_point = [&](RealSide side) {
      return tile_axis.is_halved && tile_axis.real == side ? 2 : 1;
    };
    const Index in_stride = reals_of_point(RealSide::input) * tile_axis.in;
    const Index out_stride = reals_of_point(RealSide::output) * tile_axis.out;
    Index in = tile_axis.n(), out = 1;
    for (int i = 0; i < static_cast<int>(tile_axis.radices.size()); ++i) {
      const int r = tile_axis.radices[at(i)];
      in /= r;
      digits_.push_back({p, i, r, r, digit_distance(in, r, in_stride, in_blocks),
                         digit_distance(out, r, out_stride, out_blocks), 0, -1});
      out *= r;
    }
  }
  for (int l = 0; l < static_cast<int>(pass_.loops.size()); ++l) {
    const Loop& loop = pass_.loops[at(l)];
    if (loop.tile > 1) digits_.push_back({-1, l, loop.tile, loop.tile, loop.in, loop.out, 0, -1});
  }
  if (pass_.tile_axes[0].is_twinned()) {
    twin_digit_ = static_cast<int>(digits_.size());
    digits_.push_back({-1, -1, 2, 2, 0, 0, 0, -1});
  }
  for (int s = 0; s <= last_stage(); ++s)
    for (const DigitName& name : pass_.stages[at(s)]) digits_[at(find(name))].stage = s;
  if (combining_stage_ >= 0) rests_ = pass_.tile_axes[0].n() / radix(combining_stage_);
}

void Geometry::spread_over_cluster() {
  if (pass_.cluster == 1) return;
  if (const auto spread = spread_digit(pass_)) cluster_digit_ = find(*spread);
  if (cluster_digit_ < 0 || pass_.stages.size() < 2)
    throw Error(
        ErrorCode::internal,
        "GPU pass '" + to_text(pass_) + "': no digit of the crossing stage divides by the cluster");
  digits_[at(cluster_digit_)].local = digit(cluster_digit_).extent / pass_.cluster;
}

int Geometry::find(DigitName name) const {
  for (int d = 0; d < static_cast<int>(digits_.size()); ++d)
    if (digit(d).tile_axis == name.tile_axis && digit(d).position == name.position) return d;
  return -1;
}

std::vector<int> Geometry::active(int stage) const {
  std::vector<int> result;
  for (const DigitName& name : pass_.stages[at(stage)]) result.push_back(find(name));
  return result;
}

/// From one value of a digit to the next in memory. Twins are far apart.
Index Geometry::distance(int d, bool is_output) const {
  if (d == twin_digit_) return std::numeric_limits<Index>::max();
  return std::abs(is_output ? digit(d).out : digit(d).in);
}

/// The load follows memory on the input's side, the store on the output's, what is between follows
/// shared memory.
void Geometry::arrange(int stage) {
  orders_.resize(pass_.stages.size());
  std::vector<int>& order = orders_[at(stage)];
  order.clear();
  for (int d = 0; d < static_cast<int>(digits_.size()); ++d)
    if (digit(d).stage != stage && !(is_combining(stage) && d == twin_digit_)) order.push_back(d);
  std::ranges::stable_sort(order, {}, [&](int d) {
    if (stage == 0) return distance(d, false);
    return stage == last_stage() ? distance(d, true) : digit(d).shared;
  });
  const auto is_of_line = [&](int d) { return digit(d).tile_axis >= 0; };
  if (is_combining(stage))
    std::stable_partition(std::ranges::find_if(order, is_of_line), order.end(), is_of_line);
}

Index Geometry::radix(int stage) const {
  Index r = 1;
  for (int d : active(stage)) r *= digit(d).extent;
  return r;
}

Index Geometry::tasks(int stage) const {
  if (stage == crossing_stage_) return ceil_div(tasks_of_tile(stage), pass_.cluster);
  Index count = 1;
  for (int d : order(stage)) count *= digit(d).local;
  return is_combining(stage) ? count / rests_ * pairs() : count;
}

Index Geometry::tasks_of_tile(int stage) const {
  Index count = 1;
  for (int d : order(stage)) count *= digit(d).extent;
  return is_combining(stage) ? count / rests_ * pairs() : count;
}

Index Geometry::weight_in_rest(int d) const {
  Index weight = 1;
  for (const Digit& other : digits_) {
    if (other.tile_axis < 0 || other.stage == combining_stage_) continue;
    const bool is_faster = combining_stage_ == 0 ? other.position > digit(d).position
                                                 : other.position < digit(d).position;
    if (is_faster) weight *= other.extent;
  }
  return weight;
}

Index Geometry::points() const {
  Index count = 1;
  for (const Digit& d : digits_) count *= d.extent;
  return count;
}

Index Geometry::shared_points() const { return shared_points_; }
std::size_t Geometry::shared_bytes() const {
  return static_cast<std::size_t>(held_ * shared_points_ * shared_element_bytes(pass_));
}

Index Geometry::tiles() const {
  Index count = 1;
  for (const Loop& loop : pass_.loops) count *= ceil_div(loop.count, loop.tile);
  return count;
}

namespace {

/// Cycles of shared memory per access, summed over the stages, for a few warps of each.
struct ConflictCount {
  const TilePass& pass;
  const Geometry& geometry;

  int of_stage(int stage) const {
    int total = 0;
    for_warps(stage, [&](Index first, Index lanes) {
      std::array<Index, 32> offsets{};
      for (Index lane = 0; lane < lanes; ++lane) offsets[at(lane)] = offset(stage, first + lane);
      const auto span = std::span(offsets).first(at(lanes));
      total += std::max(wavefronts(span, shared_element_bytes(pass)),
                        reads_peers(stage) ? sectors(span) / 4 : 0);
    });
    return total * weight(stage);
  }
  /// What no arrangement falls short of.
  int least() const {
    int total = 0;
    for (int s = 0; s <= geometry.last_stage(); ++s)
      for_warps(s, [&](Index, Index lanes) {
        total += static_cast<int>(ceil_div(lanes * shared_element_bytes(pass), 128)) * weight(s);
      });
    return total;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  bool reads_peers(int stage) const {
    return pass.cluster > 1 && stage > 0 && stage == geometry.crossing_stage();
  }

  /// A stage in between reads and writes. What comes from another block takes longer.
  int weight(int stage) const {
    if (stage == 0) return 1;
    return stage < geometry.last_stage() || reads_peers(stage) ? 2 : 1;
  }

  /// Of 32 bytes, in which the shared memory of another block answers.
  int sectors(std::span<const Index> offsets) const {
    const Index points = 32 / shared_element_bytes(pass);
    std::set<Index> distinct;
    for (const Index offset : offsets) distinct.insert(offset / points);
    return static_cast<int>(distinct.size());
  }

  template <class Visit>
  void for_warps(int stage, const Visit& visit) const {
    constexpr Index warps = 4;
    const Index tasks = geometry.tasks(stage);
    for (Index warp = 0; warp < warps; ++warp) {
      const Index first = warp * 32 * std::max<Index>(1, tasks / (32 * warps));
      visit(first, std::clamp<Index>(tasks - first, 0, 32));
    }
  }

  Index offset(int stage, Index task) const {
    Index sum = 0, pair = -1;
    for (int d : geometry.order(stage)) {
      if (geometry.is_combining(stage) && geometry.digit(d).tile_axis >= 0) {
        if (pair < 0) {
          pair = task % geometry.pairs();
          task /= geometry.pairs();
        }
        sum +=
            pair / geometry.weight_in_rest(d) % geometry.digit(d).extent * geometry.digit(d).shared;
        continue;
      }
      sum += task % geometry.digit(d).local * geometry.digit(d).shared;
      task /= geometry.digit(d).local;
    }
    return sum;
  }
};

}  // namespace

/// The digits in the order of either side's memory, with and without gaps between them; the
/// smallest first.
std::vector<Geometry::Arrangement> Geometry::arrangements() const {
  constexpr Index gaps[] = {0, 1, 2, 4, 8};
  constexpr auto gap_values = static_cast<Index>(std::size(gaps));
  std::vector<int> order(digits_.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t gap_count = std::min<std::size_t>(order.size() - 1, 4);
  Index choices = 1;
  for (std::size_t i = 0; i < gap_count; ++i) choices *= gap_values;
  std::vector<Arrangement> result;
  for (int side = 0; side < 2; ++side) {
    std::ranges::stable_sort(order, {}, [&](int d) { return distance(d, side != 0); });
    for (Index choice = 0; choice < choices; ++choice) {
      Arrangement arrangement{std::vector<Index>(digits_.size(), 0), 1};
      Index rest = choice;
      for (std::size_t i = 0; i < order.size(); ++i) {
        arrangement.distances[at(order[i])] = arrangement.size;
        arrangement.size *= digit(order[i]).local;
        if (i >= gap_count) continue;
        arrangement.size += gaps[rest % gap_values];
        rest /= gap_values;
      }
      result.push_back(std::move(arrangement));
    }
  }
  std::ranges::stable_sort(result, {}, &Arrangement::size);
  return result;
}

/// Takes the arrangement that shared memory serves fastest, if it leaves room for as many blocks as
/// there should be; of equal ones the smallest.
void Geometry::place_in_shared_memory() {
  constexpr Index multiprocessor_bytes = 228 * 1024, reserved_bytes = 1024;
  const Index room = (multiprocessor_bytes / pass_.blocks_per_sm - reserved_bytes) /
                     shared_element_bytes(pass_) / held_;
  const auto place = [&](const Arrangement& arrangement) {
    for (std::size_t d = 0; d < digits_.size(); ++d) digits_[d].shared = arrangement.distances[d];
    for (int s = 0; s <= last_stage(); ++s) arrange(s);
  };
  const std::vector<Arrangement> all = arrangements();
  place(all.front());
  const ConflictCount conflicts{pass_, *this};
  const int bound = conflicts.least();
  const Arrangement* best = nullptr;
  int least = 0;
  for (const Arrangement& arrangement : all) {
    if (best != nullptr && (arrangement.size > room || least == bound)) break;
    place(arrangement);
    int cost = 0;
    for (int s = 0; s <= last_stage() && (best == nullptr || cost < least); ++s)
      cost += conflicts.of_stage(s);
    if (best != nullptr && cost >= least) continue;
    best = &arrangement;
    least = cost;
  }
  place(*best);
  shared_points_ = 1;
  for (const Digit& d : digits_) shared_points_ += (d.local - 1) * d.shared;
}

}  // namespace weft::gpu
