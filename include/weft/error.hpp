// SPDX-License-Identifier: BSD-3-Clause
// The one exception type of weft. Messages say what was asked, what is wrong and what to do.
#pragma once

#include <stdexcept>
#include <string>

#include "weft/export.h"

namespace weft {

enum class ErrorCode {
  invalid_argument,  ///< the request contradicts itself or the data
  unsupported,       ///< a valid request that this build or machine cannot carry out
  out_of_memory,
  io,        ///< a file could not be read or written, or its contents contradict its header
  wisdom,    ///< a wisdom file is damaged or of another version
  mpi,       ///< MPI reported an error
  internal,  ///< a bug in weft
};

class WEFT_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace weft
