// SPDX-License-Identifier: BSD-3-Clause
// Transport: how blocks get from the device memory of one rank to that of another; one file per
// transport. Which transports work on a machine is found out by trying them.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "gpu/device/driver.hpp"
#include "reshape/exchange.hpp"
#include "weft/comm.hpp"

namespace weft::gpu {

/// A part of the device's memory.
struct DeviceRange {
  DevicePointer begin = 0;  ///< 0: nothing
  std::size_t length = 0;
  DevicePointer address() const { return begin; }
  void* data() const { return reinterpret_cast<void*>(begin); }
  std::size_t bytes() const { return length; }
};

/// The buffers of this rank that all exchanges of a plan use. Each begins an allocation, or lies in
/// one that begins with the send buffer.
struct ExchangeMemory {
  DeviceRange send, receive;
};

/// One exchange: a block per rank in the send and in the receive buffer, the offset in each rank's
/// send buffer of the block for this rank, and messages for transports that send messages (null if
/// a block is empty).
struct BlockTransfers {
  std::vector<Block> send, receive;
  std::vector<Index> remote;
  std::vector<std::unique_ptr<Transfer>> sends, receives;

  bool has_void() const {
    return std::ranges::any_of(receives,
                               [](const auto& message) { return message && message->is_void(); });
  }
};
/// Collective: the ranks tell each other their offsets. Throws on all ranks or on none.
BlockTransfers make_block_transfers(std::vector<Block> send, std::vector<Block> receive,
                                    const Comm& comm);

/// An error on the device of one rank is kept while the ranks go on together: a rank that threw in
/// the middle of an exchange would leave the others waiting. It is reported after the exchange.
class DeviceFailure {
 public:
  /// Calls `work` and keeps what it throws, the first of all.
  void attempt(WorkRef work) noexcept;
  void attempt(int result, const char* what) noexcept {
    attempt([&] { require(result, what); });
  }
  const std::exception_ptr& first() const { return first_; }

 private:
  std::exception_ptr first_;
};

class Transport {
 public:
  using Tells = reshape::Exchange::Tells;

  virtual ~Transport() = default;

  /// Collective, once, before the first exchange; throws, on all ranks or on none, if the transport
  /// does not work here.
  virtual void open() {}

  // An exchange goes to its end whatever fails on this rank's device, and allocates nothing.
  /// What the stream holds writes the send buffer. Waits for nothing. `is_void`: what this rank
  /// sends is of no use, see reshape::Exchange.
  virtual void start(const BlockTransfers& transfers, Stream stream, bool is_void,
                     DeviceFailure& failure) = 0;
  /// Makes progress; may wait for this rank's device, but not for other ranks. When it is true,
  /// what is put on the stream finds the receive buffer filled, and may write the send buffer
  /// again.
  virtual bool test(DeviceFailure& failure) = 0;
  /// Who hears of a void rank, and whether this one has, in the last exchange.
  virtual Tells tells() const { return Tells::nobody; }
  virtual bool has_heard_void() const { return false; }

 protected:
  Transport(const Comm& comm, const ExchangeMemory& memory) : comm_(comm), memory_(memory) {}

  /// This rank's own block.
  void keep_own(const BlockTransfers& transfers, Stream stream) const;

  const Comm& comm_;
  const ExchangeMemory& memory_;
};

/// Not collective; each throws if the transport does not work on this rank.
std::unique_ptr<Transport> make_staged(const Comm& comm, const ExchangeMemory& memory);
std::unique_ptr<Transport> make_direct(const Comm& comm, const ExchangeMemory& memory);
std::unique_ptr<Transport> make_ipc(const Comm& comm, const ExchangeMemory& memory);
std::unique_ptr<Transport> make_nccl(const Comm& comm, const ExchangeMemory& memory);

/// Collective. An open transport of one of the kinds between GPUs; throws on all ranks or on none.
std::unique_ptr<Transport> open_transport(reshape::ExchangeKind kind, const Comm& comm,
                                          const ExchangeMemory& memory);
/// Collective. The kinds that can be opened and carry a test pattern, best first. The device is
/// current.
std::vector<reshape::ExchangeKind> working_transports(const Comm& comm);

}  // namespace weft::gpu
