// SPDX-License-Identifier: BSD-3-Clause
// Two boxes may be interleaved, as the blocks of
// a block-cyclic matrix are, without sharing an element. So comparing first and last addresses is
// not enough; whether they share one is an equation in integers.
#include "reshape/apart.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/index.hpp"
#include "weft/error.hpp"

namespace weft::reshape {
namespace {

/// stride * c for any integer c in [low, high].
struct Term {
  Index stride, low, high;
};

/// The steps from an element of `a` to one of `b`, longest strides first; equal strides are one
/// term.
std::vector<Term> steps_between(const Piece& a, const Piece& b) {
  std::vector<Term> terms;
  const auto add = [&](const Piece& piece, Index sign) {
    for (int d = 0; d < piece.box.ndim; ++d) {
      const Index steps = piece.box.extent(d) - 1, stride = piece.strides[at(d)];
      if (steps == 0) continue;
      const bool up = (stride > 0) == (sign > 0);
      auto term = std::ranges::find(terms, std::abs(stride), &Term::stride);
      if (term == terms.end()) term = terms.insert(term, {std::abs(stride), 0, 0});
      (up ? term->high : term->low) += up ? steps : -steps;
    }
  };
  add(a, 1);
  add(b, -1);
  std::ranges::sort(terms, std::greater<>(), &Term::stride);
  return terms;
}

constexpr Index floor_div(Index a, Index b) { return a / b - (a % b < 0 ? 1 : 0); }

/// Whether the terms can add up to a given distance.
class Sum {
 public:
  explicit Sum(std::vector<Term> terms) : terms_(std::move(terms)), rest_(terms_.size() + 1) {
    for (std::size_t i = terms_.size(); i-- > 0;) {
      const Term& t = terms_[i];
      rest_[i] = {std::gcd(rest_[i + 1].divisor, t.stride), rest_[i + 1].low + t.low * t.stride,
                  rest_[i + 1].high + t.high * t.stride};
    }
  }

  bool can_be(Index distance) { return search(0, distance); }

 private:
  /// The possible sums of the remaining terms: multiples of the divisor from low to high.
  struct Rest {
    Index divisor = 0, low = 0, high = 0;
  };

  bool search(std::size_t i, Index distance) {
    if (distance < rest_[i].low || distance > rest_[i].high) return false;
    if (i == terms_.size()) return true;
    if (distance % rest_[i].divisor != 0) return false;
    const Term& t = terms_[i];
    const Index first = -floor_div(-(distance - rest_[i + 1].high), t.stride);
    const Index last = floor_div(distance - rest_[i + 1].low, t.stride);
    for (Index c = std::max(first, t.low); c <= std::min(last, t.high); ++c) {
      constexpr int enough = 100'000;
      if (++tried_ > enough || search(i + 1, distance - c * t.stride)) return true;
    }
    return false;
  }

  std::vector<Term> terms_;
  std::vector<Rest> rest_;
  int tried_ = 0;
};

/// The first and the last element of a piece, counted in elements from the start of the memory.
struct Interval {
  const Piece* piece;
  Index low, high;
};

Interval interval_of(const Piece& piece, Index element_bytes) {
  Interval interval{&piece, piece.offset / element_bytes, piece.offset / element_bytes};
  for (int d = 0; d < piece.box.ndim; ++d) {
    const Index way = (piece.box.extent(d) - 1) * piece.strides[at(d)];
    (way < 0 ? interval.low : interval.high) += way;
  }
  return interval;
}

}  // namespace

bool share_memory(const Piece& a, const Piece& b, Index element_bytes) {
  return Sum(steps_between(a, b)).can_be((b.offset - a.offset) / element_bytes);
}

void check_apart(std::span<const Piece> pieces, Index element_bytes) {
  std::vector<Interval> intervals;
  for (const Piece& piece : pieces) intervals.push_back(interval_of(piece, element_bytes));
  std::ranges::sort(intervals, {}, &Interval::low);
  std::vector<Interval> open;
  for (const Interval& next : intervals) {
    std::erase_if(open, [&](const Interval& other) { return other.high < next.low; });
    for (const Interval& other : open)
      if (share_memory(*other.piece, *next.piece, element_bytes))
        throw Error(ErrorCode::invalid_argument,
                    "the output boxes " + to_text(other.piece->box) + " and " +
                        to_text(next.piece->box) +
                        " of one rank overlap in memory; give one of them another offset");
    open.push_back(next);
  }
}

}  // namespace weft::reshape
