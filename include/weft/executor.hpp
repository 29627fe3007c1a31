// SPDX-License-Identifier: BSD-3-Clause
// How weft runs tasks at the same time. A transform is static, balanced loops; an executor is asked
// to run `tasks` independent calls and to return when all are done.
#pragma once

#include <memory>

namespace weft {

/// A borrowed callable, two pointers wide: valid only during the call it is passed to.
class TaskRef {
 public:
  template <class Function>
  TaskRef(const Function& function)
      : object_(&function),
        call_([](const void* object, int task) { (*static_cast<const Function*>(object))(task); }) {
  }
  void operator()(int task) const { call_(object_, task); }

 private:
  const void* object_;
  void (*call_)(const void*, int);
};

class Executor {
 public:
  virtual ~Executor() = default;
  /// How many tasks really run at once; plans cut their loops into this many pieces.
  virtual int concurrency() const noexcept = 0;
  /// Calls task(0) ... task(tasks-1), in any order and on any threads; returns when all returned.
  /// Tasks do not throw and do not wait for each other.
  virtual void run(int tasks, TaskRef task) const = 0;
};

/// Everything on the calling thread.
std::shared_ptr<const Executor> serial_executor();
/// OpenMP threads; 0 means as many as OpenMP would use.
std::shared_ptr<const Executor> openmp_executor(int threads = 0);
/// A pool of std::thread of its own; 0 means one per core. run() serves one caller at a time.
std::shared_ptr<const Executor> thread_executor(int threads = 0);

}  // namespace weft
