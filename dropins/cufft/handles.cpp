// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/cufft/handles.hpp"

#include <map>
#include <shared_mutex>

#include "dropins/cufft/driver.hpp"

namespace weft::cufft {
namespace {

struct Handles {
  std::shared_mutex mutex;
  std::map<Handle, std::shared_ptr<HandlePlan>> plans;
  Handle next = 1;
};

/// Never destroyed: programs destroy handles from destructors of their own, in any order.
Handles& handles() {
  static auto* const all = new Handles;
  return *all;
}

}  // namespace

Handle add_handle() {
  auto plan = std::make_shared<HandlePlan>(current_device());
  const std::lock_guard lock(handles().mutex);
  handles().plans.emplace(handles().next, std::move(plan));
  return handles().next++;
}

std::shared_ptr<HandlePlan> find_handle(Handle handle) {
  const std::shared_lock lock(handles().mutex);
  const auto found = handles().plans.find(handle);
  return found == handles().plans.end() ? nullptr : found->second;
}

bool remove_handle(Handle handle) {
  std::shared_ptr<HandlePlan> plan;  // destroyed after the lock
  const std::lock_guard lock(handles().mutex);
  const auto found = handles().plans.find(handle);
  if (found == handles().plans.end()) return false;
  plan = std::move(found->second);
  handles().plans.erase(found);
  return true;
}

}  // namespace weft::cufft
