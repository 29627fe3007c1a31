// SPDX-License-Identifier: BSD-3-Clause
// Within a node: every rank maps the send buffers of the others and fetches its blocks itself. Two
// barriers: one before, when all have written, and one after, when all have fetched.
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "comm/agree.hpp"
#include "gpu/transport.hpp"
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
    agree(comm, [&] {
      if (std::ranges::any_of(nodes, [&](int node) { return node != nodes[0]; }))
        throw Error(ErrorCode::unsupported, "the ranks are on several nodes");
    });
    Exported mine;
    agree(comm, [&] {
      mine.process = ::getpid();
      mine.address = memory.send.address();
      if (mine.address != 0)
        require(driver().ipc_get(&mine.handle, mine.address), "cuIpcGetMemHandle");
    });
    std::vector<Exported> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(&mine, sizeof mine, all.data());
    agree(comm, [&] { open(all, mine.process); });
  }
  ~Ipc() override {
    for (const DevicePointer address : opened_) driver().ipc_close(address);
  }

  void exchange(const Route& route, Stream stream) override {
    std::optional<Error> failure;  // told when all ranks are past the barriers
    const auto attempt = [&](int result, const char* what) {
      try {
        if (!failure) require(result, what);
      } catch (const Error& error) {
        failure = error;
      }
    };
    attempt(driver().stream_synchronize(stream), "waiting for the GPU");
    comm_.barrier();
    for (int step = 0; step < comm_.size(); ++step) {
      const auto from = static_cast<std::size_t>((comm_.rank() + step) % comm_.size());
      const Block& block = route.receive[from];
      if (block.bytes > 0)
        attempt(driver().copy(memory_.receive.address() + static_cast<DevicePointer>(block.offset),
                              peers_[from] + static_cast<DevicePointer>(route.remote[from]),
                              static_cast<std::size_t>(block.bytes), stream),
                "copying from another rank's GPU memory");
    }
    attempt(driver().stream_synchronize(stream), "copying from another rank's GPU memory");
    comm_.barrier();
    if (failure) throw *failure;
  }

 private:
  void open(const std::vector<Exported>& all, int process) {
    constexpr unsigned enable_peer_access = 1;
    for (const Exported& peer : all) {
      DevicePointer address = peer.address;
      if (peer.process != process && address != 0) {
        require(driver().ipc_open(&address, peer.handle, enable_peer_access),
                "mapping another rank's GPU memory (cuIpcOpenMemHandle)");
        opened_.push_back(address);
      }
      peers_.push_back(address);
    }
  }

  std::vector<DevicePointer> peers_, opened_;
};

}  // namespace

std::unique_ptr<Transport> make_ipc(const Comm& comm, const ExchangeMemory& memory) {
  return std::make_unique<Ipc>(comm, memory);
}

}  // namespace weft::gpu
