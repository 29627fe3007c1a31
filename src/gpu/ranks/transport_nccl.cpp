// SPDX-License-Identifier: BSD-3-Clause
// By NCCL, whose sends and receives are work on the stream: the host waits for nothing. NCCL needs
// a GPU for every rank; if ranks share one, it refuses, and another transport is used.
#include "base/format.hpp"
#include "gpu/device/library.hpp"
#include "gpu/ranks/transport.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

struct UniqueId {
  char bytes[128];
};

/// Names and signatures as in nccl.h; results 0 for success.
struct Nccl {
  int (*unique_id)(UniqueId*);
  int (*init)(void**, int, UniqueId, int);
  int (*destroy)(void*);
  int (*group_start)();
  int (*group_end)();
  int (*send)(const void*, std::size_t, int, int, void*, Stream);
  int (*receive)(void*, std::size_t, int, int, void*, Stream);
  const char* (*error_text)(int);
  bool is_loaded = false;
};

Nccl load_nccl() {
  const Library library({"libnccl.so.2", "libnccl.so"});
  Nccl n{};
  n.is_loaded =
      library.load(n.unique_id, "ncclGetUniqueId") && library.load(n.init, "ncclCommInitRank") &&
      library.load(n.destroy, "ncclCommDestroy") && library.load(n.group_start, "ncclGroupStart") &&
      library.load(n.group_end, "ncclGroupEnd") && library.load(n.send, "ncclSend") &&
      library.load(n.receive, "ncclRecv") && library.load(n.error_text, "ncclGetErrorString");
  return n;
}

const Nccl& nccl() {
  static const Nccl loaded = load_nccl();
  return loaded;
}

void check(int result, const char* what) {
  if (result != 0)
    throw Error(ErrorCode::internal, weft::format("{}: NCCL answers '{}' ({})", what,
                                                  nccl().error_text(result), result));
}

class OverNccl final : public Transport {
 public:
  OverNccl(const Comm& comm, const ExchangeMemory& memory) : Transport(comm, memory) {
    if (!nccl().is_loaded) throw Error(ErrorCode::unsupported, "NCCL (libnccl.so.2) was not found");
  }
  void open() override {
    UniqueId id{};
    agree(comm_, [&] {
      if (comm_.rank() == 0) check(nccl().unique_id(&id), "ncclGetUniqueId");
    });
    comm_.broadcast(&id, sizeof id, 0);
    agree(comm_, [&] {
      check(nccl().init(&handle_, comm_.size(), id, comm_.rank()), "ncclCommInitRank");
    });
  }
  ~OverNccl() override {
    if (handle_ != nullptr) nccl().destroy(handle_);
  }

  bool test(DeviceFailure&) override { return true; }
  void start(const BlockTransfers& transfers, Stream stream, bool,
             DeviceFailure& failure) override {
    constexpr int bytes_type = 0;  // ncclInt8
    const auto note = [&](int answer, const char* what) {
      failure.attempt([&] { check(answer, what); });
    };
    failure.attempt([&] { keep_own(transfers, stream); });
    note(nccl().group_start(), "ncclGroupStart");
    for (int step = 1; step < comm_.size(); ++step) {
      const int to = (comm_.rank() + step) % comm_.size();
      const int from = (comm_.rank() - step + comm_.size()) % comm_.size();
      const Block& out = transfers.send[static_cast<std::size_t>(to)];
      const Block& in = transfers.receive[static_cast<std::size_t>(from)];
      if (out.bytes > 0)
        note(nccl().send(static_cast<const std::byte*>(memory_.send.data()) + out.offset,
                         static_cast<std::size_t>(out.bytes), bytes_type, to, handle_, stream),
             "ncclSend");
      if (in.bytes > 0)
        note(nccl().receive(static_cast<std::byte*>(memory_.receive.data()) + in.offset,
                            static_cast<std::size_t>(in.bytes), bytes_type, from, handle_, stream),
             "ncclRecv");
    }
    note(nccl().group_end(), "ncclGroupEnd");
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace

std::unique_ptr<Transport> make_nccl(const Comm& comm, const ExchangeMemory& memory) {
  return std::make_unique<OverNccl>(comm, memory);
}

}  // namespace weft::gpu
