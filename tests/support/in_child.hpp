// SPDX-License-Identifier: BSD-3-Clause
// Runs work in a child process, because it may hang, crash or run out of memory.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

namespace weft::test {

/// Sanitizers end a process that has no address space left, or that starts threads after a fork.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// "good" if `work` returns true within a minute; otherwise what happened.
inline std::string in_child(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child < 0) return "no fork";
  if (child == 0) {
    alarm(60);
    std::_Exit(work() ? 0 : 1);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return "no status";
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "good" : "bad";
}

/// Limits the address space of this process to `bytes` more than it has now: not enough for the
/// stacks of many threads.
inline void leave_address_space(std::size_t bytes) {
  std::size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  const rlim_t limit = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit both{limit, limit};
  setrlimit(RLIMIT_AS, &both);
}

}  // namespace weft::test
