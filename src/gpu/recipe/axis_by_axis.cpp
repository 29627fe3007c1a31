// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/axis_by_axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/index.hpp"
#include "gpu/recipe/axis_passes.hpp"

namespace weft::gpu {
namespace {

/// The table of the spectrum is made on the host, in long double: it would take minutes and tens of
/// gigabytes for longer axes.
constexpr Index longest_convolution = Index(1) << 26;

/// Calls `add` for one axis after another as long as it returns true.
template <class Add>
std::optional<Recipe> for_axes(const ArrayProblem& problem, AxisPasses& passes, const Add& add) {
  const std::vector<int> order = axis_order(problem);
  // The output of c2r, and of a cropped transform, has no room for what lies between the passes.
  const bool is_short =
      problem.kind == Kind::c2r ||
      std::ranges::any_of(problem.dimensions, [](const Dimension& d) { return d.out_kept > 0; });
  Place place = Place::input;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_last = i + 1 == order.size();
    const Place to = is_short && !is_last ? Place::workspace : Place::output;
    passes.begin(order[i], place, to);
    if (!add()) return std::nullopt;
    place = to;
  }
  return passes.finished();
}

std::vector<Index> divisors_near_root(Index n) {
  std::vector<Index> divisors;
  for (Index r = 2; r * r <= n; ++r)
    if (n % r == 0) {
      divisors.push_back(r);
      if (r * r != n) divisors.push_back(n / r);
    }
  std::ranges::stable_sort(divisors, {}, [n](Index r) { return std::max(r, n / r); });
  return divisors;
}

void put_nearest_first(std::vector<Index>& numbers, Index wanted) {
  std::ranges::stable_sort(numbers, {}, [&](Index d) { return std::abs(d - wanted); });
}

/// Looks for a way to do an axis as the options ask.
class AxisSearch {
 public:
  AxisSearch(AxisPasses& passes, const DeviceNumbers& numbers, const LineOptions& options)
      : passes_(passes), numbers_(numbers), options_(options) {}

  bool add() {
    if (passes_.in_one(maker(options_))) return true;
    if (!passes_.may_be_split()) return false;
    if (options_.halved && add_halved_split()) return true;
    if (add_split()) return true;
    if (passes_.line().real == RealSide::none && add_three_parts()) return true;
    // Lengths without large prime factors are split where options permit; a convolution is never
    // better.
    const Index n = passes_.line().n;
    return next_smooth(n) != n && (add_convolution() || add_long_convolution());
  }

 private:
  PassMaker maker(const LineOptions& options) const {
    return [this, options](const LineProblem& line) { return line_pass(line, numbers_, options); };
  }

  /// With the longest runs in memory that a tile permits.
  template <class Add>
  bool with_segments(const Add& add) const {
    for (int segment = options_.segment_bytes; segment >= 16; segment /= 2) {
      LineOptions options = options_;
      options.segment_bytes = segment;
      if (add(maker(options))) return true;
    }
    return false;
  }

  bool add_split() const {
    std::vector<Index> divisors = divisors_near_root(passes_.line().n);
    if (options_.first_part > 0) put_nearest_first(divisors, options_.first_part);
    return with_segments([&](const PassMaker& make) {
      return std::ranges::any_of(
          divisors, [&](Index n1) { return passes_.in_two(n1, options_.by_columns, make); });
    });
  }

  bool add_halved_split() const {
    const LineProblem& line = passes_.line();
    if (line.real == RealSide::none || line.n % 2 != 0) return false;
    // A tile holds twice as many points of the part with the spectrum.
    const double ratio = line.real == RealSide::input ? 1 : 0.25;
    const Index even = static_cast<Index>(std::sqrt(ratio * static_cast<double>(line.n)));
    std::vector<Index> divisors = divisors_near_root(line.n / 2);
    put_nearest_first(divisors, options_.first_part > 0 ? options_.first_part : even);
    return with_segments([&](const PassMaker& make) {
      return std::ranges::any_of(divisors,
                                 [&](Index n1) { return passes_.in_two_halved(n1, make); });
    });
  }

  bool add_three_parts() const {
    const Index n = passes_.line().n;
    const Index wanted = options_.first_part > 0
                             ? options_.first_part
                             : static_cast<Index>(std::cbrt(static_cast<double>(n)));
    std::vector<Index> divisors = divisors_near_root(n);
    put_nearest_first(divisors, wanted);
    for (const Index n1 : divisors)
      for (const Index n2 : divisors_near_root(n / n1))
        if (passes_.in_three(n1, n2, maker(options_))) return true;
    return false;
  }

  bool add_convolution() const {
    constexpr int attempts = 64;
    const Index largest_tile = options_.block_points * numbers_.largest_cluster;
    Index m = 2 * passes_.line().n - 2;
    for (int attempt = 0; attempt < attempts && m < largest_tile; ++attempt) {
      m = next_smooth(m + 1);
      if (passes_.as_convolution(m, maker(options_))) return true;
    }
    return false;
  }

  bool add_long_convolution() const {
    constexpr int attempts = 16;
    Index m = 2 * passes_.line().n - 2;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      m = next_smooth(m + 1);
      if (m > longest_convolution) break;
      const std::vector<Index> divisors = divisors_near_root(m);
      const bool is_added = with_segments([&](const PassMaker& make) {
        return std::ranges::any_of(
            divisors, [&](Index m1) { return passes_.as_long_convolution(m1, m / m1, make); });
      });
      if (is_added) return true;
    }
    return false;
  }

  AxisPasses& passes_;
  const DeviceNumbers& numbers_;
  const LineOptions& options_;
};

/// Does axes as a recipe does them, pass by pass.
class AxisReplay {
 public:
  AxisReplay(AxisPasses& passes, const Recipe& given) : passes_(passes), given_(given) {}

  bool add() {
    if (next_ == given_.passes.size()) return false;
    const PlacedPass& placed = given_.passes[next_];
    const TileAxis& tile_axis = placed.pass.tile_axes.front();
    const Index n = passes_.line().n, part = tile_axis.length();
    const PassMaker make = [this](const LineProblem& line) -> std::optional<TilePass> {
      if (next_ == given_.passes.size()) return std::nullopt;
      return line_pass_like(line, given_.passes[next_++].pass);
    };
    if (placed.to != Place::scratch) return passes_.in_one(make);
    if (!passes_.may_be_split()) return false;
    switch (tile_axis.chirp.role) {
      case Chirp::Role::first: return holds(part) && passes_.as_convolution(part, make);
      case Chirp::Role::entry:
        return tile_axis.chirp.step > 1 && tile_axis.chirp.step <= longest_convolution / part &&
               holds(part * tile_axis.chirp.step) &&
               passes_.as_long_convolution(part, tile_axis.chirp.step, make);
      case Chirp::Role::none: break;
      default: return false;
    }
    if (passes_.line().real != RealSide::none && (placed.pass.pair != 0 || tile_axis.is_twinned()))
      return n % 2 == 0 && is_part(part, n / 2) && passes_.in_two_halved(part, make);
    if (!is_part(part, n)) return false;
    if (!tile_axis.is_first_part || tile_axis.folded != Folded::none)
      return passes_.in_two(part, lies_by_columns(placed.pass), make);
    if (next_ + 1 == given_.passes.size() || passes_.line().real != RealSide::none) return false;
    const Index second = given_.passes[next_ + 1].pass.tile_axes.front().n();
    return is_part(second, n / part) && passes_.in_three(part, second, make);
  }

 private:
  static bool is_part(Index part, Index n) { return part > 1 && part < n && n % part == 0; }
  static bool lies_by_columns(const TilePass& pass) {
    return std::ranges::any_of(pass.loops, [](const Loop& loop) { return loop.out_far > 0; });
  }
  /// Whether a convolution of m points gives n, and is no waste of memory.
  bool holds(Index m) const {
    const Index n = passes_.line().n;
    return n > 1 && m >= 2 * n - 1 && m <= std::min(longest_convolution, 32 * n);
  }

  AxisPasses& passes_;
  const Recipe& given_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<Recipe> axis_by_axis(const ArrayProblem& problem, const DeviceNumbers& numbers,
                                   const LineOptions& options) {
  AxisPasses passes(problem);
  AxisSearch search(passes, numbers, options);
  return for_axes(problem, passes, [&] { return search.add(); });
}

bool is_axis_by_axis(const ArrayProblem& problem, const Recipe& recipe) {
  AxisPasses passes(problem);
  AxisReplay replay(passes, recipe);
  return for_axes(problem, passes, [&] { return replay.add(); }) == recipe;
}

}  // namespace weft::gpu
