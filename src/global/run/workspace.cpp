// SPDX-License-Identifier: BSD-3-Clause
#include "global/run/workspace.hpp"

#include <algorithm>
#include <exception>

#include "base/index.hpp"
#include "comm/agree.hpp"

namespace weft::global {
namespace {

/// Every page is written once, each by the rank that most likely uses it: then it is near that
/// rank, and the first execution does not wait for the kernel.
void touch_share(const Comm& node, std::byte* memory, Index bytes) {
  constexpr Index page = 4096;
  const auto [begin, end] = split_evenly(ceil_div(bytes, page), node.size(), node.rank());
  for (Index i = begin * page; i < std::min(end * page, bytes); i += page) memory[i] = std::byte{0};
}

/// Collective. All ranks throw SharedMemoryTooSmall, or all the same other error if one has no
/// memory even for the text.
[[noreturn]] void throw_too_small(const Comm& comm, Index bytes) {
  std::exception_ptr failure;
  agree(comm, [&] {
    failure = std::make_exception_ptr(SharedMemoryTooSmall(
        ErrorCode::out_of_memory,
        "the ranks of a node cannot share " + std::to_string(ceil_div(bytes, 1 << 20)) +
            " MiB of memory; use another exchange, more nodes or a smaller array"));
  });
  std::rethrow_exception(failure);
}

}  // namespace

Workspace::~Workspace() {
  if (!all_have_read_ || !node_->is_open()) return;
  try {
    all_have_read_->wait();
  } catch (const std::exception&) {  // the communicator is broken; nothing is left to save
  }
}

void Workspace::check(const RankDevice& device, const Comm& comm) const {
  if (device.name() != device_->name() || comm.rank() != rank_ || comm.size() != ranks_)
    throw Error(ErrorCode::invalid_argument,
                "the workspace belongs to plans of another device or communicator; give one of a "
                "plan with the same ranks and device");
  if (user_ != nullptr)
    throw Error(ErrorCode::invalid_argument,
                "the workspace is in use by a plan that is still at work; call its wait() first");
}

void Workspace::reserve(Index bytes) {
  if (buffer_ && bytes <= buffer_->bytes()) return;
  if (is_connected_ && !device_->may_move_buffers())
    throw Error(ErrorCode::invalid_argument, "the workspace has " +
                                                 std::to_string(buffer_->bytes()) +
                                                 " bytes, the plan needs " + std::to_string(bytes) +
                                                 "; make the plan that needs most first");
  buffer_ = device_->allocate(bytes);
}

void Workspace::share(const Comm& comm, int node_number, Index bytes) {
  if (comm.minimum(shared_ ? shared_bytes_ - bytes : -1) >= 0) return;
  if (!node_) node_ = comm.split(node_number);
  may_write(true);
  const bool grows = node_->minimum(shared_ ? shared_bytes_ - bytes : -1) < 0;
  std::unique_ptr<SharedMemory>
      memory;  // the old is freed later: other plans keep it if this fails
  agree(comm, [&] {
    if (grows) memory = node_->allocate_shared(static_cast<std::size_t>(bytes + page));
    if (!all_have_read_) all_have_read_ = node_->prepare_barrier();
  });
  if (comm.minimum(memory || !grows ? 1 : 0) == 0) throw_too_small(comm, bytes);
  if (!grows) return;
  shared_ = std::move(memory);
  shared_bytes_ = bytes;
  touch_share(*node_, shared_->data(), bytes + page);
}

Index Workspace::bytes() const {
  return (buffer_ ? buffer_->bytes() : 0) + (node_ ? ceil_div(shared_bytes_, node_->size()) : 0);
}

bool Workspace::may_write(bool waits) {
  if (!all_have_read_) return true;
  if (!waits) return all_have_read_->test();
  all_have_read_->wait();
  return true;
}

void Workspace::give_back() {
  if (all_have_read_) all_have_read_->start(nullptr, nullptr);
}

}  // namespace weft::global
