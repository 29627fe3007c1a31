// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/report.hpp"

#include <chrono>
#include <map>

#include "dropins/report_lines.hpp"

namespace weft::fftw::report {
namespace {

/// All plans of one problem with one recipe.
struct Row {
  std::atomic<long long> plans = 0, calls = 0, nanoseconds = 0;
};
struct Table {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, Row> rows;  // by problem and recipe
};
Table& table() {  // never destroyed: plans may outlive everything
  static auto* const instance = new Table;
  return *instance;
}
Row& row_of(const std::string& problem, const std::string& recipe) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  return t.rows[{problem, recipe}];
}

class CountedPlan final : public PlanBase {
 public:
  CountedPlan(PlanHandle plan, Row& row)
      : PlanBase(&run_counted, plan->arrays), plan_(plan), row_(row) {}
  std::string text() const override { return plan_->text(); }
  PlanCost cost() const override { return plan_->cost(); }

 private:
  static void run_counted(PlanBase& base, const Arrays& arrays) {
    auto& self = static_cast<CountedPlan&>(base);
    const auto begin = std::chrono::steady_clock::now();
    self.plan_->run(*self.plan_, arrays);
    const auto time = std::chrono::steady_clock::now() - begin;
    self.row_.nanoseconds += std::chrono::nanoseconds(time).count();
    ++self.row_.calls;
  }

  std::unique_ptr<PlanBase> plan_;
  Row& row_;
};

[[gnu::destructor]] void write_at_exit() {
  if (!is_wanted()) return;
  try {
    std::vector<dropins::ReportLine> lines;
    const char* const precision = sizeof(Real) == sizeof(float) ? "float" : "double";
    for (const auto& [key, row] : table().rows)
      lines.push_back({.called = "FFTW",
                       .precision = precision,
                       .problem = key.first,
                       .recipe = key.second,
                       .instead = {},
                       .plans = row.plans,
                       .calls = row.calls,
                       .seconds = 1e-9 * static_cast<double>(row.nanoseconds)});
    dropins::append_to_report(lines);
  } catch (...) {
    complain("report", "there was no memory for it");
  }
}

}  // namespace

bool is_wanted() noexcept { return dropins::report_file() != nullptr; }

PlanHandle counted(PlanHandle plan, const std::string& problem, const std::string& recipe) {
  std::unique_ptr<PlanBase> owned(plan);
  Row& row = row_of(problem, recipe);
  ++row.plans;
  const PlanHandle result = new CountedPlan(plan, row);
  owned.release();
  return result;
}

void refused(const std::string& problem) noexcept {
  try {
    ++row_of(problem, "").plans;
  } catch (...) {
    complain("report", "there was no memory for it");
  }
}

}  // namespace weft::fftw::report
