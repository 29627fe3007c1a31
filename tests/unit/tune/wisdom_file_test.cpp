// SPDX-License-Identifier: BSD-3-Clause
// Wisdom files are not damaged by other versions, other builds, many writers or links; paths that
// are not regular files are refused.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tune/wisdom_store.hpp"
#include "weft/distributed.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"
#include "weft/wisdom.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

class WisdomFileTest : public ::testing::Test {
 protected:
  WisdomFileTest() {
    std::string pattern = (fs::temp_directory_path() / "weft-wisdom-file-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    wisdom::forget();
  }
  ~WisdomFileTest() override {
    wisdom::forget();
    fs::remove_all(folder_);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(folder_))
      result.push_back(entry.path().filename());
    std::ranges::sort(result);
    return result;
  }

  /// The error names the file; nothing but weft::Error comes out.
  template <class Work>
  static void expect_error(const std::string& path, const Work& work) {
    try {
      work();
      ADD_FAILURE() << path << " was accepted";
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::wisdom || error.code() == ErrorCode::io);
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
  static void expect_refused(const std::string& path) {
    expect_error(path, [&] { wisdom::load(path); });
    expect_error(path, [&] { wisdom::save(path); });
  }

  fs::path folder_;
};

TEST_F(WisdomFileTest, WhatIsNotWisdomOfThisVersionIsLeftAlone) {
  tune::add_wisdom("problem", "recipe");
  for (const char* text :
       {"junk", "{", "[]", "{}", "3", "{\"format\": \"other\"}", "{\"format\": 3, \"version\": 1}",
        "{\"format\": \"weft wisdom\"}", "{\"format\": \"weft wisdom\", \"version\": 2}",
        "{\"format\": \"weft wisdom\", \"version\": 4294967297, \"cpus\": {}}",
        "{\"format\": \"weft wisdom\", \"version\": 1.5, \"cpus\": {}}",
        "{\"format\": \"weft wisdom\", \"version\": 3, \"cpus\": [1, 2]}",
        "{\"format\": \"weft wisdom\", \"version\": 1, \"cpus\": [1, 2]}",
        "{\"format\": \"weft wisdom\", \"version\": 1, \"cpus\": {\"x\": 3}}",
        "{\"format\": \"weft wisdom\", \"version\": 1, \"cpus\": {}} and more"}) {
    write(file("w.json"), text);
    expect_refused(file("w.json"));
    EXPECT_EQ(read(file("w.json")), text);
    EXPECT_EQ(wisdom::size(), 1u) << text;
  }
  EXPECT_EQ(names(), std::vector<std::string>{"w.json"});
}

TEST_F(WisdomFileTest, AnotherVersionIsNamed) {
  write(file("w.json"), R"({"cpus": [], "version": 4294967297, "format": "weft wisdom"})");
  try {
    wisdom::load(file("w.json"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("4294967297"), std::string::npos) << error.what();
  }
}

TEST_F(WisdomFileTest, EntriesOfOthersSurviveSaving) {
  write(file("w.json"), R"json({"format": "weft wisdom", "version": 1, "made by": ["hand", 1.50],
    "cpus": {"CPU of tomorrow": {"c2c 8": "warp(8)", "r2c 8": {"radices": [2, 4], "x": null}},
             "GPU of tomorrow": {"c2c 8": "grid(8) \"quoted\" \u00e4", "flag": true}}})json");
  wisdom::load(file("w.json"));
  EXPECT_EQ(wisdom::size(), 2u);
  wisdom::forget();
  tune::add_wisdom("problem", "recipe");
  wisdom::save(file("w.json"));
  std::string text = read(file("w.json"));
  EXPECT_NE(text.find("\"warp(8)\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"recipe\""), std::string::npos) << text;
  std::erase_if(text, [](char letter) { return letter == ' ' || letter == '\n'; });
  EXPECT_NE(text.find(R"("madeby":["hand",1.50])"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"radices":[2,4],"x":null})"), std::string::npos) << text;
  EXPECT_NE(text.find("\"grid(8)\\\"quoted\\\"\u00e4\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"flag\":true"), std::string::npos) << text;
  wisdom::forget();
  wisdom::load(file("w.json"));
  EXPECT_EQ(wisdom::size(), 3u);
}

TEST_F(WisdomFileTest, WhatWasOnlyLoadedDoesNotReplaceNewerEntries) {
  tune::add_wisdom("problem", "old");
  wisdom::save(file("w.json"));
  wisdom::forget();
  wisdom::load(file("w.json"));
  std::string text = read(file("w.json"));
  text.replace(text.find("\"old\""), 5, "\"new\"");  // another process measured again
  write(file("w.json"), text);
  tune::add_wisdom("other problem", "recipe");
  wisdom::save(file("w.json"));
  wisdom::forget();
  wisdom::load(file("w.json"));
  EXPECT_EQ(tune::find_wisdom("problem"), "new");
  EXPECT_EQ(tune::find_wisdom("other problem"), "recipe");
}

TEST_F(WisdomFileTest, AnEmptyFileIsEmptyWisdom) {
  write(file("w.json"), "");
  wisdom::load(file("w.json"));
  EXPECT_EQ(wisdom::size(), 0u);
  tune::add_wisdom("problem", "recipe");
  wisdom::save(file("w.json"));
  wisdom::forget();
  wisdom::load(file("w.json"));
  EXPECT_EQ(wisdom::size(), 1u);
}

TEST_F(WisdomFileTest, ThreadsSaveAndLoadAtOnce) {
  wisdom::save(file("w.json"));
  std::atomic<int> failures = 0;
  const auto repeat = [&](const auto& work) {
    for (int i = 0; i < 50; ++i) try {
        work(i);
      } catch (const std::exception& error) {
        if (failures++ == 0) ADD_FAILURE() << error.what();
      }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        repeat([&](int i) {
          tune::add_wisdom("problem " + std::to_string(t) + " " + std::to_string(i), "recipe");
          wisdom::save(file("w.json"));
        });
      });
    threads.emplace_back([&] { repeat([&](int) { wisdom::load(file("w.json")); }); });
  }
  EXPECT_EQ(failures, 0);
  wisdom::forget();
  wisdom::load(file("w.json"));
  EXPECT_EQ(wisdom::size(), 200u);
  EXPECT_EQ(names(), std::vector<std::string>{"w.json"});
}

TEST_F(WisdomFileTest, ProcessesKeepEachOthersEntries) {
  constexpr int processes = 3, entries = 40;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int code = 0;
      try {
        for (int i = 0; i < entries; ++i) {
          wisdom::forget();
          tune::add_wisdom(std::to_string(p) + ", " + std::to_string(i), "recipe");
          wisdom::save(file("w.json"));
        }
      } catch (const std::exception&) {
        code = 1;
      }
      ::_exit(code);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  wisdom::load(file("w.json"));
  EXPECT_EQ(wisdom::size(), static_cast<std::size_t>(processes * entries));
  EXPECT_EQ(names(), std::vector<std::string>{"w.json"});
}

TEST_F(WisdomFileTest, LinksStay) {
  tune::add_wisdom("problem", "recipe");
  fs::create_directory(folder_ / "real");
  fs::create_symlink("real/w.json", folder_ / "link.json");
  for (int time = 0; time < 2; ++time) {  // to nothing, then to a file
    wisdom::save(file("link.json"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "link.json"));
    EXPECT_NE(read(file("real/w.json")).find("recipe"), std::string::npos);
  }
  fs::create_symlink("loop.json", folder_ / "loop.json");
  expect_refused(file("loop.json"));
}

TEST_F(WisdomFileTest, WhatIsNoOrdinaryFileIsRefused) {
  tune::add_wisdom("problem", "recipe");
  expect_refused(folder_.string());
  expect_refused(file(""));
  ASSERT_EQ(::mkfifo(file("fifo").c_str(), 0600), 0);
  expect_refused(file("fifo"));
  EXPECT_TRUE(fs::is_fifo(file("fifo")));
  write(file("plain"), "x");
  expect_refused(file("plain/w.json"));
  expect_refused(file(std::string(300, 'x')));
  if (::mknod(file("full").c_str(), S_IFCHR | 0666, makedev(1, 7)) == 0) {  // root only
    expect_refused(file("full"));
    EXPECT_TRUE(fs::is_character_file(file("full")));
  }
}

TEST_F(WisdomFileTest, FilesThatMayNotBeWrittenAreKept) {
  tune::add_wisdom("problem", "recipe");
  wisdom::save(file("w.json"));
  const std::string before = read(file("w.json"));
  fs::permissions(file("w.json"), fs::perms::owner_read);
  tune::add_wisdom("another problem", "recipe");
  expect_error(file("w.json"), [&] { wisdom::save(file("w.json")); });
  EXPECT_EQ(read(file("w.json")), before);
}

TEST_F(WisdomFileTest, KeepsThePermissionsOfTheFile) {
  tune::add_wisdom("problem", "recipe");
  wisdom::save(file("w.json"));
  const fs::perms unusual = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write;
  fs::permissions(file("w.json"), unusual);
  wisdom::save(file("w.json"));
  EXPECT_EQ(fs::status(file("w.json")).permissions(), unusual);
}

TEST_F(WisdomFileTest, TakesNamesAsLongAsTheyMayBe) {
  tune::add_wisdom("problem", "recipe");
  wisdom::save(file(std::string(255, 'w')));
  EXPECT_EQ(names(), std::vector<std::string>{std::string(255, 'w')});
}

TEST_F(WisdomFileTest, DepthAndSizeAreLimited) {
  const std::string head = R"({"format": "weft wisdom", "version": 1, "x": )";
  write(file("deep.json"), head + std::string(200000, '[') + std::string(200000, ']') + "}");
  expect_refused(file("deep.json"));
  write(file("large.json"), head + "\"");
  fs::resize_file(file("large.json"), 1 << 25);
  expect_refused(file("large.json"));
}

TEST_F(WisdomFileTest, ADamagedRecipeIsNotUsed) {
  const Transform transform = c2c({8, 96}, {.axes = {1}});
  const std::string good = Plan(transform).recipe();
  Plan(transform, {.effort = Effort::measure, .time_limit_s = 0.2});
  wisdom::save(file("w.json"));
  const std::string text = read(file("w.json"));
  const auto at = text.find("axes 1: ");
  ASSERT_NE(at, std::string::npos);
  for (const char* recipe : {"nonsense", "", "axes 1: scalar:lanes(", "axes x"}) {
    std::string changed = text;
    changed.replace(at, text.find('"', at) - at, recipe);
    write(file("w.json"), changed);
    wisdom::forget();
    wisdom::load(file("w.json"));
    EXPECT_EQ(wisdom::size(), 1u);
    EXPECT_EQ(Plan(transform).recipe(), good) << recipe;
  }
}

/// Ranks as threads, and a shape that nothing else here plans.
std::string planned_on_three_ranks(const DistributedOptions& options) {
  std::string recipe;
  run_as_threads(3, [&](const Comm& comm) {
    const std::vector<Index> shape{6, 14, 9};
    const LocalBoxes boxes = slabs(shape, 0, comm.size(), comm.rank());
    const DistributedPlan plan(c2c(shape), boxes, boxes, comm, options);
    if (comm.rank() == 0) recipe = plan.recipe();
  });
  return recipe.substr(0, recipe.find(" with "));  // without local transforms
}

TEST_F(WisdomFileTest, DamagedDistributedRecipesAndSpeedsAreNotUsed) {
  const std::string estimated = planned_on_three_ranks({.use_wisdom = false});
  planned_on_three_ranks({.effort = Effort::measure, .time_limit_s = 1});
  ASSERT_GE(wisdom::size(), 2u);  // and local transforms, as time allows
  wisdom::save(file("w.json"));
  std::string text = read(file("w.json"));
  const auto at = text.find(": ", text.find("\"distributed ")) + 3;
  text.replace(at, text.find('"', at) - at, "nonsense");
  text.replace(text.find("latency_s ") + 10, 1, "-");
  write(file("w.json"), text);
  wisdom::forget();
  wisdom::load(file("w.json"));
  EXPECT_EQ(planned_on_three_ranks({}), estimated);
}

}  // namespace
}  // namespace weft
