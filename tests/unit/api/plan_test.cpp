// SPDX-License-Identifier: BSD-3-Clause
// Bad requests are refused with a helpful message, before any data are changed.
#include "weft/plan.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/in_child.hpp"
#include "support/watchdog.hpp"
#include "weft/distributed.hpp"

namespace weft {
namespace {

using C = std::complex<double>;

template <class Function>
void expect_refused(Function function, const std::string& part_of_message) {
  try {
    function();
    FAIL() << "was not refused; expected a message with '" << part_of_message << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find(part_of_message), std::string::npos) << error.what();
  }
}

TEST(BadRequests, AreRefusedWithAReason) {
  expect_refused([] { Plan(c2c({4, -3})); }, "at least 0");
  expect_refused([] { Plan(c2c(std::vector<Index>(33, 1))); }, "dimensions");
  expect_refused([] { Plan(c2c({Index{1} << 40, Index{1} << 40})); }, "64 bits");
  expect_refused([] { Plan(c2c({std::numeric_limits<Index>::max()})); }, "64 bits");
  expect_refused([] { Plan(c2c({8}, {.axes = {1}})); }, "axis 1");
  expect_refused([] { Plan(c2c({8}, {.axes = {-2}})); }, "axis -2");
  expect_refused([] { Plan(c2c({8, 8}, {.axes = {1, -1}})); }, "twice");
  expect_refused([] { Plan(r2r({8, 8, 8}, {R2r::dct2, R2r::dct3})); }, "one per axis");
  expect_refused([] { Plan(r2r({8}, {})); }, "kinds");
  expect_refused([] { Plan(r2r({1}, {R2r::dct1})); }, "DCT-I");
  expect_refused([] { Plan(c2c({8}), {.threads = -1}); }, "threads");
  expect_refused([] { Plan(c2c({8, 8}), Layout{{8}}, Layout{}); }, "one per dimension");
  expect_refused([] { Plan(c2c({8, 8}), Layout{}, Layout{{4, 1}}); }, "overlap");
  expect_refused([] { Plan(c2c({8}), Layout{}, Layout{{std::numeric_limits<Index>::max() / 2}}); },
                 "64 bits");
}

TEST(BadRequests, WithValuesOutsideAnEnumerationAreRefused) {
  Transform transform = c2c({8});
  transform.kind = static_cast<Kind>(99);
  expect_refused([&] { Plan{transform}; }, "Kind");
  expect_refused([] { Plan(c2c({8}, {.direction = static_cast<Direction>(2)})); }, "Direction");
  expect_refused([] { Plan(c2c({8}, {.normalization = static_cast<Normalization>(-1)})); },
                 "Normalization");
  expect_refused([] { Plan(c2c({8}, {.precision = static_cast<Precision>(7)})); }, "Precision");
  expect_refused([] { Plan(r2r({8}, {static_cast<R2r>(11)})); }, "R2r");
  expect_refused([] { Plan(r2r({8, 8}, {R2r::dct2, static_cast<R2r>(-1)})); }, "R2r");
  expect_refused([] { Plan(c2c({8}), {.effort = static_cast<Effort>(3)}); }, "Effort");
  run_as_threads(2, [](const Comm& comm) {
    const auto boxes = slabs(std::vector<Index>{8, 8}, 0, 2, comm.rank());
    const auto plan = [&](const DistributedOptions& options) {
      DistributedPlan(c2c({8, 8}), boxes, boxes, comm, options);
    };
    expect_refused([&] { plan({.effort = static_cast<Effort>(-1)}); }, "Effort");
    expect_refused([&] { plan({.exchange = static_cast<ExchangeAlgorithm>(11)}); },
                   "ExchangeAlgorithm");
    expect_refused([&] { plan({.strategy = static_cast<Strategy>(6)}); }, "Strategy");
  });
}

TEST(BadRequests, ForMoreMemoryThanThereIsAreRefusedAtOnce) {
  test::Watchdog watchdog(std::chrono::seconds(10));
  const auto expect_out_of_memory = [](const Transform& transform) {
    try {
      const Plan plan(transform);
      FAIL() << "was not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
      EXPECT_NE(std::string(error.what()).find("this machine has"), std::string::npos);
    }
  };
  constexpr Index huge = Index{1} << 50;
  expect_out_of_memory(c2c({huge}));
  expect_out_of_memory(c2c({(Index{1} << 58) - 27}));  // a prime, which nobody has the time to test
  expect_out_of_memory(r2c({huge}));
  expect_out_of_memory(c2r({huge}, {.precision = Precision::f16}));
  expect_out_of_memory(r2r({huge}, {R2r::dct1}));
  expect_out_of_memory(c2c({3, huge + 1}, {.axes = {1}, .precision = Precision::f32}));
}

TEST(Plan, WorksInTheChildOfAForkAfterItHasRunOnThreads) {
  if (test::is_sanitized) GTEST_SKIP() << "not under sanitizers";
  for (const auto& executor : {std::shared_ptr<const Executor>(), thread_executor(2)}) {
    const Plan plan(c2c({96, 96}), {.threads = 2, .executor = executor, .use_wisdom = false});
    std::vector<C> in(96 * 96), out(in.size()), again(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = {static_cast<double>(i % 7), 1.0};
    plan.execute(in.data(), out.data());
    EXPECT_EQ(test::in_child([&] {
                plan.execute(in.data(), again.data());
                const bool is_good = again == out;
                const Plan own(c2c({96, 96}), {.threads = 2, .use_wisdom = false});
                own.execute(in.data(), again.data());
                return is_good && again == out;
              }),
              "good");
    plan.execute(in.data(), again.data());
    EXPECT_EQ(again, out);
  }
}

TEST(BadArrays, AreRefusedAtExecution) {
  const Plan plan(c2c({4, 8}));
  std::vector<C> x(64), y(64);
  std::vector<std::complex<float>> single(64);
  std::vector<double> real(64);
  Workspace workspace = plan.make_workspace();
  expect_refused([&] { plan.execute(single.data(), y.data(), workspace); }, "f32");
  expect_refused([&] { plan.execute(x.data(), real.data(), workspace); }, "real");
  expect_refused([&] { plan.execute(static_cast<const C*>(nullptr), y.data(), workspace); },
                 "null");
  expect_refused([&] { plan.execute(x.data(), x.data() + 1, workspace); }, "share memory");
  expect_refused([&] { plan.execute(x.data() + 16, x.data(), workspace); }, "share memory");
  expect_refused(
      [&] {
        plan.execute(reinterpret_cast<C*>(reinterpret_cast<char*>(x.data()) + 4), y.data(),
                     workspace);
      },
      "align");
  expect_refused([&] { plan.execute(std::span<C>(x.data(), 31), std::span<C>(y)); }, "31 elements");
  expect_refused(
      [&] { plan.execute(View<C>(x.data(), {8, 4}), View<C>(y.data(), {4, 8}), workspace); },
      "extents or strides");
  expect_refused(
      [&] {
        plan.execute(View<C>(x.data(), {4, 8}, {1, 4}), View<C>(y.data(), {4, 8}), workspace);
      },
      "strides");
  const Plan walked(c2c({1021}));  // Rader and Bluestein work somewhere
  Workspace small(1);
  std::vector<C> line(1021), spectrum(1021);
  expect_refused([&] { walked.execute(line.data(), spectrum.data(), small); }, "make_workspace");
}

TEST(Overlap, InterleavedPartsOfOneArrayAreDisjoint) {
  // Columns 0..3 and 4..7 of the same 8 x 8 array: ranges overlap, elements do not.
  const Plan plan(c2c({8, 4}), Layout{{8, 1}}, Layout{{8, 1}});
  std::vector<C> a(64, C(1));
  Workspace workspace = plan.make_workspace();
  EXPECT_NO_THROW(plan.execute(a.data(), a.data() + 4, workspace));
  EXPECT_EQ(a[4], C(32));
  EXPECT_EQ(a[0], C(1));
  expect_refused([&] { plan.execute(a.data(), a.data() + 3, workspace); }, "share memory");
}

/// Plans that are one call of a kernel check the same.
TEST(BadArrays, AreRefusedByOneSmallTransform) {
  const Plan plan(c2c({8}));
  std::vector<C> x(64), y(64);
  std::vector<std::complex<float>> single(64);
  std::vector<double> real(64);
  Workspace none(0);
  EXPECT_NO_THROW(plan.execute(x.data(), y.data(), none));
  EXPECT_NO_THROW(plan.execute(x.data(), x.data()));
  EXPECT_NO_THROW(plan.execute(x.data(), x.data() + 8));
  EXPECT_NO_THROW(plan.execute(x.data() + 8, x.data()));
  for (const bool with_workspace : {false, true}) {
    const auto refuses = [&](const auto* in, auto* out, const char* part) {
      expect_refused([&] { with_workspace ? plan.execute(in, out, none) : plan.execute(in, out); },
                     part);
    };
    refuses(single.data(), y.data(), "f32");
    refuses(x.data(), real.data(), "real");
    refuses(static_cast<const C*>(nullptr), y.data(), "null");
    refuses(x.data(), static_cast<C*>(nullptr), "null");
    refuses(x.data(), x.data() + 7, "share memory");
    refuses(x.data() + 7, x.data(), "share memory");
    refuses(reinterpret_cast<const C*>(reinterpret_cast<char*>(x.data()) + 4), y.data(), "align");
  }
}

TEST(Plan, TellsItsShapesAndItsRecipe) {
  const Plan forward(r2c({6, 7, 8})), backward(c2r({6, 7, 9}));
  EXPECT_EQ(forward.input_shape(), (std::vector<Index>{6, 7, 8}));
  EXPECT_EQ(forward.output_shape(), (std::vector<Index>{6, 7, 5}));
  EXPECT_EQ(backward.input_shape(), (std::vector<Index>{6, 7, 5}));
  EXPECT_EQ(backward.output_shape(), (std::vector<Index>{6, 7, 9}));
  EXPECT_FALSE(forward.recipe().empty());
  EXPECT_NE(forward.tree().find("axis 2"), std::string::npos);
  EXPECT_NE(Plan(c2c({64})).formula().find("DFT"), std::string::npos);
  EXPECT_GT(forward.cost().flops, 0);
  EXPECT_GE(forward.cost().passes, 1);
}

TEST(Plan, MovesAndKeepsWorking) {
  Plan first(c2c({16}));
  Plan second = std::move(first);
  std::vector<C> x(16, C(1)), y(16);
  second.execute(std::span<const C>(x), std::span<C>(y));
  EXPECT_EQ(y[0], C(16));
}

TEST(Plan, ThatWasMovedFromSaysSo) {
  Plan plan(c2c({16}));
  const Plan other = std::move(plan);
  std::vector<C> x(16), y(16);
  Workspace workspace(other.workspace_bytes());
  const std::string part = "moved from";
  expect_refused([&] { plan.execute(x, y); }, part);
  expect_refused([&] { plan.execute(x.data(), y.data()); }, part);
  expect_refused([&] { plan.execute(x.data(), y.data(), workspace); }, part);
  expect_refused([&] { plan.execute(View<C>(x.data(), {16}), View<C>(y.data(), {16})); }, part);
  expect_refused([&] { plan.workspace_bytes(); }, part);
  expect_refused([&] { plan.make_workspace(); }, part);
  expect_refused([&] { plan.transform(); }, part);
  expect_refused([&] { plan.input_shape(); }, part);
  expect_refused([&] { plan.output_shape(); }, part);
  expect_refused([&] { plan.input_strides(); }, part);
  expect_refused([&] { plan.output_strides(); }, part);
  expect_refused([&] { plan.recipe(); }, part);
  expect_refused([&] { plan.tree(); }, part);
  expect_refused([&] { plan.formula(); }, part);
  expect_refused([&] { plan.formula_latex(); }, part);
  expect_refused([&] { plan.cost(); }, part);
  plan = Plan(c2c({16}));
  plan.execute(x, y);
}

TEST(Workspace, ThatWasMovedFromIsTooSmall) {
  const Plan plan(c2c({1 << 14}));
  Workspace workspace = plan.make_workspace();
  ASSERT_GT(workspace.bytes(), 0U);
  const Workspace other = std::move(workspace);
  std::vector<C> x(1 << 14), y(1 << 14);
  expect_refused([&] { plan.execute(x, y, workspace); }, "make_workspace");
}

TEST(DistributedPlan, ThatWasMovedFromSaysSo) {
  run_as_threads(2, [](const Comm& comm) {
    const auto boxes = slabs(std::vector<Index>{8, 8}, 0, 2, comm.rank());
    DistributedPlan plan(c2c({8, 8}), boxes, boxes, comm);
    DistributedPlan other = std::move(plan);
    std::vector<C> x(32), y(32);
    const std::string part = "moved from";
    expect_refused([&] { plan.execute(x.data(), y.data()); }, part);
    expect_refused([&] { plan.start(x.data(), y.data()); }, part);
    expect_refused([&] { plan.test(); }, part);
    expect_refused([&] { plan.wait(); }, part);
    expect_refused([&] { plan.input_boxes(); }, part);
    expect_refused([&] { plan.output_boxes(); }, part);
    expect_refused([&] { plan.split(); }, part);
    expect_refused([&] { plan.input_count(); }, part);
    expect_refused([&] { plan.output_count(); }, part);
    expect_refused([&] { plan.recipe(); }, part);
    expect_refused([&] { plan.cost(); }, part);
    expect_refused([&] { plan.trace(); }, part);
    other.execute(x.data(), y.data());
  });
}

TEST(View, RefusesTooManyDimensionsAndMismatchedStrides) {
  double x = 0;
  const std::vector<Index> many(33, 1);
  EXPECT_THROW(View<double>(&x, std::span<const Index>(many)), Error);
  EXPECT_THROW(View<double>(&x, {1, 1}, {1}), Error);
}

}  // namespace
}  // namespace weft
