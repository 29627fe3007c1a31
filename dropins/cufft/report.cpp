// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/cufft/report.hpp"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "dropins/cufft/driver.hpp"
#include "dropins/report_lines.hpp"

namespace weft::cufft::report {

struct Row {
  long long plans = 0, calls = 0, untimed = 0;
  double seconds = 0;
};

/// Two events around an execution. Pairs are used again, in the context they were made in.
struct Timing {
  void* context = Event::current_context();
  Event start, stop;
  Row* row = nullptr;
};

namespace {

/// A program that has more executions under way has the others counted, not timed.
constexpr std::size_t most_timings = 4096;
/// Of those under way, this many are asked for at each execution.
constexpr int asked_at_once = 4;

struct Table {
  std::mutex mutex;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Row> rows;
  std::vector<std::unique_ptr<Timing>> timings;
  std::map<void*, std::vector<Timing*>> free;  // by context
  std::deque<Timing*> under_way;
};
Table& table() {  // never destroyed: plans may outlive everything
  static auto* const instance = new Table;
  return *instance;
}

/// The oldest, which has happened.
void finish_first(Table& t) {
  Timing& timing = *t.under_way.front();
  const double seconds = timing.stop.seconds_since(timing.start);
  if (seconds < 0)
    ++timing.row->untimed;
  else
    timing.row->seconds += seconds;
  t.free[timing.context].push_back(&timing);
  t.under_way.pop_front();
}

/// Null where there is no more.
Timing* free_timing(Table& t) {
  std::vector<Timing*>& free = t.free[Event::current_context()];
  if (free.empty()) {
    if (t.timings.size() == most_timings) return nullptr;
    auto fresh = std::make_unique<Timing>();
    if (!fresh->start.is_made() || !fresh->stop.is_made()) return nullptr;
    t.timings.push_back(std::move(fresh));
    return t.timings.back().get();
  }
  Timing* const timing = free.back();
  free.pop_back();
  return timing;
}

void complain() noexcept { std::fputs("weft: cuFFT's report: out of memory\n", stderr); }

/// Registered with the first execution, so that it runs before the driver leaves.
void write_at_exit() {
  try {
    Table& t = table();
    const std::lock_guard lock(t.mutex);
    while (!t.under_way.empty()) {
      t.under_way.front()->stop.wait();
      finish_first(t);
    }
    std::vector<dropins::ReportLine> lines;
    for (const auto& [key, row] : t.rows) {
      const auto& [precision, problem, recipe, instead] = key;
      lines.push_back({"cuFFT", precision, problem, recipe, instead, row.plans, row.calls,
                       row.untimed, row.seconds});
    }
    dropins::append_to_report(lines);
  } catch (...) {
    complain();
  }
}

std::string text_of(const Request& request, const Variant& variant) {
  if (request.lengths.empty()) return "unknown";
  const PlannedTransform planned = transform_of(request, variant);
  const Transform& t = planned.transform;
  std::string text, batch;
  if (request.is_for_cufft)
    text = "from type " + std::to_string(request.types.input) + " to " +
           std::to_string(request.types.output);
  else if (t.kind == Kind::c2c)
    text = t.direction == Direction::forward ? "c2c forward" : "c2c backward";
  else
    text = t.kind == Kind::r2c ? "r2c" : "c2r";
  for (std::size_t d = 0; d < t.shape.size(); ++d) {
    const std::string dimension = std::to_string(t.shape[d]) + ":" +
                                  std::to_string(planned.input.strides[d]) + ":" +
                                  std::to_string(planned.output.strides[d]);
    if (d == 0 && request.batch > 1)
      batch = " of " + dimension;
    else
      text += (d == (request.batch > 1 ? 1u : 0u) ? " " : "x") + dimension;
  }
  return text + batch + (variant.in_place ? " in place" : "");
}

std::string precision_of(const Request& request) {
  if (request.is_for_cufft) return "other";
  switch (request.type.precision) {
    case Precision::f16: return "half";
    case Precision::f32: return "float";
    case Precision::f64: return "double";
  }
  return "";
}

}  // namespace

bool is_wanted() noexcept { return dropins::report_file() != nullptr; }

Row* add_plan(const Request& request, const Variant& variant, const std::string& recipe,
              const std::string& instead) {
  static const bool is_registered = std::atexit(&write_at_exit) == 0;
  if (!is_registered) return nullptr;
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  Row& row = t.rows[{precision_of(request), text_of(request, variant), recipe, instead}];
  ++row.plans;
  return &row;
}

Call::Call(Row* row, void* stream) noexcept : row_(row), stream_(stream) {
  if (row_ == nullptr) return;
  try {
    const BesideCapture beside;
    Table& t = table();
    const std::lock_guard lock(t.mutex);
    for (int i = 0; i < asked_at_once && !t.under_way.empty(); ++i)
      if (t.under_way.front()->stop.has_happened()) finish_first(t);
    Timing* const timing = is_captured(stream_) ? nullptr : free_timing(t);
    if (timing == nullptr) return;
    timing->row = row_;
    if (timing->start.record(stream_))
      timing_ = timing;
    else
      t.free[timing->context].push_back(timing);
  } catch (...) {
    complain();
  }
}

Call::~Call() {
  if (row_ == nullptr) return;
  try {
    Table& t = table();
    const std::lock_guard lock(t.mutex);
    if (has_run_) ++row_->calls;
    if (timing_ != nullptr && has_run_ && timing_->stop.record(stream_)) {
      t.under_way.push_back(timing_);
      return;
    }
    if (has_run_) ++row_->untimed;
    if (timing_ != nullptr) t.free[timing_->context].push_back(timing_);
  } catch (...) {
    complain();
  }
}

void count_untimed(Row* row) noexcept {
  if (row == nullptr) return;
  const std::lock_guard lock(table().mutex);
  ++row->calls;
  ++row->untimed;
}

}  // namespace weft::cufft::report
