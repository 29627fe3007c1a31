// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/choose_operator.hpp"

#include <algorithm>
#include <cstring>

#include "base/buffer.hpp"
#include "base/format.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "spectral/fused_operator.hpp"
#include "spectral/stepped_operator.hpp"
#include "tune/choose.hpp"
#include "tune/timing.hpp"

namespace weft::spectral {
namespace {

template <class Real>
std::unique_ptr<const RunnableOperator> make(
    const OperatorProblem& problem, const OperatorWay& way,
    const std::function<void(const ModeTile<Real>&)>& function, const OperatorChoice& choice) {
  using Stepped = SteppedOperator<Real>;
  if (way.middle == OperatorWay::Middle::steps)
    return std::make_unique<Stepped>(
        problem, way.apart ? Stepped::Modes::apart : Stepped::Modes::in_outputs, function, choice);
  return std::make_unique<FusedOperator<Real>>(problem, way, function, choice);
}

/// Arrays of zeros to time an operator on.
class TimedFields {
 public:
  explicit TimedFields(const OperatorProblem& problem) {
    const auto bytes = [&](const std::vector<Index>& extents, Index element) {
      for (Index extent : extents)
        element = checked_product(element, extent, "the arrays of an operator");
      return element;
    };
    const Transform& forward = problem.forward;
    const Index element = in_element_bytes(forward.kind, forward.precision);
    for (int f = 0; f < problem.inputs; ++f) add(bytes(forward.input_extents, element), in_);
    for (int f = 0; f < problem.outputs; ++f) add(bytes(forward.output_extents, element), out_);
  }
  const void* const* in() const { return in_.data(); }
  void* const* out() const { return out_.data(); }

 private:
  void add(Index bytes, std::vector<void*>& list) {
    arrays_.emplace_back(bytes);
    std::memset(arrays_.back().data(), 0, static_cast<std::size_t>(bytes));
    list.push_back(arrays_.back().data());
  }
  std::vector<Buffer<std::byte>> arrays_;
  std::vector<void*> in_, out_;
};

/// In place of the caller's function, which must not see numbers that nobody gave: its cost is the
/// same in all ways.
ModeFunction stand_in(const OperatorProblem& problem) {
  return at_every_mode(
      [](const auto& wave, auto u) {
        using Real = std::remove_cvref_t<decltype(wave.k[0])>;
        u[0] *= Real(1) / (Real(1) + wave.squared());
      },
      problem.inputs, problem.outputs);
}

/// Whether there was enough for it.
template <class Work>
bool has_memory(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    return false;
  }
}

class WayQuestion final : public tune::Question<OperatorWay> {
 public:
  WayQuestion(const OperatorProblem& problem, const OperatorChoice& choice)
      : problem_(problem), choice_(choice) {}

  std::string name() const override {
    const Transform& forward = problem_.forward;
    std::string text =
        format("operator on CPU {} to {} fields, {} {}", problem_.inputs, problem_.outputs,
               to_string(forward.kind), to_string(forward.precision));
    const auto add = [&](const char* what, const auto& numbers) {
      text += what;
      for (const auto number : numbers) text += " " + std::to_string(number);
    };
    add(" shape", forward.shape);
    add(" axes", forward.axes);
    if (problem_.is_padded()) {
      add(" from", forward.input_extents);
      add(" to", forward.output_extents);
    }
    return text + " threads " + std::to_string(threads());
  }
  std::string write(const OperatorWay& way) const override { return to_text(way); }
  OperatorWay read(const std::string& text) const override {
    const OperatorWay way = parse_operator_way(text);
    const auto ways = candidates();
    if (std::ranges::find(ways, way) == ways.end())
      throw Error(ErrorCode::wisdom, "the operator cannot be done by " + text);
    return way;
  }
  std::vector<OperatorWay> candidates() const override {
    return ways_of(problem_, threads(), local::machine_model());
  }
  std::optional<OperatorWay> fastest(const std::vector<OperatorWay>& ways,
                                     const tune::Wishes& wishes) override {
    const auto deadline = tune::deadline_in(wishes.time_limit_s);
    std::optional<TimedFields> fields;
    if (!has_memory([&] { fields.emplace(problem_); })) return std::nullopt;
    std::optional<OperatorWay> best;
    double best_s = tune::never;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const double left_s = std::chrono::duration<double>(deadline - tune::Clock::now()).count();
      if (i > 0 && left_s <= 0) break;
      OperatorChoice within = choice_;
      within.time_limit_s = left_s / 2 / static_cast<double>(ways.size() - i);
      const auto time = [&] {
        const auto built = make_operator(problem_, ways[i], stand_in(problem_), within);
        Buffer<std::byte> workspace(static_cast<Index>(built->workspace_bytes()));
        const auto run = [&] { built->execute(fields->in(), fields->out(), workspace.data()); };
        run();  // the system maps the pages of the workspace
        const double seconds = tune::best_of_runs(run, 1, 1.5 * best_s, deadline);
        if (seconds < best_s) best = ways[i];
        best_s = std::min(best_s, seconds);
      };
      has_memory(time);
    }
    return best;
  }

 private:
  int threads() const { return std::max(1, choice_.executor->concurrency()); }

  const OperatorProblem& problem_;
  const OperatorChoice& choice_;
};

}  // namespace

std::unique_ptr<const RunnableOperator> make_operator(const OperatorProblem& problem,
                                                      const OperatorWay& way,
                                                      const ModeFunction& function,
                                                      const OperatorChoice& choice) {
  if (problem.forward.precision == Precision::f64)
    return make<double>(problem, way, function.on_f64(), choice);
  return make<float>(problem, way, function.on_f32(), choice);
}

OperatorWay choose_way(const OperatorProblem& problem, const OperatorChoice& choice) {
  WayQuestion question(problem, choice);
  return tune::choose(question, {.effort = choice.effort,
                                 .time_limit_s = choice.time_limit_s,
                                 .use_wisdom = choice.use_wisdom})
      .recipe;
}

}  // namespace weft::spectral
