// SPDX-License-Identifier: BSD-3-Clause
// Execution, on the planned arrays and on others, and the end of plans.
#include "dropins/fftw/plan.hpp"
#include "dropins/fftw/planner.hpp"

using weft::fftw::Arrays;
using weft::fftw::complain;
using weft::fftw::PlanHandle;
using weft::fftw::Real;
using FftwComplex = FFTW_NAME(complex);

namespace {

[[gnu::noinline, gnu::cold]] void complain_of_null() noexcept {
  complain("execute", "the plan is NULL, nothing was computed; check what the planner returned");
}
void run(PlanHandle plan, const Arrays& arrays) noexcept {
  if (plan == nullptr) [[unlikely]]
    return complain_of_null();
  plan->run(*plan, arrays);
}
void run(PlanHandle plan, void* in, void* out) noexcept {
  run(plan, {static_cast<Real*>(in), nullptr, static_cast<Real*>(out), nullptr});
}

}  // namespace

FFTW_API void FFTW_NAME(execute)(const PlanHandle plan) {
  if (plan == nullptr) [[unlikely]]
    return complain_of_null();
  plan->run(*plan, plan->arrays);
}
FFTW_API void FFTW_NAME(execute_dft)(const PlanHandle plan, FftwComplex* in, FftwComplex* out) {
  run(plan, in, out);
}
FFTW_API void FFTW_NAME(execute_dft_r2c)(const PlanHandle plan, Real* in, FftwComplex* out) {
  run(plan, in, out);
}
FFTW_API void FFTW_NAME(execute_dft_c2r)(const PlanHandle plan, FftwComplex* in, Real* out) {
  run(plan, in, out);
}
FFTW_API void FFTW_NAME(execute_r2r)(const PlanHandle plan, Real* in, Real* out) {
  run(plan, in, out);
}
FFTW_API void FFTW_NAME(execute_split_dft)(const PlanHandle plan, Real* ri, Real* ii, Real* ro,
                                           Real* io) {
  run(plan, {ri, ii, ro, io});
}
FFTW_API void FFTW_NAME(execute_split_dft_r2c)(const PlanHandle plan, Real* in, Real* ro,
                                               Real* io) {
  run(plan, {in, nullptr, ro, io});
}
FFTW_API void FFTW_NAME(execute_split_dft_c2r)(const PlanHandle plan, Real* ri, Real* ii,
                                               Real* out) {
  run(plan, {ri, ii, out, nullptr});
}

FFTW_API PlanHandle FFTW_NAME(copy_plan)(PlanHandle plan) {
  if (plan != nullptr) ++plan->handles;
  return plan;
}
FFTW_API void FFTW_NAME(destroy_plan)(PlanHandle plan) {
  if (plan != nullptr && --plan->handles == 0) delete plan;
}
FFTW_API void FFTW_NAME(cleanup)() { weft::fftw::forget_everything(); }
