// SPDX-License-Identifier: BSD-3-Clause
// Forwards all calls to another communicator: the base class of test communicators that change one
// thing.
#pragma once

#include <memory>

#include "weft/comm.hpp"

namespace weft::test {

class ForwardingComm : public Comm {
 public:
  explicit ForwardingComm(std::shared_ptr<const Comm> inner) : inner_(std::move(inner)) {}

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  std::vector<int> nodes() const override { return inner_->nodes(); }
  std::string transport() const override { return inner_->transport(); }
  bool is_open() const override { return inner_->is_open(); }
  bool can_send_void() const override { return inner_->can_send_void(); }
  std::unique_ptr<Transfer> prepare_minimum() const override { return inner_->prepare_minimum(); }
  std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const override {
    return inner_->allocate_shared(bytes);
  }
  std::unique_ptr<Transfer> prepare_send(Index bytes, int to, int tag) const override {
    return inner_->prepare_send(bytes, to, tag);
  }
  std::unique_ptr<Transfer> prepare_receive(Index bytes, int from, int tag) const override {
    return inner_->prepare_receive(bytes, from, tag);
  }
  std::unique_ptr<Transfer> prepare_barrier() const override { return inner_->prepare_barrier(); }
  std::unique_ptr<Transfer> prepare_all_to_all_v(
      std::span<const Block> send_blocks, std::span<const Block> receive_blocks) const override {
    return inner_->prepare_all_to_all_v(send_blocks, receive_blocks);
  }
  void barrier() const override { inner_->barrier(); }
  Index minimum(Index mine) const override { return inner_->minimum(mine); }
  void broadcast(void* data, Index bytes, int root) const override {
    inner_->broadcast(data, bytes, root);
  }
  void all_gather(const void* mine, Index bytes, void* all) const override {
    inner_->all_gather(mine, bytes, all);
  }
  void all_to_all(const void* send, void* receive, Index bytes) const override {
    inner_->all_to_all(send, receive, bytes);
  }

 protected:
  std::shared_ptr<const Comm> inner_;
};

}  // namespace weft::test
