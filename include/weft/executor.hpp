// SPDX-License-Identifier: BSD-3-Clause
// How weft runs tasks in parallel. A plan splits its loops into equal, independent tasks; an
// executor runs them and returns when all are done. Pass your own Executor to use your own threads.
#pragma once

#include <memory>

#include "weft/export.h"

namespace weft {

/// A reference to a callable, two pointers in size. Valid only during the call that receives it.
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

class WEFT_API Executor {
 public:
  virtual ~Executor() = default;
  /// How many tasks run at the same time; plans split their loops into this many tasks.
  virtual int concurrency() const noexcept = 0;
  /// Calls task(0) ... task(tasks-1), in any order and on any threads; returns when all returned.
  /// Tasks do not throw and do not wait for each other.
  virtual void run(int tasks, TaskRef task) const = 0;
};

/// Runs all tasks on the calling thread.
WEFT_API std::shared_ptr<const Executor> serial_executor();
/// Runs tasks on OpenMP threads; 0 means OpenMP's default number. After a fork() the child process,
/// where OpenMP's threads do not exist, uses a pool of std::thread instead. Throws weft::Error if
/// so many threads cannot be started. OpenMP keeps threads for each thread that calls run(); if it
/// has none left for a new caller, that caller runs all tasks itself.
WEFT_API std::shared_ptr<const Executor> openmp_executor(int threads = 0);
/// Runs tasks on its own pool of std::thread; 0 means one thread per core. If several threads call
/// run(), they take turns. After a fork() the child process starts new threads. Throws weft::Error
/// if a thread cannot be started.
WEFT_API std::shared_ptr<const Executor> thread_executor(int threads = 0);

}  // namespace weft
