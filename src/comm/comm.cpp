// SPDX-License-Identifier: BSD-3-Clause
// Collective operations built from messages, for communicators that do not have their own.
#include "weft/comm.hpp"

#include <algorithm>
#include <cstring>

#include "comm/agree.hpp"
#include "comm/transfers.hpp"

namespace weft {
namespace {

constexpr int collective_tag = 32000;

/// All-to-all as one message per pair of ranks.
class Messages final : public Transfer {
 public:
  Messages(const Comm& comm, std::span<const Block> send, std::span<const Block> receive,
           int tag = collective_tag)
      : own_send_(send[static_cast<std::size_t>(comm.rank())]),
        own_receive_(receive[static_cast<std::size_t>(comm.rank())]) {
    for (int step = 1; step < comm.size(); ++step) {
      const int from = (comm.rank() + step) % comm.size();
      const int to = (comm.rank() - step + comm.size()) % comm.size();
      const Block in = receive[static_cast<std::size_t>(from)];
      const Block out = send[static_cast<std::size_t>(to)];
      if (in.bytes > 0) messages_.add(comm.prepare_receive(in.bytes, from, tag), in.offset);
      if (out.bytes > 0) messages_.add(comm.prepare_send(out.bytes, to, tag), out.offset);
    }
  }

  void start(const void* send, void* receive) override {
    messages_.start(send, receive);
    if (own_send_.bytes == 0) return;
    const auto* own = static_cast<const std::byte*>(send) + own_send_.offset;
    auto* there = static_cast<std::byte*>(receive) + own_receive_.offset;
    if (own != there) std::memcpy(there, own, static_cast<std::size_t>(own_send_.bytes));
  }
  bool test() override { return messages_.test(); }
  void wait() override { messages_.wait(); }

 private:
  Block own_send_, own_receive_;
  Transfers messages_;
};

std::vector<Block> equal_blocks(int ranks, Index distance, Index bytes) {
  std::vector<Block> blocks;
  for (Index i = 0; i < ranks; ++i) blocks.push_back({i * distance, bytes});
  return blocks;
}

/// Every rank tells every other. Others may be under way on the same communicator.
class Minimum final : public Transfer {
 public:
  explicit Minimum(const Comm& comm)
      : all_(static_cast<std::size_t>(comm.size())),
        messages_(comm, equal_blocks(comm.size(), 0, sizeof(Index)),
                  equal_blocks(comm.size(), sizeof(Index), sizeof(Index)), collective_tag + 1) {}

  void start(const void* send, void* receive) override {
    least_ = static_cast<Index*>(receive);
    messages_.start(send, all_.data());
  }
  bool test() override {
    if (!messages_.test()) return false;
    finish();
    return true;
  }
  void wait() override {
    messages_.wait();
    finish();
  }

 private:
  void finish() {
    if (least_ != nullptr) *least_ = *std::ranges::min_element(all_);
    least_ = nullptr;
  }

  std::vector<Index> all_;
  Messages messages_;
  Index* least_ = nullptr;
};

}  // namespace

std::unique_ptr<Transfer> Comm::prepare_minimum() const { return std::make_unique<Minimum>(*this); }

void Comm::barrier() const {
  std::unique_ptr<Transfer> barrier = prepare_barrier();
  barrier->run(nullptr, nullptr);
}

Index Comm::minimum(Index mine) const {
  std::vector<Index> all(static_cast<std::size_t>(size()));
  all_gather(&mine, sizeof mine, all.data());
  return *std::ranges::min_element(all);
}

void Comm::broadcast(void* data, Index bytes, int root) const {
  if (rank() != root) return prepare_receive(bytes, root, collective_tag)->run(nullptr, data);
  Transfers sends;
  for (int to = 0; to < size(); ++to)
    if (to != root) sends.add(prepare_send(bytes, to, collective_tag), 0);
  sends.run(data, nullptr);
}

void Comm::all_gather(const void* mine, Index bytes, void* all) const {
  Messages(*this, equal_blocks(size(), 0, bytes), equal_blocks(size(), bytes, bytes))
      .run(mine, all);
}

void Comm::all_to_all(const void* send, void* receive, Index bytes) const {
  const std::vector<Block> blocks = equal_blocks(size(), bytes, bytes);
  Messages(*this, blocks, blocks).run(send, receive);
}

std::unique_ptr<Transfer> Comm::prepare_all_to_all_v(std::span<const Block> send_blocks,
                                                     std::span<const Block> receive_blocks) const {
  std::unique_ptr<Transfer> messages;
  agree(*this, [&] { messages = std::make_unique<Messages>(*this, send_blocks, receive_blocks); });
  return messages;
}

}  // namespace weft
