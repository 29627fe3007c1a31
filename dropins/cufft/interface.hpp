// SPDX-License-Identifier: BSD-3-Clause
// What the functions of cuFFT's interface share.
#pragma once

#include "dropins/cufft/handles.hpp"
#include "dropins/cufft/real_cufft.hpp"

namespace weft::cufft {

/// action(HandlePlan&) on the plan of a handle; invalid_plan if there is none.
template <class Action>
Result with_handle(Handle handle, const Action& action) noexcept {
  try {
    const std::shared_ptr<HandlePlan> plan = find_handle(handle);
    return plan ? action(*plan) : invalid_plan;
  } catch (...) {
    return internal_error;
  }
}

/// For functions that only cuFFT has: its function NAME with its own handle in place of this one.
template <class... Arguments>
Result in_cufft(const char* name, Handle handle, Arguments... arguments) noexcept {
  return with_handle(handle, [&](HandlePlan& plan) {
    return plan.hand_over(std::string("the program calls ") + name,
                          [&](Handle theirs) { return call_cufft(name, theirs, arguments...); });
  });
}

/// The same for functions that execute a plan.
template <class... Arguments>
Result execute_in_cufft(const char* name, Handle handle, Arguments... arguments) noexcept {
  const Result result = in_cufft(name, handle, arguments...);
  if (result == success)
    with_handle(handle, [](HandlePlan& plan) {
      plan.count_in_cufft();
      return success;
    });
  return result;
}

/// cufftMakePlanMany and its relatives, whose numbers are int or long long. `embed` is NULL for
/// contiguous arrays.
template <class Number>
struct Many {
  int rank;
  Number *n, *in_embed;
  Number in_stride, in_distance;
  Number* out_embed;
  Number out_stride, out_distance, batch;
};

/// Invalid arguments give an empty request, which check() refuses.
template <class Number>
Request request_of(const Many<Number>& many, const DataTypes& types) {
  Request request;
  const std::optional<TypePair> type = type_pair_of(types);
  request.types = types;
  request.type = type.value_or(TypePair{});
  request.is_for_cufft = !type;
  if (many.rank < 1 || many.rank > 3 || many.n == nullptr) return request;
  request.lengths.assign(many.n, many.n + many.rank);
  request.batch = many.batch;
  if (many.in_embed == nullptr || many.out_embed == nullptr) return request;
  request.in = Side{{many.in_embed, many.in_embed + many.rank}, many.in_stride, many.in_distance};
  request.out =
      Side{{many.out_embed, many.out_embed + many.rank}, many.out_stride, many.out_distance};
  return request;
}

}  // namespace weft::cufft
