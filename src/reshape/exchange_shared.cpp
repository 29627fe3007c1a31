// SPDX-License-Identifier: BSD-3-Clause
// The node is one memory: the array lies once in memory that all ranks share, every rank reads and
// writes its boxes of it in place, and going to the next layout is a barrier. A box is read by the
// rank that owns it in the new layout only, so that rank may write its results where it read.
#include "reshape/exchange.hpp"

namespace weft::reshape {
namespace {

class Shared final : public Exchange {
 public:
  Shared(const Comm& comm, const ExchangeProblem& problem, const SharedArray& array) : comm_(comm) {
    const auto me = static_cast<std::size_t>(comm.rank());
    const auto place = [&](const Box& box) {
      Box origin = box;
      origin.begin = {};
      return Piece{box, Memory::shared,
                   array.offset + distance(origin, array.strides, box) * problem.element_bytes,
                   array.strides};
    };
    for (const Box& box : problem.from[me])
      if (!box.empty()) outgoing_.push_back(place(box));
    for (const Box& box : problem.to[me])
      if (!box.empty()) incoming_.push_back(place(box));
  }

  std::vector<Piece> outgoing() const override { return outgoing_; }
  std::vector<Piece> incoming() const override { return incoming_; }
  void complete(const Bases&) override { comm_.barrier(); }
  void start(const Bases&) override { request_ = comm_.start_barrier(); }
  bool test() override { return request_->test(); }

 private:
  const Comm& comm_;
  std::vector<Piece> outgoing_, incoming_;
  std::unique_ptr<Request> request_;
};

}  // namespace

std::unique_ptr<Exchange> make_shared(const Comm& comm, const ExchangeProblem& problem,
                                      const SharedArray& array) {
  return std::make_unique<Shared>(comm, problem, array);
}

}  // namespace weft::reshape
