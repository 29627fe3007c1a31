// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallv among the ranks that exchange data with each other.
#include "reshape/blocks.hpp"

namespace weft::reshape {
namespace {

class AllToAllV final : public BlockExchange {
 public:
  AllToAllV(const Comm& comm, const ExchangeProblem& problem)
      : BlockExchange(comm, problem, bytes_with_mark),
        group_(group_of(comm, problem.from, problem.to)) {
    for (int member : group_.members) {
      group_send_.push_back(send_[0][static_cast<std::size_t>(member)]);
      group_receive_.push_back(receive_[0][static_cast<std::size_t>(member)]);
    }
    marks_ = VoidMarks(group_send_, group_receive_);
  }

  void connect(const std::shared_ptr<const Comm>&, const Bases&) override {
    transfer_ = connect_group(comm_, group_, group_send_, group_receive_);
    marks_.connect(comm_);
  }
  Tells tells() const override { return Tells::peers; }
  bool writes_void() const override { return true; }
  bool has_heard_void() const override { return marks_.are_in(received_, execution_); }
  void complete(const Bases& bases) override {
    tell(bases);
    transfer_->run(base(bases, Memory::send), base(bases, Memory::receive));
  }
  void start(const Bases& bases) override {
    tell(bases);
    transfer_->start(base(bases, Memory::send), base(bases, Memory::receive));
  }
  bool test() override { return transfer_->test(); }

 private:
  void tell(const Bases& bases) {
    received_ = base(bases, Memory::receive);
    if (is_void_) marks_.write(base(bases, Memory::send), execution_);
  }

  Group group_;
  std::vector<Block> group_send_, group_receive_;
  VoidMarks marks_;
  const std::byte* received_ = nullptr;
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace

std::unique_ptr<Exchange> make_all_to_all_v(const Comm& comm, const ExchangeProblem& problem) {
  return std::make_unique<AllToAllV>(comm, problem);
}

}  // namespace weft::reshape
