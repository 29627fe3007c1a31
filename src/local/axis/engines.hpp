// SPDX-License-Identifier: BSD-3-Clause
// The engines that make_axis_engine() makes; each is defined in the file of its name.
#pragma once

#include "local/axis/axis_engine.hpp"

namespace weft::local {

template <class Real>
using EnginePtr = std::unique_ptr<AxisEngine<Real>>;

template <class Real>
EnginePtr<Real> make_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_lines_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_real_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem);
/// Does the recipe have a real pass to begin with?
bool has_real_pass(const AxisRecipe& lanes, Precision precision);
template <class Real>
EnginePtr<Real> make_odd_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem);
/// Is the recipe Rader's, and its convolution made of an even radix?
bool has_real_convolution(const AxisRecipe& lanes);
template <class Real>
EnginePtr<Real> make_prime_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem);
/// The real kernel of the problem's whole length, or nullptr; is there one?
const codelet::CompiledKernel* real_kernel(codelet::Isa isa, const AxisProblem& problem,
                                           Precision precision);
bool admits_real_kernel(codelet::Isa isa, const AxisProblem& problem, Precision precision);
/// Does the recipe name the kernel of a halfcomplex or Hartley transform, not that of the lines
/// inside?
bool is_own_kernel(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision);
template <class Real>
EnginePtr<Real> make_real_kernel_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_short_real_lines_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_r2r_engine(const AxisRecipe& recipe, const AxisProblem& problem);
/// Contiguous real lines of odd length by a recipe of type real_split.
bool admits_real_split(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision);
template <class Real>
EnginePtr<Real> make_real_split_engine(const AxisRecipe& recipe, const AxisProblem& problem);
/// Real lines of odd prime length by a recipe of type real_rader; real_line() is what it runs on.
AxisProblem real_line(Index m, Kind kind);
template <class Real>
EnginePtr<Real> make_real_rader_engine(const AxisRecipe& recipe, const AxisProblem& problem);
/// DCTs and DSTs of types II to IV by lanes, of even length; all real-to-real kinds by contiguous
/// lines, each by a real or complex line; trig_line_problem() is the problem of that line.
bool has_trig_lanes(const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_trig_lanes_engine(const AxisRecipe& recipe, const AxisProblem& problem);
bool has_trig_lines(const AxisProblem& problem);
AxisProblem trig_line_problem(const AxisProblem& problem, const Loop& lines);
template <class Real>
EnginePtr<Real> make_trig_lines_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_four_step_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_large_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_convolution_engine(const AxisRecipe& recipe, const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_real_by_complex_engine(const AxisRecipe& recipe, const AxisProblem& problem);
/// Is the number of real points even, and are the points adjacent on both sides? Then one kernel
/// does a line, and all threads can work on one line together.
bool has_contiguous_real_lines(const AxisProblem& problem);
/// Are lines contiguous on both sides, and more than one loop's worth? Then blocks of them can be
/// fetched before they are needed.
bool admits_read_ahead(const AxisProblem& problem);
template <class Real>
EnginePtr<Real> make_read_ahead_engine(const AxisRecipe& recipe, const AxisProblem& problem);
/// Converts each line to a contiguous one of the arithmetic's type, transforms it, converts it
/// back.
template <class Real>
EnginePtr<Real> make_staged_line_engine(const AxisRecipe& recipe, const AxisProblem& problem);

}  // namespace weft::local
