// SPDX-License-Identifier: BSD-3-Clause
#include "problem/overlap.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>

#include "weft/view.hpp"

namespace weft::problem {
namespace {

Index real_bytes(const ArrayProblem& problem) { return weft::real_bytes(problem.precision); }

struct Range {
  std::intptr_t low, high;
};

Range bytes_of(const ArrayProblem& problem, const void* data, bool output) {
  const Index real = real_bytes(problem);
  const auto start = reinterpret_cast<std::intptr_t>(data);
  Range range{start, start + real * (output ? problem.out_width() : problem.in_width())};
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    const auto& dimension = problem.dimensions[static_cast<std::size_t>(d)];
    const Index reach = ((output ? problem.out_extent(d) : problem.in_extent(d)) - 1) *
                        (output ? dimension.out : dimension.in) * real;
    (reach < 0 ? range.low : range.high) += reach;
  }
  return range;
}

/// Two numbers per dimension in a fixed array: execute() checks for overlap and must not allocate.
class PairsPerDimension {
 public:
  void add(Index first, Index second) { pairs_[count_++] = {first, second}; }
  std::span<std::pair<Index, Index>> all() { return {pairs_.data(), count_}; }
  std::span<const std::pair<Index, Index>> all() const { return {pairs_.data(), count_}; }

 private:
  std::array<std::pair<Index, Index>, max_ndim> pairs_;
  std::size_t count_ = 0;
};

/// Whether distance = sum d_i * stride_i with |d_i| < extent_i has a solution. Strides are in
/// descending order, and each is larger than the span of the smaller ones, so at most two values of
/// each d_i are possible.
bool reachable(Index distance, std::span<const std::pair<Index, Index>> dimensions, Index width) {
  if (dimensions.empty()) return std::abs(distance) < width;
  const auto [stride, extent] = dimensions.front();
  const Index nearest = distance / stride;
  for (Index d : {nearest - 1, nearest, nearest + 1})
    if (std::abs(d) < extent && reachable(distance - d * stride, dimensions.subspan(1), width))
      return true;
  return false;
}

/// Whether two arrays with the same steps, one from `a` on, the other from `b` on, share memory.
bool reachable(PairsPerDimension& dimensions, const void* a, const void* b, Index width) {
  std::sort(dimensions.all().rbegin(), dimensions.all().rend());
  return reachable(reinterpret_cast<std::intptr_t>(b) - reinterpret_cast<std::intptr_t>(a),
                   dimensions.all(), width);
}

/// The memory of one array: the first byte, the bytes of an element, and per dimension the stride
/// in bytes and the span, stride times (extent - 1). Strides are positive: a loop that runs
/// downwards visits the same addresses as one that runs upwards.
struct Places {
  std::intptr_t low;
  Index width;
  PairsPerDimension loops;
};

Places places_of(const ArrayProblem& problem, const void* data, bool output) {
  const Index real = real_bytes(problem);
  Places places{bytes_of(problem, data, output).low,
                real * (output ? problem.out_width() : problem.in_width()),
                {}};
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    const auto& dimension = problem.dimensions[static_cast<std::size_t>(d)];
    const Index steps = (output ? problem.out_extent(d) : problem.in_extent(d)) - 1;
    const Index distance = std::abs(output ? dimension.out : dimension.in) * real;
    if (steps > 0) places.loops.add(distance, distance * steps);
  }
  return places;
}

/// Whether two arrays with different strides lie in separate columns of the rows of a larger array.
/// Dimensions with strides of at least `pitch` bytes step from row to row; modulo the greatest
/// common divisor of these strides only the other dimensions matter, and each array becomes one
/// interval. This covers interleaved fields and columns of tables; the general question is a
/// subset-sum problem.
bool lie_beside(const Places& a, const Places& b, Index pitch) {
  Index period = 0;
  const auto reach = [&](const Places& places) {
    Index bytes = places.width;
    for (const auto& [distance, whole] : places.loops.all())
      if (distance >= pitch)
        period = std::gcd(period, distance);
      else
        bytes += whole;
    return bytes;
  };
  const Index a_bytes = reach(a), b_bytes = reach(b);
  if (period == 0) return false;
  const Index apart = ((b.low - a.low) % period + period) % period;
  return apart >= a_bytes && period - apart >= b_bytes;
}

bool lie_beside(const Places& a, const Places& b) {
  for (const Places* places : {&a, &b})
    for (const auto& [distance, whole] : places->loops.all())
      if (lie_beside(a, b, distance)) return true;
  return false;
}

}  // namespace

bool overlap_harmfully(const ArrayProblem& problem, const void* in, const void* out) {
  if (problem.is_empty()) return false;
  const Range a = bytes_of(problem, in, false), b = bytes_of(problem, out, true);
  if (a.high <= b.low || b.high <= a.low) return false;
  const bool same_steps = std::all_of(problem.dimensions.begin(), problem.dimensions.end(),
                                      [](const Dimension& d) { return d.in == d.out || d.n == 1; });
  if (in == out) {
    if (same_steps) return false;
    // r2c and c2r in place: the rows are the same memory, but the elements along the halved axis
    // differ.
    const int halved = problem.halved_axis();
    if (halved < 0) return true;
    for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
      const auto& dimension = problem.dimensions[static_cast<std::size_t>(d)];
      if (d != halved && dimension.n > 1 && dimension.in != dimension.out) return true;
    }
    const auto& axis = problem.dimensions[static_cast<std::size_t>(halved)];
    return problem.kind == Kind::r2c ? axis.in != 1 || axis.out != 2
                                     : axis.in != 2 || axis.out != 1;
  }
  if (!same_steps || problem.in_width() != problem.out_width())
    return !lie_beside(places_of(problem, in, false), places_of(problem, out, true));
  // Same strides, different starts: two interleaved parts of one larger array may be disjoint.
  const Index real = real_bytes(problem);
  PairsPerDimension dimensions;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
    if (const Index n = std::max(problem.in_extent(d), problem.out_extent(d)); n > 1)
      dimensions.add(std::abs(problem.dimension(d).in) * real, n);
  return reachable(dimensions, in, out, problem.in_width() * real);
}

bool overlap_harmfully(const ArrayProblem& problem, const SplitPointers& in,
                       const SplitPointers& out) {
  if (problem.is_empty() || problem.extras.in_place) return false;
  const auto share = [&](const void* a, const void* b, bool is_pair) {
    if (a == nullptr || b == nullptr) return false;
    return is_pair || a != b ? overlap_harmfully(problem, a, b) : true;
  };
  // A side that is not split is one array, to which both parts of the other belong.
  const bool pairs = in.imag != nullptr && out.imag != nullptr;
  return share(in.data, out.data, pairs) || share(in.imag, out.imag, pairs) ||
         share(in.data, out.imag, false) || share(in.imag, out.data, false);
}

bool shares_memory_with_itself(const ArrayProblem& problem, const SplitPointers& out) {
  if (problem.is_empty() || out.imag == nullptr) return false;
  PairsPerDimension dimensions;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
    if (const Index n = problem.out_extent(d); n > 1)
      dimensions.add(std::abs(problem.dimension(d).out) * real_bytes(problem), n);
  return reachable(dimensions, out.data, out.imag, real_bytes(problem));
}

Apartness::Apartness(const ArrayProblem& problem)
    : misaligned_(static_cast<std::uintptr_t>(real_bytes(problem)) - 1) {
  const auto& extras = problem.extras;
  if (problem.is_empty() || extras.in_split || extras.out_split || extras.in_place) return;
  const Range in = bytes_of(problem, nullptr, false), out = bytes_of(problem, nullptr, true);
  after_ = in.high - out.low;
  before_ = in.low - out.high;
  works_in_place_ = !overlap_harmfully(problem, nullptr, nullptr);
}

}  // namespace weft::problem
