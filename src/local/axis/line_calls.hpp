// SPDX-License-Identifier: BSD-3-Clause
// Calls line kernels: as many lines as there are, also where a kernel takes two at a time.
#pragma once

#include "codelet/dense/dense_lines.hpp"
#include "codelet/prime/prime_kernels.hpp"
#include "codelet/runtime/registry.hpp"
#include "local/axis/axis_engine.hpp"
#include "weft/types.hpp"

namespace weft::local {

template <class Real>
class LineCalls {
 public:
  /// `key` names a line kernel of the catalogue.
  LineCalls(const codelet::KernelKey& key, double scale)
      : function_(codelet::find_kernel(key)->function), lines_(codelet::lines_of(key)) {
    arguments_.scale = scale;
    arguments_.table = codelet::table_of(key);
  }

  /// `count` lines by one call, if that is possible. Distances from line to line, in reals.
  KernelCall as_one_call(Index in_step, Index out_step, Index count) const {
    if (count != 1 && count % lines_ != 0) return {};
    KernelCall call{.function = function_, .arguments = arguments_};
    call.arguments.in_lane = count == 1 ? 0 : in_step;
    call.arguments.out_lane = count == 1 ? 0 : out_step;
    call.arguments.in_step = lines_ * in_step;
    call.arguments.out_step = lines_ * out_step;
    call.arguments.count = count == 1 ? 1 : count / lines_;
    return call;
  }

  /// Distances from line to line, in reals.
  void operator()(const Real* in, Index in_step, Real* out, Index out_step, Index count) const {
    codelet::PrimeArguments arguments = arguments_;
    arguments.in_lane = in_step;
    arguments.out_lane = out_step;
    arguments.in_step = lines_ * in_step;
    arguments.out_step = lines_ * out_step;
    arguments.count = count / lines_;
    function_(in, out, nullptr, arguments);
    const Index done = arguments.count * lines_;
    if (done == count) return;
    arguments.in_lane = arguments.out_lane = 0;  // the last line twice
    arguments.count = 1;
    function_(in + done * in_step, out + done * out_step, nullptr, arguments);
  }

 private:
  codelet::KernelFunction function_;
  codelet::PrimeArguments arguments_;
  Index lines_;
};

}  // namespace weft::local
