// SPDX-License-Identifier: BSD-3-Clause
// The memory that plans work in: buffers of this rank, and memory that the ranks of its node share.
// Plans that share a workspace take turns.
#pragma once

#include <cstdint>
#include <memory>

#include "global/run/rank_device.hpp"
#include "weft/comm.hpp"
#include "weft/distributed.hpp"
#include "weft/error.hpp"

namespace weft::global {

inline constexpr Index page = 4096;  ///< bytes of a page of memory

/// The ranks of a node cannot share as much memory as a recipe needs. Thrown on all ranks; other
/// exchanges may do.
class SharedMemoryTooSmall : public Error {
 public:
  using Error::Error;
  static constexpr const char* remark = "shared memory too small: messages instead";
};

/// A plan that was started uses the workspace until its execution ends.
class WorkspaceUser {
 public:
  /// Runs to the end. An error is kept until the user waits for the plan.
  virtual void finish() noexcept = 0;

 protected:
  ~WorkspaceUser() = default;
};

class Workspace final : public DistributedWorkspace {
 public:
  Workspace(std::shared_ptr<const RankDevice> device, int rank, int ranks)
      : device_(std::move(device)), rank_(rank), ranks_(ranks) {}
  /// Collective where memory is shared: the other ranks may still read it.
  ~Workspace() override;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Throws weft::Error (invalid_argument) where plans of this device and communicator cannot use
  /// it.
  void check(const RankDevice& device, const Comm& comm) const;
  /// At least `bytes` of this rank's own memory. Throws on this rank alone.
  void reserve(Index bytes);
  /// From now on exchanges know where the buffer is: on devices where it may not move it cannot
  /// grow any more.
  void set_connected() { is_connected_ = true; }
  /// Collective: at least `bytes` of shared memory for the ranks of this node. Throws on all ranks.
  void share(const Comm& comm, int node_number, Index bytes);

  std::byte* buffer() const { return buffer_ ? buffer_->data() : nullptr; }
  /// Page-aligned, after reshape::shared_head bytes of the exchanges.
  std::byte* shared() const { return shared_ ? shared_->data() + page : nullptr; }
  const std::shared_ptr<const Comm>& node() const { return node_; }
  Index bytes() const override;  ///< this rank's, its share of what is shared included

  /// The plan that was started and has not come to its end; null: none.
  WorkspaceUser* user() const { return user_; }
  void set_user(WorkspaceUser* user) { user_ = user; }

  // An execution takes the workspace, waits until the others have read what the last one left in
  // shared memory, and gives it back. Nothing is allocated.
  void take() { ++execution_; }
  std::uint64_t execution() const { return execution_; }  ///< a number, the same on all ranks
  /// Whether shared memory may be written; true without any.
  bool may_write(bool waits);
  void give_back();

 private:
  static constexpr Index page = 4096;

  std::shared_ptr<const RankDevice> device_;
  int rank_, ranks_;
  std::unique_ptr<DeviceBuffer> buffer_;
  std::shared_ptr<const Comm> node_;
  std::unique_ptr<SharedMemory> shared_;
  Index shared_bytes_ = 0;
  std::unique_ptr<Transfer> all_have_read_;
  WorkspaceUser* user_ = nullptr;
  bool is_connected_ = false;
  std::uint64_t execution_ = 0;
};

}  // namespace weft::global
