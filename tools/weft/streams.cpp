// SPDX-License-Identifier: BSD-3-Clause
#include "streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>

#include "base/replace_file.hpp"
#include "mpi/runtime.hpp"

namespace weft::tool {

void reserve_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(number, F_GETFD) < 0 && errno == EBADF)  // open() takes the lowest free number
      if (open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) _exit(2);
}

void tell(const char* text) noexcept {
  std::fputs(text, stderr);
  std::fflush(stderr);
  std::clearerr(stderr);
}

void complain(std::string_view message) noexcept {
  if (rank_of_this_process() > 0) return;
  try {
    std::string line = "weft: " + std::string(message);
    std::ranges::replace(line, '\n', ' ');
    tell((line + "\n").c_str());
  } catch (const std::bad_alloc&) {
    tell("weft: out of memory\n");
  }
}

bool standard_output_failed() noexcept { return std::ferror(stdout) != 0; }

void flush_standard_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || standard_output_failed())
    file_error("write to", "standard output", errno != 0 ? errno : EIO);
}

}  // namespace weft::tool
