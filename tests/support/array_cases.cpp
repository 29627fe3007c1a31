// SPDX-License-Identifier: BSD-3-Clause
#include "support/array_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "support/case_memory.hpp"

namespace weft::test {
namespace {

/// This rank's array of one side: distributed memory, or its own.
struct CaseArray {
  std::shared_ptr<DistributedMemory> memory;
  std::vector<std::byte> own;
  std::byte* data = nullptr;
  Index bytes = 0;

  CaseArray(const LocalBoxes& boxes, Index element_bytes, const Comm& comm, bool is_reached) {
    const auto pieces = reshape::pieces_of(boxes, reshape::Memory::input, element_bytes);
    bytes = reshape::footprint(pieces, element_bytes) * element_bytes;
    if (is_reached) {
      memory = place_boxes(boxes, element_bytes, comm).memory;
    } else {
      own.resize(static_cast<std::size_t>(bytes));
    }
    data = is_reached ? memory->data() : own.data();
  }
};

/// Ranks need different times between executions.
void dawdle(int rank, int round) {
  for (int i = (rank * 7 + round * 3) % 5; i > 0; --i) std::this_thread::yield();
}

}  // namespace

void run_in_arrays(const DistributedCase& c, const Comm& comm, ReachedSides sides) {
  c.reference->compute(c.transform);
  const auto rank = static_cast<std::size_t>(comm.rank());
  const Side in_side = side_of(c.transform, true), out_side = side_of(c.transform, false);
  const Index real = Reals::size_of(c.transform.precision);
  CaseArray in(c.input[rank], real * in_side.width, comm, sides.input);
  CaseArray out(c.output[rank], real * out_side.width, comm, sides.output);
  DistributedOptions options = c.options;
  if (options.in_place) {  // in the memory of the side that needs more
    in.memory = allocate_distributed((std::max(in.bytes, out.bytes) + 15) / 16 * 16, comm);
    out.memory = in.memory;
    in.data = out.data = in.memory->data();
  }
  options.input_memory = in.memory;
  options.output_memory = out.memory;
  DistributedPlan plan(c.transform, c.input[rank], c.output[rank], comm, options);
  const double eps = c.transform.precision == Precision::f64   ? 2.3e-16
                     : c.transform.precision == Precision::f32 ? 1.2e-7
                                                               : 2.5e-4;
  const double tolerance = 40 * eps * (c.reference->norm + 1e-30) + 1e-30;
  for (int round = 0; round < 3; ++round) {
    Reals numbers(c.transform.precision, in.bytes / real);
    for_each(c.input[rank], in_side.shape, [&](Index global, Index local) {
      for (int part = 0; part < in_side.width; ++part)
        numbers.set(local * in_side.width + part, round % 2 == 0 ? value_at(global, part) : 1.0F);
    });
    if (!options.in_place) std::fill_n(out.data, out.bytes, std::byte{0x7B});
    std::copy(numbers.bytes.begin(), numbers.bytes.end(), in.data);
    with_types(c.transform, [&]<class In, class Out>(In, Out) {
      const auto* from = reinterpret_cast<const In*>(in.data);
      auto* to = reinterpret_cast<Out*>(out.data);
      if (c.asynchronous) {
        plan.start(from, to);
        while (!plan.test()) std::this_thread::yield();
      } else {
        plan.execute(from, to);
      }
    });
    Reals result(c.transform.precision, out.bytes / real);
    std::copy_n(out.data, out.bytes, result.bytes.begin());
    if (!options.in_place) {
      const std::vector<std::byte> after(in.data, in.data + in.bytes);
      EXPECT_EQ(after, numbers.bytes) << "the input was changed; " << plan.recipe();
    }
    std::fill_n(in.data, in.bytes, std::byte{0x55});  // others must have read all of it
    std::fill_n(out.data, out.bytes, std::byte{0x66});
    dawdle(comm.rank(), round);
    if (round % 2 != 0) continue;
    std::vector<bool> touched(result.bytes.size(), false);
    Index wrong = 0, overwritten = 0;
    for_each(c.output[rank], out_side.shape, [&](Index global, Index local) {
      for (int part = 0; part < out_side.width; ++part) {
        const Index i = local * out_side.width + part;
        for (Index b = 0; b < real; ++b) touched[static_cast<std::size_t>(i * real + b)] = true;
        const double wanted =
            c.reference->output[static_cast<std::size_t>(global * out_side.width + part)];
        if (!(std::abs(result.get(i) - wanted) <= tolerance)) ++wrong;
      }
    });
    for (std::size_t i = 0; i < touched.size() && !options.in_place; ++i)
      overwritten += !touched[i] && result.bytes[i] != std::byte{0x7B} ? 1 : 0;
    EXPECT_EQ(wrong, 0) << "wrong numbers on rank " << rank << "; " << plan.recipe();
    EXPECT_EQ(overwritten, 0) << "margins were overwritten; " << plan.recipe();
  }
}

}  // namespace weft::test
