// SPDX-License-Identifier: BSD-3-Clause
// A communicator that counts the messages and bytes that a rank sends to others, by all kinds of
// transfers.
#pragma once

#include <memory>

#include "support/forwarding_comm.hpp"

namespace weft::test {

struct Counts {
  Index messages = 0, bytes = 0;
};

/// Adds to the counts when it starts.
class CountingTransfer final : public Transfer {
 public:
  CountingTransfer(std::unique_ptr<Transfer> inner, const Counts& each, std::shared_ptr<Counts> sum)
      : inner_(std::move(inner)), each_(each), sum_(std::move(sum)) {}
  void start(const void* send, void* receive) override {
    add();
    inner_->start(send, receive);
  }
  void start_void() override { inner_->start_void(); }
  bool is_void() const override { return inner_->is_void(); }
  bool test() override { return inner_->test(); }
  void wait() override { inner_->wait(); }
  void run(const void* send, void* receive) override {
    add();
    inner_->run(send, receive);
  }

 private:
  void add() {
    sum_->messages += each_.messages;
    sum_->bytes += each_.bytes;
  }

  std::unique_ptr<Transfer> inner_;
  Counts each_;
  std::shared_ptr<Counts> sum_;
};

class CountingComm final : public ForwardingComm {
 public:
  CountingComm(std::shared_ptr<const Comm> inner, std::shared_ptr<Counts> counts)
      : ForwardingComm(std::move(inner)), counts_(std::move(counts)) {}

  std::shared_ptr<const Comm> duplicate() const override {
    return std::make_shared<CountingComm>(inner_->duplicate(), counts_);
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return std::make_shared<CountingComm>(inner_->split(color), counts_);
  }
  std::unique_ptr<Transfer> prepare_send(Index bytes, int to, int tag) const override {
    Counts each;
    add(each, to, bytes);
    return counting(inner_->prepare_send(bytes, to, tag), each);
  }
  std::unique_ptr<Transfer> prepare_all_to_all_v(
      std::span<const Block> send_blocks, std::span<const Block> receive_blocks) const override {
    Counts each;
    for (int to = 0; to < size(); ++to)
      add(each, to, send_blocks[static_cast<std::size_t>(to)].bytes);
    return counting(inner_->prepare_all_to_all_v(send_blocks, receive_blocks), each);
  }
  void all_to_all(const void* send, void* receive, Index bytes) const override {
    for (int to = 0; to < size(); ++to) add(*counts_, to, bytes);
    inner_->all_to_all(send, receive, bytes);
  }

 private:
  void add(Counts& counts, int to, Index bytes) const {
    if (to == rank() || bytes == 0) return;
    ++counts.messages;
    counts.bytes += bytes;
  }
  std::unique_ptr<Transfer> counting(std::unique_ptr<Transfer> inner, const Counts& each) const {
    return std::make_unique<CountingTransfer>(std::move(inner), each, counts_);
  }

  std::shared_ptr<Counts> counts_;
};

}  // namespace weft::test
