// SPDX-License-Identifier: BSD-3-Clause
// weft.Plan: a planned transform as a Python object.
#pragma once

#include "planned.hpp"

namespace weft::python {

struct PlanObject {
  std::shared_ptr<Planned> planned;
};

/// The plan that a caller passed as `plan=`; refused unless it computes what the call asks for.
std::shared_ptr<Planned> given_plan(nb::handle plan, const Request& request);

void bind_plan(nb::module_& module);

}  // namespace weft::python
