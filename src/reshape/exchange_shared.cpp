// SPDX-License-Identifier: BSD-3-Clause
// All ranks are on one node: the array exists once, in memory that all can reach. Every rank reads
// and writes its boxes there, and the exchange is only a barrier. After it, a box is read only by
// the rank that owns it in the new distribution, so that rank may write its results to the same
// place.
#include <atomic>

#include "comm/agree.hpp"
#include "reshape/exchange.hpp"

namespace weft::reshape {
namespace {

class Shared final : public Exchange {
 public:
  explicit Shared(const Comm& comm) : comm_(comm) {}
  Shared(const Comm& comm, const ExchangeProblem& problem, const SharedArray& array) : comm_(comm) {
    const auto me = static_cast<std::size_t>(comm.rank());
    const auto place = [&](const RankBoxes& boxes, std::vector<Piece>& pieces) {
      for (const Box& box : boxes)
        for (const Piece& piece : pieces_within(array, box, problem.element_bytes))
          pieces.push_back(piece);
    };
    place(problem.from[me], outgoing_);
    place(problem.to[me], incoming_);
  }

  std::vector<Piece> outgoing() const override { return outgoing_; }
  std::vector<Piece> incoming() const override { return incoming_; }
  void connect(const std::shared_ptr<const Comm>& node, const Bases&) override {
    node_ = node;
    agree(comm_, [&] { barrier_ = node_->prepare_barrier(); });
  }
  Tells tells() const override { return Tells::all; }
  void complete(const Bases& bases) override {
    tell(bases);
    node_->barrier();
  }
  void start(const Bases& bases) override {
    tell(bases);
    barrier_->start(nullptr, nullptr);
  }
  bool test() override { return barrier_->test(); }
  bool has_heard_void() const override { return flag().load() == execution_; }

 private:
  /// The last execution in which a rank was void. The next one's first write comes after all ranks
  /// have read.
  std::atomic_ref<std::uint64_t> flag() const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory_ - shared_head));
  }
  void tell(const Bases& bases) {
    memory_ = bases[static_cast<std::size_t>(Memory::shared)];
    if (is_void_) flag().store(execution_);
  }

  const Comm& comm_;
  std::byte* memory_ = nullptr;
  std::vector<Piece> outgoing_, incoming_;
  std::shared_ptr<const Comm> node_;
  std::unique_ptr<Transfer> barrier_;
};

}  // namespace

std::unique_ptr<Exchange> make_shared(const Comm& comm, const ExchangeProblem& problem,
                                      const SharedArray& array) {
  return std::make_unique<Shared>(comm, problem, array);
}

std::unique_ptr<Exchange> make_meeting(const Comm& comm) { return std::make_unique<Shared>(comm); }

}  // namespace weft::reshape
