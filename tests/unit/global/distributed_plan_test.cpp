// SPDX-License-Identifier: BSD-3-Clause
// Promises of DistributedPlan that the random cases do not test.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "support/distributed_cases.hpp"

namespace weft {
namespace {

using Complex = std::complex<double>;

std::string error_of(int ranks, const std::function<void(const Comm&)>& body) {
  std::mutex mutex;
  std::vector<std::string> messages;
  run_as_threads(ranks, [&](const Comm& comm) {
    std::string message = "no error";
    try {
      body(comm);
    } catch (const Error& error) {
      message = error.what();
    }
    const std::lock_guard lock(mutex);
    messages.push_back(message);
  });
  for (const std::string& message : messages) EXPECT_EQ(message, messages[0]);
  return messages[0];
}

TEST(DistributedPlan, GivesTheSameBitsForEveryRankCountGridAndExchange) {
  const std::vector<Index> shape{12, 15, 14};
  std::vector<Complex> wanted;
  run_as_threads(1, [&](const Comm& comm) {
    wanted = test::transform_bricks(comm, shape, {1, 1, 1}, {1, 1, 1}, {.reproducible = true});
  });
  int compared = 0;
  const auto compare = [&](int ranks, const Grid& in, const Grid& out, ExchangeAlgorithm exchange,
                           Strategy strategy) {
    run_as_threads(ranks, [&](const Comm& comm) {
      const auto mine = test::transform_bricks(
          comm, shape, in, out,
          {.exchange = exchange, .strategy = strategy, .chunks = 3, .reproducible = true});
      Index i = 0;
      for (const LocalBox& local : bricks(shape, out, comm.rank())) {
        const Box& b = local.box;
        for (Index x = b.begin[0]; x < b.end[0]; ++x)
          for (Index y = b.begin[1]; y < b.end[1]; ++y)
            for (Index z = b.begin[2]; z < b.end[2]; ++z)
              ASSERT_EQ(mine[static_cast<std::size_t>(i++)],
                        wanted[static_cast<std::size_t>((x * shape[1] + y) * shape[2] + z)])
                  << ranks << " ranks, exchange " << static_cast<int>(exchange);
      }
    });
    ++compared;
  };
  for (int exchange = 1; exchange <= 6; ++exchange) {
    const auto e = static_cast<ExchangeAlgorithm>(exchange);
    compare(2, {2, 1, 1}, {2, 1, 1}, e, Strategy::automatic);
    compare(3, {3, 1, 1}, {1, 3, 1}, e, Strategy::slab);
    compare(4, {2, 2, 1}, {1, 2, 2}, e, Strategy::pencil);
    compare(6, {1, 2, 3}, {3, 2, 1}, e, Strategy::brick);
    compare(7, {7, 1, 1}, {1, 1, 7}, e, Strategy::automatic);
    compare(8, {2, 2, 2}, {2, 2, 2}, e, Strategy::automatic);
  }
  EXPECT_EQ(compared, 36);
}

TEST(DistributedPlan, LeavesTheDataInAnyOrderAndComesBack) {
  const std::vector<Index> shape{10, 9, 8};
  for (int ranks : {1, 2, 4, 5})
    run_as_threads(ranks, [&](const Comm& comm) {
      const LocalBoxes in = slabs(shape, 0, comm.size(), comm.rank());
      DistributedPlan forward(c2c(shape), in, any_order, comm);
      DistributedPlan backward(
          c2c(shape, {.direction = Direction::backward, .normalization = Normalization::backward}),
          forward.output_boxes(), in, comm);
      std::vector<Complex> a(static_cast<std::size_t>(forward.input_count()));
      for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = {static_cast<double>(i % 17), static_cast<double>(comm.rank())};
      std::vector<Complex> b(static_cast<std::size_t>(forward.output_count())), c(a.size());
      forward.execute(a.data(), b.data());
      backward.execute(b.data(), c.data());
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_LT(std::abs(a[i] - c[i]), 1e-12);
      if (comm.size() > 1) {  // one exchange each way, not two
        EXPECT_EQ(forward.recipe().find('>'), forward.recipe().rfind('>')) << forward.recipe();
        EXPECT_EQ(backward.recipe().find('>'), backward.recipe().rfind('>')) << backward.recipe();
      }
    });
}

TEST(DistributedPlan, WorksInPlaceForEveryExchange) {
  const std::vector<Index> shape{9, 8, 7};
  for (int exchange = 0; exchange <= 6; ++exchange)
    run_as_threads(4, [&](const Comm& comm) {
      const Grid grid{2, 2, 1};
      const LocalBoxes boxes = bricks(shape, grid, comm.rank());
      DistributedPlan apart(c2c(shape), boxes, boxes, comm);
      DistributedPlan here(
          c2c(shape), boxes, boxes, comm,
          {.exchange = static_cast<ExchangeAlgorithm>(exchange), .in_place = true});
      std::vector<Complex> a(static_cast<std::size_t>(apart.input_count()));
      for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = {static_cast<double>(i % 13), static_cast<double>(i % 5)};
      std::vector<Complex> b(a.size());
      apart.execute(a.data(), b.data());
      here.execute(a.data(), a.data());
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_LT(std::abs(a[i] - b[i]), 1e-11);
    });
}

TEST(DistributedPlan, TransformsInPlaceIntoAnotherStorageOrder) {
  const std::vector<Index> shape{6, 5, 4};
  run_as_threads(1, [&](const Comm& comm) {
    const LocalBoxes rows{{.box = Box({0, 0, 0}, {6, 5, 4})}};
    const LocalBoxes columns{{.box = Box({0, 0, 0}, {6, 5, 4}), .order = {2, 1, 0}}};
    DistributedPlan apart(c2c(shape), rows, columns, comm);
    DistributedPlan here(c2c(shape), rows, columns, comm, {.in_place = true});
    std::vector<Complex> a(120), b(120);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = {static_cast<double>(i % 13), 1.0};
    apart.execute(a.data(), b.data());
    here.execute(a.data(), a.data());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_LT(std::abs(a[i] - b[i]), 1e-11);
  });
}

/// Every element is its number in the array; whatever the boxes, it must come to its place.
void expect_reshaped(const Comm& comm, const LocalBoxes& in, const LocalBoxes& out,
                     const DistributedOptions& options) {
  const std::vector<Index> shape{5, 7, 6};
  const auto number = [&](const Box& box, Index i) {  // of element i of a dense box
    const Index z = i % box.extent(2), y = i / box.extent(2) % box.extent(1),
                x = i / box.extent(2) / box.extent(1);
    return static_cast<double>(((box.begin[0] + x) * shape[1] + box.begin[1] + y) * shape[2] +
                               box.begin[2] + z);
  };
  DistributedPlan plan(r2r(shape, {}, {.empty_axes = EmptyAxes::none}), in, out, comm, options);
  std::vector<double> x(static_cast<std::size_t>(plan.input_count()));
  std::vector<double> y(static_cast<std::size_t>(plan.output_count()));
  for (const LocalBox& local : in)
    for (Index i = 0; i < local.box.count(); ++i)
      x[static_cast<std::size_t>(i)] = number(local.box, i);
  if (options.in_place) {
    x.resize(std::max(x.size(), y.size()));
    plan.execute(x.data(), x.data());
    std::copy_n(x.begin(), y.size(), y.begin());
  } else {
    plan.execute(x.data(), y.data());
  }
  for (const LocalBox& local : out)
    for (Index i = 0; i < local.box.count(); ++i)
      ASSERT_EQ(y[static_cast<std::size_t>(i)], number(local.box, i)) << plan.recipe();
}

TEST(DistributedPlan, WithoutAxesMovesTheArray) {
  const std::vector<Index> shape{5, 7, 6};
  for (const int ranks : {1, 2, 3, 6})
    for (int exchange = 0; exchange <= 6; ++exchange)
      for (const bool in_place : {false, true})
        run_as_threads(ranks, [&](const Comm& comm) {
          const DistributedOptions options{.exchange = static_cast<ExchangeAlgorithm>(exchange),
                                           .in_place = in_place};
          const LocalBoxes rows = slabs(shape, 0, ranks, comm.rank());
          const LocalBoxes columns = slabs(shape, 1, ranks, comm.rank());
          const LocalBoxes lines = pencils(shape, 2, ranks, comm.rank());
          expect_reshaped(comm, rows, columns, options);
          expect_reshaped(comm, lines, rows, options);
          expect_reshaped(comm, lines, lines, options);
        });
  run_as_threads(2, [&](const Comm& comm) {
    const LocalBoxes rows = slabs(shape, 0, 2, comm.rank());
    const DistributedPlan plan(c2c(shape, {.empty_axes = EmptyAxes::none}), rows, any_order, comm);
    EXPECT_EQ(plan.output_boxes()[0].box, rows[0].box);
  });
}

TEST(DistributedPlan, AnEmptyBoxAlongTheHalvedAxisHoldsNothing) {
  for (const Box& empty : {Box({0}, {0}), Box({21}, {21}), Box({7}, {3}), Box{}})
    run_as_threads(2, [&](const Comm& comm) {
      const Index n = 41;
      const Index shape[] = {n};
      const LocalBoxes in{{.box = comm.rank() == 0 ? Box({0}, {21}) : empty}};
      DistributedPlan plan(c2r({n}), in, slabs(shape, 0, 2, comm.rank()), comm);
      std::vector<Complex> x(21, {1.0, 0.0});
      std::vector<double> y(21, -1.0);
      plan.execute(comm.rank() == 0 ? x.data() : nullptr, y.data());
      // Every frequency is 1: an impulse of n at 0.
      EXPECT_NEAR(y[0], comm.rank() == 0 ? 41.0 : 0.0, 1e-13) << plan.recipe();
      EXPECT_NEAR(y[5], 0.0, 1e-13) << plan.recipe();
    });
}

TEST(DistributedPlan, NamesTheRankAndTheFaultOnAllRanks) {
  const std::vector<Index> shape{6, 5, 4};
  const auto plan_with = [&](int bad, const LocalBoxes& wrong) {
    return error_of(3, [&](const Comm& comm) {
      LocalBoxes in = slabs(shape, 0, 3, comm.rank());
      if (comm.rank() == bad) in = wrong;
      DistributedPlan(c2c(shape), in, slabs(shape, 1, 3, comm.rank()), comm);
    });
  };
  EXPECT_NE(plan_with(2, {{.box = Box({4, 0, 0}, {7, 5, 4})}}).find("exceeds the array"),
            std::string::npos);
  EXPECT_NE(plan_with(1, {{.box = Box({1, 0, 0}, {4, 5, 4})}}).find("overlap: rank 0's"),
            std::string::npos);
  EXPECT_NE(plan_with(1, {}).find("no rank holds [2,4)"), std::string::npos);
  EXPECT_NE(plan_with(0, {{.box = Box({0, 0, 0}, {2, 5, 4}), .order = {0, 0, 1}}})
                .find("rank 0: box [0,2) x [0,5) x [0,4): its storage order"),
            std::string::npos);
  EXPECT_NE(plan_with(2, {{.box = Box({4, 0}, {6, 5})}}).find("2 dimensions, the array 3"),
            std::string::npos);
  EXPECT_NE(error_of(3,
                     [&](const Comm& comm) {
                       const std::vector<Index> mine{6, 5, comm.rank() == 1 ? 3 : 4};
                       DistributedPlan(c2c(mine), slabs(shape, 0, 3, comm.rank()),
                                       slabs(shape, 1, 3, comm.rank()), comm);
                     })
                .find("disagree"),
            std::string::npos);
}

TEST(DistributedPlan, RefusesRecipesThatWouldNotEndWhereTheOutputIs) {
  const std::vector<Index> shape{6, 5, 4};
  const auto with = [&](const std::string& recipe, const std::vector<int>& nodes) {
    std::string message = "no error";
    try {
      run_as_threads(nodes, [&](const Comm& comm) {
        DistributedPlan(c2c(shape), slabs(shape, 0, 2, comm.rank()),
                        slabs(shape, 0, 2, comm.rank()), comm, {.recipe = recipe});
      });
    } catch (const Error& error) {
      message = error.what();
    }
    return message;
  };
  EXPECT_NE(with("slab: input[2,1] > 1x2x1[0] by shared", {0, 0}).find("does not fit"),
            std::string::npos);
  const std::string good = "slab: input[2,1] > 1x2x1[0] > output[] by shared";
  EXPECT_EQ(with(good, {0, 0}), "no error");
  EXPECT_NE(with(good, {0, 1}).find("one node"), std::string::npos);
}

TEST(DistributedPlan, RefusesBadArgumentsOfOneRankOnAll) {
  const std::vector<Index> shape{6, 5, 4};
  EXPECT_EQ(error_of(3,
                     [&](const Comm& comm) {
                       const LocalBoxes boxes = slabs(shape, 0, 3, comm.rank());
                       DistributedPlan plan(c2c(shape), boxes, boxes, comm);
                       std::vector<Complex> a(40), b(40);
                       plan.execute(comm.rank() == 1 ? nullptr : a.data(), b.data());
                     }),
            "rank 1: a null pointer was passed as the input array; pass room for 40 elements");
  EXPECT_NE(error_of(2,
                     [&](const Comm& comm) {
                       const LocalBoxes boxes = slabs(shape, 0, 2, comm.rank());
                       DistributedPlan plan(c2c(shape), boxes, boxes, comm);
                       std::vector<Complex> a(60);
                       plan.execute(a.data(), a.data());
                     })
                .find("plan with in_place = true"),
            std::string::npos);
}

TEST(DistributedPlan, HonoursAMemoryLimitOrRefusesBeforeAllocating) {
  const std::vector<Index> shape{32, 32, 32};
  run_as_threads(4, [&](const Comm& comm) {
    const LocalBoxes boxes = slabs(shape, 0, 4, comm.rank());
    const Index array_bytes = 32 * 32 * 32 * 16 / 4;
    const DistributedPlan plan(c2c(shape), boxes, boxes, comm,
                               {.max_bytes_per_rank = 2 * array_bytes});
    EXPECT_LE(plan.cost().workspace_bytes, 2 * array_bytes + (1 << 20));
  });
  EXPECT_NE(error_of(4,
                     [&](const Comm& comm) {
                       const LocalBoxes boxes = slabs(shape, 0, 4, comm.rank());
                       DistributedPlan(c2c(shape), boxes, boxes, comm,
                                       {.max_bytes_per_rank = 1000});
                     })
                .find("but every recipe needs at least"),
            std::string::npos);
}

TEST(DistributedPlan, ReusesBuffersOverManyExecutions) {
  const std::vector<Index> shape{8, 9, 10};
  for (int exchange = 1; exchange <= 6; ++exchange)
    run_as_threads(3, [&](const Comm& comm) {
      const LocalBoxes boxes = slabs(shape, 0, 3, comm.rank());
      DistributedPlan plan(c2c(shape), boxes, boxes, comm,
                           {.exchange = static_cast<ExchangeAlgorithm>(exchange)});
      std::vector<Complex> a(static_cast<std::size_t>(plan.input_count()), {1, 2}), b(a.size()),
          first;
      for (int round = 0; round < 20; ++round) {
        plan.execute(a.data(), b.data());
        if (round == 0) first = b;
        ASSERT_EQ(b, first);
      }
    });
}

TEST(DistributedPlan, NodeAwareExchangesShareTwoArrays) {
  run_as_threads({0, 0, 1, 1}, [&](const Comm& comm) {
    const std::vector<Index> shape{128, 128, 128};  // beside it the kernels' own memory is little
    const LocalBoxes boxes = slabs(shape, 0, comm.size(), comm.rank());
    const DistributedPlan plan(c2c(shape), boxes, boxes, comm,
                               {.exchange = ExchangeAlgorithm::node_aware,
                                .executor = serial_executor()});  // each thread takes a workspace
    const Index share = 128 * 128 * 128 / 4 * 16;
    EXPECT_LT(plan.cost().workspace_bytes, 2 * share + share / 2) << plan.recipe();
  });
}

}  // namespace
}  // namespace weft
