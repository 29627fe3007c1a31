// SPDX-License-Identifier: BSD-3-Clause
// Walks lane plans: every decision was made in lane_plan_build.cpp.
#include "local/lane/lane_plan.hpp"

#include <algorithm>
#include <cstring>

#include "base/prefetch.hpp"
#include "local/lane/memory_habits.hpp"

namespace weft::local {

using codelet::KernelLayout;

template <class Real>
Real* LanePlan<Real>::at(Where where, const Real* in, Real* out, Real* scratch) const {
  if (where == Where::input) return const_cast<Real*>(in);  // only ever read through
  return where == Where::output ? out : scratch;
}

template <class Real>
void LanePlan<Real>::run(const KernelStep& step, const Real* in, Real* out, Real* scratch,
                         const Real* lane_twiddles) const {
  const Real* twiddles = step.lane_twiddles ? lane_twiddles : tables_.data();
  const Real* from = at(step.in, in, out, scratch);
  Real* to = at(step.out, in, out, scratch);
  const int rounds = step.all_groups ? 1 : groups_;
  for (int g = 0; g < rounds; ++g, from += group_scratch_, to += group_scratch_)
    for (const Call& call : step.calls)
      step.function(from + call.in, to + call.out, twiddles + call.twiddles, step.arguments);
}

template <class Real>
void LanePlan<Real>::run(const MoveStep& step, const Real* in, Real* out, Real* scratch) const {
  const auto rows = [&](const Ref& ref, Index map, int g) {
    const Index group = ref.where == Where::scratch ? group_scratch_ : ref.side.group;
    return RowsRef{at(ref.where, in, out, scratch) + ref.offset + g * group,
                   ref.side.row,
                   ref.side.lane,
                   map < 0 ? nullptr : maps_.data() + map,
                   ref.side.layout == KernelLayout::planar,
                   false};
  };
  for (int g = 0; g < groups_; ++g)
    ops_->move(rows(step.in, step.in_map, g), rows(step.out, step.out_map, g), step.rows, lanes_,
               step.factors < 0 ? nullptr : tables_.data() + step.factors, step.scale);
}

template <class Real>
void LanePlan<Real>::execute(const Real* in, Real* out, Real* scratch,
                             const Real* lane_twiddles) const {
  for (const Step& step : steps_) {
    if (const auto* kernel = std::get_if<KernelStep>(&step)) {
      run(*kernel, in, out, scratch, lane_twiddles);
    } else if (const auto* move = std::get_if<MoveStep>(&step)) {
      run(*move, in, out, scratch);
    } else {
      for (int g = 0; g < groups_; ++g) {
        Real* base = scratch + g * group_scratch_;
        if (const auto* zero = std::get_if<ZeroStep>(&step))
          std::memset(base + zero->offset, 0, static_cast<std::size_t>(zero->reals) * sizeof(Real));
        else if (const auto* multiply = std::get_if<MultiplyStep>(&step))
          ops_->multiply(base + multiply->offset, multiply->rows,
                         tables_.data() + multiply->factors);
        else if (const auto* add = std::get_if<AddStep>(&step))
          ops_->add_row(base + add->a, base + add->b, base + add->sum);
      }
    }
  }
}

template <class Real>
KernelCall LanePlan<Real>::as_one_call() const {
  const auto* step = steps_.size() == 1 ? std::get_if<KernelStep>(&steps_.front()) : nullptr;
  if (step == nullptr || step->lane_twiddles || step->in != Where::input ||
      step->out != Where::output || step->calls.size() != 1 || (groups_ > 1 && !step->all_groups))
    return {};
  constexpr Index bytes{sizeof(Real)};
  const Call& call = step->calls.front();
  return {step->function, tables_.data() + call.twiddles, call.in * bytes, call.out * bytes,
          step->arguments};
}

template <class Real>
bool LanePlan<Real>::is_pipelined() const {
  if (steps_.size() < 2) return false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto* step = std::get_if<KernelStep>(&steps_[i]);
    if (step == nullptr || step->lane_twiddles) return false;
    if ((step->in == Where::input) != (i == 0) || (step->out == Where::output && i == 0))
      return false;
  }
  return true;
}

template <class Real>
void LanePlan<Real>::start(const Real* in, Real* scratch) const {
  run(std::get<KernelStep>(steps_.front()), in, nullptr, scratch, nullptr);
}

/// Asks for the lines that one call of the first pass will read, all groups of all its rows. Lanes
/// that lie apart share their lines with the calls that follow, and are asked for once per line.
template <class Real>
void LanePlan<Real>::prefetch_points(const KernelStep& first, std::size_t call,
                                     const Real* in) const {
  if (call >= first.calls.size() || first.calls[call].in * Index{sizeof(Real)} % 64 != 0) return;
  const char* row = reinterpret_cast<const char*>(in + first.calls[call].in);
  for (int g = 0; g < groups_; ++g)
    for (int l = 0; l < lanes_; ++l) {
      const char* point = row + (g * in_.group + l * in_.lane) * Index{sizeof(Real)};
      for (int i = 0; i < first_radix_; ++i) {
        weft::prefetch(point);
        point += first.arguments.in_row * Index{sizeof(Real)};
      }
    }
}

/// Asks for rows of neighbouring lanes, counted in the order in which the first pass reads them. A
/// few at a time: a core can wait for some ten lines, then asking takes as long as waiting.
template <class Real>
void LanePlan<Real>::prefetch_rows(const KernelStep& first, std::size_t begin, std::size_t end,
                                   const Real* in) const {
  const Index bytes = groups_ * 2 * lanes_ * Index{sizeof(Real)};
  const auto radix = static_cast<std::size_t>(first_radix_);
  for (std::size_t row = begin; row < end; ++row) {
    const Index offset =
        first.calls[row / radix].in + static_cast<Index>(row % radix) * first.arguments.in_row;
    const char* at = reinterpret_cast<const char*>(in + offset);
    for (Index line = 0; line < bytes; line += 64) weft::prefetch(at + line);
  }
}

template <class Real>
void LanePlan<Real>::finish(Real* out, Real* scratch, const Real* next_in,
                            Real* next_scratch) const {
  const auto& first = std::get<KernelStep>(steps_.front());
  std::size_t rest_calls = 0;
  for (std::size_t i = 1; i < steps_.size(); ++i) {
    const auto& step = std::get<KernelStep>(steps_[i]);
    rest_calls += step.calls.size() * static_cast<std::size_t>(step.all_groups ? 1 : groups_);
  }
  // After k of the other calls, k * first / rest calls of the first pass have run.
  std::size_t ahead = 0, done = 0, fetched = 0;
  const std::size_t first_calls = next_in == nullptr ? 0 : first.calls.size();
  const std::size_t rows = first_calls * static_cast<std::size_t>(first_radix_);
  const bool by_rows = in_.lane == 2;
  const auto fetch_until = [&](std::size_t row) {
    row = std::min(row, rows);
    if (row > fetched) prefetch_rows(first, fetched, row, next_in);
    fetched = std::max(fetched, row);
  };
  // The first rows are asked for before there is anything to do meanwhile.
  const auto lead = static_cast<std::size_t>(memory_habits().rows_ahead);
  if (first_calls > 0 && by_rows) fetch_until(lead);
  if (first_calls > 0 && !by_rows) prefetch_points(first, 0, next_in);
  const auto run_ahead = [&](std::size_t until) {
    if (by_rows) fetch_until(done * rows / rest_calls + lead);
    for (; ahead < until; ++ahead) {
      if (!by_rows) prefetch_points(first, ahead + 1, next_in);
      const Call& call = first.calls[ahead];
      first.function(next_in + call.in, next_scratch + call.out, tables_.data() + call.twiddles,
                     first.arguments);
    }
  };
  for (std::size_t i = 1; i < steps_.size(); ++i) {
    const auto& step = std::get<KernelStep>(steps_[i]);
    const Real* from = at(step.in, nullptr, out, scratch);
    Real* to = at(step.out, nullptr, out, scratch);
    const int rounds = step.all_groups ? 1 : groups_;
    for (int g = 0; g < rounds; ++g, from += group_scratch_, to += group_scratch_)
      for (const Call& call : step.calls) {
        step.function(from + call.in, to + call.out, tables_.data() + call.twiddles,
                      step.arguments);
        ++done;
        run_ahead(done * first_calls / rest_calls);
      }
  }
}

template void LanePlan<float>::execute(const float*, float*, float*, const float*) const;
template KernelCall LanePlan<float>::as_one_call() const;
template bool LanePlan<float>::is_pipelined() const;
template void LanePlan<float>::start(const float*, float*) const;
template void LanePlan<float>::finish(float*, float*, const float*, float*) const;
template void LanePlan<double>::execute(const double*, double*, double*, const double*) const;
template KernelCall LanePlan<double>::as_one_call() const;
template bool LanePlan<double>::is_pipelined() const;
template void LanePlan<double>::start(const double*, double*) const;
template void LanePlan<double>::finish(double*, double*, const double*, double*) const;

}  // namespace weft::local
