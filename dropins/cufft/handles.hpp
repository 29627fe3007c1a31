// SPDX-License-Identifier: BSD-3-Clause
// The handles that programs hold. Threads may create, use and destroy them at once.
#pragma once

#include <memory>

#include "dropins/cufft/plan.hpp"

namespace weft::cufft {

/// A new handle for the GPU that is current on this thread.
Handle add_handle();
/// Null if there is no such handle.
std::shared_ptr<HandlePlan> find_handle(Handle handle);
/// False if there was no such handle.
bool remove_handle(Handle handle);

}  // namespace weft::cufft
