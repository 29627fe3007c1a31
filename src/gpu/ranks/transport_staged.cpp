// SPDX-License-Identifier: BSD-3-Clause
// Through page-locked memory of the host: each block is sent as soon as it has left the device and
// goes back to a device as soon as it has arrived.
#include "gpu/ranks/transport.hpp"

namespace weft::gpu {
namespace {

class Staged final : public Transport {
 public:
  Staged(const Comm& comm, const ExchangeMemory& memory)
      : Transport(comm, memory),
        send_(memory.send.bytes()),
        receive_(memory.receive.bytes()),
        events_(static_cast<std::size_t>(comm.size())),
        is_pending_(static_cast<std::size_t>(comm.size())) {
    constexpr unsigned without_timing = 2;
    for (void*& event : events_)
      require(driver().event_create(&event, without_timing), "cuEventCreate");
  }
  ~Staged() override {
    for (void* event : events_)
      if (event != nullptr) driver().event_destroy(event);
  }

  void start(const BlockTransfers& transfers, Stream stream, bool is_void,
             DeviceFailure& failure) override {
    transfers_ = &transfers;
    stream_ = stream;
    is_void_ = is_void;
    is_sent_ = false;
    copy_out(failure);
    failure.attempt([&] { keep_own(transfers, stream); });
  }
  bool test(DeviceFailure& failure) override {
    if (!is_sent_) send(failure);
    bool is_done = copy_in(failure);
    for (const auto& message : transfers_->sends)
      if (message) is_done = message->test() && is_done;
    return is_done;
  }
  Tells tells() const override { return comm_.can_send_void() ? Tells::peers : Tells::nobody; }
  bool has_heard_void() const override { return transfers_->has_void(); }

 private:
  /// The nearest rank first, so that not all send to one.
  template <class Visit>
  void for_peers(const Visit& visit) const {
    for (int step = 1; step < comm_.size(); ++step) visit((comm_.rank() + step) % comm_.size());
  }

  void send(DeviceFailure& failure) {
    is_sent_ = true;
    // What the stream held before is done when the first block is out; then the host's receive
    // buffer is free again.
    wait_for(comm_.rank(), failure);
    for_peers([&](int peer) {
      const auto p = static_cast<std::size_t>(peer);
      is_pending_[p] = transfers_->receives[p] != nullptr;
      if (is_pending_[p])
        transfers_->receives[p]->start(nullptr, receive_.data() + transfers_->receive[p].offset);
    });
    for_peers([&](int peer) {
      const auto p = static_cast<std::size_t>(peer);
      if (!transfers_->sends[p]) return;
      if (!is_void_) wait_for(peer, failure);
      if (comm_.can_send_void() && (is_void_ || failure.first()))
        return transfers_->sends[p]->start_void();
      transfers_->sends[p]->start(send_.data() + transfers_->send[p].offset, nullptr);
      copy_in(failure);
    });
  }

  void wait_for(int peer, DeviceFailure& failure) {
    failure.attempt(driver().event_synchronize(events_[static_cast<std::size_t>(peer)]),
                    "waiting for the GPU");
  }

  void copy_out(DeviceFailure& failure) {
    const auto me = static_cast<std::size_t>(comm_.rank());
    failure.attempt(driver().event_record(events_[me], stream_), "cuEventRecord");
    for_peers([&](int peer) {
      const auto p = static_cast<std::size_t>(peer);
      const Block& block = transfers_->send[p];
      if (block.bytes == 0) return;
      failure.attempt(
          driver().copy(reinterpret_cast<DevicePointer>(send_.data() + block.offset),
                        memory_.send.address() + static_cast<DevicePointer>(block.offset),
                        static_cast<std::size_t>(block.bytes), stream_),
          "copying from the GPU");
      failure.attempt(driver().event_record(events_[p], stream_), "cuEventRecord");
    });
  }

  /// Starts the copies of what has arrived; true when all of it has.
  bool copy_in(DeviceFailure& failure) {
    bool all = true;
    for_peers([&](int peer) {
      const auto p = static_cast<std::size_t>(peer);
      if (!is_pending_[p]) return;
      if (!transfers_->receives[p]->test()) {
        all = false;
        return;
      }
      is_pending_[p] = false;
      if (transfers_->receives[p]->is_void()) return;
      const Block& block = transfers_->receive[p];
      failure.attempt(
          driver().copy(memory_.receive.address() + static_cast<DevicePointer>(block.offset),
                        reinterpret_cast<DevicePointer>(receive_.data() + block.offset),
                        static_cast<std::size_t>(block.bytes), stream_),
          "copying to the GPU");
    });
    return all;
  }

  HostMemory send_, receive_;
  std::vector<void*> events_;     ///< by rank: its block has left the device
  std::vector<char> is_pending_;  ///< by rank: its block has not arrived
  const BlockTransfers* transfers_ = nullptr;
  Stream stream_ = nullptr;
  bool is_void_ = false, is_sent_ = true;
};

}  // namespace

std::unique_ptr<Transport> make_staged(const Comm& comm, const ExchangeMemory& memory) {
  return std::make_unique<Staged>(comm, memory);
}

}  // namespace weft::gpu
