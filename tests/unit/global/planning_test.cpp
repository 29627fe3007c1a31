// SPDX-License-Identifier: BSD-3-Clause
// How planning uses wisdom and its time limit.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "support/counting_comm.hpp"
#include "support/forwarding_comm.hpp"
#include "weft/distributed.hpp"
#include "weft/wisdom.hpp"

namespace weft {
namespace {

/// Ranks as threads; all boxes lie in memory as `storage` does.
std::string recipe_of(const DistributedOptions& options, const LocalBox& storage = {}) {
  std::string recipe;
  run_as_threads(3, [&](const Comm& comm) {
    const std::vector<Index> shape{6, 10, 9};
    LocalBoxes boxes;
    for (const LocalBox& slab : slabs(shape, 0, comm.size(), comm.rank())) {
      boxes.push_back(storage);
      boxes.back().box = slab.box;
    }
    const DistributedPlan plan(c2c(shape), boxes, boxes, comm, options);
    if (comm.rank() == 0) recipe = plan.recipe();
  });
  return recipe.substr(0, recipe.find(" with "));  // without local transforms
}

class DistributedWisdom : public testing::Test {
 protected:
  void SetUp() override { wisdom::forget(); }
  void TearDown() override {
    wisdom::forget();
    std::filesystem::remove(path_);
  }

  /// Measures, and puts another recipe in place of what was found.
  void plant(const std::string& recipe) {
    wisdom::forget();
    std::filesystem::remove(path_);
    recipe_of({.effort = Effort::measure, .time_limit_s = 1});
    wisdom::save(path_);
    std::stringstream content;
    content << std::ifstream(path_).rdbuf();
    std::string text = content.str();
    const auto at = text.find(": ", text.find("\"distributed ")) + 3;
    text.replace(at, text.find('"', at) - at, recipe);
    std::ofstream(path_) << text;
    wisdom::forget();
    wisdom::load(path_);
  }

  const std::string path_ = testing::TempDir() + "weft_distributed_wisdom.json";
};

TEST_F(DistributedWisdom, IsForOneStorageOnly) {
  const std::string planted = "pencil: input[2] > 1x3x1[0] > output[1] by point_to_point";
  plant(planted);
  LocalBox storage;
  EXPECT_EQ(recipe_of({}, storage), planted);
  storage.order = {0, 1, 2};  // the same in other words
  EXPECT_EQ(recipe_of({}, storage), planted);
  storage.order = {2, 1, 0};
  EXPECT_NE(recipe_of({}, storage), planted);
  storage = {};
  storage.margin_low = {1, 0, 0};
  EXPECT_NE(recipe_of({}, storage), planted);
  storage = {};
  storage.offset = 3;
  EXPECT_NE(recipe_of({}, storage), planted);
  storage.strides = {100, 10, 1};
  storage.offset = 0;
  EXPECT_NE(recipe_of({}, storage), planted);
}

TEST_F(DistributedWisdom, ThatDoesNotFitIsIgnored) {
  for (const std::string planted :
       {"slab: output[0,1,2]", "pencil: input[2] > 9x9x9[0,1] by shared",
        "chirp 64x64: input[] > 1x3[0] > 3x1[1] by shared"}) {
    plant(planted);
    EXPECT_NE(recipe_of({}), planted);
  }
}

TEST(Planning, TimesNothingWithoutTime) {
  const std::vector<Index> shape{32, 32, 32};
  const auto messages_with = [&](double time_limit_s) {
    const auto counts = std::make_shared<test::Counts>();
    run_as_threads(3, [&](const Comm& comm) {
      const LocalBoxes boxes = slabs(shape, 0, 3, comm.rank());
      const auto mine = comm.rank() == 0 ? counts : std::make_shared<test::Counts>();
      const test::CountingComm counting(comm.duplicate(), mine);
      DistributedPlan(c2c(shape), boxes, boxes, counting,
                      {.effort = Effort::measure,
                       .exchange = ExchangeAlgorithm::point_to_point,
                       .time_limit_s = time_limit_s,
                       .use_wisdom = false});
    });
    return counts->messages;
  };
  EXPECT_EQ(messages_with(0), 0);
  EXPECT_GT(messages_with(1000), 0);
}

/// Every message takes 20 ms; counts the barriers before executions that are timed.
class SlowComm final : public test::ForwardingComm {
 public:
  SlowComm(std::shared_ptr<const Comm> inner, std::shared_ptr<int> executions)
      : ForwardingComm(std::move(inner)), executions_(std::move(executions)) {}
  std::shared_ptr<const Comm> duplicate() const override {
    return std::make_shared<SlowComm>(inner_->duplicate(), executions_);
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return std::make_shared<SlowComm>(inner_->split(color), executions_);
  }
  std::unique_ptr<Transfer> prepare_send(Index bytes, int to, int tag) const override {
    return std::make_unique<SlowSend>(inner_->prepare_send(bytes, to, tag));
  }
  void barrier() const override {
    ++*executions_;
    inner_->barrier();
  }

 private:
  class SlowSend final : public Transfer {
   public:
    explicit SlowSend(std::unique_ptr<Transfer> inner) : inner_(std::move(inner)) {}
    void start(const void* send, void* receive) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      inner_->start(send, receive);
    }
    bool test() override { return inner_->test(); }
    void wait() override { inner_->wait(); }

   private:
    std::unique_ptr<Transfer> inner_;
  };
  std::shared_ptr<int> executions_;
};

/// An execution takes 40 ms at least, since every rank sends to two others; a trial is three. So a
/// second trial cannot end within 200 ms, however fast the rest is, and is not begun.
TEST(Planning, KeepsItsTimeLimitWithSlowMessages) {
  const std::vector<Index> shape{12, 9, 6};
  const auto executions_within = [&](double time_limit_s) {
    const auto executions = std::make_shared<int>(0);
    run_as_threads(3, [&](const Comm& comm) {
      const LocalBoxes boxes = slabs(shape, 0, 3, comm.rank());
      const SlowComm slow(comm.duplicate(),
                          comm.rank() == 0 ? executions : std::make_shared<int>(0));
      DistributedPlan(c2c(shape), boxes, boxes, slow,
                      {.effort = Effort::measure,
                       .exchange = ExchangeAlgorithm::point_to_point,
                       .time_limit_s = time_limit_s,
                       .use_wisdom = false});
    });
    return *executions;
  };
  EXPECT_LE(executions_within(0.2), 3);
  EXPECT_GT(executions_within(1000), 3);
}

}  // namespace
}  // namespace weft
