// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/transport.hpp"

#include <algorithm>
#include <optional>

#include "comm/agree.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

using Way = cuda::Transport;

std::unique_ptr<Transport> make(Way kind, const Comm& comm, const ExchangeMemory& memory) {
  if (kind == Way::ipc) return make_ipc(comm, memory);
  if (kind == Way::nccl) return make_nccl(comm, memory);
  if (kind == Way::direct) return make_direct(comm, memory);
  return make_staged(comm, memory);
}

unsigned char pattern(int from, int to, Index byte) {
  return static_cast<unsigned char>(37 * from + 101 * to + 7 * byte + 1);
}

/// As large a block for every rank as the buffers have room for, at most a page.
Route test_route(const Comm& comm, const ExchangeMemory& memory) {
  const Index ranks = comm.size();
  const auto room = static_cast<Index>(std::min(memory.send.bytes(), memory.receive.bytes()));
  Index mine = std::min<Index>(4096, room / ranks / 16 * 16);
  std::vector<Index> all(static_cast<std::size_t>(ranks));
  comm.all_gather(&mine, sizeof mine, all.data());
  const Index bytes = *std::ranges::min_element(all);
  std::vector<Block> blocks;
  for (Index r = 0; r < ranks; ++r) blocks.push_back({r * bytes, bytes});
  return make_route(blocks, blocks, comm);
}

/// Collective. Whether every byte of a pattern arrives where it should, on all ranks.
bool carries_pattern(Transport& transport, const Comm& comm, const ExchangeMemory& memory) {
  const Route route = test_route(comm, memory);
  const Index bytes = route.send[0].bytes;
  std::vector<unsigned char> image(static_cast<std::size_t>(bytes * comm.size()));
  const auto each_byte = [&](const auto& visit) {
    for (int peer = 0; peer < comm.size(); ++peer)
      for (Index b = 0; b < bytes; ++b)
        visit(image[static_cast<std::size_t>(peer * bytes + b)], peer, b);
  };
  Stream stream = nullptr;
  try {
    agree(comm, [&] {
      each_byte([&](unsigned char& byte, int to, Index b) { byte = pattern(comm.rank(), to, b); });
      require(driver().copy_to_device(memory.send.address(), image.data(), image.size()), "test");
      require(driver().set_bytes(memory.receive.address(), 0, image.size()), "test");
      require(driver().context_synchronize(), "test");
      require(driver().stream_create(&stream, 1), "test");
    });
    std::optional<Error> failure;  // of this rank alone, perhaps: the others wait in agree
    try {
      transport.exchange(route, stream);
    } catch (const Error& error) {
      failure = error;
    }
    agree(comm, [&] {
      if (failure) throw *failure;
      require(driver().stream_synchronize(stream), "test");
      require(driver().copy_to_host(image.data(), memory.receive.address(), image.size()), "test");
      each_byte([&](const unsigned char& byte, int from, Index b) {
        if (byte != pattern(from, comm.rank(), b))
          throw Error(ErrorCode::internal, "the test pattern arrived damaged");
      });
    });
    driver().stream_destroy(stream);
    return true;
  } catch (const Error&) {
    if (stream != nullptr) driver().stream_destroy(stream);
    return false;
  }
}

}  // namespace

const char* to_string(cuda::Transport transport) {
  static constexpr const char* names[] = {"automatic", "staged", "direct", "ipc", "nccl"};
  return names[static_cast<int>(transport)];
}

Route make_route(std::vector<Block> send, std::vector<Block> receive, const Comm& comm) {
  Route route{std::move(send), std::move(receive), {}};
  std::vector<Index> offsets;
  for (const Block& block : route.send) offsets.push_back(block.offset);
  route.remote.resize(offsets.size());
  comm.all_to_all(offsets.data(), route.remote.data(), sizeof(Index));
  return route;
}

void Transport::keep_own(const Route& route, Stream stream) const {
  const auto me = static_cast<std::size_t>(comm_.rank());
  const Block &from = route.send[me], &to = route.receive[me];
  if (from.bytes > 0)
    require(driver().copy(memory_.receive.address() + static_cast<DevicePointer>(to.offset),
                          memory_.send.address() + static_cast<DevicePointer>(from.offset),
                          static_cast<std::size_t>(from.bytes), stream),
            "copying a block on the GPU");
}

ChosenTransport choose_transport(cuda::Transport wanted, const Comm& comm,
                                 const ExchangeMemory& memory) {
  std::vector<Way> order = {Way::ipc, Way::nccl, Way::direct, Way::staged};
  if (wanted != Way::automatic)
    std::ranges::stable_sort(order, {}, [&](Way kind) { return kind != wanted; });
  for (const Way kind : order) try {
      auto transport = make(kind, comm, memory);
      if (carries_pattern(*transport, comm, memory)) return {kind, std::move(transport)};
    } catch (const Error&) {  // on all ranks: the next way
    }
  throw Error(ErrorCode::internal,
              "no way leads from one rank's GPU memory to another's, not even through the host");
}

}  // namespace weft::gpu
