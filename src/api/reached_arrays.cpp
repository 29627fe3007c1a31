// SPDX-License-Identifier: BSD-3-Clause
#include "api/reached_arrays.hpp"

#include "base/index.hpp"
#include "comm/agree.hpp"
#include "weft/error.hpp"

namespace weft::api {
namespace {

using global::Window;
using reshape::Piece;

/// Null for null. All DistributedMemory is made by Window.
std::shared_ptr<const Window> window_of(const std::shared_ptr<DistributedMemory>& memory) {
  auto window = std::dynamic_pointer_cast<const Window>(memory);
  if (memory && !window)
    throw Error(ErrorCode::invalid_argument,
                "the memory of an array was not made by weft; use allocate_distributed()");
  return window;
}

/// Whether the output holds every element once: then it can stand for the array between stages.
bool holds_all_once(const global::GlobalProblem& problem) {
  if (problem.output_is_split) return false;
  Index held = 0;
  for (const auto& boxes : problem.output)
    for (const Box& box : boxes) held += box.count();
  return held == checked_product(problem.output_shape(), "the output");
}

bool have_same_places(const std::vector<Piece>& input, const std::vector<Piece>& output) {
  if (input.size() != output.size()) return false;
  for (std::size_t i = 0; i < input.size(); ++i)
    if (input[i].box != output[i].box || input[i].offset != output[i].offset ||
        input[i].strides != output[i].strides)
      return false;
  return true;
}

}  // namespace

PlanArrays arrays_of(const Comm& comm, const DistributedOptions& options,
                     const std::vector<Piece>& input, const std::vector<Piece>& output,
                     global::GlobalProblem& problem) {
  PlanArrays arrays;
  const bool is_half = problem.kind == Kind::r2c || problem.kind == Kind::c2r;
  global::GlobalProblem::Reach reach{.in_place = options.in_place};
  agree(comm, [&] {
    arrays.input = window_of(options.input_memory);
    arrays.output = window_of(options.output_memory);
    reach.is_one_array = options.in_place && !is_half && have_same_places(input, output);
  });
  reach.is_one_array = comm.minimum(reach.is_one_array ? 1 : 0) == 1;
  global::ReachedArrays& reached = arrays.reached;
  if (arrays.input) {
    reached.input = reached_pieces(comm, input, *arrays.input,
                                   in_element_bytes(problem.kind, problem.precision));
    reached.input_bytes = arrays.input->bytes();
    reach.input = !reached.input.empty() && !problem.input_is_split;
  }
  if (arrays.output) {
    reached.output = reached_pieces(comm, output, *arrays.output,
                                    out_element_bytes(problem.kind, problem.precision));
    reached.output_bytes = arrays.output->bytes();
    agree(comm, [&] { reach.output = !reached.output.empty() && holds_all_once(problem); });
  }
  problem.reach = reach;
  return arrays;
}

void* checked_pointer(const Window* window, void* passed, Index count, const char* side) {
  if (window == nullptr) return passed;
  if (passed == window->data() || (passed == nullptr && count == 0)) return window->data();
  throw Error(ErrorCode::invalid_argument,
              std::string("the plan was made for a distributed array as ") + side +
                  ", another pointer was passed; pass that array, or plan without it");
}

}  // namespace weft::api
