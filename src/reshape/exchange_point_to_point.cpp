// SPDX-License-Identifier: BSD-3-Clause
// One message per pair of ranks and chunk; each chunk is sent as soon as it has been written, and
// what the rank has for itself is copied while messages are under way. A pipelined exchange has a
// receive buffer that the stage at work does not read, and posts its receives beforehand.
#include <cstring>

#include "reshape/blocks.hpp"

namespace weft::reshape {
namespace {

class PointToPoint final : public BlockExchange {
 public:
  PointToPoint(const Comm& comm, const ExchangeProblem& problem, bool receives_early)
      : BlockExchange(comm, problem), receives_early_(receives_early) {}

  void begin(const Bases& bases) override {
    if (receives_early_) post_receives(bases);
  }
  void chunk_ready(int chunk, const Bases& bases) override {
    if (!receives_early_ && chunk == 0) post_receives(bases);
    const auto& blocks = send_[static_cast<std::size_t>(chunk)];
    for (int step = 1; step < comm_.size(); ++step) {
      const int to = (comm_.rank() - step + comm_.size()) % comm_.size();
      const Block& block = blocks[static_cast<std::size_t>(to)];
      if (block.bytes > 0)
        requests_.push_back(
            comm_.start_send(base(bases, Memory::send) + block.offset, block.bytes, to, chunk));
    }
    const auto me = static_cast<std::size_t>(comm_.rank());
    const Block& own = blocks[me];
    if (own.bytes > 0)
      std::memcpy(
          base(bases, Memory::receive) + receive_[static_cast<std::size_t>(chunk)][me].offset,
          base(bases, Memory::send) + own.offset, static_cast<std::size_t>(own.bytes));
    for (auto& request : requests_) request->test();  // many MPIs move data only when called
  }

  void complete(const Bases&) override {
    for (auto& request : requests_) request->wait();
    requests_.clear();
  }
  void start(const Bases&) override {}
  bool test() override {
    while (!requests_.empty() && requests_.back()->test()) requests_.pop_back();
    return requests_.empty();
  }

 private:
  void post_receives(const Bases& bases) {
    for (std::size_t chunk = 0; chunk < receive_.size(); ++chunk)
      for (int step = 1; step < comm_.size(); ++step) {
        const int from = (comm_.rank() + step) % comm_.size();
        const Block& block = receive_[chunk][static_cast<std::size_t>(from)];
        if (block.bytes > 0)
          requests_.push_back(comm_.start_receive(base(bases, Memory::receive) + block.offset,
                                                  block.bytes, from, static_cast<int>(chunk)));
      }
  }

  bool receives_early_;
  std::vector<std::unique_ptr<Request>> requests_;
};

}  // namespace

std::unique_ptr<Exchange> make_point_to_point(const Comm& comm, const ExchangeProblem& problem) {
  ExchangeProblem whole = problem;
  whole.chunking = {};
  return std::make_unique<PointToPoint>(comm, whole, false);
}

std::unique_ptr<Exchange> make_pipelined(const Comm& comm, const ExchangeProblem& problem) {
  return std::make_unique<PointToPoint>(comm, problem, true);
}

}  // namespace weft::reshape
