// SPDX-License-Identifier: BSD-3-Clause
// Distributed plans on GPUs without a GPU: a stand-in for the CUDA driver runs their kernels on the
// host (tests/support/gpu_stand_in). The same cases run on a real one with weft test-gpu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>

#include "api/network.hpp"
#include "global/run/cpu_device.hpp"
#include "gpu/choose/candidates.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/ranks/cuda_device.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "gpu/recipe/transform_recipe.hpp"
#include "support/failing_new.hpp"
#include "support/forwarding_comm.hpp"
#include "support/gpu_stand_in/stand_in.hpp"
#include "support/watchdog.hpp"
#include "test_gpu_rank_operators.hpp"
#include "test_gpu_ranks.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/cuda.hpp"
#include "weft/distributed.hpp"
#include "weft/wisdom.hpp"

namespace weft::test {
namespace {

class GpuOnHost : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("WEFT_NVRTC", WEFT_STAND_IN, 1);
    ::setenv("WEFT_CUDA_CACHE", "off", 1);
    ASSERT_TRUE(cuda::is_available());
    ASSERT_EQ(cuda::device_name(), "stand-in");
  }
  void SetUp() override { wisdom::forget(); }
  void TearDown() override { wisdom::forget(); }

  static void expect_right(int ranks, const std::string& filter) {
    const tool::RankTests tests = tool::test_ranks_as_threads(ranks, false, filter);
    EXPECT_GT(tests.count, 0) << filter;
    EXPECT_EQ(tests.failures, 0) << filter;
  }
};

TEST_F(GpuOnHost, RanksShareOutRealLines) {
  expect_right(2, "f64 1500 a line");
  expect_right(3, "f64 1155 a line");
  expect_right(3, "f64 3x1155 lines by steps");
}
TEST_F(GpuOnHost, RanksShareOutPrimeLines) {
  expect_right(2, "f64 1009 a prime line");
  expect_right(3, "f64 2x1013x3 prime lines by steps");
}
TEST_F(GpuOnHost, RanksDoRealToRealTransforms) {
  expect_right(2, "r2r dct2 f64");
  expect_right(3, "r2r dct1 dst2 dct4 f64");
  expect_right(3, "r2r dst1 dst4 dst3 f32");
  expect_right(4, "r2r dht dct3 dht f16");
}
TEST_F(GpuOnHost, RanksDoOperators) {
  for (const char* filter : {"f64 48x32x64 divergence", "f32 64x64x64 uneven, slabs, staged"}) {
    const tool::RankTests tests = tool::test_rank_operators_as_threads(2, false, filter);
    EXPECT_EQ(tests.count, 2) << filter;
    EXPECT_EQ(tests.failures, 0) << filter;
  }
}
TEST_F(GpuOnHost, RanksGoThereInAnyOrderAndBack) { expect_right(2, "f64 1500 in any order"); }
TEST_F(GpuOnHost, RanksShareAWorkspace) { expect_right(2, "shared workspace f64"); }
TEST_F(GpuOnHost, RanksFindTheRecipeThatWasMeasured) { expect_right(3, "wisdom of ranks"); }

/// Its messages may lie in the stand-in's memory, which is the host's.
class DeviceAwareComm final : public ForwardingComm {
 public:
  using ForwardingComm::ForwardingComm;
  bool carries_device_memory() const override { return true; }
  std::string transport() const override { return "threads with device memory"; }
  std::shared_ptr<const Comm> duplicate() const override {
    return std::make_shared<DeviceAwareComm>(inner_->duplicate());
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return std::make_shared<DeviceAwareComm>(inner_->split(color));
  }
};

TEST_F(GpuOnHost, NothingIsAllocatedWhileATransformRuns) {
  const auto run = [](const Transform& transform, const DistributedOptions& wishes) {
    run_as_threads(2, [&](const Comm& threads) {
      const DeviceAwareComm comm(threads.duplicate());
      const LocalBoxes boxes = slabs(transform.shape, 0, 2, comm.rank());
      DistributedOptions options = wishes;
      options.device = Device::cuda();
      DistributedPlan plan(transform, boxes, boxes, comm, options);
      const gpu::UseDevice use(gpu::device(0));
      const gpu::DeviceMemory in(1 << 16), out(1 << 16);
      const Allocations allocations;
      plan.execute(static_cast<const std::complex<float>*>(in.data()),
                   static_cast<std::complex<float>*>(out.data()));
      EXPECT_EQ(Allocations::count(), 0) << plan.recipe();
      plan.start(static_cast<const std::complex<float>*>(in.data()),
                 static_cast<std::complex<float>*>(out.data()));
      plan.wait();
      EXPECT_EQ(Allocations::count(), 0) << plan.recipe();
    });
  };
  using enum ExchangeAlgorithm;
  for (const ExchangeAlgorithm exchange : {ipc, direct, staged})
    run(c2c({12, 10, 6}, {.precision = Precision::f32}), {.exchange = exchange});
  run(c2c({211}, {.precision = Precision::f32}), {.strategy = Strategy::line});
}

/// A plan on two ranks, and what it makes of zeros and ones.
struct Made {
  std::string recipe, error;
  std::vector<std::byte> output;  ///< of the first rank
};
Made make(const Transform& transform, DistributedOptions options) {
  Made made;
  options.device = Device::cuda();
  run_as_threads(2, [&](const Comm& comm) {
    const LocalBoxes in = slabs(transform.shape, 0, 2, comm.rank());
    const LocalBoxes out = slabs(transform.shape, 1, 2, comm.rank());
    std::string recipe, error;
    std::vector<std::byte> output;
    try {
      DistributedPlan plan(transform, in, out, comm, options);
      recipe = plan.recipe();
      const gpu::UseDevice use(gpu::device(0));
      const gpu::DeviceMemory from(1 << 16), to(1 << 16);
      auto* const x = static_cast<float*>(from.data());
      for (int i = 0; i < 2 * static_cast<int>(plan.input_count()); ++i)
        x[i] = static_cast<float>((i * i + comm.rank()) % 7 - 3);
      if (transform.kind == Kind::r2r)
        plan.execute(x, static_cast<float*>(to.data()));
      else
        plan.execute(static_cast<const std::complex<float>*>(from.data()),
                     static_cast<std::complex<float>*>(to.data()));
      const auto* const y = static_cast<const std::byte*>(to.data());
      output.assign(y, y + plan.output_count() * Index{sizeof(float)});
    } catch (const Error& thrown) {
      error = thrown.what();
    }
    if (comm.rank() == 0) made = {recipe, error, output};
  });
  return made;
}
Made make(const Transform& transform, DistributedOptions options, const std::string& recipe) {
  options.recipe = recipe;
  return make(transform, options);
}

/// "24:4096" after "blocks".
gpu::Blocks blocks_of(const std::string& word) {
  return {std::stoll(word), std::stoll(word.substr(word.find(':') + 1))};
}

/// The array that a text of a c2c or dct2 problem names.
gpu::ArrayProblem array_of(const std::string& name) {
  gpu::ArrayProblem problem;
  std::istringstream words(name);
  std::string word, before;
  words >> word;
  problem.kind = word == "r2r" ? Kind::r2r : Kind::c2c;
  words >> word;
  problem.precision = word == "f32" ? Precision::f32 : Precision::f64;
  words >> word;
  problem.direction = word == "forward" ? Direction::forward : Direction::backward;
  while (words >> word && word != "axes") {
    if (word == "blocks") {
      const bool is_input = before == "from";
      words >> word;
      (is_input ? problem.dimensions.back().in_blocks : problem.dimensions.back().out_blocks) =
          blocks_of(word);
    } else if (const std::size_t first = word.find(':'); first != std::string::npos) {
      const std::size_t second = word.find(':', first + 1);
      problem.dimensions.push_back({std::stoll(word), std::stoll(word.substr(first + 1)),
                                    std::stoll(word.substr(second + 1))});
    }
    if (word == "dct2") problem.r2r.push_back(R2r::dct2);
    before = word;
  }
  for (int axis = 0; words >> axis;) problem.axes.push_back(axis);
  EXPECT_EQ(to_text(problem), name);
  return problem;
}

/// The local problems of a recipe, which the error about a wrong one lists.
std::vector<std::string> local_problems(const Transform& transform,
                                        const DistributedOptions& options,
                                        const std::string& recipe) {
  const std::string error = make(transform, options, recipe + " with {nothing = nothing}").error;
  const std::size_t list = error.find("the local transforms are '");
  EXPECT_NE(list, std::string::npos) << error;
  std::vector<std::string> names;
  for (std::size_t begin = error.find('\'', list); begin < error.size();) {
    const std::size_t end = error.find('\'', begin + 1);
    names.push_back(error.substr(begin + 1, end - begin - 1));
    begin = error.find('\'', end + 1);
  }
  return names;
}

/// A recipe of the array with other radices than the cost model's first, where there is one.
std::string other_recipe(const gpu::ArrayProblem& problem) {
  const auto all = gpu::candidates(problem, gpu::numbers_of(gpu::device(0)));
  EXPECT_GT(all.size(), 1u) << to_text(problem);
  const auto radices = [](const gpu::Recipe& recipe) {
    std::vector<std::vector<int>> list;
    for (const gpu::PlacedPass& placed : recipe.passes)
      for (const gpu::TileAxis& axis : placed.pass.tile_axes) list.push_back(axis.radices);
    return list;
  };
  const auto other = std::find_if(all.rbegin(), all.rend(), [&](const gpu::Recipe& recipe) {
    return radices(recipe) != radices(all.front());
  });
  return to_text(other == all.rend() ? all.back() : *other);
}

TEST_F(GpuOnHost, RecipesOfStagesAreNamedAndMadeAgain) {
  const Transform cube = c2c({12, 10, 64}, {.precision = Precision::f32});
  DistributedOptions options{.exchange = ExchangeAlgorithm::staged, .use_wisdom = false};
  const Made plain = make(cube, options);
  EXPECT_EQ(plain.error, "");
  EXPECT_EQ(plain.recipe.find(" with "), std::string::npos) << plain.recipe;
  const auto names = local_problems(cube, options, plain.recipe);
  ASSERT_FALSE(names.empty());
  std::string text = plain.recipe + " with";
  for (const std::string& name : names)
    text += " {" + name + " = " + other_recipe(array_of(name)) + "}";
  const Made named = make(cube, options, text);
  EXPECT_EQ(named.error, "");
  EXPECT_EQ(named.recipe, text);
  EXPECT_NE(named.output, plain.output) << "other recipes round in other places";
  // What wisdom has is named, and made again without wisdom.
  for (const std::string& name : names)
    tune::add_wisdom(name, other_recipe(array_of(name)), "stand-in");
  options.use_wisdom = true;
  const Made wise = make(cube, options);
  EXPECT_EQ(wise.recipe, text);
  wisdom::forget();
  EXPECT_EQ(make(cube, options, wise.recipe).recipe, text);
  EXPECT_EQ(make(cube, options, wise.recipe).output, named.output);
  // A recipe of another array is refused on all ranks.
  const std::string wrong = plain.recipe + " with {" + names.front() + " = " +
                            other_recipe(array_of("c2c f32 forward 8:2:2 axes 0")) + "}";
  EXPECT_NE(make(cube, options, wrong).error, "");
}

TEST_F(GpuOnHost, RecipesOfRealToRealStagesAreNamedAndMadeAgain) {
  const Transform cosines = r2r({12, 16}, {R2r::dct2}, {.precision = Precision::f32});
  DistributedOptions options{.exchange = ExchangeAlgorithm::staged, .use_wisdom = false};
  const Made plain = make(cosines, options);
  EXPECT_EQ(plain.error, "");
  EXPECT_EQ(plain.recipe.find(" with "), std::string::npos) << plain.recipe;
  // Wisdom has the inner transforms, which plans of one GPU may have tuned.
  for (const std::string& name : local_problems(cosines, options, plain.recipe))
    for (const gpu::ArrayProblem& part : gpu::parts_of(array_of(name)))
      tune::add_wisdom(to_text(part), other_recipe(part), "stand-in");
  options.use_wisdom = true;
  const Made wise = make(cosines, options);
  EXPECT_NE(wise.recipe.find(" = r2r: "), std::string::npos) << wise.recipe;
  wisdom::forget();
  const Made again = make(cosines, options, wise.recipe);
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.recipe, wise.recipe);
  EXPECT_EQ(again.output, wise.output);
}

TEST_F(GpuOnHost, RecipesThatWereTimedAreMadeAgain) {
  const Transform square = c2c({12, 16}, {.precision = Precision::f32});
  DistributedOptions options{.effort = Effort::measure, .time_limit_s = 2};
  const Made measured = make(square, options);
  EXPECT_EQ(measured.error, "");
  options.effort = Effort::estimate;
  wisdom::forget();
  EXPECT_EQ(make(square, options, measured.recipe).recipe, measured.recipe);
  EXPECT_EQ(make(square, options, measured.recipe).output, measured.output);
}

TEST_F(GpuOnHost, APlanOfOneGpuIsMadeAgainFromItsText) {
  for (const Transform& transform :
       {c2c({12, 10, 8}), r2c({9, 16}), c2r({9, 16}), c2c({101}), r2r({6, 8}, {R2r::dct2})}) {
    const cuda::Plan plan(transform);
    EXPECT_EQ(cuda::Plan(transform, {.recipe = plan.recipe()}).recipe(), plan.recipe());
  }
}

/// The first row and the first column of the result by sqrt(2), as SciPy has it.
TEST_F(GpuOnHost, RanksOrthogonalize) {
  const Transform plain = r2r({12, 16}, {R2r::dct2}, {.precision = Precision::f32});
  Transform orthogonal = plain;
  orthogonal.orthogonalize = true;
  const Made has = make(orthogonal, {}), wanted = make(plain, {});
  ASSERT_EQ(has.error, "");
  ASSERT_EQ(has.output.size(), 12 * 8 * sizeof(float));
  const auto at = [](const Made& made, int i) {
    float value;
    std::memcpy(&value, made.output.data() + static_cast<std::size_t>(i) * sizeof value,
                sizeof value);
    return value;
  };
  for (int i = 0; i < 12 * 8; ++i) {
    const float first = i < 8 ? std::sqrt(0.5F) : 1, second = i % 8 == 0 ? std::sqrt(0.5F) : 1;
    EXPECT_NEAR(at(has, i), at(wanted, i) * first * second, 2e-4) << i;
  }
}

/// Whatever call of the driver fails on one rank: all ranks come to the end.
TEST_F(GpuOnHost, AFailureOfOneGpuEndsPrimeLinesOnAllRanks) {
  Watchdog watchdog(std::chrono::seconds(60));
  const Transform prime = c2c({211}, {.precision = Precision::f32});
  bool has_failed = true;
  for (long failing = 0; has_failed; ++failing) {
    watchdog.expect("call " + std::to_string(failing));
    has_failed = false;
    run_as_threads(2, [&](const Comm& comm) {
      const LocalBoxes boxes = slabs(prime.shape, 0, 2, comm.rank());
      DistributedPlan plan(prime, boxes, boxes, comm,
                           {.device = Device::cuda(), .strategy = Strategy::line});
      const gpu::UseDevice use(gpu::device(0));
      const gpu::DeviceMemory in(1024), out(1024);
      const bool is_bad = comm.rank() == 1;
      stand_in_fail_at(is_bad ? failing : -1);
      try {
        plan.execute(static_cast<const std::complex<float>*>(in.data()),
                     static_cast<std::complex<float>*>(out.data()));
      } catch (const Error&) {
        if (is_bad) has_failed = true;
      }
      const bool came_there = stand_in_calls() > failing;
      stand_in_fail_at(-1);
      if (is_bad && came_there) has_failed = true;  // times that fail are no failure
    });
  }
}

TEST_F(GpuOnHost, SpeedsAreMeasuredAndKeptUnderTheNameOfTheGpu) {
  run_as_threads(2, [](const Comm& comm) {
    const auto device = gpu::open_device(Device::cuda(), comm);
    using Source = api::Network::Source;
    EXPECT_EQ(api::network_of(comm, *device, true).source, Source::assumed);
    const api::Network measured = api::measured_network(comm, *device);
    EXPECT_NE(to_text(measured.model), to_text(device->assumed_speeds()));
    const api::Network kept = api::network_of(comm, *device, true);
    EXPECT_EQ(kept.source, Source::wisdom);
    EXPECT_EQ(to_text(kept.model), to_text(measured.model));
    EXPECT_EQ(api::network_of(comm, *device, false).source, Source::assumed);
    EXPECT_EQ(api::network_of(comm, *global::cpu_device(), true).source, Source::assumed);
  });
}

TEST_F(GpuOnHost, PricesOfLinesGrowWithTheirPasses) {
  run_as_threads(1, [](const Comm& comm) {
    const auto device = gpu::open_device(Device::cuda(), comm);
    const double shorter = device->point_flops(512, Precision::f64);
    EXPECT_GT(device->point_flops(1 << 22, Precision::f64), 1.5 * shorter);  // more than one pass
    EXPECT_GT(device->point_flops(1009, Precision::f64), shorter);           // a convolution
  });
}

TEST_F(GpuOnHost, AWorkspaceMayBeTheCallers) {
  const gpu::UseDevice use(gpu::device(0));
  const cuda::Plan plan(r2r({6}, {R2r::dct2}));
  ASSERT_GT(plan.workspace_bytes(), 0u);
  const gpu::DeviceMemory own(plan.workspace_bytes()), array(6 * sizeof(double));
  auto* const x = static_cast<double*>(array.data());
  std::fill_n(x, 6, 1.0);
  cuda::Workspace workspace(own.data(), own.bytes());
  plan.execute(x, x, workspace, {});
  EXPECT_NEAR(x[0], 12, 1e-14);
  for (int k = 1; k < 6; ++k) EXPECT_NEAR(x[k], 0, 1e-14);
  cuda::Workspace small(own.data(), 8);
  EXPECT_THROW(plan.execute(x, x, small, {}), Error);
  EXPECT_THROW(cuda::Workspace(static_cast<char*>(own.data()) + 8, 64), Error);
  EXPECT_THROW(cuda::Workspace(nullptr, 64), Error);
  alignas(256) static char host[1 << 12];
  cuda::Workspace on_host(host, sizeof host);
  EXPECT_THROW(plan.execute(x, x, on_host, {}), Error);
}

/// Statics of a program may hold plans longer than the driver lives.
TEST_F(GpuOnHost, PlansAreDestroyedAfterTheDriverIsGone) {
  std::optional<cuda::Plan> plan(std::in_place, r2r({30}, {R2r::dct2}));
  std::optional<cuda::Workspace> workspace(plan->make_workspace());
  stand_in_shut_down(true);
  plan.reset();
  workspace.reset();
  stand_in_shut_down(false);
  const cuda::Plan again(c2c({16}));
  EXPECT_EQ(again.device(), 0);
}

}  // namespace
}  // namespace weft::test
