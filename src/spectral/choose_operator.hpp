// SPDX-License-Identifier: BSD-3-Clause
// Builds an operator in one of its ways, and chooses the way: wisdom's, the model's, or the fastest
// by the clock.
#pragma once

#include <memory>

#include "spectral/operator_way.hpp"
#include "spectral/runnable_operator.hpp"
#include "spectral/sweep.hpp"
#include "weft/spectral.hpp"

namespace weft::spectral {

/// `way` is one of ways_of() the problem, which has elements and which the function suits.
std::unique_ptr<const RunnableOperator> make_operator(const OperatorProblem& problem,
                                                      const OperatorWay& way,
                                                      const ModeFunction& function,
                                                      const OperatorChoice& choice);

OperatorWay choose_way(const OperatorProblem& problem, const OperatorChoice& choice);

}  // namespace weft::spectral
