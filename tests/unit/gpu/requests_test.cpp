// SPDX-License-Identifier: BSD-3-Clause
// Bad requests are refused before a device is opened, so these tests need no GPU.
#include <gtest/gtest.h>

#include "weft/cuda.hpp"
#include "weft/distributed.hpp"

namespace weft {
namespace {

template <class Function>
void expect_not_an_enumerator(Function function, const std::string& name) {
  try {
    function();
    FAIL() << "was not refused; expected a message with '" << name << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("not one of weft::" + name), std::string::npos)
        << error.what();
  }
}

TEST(GpuRequests, WithValuesOutsideAnEnumerationAreRefused) {
  expect_not_an_enumerator([] { cuda::Plan(c2c({8}), {.effort = static_cast<Effort>(3)}); },
                           "Effort");
  run_as_threads(2, [](const Comm& comm) {
    const auto boxes = slabs(std::vector<Index>{8, 8}, 0, 2, comm.rank());
    const auto plan = [&](const DistributedOptions& options) {
      DistributedPlan(c2c({8, 8}), boxes, boxes, comm, options);
    };
    Device device = Device::cuda();
    expect_not_an_enumerator(
        [&] { plan({.device = device, .exchange = static_cast<ExchangeAlgorithm>(11)}); },
        "ExchangeAlgorithm");
    expect_not_an_enumerator(
        [&] { plan({.device = device, .strategy = static_cast<Strategy>(-1)}); }, "Strategy");
    device.type = static_cast<Device::Type>(2);
    expect_not_an_enumerator([&] { plan({.device = device}); }, "Device::Type");
  });
}

/// What a plan on the ranks' GPUs says; empty: it was made.
std::string refusal(const Transform& transform, const DistributedOptions& options) {
  std::string message;
  run_as_threads(2, [&](const Comm& comm) {
    const auto boxes = slabs(transform.shape, 0, 2, comm.rank());
    try {
      DistributedPlan(transform, boxes, boxes, comm, options);
    } catch (const Error& error) {
      if (comm.rank() == 0) message = error.what();
    }
  });
  return message;
}

TEST(GpuRequests, PaddingAndFullSpectraAreForPlansOnCpus) {
  const DistributedOptions options{.device = Device::cuda()};
  const std::string padded = refusal(c2c({8, 8}, {.input_extents = {4, 8}}), options);
  EXPECT_NE(padded.find("padded or cropped"), std::string::npos) << padded;
  const std::string full = refusal(r2c({8, 8}, {.spectrum = Spectrum::full}), options);
  EXPECT_NE(full.find("only plans on CPUs do that"), std::string::npos) << full;
  EXPECT_THROW(cuda::Plan(c2c({8}, {.output_extents = {4}})), Error);
  EXPECT_THROW(cuda::Plan(c2c({8}), Layout{.storage = ComplexStorage::split}, Layout{}), Error);
}

TEST(GpuRequests, ExchangesBetweenGpusAreRefusedOnCpus) {
  for (const auto exchange : {ExchangeAlgorithm::staged, ExchangeAlgorithm::direct,
                              ExchangeAlgorithm::ipc, ExchangeAlgorithm::nccl}) {
    const std::string message = refusal(c2c({8, 8}), {.exchange = exchange});
    EXPECT_NE(message.find("do not have it here"), std::string::npos) << message;
  }
  const std::string message =
      refusal(c2c({8, 8}), {.recipe = "slab: input[1] > 1x2[0] > output[] by ipc"});
  EXPECT_NE(message.find("takes the exchange ipc"), std::string::npos) << message;
}

TEST(GpuRequests, WithoutAGpuAreRefusedOnAllRanks) {
  if (cuda::is_available()) GTEST_SKIP() << "there is one";
  EXPECT_FALSE(refusal(c2c({8, 8}), {.device = Device::cuda()}).empty());
}

}  // namespace
}  // namespace weft
