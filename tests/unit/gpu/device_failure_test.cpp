// SPDX-License-Identifier: BSD-3-Clause
// Calls of the driver that fail on one rank in the middle of an exchange between GPUs: every rank
// comes to the end, the rank at fault has the error, and no other takes what is not there for data.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "gpu/ranks/transport.hpp"
#include "support/forwarding_comm.hpp"
#include "support/gpu_stand_in/stand_in.hpp"
#include "support/watchdog.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

using reshape::ExchangeKind;

/// As an MPI that knows GPUs.
class DeviceComm final : public test::ForwardingComm {
 public:
  using ForwardingComm::ForwardingComm;
  bool carries_device_memory() const override { return true; }
  std::shared_ptr<const Comm> duplicate() const override {
    return std::make_shared<DeviceComm>(inner_->duplicate());
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return std::make_shared<DeviceComm>(inner_->split(color));
  }
};

constexpr Index block_bytes = 24;

unsigned char byte_for(int from, int to, Index i) {
  return static_cast<unsigned char>(50 * from + 10 * to + i + 1);
}

/// A block for every rank, all in memory that stands in for a device's.
struct Blocks {
  explicit Blocks(const Comm& comm)
      : send(static_cast<std::size_t>(comm.size() * block_bytes)), receive(send.bytes()) {
    for (Index i = 0; i < comm.size() * block_bytes; ++i)
      bytes(send)[i] = byte_for(comm.rank(), static_cast<int>(i / block_bytes), i % block_bytes);
  }
  static unsigned char* bytes(const DeviceMemory& memory) {
    return static_cast<unsigned char*>(memory.data());
  }
  bool has_arrived(const Comm& comm) const {
    for (Index i = 0; i < comm.size() * block_bytes; ++i)
      if (bytes(receive)[i] !=
          byte_for(static_cast<int>(i / block_bytes), comm.rank(), i % block_bytes))
        return false;
    return true;
  }
  ExchangeMemory memory() const {
    return {{send.address(), send.bytes()}, {receive.address(), receive.bytes()}};
  }
  DeviceMemory send, receive;
};

BlockTransfers transfers_of(const Comm& comm) {
  std::vector<Block> blocks;
  for (Index r = 0; r < comm.size(); ++r) blocks.push_back({r * block_bytes, block_bytes});
  return make_block_transfers(blocks, blocks, comm);
}

struct Outcome {
  long calls = 0;       ///< of the rank at fault, or of any where none is
  bool failed = false;  ///< the rank at fault has an error
};

/// One exchange of three ranks, in which call `failing` of rank 1 fails.
Outcome exchange(ExchangeKind kind, long failing) {
  Outcome outcome;
  run_as_threads(3, [&](const Comm& ranks) {
    const DeviceComm comm(ranks.duplicate());
    const UseDevice use(device(0));
    const Blocks blocks(comm);
    const ExchangeMemory memory = blocks.memory();
    const auto transport = open_transport(kind, comm, memory);
    const BlockTransfers transfers = transfers_of(comm);
    const bool is_bad = comm.rank() == 1;
    stand_in_fail_at(is_bad ? failing : -1);
    DeviceFailure failure;
    transport->start(transfers, nullptr, false, failure);
    while (!transport->test(failure)) std::this_thread::yield();
    if (is_bad) outcome = {stand_in_calls(), failure.first() != nullptr};
    stand_in_fail_at(-1);
    EXPECT_TRUE(failure.first() || transport->has_heard_void() || blocks.has_arrived(comm))
        << to_string(kind) << ", call " << failing << ", rank " << comm.rank();
    EXPECT_TRUE(failing >= 0 || blocks.has_arrived(comm)) << to_string(kind);
  });
  return outcome;
}

TEST(DeviceFailures, OfOneRankEndNoExchangeEarly) {
  test::Watchdog watchdog(std::chrono::seconds(30));
  for (const ExchangeKind kind : {ExchangeKind::staged, ExchangeKind::direct, ExchangeKind::ipc}) {
    const Outcome good = exchange(kind, -1);
    EXPECT_FALSE(good.failed);
    EXPECT_GE(good.calls, 2) << to_string(kind);
    for (long failing = 0; failing < good.calls; ++failing) {
      watchdog.expect(std::string(to_string(kind)) + ", call " + std::to_string(failing));
      EXPECT_TRUE(exchange(kind, failing).failed) << to_string(kind) << ", call " << failing;
    }
  }
}

TEST(DeviceFailures, KeepTheFirstError) {
  DeviceFailure failure;
  failure.attempt(0, "nothing");
  EXPECT_EQ(failure.first(), nullptr);
  failure.attempt(719, "the first");
  failure.attempt(719, "the second");
  ASSERT_NE(failure.first(), nullptr);
  try {
    std::rethrow_exception(failure.first());
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the first: the CUDA driver answers 'made to fail' (719)");
  }
}

TEST(DeviceFailures, CloseAWayOnAllRanks) {
  run_as_threads(2, [&](const Comm& comm) {
    const UseDevice use(device(0));
    stand_in_fail_at(comm.rank() == 1 ? 0 : -1);
    EXPECT_EQ(working_transports(comm), (std::vector{ExchangeKind::staged}));
    stand_in_fail_at(-1);
  });
}

}  // namespace
}  // namespace weft::gpu
