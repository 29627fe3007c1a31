// SPDX-License-Identifier: BSD-3-Clause
// Distributed plans on GPUs without a GPU: a stand-in for the CUDA driver runs their kernels on the
// host (tests/support/gpu_stand_in). The same cases run on a real one with weft test-gpu.
#include <gtest/gtest.h>

#include <cstdlib>

#include "api/network.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/ranks/cuda_device.hpp"
#include "support/failing_new.hpp"
#include "support/gpu_stand_in/stand_in.hpp"
#include "support/watchdog.hpp"
#include "test_gpu_ranks.hpp"
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
TEST_F(GpuOnHost, RanksGoThereInAnyOrderAndBack) { expect_right(2, "f64 1500 in any order"); }
TEST_F(GpuOnHost, RanksShareAWorkspace) { expect_right(2, "shared workspace f64"); }

TEST_F(GpuOnHost, NothingIsAllocatedWhileATransformRuns) {
  const auto run = [](const Transform& transform, const DistributedOptions& wishes) {
    run_as_threads(2, [&](const Comm& comm) {
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
  run(c2c({12, 10, 6}, {.precision = Precision::f32}), {});
  run(c2c({12, 10, 6}, {.precision = Precision::f32}), {.exchange = ExchangeAlgorithm::staged});
  run(c2c({211}, {.precision = Precision::f32}), {.strategy = Strategy::line});
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

}  // namespace
}  // namespace weft::test
