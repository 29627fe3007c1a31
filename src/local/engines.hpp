// SPDX-License-Identifier: BSD-3-Clause
// The engines behind make_axis_engine(); each is defined in the file of its name.
#pragma once

#include "local/axis_engine.hpp"

namespace weft::local {

template <class Real>
using EnginePtr = std::unique_ptr<AxisEngine<Real>>;

template <class Real>
EnginePtr<Real> make_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_lines_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_real_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_real_kernel_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_real_lines_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_r2r_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_four_step_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_large_engine(const AxisRecipe& recipe, const AxisProblem& problem,
                                  int threads);
template <class Real>
EnginePtr<Real> make_convolution_engine(const AxisRecipe& recipe, const AxisProblem& problem,
                                        int threads);
template <class Real>
EnginePtr<Real> make_real_line_engine(const AxisRecipe& recipe, const AxisProblem& problem,
                                      int threads);
/// binary16 lines through a line of f32.
EnginePtr<float> make_staged_line_engine(const AxisRecipe& recipe, const AxisProblem& problem,
                                         int threads);

}  // namespace weft::local
