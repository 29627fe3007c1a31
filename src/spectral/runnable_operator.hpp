// SPDX-License-Identifier: BSD-3-Clause
// An operator on a CPU, made ready to run: in fused sweeps (fused_operator.hpp) or in separate
// steps (stepped_operator.hpp).
#pragma once

#include <cstddef>
#include <string>

namespace weft::spectral {

class RunnableOperator {
 public:
  RunnableOperator() = default;
  RunnableOperator(const RunnableOperator&) = delete;
  RunnableOperator& operator=(const RunnableOperator&) = delete;
  virtual ~RunnableOperator() = default;

  /// Pointers to the first elements of inputs and outputs arrays.
  void execute(const void* const* in, void* const* out, void* workspace) const {
    for (int part = 0; part < parts(); ++part) execute_part(part, in, out, workspace);
  }
  /// execute() is these parts, one after the other; to be timed apart.
  virtual int parts() const = 0;
  virtual void execute_part(int part, const void* const* in, void* const* out,
                            void* workspace) const = 0;
  virtual std::size_t workspace_bytes() const = 0;
  virtual double passes() const = 0;
  virtual std::string explain() const = 0;
};

}  // namespace weft::spectral
