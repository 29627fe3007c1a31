// SPDX-License-Identifier: BSD-3-Clause
// Through page-locked memory of the host: each block is sent as soon as it has left the device and
// goes back to a device as soon as it has arrived.
#include <thread>

#include "comm/agree.hpp"
#include "gpu/transport.hpp"

namespace weft::gpu {
namespace {

class Staged final : public Transport {
 public:
  Staged(const Comm& comm, const ExchangeMemory& memory) : Transport(comm, memory) {
    agree(comm, [&] {
      send_ = HostMemory(memory.send.bytes());
      receive_ = HostMemory(memory.receive.bytes());
      constexpr unsigned without_timing = 2;
      events_.resize(static_cast<std::size_t>(comm.size()));
      for (void*& event : events_)
        require(driver().event_create(&event, without_timing), "cuEventCreate");
    });
  }
  ~Staged() override {
    for (void* event : events_)
      if (event != nullptr) driver().event_destroy(event);
  }

  void exchange(const Route& route, Stream stream) override {
    copy_out(route, stream);
    keep_own(route, stream);
    // What the stream held before is done when the first block is out; then the host's receive
    // buffer is free again.
    const auto me = static_cast<std::size_t>(comm_.rank());
    require(driver().event_synchronize(events_[me]), "waiting for the GPU");
    std::vector<Arrival> arrivals;
    for_peers([&](int peer) {
      const Block& block = route.receive[static_cast<std::size_t>(peer)];
      if (block.bytes > 0)
        arrivals.push_back(
            {comm_.start_receive(receive_.data() + block.offset, block.bytes, peer, 0), block,
             false});
    });
    std::vector<std::unique_ptr<Request>> sends;
    for_peers([&](int peer) {
      const Block& block = route.send[static_cast<std::size_t>(peer)];
      if (block.bytes == 0) return;
      require(driver().event_synchronize(events_[static_cast<std::size_t>(peer)]),
              "waiting for the GPU");
      sends.push_back(comm_.start_send(send_.data() + block.offset, block.bytes, peer, 0));
      copy_in(arrivals, stream);
    });
    while (!copy_in(arrivals, stream)) std::this_thread::yield();
    for (auto& send : sends) send->wait();
  }

 private:
  struct Arrival {
    std::unique_ptr<Request> request;
    Block block;
    bool is_done;
  };

  /// The nearest rank first, so that not all send to one.
  template <class Visit>
  void for_peers(const Visit& visit) const {
    for (int step = 1; step < comm_.size(); ++step) visit((comm_.rank() + step) % comm_.size());
  }

  void copy_out(const Route& route, Stream stream) {
    const auto me = static_cast<std::size_t>(comm_.rank());
    require(driver().event_record(events_[me], stream), "cuEventRecord");
    for_peers([&](int peer) {
      const Block& block = route.send[static_cast<std::size_t>(peer)];
      if (block.bytes == 0) return;
      require(driver().copy(reinterpret_cast<DevicePointer>(send_.data() + block.offset),
                            memory_.send.address() + static_cast<DevicePointer>(block.offset),
                            static_cast<std::size_t>(block.bytes), stream),
              "copying from the GPU");
      require(driver().event_record(events_[static_cast<std::size_t>(peer)], stream),
              "cuEventRecord");
    });
  }

  /// Starts the copies of what has arrived; true when all of it has.
  bool copy_in(std::vector<Arrival>& arrivals, Stream stream) {
    bool all = true;
    for (Arrival& arrival : arrivals) {
      if (arrival.is_done) continue;
      if (!arrival.request->test()) {
        all = false;
        continue;
      }
      const Block& block = arrival.block;
      require(driver().copy(memory_.receive.address() + static_cast<DevicePointer>(block.offset),
                            reinterpret_cast<DevicePointer>(receive_.data() + block.offset),
                            static_cast<std::size_t>(block.bytes), stream),
              "copying to the GPU");
      arrival.is_done = true;
    }
    return all;
  }

  HostMemory send_, receive_;
  std::vector<void*> events_;
};

}  // namespace

std::unique_ptr<Transport> make_staged(const Comm& comm, const ExchangeMemory& memory) {
  return std::make_unique<Staged>(comm, memory);
}

}  // namespace weft::gpu
