// SPDX-License-Identifier: BSD-3-Clause
// Counts what `weft run-with` prints (dropins/report_lines.hpp), and times it by events on the
// streams of the plans: nothing waits before the program ends. Where it is not wanted, nothing is
// recorded.
#pragma once

#include <string>

#include "dropins/cufft/request.hpp"

namespace weft::cufft::report {

bool is_wanted() noexcept;

/// All plans of one problem that are carried out in the same way. Rows are never destroyed.
struct Row;
/// One more plan that computes this. Where weft does not do it, `recipe` is empty and `instead`
/// says who does, and why; `instead` is empty, too, where there is no such plan.
Row* add_plan(const Request& request, const Variant& variant, const std::string& recipe,
              const std::string& instead);

struct Timing;

/// One execution, while the object lives; a null row is not counted. Executions that are captured
/// into a graph are counted once and not timed.
class Call {
 public:
  Call(Row* row, void* stream) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  void has_failed() { has_run_ = false; }

 private:
  Row* row_;
  void* stream_;
  Timing* timing_ = nullptr;
  bool has_run_ = true;
};

/// An execution that has no stream to time it on.
void count_untimed(Row* row) noexcept;

}  // namespace weft::cufft::report
