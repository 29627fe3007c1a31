// SPDX-License-Identifier: BSD-3-Clause
#include "weft/executor.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace weft {
namespace {

class SerialExecutor final : public Executor {
 public:
  int concurrency() const noexcept override { return 1; }
  void run(int tasks, TaskRef task) const override {
    for (int i = 0; i < tasks; ++i) task(i);
  }
};

#ifdef _OPENMP
class OpenMpExecutor final : public Executor {
 public:
  explicit OpenMpExecutor(int threads) : threads_(threads > 0 ? threads : omp_get_max_threads()) {}
  int concurrency() const noexcept override { return threads_; }
  void run(int tasks, TaskRef task) const override {
#pragma omp parallel for num_threads(std::min(threads_, tasks)) schedule(static, 1)
    for (int i = 0; i < tasks; ++i) task(i);
  }

 private:
  int threads_;
};
#endif

/// Workers wait on a condition; a run hands out task numbers through a counter. The caller works
/// too.
class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(int threads)
      : threads_(threads > 0 ? threads
                             : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
    for (int i = 1; i < threads_; ++i) workers_.emplace_back([this] { work(); });
  }
  ~ThreadExecutor() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  int concurrency() const noexcept override { return threads_; }

  void run(int tasks, TaskRef task) const override {
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
  void take_tasks(const TaskRef& task) const {
    for (int i = next_.fetch_add(1); i < tasks_; i = next_.fetch_add(1)) {
      task(i);
      const std::lock_guard lock(mutex_);
      if (--unfinished_ == 0) done_.notify_all();
    }
  }
  void work() const {
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

  int threads_;
  std::vector<std::thread> workers_;
  mutable std::mutex caller_, mutex_;
  mutable std::condition_variable wake_, done_;
  mutable const TaskRef* task_ = nullptr;
  mutable int tasks_ = 0, unfinished_ = 0, inside_ = 0;
  mutable std::atomic<int> next_ = 0;
  mutable long round_ = 0;
  bool stop_ = false;
};

}  // namespace

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
