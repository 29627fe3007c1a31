// SPDX-License-Identifier: BSD-3-Clause
// Wisdom when memory runs out: each allocation fails once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <new>

#include "support/failing_new.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/error.hpp"
#include "weft/wisdom.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

class WisdomMemoryTest : public ::testing::Test {
 protected:
  WisdomMemoryTest() {
    std::string pattern = (fs::temp_directory_path() / "weft-wisdom-memory-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = (folder_ / "w.json").string();
    wisdom::forget();
    for (int i = 0; i < 5; ++i)
      tune::add_wisdom("a problem with a long name " + std::to_string(i), "a recipe, long as well");
    wisdom::save(path_);
  }
  ~WisdomMemoryTest() override { fs::remove_all(folder_); }

  /// Runs `work` once for each of its allocations, which fails; `check` after each run.
  template <class Work, class Check>
  static void at_every_allocation(const Work& work, const Check& check) {
    bool has_failed = true;
    for (long failing = 0; has_failed; ++failing) {
      ASSERT_LT(failing, 100000);
      {
        const test::Allocations armed(failing);
        try {
          work();
        } catch (const std::bad_alloc&) {
        }
        has_failed = test::Allocations::has_failed();
      }
      check();
    }
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(WisdomMemoryTest, LoadingThrowsBadAlloc) {
  at_every_allocation([&] { wisdom::load(path_); }, [] { wisdom::forget(); });
}

TEST_F(WisdomMemoryTest, SavingThrowsBadAllocAndKeepsTheFile) {
  at_every_allocation([&] { wisdom::save(path_); },
                      [&] {
                        EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
                        wisdom::load(path_);
                        EXPECT_EQ(wisdom::size(), 5u);
                      });
}

TEST_F(WisdomMemoryTest, LoadingTheDefaultReturnsWhatWasWrong) {
  ::setenv("WEFT_WISDOM", path_.c_str(), 1);
  at_every_allocation(
      [&] {
        const bool is_good = wisdom::load_default().empty();
        EXPECT_NE(is_good, test::Allocations::has_failed());
      },
      [] { wisdom::forget(); });
  ::unsetenv("WEFT_WISDOM");
}

}  // namespace
}  // namespace weft
