// SPDX-License-Identifier: BSD-3-Clause
// A workspace per stream of a GPU: what a stream does, it does in order.
#pragma once

#include <map>
#include <mutex>

#include "weft/cuda.hpp"

namespace weft::python {

class StreamWorkspaces {
 public:
  /// Calls run(workspace of the stream), one thread at a time; `plan` makes it.
  template <class Plan, class Run>
  void with(const Plan& plan, void* stream, const Run& run) {
    const std::lock_guard lock(mutex_);
    auto found = workspaces_.find(stream);
    if (found == workspaces_.end()) {
      if (workspaces_.size() >= most_streams) workspaces_.clear();
      found = workspaces_.emplace(stream, plan.make_workspace()).first;
    }
    run(found->second);
  }

 private:
  static constexpr std::size_t most_streams = 8;
  std::mutex mutex_;
  std::map<void*, cuda::Workspace> workspaces_;
};

}  // namespace weft::python
