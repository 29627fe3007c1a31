// SPDX-License-Identifier: BSD-3-Clause
// Recipes are input: a recipe that is accepted gives correct results, all others are refused on all
// ranks together.
#include "global/recipe/recipe.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <random>

#include "global/choose/planner.hpp"
#include "global/recipe/recipe_text.hpp"
#include "problem/request.hpp"
#include "support/distributed_cases.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using Random = std::mt19937;

template <class Item>
const Item& any_of(Random& random, const std::vector<Item>& items) {
  return items[random() % items.size()];
}

global::GlobalProblem problem_of(const test::DistributedCase& c) {
  global::GlobalProblem problem{problem::check_request(c.transform, {}, {}).problem};
  const auto distribution_of = [](const std::vector<LocalBoxes>& by_rank) {
    reshape::ArrayDistribution::List distribution;
    for (const LocalBoxes& boxes : by_rank) {
      distribution.emplace_back();
      for (const LocalBox& local : boxes)
        if (!local.box.empty()) distribution.back().push_back(local.box);
    }
    return distribution;
  };
  problem.input = distribution_of(c.input);
  problem.output = distribution_of(c.output);
  return problem;
}

std::string random_number(Random& random) {
  static const std::vector<std::string> odd{
      "0",          "-1",         "65536",      "2097152",
      "2000000000", "4294967296", "9223372036", "99999999999999999999"};
  return random() % 5 > 0 ? std::to_string(random() % 9) : any_of(random, odd);
}

std::string random_stage(Random& random, int ndim) {
  std::string text;
  if (random() % 3 == 0) {
    text = random() % 2 == 0 ? "input" : "output";
  } else {
    for (int d = 0; d < ndim; ++d)
      text += (d > 0 ? "x" : "") + std::to_string(random() % 3 == 0 ? 1 + random() % 3 : 1);
  }
  text += "[";
  const auto count = random() % static_cast<unsigned>(ndim + 1);
  for (unsigned i = 0; i < count; ++i)
    text += (i > 0 ? "," : "") + std::to_string(random() % static_cast<unsigned>(ndim));
  return text + "]";
}

const std::vector<std::string> heads{"slab", "pencil", "mixed", "line 4x8", "chirp 16x16", "word"};
const std::vector<std::string> exchanges{"all_to_all",    "all_to_all_v", "point_to_point",
                                         "pipelined:3",   "shared",       "node_aware",
                                         "pipelined:999", "shared:2",     "pigeon"};

std::string random_recipe(Random& random, int ndim) {
  std::string text = any_of(random, heads) + ": ";
  const auto stages = 1 + random() % 4;
  for (unsigned i = 0; i < stages; ++i) text += (i > 0 ? " > " : "") + random_stage(random, ndim);
  return text + " by " + any_of(random, exchanges);
}

void replace_first(std::string& text, const std::string& from, const std::string& to) {
  if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
}

/// One change: a stage that goes, comes or moves, another place, number, exchange or character.
void mutate(Random& random, std::string& text, int ndim) {
  const auto begin = std::min(text.find(": ") + 2, text.size());
  const auto by = std::min(text.find(" by "), text.size());
  const auto digit = text.find_first_of("0123456789", begin + random() % (text.size() - begin + 1));
  const auto arrow = text.find(" > ", begin);
  switch (random() % 10) {
    case 0: text.insert(begin, random_stage(random, ndim) + " > "); break;
    case 1: text.insert(by, " > " + random_stage(random, ndim)); break;
    case 2:
      if (arrow != std::string::npos) text.erase(begin, arrow + 3 - begin);
      break;
    case 3:
      if (arrow != std::string::npos) text.insert(arrow, " > " + random_stage(random, ndim));
      break;
    case 4: replace_first(text, "input", "output"); break;
    case 5: replace_first(text, "output", random() % 2 == 0 ? "input" : "1"); break;
    case 6:
    case 7:
      if (digit != std::string::npos) text.replace(digit, 1, random_number(random));
      break;
    case 8: text = text.substr(0, by) + " by " + any_of(random, exchanges); break;
    default: text[random() % text.size()] = static_cast<char>(' ' + random() % 95);
  }
}

/// Recipes of the problem's own planner, changed or not, and made up ones.
std::vector<std::string> recipe_texts(Random& random, const test::DistributedCase& c, int count) {
  const int ndim = static_cast<int>(c.transform.shape.size());
  const auto good = global::candidates(problem_of(c), {}, c.nodes, {});
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    if (random() % 4 == 0) {
      texts.push_back(random_recipe(random, ndim));
      continue;
    }
    texts.push_back(global::to_text(any_of(random, good)));
    for (auto changes = random() % 3; changes > 0; --changes) mutate(random, texts.back(), ndim);
  }
  return texts;
}

/// Runs the case by the recipe; "" if it was accepted, else the error, which all ranks share.
std::string outcome(test::DistributedCase c, const std::string& text) {
  c.options.recipe = text;
  std::mutex mutex;
  std::vector<std::string> outcomes;
  run_as_threads(c.nodes, [&](const Comm& comm) {
    std::string mine;
    try {
      test::run_case(c, comm);
    } catch (const Error& error) {
      mine = error.what();
    }
    const std::lock_guard lock(mutex);
    outcomes.push_back(mine);
  });
  for (const std::string& other : outcomes) EXPECT_EQ(other, outcomes[0]);
  return outcomes[0];
}

void try_recipes(test::DistributedCase (*make)(int, int), int problems, int& accepted,
                 int& refused) {
  Random random(20261116);
  for (int seed = 0; seed < problems; ++seed) {
    const int ranks = 1 + seed % 6;
    const test::DistributedCase c = make(seed, ranks);
    for (const std::string& text : recipe_texts(random, c, 12)) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + c.name + "; '" + text + "'");
      (outcome(c, text).empty() ? accepted : refused) += 1;
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Recipe, WhatIsAcceptedGivesTheRightNumbers) {
  int accepted = 0, refused = 0;
  try_recipes(test::random_case, 160, accepted, refused);
  EXPECT_GT(accepted, 400);
  EXPECT_GT(refused, 400);
}

TEST(Recipe, WhatIsAcceptedOfPaddedArraysGivesTheRightNumbers) {
  int accepted = 0, refused = 0;
  try_recipes(test::random_extents_case, 25, accepted, refused);
  EXPECT_GT(accepted, 40);
  EXPECT_GT(refused, 40);
}

TEST(Recipe, WhatIsAcceptedOfLinesGivesTheRightNumbers) {
  int accepted = 0, refused = 0;
  try_recipes(test::random_line_case, 50, accepted, refused);
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 150);
}

std::string refusal(const std::string& recipe, const Transform& t, Grid in, Grid out,
                    bool reproducible = false) {
  std::vector<Index> in_shape = t.shape, out_shape = t.shape;
  if (t.kind == Kind::c2r) in_shape.back() = in_shape.back() / 2 + 1;
  if (t.kind == Kind::r2c) out_shape.back() = out_shape.back() / 2 + 1;
  std::string message;
  run_as_threads(2, [&](const Comm& comm) {
    try {
      DistributedPlan(t, bricks(in_shape, in, comm.rank()), bricks(out_shape, out, comm.rank()),
                      comm, {.reproducible = reproducible, .recipe = recipe});
    } catch (const Error& error) {
      if (comm.rank() == 0) message = error.what();
    }
  });
  return message;
}

TEST(Recipe, NoneIsAcceptedThatLosesElements) {
  const auto c = c2c({8, 6, 4});
  const Grid rows{2, 1, 1}, columns{1, 2, 1};
  const auto fits_not = [&](const std::string& message) {
    return message.find("does not fit") != std::string::npos;
  };
  EXPECT_EQ(refusal("slab: input[1,2] > output[0] by shared", c, rows, columns), "");
  // A grid whose number of ranks overflows.
  EXPECT_TRUE(fits_not(refusal("slab: input[1,2] > 2097152x2097152x2097152[] > output[0] by shared",
                               c, rows, columns)));
  // One stage that is not where the input is.
  EXPECT_TRUE(fits_not(refusal("slab: output[0,1,2]", c, rows, {1, 1, 1})));
  // Boxes of real numbers, cut along the axis that is still halved.
  EXPECT_TRUE(
      fits_not(refusal("mixed: input[] > output[0] > output[] by shared", c2r({6}), {1}, {2})));
  // The longer line has no output, and is not endless.
  EXPECT_TRUE(
      fits_not(refusal("chirp 8x8: input[] > 1x2[0] > output[1] by shared", c2c({31}), {2}, {2})));
  EXPECT_TRUE(fits_not(refusal("chirp 1073741824x1073741824: input[] > 1x2[0] > 2x1[1] by shared",
                               c2c({31}), {2}, {2})));
  EXPECT_TRUE(fits_not(refusal(
      "line 8x4: input[] > 1x2[0] > output[] > 2x1[1] > output[] by shared", r2c({32}), {2}, {2})));
  // Another order of the axes gives other bits.
  const std::string other =
      refusal("slab: input[1] > 1x1x2[0] > output[2] by shared", c, {2, 1, 1}, {1, 2, 1}, true);
  EXPECT_NE(other.find("reproducible"), std::string::npos) << other;
}

bool is_readable(const std::string& text) {
  try {
    global::parse_recipe(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(Recipe, TextHasLimitsAndNamesWhatItRefuses) {
  EXPECT_TRUE(is_readable("pencil: input[2] > 2x1x4[1] > output[0] by pipelined:4"));
  EXPECT_TRUE(is_readable("slab: input[]"));
  for (const char* text : {"word: input[0]",
                           "slab 4x4: input[0]",
                           "line: input[0]",
                           "line 4: input[0]",
                           "line 1x8: input[0]",
                           "line 4x8x2: input[0]",
                           "slab:input[0]",
                           "slab: ",
                           "slab: input",
                           "slab: input[0",
                           "slab: input[0,]",
                           "slab: input[,0]",
                           "slab: 2x[0]",
                           "slab: x2[0]",
                           "slab: [0]",
                           "slab: input[-1]",
                           "slab: input[0] > ",
                           "slab: input[0] by shared:2",
                           "slab: input[0] by pipelined:0",
                           "slab: input[0] by pipelined:1001",
                           "slab: input[0] by pipelined:2000000000",
                           "slab: input[0] by pigeon",
                           "slab: input[0] by shared by shared",
                           "slab: 1x1x1x1x1x1x1x1x1[0]",
                           "slab: input[99999999999999999999]"})
    EXPECT_FALSE(is_readable(text)) << text;
  std::string many = "slab: input[0]";
  for (int i = 0; i < 100; ++i) many += " > 1[]";
  EXPECT_FALSE(is_readable(many));
  const std::string endless = "slab: input[0" + std::string(10'000'000, '0') + "]";
  try {
    global::parse_recipe(endless);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_LT(std::string(error.what()).size(), 1000U);
    EXPECT_NE(std::string(error.what()).find("'slab: input[000"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft
