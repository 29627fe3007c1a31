// SPDX-License-Identifier: BSD-3-Clause
// Messages from device memory to device memory, by an MPI that knows GPUs.
#include "gpu/ranks/transport.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

class Direct final : public Transport {
 public:
  Direct(const Comm& comm, const ExchangeMemory& memory) : Transport(comm, memory) {
    if (!comm.carries_device_memory())
      throw Error(ErrorCode::unsupported, "the ranks' messages cannot lie in GPU memory");
  }

  void start(const BlockTransfers& transfers, Stream stream, bool is_void,
             DeviceFailure& failure) override {
    transfers_ = &transfers;
    stream_ = stream;
    is_void_ = is_void;
    is_sent_ = false;
    failure.attempt([&] { keep_own(transfers, stream); });
  }
  bool test(DeviceFailure& failure) override {
    if (!is_sent_) send(failure);
    bool is_done = true;
    for (const auto& message : transfers_->receives)
      if (message) is_done = message->test() && is_done;
    for (const auto& message : transfers_->sends)
      if (message) is_done = message->test() && is_done;
    return is_done;
  }
  Tells tells() const override { return comm_.can_send_void() ? Tells::peers : Tells::nobody; }
  bool has_heard_void() const override { return transfers_->has_void(); }

 private:
  void send(DeviceFailure& failure) {
    is_sent_ = true;
    failure.attempt(driver().stream_synchronize(stream_), "waiting for the GPU");
    const auto* send = static_cast<const std::byte*>(memory_.send.data());
    auto* receive = static_cast<std::byte*>(memory_.receive.data());
    for (int step = 1; step < comm_.size(); ++step) {
      const auto from =
          static_cast<std::size_t>((comm_.rank() - step + comm_.size()) % comm_.size());
      if (transfers_->receives[from])
        transfers_->receives[from]->start(nullptr, receive + transfers_->receive[from].offset);
    }
    const bool sends_void = comm_.can_send_void() && (is_void_ || failure.first());
    for (int step = 1; step < comm_.size(); ++step) {
      const auto to = static_cast<std::size_t>((comm_.rank() + step) % comm_.size());
      if (transfers_->sends[to] && sends_void)
        transfers_->sends[to]->start_void();
      else if (transfers_->sends[to])
        transfers_->sends[to]->start(send + transfers_->send[to].offset, nullptr);
    }
  }

  const BlockTransfers* transfers_ = nullptr;
  Stream stream_ = nullptr;
  bool is_void_ = false, is_sent_ = true;
};

}  // namespace

std::unique_ptr<Transport> make_direct(const Comm& comm, const ExchangeMemory& memory) {
  return std::make_unique<Direct>(comm, memory);
}

}  // namespace weft::gpu
