// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/call_executor.hpp"

#include <algorithm>
#include <array>

namespace weft::fftw {
namespace {

struct Job {
  const TaskRef* task;
  int number;
};

void* work(char* job) {
  const Job& j = *reinterpret_cast<const Job*>(job);
  (*j.task)(j.number);
  return nullptr;
}

class CallExecutor final : public Executor {
 public:
  CallExecutor(ParallelLoop loop, void* data, int threads)
      : loop_(loop), data_(data), threads_(threads) {}
  int concurrency() const noexcept override { return threads_; }

  /// Executions allocate nothing: many tasks go to the loop in several calls.
  void run(int tasks, TaskRef task) const override {
    std::array<Job, 256> jobs;
    for (int first = 0; first < tasks;) {
      const int count = std::min(tasks - first, static_cast<int>(jobs.size()));
      for (int i = 0; i < count; ++i) jobs[static_cast<std::size_t>(i)] = {&task, first + i};
      loop_(&work, reinterpret_cast<char*>(jobs.data()), sizeof(Job), count, data_);
      first += count;
    }
  }

 private:
  ParallelLoop loop_;
  void* data_;
  int threads_;
};

}  // namespace

std::shared_ptr<const Executor> call_executor(ParallelLoop loop, void* data, int threads) {
  return std::make_shared<CallExecutor>(loop, data, threads);
}

}  // namespace weft::fftw
