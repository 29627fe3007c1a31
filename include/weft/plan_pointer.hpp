// SPDX-License-Identifier: BSD-3-Clause
// PlanPointer: owns the implementation of a plan. Using a plan that was moved from throws an error
// instead of dereferencing a null pointer.
#pragma once

#include <memory>

#include "weft/error.hpp"

namespace weft {

template <class Impl>
class PlanPointer {
 public:
  PlanPointer(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
  /// Throws weft::Error (invalid_argument) if the plan was moved from.
  Impl* operator->() const { return &**this; }
  Impl& operator*() const {
    if (!impl_) [[unlikely]]
      refuse();
    return *impl_;
  }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::invalid_argument,
                "the plan was moved from; use the plan it was moved to, or assign a new one");
  }

  std::unique_ptr<Impl> impl_;
};

}  // namespace weft
