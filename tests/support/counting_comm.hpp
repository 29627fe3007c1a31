// SPDX-License-Identifier: BSD-3-Clause
// A communicator that counts what a rank sends to others: messages and bytes, however they go.
#pragma once

#include <memory>

#include "weft/comm.hpp"

namespace weft::test {

struct Counts {
  Index messages = 0, bytes = 0;
};

class CountingComm final : public Comm {
 public:
  CountingComm(std::shared_ptr<const Comm> inner, std::shared_ptr<Counts> counts)
      : inner_(std::move(inner)), counts_(std::move(counts)) {}

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  std::shared_ptr<const Comm> duplicate() const override {
    return std::make_shared<CountingComm>(inner_->duplicate(), counts_);
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return std::make_shared<CountingComm>(inner_->split(color), counts_);
  }
  std::vector<int> nodes() const override { return inner_->nodes(); }
  std::string transport() const override { return inner_->transport(); }
  std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const override {
    return inner_->allocate_shared(bytes);
  }
  std::unique_ptr<Request> start_send(const void* data, Index bytes, int to,
                                      int tag) const override {
    add(to, bytes);
    return inner_->start_send(data, bytes, to, tag);
  }
  std::unique_ptr<Request> start_receive(void* data, Index bytes, int from,
                                         int tag) const override {
    return inner_->start_receive(data, bytes, from, tag);
  }
  std::unique_ptr<Request> start_barrier() const override { return inner_->start_barrier(); }
  void barrier() const override { inner_->barrier(); }
  void broadcast(void* data, Index bytes, int root) const override {
    inner_->broadcast(data, bytes, root);
  }
  void all_gather(const void* mine, Index bytes, void* all) const override {
    inner_->all_gather(mine, bytes, all);
  }
  void all_to_all(const void* send, void* receive, Index bytes) const override {
    for (int to = 0; to < size(); ++to) add(to, bytes);
    inner_->all_to_all(send, receive, bytes);
  }
  void all_to_all_v(const void* send, std::span<const Block> send_blocks, void* receive,
                    std::span<const Block> receive_blocks) const override {
    for (int to = 0; to < size(); ++to) add(to, send_blocks[static_cast<std::size_t>(to)].bytes);
    inner_->all_to_all_v(send, send_blocks, receive, receive_blocks);
  }
  std::unique_ptr<Request> start_all_to_all_v(
      const void* send, std::span<const Block> send_blocks, void* receive,
      std::span<const Block> receive_blocks) const override {
    for (int to = 0; to < size(); ++to) add(to, send_blocks[static_cast<std::size_t>(to)].bytes);
    return inner_->start_all_to_all_v(send, send_blocks, receive, receive_blocks);
  }

 private:
  void add(int to, Index bytes) const {
    if (to == rank() || bytes == 0) return;
    ++counts_->messages;
    counts_->bytes += bytes;
  }

  std::shared_ptr<const Comm> inner_;
  std::shared_ptr<Counts> counts_;
};

}  // namespace weft::test
