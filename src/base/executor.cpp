// SPDX-License-Identifier: BSD-3-Clause
#include "base/executor.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "weft/error.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace weft {
namespace {

/// Of weft: run() throws nothing.
class OwnExecutor : public Executor {};

void run_alone(int tasks, TaskRef task) {
  for (int i = 0; i < tasks; ++i) task(i);
}

class SerialExecutor final : public OwnExecutor {
 public:
  int concurrency() const noexcept override { return 1; }
  void run(int tasks, TaskRef task) const override { run_alone(tasks, task); }
};

/// How many forks separate this process from the first one. The child of a fork has no threads but
/// the caller: waiting for the parent's threads would never end.
std::atomic<int> forks = 0;

/// Call this before the first thread is started.
void watch_forks() {
  static const int watched = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  static_cast<void>(watched);
}

/// Workers wait on a condition variable; during a run, all threads, including the caller, take task
/// numbers from a counter.
class Pool {
 public:
  /// Throws weft::Error if a thread cannot be started.
  explicit Pool(int threads) : process_(forks) {
    workers_.reserve(static_cast<std::size_t>(threads - 1));
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::exception& error) {  // no more threads, or no memory
      stop();
      throw Error(ErrorCode::out_of_memory,
                  std::to_string(threads) + " threads were requested, but thread " +
                      std::to_string(workers_.size() + 2) + " cannot be started (" + error.what() +
                      "); use fewer threads");
    }
  }
  ~Pool() { stop(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  bool is_of_this_process() const { return process_ == forks.load(std::memory_order_relaxed); }

  void run(int tasks, TaskRef task) {
    const std::lock_guard one_caller(caller_);
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      tasks_ = tasks;
      next_ = 0;
      unfinished_ = tasks;
      ++round_;
    }
    wake_.notify_all();
    take_tasks(task);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return unfinished_ == 0 && inside_ == 0; });
    task_ = nullptr;
  }

 private:
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  void take_tasks(const TaskRef& task) {
    for (int i = next_.fetch_add(1); i < tasks_; i = next_.fetch_add(1)) {
      task(i);
      const std::lock_guard lock(mutex_);
      if (--unfinished_ == 0) done_.notify_all();
    }
  }
  void work() {
    long seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stop_ || (round_ != seen && task_ != nullptr); });
      if (stop_) return;
      seen = round_;
      const TaskRef task = *task_;
      ++inside_;
      lock.unlock();
      take_tasks(task);
      lock.lock();
      if (--inside_ == 0) done_.notify_all();
    }
  }

  const int process_;
  std::vector<std::thread> workers_;
  std::mutex caller_, mutex_;
  std::condition_variable wake_, done_;
  const TaskRef* task_ = nullptr;
  int tasks_ = 0, unfinished_ = 0, inside_ = 0;
  std::atomic<int> next_ = 0;
  long round_ = 0;
  bool stop_ = false;
};

/// One pool per process: the child of a fork makes its own.
class PoolPerProcess {
 public:
  explicit PoolPerProcess(int threads) : threads_(threads) { watch_forks(); }
  ~PoolPerProcess() {
    // A pool of the parent process is not deleted: its threads cannot be joined here.
    if (Pool* pool = pool_; pool != nullptr && pool->is_of_this_process()) delete pool;
  }
  PoolPerProcess(const PoolPerProcess&) = delete;
  PoolPerProcess& operator=(const PoolPerProcess&) = delete;

  /// Starts the threads; throws weft::Error if that is not possible.
  void prepare() {
    Pool* known = pool_.load(std::memory_order_acquire);
    if (known != nullptr && known->is_of_this_process()) return;
    auto made = std::make_unique<Pool>(threads_);
    if (pool_.compare_exchange_strong(known, made.get())) made.release();
  }
  void run(int tasks, TaskRef task) {
    try {
      prepare();
    } catch (const std::exception&) {  // the child cannot start threads
      return run_alone(tasks, task);
    }
    pool_.load(std::memory_order_acquire)->run(tasks, task);
  }

 private:
  const int threads_;
  std::atomic<Pool*> pool_ = nullptr;
};

class ThreadExecutor final : public OwnExecutor {
 public:
  explicit ThreadExecutor(int threads)
      : threads_(threads > 0 ? threads
                             : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
        pool_(threads_) {
    pool_.prepare();
  }
  int concurrency() const noexcept override { return threads_; }
  void run(int tasks, TaskRef task) const override { pool_.run(tasks, task); }

 private:
  int threads_;
  mutable PoolPerProcess pool_;
};

#ifdef _OPENMP
/// How many OpenMP threads the calling thread has: OpenMP keeps a team for every thread that has
/// run a parallel region, as large as in the last one.
thread_local int team_of_caller = 1;

/// OpenMP ends the process if it cannot start a thread. So what it is about to start is tried
/// before, with threads that end at once. Throws weft::Error.
void try_threads(int threads) { const Pool trial(threads); }

/// Whether OpenMP can run `threads` threads for the calling thread.
bool has_team(int threads) noexcept {
  if (threads <= team_of_caller || omp_get_active_level() >= omp_get_max_active_levels())
    return true;
  try {
    try_threads(threads - team_of_caller + 1);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// In the child of a fork OpenMP would wait forever for the parent's threads; there a pool is used
/// instead.
class OpenMpExecutor final : public OwnExecutor {
 public:
  explicit OpenMpExecutor(int threads)
      : threads_(threads > 0 ? threads : omp_get_max_threads()), pool_(threads_) {
    static std::atomic<int> most = 1;  // threads that were seen to start
    if (forks > 0) {
      pool_.prepare();
    } else if (threads_ > most) {
      try_threads(threads_);
      most = threads_;
    }
  }
  int concurrency() const noexcept override { return threads_; }
  void run(int tasks, TaskRef task) const override {
    if (tasks < 2 || threads_ == 1) return run_alone(tasks, task);
    if (forks.load(std::memory_order_relaxed) > 0) return pool_.run(tasks, task);
    const int team = std::min(threads_, tasks);
    if (!has_team(team)) return run_alone(tasks, task);
#pragma omp parallel for num_threads(team) schedule(static, 1)
    for (int i = 0; i < tasks; ++i) task(i);
    if (omp_get_active_level() == 0) team_of_caller = team;  // nested teams are not kept
  }

 private:
  int threads_;
  mutable PoolPerProcess pool_;  ///< used only in the child of a fork
};
#endif

}  // namespace

bool may_throw(const Executor& executor) {
  return dynamic_cast<const OwnExecutor*>(&executor) == nullptr;
}

std::shared_ptr<const Executor> serial_executor() { return std::make_shared<SerialExecutor>(); }

std::shared_ptr<const Executor> openmp_executor(int threads) {
#ifdef _OPENMP
  return std::make_shared<OpenMpExecutor>(threads);
#else
  return thread_executor(threads);
#endif
}

std::shared_ptr<const Executor> thread_executor(int threads) {
  return std::make_shared<ThreadExecutor>(threads);
}

}  // namespace weft
