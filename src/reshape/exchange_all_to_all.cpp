// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoall: every message is padded to the length of the longest. For equal blocks, which need
// no padding, MPI_Alltoall is faster than MPI_Alltoallv.
#include <algorithm>

#include "reshape/blocks.hpp"

namespace weft::reshape {
namespace {

class AllToAll final : public BlockExchange {
 public:
  AllToAll(const Comm& comm, const ExchangeProblem& problem)
      : BlockExchange(comm, problem, bytes_with_mark),
        group_(group_of(comm, problem.from, problem.to)) {
    for (int from : group_.members)
      for (int to : group_.members)
        block_bytes_ = std::max(
            block_bytes_,
            bytes_with_mark(count_between(problem.from, problem.to, from, to), element_bytes_));
    place(send_);
    place(receive_);
    for (std::size_t i = 0; i < group_.members.size(); ++i)
      uniform_.push_back({static_cast<Index>(i) * block_bytes_, block_bytes_});
    marks_ = VoidMarks(uniform_, uniform_);
  }

  Index send_bytes() const override {
    return static_cast<Index>(group_.members.size()) * block_bytes_;
  }
  Index receive_bytes() const override { return send_bytes(); }
  Index messages() const override { return static_cast<Index>(group_.members.size()) - 1; }
  Index message_bytes() const override { return messages() * block_bytes_; }

  void connect(const std::shared_ptr<const Comm>&, const Bases&) override {
    transfer_ = connect_group(comm_, group_, uniform_, uniform_);
    marks_.connect(comm_);
  }
  Tells tells() const override {
    return std::ssize(group_.members) == comm_.size() ? Tells::all : Tells::peers;
  }
  std::vector<int> heard_peers() const override { return group_.members; }
  bool writes_void() const override { return true; }
  bool has_heard_void() const override { return marks_.are_in(received_, execution_); }
  void complete(const Bases& bases) override {
    tell(bases);
    if (block_bytes_ > 0)
      group_.comm->all_to_all(base(bases, Memory::send), base(bases, Memory::receive),
                              block_bytes_);
  }
  void start(const Bases& bases) override {
    tell(bases);
    transfer_->start(base(bases, Memory::send), base(bases, Memory::receive));
  }
  bool test() override { return transfer_->test(); }

 private:
  void place(Blocks& blocks) const {
    for (std::size_t i = 0; i < group_.members.size(); ++i)
      blocks[0][static_cast<std::size_t>(group_.members[i])].offset =
          static_cast<Index>(i) * block_bytes_;
  }

  void tell(const Bases& bases) {
    received_ = base(bases, Memory::receive);
    if (is_void_) marks_.write(base(bases, Memory::send), execution_);
  }

  Group group_;
  Index block_bytes_ = 0;
  std::vector<Block> uniform_;
  VoidMarks marks_;
  const std::byte* received_ = nullptr;
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace

std::unique_ptr<Exchange> make_all_to_all(const Comm& comm, const ExchangeProblem& problem) {
  return std::make_unique<AllToAll>(comm, problem);
}

}  // namespace weft::reshape
