// SPDX-License-Identifier: BSD-3-Clause
// The one exception type of weft. Messages say what was asked, what is wrong and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace weft {

enum class ErrorCode {
  invalid_argument,  ///< the request contradicts itself or the data
  unsupported,       ///< a meaningful request that this build cannot serve
  out_of_memory,
  io,        ///< a file could not be read or written, or does not hold what it claims
  wisdom,    ///< a wisdom file is damaged or of another version
  mpi,       ///< MPI reported an error
  internal,  ///< a defect of weft
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace weft
