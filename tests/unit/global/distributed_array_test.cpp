// SPDX-License-Identifier: BSD-3-Clause
// Plans on distributed arrays: the ranks of a node work in the arrays themselves.
#include "weft/distributed_array.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "global/recipe/placement.hpp"
#include "support/array_cases.hpp"
#include "support/forwarding_comm.hpp"
#include "weft/distributed.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using Complex = std::complex<double>;

/// Whose ranks share no memory.
class Apart final : public test::ForwardingComm {
 public:
  using ForwardingComm::ForwardingComm;
  std::shared_ptr<const Comm> duplicate() const override {
    return std::make_shared<Apart>(inner_->duplicate());
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return std::make_shared<Apart>(inner_->split(color));
  }
  std::unique_ptr<SharedMemory> allocate_shared(std::size_t) const override { return nullptr; }
};

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(DistributedArray, RandomTransformsInThemAreRight) {
  for (int seed = 0; seed < 250; ++seed) {
    test::DistributedCase problem =
        seed < 200 ? test::random_case(seed + 5000) : test::random_extents_case(seed + 5000);
    problem.any_order = false;
    problem.options.in_place = seed % 4 == 3;
    if (seed % 3 != 0) {
      problem.nodes.assign(problem.nodes.size(), 0);
      problem.options.exchange = ExchangeAlgorithm::shared;
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + problem.name);
    run_as_threads(problem.nodes, [&](const Comm& comm) {
      test::run_in_arrays(problem, comm, {seed % 5 != 1, seed % 5 != 2});
    });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(DistributedArray, SlabsOfEqualStridesAreOneArrayInMemory) {
  run_as_threads(3, [](const Comm& comm) {
    const std::vector<Index> shape{7, 5, 6};
    const DistributedArray<Complex> array(slabs(shape, 0, 3, comm.rank()), comm);
    LocalBoxes padded = slabs(shape, 0, 3, comm.rank());
    padded[0].strides = {40, 8, 1};
    const DistributedArray<double> gaps(padded, comm);
    EXPECT_TRUE(array.memory()->is_shared());
    std::fill(array.begin(), array.end(), Complex(comm.rank(), 1));
    std::fill(gaps.begin(), gaps.end(), comm.rank());
    comm.barrier();
    const Index planes = comm.rank() == 0 ? 3 : 2;
    EXPECT_EQ(array.count(), planes * 30);
    EXPECT_EQ(gaps.count(), planes * 40);
    if (comm.rank() < 2) {
      EXPECT_EQ(array.data()[array.count()], Complex(comm.rank() + 1, 1));
      EXPECT_EQ(gaps.data()[gaps.count()], comm.rank() + 1);
    }
    comm.barrier();
  });
}

/// Two passes: the second stage is the last that computes, and the plan has no array of its own.
TEST(DistributedArray, SavesTheArrayThatRanksWouldShare) {
  run_as_threads(4, [](const Comm& comm) {
    const std::vector<Index> shape{32, 32, 32};
    const LocalBoxes boxes = slabs(shape, 0, 4, comm.rank());
    const DistributedArray<Complex> a(boxes, comm), b(boxes, comm);
    const DistributedOptions options{.use_wisdom = false};
    DistributedPlan in_arrays(c2c(shape), a, b, comm, options);
    DistributedPlan elsewhere(c2c(shape), boxes, boxes, comm, options);
    const Index array_bytes = 32 * 32 * 8 * 16;
    EXPECT_LT(in_arrays.cost().workspace_bytes, array_bytes);
    EXPECT_GE(elsewhere.cost().workspace_bytes, array_bytes);
    DistributedPlan back(c2c(shape, {.direction = Direction::backward}), b, a, comm, options);
    a[0] = comm.rank() == 0 ? 1.0 : 0.0;
    in_arrays.execute(a, b);
    for (const Complex& x : b) ASSERT_EQ(x, 1.0);
    back.execute(b, a);
    EXPECT_NEAR(std::abs(a[0]), comm.rank() == 0 ? 32768.0 : 0.0, 1e-9);
    EXPECT_NEAR(std::abs(a[1]), 0.0, 1e-9);
  });
}

TEST(DistributedArray, IsUsedByRealTransformsInPlace) {
  run_as_threads(3, [](const Comm& comm) {
    const std::vector<Index> shape{9, 8, 10}, half{9, 8, 6};
    const DistributedArray<Complex> spectrum(slabs(half, 0, 3, comm.rank()), comm);
    LocalBoxes rows = slabs(shape, 0, 3, comm.rank());
    rows[0].strides = {8 * 12, 12, 1};
    const DistributedArray<double> field(rows, spectrum, comm);
    DistributedPlan there(r2c(shape), field, spectrum, comm, {.use_wisdom = false});
    DistributedPlan back(c2r(shape), spectrum, field, comm,
                         {.workspace = there.workspace(), .use_wisdom = false});
    for (Index i = 0; i < field.count(); ++i) field[i] = static_cast<double>(i % 7);
    const std::vector<double> before(field.begin(), field.end());
    for (int round = 0; round < 3; ++round) {
      there.execute(field, spectrum);
      back.execute(spectrum, field);
      for (Index i = 0; i < field.count(); ++i) field[i] /= 720;
    }
    for (Index i = 0; i < field.count(); ++i)
      if (i % 12 < 10) {
        EXPECT_NEAR(field[i], before[static_cast<std::size_t>(i)], 1e-12);
      }
  });
}

TEST(DistributedArray, AndPlansAreDestroyedInAnyOrder) {
  run_as_threads(3, [](const Comm& comm) {
    const std::vector<Index> shape{6, 5, 4};
    const LocalBoxes boxes = slabs(shape, 0, 3, comm.rank());
    std::optional<DistributedArray<Complex>> a, b;
    a.emplace(boxes, comm);
    b.emplace(boxes, comm);
    std::optional<DistributedPlan> plan;
    plan.emplace(c2c(shape), *a, *b, comm);
    Complex *const in = a->data(), *const out = b->data();
    if (comm.rank() != 1) b.reset();  // the plan keeps the memory
    if (comm.rank() == 1) a.reset();
    in[0] = 1;
    plan->execute(in, out);
    EXPECT_NEAR(std::abs(out[0]), comm.rank() == 0 ? 3.0 : 0.0, 1e-12);
    b.reset();
    plan.reset();
    if (a) {
      EXPECT_EQ((*a)[0], 1.0);  // and the array outlives the plan
    }
    plan.emplace(c2c(shape), boxes, boxes, comm);
  });
}

TEST(DistributedArray, IsOrdinaryMemoryWhereNothingCanBeShared) {
  run_as_threads(3, [](const Comm& ranks) {
    const Apart comm(ranks.duplicate());
    const std::vector<Index> shape{6, 5, 4};
    const LocalBoxes boxes = slabs(shape, 0, 3, comm.rank());
    const DistributedArray<Complex> a(boxes, comm), b(boxes, comm);
    EXPECT_FALSE(a.memory()->is_shared());
    EXPECT_EQ(a[0], 0.0);
    DistributedPlan plan(c2c(shape), a, b, comm, {.use_wisdom = false});
    a[0] = 1;
    plan.execute(a, b);
    EXPECT_NEAR(std::abs(b[0]), comm.rank() == 0 ? 3.0 : 0.0, 1e-12);
  });
}

TEST(DistributedArray, MayBeEmptyOnSomeRanksOrAll) {
  run_as_threads(4, [](const Comm& comm) {
    const std::vector<Index> shape{2, 3, 5};
    const LocalBoxes boxes = slabs(shape, 0, 4, comm.rank());
    const DistributedArray<Complex> a(boxes, comm), b(boxes, comm);
    DistributedPlan plan(c2c(shape), a, b, comm, {.exchange = ExchangeAlgorithm::shared});
    if (a.count() > 0) a[0] = 1;
    plan.execute(a, b);
    if (b.count() > 0) {
      EXPECT_NEAR(std::abs(b[0]), comm.rank() == 0 ? 2.0 : 0.0, 1e-12);
    } else {
      plan.execute(static_cast<Complex*>(nullptr), static_cast<Complex*>(nullptr));
    }
    if (b.count() > 0) plan.execute(a, b);
    EXPECT_EQ(allocate_distributed(0, comm)->bytes(), 0);
  });
}

TEST(DistributedArray, IsTimedInMemoryOfItsKind) {
  run_as_threads(2, [](const Comm& comm) {
    const std::vector<Index> shape{8, 6, 10};
    const LocalBoxes boxes = slabs(shape, 0, 2, comm.rank());
    const DistributedArray<Complex> a(boxes, comm), b(boxes, comm);
    a[0] = 7;
    b[0] = 8;
    DistributedPlan plan(c2c(shape), a, b, comm,
                         {.effort = Effort::measure, .time_limit_s = 0.3, .use_wisdom = false});
    EXPECT_EQ(a[0], 7.0) << "planning leaves the arrays alone";
    EXPECT_EQ(b[0], 8.0);
    plan.execute(a, b);
    EXPECT_NEAR(std::abs(b[0]), 14.0, 1e-12);
  });
}

TEST(DistributedArray, MisuseFailsOnAllRanksTogether) {
  run_as_threads(3, [](const Comm& comm) {
    const std::vector<Index> shape{6, 5, 4};
    const LocalBoxes boxes = slabs(shape, 0, 3, comm.rank());
    const bool is_bad = comm.rank() == 1;
    const DistributedArray<Complex> a(boxes, comm), b(boxes, comm), c(boxes, comm);
    const auto expect = [&](const char* words, const std::function<void()>& work) {
      const std::string text = message_of(work);
      EXPECT_NE(text.find(words), std::string::npos) << text;
    };
    DistributedPlan plan(c2c(shape), a, b, comm);
    expect("another pointer", [&] { plan.execute(is_bad ? c : a, b); });
    expect("another pointer", [&] { plan.execute(a, is_bad ? c : b); });
    expect("did not allocate together", [&] {
      DistributedPlan(c2c(shape), boxes, boxes, comm,
                      {.input_memory = is_bad ? c.memory() : a.memory()});
    });
    expect("disagree", [&] {
      DistributedPlan(c2c(shape), boxes, boxes, comm,
                      {.input_memory = is_bad ? nullptr : a.memory()});
    });
    expect("same memory", [&] {
      DistributedPlan(c2c(shape), boxes, boxes, comm,
                      {.input_memory = a.memory(), .output_memory = a.memory()});
    });
    expect("different memory", [&] {
      DistributedPlan(c2c(shape), boxes, boxes, comm,
                      {.in_place = true, .input_memory = a.memory(), .output_memory = b.memory()});
    });
    expect("any_order", [&] {
      DistributedPlan(c2c(shape), boxes, any_order, comm, {.output_memory = a.memory()});
    });
    const auto small = allocate_distributed(is_bad ? 16 : 100000, comm);
    expect("make the array from these boxes",
           [&] { DistributedPlan(c2c(shape), boxes, boxes, comm, {.input_memory = small}); });
    expect("give 0 or more", [&] { allocate_distributed(is_bad ? -1 : 8, comm); });
    expect("in its memory", [&] {
      DistributedArray<Complex>(slabs(std::vector<Index>{6, 5, 5}, 0, 3, comm.rank()), a, comm);
    });
    plan.execute(a, b);
  });
}

}  // namespace
}  // namespace weft
