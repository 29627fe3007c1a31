// SPDX-License-Identifier: BSD-3-Clause
// Within a node: every rank maps the send buffers of the others and fetches its blocks itself. The
// ranks meet twice: before, when all have written, and after, when all have fetched.
#include <unistd.h>

#include <algorithm>

#include "gpu/ranks/transport.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

/// How others find this rank's send buffer: ranks that are threads of one process by its address,
/// others by a handle.
struct Exported {
  int process = 0;
  DevicePointer address = 0;
  IpcHandle handle{};
};

class Ipc final : public Transport {
 public:
  Ipc(const Comm& comm, const ExchangeMemory& memory) : Transport(comm, memory) {
    const std::vector<int> nodes = comm.nodes();
    if (std::ranges::any_of(nodes, [&](int node) { return node != nodes[0]; }))
      throw Error(ErrorCode::unsupported, "the ranks are on several nodes");
  }
  void open() override {
    Exported mine;
    std::vector<Exported> all;
    agree(comm_, [&] {
      all.resize(static_cast<std::size_t>(comm_.size()));
      all_have_written_ = comm_.prepare_minimum();
      all_have_fetched_ = comm_.prepare_barrier();
      mine.process = ::getpid();
      mine.address = memory_.send.address();
      if (mine.address != 0)
        require(driver().ipc_get(&mine.handle, mine.address), "cuIpcGetMemHandle");
    });
    comm_.all_gather(&mine, sizeof mine, all.data());
    agree(comm_, [&] { open_all(all, mine.process); });
  }
  ~Ipc() override {
    for (const DevicePointer address : opened_)
      if (address != 0) driver().ipc_close(address);
  }

  void start(const BlockTransfers& transfers, Stream stream, bool is_void,
             DeviceFailure&) override {
    transfers_ = &transfers;
    stream_ = stream;
    mine_ = is_void ? 0 : 1;
    phase_ = Phase::computing;
  }
  bool test(DeviceFailure& failure) override {
    if (phase_ == Phase::computing) {
      failure.attempt(driver().stream_synchronize(stream_), "waiting for the GPU");
      if (failure.first()) mine_ = 0;
      all_have_written_->start(&mine_, &least_);
      phase_ = Phase::writing;
    }
    if (phase_ == Phase::writing && all_have_written_->test()) {
      if (least_ != 0) fetch(failure);
      all_have_fetched_->start(nullptr, nullptr);
      phase_ = Phase::fetching;
    }
    if (phase_ == Phase::fetching && all_have_fetched_->test()) phase_ = Phase::done;
    return phase_ == Phase::done;
  }
  Tells tells() const override { return Tells::all; }
  bool has_heard_void() const override { return least_ == 0; }

 private:
  /// What this rank or all ranks are at.
  enum class Phase { computing, writing, fetching, done };

  void fetch(DeviceFailure& failure) {
    for (int step = 0; step < comm_.size(); ++step) {
      const auto from = static_cast<std::size_t>((comm_.rank() + step) % comm_.size());
      const Block& block = transfers_->receive[from];
      if (block.bytes > 0)
        failure.attempt(
            driver().copy(memory_.receive.address() + static_cast<DevicePointer>(block.offset),
                          peers_[from] + static_cast<DevicePointer>(transfers_->remote[from]),
                          static_cast<std::size_t>(block.bytes), stream_),
            "copying from another rank's GPU memory");
    }
    failure.attempt(driver().stream_synchronize(stream_), "copying from another rank's GPU memory");
  }

  void open_all(const std::vector<Exported>& all, int process) {
    constexpr unsigned enable_peer_access = 1;
    for (const Exported& peer : all) {
      DevicePointer address = peer.address;
      if (peer.process != process && address != 0) {
        opened_.push_back(0);
        require(driver().ipc_open(&address, peer.handle, enable_peer_access),
                "mapping another rank's GPU memory (cuIpcOpenMemHandle)");
        opened_.back() = address;
      }
      peers_.push_back(address);
    }
  }

  std::vector<DevicePointer> peers_, opened_;
  std::unique_ptr<Transfer> all_have_written_, all_have_fetched_;
  const BlockTransfers* transfers_ = nullptr;
  Stream stream_ = nullptr;
  Index mine_ = 1, least_ = 1;  // 0: void
  Phase phase_ = Phase::done;
};

}  // namespace

std::unique_ptr<Transport> make_ipc(const Comm& comm, const ExchangeMemory& memory) {
  return std::make_unique<Ipc>(comm, memory);
}

}  // namespace weft::gpu
