// SPDX-License-Identifier: BSD-3-Clause
// The one way to choose a recipe: the recipe given by the caller, one found in wisdom, the best by
// the cost model, or the fastest of those timed. A Question says which recipes there are and how to
// time them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/work_ref.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::tune {

/// The planning options of the caller.
struct Wishes {
  Effort effort = Effort::estimate;
  double time_limit_s = 10;
  bool use_wisdom = true;
  std::string recipe = {};  ///< given by the caller; empty: choose one
};

/// The problem for which a recipe is chosen. Recipe is plain data that can be written as text.
template <class Recipe>
class Question {
 public:
  virtual ~Question() = default;

  /// The key in wisdom: the problem and everything else that the best recipe depends on.
  virtual std::string name() const = 0;
  /// The device in wisdom: the name of a GPU, or empty for this CPU.
  virtual std::string device() const { return {}; }

  virtual std::string write(const Recipe& recipe) const = 0;
  /// Throws weft::Error if the text is not a recipe, or if the recipe does not fit this problem,
  /// build or machine.
  virtual Recipe read(const std::string& text) const = 0;

  /// At least one, best first by the cost model.
  virtual std::vector<Recipe> candidates() const = 0;
  /// Whether timing can change anything.
  virtual bool is_open(const std::vector<Recipe>& candidates) const {
    return candidates.size() > 1;
  }
  /// The fastest of the candidates; nullopt if none could be timed.
  virtual std::optional<Recipe> fastest(const std::vector<Recipe>& candidates,
                                        const Wishes& wishes) = 0;
  /// Whether the last result of fastest() should be stored as wisdom.
  virtual bool is_lasting() const { return true; }

  // For distributed plans, where all ranks must choose the same.
  /// Returns rank 0's text on all ranks.
  virtual std::string shared(const std::string& text) const { return text; }
  /// Calls `work`; if it throws on one rank, all ranks throw.
  virtual void together(WorkRef work) const { work(); }
};

/// Where the recipe came from.
enum class Origin { caller, wisdom, model, timing };

template <class Recipe>
struct Answer {
  Recipe recipe;
  Origin origin = Origin::model;
};

/// Throws weft::Error (invalid_argument) if the caller's recipe does not fit. Wisdom that does not
/// fit is ignored.
template <class Recipe>
Answer<Recipe> choose(Question<Recipe>& question, const Wishes& wishes) {
  if (!wishes.recipe.empty()) try {
      return {question.read(wishes.recipe), Origin::caller};
    } catch (const Error& error) {
      if (error.code() == ErrorCode::out_of_memory) throw;
      throw Error(ErrorCode::invalid_argument, error.what());
    }
  std::string name, device, known;
  question.together([&] {
    name = question.name();
    device = question.device();
  });
  if (wishes.use_wisdom && wishes.effort != Effort::patient) {
    question.together([&] { known = find_wisdom(name, device).value_or(""); });
    known = question.shared(known);
    if (!known.empty()) try {
        return {question.read(known), Origin::wisdom};
      } catch (const Error&) {  // damaged, or from another version of weft
      }
  }
  std::vector<Recipe> candidates = question.candidates();
  if (wishes.effort == Effort::estimate || !question.is_open(candidates))
    return {std::move(candidates.front()), Origin::model};
  std::optional<Recipe> fastest = question.fastest(candidates, wishes);
  if (!fastest) return {std::move(candidates.front()), Origin::model};
  if (wishes.use_wisdom && question.is_lasting())
    question.together([&] { add_wisdom(name, question.write(*fastest), device); });
  return {*std::move(fastest), Origin::timing};
}

/// Times `count` candidates one after another, then all once more, in case the machine was busy the
/// first time. Returns seconds; infinity for candidates for which the limit left no time. The first
/// candidate is always timed. `time(i, give_up_s)` may stop when it takes longer than `give_up_s`.
std::vector<double> time_in_turns(std::size_t count,
                                  const std::function<double(std::size_t, double)>& time,
                                  double limit_s);

}  // namespace weft::tune
