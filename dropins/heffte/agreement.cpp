// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/heffte/agreement.hpp"

#include <string>

#include "weft/error.hpp"

namespace weft::heffte {
namespace {

constexpr Index no_memory = -1, no_transforms = 0;

/// A number above 0 that says all that must be equal, or one of those above.
Index code_of(const weft_heffte_call& call, bool has_memory) {
  if (!has_memory) return no_memory;
  if (call.batch < 1) return no_transforms;
  const int numbers =
      ((call.backward * 2 + call.is_double) * 2 + call.complex_in) * 2 + call.complex_out;
  return (Index{call.batch} << 16) + ((call.scale & 0xff) << 8) + numbers;
}

}  // namespace

Agreement agree_on_call(const Comm& comm, const weft_heffte_call& call, RankState state) {
  const bool is_same = state.has_data && call.in == call.out;
  const bool is_apart = state.has_data && call.in != call.out;
  const Index code = code_of(call, state.has_memory);
  // The lowest bits say whether any rank is apart, and whether any is the same.
  Index least = 2 * code + (is_apart ? 0 : 1), most = 2 * code + (is_same ? 1 : 0);
  if (comm.size() > 1) {
    least = comm.minimum(least);
    most = -comm.minimum(-most);
  }
  if (least >> 1 == no_memory)
    throw Error(ErrorCode::out_of_memory, "heFFTe: a rank has no memory for a copy of its array");
  if (least >> 1 != most >> 1)
    throw Error(
        ErrorCode::invalid_argument,
        "heFFTe: ranks call different transforms; all pass the same direction, types, scale "
        "and number of transforms");
  if (least >> 1 == no_transforms)
    throw Error(ErrorCode::invalid_argument, "heFFTe: " + std::to_string(call.batch) +
                                                 " transforms were asked for; ask for at least 1");
  return {.is_some_same = (most & 1) == 1, .is_some_apart = (least & 1) == 0};
}

}  // namespace weft::heffte
