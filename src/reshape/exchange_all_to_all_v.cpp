// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallv among the ranks that have something for each other.
#include "reshape/blocks.hpp"

namespace weft::reshape {
namespace {

class AllToAllV final : public BlockExchange {
 public:
  AllToAllV(const Comm& comm, const ExchangeProblem& problem)
      : BlockExchange(comm, problem), group_(make_group(comm, problem.from, problem.to)) {
    for (int member : group_.members) {
      group_send_.push_back(send_[0][static_cast<std::size_t>(member)]);
      group_receive_.push_back(receive_[0][static_cast<std::size_t>(member)]);
    }
  }

  void complete(const Bases& bases) override {
    group_.comm->all_to_all_v(base(bases, Memory::send), group_send_, base(bases, Memory::receive),
                              group_receive_);
  }
  void start(const Bases& bases) override {
    request_ = group_.comm->start_all_to_all_v(base(bases, Memory::send), group_send_,
                                               base(bases, Memory::receive), group_receive_);
  }
  bool test() override { return request_->test(); }

 private:
  Group group_;
  std::vector<Block> group_send_, group_receive_;
  std::unique_ptr<Request> request_;
};

}  // namespace

std::unique_ptr<Exchange> make_all_to_all_v(const Comm& comm, const ExchangeProblem& problem) {
  return std::make_unique<AllToAllV>(comm, problem);
}

}  // namespace weft::reshape
