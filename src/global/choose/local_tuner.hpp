// SPDX-License-Identifier: BSD-3-Clause
// Chooses the recipes of the local transforms of a distributed plan, on CPUs and on GPUs: from the
// recipe that the caller gave, from wisdom for a local plan of the same array and threads, or by
// timing while there is time; what was timed goes to wisdom. It remembers its choices, so building
// a plan again takes no more time, and it knows from which ones a plan was built, for the plan's
// recipe.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "global/recipe/recipe.hpp"
#include "local/choose/columns.hpp"
#include "local/choose/planner.hpp"
#include "weft/comm.hpp"

namespace weft::global {

class LocalTuner {
 public:
  LocalTuner(Effort effort, bool use_wisdom) : effort_(effort), use_wisdom_(use_wisdom) {}

  /// Seconds that choosing may take from now on, in all, where a byte of new memory takes `byte_s`.
  /// At 0 nothing more is timed.
  void allow(double seconds, double byte_s = local::Choice{}.byte_s) {
    left_s_ = seconds;
    byte_s_ = byte_s;
  }
  double left_s() const { return left_s_; }
  Effort effort() const { return effort_; }
  bool uses_wisdom() const { return use_wisdom_; }

  /// The caller gave a recipe: from now on local transforms take the recipes that `given` has for
  /// this rank; all others take the cost model's first choice at its assumed speeds.
  void settle(std::vector<LocalChoice> given, int rank);

  /// After settle(): its recipe. Else, while there is time: the one found before for this problem,
  /// that of wisdom (unless patient), or the fastest timed. Without time: that of wisdom, the one
  /// found before, or the cost model's choice. Throws weft::Error if a recipe of settle() does not
  /// fit.
  local::ArrayRecipe choose(const problem::ArrayProblem& problem,
                            const std::shared_ptr<const Executor>& executor);
  local::AxisRecipe choose(const local::ColumnsProblem& problem,
                           const std::shared_ptr<const Executor>& executor);
  /// The same for any problem. `keys` are those of its parts in wisdom of `device`, else `name` is;
  /// `ask` chooses with the effort, limits and recipe that it is given, and returns the recipe's
  /// text.
  using Ask = std::function<std::string(const local::Choice&)>;
  std::string choose(const std::string& name, const std::string& device, const Ask& ask,
                     const std::vector<std::string>& keys = {});

  /// Forgets which recipes a plan was built from, before another is built.
  void begin_plan() { used_.clear(); }
  /// Collective. Choices of all ranks since begin_plan() that are not the cost model's at its
  /// assumed speeds, as a recipe lists them: the same on all ranks. Throws on all ranks if settle()
  /// had recipes for transforms that no rank does.
  std::vector<LocalChoice> gather(const Comm& comm) const;

 private:
  struct Used {
    std::string recipe;
    bool is_model = true;
  };
  std::string find(const std::string& name, const std::string& device, const Ask& ask,
                   const std::vector<std::string>& keys);
  std::string by_model(const std::string& name, const Ask& ask);

  Effort effort_;
  bool use_wisdom_, is_settled_ = false;
  double left_s_ = 0, byte_s_ = 0;
  int rank_ = 0;
  std::vector<LocalChoice> given_;
  std::map<std::string, std::string> known_;  ///< timed, by problem and threads
  std::map<std::string, std::string> model_;  ///< what the cost model takes, with assumed speeds
  std::map<std::string, Used> used_;
};

}  // namespace weft::global
