// SPDX-License-Identifier: BSD-3-Clause
#include "local/twiddled_columns.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"
#include "local/twiddle_table.hpp"

namespace weft::local {

using codelet::Layout;

namespace {

template <class Real>
constexpr Precision precision_of = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;

void put(Buffer<double>& table, Index i, std::complex<long double> w) {
  table[2 * i] = static_cast<double>(w.real());
  table[2 * i + 1] = static_cast<double>(w.imag());
}

}  // namespace

template <class Real>
TwiddleTables<Real>::TwiddleTables(Index n, Index rows, codelet::Isa isa, Direction direction)
    : n_(n) {
  while ((Index{1} << (2 * shift_)) < n) ++shift_;
  const Index low_count = Index{1} << shift_;
  const int lanes = codelet::lanes(isa, precision_of<Real>);
  low_ = Buffer<double>(2 * low_count);
  high_ = Buffer<double>(2 * ceil_div(n, low_count));
  lane_ = Buffer<Real>(rows * 2 * lanes);
  const RootTable roots(n);
  const auto root = [&](Index e) {
    const auto w = roots(e % n);
    return direction == Direction::forward ? w : std::conj(w);
  };
  for (Index e = 0; e < low_count; ++e) put(low_, e, root(e));
  for (Index e = 0; e < n; e += low_count) put(high_, e >> shift_, root(e));
  for (Index k = 0; k < rows; ++k)
    for (int l = 0; l < lanes; ++l) {
      const auto w = root(multiply_mod(k, l, n));
      const Index at = k * 2 * lanes + codelet::planar_slot(isa, precision_of<Real>, l);
      lane_[at] = static_cast<Real>(w.real());
      lane_[at + lanes] = static_cast<Real>(w.imag());
    }
}

template <class Real>
TwiddledColumns<Real>::TwiddledColumns(const ColumnsRequest& request)
    : request_(request),
      rows_(request.recipe.n),
      ops_(lane_ops<Real>(request.isa)),
      lanes_(codelet::lanes(request.isa, precision_of<Real>)),
      columns_(plan(request.in_row, request.in_lane)),
      edge_(plan(2 * block(), 2)),
      tables_(request.line, rows_, request.isa, request.direction),
      work_reals_(round_up(block() * 2 * rows_, 64 / Index{sizeof(Real)})),
      plan_reals_(std::max(columns_.scratch_reals(), edge_.scratch_reals())),
      edge_reals_(request.columns % block() != 0 ? block() * 2 * rows_ : 0) {}

template <class Real>
LanePlan<Real> TwiddledColumns<Real>::plan(Index row, Index lane) const {
  return LanePlan<Real>(
      {.recipe = request_.recipe,
       .isa = request_.isa,
       .direction = request_.direction,
       .in = {lane == 2 ? Layout::unit : Layout::strided, row, lane, lanes_ * lane},
       .out = {Layout::planar, 2 * lanes_, 1, 2 * lanes_ * rows_},
       .groups = request_.groups});
}

template <class Real>
Index TwiddledColumns<Real>::blocks() const {
  return ceil_div(request_.columns, block());
}

template <class Real>
void TwiddledColumns<Real>::store(const Real* work, Index column, Real* out, Index out_row) const {
  const TwiddleBlock<Real> twiddles = tables_.block();
  for (int g = 0; g < request_.groups; ++g)
    ops_.twiddle_store(work + g * 2 * lanes_ * rows_, rows_, twiddles,
                       (request_.first + column + g * lanes_) % request_.line, out + 2 * g * lanes_,
                       out_row);
}

template <class Real>
void TwiddledColumns<Real>::run(Index begin, Index end, const Real* in, Real* out,
                                Real* scratch) const {
  const Index whole = request_.columns / block();
  const bool pipelined = request_.in_lane == 2 && columns_.is_pipelined();
  Real* current = scratch + work_reals_;
  Real* next = current + plan_reals_;
  for (Index b = begin; b < std::min(end, whole); ++b) {
    const Real* from = in + b * block() * request_.in_lane;
    if (pipelined) {  // the next block is read while this one is computed
      if (b == begin) columns_.start(from, current);
      const bool more = b + 1 < std::min(end, whole);
      columns_.finish(scratch, current, more ? from + block() * request_.in_lane : nullptr, next);
      std::swap(current, next);
    } else {
      columns_.execute(from, scratch, current);
    }
    store(scratch, b * block(), out + 2 * b * block(), request_.out_row);
  }
  if (end > whole && begin < end) run_edge(in, out, scratch);
}

/// Copied to a block of its own, with zeros for the columns that are missing.
template <class Real>
void TwiddledColumns<Real>::run_edge(const Real* in, Real* out, Real* scratch) const {
  const Index first = request_.columns / block() * block(), count = request_.columns - first;
  Real* edge = scratch + work_reals_ + 2 * plan_reals_;
  for (Index p = 0; p < rows_; ++p) {
    const Real* from = in + p * request_.in_row + first * request_.in_lane;
    Real* to = edge + p * 2 * block();
    for (Index q = 0; q < count; ++q) {
      to[2 * q] = from[q * request_.in_lane];
      to[2 * q + 1] = from[q * request_.in_lane + 1];
    }
    std::fill(to + 2 * count, to + 2 * block(), Real{0});
  }
  edge_.execute(edge, scratch, scratch + work_reals_);
  store(scratch, first, edge, 2 * block());
  for (Index p = 0; p < rows_; ++p)
    std::copy_n(edge + p * 2 * block(), 2 * count, out + p * request_.out_row + 2 * first);
}

template class TwiddleTables<float>;
template class TwiddleTables<double>;
template class TwiddledColumns<float>;
template class TwiddledColumns<double>;

}  // namespace weft::local
