// SPDX-License-Identifier: BSD-3-Clause
// Boxes whose layout in memory is impossible, and unusual ones that are allowed.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <mutex>

#include "support/oracle.hpp"
#include "support/watchdog.hpp"
#include "weft/distributed.hpp"

namespace weft {
namespace {

using Complex = std::complex<double>;
constexpr Index most = std::numeric_limits<Index>::max();

/// What two ranks throw, which must be the same; "" for nothing.
std::string error_of_two(const std::function<void(const Comm&)>& body) {
  std::mutex mutex;
  std::vector<std::string> messages;
  run_as_threads(2, [&](const Comm& comm) {
    std::string message;
    try {
      body(comm);
    } catch (const Error& error) {
      message = error.what();
    }
    const std::lock_guard lock(mutex);
    messages.push_back(message);
  });
  EXPECT_EQ(messages[0], messages[1]);
  return messages[0];
}

/// A transform of 8 x 6 x 4 whose second rank has the given boxes on one side.
std::string refusal(const LocalBoxes& odd, bool is_output) {
  const std::vector<Index> shape{8, 6, 4};
  return error_of_two([&](const Comm& comm) {
    const LocalBoxes plain = slabs(shape, 0, 2, comm.rank());
    const bool other = comm.rank() == 1;
    DistributedPlan(c2c(shape), other && !is_output ? odd : plain, other && is_output ? odd : plain,
                    comm);
  });
}

TEST(Boxes, ThatCannotLieInMemoryAreRefusedOnAllRanks) {
  const Box box({4, 0, 0}, {8, 6, 4});
  const std::vector<LocalBoxes> refused{
      {{.box = box, .strides = {0, 0, 0}}},
      {{.box = box, .strides = {1, 1, 1}}},
      {{.box = box, .strides = {Index{1} << 61, 4, 1}}},
      {{.box = box, .strides = {24, 4, -1}, .offset = 0}},
      {{.box = box, .offset = Index{1} << 62}},
      {{.box = box, .offset = -7}},
      {{.box = box, .margin_low = {most, most, most}}},
      {{.box = Box({4, 0, 0}, {Index{1} << 32, Index{1} << 32, 1})}},
      {{.box = Box({-most, 0, 0}, {most, 6, 4})}}};
  for (const bool is_output : {false, true})
    for (std::size_t i = 0; i < refused.size(); ++i) {
      const std::string message = refusal(refused[i], is_output);
      EXPECT_TRUE(message.starts_with("rank 1: ")) << i << ": " << message;
    }
  const LocalBoxes twice{{.box = Box({4, 0, 0}, {6, 6, 4}), .offset = 0},
                         {.box = Box({6, 0, 0}, {8, 6, 4}), .offset = 0}};
  EXPECT_NE(refusal(twice, true).find("overlap in memory"), std::string::npos);
  EXPECT_EQ(refusal(twice, false), "");  // only ever read
}

TEST(Boxes, WovenReversedAndSharedOnesGiveTheRightNumbers) {
  // Output: the halves of the spectrum woven into each other, one of them backwards. Input: two
  // boxes that are the same memory, so a signal of period 8.
  const Index n = 16;
  for (const bool in_place : {false, true})
    run_as_threads(1, [&](const Comm& comm) {
      const LocalBoxes in{{.box = Box({0}, {8}), .offset = 0},
                          {.box = Box({8}, {16}), .offset = 0}};
      const LocalBoxes out{{.box = Box({0}, {8}), .strides = {2}, .offset = 0},
                           {.box = Box({8}, {16}), .strides = {-2}, .offset = 15}};
      DistributedPlan plan(c2c({n}), in, out, comm, {.in_place = in_place});
      std::vector<Complex> x(16), y(16), signal;
      for (std::size_t i = 0; i < 8; ++i) x[i] = {static_cast<double>(i * i % 7), 0.5};
      for (std::size_t i = 0; i < 16; ++i) signal.push_back(x[i % 8]);
      const auto wanted = test::expected_line(signal);
      plan.execute(x.data(), in_place ? x.data() : y.data());
      const std::vector<Complex>& got = in_place ? x : y;
      for (std::size_t k = 0; k < 8; ++k) {
        EXPECT_LT(std::abs(got[2 * k] - wanted[k]), 1e-13);
        EXPECT_LT(std::abs(got[15 - 2 * k] - wanted[8 + k]), 1e-13);
      }
    });
}

TEST(Boxes, NegativeStridesWithoutAnOffsetLieAfterTheBoxBefore) {
  run_as_threads(1, [&](const Comm& comm) {
    const LocalBoxes in{{.box = Box({0}, {3})}, {.box = Box({3}, {8}), .strides = {-1}}};
    DistributedPlan plan(c2c({8}), in, {{.box = Box({0}, {8})}}, comm);
    EXPECT_EQ(plan.input_count(), 8);
    std::vector<Complex> signal(8), x, y(8);
    for (std::size_t i = 0; i < 8; ++i) signal[i] = {static_cast<double>(i), 1.0};
    x.assign(signal.begin(), signal.begin() + 3);
    x.insert(x.end(), signal.rbegin(), signal.rbegin() + 5);
    const auto wanted = test::expected_line(signal);
    plan.execute(x.data(), y.data());
    for (std::size_t k = 0; k < 8; ++k) EXPECT_LT(std::abs(y[k] - wanted[k]), 1e-13);
  });
}

TEST(Boxes, OfArraysThatNoMachineHoldsAreRefusedAtOnce) {
  test::Watchdog watchdog(std::chrono::seconds(10));
  // Odd sizes near 2^57: searching their factors alone would take many seconds.
  const Index n = (Index{1} << 57) - 13;
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    const std::string message = error_of_two([&](const Comm& comm) {
      const std::vector<Index> real{n}, half{n / 2 + 1};
      DistributedPlan(kind == Kind::c2c ? c2c({n}) : r2c({n}), slabs(real, 0, 2, comm.rank()),
                      slabs(kind == Kind::c2c ? real : half, 0, 2, comm.rank()), comm);
    });
    EXPECT_NE(message.find("more than any process can hold"), std::string::npos) << message;
  }
  const std::string overflow = error_of_two([&](const Comm& comm) {
    const std::vector<Index> shape{Index{1} << 40, Index{1} << 40};
    DistributedPlan(c2c(shape), slabs(shape, 0, 2, comm.rank()), slabs(shape, 1, 2, comm.rank()),
                    comm);
  });
  EXPECT_NE(overflow.find("does not fit 64 bits"), std::string::npos) << overflow;
}

TEST(Boxes, PlansThatNeedMoreThanTheMachineHasAreRefusedBeforeTheyAllocate) {
  // 128 TiB on each of two ranks, in boxes that must be exchanged.
  const std::vector<Index> shape{Index{1} << 22, Index{1} << 22};
  const std::string message = error_of_two([&](const Comm& comm) {
    DistributedPlan(c2c(shape), slabs(shape, 0, 2, comm.rank()), slabs(shape, 1, 2, comm.rank()),
                    comm, {.use_wisdom = false});
  });
  EXPECT_NE(message.find("the machine's memory"), std::string::npos) << message;
}

TEST(Options, OutOfRangeAreRefused) {
  const std::vector<Index> shape{8, 6};
  const auto refusal_of = [&](const DistributedOptions& options) {
    return error_of_two([&](const Comm& comm) {
      const LocalBoxes boxes = slabs(shape, 0, 2, comm.rank());
      DistributedPlan(c2c(shape), boxes, boxes, comm, options);
    });
  };
  const auto names = [](const std::string& message, const char* part) {
    return message.find(part) != std::string::npos;
  };
  EXPECT_TRUE(
      names(refusal_of({.effort = static_cast<Effort>(7)}), "7 is not one of weft::Effort"));
  EXPECT_TRUE(names(refusal_of({.exchange = static_cast<ExchangeAlgorithm>(-1)}),
                    "-1 is not one of weft::ExchangeAlgorithm"));
  EXPECT_TRUE(names(refusal_of({.strategy = static_cast<Strategy>(99)}),
                    "99 is not one of weft::Strategy"));
  EXPECT_TRUE(names(refusal_of({.time_limit_s = -1}), "time_limit_s"));
  EXPECT_TRUE(names(refusal_of({.time_limit_s = std::numeric_limits<double>::quiet_NaN()}),
                    "time_limit_s"));
}

}  // namespace
}  // namespace weft
