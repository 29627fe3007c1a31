// SPDX-License-Identifier: BSD-3-Clause
// Transport: how blocks get from the device memory of one rank to that of another; one file per
// way. Which ways work on a machine is found out by trying them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "weft/comm.hpp"
#include "weft/cuda.hpp"

namespace weft::gpu {

/// The buffers of this rank that all exchanges of a plan use.
struct ExchangeMemory {
  DeviceMemory send, receive;
};

/// What goes where in one exchange: a block per rank in the send and the receive buffer, and where
/// each rank's send buffer has what it has for this one.
struct Route {
  std::vector<Block> send, receive;
  std::vector<Index> remote;
};
/// Collective: the ranks tell each other their offsets.
Route make_route(std::vector<Block> send, std::vector<Block> receive, const Comm& comm);

class Transport {
 public:
  virtual ~Transport() = default;

  /// Collective. What the stream holds writes the send buffer; what is put on it afterwards finds
  /// the receive buffer filled, and may write the send buffer again.
  virtual void exchange(const Route& route, Stream stream) = 0;

 protected:
  Transport(const Comm& comm, const ExchangeMemory& memory) : comm_(comm), memory_(memory) {}

  /// This rank's own block.
  void keep_own(const Route& route, Stream stream) const;

  const Comm& comm_;
  const ExchangeMemory& memory_;
};

/// Each collective; throws on all ranks or on none where the way is closed.
std::unique_ptr<Transport> make_staged(const Comm& comm, const ExchangeMemory& memory);
std::unique_ptr<Transport> make_direct(const Comm& comm, const ExchangeMemory& memory);
std::unique_ptr<Transport> make_ipc(const Comm& comm, const ExchangeMemory& memory);
std::unique_ptr<Transport> make_nccl(const Comm& comm, const ExchangeMemory& memory);

struct ChosenTransport {
  cuda::Transport kind = cuda::Transport::staged;
  std::unique_ptr<Transport> transport;
};
/// Collective. The first way that can be opened and carries a test pattern, beginning with the one
/// that is wanted; staged if no other does.
ChosenTransport choose_transport(cuda::Transport wanted, const Comm& comm,
                                 const ExchangeMemory& memory);

const char* to_string(cuda::Transport transport);

}  // namespace weft::gpu
