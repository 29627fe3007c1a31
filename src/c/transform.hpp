// SPDX-License-Identifier: BSD-3-Clause
// Values of the C interface as those of the C++ one, and back.
#pragma once

#include "c/support.hpp"

namespace weft::c {

Transform transform_of(const weft_transform* transform);
Layout layout_of(const std::int64_t* strides, std::size_t ndim, int storage = WEFT_INTERLEAVED);
Effort effort_of(int effort);
/// Null if the plan is to choose by the number of threads.
std::shared_ptr<const Executor> executor_of(int threading, int threads, weft_run_tasks run,
                                            void* context);
weft_plan_cost cost_of(const PlanCost& cost);
/// Null: the defaults. Storage and strides are the caller's to read.
PlanOptions plan_options_of(const weft_plan_options* options);

}  // namespace weft::c
