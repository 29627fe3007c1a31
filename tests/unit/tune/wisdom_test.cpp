// SPDX-License-Identifier: BSD-3-Clause
#include "weft/wisdom.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "local/choose/planner.hpp"
#include "problem/request.hpp"
#include "weft/distributed.hpp"
#include "weft/plan.hpp"

namespace weft {
namespace {

class WisdomTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("weft-wisdom-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    wisdom::forget();
  }
  void TearDown() override {
    wisdom::forget();
    std::filesystem::remove_all(folder_);
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }
  void write(const std::string& path, const std::string& text) const {
    std::ofstream(path) << text;
  }
  std::string read(const std::string& path) const {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static void tune(Index n) {
    Plan(c2c({8, n}, {.axes = {1}}), {.effort = Effort::measure, .time_limit_s = 0.2});
  }
  std::filesystem::path folder_;
};

TEST_F(WisdomTest, KeepsTheMeasuredRecipeOverAFile) {
  tune(96);
  ASSERT_EQ(wisdom::size(), 1u);
  const std::string chosen = Plan(c2c({8, 96}, {.axes = {1}})).recipe();
  wisdom::save(file("w.json"));
  wisdom::forget();
  ASSERT_EQ(wisdom::size(), 0u);
  wisdom::load(file("w.json"));
  EXPECT_EQ(wisdom::size(), 1u);
  EXPECT_EQ(Plan(c2c({8, 96}, {.axes = {1}})).recipe(), chosen);
}

TEST_F(WisdomTest, IsTheSameAsTextAndAsAFile) {
  tune(96);
  tune(100);
  wisdom::save(file("w.json"));
  const std::string text = wisdom::to_string();
  EXPECT_EQ(text, read(file("w.json")));
  wisdom::forget();
  EXPECT_EQ(wisdom::to_string().find("axes"), std::string::npos);
  wisdom::from_string(text);
  EXPECT_EQ(wisdom::size(), 2u);
  EXPECT_EQ(wisdom::to_string(), text);
  for (const char* bad : {"{", "[]", "{\"format\": \"other\"}"}) try {
      wisdom::from_string(bad);
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::wisdom);
      EXPECT_NE(std::string(error.what()).find("the wisdom text"), std::string::npos);
    }
  EXPECT_EQ(wisdom::size(), 2u) << "the store is as it was";
}

TEST_F(WisdomTest, GatheringKeepsWhatWasMeasuredHere) {
  tune(96);
  wisdom::save(file("w.json"));
  const std::string measured = read(file("w.json"));
  std::string other = measured;
  const auto at = other.find("axes 1: ");
  other.replace(at, other.find('"', at) - at, "axes 1: scalar:lanes(3.4.8,1)");
  run_as_threads(1, [](const Comm& comm) { wisdom::gather(comm); });
  write(file("w.json"), other);
  wisdom::save(file("w.json"));
  EXPECT_EQ(read(file("w.json")), measured) << "still this process's own, which replaces";
}

TEST_F(WisdomTest, TakesTheRecipeItIsTold) {
  tune(96);
  wisdom::save(file("w.json"));
  // Another recipe in the file must be the one that plans use.
  std::string text = read(file("w.json"));
  const auto at = text.find("axes 1: ");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, text.find('"', at) - at, "axes 1: scalar:lanes(3.4.8,1)");
  write(file("w.json"), text);
  wisdom::forget();
  wisdom::load(file("w.json"));
  EXPECT_EQ(Plan(c2c({8, 96}, {.axes = {1}})).recipe(), "axes 1: scalar:lanes(3.4.8,1)");
}

/// Stages of distributed plans ask the same way.
TEST_F(WisdomTest, IsFoundWhereverALocalTransformIsPlanned) {
  const Transform transform = c2c({8, 96}, {.axes = {1}});
  tune(96);
  const auto problem = problem::check_request(transform, {}, {}).problem;
  wisdom::save(file("w.json"));
  std::string text = read(file("w.json"));
  const auto at = text.find("axes 1: ");
  text.replace(at, text.find('"', at) - at, "axes 1: scalar:lanes(3.4.8,1)");
  write(file("w.json"), text);
  wisdom::forget();
  wisdom::load(file("w.json"));
  const auto chosen = [&](bool use_wisdom) {
    return local::to_text(
        local::choose_recipe(problem, {.executor = serial_executor(), .use_wisdom = use_wisdom}));
  };
  EXPECT_EQ(chosen(true), "axes 1: scalar:lanes(3.4.8,1)");
  EXPECT_NE(chosen(false), "axes 1: scalar:lanes(3.4.8,1)");
}

TEST_F(WisdomTest, SavingMergesWithTheFile) {
  tune(96);
  wisdom::save(file("w.json"));
  wisdom::forget();
  tune(100);
  wisdom::save(file("w.json"));
  wisdom::forget();
  wisdom::load(file("w.json"));
  EXPECT_EQ(wisdom::size(), 2u);
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_EQ(entry.path().filename(), "w.json") << "a temporary file was left";
}

TEST_F(WisdomTest, DamagedFilesAreReportedAndChangeNothing) {
  tune(96);
  const char* damaged[] = {
      "{",
      "[]",
      "{\"format\": \"other\"}",
      "{\"format\": \"weft wisdom\"}",
      "{\"format\": \"weft wisdom\", \"version\": 99, \"cpus\": {}}",
      "{\"format\": \"weft wisdom\", \"version\": 1, \"cpus\": {\"x\": \"p\"}}"};
  for (const char* text : damaged) {
    write(file("bad.json"), text);
    try {
      wisdom::load(file("bad.json"));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::wisdom) << text;
    }
    EXPECT_EQ(wisdom::size(), 1u);
  }
  EXPECT_THROW(wisdom::load(file("absent.json")), Error);
}

TEST_F(WisdomTest, DefaultFileMayBeMissingOrDamaged) {
  ::setenv("WEFT_WISDOM", file("default.json").c_str(), 1);
  EXPECT_EQ(wisdom::default_path(), file("default.json"));
  EXPECT_EQ(wisdom::load_default(), "");
  write(file("default.json"), "junk");
  EXPECT_NE(wisdom::load_default().find("damaged"), std::string::npos);
  ::unsetenv("WEFT_WISDOM");
}

TEST_F(WisdomTest, UnwritablePathIsAnError) {
  tune(96);
  write(file("plain"), "x");
  EXPECT_THROW(wisdom::save(file("plain") + "/below/w.json"), Error);
}

TEST_F(WisdomTest, ARecipeThatDoesNotFitIsNotUsed) {
  tune(96);
  wisdom::save(file("w.json"));
  std::string text = read(file("w.json"));
  const auto at = text.find("axes 1: ");
  text.replace(at, text.find('"', at) - at, "axes 1: scalar:lanes(5.5,1)");
  write(file("w.json"), text);
  wisdom::forget();
  wisdom::load(file("w.json"));
  EXPECT_NE(Plan(c2c({8, 96}, {.axes = {1}})).recipe(), "axes 1: scalar:lanes(5.5,1)");
}

/// Ranks as threads, and a shape that nothing else here plans.
std::string distributed_recipe(const DistributedOptions& options) {
  std::string recipe;
  run_as_threads(3, [&](const Comm& comm) {
    const std::vector<Index> shape{6, 10, 9};
    const LocalBoxes boxes = slabs(shape, 0, comm.size(), comm.rank());
    const DistributedPlan plan(c2c(shape), boxes, boxes, comm, options);
    if (comm.rank() == 0) recipe = plan.recipe();
  });
  return recipe.substr(0, recipe.find(" with "));  // without local transforms
}

TEST_F(WisdomTest, KeepsDistributedRecipesAndSpeedsOfTheNetworkOverAFile) {
  distributed_recipe({.effort = Effort::measure, .time_limit_s = 1});
  // The recipe, the speeds it was ranked with, and local transforms as time allows.
  const std::size_t known = wisdom::size();
  ASSERT_GE(known, 2u);
  wisdom::save(file("w.json"));
  std::string text = read(file("w.json"));
  EXPECT_NE(text.find("1x3 ranks by threads"), std::string::npos) << text;
  // Plans that only estimate take what the file says.
  const std::string other = "pencil: input[2] > 1x3x1[0] > output[1] by point_to_point";
  const auto at = text.find(": ", text.find("\"distributed ")) + 3;
  text.replace(at, text.find('"', at) - at, other);
  write(file("w.json"), text);
  wisdom::forget();
  EXPECT_NE(distributed_recipe({}), other);
  wisdom::load(file("w.json"));
  EXPECT_EQ(wisdom::size(), known);
  EXPECT_EQ(distributed_recipe({}), other);
}

}  // namespace
}  // namespace weft
