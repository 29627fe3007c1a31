// SPDX-License-Identifier: BSD-3-Clause
// What plans and operators on GPUs share, for C.
#pragma once

#include "c/support.hpp"
#include "weft/cuda.hpp"
#include "weft/weft_cuda.h"

struct weft_cuda_workspace {
  weft::cuda::Workspace workspace;
};

namespace weft::c {

/// Null: the defaults.
cuda::PlanOptions cuda_options_of(const weft_cuda_options* structure);

template <class Plan>
void put_recipe_or_explanation(const Plan& plan, weft_text which, char** text) {
  if (which != WEFT_TEXT_RECIPE && which != WEFT_TEXT_EXPLAIN)
    throw Error(ErrorCode::unsupported, "on GPUs there are a recipe and an explanation");
  put_text(text, which == WEFT_TEXT_RECIPE ? plan.recipe() : plan.explain());
}

}  // namespace weft::c
