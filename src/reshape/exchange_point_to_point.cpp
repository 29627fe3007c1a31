// SPDX-License-Identifier: BSD-3-Clause
// One message per pair of ranks and chunk. Each chunk is sent as soon as it has been written, and
// the rank's data for itself are copied while messages are under way. A pipelined exchange has a
// receive buffer that the current stage does not read, so it can post its receives before the stage
// starts.
#include <cstring>

#include "comm/transfers.hpp"
#include "reshape/blocks.hpp"

namespace weft::reshape {
namespace {

class PointToPoint final : public BlockExchange {
 public:
  PointToPoint(const Comm& comm, const ExchangeProblem& problem, bool receives_early)
      : BlockExchange(comm, problem), receives_early_(receives_early), sends_(send_.size()) {
    for (std::size_t chunk = 0; chunk < send_.size(); ++chunk)
      for (int step = 1; step < comm.size(); ++step) {
        const int from = (comm.rank() + step) % comm.size();
        const int to = (comm.rank() - step + comm.size()) % comm.size();
        const Block& in = receive_[chunk][static_cast<std::size_t>(from)];
        const Block& out = send_[chunk][static_cast<std::size_t>(to)];
        const int tag = static_cast<int>(chunk);
        if (in.bytes > 0) receives_.add(comm.prepare_receive(in.bytes, from, tag), in.offset);
        if (out.bytes > 0) sends_[chunk].add(comm.prepare_send(out.bytes, to, tag), out.offset);
      }
  }

  void connect(const std::shared_ptr<const Comm>&, const Bases&) override {}
  void begin(const Bases& bases) override {
    if (receives_early_)
      receives_.start(base(bases, Memory::receive), base(bases, Memory::receive));
  }
  void chunk_ready(int chunk, const Bases& bases) override {
    const auto c = static_cast<std::size_t>(chunk), me = static_cast<std::size_t>(comm_.rank());
    std::byte* send = base(bases, Memory::send);
    std::byte* receive = base(bases, Memory::receive);
    if (!receives_early_ && chunk == 0) receives_.start(receive, receive);
    if (is_void_ && comm_.can_send_void())
      sends_[c].start_void();
    else
      sends_[c].start(send, send);
    const Block& own = send_[c][me];
    if (own.bytes > 0 && !is_void_)
      std::memcpy(receive + receive_[c][me].offset, send + own.offset,
                  static_cast<std::size_t>(own.bytes));
    test();  // many MPI libraries make progress only inside MPI calls
  }

  Tells tells() const override { return comm_.can_send_void() ? Tells::peers : Tells::nobody; }
  bool sends_early() const override { return true; }
  bool has_heard_void() const override { return receives_.is_void(); }

  void complete(const Bases&) override {
    receives_.wait();
    for (Transfers& sends : sends_) sends.wait();
  }
  void start(const Bases&) override {}
  bool test() override {
    bool is_done = receives_.test();
    for (Transfers& sends : sends_) is_done = sends.test() && is_done;
    return is_done;
  }

 private:
  bool receives_early_;
  Transfers receives_;            ///< of all chunks
  std::vector<Transfers> sends_;  ///< by chunk
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
