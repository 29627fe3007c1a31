// SPDX-License-Identifier: BSD-3-Clause
// Forward and backward plans that share one workspace: one window, one set of buffers.
#include <gtest/gtest.h>

#include <random>

#include "support/forwarding_comm.hpp"
#include "weft/distributed.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using Complex = std::complex<double>;

/// Counts the blocks of memory that ranks share.
class WindowCounter final : public test::ForwardingComm {
 public:
  WindowCounter(std::shared_ptr<const Comm> inner, std::shared_ptr<int> count)
      : ForwardingComm(std::move(inner)), count_(std::move(count)) {}
  std::shared_ptr<const Comm> duplicate() const override {
    return std::make_shared<WindowCounter>(inner_->duplicate(), count_);
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return std::make_shared<WindowCounter>(inner_->split(color), count_);
  }
  std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const override {
    ++*count_;
    return inner_->allocate_shared(bytes);
  }

 private:
  std::shared_ptr<int> count_;
};

const std::vector<Index> shape{12, 10, 9};

DistributedPlan plan_of(Direction direction, const Comm& comm, DistributedOptions options) {
  const bool forward = direction == Direction::forward;
  const auto here = slabs(shape, 0, comm.size(), comm.rank());
  const auto there = slabs(shape, 1, comm.size(), comm.rank());
  options.use_wisdom = false;
  return {c2c(shape, {.direction = direction, .normalization = Normalization::backward}),
          forward ? here : there, forward ? there : here, comm, options};
}

std::vector<Complex> random_numbers(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(-1, 1);
  std::vector<Complex> numbers(static_cast<std::size_t>(count));
  for (Complex& x : numbers) x = {part(random), part(random)};
  return numbers;
}

double distance(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST(SharedWorkspace, ForwardAndBackwardGiveTheInputBack) {
  using enum ExchangeAlgorithm;
  for (const auto exchange :
       {shared, node_aware, point_to_point, pipelined, all_to_all, all_to_all_v})
    run_as_threads(3, [&](const Comm& comm) {
      auto forward = plan_of(Direction::forward, comm, {.exchange = exchange});
      auto backward = plan_of(Direction::backward, comm,
                              {.exchange = exchange, .workspace = forward.workspace()});
      const auto x = random_numbers(forward.input_count(), 7 + static_cast<unsigned>(comm.rank()));
      std::vector<Complex> y(static_cast<std::size_t>(forward.output_count())), z(x.size());
      for (int round = 0; round < 4; ++round) {
        forward.execute(x.data(), y.data());
        backward.start(y.data(), z.data());
        backward.wait();
        EXPECT_LT(distance(x, z), 1e-13) << forward.recipe();
      }
    });
}

TEST(SharedWorkspace, HasOneWindowAndIsCountedOnce) {
  run_as_threads(3, [&](const Comm& comm) {
    const auto count = std::make_shared<int>(0);
    const WindowCounter ranks(comm.duplicate(), count);
    auto forward = plan_of(Direction::forward, ranks, {.exchange = ExchangeAlgorithm::shared});
    const Index alone = forward.workspace_bytes();
    EXPECT_GE(alone, forward.cost().workspace_bytes);
    EXPECT_EQ(*count, 1);
    auto backward =
        plan_of(Direction::backward, ranks,
                {.exchange = ExchangeAlgorithm::shared, .workspace = forward.workspace()});
    EXPECT_EQ(*count, 1);
    EXPECT_EQ(backward.workspace(), forward.workspace());
    EXPECT_EQ(backward.workspace_bytes(), alone);
    EXPECT_EQ(forward.workspace_bytes(), alone);
  });
}

TEST(SharedWorkspace, GrowsWhereThePlanNeedsMore) {
  run_as_threads(2, [&](const Comm& comm) {
    const auto boxes = slabs(std::vector<Index>{4, 4}, 0, 2, comm.rank());
    DistributedPlan small(c2c({4, 4}), boxes, boxes, comm, {.exchange = ExchangeAlgorithm::shared});
    const Index before = small.workspace_bytes();
    auto large = plan_of(Direction::forward, comm,
                         {.exchange = ExchangeAlgorithm::shared, .workspace = small.workspace()});
    EXPECT_GT(small.workspace_bytes(), before);
    std::vector<Complex> x(static_cast<std::size_t>(small.input_count())), y = x;
    if (comm.rank() == 0) x[0] = 1;
    small.execute(x.data(), y.data());
    for (const Complex& value : y) EXPECT_LT(std::abs(value - 1.0), 1e-14);
  });
}

TEST(SharedWorkspace, ServesOnePlanAtATime) {
  run_as_threads(2, [&](const Comm& comm) {
    auto forward = plan_of(Direction::forward, comm, {});
    auto backward = plan_of(Direction::backward, comm, {.workspace = forward.workspace()});
    std::vector<Complex> x(static_cast<std::size_t>(forward.input_count()));
    std::vector<Complex> y(static_cast<std::size_t>(forward.output_count())), z = y, w = x;
    forward.start(x.data(), y.data());
    EXPECT_THROW(backward.execute(z.data(), w.data()), Error);
    forward.wait();
    backward.execute(z.data(), w.data());
  });
}

TEST(SharedWorkspace, BelongsToItsRanks) {
  run_as_threads(2, [&](const Comm& comm) {
    auto both = plan_of(Direction::forward, comm, {});
    const auto alone = comm.split(comm.rank());
    EXPECT_THROW(plan_of(Direction::forward, *alone, {.workspace = both.workspace()}), Error);
  });
}

}  // namespace
}  // namespace weft
