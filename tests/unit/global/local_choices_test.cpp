// SPDX-License-Identifier: BSD-3-Clause
// The recipe of a distributed plan names local transforms that are not the cost model's choice, and
// a plan built from it does them so, on every rank.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <sstream>

#include "codelet/runtime/isa.hpp"
#include "global/choose/local_tuner.hpp"
#include "global/recipe/recipe_text.hpp"
#include "local/choose/machine_model.hpp"
#include "support/distributed_cases.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/error.hpp"
#include "weft/wisdom.hpp"

namespace weft {
namespace {

struct Outcome {
  std::string recipe, error;                    ///< the same on all ranks
  std::vector<std::map<Index, double>> values;  ///< by rank
};

/// Plans the problem and executes it, on its ranks.
Outcome outcome_of(const test::DistributedCase& c) {
  Outcome outcome;
  outcome.values.resize(c.nodes.size());
  std::mutex mutex;
  run_as_threads(c.nodes, [&](const Comm& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    std::string recipe, error;
    try {
      recipe =
          DistributedPlan(c.transform, c.input[rank], c.output[rank], comm, c.options).recipe();
      outcome.values[rank] = test::results(c, comm);
    } catch (const Error& thrown) {
      error = thrown.what();
    }
    const std::lock_guard lock(mutex);
    if (rank == 0 || outcome.recipe.empty()) outcome.recipe = recipe;
    if (rank == 0 || outcome.error.empty()) outcome.error = error;
    EXPECT_EQ(recipe, outcome.recipe);
    EXPECT_EQ(error, outcome.error);
  });
  return outcome;
}

Outcome outcome_of(test::DistributedCase c, const std::string& recipe) {
  c.options.recipe = recipe;
  return outcome_of(c);
}

/// The planner's recipe with the local transforms of the cost model and its assumed speeds,
/// whatever other tests have measured.
Outcome plain_outcome(const test::DistributedCase& c) {
  const std::string recipe = outcome_of(c).recipe;
  return outcome_of(c, recipe.substr(0, recipe.find(" with ")));
}

/// Slabs, along the first axis and then along the last.
test::DistributedCase slabs_of(const Transform& transform, int ranks) {
  test::DistributedCase c;
  c.transform = transform;
  const int last = static_cast<int>(transform.shape.size()) - 1;
  for (int rank = 0; rank < ranks; ++rank) {
    c.nodes.push_back(0);
    c.input.push_back(slabs(transform.shape, 0, ranks, rank));
    c.output.push_back(slabs(transform.shape, last, ranks, rank));
  }
  c.options.use_wisdom = false;
  return c;
}

/// The local problems of all ranks, which the error about a wrong one lists.
std::vector<std::string> local_problems(const test::DistributedCase& c, const std::string& recipe) {
  const std::string error = outcome_of(c, recipe + " with {nothing = scalar:lanes(2,1)}").error;
  const std::size_t list = error.find("the local transforms are '");
  EXPECT_NE(list, std::string::npos) << error;
  std::vector<std::string> names;
  for (std::size_t begin = error.find('\'', list); begin < error.size();) {
    const std::size_t end = error.find('\'', begin + 1);
    names.push_back(error.substr(begin + 1, end - begin - 1));
    begin = error.find('\'', end + 1);
  }
  if (names.empty()) names.emplace_back("none");
  return names;
}

/// A recipe that no cost model takes: each axis alone, without vectors. The lengths have kernels.
std::string plain_way(const std::string& problem) {
  std::istringstream words(problem);
  std::string word, recipe;
  std::vector<std::string> lengths;
  if (problem.starts_with("columns ")) {
    words >> word >> word >> word >> word;
    return "scalar:lanes(" + word.substr(0, word.find(':')) + ",1)";
  }
  while (words >> word && word != "axes")
    if (word.find(':') != std::string::npos) lengths.push_back(word.substr(0, word.find(':')));
  while (words >> word && word != "threads")
    recipe = "axes " + word + ": scalar:lanes(" + lengths[std::stoul(word)] + ",1)" +
             (recipe.empty() ? "" : " | " + recipe);
  return recipe;
}

void expect_near(const Outcome& a, const Outcome& b) {
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::size_t rank = 0; rank < a.values.size(); ++rank) {
    ASSERT_EQ(a.values[rank].size(), b.values[rank].size());
    for (const auto& [place, value] : a.values[rank])
      ASSERT_NEAR(value, b.values[rank].at(place), 1e-11) << a.recipe << " and " << b.recipe;
  }
}

class LocalChoices : public testing::Test {
 protected:
  void SetUp() override { wisdom::forget(); }
  void TearDown() override { wisdom::forget(); }

  static std::vector<test::DistributedCase> problems() {
    test::DistributedCase line = slabs_of(c2c({256}), 2);
    line.options.strategy = Strategy::line;
    line.options.exchange = ExchangeAlgorithm::shared;
    test::DistributedCase chirp = slabs_of(c2c({61}), 2);
    chirp.options.strategy = Strategy::line;
    return {slabs_of(c2c({8, 6, 4}), 3), slabs_of(c2c({4, 5, 8}), 1), line, chirp};
  }
  static std::string with_all(const std::string& recipe, const std::vector<std::string>& names) {
    std::string text = recipe + " with";
    for (const std::string& name : names) text += " {" + name + " = " + plain_way(name) + "}";
    return text;
  }
};

TEST_F(LocalChoices, OfTheCostModelAreNotNamed) {
  for (const test::DistributedCase& c : problems()) {
    const Outcome plain = plain_outcome(c);
    EXPECT_EQ(plain.error, "");
    EXPECT_EQ(plain.recipe.find(" with "), std::string::npos) << plain.recipe;
  }
}

/// Measured speeds may change what the cost model prefers: then the text says so.
TEST_F(LocalChoices, ByMeasuredSpeedsAreNamedAndMadeAgain) {
  std::vector<test::DistributedCase> all = problems();
  all.push_back(slabs_of(c2c({32, 64, 64}), 2));
  for (test::DistributedCase& c : all) {
    wisdom::forget();
    const Outcome plain = plain_outcome(c);
    tune::add_wisdom(
        "speeds of this machine",
        to_text(local::MachineSpeeds{.gigahertz = 9, .l3_line = 39, .memory_bytes_per_ns = 0.6}));
    c.options.use_wisdom = true;
    const Outcome planned = outcome_of(c);
    EXPECT_EQ(outcome_of(c, planned.recipe).recipe, planned.recipe);
    EXPECT_EQ(outcome_of(c, plain.recipe).recipe, plain.recipe);
    EXPECT_EQ(outcome_of(c, plain.recipe).values, plain.values);
  }
}

TEST_F(LocalChoices, ThatAreNamedAreMade) {
  if (codelet::best_isa() == codelet::Isa::scalar)
    GTEST_SKIP() << "scalar kernels leave little to choose";
  for (const test::DistributedCase& c : problems()) {
    const Outcome plain = plain_outcome(c);
    const auto names = local_problems(c, plain.recipe);
    const std::string text = with_all(plain.recipe, names);
    const Outcome named = outcome_of(c, text);
    EXPECT_EQ(named.error, "") << text;
    EXPECT_EQ(named.recipe, text);
    expect_near(named, plain);
    EXPECT_EQ(outcome_of(c, named.recipe).values, named.values) << text;
    // The model's own choice needs no name.
    EXPECT_EQ(outcome_of(c, plain.recipe).recipe, plain.recipe);
  }
}

TEST_F(LocalChoices, OfWisdomAreNamedAndMadeAgainWithoutIt) {
  if (codelet::best_isa() == codelet::Isa::scalar)
    GTEST_SKIP() << "scalar kernels leave little to choose";
  for (test::DistributedCase c : problems()) {
    wisdom::forget();
    const std::string plain = plain_outcome(c).recipe;
    const auto names = local_problems(c, plain);
    for (const std::string& name : names) tune::add_wisdom(name, plain_way(name));
    c.options.use_wisdom = true;
    const Outcome wise = outcome_of(c);
    EXPECT_EQ(wise.recipe, with_all(plain, names));
    wisdom::forget();
    c.options.use_wisdom = false;
    const Outcome again = outcome_of(c, wise.recipe);
    EXPECT_EQ(again.recipe, wise.recipe);
    EXPECT_EQ(again.values, wise.values) << wise.recipe;
  }
}

TEST_F(LocalChoices, MayDifferBetweenRanks) {
  const test::DistributedCase c = slabs_of(c2c({8, 8, 4}), 2);  // both ranks do the same
  const std::string plain = plain_outcome(c).recipe;
  const std::string name = local_problems(c, plain).front();
  const std::string text = plain + " with {" + name + " on 1 = " + plain_way(name) + "}";
  EXPECT_EQ(outcome_of(c, text).recipe, text);
  EXPECT_EQ(outcome_of(c, text).error, "");
}

TEST_F(LocalChoices, ThatFitNoRankAreRefusedOnAll) {
  const test::DistributedCase c = slabs_of(c2c({8, 6, 4}), 3);
  const std::string plain = plain_outcome(c).recipe;
  const std::string name = local_problems(c, plain).front();
  const auto error = [&](const std::string& locals) { return outcome_of(c, plain + locals).error; };
  EXPECT_NE(error(" with {c2c f64 = axes 0: scalar:lanes(2,1)}").find("which no rank does"),
            std::string::npos);
  EXPECT_NE(error(" with {" + name + " = axes 0: scalar:lanes(2,1)}").find("does not fit"),
            std::string::npos);
  for (const char* damaged : {" with", " with ", " with {}", " with {a}", " with {a = b",
                              " with {a on x = b}", " with {a = b}{a = c}", " tiles 0", " tiles"})
    EXPECT_NE(error(damaged).find("cannot read the recipe"), std::string::npos) << damaged;
}

TEST_F(LocalChoices, IncludeTheTiles) {
  test::DistributedCase c = slabs_of(c2c({48, 32, 40}), 2);
  c.options.exchange = ExchangeAlgorithm::point_to_point;  // pieces are gathered in tiles
  const Outcome plain = plain_outcome(c);
  for (const char* tiles : {" tiles 1", " tiles 20000", " tiles 100000000"}) {
    const Outcome tiled = outcome_of(c, plain.recipe + tiles);
    EXPECT_EQ(tiled.recipe, plain.recipe + tiles);
    expect_near(tiled, plain);
  }
}

TEST_F(LocalChoices, ThatWereTimedAreMadeAgain) {
  for (test::DistributedCase c : problems()) {
    c.options.effort = Effort::measure;
    c.options.time_limit_s = 0.3;
    std::string measured;
    run_as_threads(c.nodes, [&](const Comm& comm) {
      const auto rank = static_cast<std::size_t>(comm.rank());
      const DistributedPlan plan(c.transform, c.input[rank], c.output[rank], comm, c.options);
      if (rank == 0) measured = plan.recipe();
    });
    EXPECT_EQ(outcome_of(c, measured).recipe, measured);
  }
}

TEST(LineColumns, AreChosenLikeArrays) {
  wisdom::forget();
  const local::ColumnsProblem problem{
      .line = 4096, .rows = 64, .columns = 60, .in_row = 128, .out_row = 136};
  const auto choose = [&](local::Choice choice) {
    choice.executor = serial_executor();
    return to_text(local::choose_columns(problem, choice));
  };
  EXPECT_EQ(choose({.recipe = "scalar:lanes(8.8,3)"}), "scalar:lanes(8.8,3)");
  for (const char* wrong : {"scalar:lanes(8.4,1)", "scalar:lanes(8.8,1) ", "scalar:four_step(8,8)",
                            "scalar:lanes(8.8,1,stream)", "scalar:lanes(8.8,17)"})
    EXPECT_THROW(choose({.recipe = wrong}), Error) << wrong;
  const std::string timed = choose({.effort = Effort::measure, .time_limit_s = 0.2});
  EXPECT_EQ(tune::find_wisdom(to_text(problem) + " threads 1"), timed);
  EXPECT_EQ(choose({.use_wisdom = true}), timed);
  wisdom::forget();
}

}  // namespace
}  // namespace weft
