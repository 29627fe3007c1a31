// SPDX-License-Identifier: BSD-3-Clause
// Ends the process if a test hangs, and prints where.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace weft::test {

class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds patience) : patience_(patience) {
    thread_ = std::thread([this] { watch(); });
  }
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  /// Announces the next step and restarts the clock.
  void expect(const std::string& what) {
    {
      const std::lock_guard lock(mutex_);
      what_ = what;
      ++round_;
    }
    changed_.notify_all();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      const long round = round_;
      if (changed_.wait_for(lock, patience_, [&] { return stop_ || round_ != round; })) continue;
      std::fprintf(stderr, "hangs: %s\n", what_.c_str());
      std::_Exit(1);
    }
  }

  std::chrono::seconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_ = "the start";
  long round_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace weft::test
