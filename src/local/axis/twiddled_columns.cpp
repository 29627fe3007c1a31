// SPDX-License-Identifier: BSD-3-Clause
#include "local/axis/twiddled_columns.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"

namespace weft::local {

using codelet::KernelLayout;

namespace {

template <class Real>
constexpr Precision precision_of = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;

/// Powers of about the square root of the rows: then fine and coarse rows are equally many.
Index period_of(Index rows) {
  Index period = 1;
  while (period * period < rows) period *= 2;
  return period;
}

}  // namespace

template <class Real>
TwiddledColumns<Real>::TwiddledColumns(const ColumnsRequest& request)
    : request_(request),
      rows_(request.recipe.n),
      ops_(lane_ops<Real>(request.isa)),
      lanes_(codelet::lanes(request.isa, precision_of<Real>)),
      columns_(plan(request.in_row, request.in_lane)),
      edge_(plan(2 * block(), 2)),
      roots_(request.line, request.direction),
      period_(period_of(rows_)),
      work_reals_(round_up(block() * 2 * rows_, 64 / Index{sizeof(Real)})),
      factor_reals_(
          round_up((period_ + ceil_div(rows_, period_)) * 2 * block(), 64 / Index{sizeof(Real)})),
      plan_reals_(std::max(columns_.scratch_reals(), edge_.scratch_reals())),
      edge_reals_(request.columns % block() != 0 ? block() * 2 * rows_ : 0) {}

template <class Real>
LanePlan<Real> TwiddledColumns<Real>::plan(Index row, Index lane) const {
  return LanePlan<Real>(
      {.recipe = request_.recipe,
       .isa = request_.isa,
       .direction = request_.direction,
       .in = {lane == 2 ? KernelLayout::unit : KernelLayout::strided, row, lane, lanes_ * lane},
       .out = {KernelLayout::planar, 2 * lanes_, 1, 2 * lanes_ * rows_},
       .groups = request_.groups});
}

template <class Real>
Index TwiddledColumns<Real>::blocks() const {
  return ceil_div(request_.columns, block());
}

/// w^(p q) for the columns q of a block: w^(a q) for the fine rows, w^(b period q) for the coarse.
template <class Real>
TwiddleBlock<Real> TwiddledColumns<Real>::factors(Index column, Real* table) const {
  const Index n = request_.line, row = 2 * block();
  const auto powers = [&](Index q, Index count, Real* to) {
    Index e = 0;
    for (Index i = 0; i < count; ++i, to += row) {
      const std::complex<double> w = roots_(e);
      to[0] = static_cast<Real>(w.real());
      to[lanes_] = static_cast<Real>(w.imag());
      e += q;
      if (e >= n) e -= n;
    }
  };
  Real* coarse = table + period_ * row;
  for (Index j = 0; j < block(); ++j) {
    const Index q = (request_.first + column + j) % n;
    const int lane = static_cast<int>(j % lanes_);
    const Index slot =
        j / lanes_ * 2 * lanes_ + codelet::planar_slot(request_.isa, precision_of<Real>, lane);
    powers(q, period_, table + slot);
    powers(multiply_mod(q, period_, n), ceil_div(rows_, period_), coarse + slot);
  }
  return {table, coarse, period_};
}

template <class Real>
void TwiddledColumns<Real>::store(Real* scratch, Index column, bool streamed, Real* out,
                                  Index out_row) const {
  ops_.twiddle_store(scratch, 2 * lanes_ * rows_, request_.groups, rows_,
                     factors(column, scratch + work_reals_), streamed, out, out_row);
}

template <class Real>
void TwiddledColumns<Real>::run(Index begin, Index end, const Real* in, Real* out,
                                Real* scratch) const {
  const Index whole = request_.columns / block();
  const bool pipelined = request_.in_lane == 2 && columns_.is_pipelined();
  Real* current = scratch + work_reals_ + factor_reals_;
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
    store(scratch, b * block(), request_.stream, out + 2 * b * block(), request_.out_row);
  }
  if (end > whole && begin < end) run_edge(in, out, scratch);
}

/// Copied to a block of its own, with zeros for the columns that are missing.
template <class Real>
void TwiddledColumns<Real>::run_edge(const Real* in, Real* out, Real* scratch) const {
  const Index first = request_.columns / block() * block(), count = request_.columns - first;
  Real* plan_scratch = scratch + work_reals_ + factor_reals_;
  Real* edge = plan_scratch + 2 * plan_reals_;
  for (Index p = 0; p < rows_; ++p) {
    const Real* from = in + p * request_.in_row + first * request_.in_lane;
    Real* to = edge + p * 2 * block();
    for (Index q = 0; q < count; ++q) {
      to[2 * q] = from[q * request_.in_lane];
      to[2 * q + 1] = from[q * request_.in_lane + 1];
    }
    std::fill(to + 2 * count, to + 2 * block(), Real{0});
  }
  edge_.execute(edge, scratch, plan_scratch);
  store(scratch, first, false, edge, 2 * block());
  for (Index p = 0; p < rows_; ++p)
    std::copy_n(edge + p * 2 * block(), 2 * count, out + p * request_.out_row + 2 * first);
}

template class TwiddledColumns<float>;
template class TwiddledColumns<double>;

}  // namespace weft::local
