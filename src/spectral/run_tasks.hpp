// SPDX-License-Identifier: BSD-3-Clause
// Tasks of an executor must not throw, but functions of the user may.
#pragma once

#include <exception>
#include <mutex>

#include "weft/executor.hpp"

namespace weft::spectral {

/// body(0) ... body(tasks - 1). The first exception is thrown after all tasks have returned.
template <class Body>
void run_tasks(const Executor& executor, int tasks, const Body& body) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto guarded = [&](int task) {
    try {
      body(task);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  if (tasks == 1)
    guarded(0);
  else
    executor.run(tasks, guarded);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace weft::spectral
