// SPDX-License-Identifier: BSD-3-Clause
// Memory, and what a plan says about itself.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "dropins/fftw/plan.hpp"
#include "dropins/fftw/planner.hpp"
#include "weft/aligned.hpp"
#include "weft/version.h"

using weft::fftw::PlanHandle;
using weft::fftw::Real;
using FftwComplex = FFTW_NAME(complex);

namespace {

/// Null if it is too large; `count` things of `bytes` each.
void* allocate(std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  void* memory = nullptr;
  return posix_memalign(&memory, weft::alignment, all == 0 ? 1 : all) == 0 ? memory : nullptr;
}

std::string text_of(const PlanHandle plan) {
  try {
    return plan == nullptr ? "(null)" : plan->text();
  } catch (...) {
    return "(out of memory)";
  }
}
weft::PlanCost cost_of(const PlanHandle plan) noexcept {
  try {
    return plan == nullptr ? weft::PlanCost{} : plan->cost();
  } catch (...) {
    return {};
  }
}

}  // namespace

FFTW_API void* FFTW_NAME(malloc)(std::size_t bytes) { return allocate(1, bytes); }
FFTW_API Real* FFTW_NAME(alloc_real)(std::size_t count) {
  return static_cast<Real*>(allocate(count, sizeof(Real)));
}
FFTW_API FftwComplex* FFTW_NAME(alloc_complex)(std::size_t count) {
  return static_cast<FftwComplex*>(allocate(count, 2 * sizeof(Real)));
}
FFTW_API void FFTW_NAME(free)(void* memory) { std::free(memory); }

/// Plans of weft take arrays of any alignment. Programs compare these numbers as if it mattered,
/// so they are those of FFTW: the distance from a multiple of 16 bytes.
FFTW_API int FFTW_NAME(alignment_of)(Real* memory) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(memory) % 16);
}

FFTW_API void FFTW_NAME(set_timelimit)(double seconds) { weft::fftw::set_time_limit(seconds); }

/// weft counts arithmetic operations of all kinds together; they are given as additions.
FFTW_API void FFTW_NAME(flops)(const PlanHandle plan, double* add, double* mul, double* fma) {
  *add = cost_of(plan).flops;
  *mul = *fma = 0;
}
/// In seconds, by weft's cost model.
FFTW_API double FFTW_NAME(cost)(const PlanHandle plan) { return cost_of(plan).predicted_s; }
FFTW_API double FFTW_NAME(estimate_cost)(const PlanHandle plan) {
  return cost_of(plan).predicted_s;
}

FFTW_API void FFTW_NAME(fprint_plan)(const PlanHandle plan, std::FILE* file) {
  std::fputs(text_of(plan).c_str(), file);
}
FFTW_API void FFTW_NAME(print_plan)(const PlanHandle plan) {
  std::fputs(text_of(plan).c_str(), stdout);
}
/// By malloc(): programs free it by free() or by fftw_free().
FFTW_API char* FFTW_NAME(sprint_plan)(const PlanHandle plan) {
  return strdup(text_of(plan).c_str());
}

// Programs look for the version after the first hyphen.
#ifdef WEFT_FFTW_IS_FLOAT
#define FFTW_PRECISION_NAME "fftwf"
#else
#define FFTW_PRECISION_NAME "fftw"
#endif
extern "C" __attribute__((visibility("default")))
const char FFTW_NAME(version)[] = FFTW_PRECISION_NAME "-3.3.10-weft-" WEFT_VERSION;
extern "C" __attribute__((visibility("default"))) const char FFTW_NAME(cc)[] = "weft " WEFT_VERSION;
extern "C" __attribute__((visibility("default"))) const char FFTW_NAME(codelet_optim)[] = "";
