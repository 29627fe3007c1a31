// SPDX-License-Identifier: BSD-3-Clause
// Messages from device memory to device memory, by an MPI that knows GPUs.
#include "comm/agree.hpp"
#include "gpu/transport.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

class Direct final : public Transport {
 public:
  Direct(const Comm& comm, const ExchangeMemory& memory) : Transport(comm, memory) {
    agree(comm, [&] {
      if (!comm.carries_device_memory())
        throw Error(ErrorCode::unsupported, "the ranks' messages cannot lie in GPU memory");
    });
  }

  void exchange(const Route& route, Stream stream) override {
    keep_own(route, stream);
    require(driver().stream_synchronize(stream), "waiting for the GPU");
    std::vector<std::unique_ptr<Request>> requests;
    for (int step = 1; step < comm_.size(); ++step) {
      const int from = (comm_.rank() - step + comm_.size()) % comm_.size();
      const Block& block = route.receive[static_cast<std::size_t>(from)];
      if (block.bytes > 0)
        requests.push_back(comm_.start_receive(
            static_cast<std::byte*>(memory_.receive.data()) + block.offset, block.bytes, from, 0));
    }
    for (int step = 1; step < comm_.size(); ++step) {
      const int to = (comm_.rank() + step) % comm_.size();
      const Block& block = route.send[static_cast<std::size_t>(to)];
      if (block.bytes > 0)
        requests.push_back(comm_.start_send(
            static_cast<const std::byte*>(memory_.send.data()) + block.offset, block.bytes, to, 0));
    }
    for (auto& request : requests) request->wait();
  }
};

}  // namespace

std::unique_ptr<Transport> make_direct(const Comm& comm, const ExchangeMemory& memory) {
  return std::make_unique<Direct>(comm, memory);
}

}  // namespace weft::gpu
