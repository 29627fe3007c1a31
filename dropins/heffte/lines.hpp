// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's executors: transforms along some directions of a box that one rank holds.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "dropins/heffte/include/weft_heffte.h"
#include "weft/plan.hpp"

namespace weft::heffte {

class Lines {
 public:
  Lines(const weft_heffte_box& box, int kind, std::vector<int> directions, double backward_factor);
  /// In place.
  void execute(Direction direction, Precision precision, void* data) const;

 private:
  const Plan& plan(Direction direction, Precision precision) const;
  template <class Real>
  void execute_as(Direction direction, void* data) const;

  int kind_;
  double factor_;  ///< of backward real-to-real transforms
  std::vector<Index> shape_, strides_;
  std::vector<int> axes_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Plan> plans_[2][2];
};

}  // namespace weft::heffte
