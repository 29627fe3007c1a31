// SPDX-License-Identifier: BSD-3-Clause
// Ways to cut an array into steps: which axes are done together while a tile stays in cache, in
// which order, and whether an axis is shared by two steps.
#pragma once

#include "local/array/array_cut.hpp"

namespace weft::local {

/// Each axis in a sweep of its own, fastest first; the real axis first for r2c, last for c2r.
ArrayCut unfused_cut(const ArrayProblem& problem);

/// The same order; as many axes together as a tile holds that stays in a thread's caches.
ArrayCut fused_cut(const ArrayProblem& problem, int threads);

/// fused_cut(), then all others that are worth a try, each once.
std::vector<ArrayCut> candidate_cuts(const ArrayProblem& problem, int threads);

}  // namespace weft::local
