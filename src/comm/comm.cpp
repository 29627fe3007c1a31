// SPDX-License-Identifier: BSD-3-Clause
// Collective operations in terms of messages: what a communicator without better ones does.
#include "weft/comm.hpp"

#include <cstring>

namespace weft {
namespace {

constexpr int collective_tag = 32000;

using Requests = std::vector<std::unique_ptr<Request>>;

void wait_all(Requests& requests) {
  for (auto& request : requests) request->wait();
}

/// Several requests as one.
class All final : public Request {
 public:
  explicit All(Requests requests) : requests_(std::move(requests)) {}
  bool test() override {
    while (!requests_.empty() && requests_.back()->test()) requests_.pop_back();
    return requests_.empty();
  }
  void wait() override {
    wait_all(requests_);
    requests_.clear();
  }

 private:
  Requests requests_;
};

const std::byte* at(const void* data, Index offset) {
  return static_cast<const std::byte*>(data) + offset;
}
std::byte* at(void* data, Index offset) { return static_cast<std::byte*>(data) + offset; }

void copy_own(const void* from, void* to, Index bytes) {
  if (bytes > 0 && from != to) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

void Comm::barrier() const { start_barrier()->wait(); }

void Comm::broadcast(void* data, Index bytes, int root) const {
  Requests requests;
  if (rank() != root) {
    requests.push_back(start_receive(data, bytes, root, collective_tag));
  } else {
    for (int to = 0; to < size(); ++to)
      if (to != root) requests.push_back(start_send(data, bytes, to, collective_tag));
  }
  wait_all(requests);
}

void Comm::all_gather(const void* mine, Index bytes, void* all) const {
  Requests requests;
  for (int step = 1; step < size(); ++step) {
    const int from = (rank() + step) % size(), to = (rank() - step + size()) % size();
    requests.push_back(start_receive(at(all, from * bytes), bytes, from, collective_tag));
    requests.push_back(start_send(mine, bytes, to, collective_tag));
  }
  copy_own(mine, at(all, rank() * bytes), bytes);
  wait_all(requests);
}

void Comm::all_to_all(const void* send, void* receive, Index bytes) const {
  std::vector<Block> blocks;
  for (int i = 0; i < size(); ++i) blocks.push_back({i * bytes, bytes});
  all_to_all_v(send, blocks, receive, blocks);
}

std::unique_ptr<Request> Comm::start_all_to_all_v(const void* send,
                                                  std::span<const Block> send_blocks, void* receive,
                                                  std::span<const Block> receive_blocks) const {
  Requests requests;
  for (int step = 1; step < size(); ++step) {
    const int from = (rank() + step) % size(), to = (rank() - step + size()) % size();
    const Block in = receive_blocks[static_cast<std::size_t>(from)];
    const Block out = send_blocks[static_cast<std::size_t>(to)];
    if (in.bytes > 0)
      requests.push_back(start_receive(at(receive, in.offset), in.bytes, from, collective_tag));
    if (out.bytes > 0)
      requests.push_back(start_send(at(send, out.offset), out.bytes, to, collective_tag));
  }
  const auto me = static_cast<std::size_t>(rank());
  copy_own(at(send, send_blocks[me].offset), at(receive, receive_blocks[me].offset),
           send_blocks[me].bytes);
  return std::make_unique<All>(std::move(requests));
}

void Comm::all_to_all_v(const void* send, std::span<const Block> send_blocks, void* receive,
                        std::span<const Block> receive_blocks) const {
  start_all_to_all_v(send, send_blocks, receive, receive_blocks)->wait();
}

}  // namespace weft
