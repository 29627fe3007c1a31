// SPDX-License-Identifier: BSD-3-Clause
// One axis distributed over all ranks: memory, messages, orders and errors. random_test.cpp tests
// the results for many lengths.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <random>

#include "support/oracle.hpp"
#include "weft/distributed.hpp"

namespace weft {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> noise(Index n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<Complex> x(static_cast<std::size_t>(n));
  for (Complex& c : x) c = {value(random), value(random)};
  return x;
}

LocalBoxes block_of(Index n, const Comm& comm) {
  const Index shape[] = {n};
  return slabs(shape, 0, comm.size(), comm.rank());
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Relative L2 distance of a rank's natural output from what it should be.
double error_against(const std::vector<Complex>& whole, const LocalBoxes& boxes,
                     const std::vector<Complex>& part) {
  double sum = 0, norm = 0;
  Index at = 0;
  for (const LocalBox& local : boxes)
    for (Index k = local.box.begin[0]; k < local.box.end[0]; ++k, ++at) {
      sum += std::norm(part[static_cast<std::size_t>(at)] - whole[static_cast<std::size_t>(k)]);
      norm += std::norm(whole[static_cast<std::size_t>(k)]);
    }
  return norm == 0 ? 0 : std::sqrt(sum / norm);
}

TEST(Line, LongOnesAreRightForEveryExchange) {
  for (const Index n : {Index{1} << 18, Index{250000}, Index{177147}, Index{65537}}) {
    const auto x = noise(n);
    const auto wanted = test::expected_line(x);
    for (int kind = 0; kind <= 6; ++kind)
      run_as_threads(4, [&](const Comm& comm) {
        const LocalBoxes boxes = block_of(n, comm);
        DistributedPlan plan(
            c2c({n}), boxes, boxes, comm,
            {.exchange = static_cast<ExchangeAlgorithm>(kind), .strategy = Strategy::line});
        std::vector<Complex> out(static_cast<std::size_t>(plan.output_count()));
        plan.execute(x.data() + boxes[0].box.begin[0], out.data());
        EXPECT_LT(error_against(wanted, boxes, out), 2e-15) << plan.recipe();
      });
  }
}

TEST(Line, IsThreeExchangesOfOneEqualBlockPerPair) {
  run_as_threads(4, [&](const Comm& comm) {
    const LocalBoxes boxes = block_of(4096, comm);
    const DistributedPlan plan(c2c({4096}), boxes, boxes, comm,
                               {.exchange = ExchangeAlgorithm::all_to_all,
                                .recipe = "line 64x64: input[] > 1x4[0] > 4x1[1] > output[] by "
                                          "all_to_all"});
    EXPECT_EQ(plan.cost().messages, 3 * 3);
    EXPECT_EQ(plan.cost().message_bytes, 3 * 3 * (4096 / 16 * 16));
  });
}

TEST(Line, SplitOrderSavesAnExchangeEachWay) {
  run_as_threads(4, [&](const Comm& comm) {
    const Index n = 4096;
    const auto x = noise(n);
    const LocalBoxes boxes = block_of(n, comm);
    const DistributedOptions options{.exchange = ExchangeAlgorithm::all_to_all_v,
                                     .strategy = Strategy::line};
    DistributedPlan there(c2c({n}), boxes, any_order, comm, options);
    ASSERT_TRUE(there.split().has_value());
    EXPECT_EQ(there.split()->rows * there.split()->columns, n);
    EXPECT_EQ(there.cost().messages, 2 * 3);
    DistributedOptions from_split = options;
    from_split.split = there.split();
    DistributedPlan back(
        c2c({n}, {.direction = Direction::backward, .normalization = Normalization::backward}),
        there.output_boxes(), boxes, comm, from_split);
    EXPECT_EQ(back.cost().messages, 2 * 3);
    std::vector<Complex> spectrum(static_cast<std::size_t>(there.output_count()));
    std::vector<Complex> again(static_cast<std::size_t>(back.output_count()));
    there.execute(x.data() + boxes[0].box.begin[0], spectrum.data());
    back.execute(spectrum.data(), again.data());
    double worst = 0;
    for (std::size_t i = 0; i < again.size(); ++i) {
      const auto k = static_cast<std::size_t>(boxes[0].box.begin[0]) + i;
      worst = std::max(worst, std::abs(again[i] - x[k]));
    }
    EXPECT_LT(worst, 1e-14);
  });
}

TEST(Line, WorksInPlaceWithinOneMoreBuffer) {
  const Index n = 1 << 16;
  const auto x = noise(n);
  const auto wanted = test::expected_line(x);
  run_as_threads(4, [&](const Comm& comm) {
    const LocalBoxes boxes = block_of(n, comm);
    DistributedPlan plan(c2c({n}), boxes, boxes, comm,
                         {.strategy = Strategy::line, .in_place = true});
    const auto first = x.begin() + boxes[0].box.begin[0];
    std::vector<Complex> data(first, first + plan.input_count());
    plan.execute(data.data(), data.data());
    EXPECT_LT(error_against(wanted, boxes, data), 2e-15);
    // Tables and tiles beside the buffer do not grow with the line.
    const Index buffer = n / 4 * Index{sizeof(Complex)};
    EXPECT_LT(plan.cost().workspace_bytes, buffer + buffer / 8 + (Index{3} << 20)) << plan.recipe();
  });
}

TEST(Line, BadSplitsAreRefusedOnAllRanksTogether) {
  run_as_threads(3, [&](const Comm& comm) {
    const LocalBoxes boxes = block_of(60, comm);
    const auto plan_with = [&](const Transform& t, const LineSplit& split, bool reproducible) {
      return error_of([&] {
        DistributedPlan(t, boxes, boxes, comm, {.reproducible = reproducible, .split = split});
      });
    };
    EXPECT_NE(plan_with(c2c({60}), {0, 7, 9}, false).find("does not match the 60 points"),
              std::string::npos);
    EXPECT_NE(plan_with(c2c({60}), {0, 60, 1}, false).find("at least 2"), std::string::npos);
    EXPECT_NE(plan_with(c2c({60}), {1, 6, 10}, false).find("axis 0"), std::string::npos);
    EXPECT_NE(plan_with(c2c({60}), {0, 6, 10}, true).find("reproducible"), std::string::npos);
    Transform half = c2c({60});
    half.precision = Precision::f16;
    EXPECT_NE(plan_with(half, {0, 6, 10}, false).find("f32 and f64"), std::string::npos);
    // Boxes of (p, q) on both sides.
    const Index matrix[] = {6, 10};
    const LocalBoxes split = slabs(matrix, 0, comm.size(), comm.rank());
    const std::string both = error_of(
        [&] { DistributedPlan(c2c({60}), split, split, comm, {.split = LineSplit{0, 6, 10}}); });
    EXPECT_NE(both.find("split order"), std::string::npos) << both;
    // One rank that asks for another split than the others.
    const Index rows = comm.rank() == 2 ? 10 : 6;
    const std::string unequal = error_of([&] {
      DistributedPlan(c2c({60}), boxes, boxes, comm, {.split = LineSplit{0, rows, 60 / rows}});
    });
    EXPECT_NE(unequal.find("rank 2"), std::string::npos) << unequal;
  });
}

TEST(Line, RecipesThatDoNotFitAreRefused) {
  run_as_threads(2, [&](const Comm& comm) {
    const LocalBoxes boxes = block_of(64, comm);
    for (const char* recipe :
         {"line 8x9: input[] > 1x2[0] > 2x1[1] > output[] by shared",  // 72 points
          "line 8x8: input[] > 2x1[1] > 1x2[0] > output[] by shared",  // rows before columns
          "line 8x8: input[] > 1x1[0,1] > output[] by shared",         // no place for the factors
          "chirp 8x8: input[] > 1x2[0] > 2x1[1] by shared"}) {         // less than 127 points
      const std::string error =
          error_of([&] { DistributedPlan(c2c({64}), boxes, boxes, comm, {.recipe = recipe}); });
      EXPECT_NE(error.find("does not fit"), std::string::npos) << recipe << ": " << error;
    }
  });
}

TEST(Line, RecipesThatCannotBeReadAreRefused) {
  run_as_threads(2, [&](const Comm& comm) {
    const LocalBoxes boxes = block_of(64, comm);
    for (const char* recipe : {"line 8x: input[] > output[0]", "line 8xx8: input[]", "nonsense"}) {
      const std::string error =
          error_of([&] { DistributedPlan(c2c({64}), boxes, boxes, comm, {.recipe = recipe}); });
      EXPECT_NE(error.find("cannot read the recipe"), std::string::npos) << error;
    }
  });
}

TEST(Line, FewerPointsThanRanksIsNoMatter) {
  for (const Index n : {1, 2, 3, 5})
    run_as_threads(7, [&](const Comm& comm) {
      const auto x = noise(n);
      const auto wanted = test::expected_line(x);
      const LocalBoxes boxes = block_of(n, comm);
      DistributedPlan plan(c2c({n}), boxes, boxes, comm);
      std::vector<Complex> out(static_cast<std::size_t>(plan.output_count()));
      const auto first = static_cast<std::size_t>(boxes.empty() ? 0 : boxes[0].box.begin[0]);
      plan.execute(x.data() + std::min(first, x.size() - 1), out.data());
      EXPECT_LT(error_against(wanted, boxes, out), 1e-14) << plan.recipe();
    });
}

}  // namespace
}  // namespace weft
