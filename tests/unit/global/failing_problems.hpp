// SPDX-License-Identifier: BSD-3-Clause
// Distributed plans of all exchanges for tests of ranks that fail.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <vector>

#include "weft/distributed.hpp"

namespace weft::test {

using Complex = std::complex<double>;

struct Problem {
  const char* name;
  std::vector<Index> shape;
  std::vector<int> nodes;
  DistributedOptions options = {};
  bool any_order = false;
};

inline std::vector<Problem> problems() {
  using enum ExchangeAlgorithm;
  const std::vector<Index> cube{6, 5, 4};
  return {
      {"shared", cube, {0, 0}, {.exchange = shared, .use_wisdom = false}},
      {"all_to_all", cube, {0, 0, 0}, {.exchange = all_to_all, .use_wisdom = false}},
      {"all_to_all_v pencils",
       cube,
       {0, 0, 0},
       {.exchange = all_to_all_v, .strategy = Strategy::pencil, .use_wisdom = false}},
      {"point_to_point", cube, {0, 0}, {.exchange = point_to_point, .use_wisdom = false}},
      {"pipelined", cube, {0, 0}, {.exchange = pipelined, .chunks = 2, .use_wisdom = false}},
      {"node_aware", cube, {0, 0, 1}, {.exchange = node_aware, .use_wisdom = false}},
      {"any order", cube, {0, 0}, {.use_wisdom = false}, true},
      {"a line", {144}, {0, 0, 0}, {.exchange = all_to_all_v, .use_wisdom = false}},
      {"a line of prime length", {61}, {0, 0}, {.exchange = shared, .use_wisdom = false}},
      {"wisdom", cube, {0, 0}, {.exchange = point_to_point}},
  };
}

/// What a rank passes to the planner.
struct Arguments {
  const Problem& problem;
  const Comm& comm;
  Transform transform;
  LocalBoxes in, out;

  Arguments(const Problem& p, const Comm& c)
      : problem(p),
        comm(c),
        transform(c2c(p.shape)),
        in(slabs(p.shape, 0, c.size(), c.rank())),
        out(slabs(p.shape, static_cast<int>(p.shape.size()) - 1, c.size(), c.rank())) {}

  DistributedPlan plan() const {
    return problem.any_order ? DistributedPlan(transform, in, any_order, comm, problem.options)
                             : DistributedPlan(transform, in, out, comm, problem.options);
  }
};

/// The transform of an impulse at the origin: ones everywhere.
inline void check_impulse(DistributedPlan& plan, const Comm& comm) {
  std::vector<Complex> in(static_cast<std::size_t>(plan.input_count()));
  std::vector<Complex> out(static_cast<std::size_t>(plan.output_count()));
  if (comm.rank() == 0) in[0] = 1.0;
  plan.execute(in.data(), out.data());
  for (const Complex& value : out) ASSERT_LT(std::abs(value - 1.0), 1e-12);
}

/// Arrays for a plan.
struct Arrays {
  std::vector<Complex> in, out;
  explicit Arrays(const DistributedPlan& plan)
      : in(static_cast<std::size_t>(plan.input_count())),
        out(static_cast<std::size_t>(plan.output_count())) {}
};

template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
    return "no error";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace weft::test
