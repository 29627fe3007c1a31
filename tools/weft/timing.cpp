// SPDX-License-Identifier: BSD-3-Clause
#include "timing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "convert.hpp"
#include "problem.hpp"

namespace weft::tool {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double time_calls(const std::function<void()>& call, double block_seconds, int rounds) {
  const Stopwatch first;
  call();  // warms up, and shows how long a call takes
  const double once = std::max(first.seconds(), 1e-9);
  const int repetitions = static_cast<int>(std::clamp(block_seconds / once, 1.0, 1e7));
  std::vector<double> blocks;
  for (int round = 0; round < rounds; ++round) {
    const Stopwatch watch;
    for (int i = 0; i < repetitions; ++i) call();
    blocks.push_back(watch.seconds() / repetitions);
  }
  return median(blocks);
}

namespace {

template <class Real, class Convert>
void fill(Real* values, std::size_t count, unsigned seed, Convert convert) {
  std::uint64_t state = 0x9e3779b97f4a7c15ull * (seed + 1);
  for (std::size_t i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    values[i] = convert(static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63);
  }
}

}  // namespace

void fill_random(void* memory, std::size_t bytes, Precision precision, unsigned seed) {
  switch (precision) {
    case Precision::f16:
      return fill(static_cast<Half*>(memory), bytes / 2, seed,
                  [](double x) { return half_of(static_cast<float>(x)); });
    case Precision::f32:
      return fill(static_cast<float*>(memory), bytes / 4, seed,
                  [](double x) { return static_cast<float>(x); });
    case Precision::f64:
      return fill(static_cast<double*>(memory), bytes / 8, seed, [](double x) { return x; });
  }
}

double time_plan(const Plan& plan) {
  Buffer<std::byte> in(static_cast<Index>(input_bytes(plan)));
  Buffer<std::byte> out(static_cast<Index>(output_bytes(plan)));
  fill_random(in.data(), input_bytes(plan), plan.transform().precision);
  Workspace workspace = plan.make_workspace();
  return time_calls(execution(plan, in.data(), out.data(), workspace));
}

}  // namespace weft::tool
