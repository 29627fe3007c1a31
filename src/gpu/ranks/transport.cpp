// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ranks/transport.hpp"

#include <algorithm>
#include <thread>

#include "weft/error.hpp"

namespace weft::gpu {
namespace {

using reshape::ExchangeKind;

std::unique_ptr<Transport> make(ExchangeKind kind, const Comm& comm, const ExchangeMemory& memory) {
  if (kind == ExchangeKind::ipc) return make_ipc(comm, memory);
  if (kind == ExchangeKind::nccl) return make_nccl(comm, memory);
  if (kind == ExchangeKind::direct) return make_direct(comm, memory);
  return make_staged(comm, memory);
}

unsigned char pattern(int from, int to, Index byte) {
  return static_cast<unsigned char>(37 * from + 101 * to + 7 * byte + 1);
}

constexpr Index test_bytes = 4096;  // for every rank

BlockTransfers test_transfers(const Comm& comm) {
  const Index ranks = comm.size(), bytes = test_bytes;
  std::vector<Block> send, receive;
  agree(comm, [&] {
    for (Index r = 0; r < ranks; ++r) send.push_back({r * bytes, bytes});
    receive = send;
  });
  return make_block_transfers(std::move(send), std::move(receive), comm);
}

/// Collective. Whether every byte of a pattern arrives where it should, on all ranks.
bool carries_pattern(Transport& transport, const Comm& comm, const ExchangeMemory& memory) {
  const BlockTransfers transfers = test_transfers(comm);
  const Index bytes = transfers.send[0].bytes;
  std::vector<unsigned char> image;
  const auto each_byte = [&](const auto& visit) {
    for (int peer = 0; peer < comm.size(); ++peer)
      for (Index b = 0; b < bytes; ++b)
        visit(image[static_cast<std::size_t>(peer * bytes + b)], peer, b);
  };
  Stream stream = nullptr;
  bool is_good = false;
  try {
    agree(comm, [&] {
      image.resize(static_cast<std::size_t>(bytes * comm.size()));
      each_byte([&](unsigned char& byte, int to, Index b) { byte = pattern(comm.rank(), to, b); });
      require(driver().copy_to_device(memory.send.address(), image.data(), image.size()), "test");
      require(driver().set_bytes(memory.receive.address(), 0, image.size()), "test");
      require(driver().context_synchronize(), "test");
      require(driver().stream_create(&stream, 1), "test");
    });
    DeviceFailure failure;
    transport.start(transfers, stream, false, failure);
    while (!transport.test(failure)) std::this_thread::yield();
    failure.attempt([&] {
      require(driver().stream_synchronize(stream), "test");
      require(driver().copy_to_host(image.data(), memory.receive.address(), image.size()), "test");
      each_byte([&](const unsigned char& byte, int from, Index b) {
        if (byte != pattern(from, comm.rank(), b))
          throw Error(ErrorCode::internal, "the test pattern arrived damaged");
      });
    });
    agree(comm, [&] {
      if (failure.first()) std::rethrow_exception(failure.first());
    });
    is_good = true;
  } catch (const Error&) {  // on all ranks
  }
  if (stream != nullptr) driver().stream_destroy(stream);
  return is_good;
}

}  // namespace

BlockTransfers make_block_transfers(std::vector<Block> send, std::vector<Block> receive,
                                    const Comm& comm) {
  BlockTransfers transfers{std::move(send), std::move(receive), {}, {}, {}};
  std::vector<Index> offsets;
  agree(comm, [&] {
    for (const Block& block : transfers.send) offsets.push_back(block.offset);
    transfers.remote.resize(offsets.size());
    for (int peer = 0; peer < comm.size(); ++peer) {
      const auto p = static_cast<std::size_t>(peer);
      const bool is_other = peer != comm.rank();
      const Index out = transfers.send[p].bytes, in = transfers.receive[p].bytes;
      transfers.sends.push_back(is_other && out > 0 ? comm.prepare_send(out, peer, 0) : nullptr);
      transfers.receives.push_back(is_other && in > 0 ? comm.prepare_receive(in, peer, 0)
                                                      : nullptr);
    }
  });
  comm.all_to_all(offsets.data(), transfers.remote.data(), sizeof(Index));
  return transfers;
}

void DeviceFailure::attempt(WorkRef work) noexcept {
  try {
    work();
  } catch (...) {
    if (!first_) first_ = std::current_exception();
  }
}

void Transport::keep_own(const BlockTransfers& transfers, Stream stream) const {
  const auto me = static_cast<std::size_t>(comm_.rank());
  const Block &from = transfers.send[me], &to = transfers.receive[me];
  if (from.bytes > 0)
    require(driver().copy(memory_.receive.address() + static_cast<DevicePointer>(to.offset),
                          memory_.send.address() + static_cast<DevicePointer>(from.offset),
                          static_cast<std::size_t>(from.bytes), stream),
            "copying a block on the GPU");
}

std::unique_ptr<Transport> open_transport(ExchangeKind kind, const Comm& comm,
                                          const ExchangeMemory& memory) {
  std::unique_ptr<Transport> transport;
  agree(comm, [&] { transport = make(kind, comm, memory); });
  transport->open();
  return transport;
}

std::vector<ExchangeKind> working_transports(const Comm& comm) {
  std::vector<ExchangeKind> kinds;
  DeviceMemory send, receive;
  ExchangeMemory memory;
  agree(comm, [&] {
    const auto bytes = static_cast<std::size_t>(comm.size() * test_bytes);
    send = DeviceMemory(bytes);
    receive = DeviceMemory(bytes);
    memory = {{send.address(), bytes}, {receive.address(), bytes}};
    kinds.reserve(4);
  });
  using enum ExchangeKind;
  for (const ExchangeKind kind : {ipc, nccl, direct, staged}) try {
      const auto transport = open_transport(kind, comm, memory);
      if (carries_pattern(*transport, comm, memory)) kinds.push_back(kind);
    } catch (const Error&) {  // on all ranks: the next way
    }
  comm.barrier();  // others may still have this rank's memory mapped
  if (kinds.empty())
    throw Error(ErrorCode::internal,
                "no exchange can move data between the ranks' GPUs, not even through the host");
  return kinds;
}

}  // namespace weft::gpu
