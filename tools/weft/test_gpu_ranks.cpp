// SPDX-License-Identifier: BSD-3-Clause
#include "test_gpu_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <thread>

#include "comm/agree.hpp"
#include "gpu/device/driver.hpp"
#include "gpu_rank_cases.hpp"
#include "gpu_rank_data.hpp"
#include "gpu_test_data.hpp"
#include "problem/request.hpp"
#include "reference_transform.hpp"
#include "text.hpp"
#include "weft/distributed.hpp"

namespace weft::tool {
namespace {

struct Outcome {
  double error = 0;
  std::string recipe = {};
  int copied_sides = 0;
};

/// Collective. What else a plan must do: be built again from its text, and tell its times.
void check_extras(const DistributedPlan& plan, const RankCase& c, DistributedOptions options,
                  const LocalBoxes& from, const LocalBoxes& to, const Comm& comm) {
  options.recipe = plan.recipe();
  options.exchange = ExchangeAlgorithm::automatic;
  const DistributedPlan again(c.transform, from, to, comm, options);
  const bool is_same = again.recipe() == plan.recipe();
  const std::vector<TraceEvent> events = plan.trace();
  bool has_times = !events.empty() && plan.cost().flops >= 0;
  for (const TraceEvent& event : events) has_times = has_times && event.end_s >= event.begin_s;
  agree(comm, [&] {
    if (!is_same) throw Error(ErrorCode::internal, "another recipe: " + again.recipe());
    if (!has_times) throw Error(ErrorCode::internal, "the trace is empty or runs backwards");
  });
}

/// The shape of a side of a transform.
std::vector<Index> side_shape(const Transform& t, bool is_input) {
  const problem::ArrayProblem problem = problem::check_request(t, {}, {}).problem;
  return is_input ? problem.in_shape() : problem.out_shape();
}

std::size_t reals_of(const std::vector<Index>& shape, int width) {
  Index n = width;
  for (Index e : shape) n *= e;
  return static_cast<std::size_t>(n);
}

/// A rank's part of both arrays, as the precision stores them, and the numbers that are expected.
struct RankData {
  LocalBoxes from, to;
  std::vector<char> in;
  std::vector<double> expected;

  RankData(const RankCase& c, const Comm& comm) {
    const Transform& t = c.transform;
    const int in_width = static_cast<int>(weft::in_width(t.kind));
    const int out_width = static_cast<int>(weft::out_width(t.kind));
    const std::vector<Index> in_shape = side_shape(t, true), out_shape = side_shape(t, false);
    const std::vector<double> whole =
        widened(narrowed(random_reals(reals_of(in_shape, in_width)), t.precision), t.precision);
    from = c.input(in_shape, comm.size(), comm.rank());
    to = c.output(out_shape, comm.size(), comm.rank());
    in = narrowed(picked(from, whole, in_shape, in_width), t.precision);
    expected = picked(to, reference_transform(t, whole), out_shape, out_width);
  }
};

void execute(DistributedPlan& plan, const Transform& transform, const void* in, void* out,
             bool by_steps) {
  with_types(transform, [&]<class In, class Out>(In*, Out*) {
    const auto* const source = static_cast<const In*>(in);
    if (!by_steps) return plan.execute(source, static_cast<Out*>(out));
    plan.start(source, static_cast<Out*>(out));
    while (!plan.test()) std::this_thread::yield();
  });
}

/// Collective: when all ranks have come here and done their work.
std::size_t free_bytes(const Comm& comm) {
  gpu::require(gpu::driver().context_synchronize(), "waiting for the GPU");
  comm.barrier();
  std::size_t free = 0, total = 0;
  gpu::require(gpu::driver().memory_info(&free, &total), "cuMemGetInfo");
  comm.barrier();
  return free;
}

/// Collective.
Outcome outcome_of(const RankCase& c, ExchangeAlgorithm wanted, const Comm& comm) {
  const Precision p = c.transform.precision;
  const RankData data(c, comm);
  const RankStream stream(comm);
  DistributedOptions options = c.options;
  options.device = stream.device();
  options.exchange = wanted;
  if (comm.size() == 1) options.strategy = Strategy::automatic;  // one rank has every line whole
  DistributedPlan plan(c.transform, data.from, data.to, comm, options);
  std::vector<char> result(narrowed(data.expected, p).size());
  const gpu::DeviceMemory a(std::max(data.in.size(), result.size())), b(result.size());
  void* const target = options.in_place ? a.data() : b.data();
  Outcome outcome{0, plan.recipe(), plan.copied_sides()};
  std::size_t free_before = 0, free_after = 0;
  for (int round = 0; round < 2; ++round) {  // buffers are used again
    copy_in(a, data.in);
    free_before = free_bytes(comm);
    execute(plan, c.transform, a.data(), target, c.by_steps);
    stream.synchronize();
    free_after = free_bytes(comm);
    if (!result.empty())
      gpu::require(gpu::driver().copy_to_host(
                       result.data(), reinterpret_cast<gpu::DevicePointer>(target), result.size()),
                   "copy");
    outcome.error = std::max(outcome.error, error_between(widened(result, p), data.expected));
  }
  agree(comm, [&] {
    if (free_after != free_before)
      throw Error(ErrorCode::internal, "an execution has allocated memory on the GPU");
  });
  check_extras(plan, c, options, data.from, data.to, comm);
  return outcome;
}

/// The transform that undoes another.
Transform inverse_of(Transform t) {
  t.normalization = Normalization::backward;
  t.direction = Direction::backward;
  if (t.kind == Kind::r2c) t.kind = Kind::c2r;
  return t;
}

/// Collective. There, in an order that the planner chooses, and back in the same workspace; the
/// error of what comes back.
double error_of_round_trip(const Transform& transform, const DistributedOptions& wishes,
                           const Comm& comm) {
  const Cut slab = [](const auto& shape, int ranks, int rank) {
    return slabs(shape, 0, ranks, rank);
  };
  const RankData data({transform, "", slab, slab}, comm);
  const RankStream stream(comm);
  DistributedOptions options = wishes;
  options.device = stream.device();
  DistributedPlan there(transform, data.from, any_order, comm, options);
  options.split = there.split();
  DistributedPlan back(inverse_of(transform), there.output_boxes(), data.from, comm, options);
  const auto bytes = static_cast<std::size_t>(
      there.output_count() * out_element_bytes(transform.kind, transform.precision));
  const gpu::DeviceMemory a(data.in.size()), b(bytes);
  copy_in(a, data.in);
  execute(there, transform, a.data(), b.data(), false);
  execute(back, inverse_of(transform), b.data(), a.data(), false);
  stream.synchronize();
  std::vector<char> result(data.in.size());
  if (!result.empty())
    gpu::require(gpu::driver().copy_to_host(result.data(), a.address(), result.size()), "copy");
  return error_between(widened(result, transform.precision), widened(data.in, transform.precision));
}

/// Collective. A plan that shares the workspace of another one; the error of there and back.
double error_in_shared_workspace(const Transform& transform, const Comm& comm) {
  const std::vector<Index> shape = side_shape(transform, true);
  const LocalBoxes from = slabs(shape, 0, comm.size(), comm.rank());
  const LocalBoxes to = slabs(shape, 1, comm.size(), comm.rank());
  const RankStream stream(comm);
  DistributedOptions options{.device = stream.device()};
  DistributedPlan there(transform, from, to, comm, options);
  options.workspace = there.workspace();
  DistributedPlan back(inverse_of(transform), to, from, comm, options);
  agree(comm, [&] {
    if (back.workspace() != there.workspace())
      throw Error(ErrorCode::internal, "the plans have two workspaces");
  });
  const std::vector<char> in = narrowed(
      random_reals(static_cast<std::size_t>(2 * there.input_count())), transform.precision);
  const gpu::DeviceMemory a(in.size()), b(in.size() * 2);
  copy_in(a, in);
  execute(there, transform, a.data(), b.data(), false);
  execute(back, inverse_of(transform), b.data(), a.data(), false);
  stream.synchronize();
  std::vector<char> result(in.size());
  if (!result.empty())
    gpu::require(gpu::driver().copy_to_host(result.data(), a.address(), result.size()), "copy");
  return error_between(widened(result, transform.precision), widened(in, transform.precision));
}

/// Collective. 0 where a plan finds the recipe that another one has measured.
double error_of_wisdom(const Comm& comm) {
  const Transform transform = c2c({20, 18, 16}, {.precision = Precision::f32});
  const LocalBoxes boxes = slabs(transform.shape, 0, comm.size(), comm.rank());
  const RankStream stream(comm);
  const DistributedPlan measured(
      transform, boxes, boxes, comm,
      {.device = stream.device(), .effort = Effort::measure, .time_limit_s = 2});
  const DistributedPlan found(transform, boxes, boxes, comm, {.device = stream.device()});
  if (measured.recipe() != found.recipe())
    throw Error(ErrorCode::internal,
                "measured '" + measured.recipe() + "', found '" + found.recipe() + "'");
  return 0;
}

/// What must be refused, on all ranks together.
void test_refusals(const Comm& comm, bool is_verbose, RankTests& tests) {
  const std::vector<Index> shape{8, 8, 8};
  const int device = comm.rank() % gpu::device_count();
  const LocalBoxes boxes = slabs(shape, 0, comm.size(), comm.rank());
  const int last = comm.size() - 1;
  std::vector<std::complex<float>> host(512);
  const DistributedOptions options{.device = Device::cuda(device)};
  const std::pair<const char*, std::function<void()>> requests[] = {
      {"host memory on the last rank",
       [&] {
         DistributedPlan plan(c2c(shape, {.precision = Precision::f32}), boxes, boxes, comm,
                              options);
         const gpu::UseDevice use(gpu::device(device));
         const gpu::DeviceMemory a(4096), b(4096);
         plan.execute(
             comm.rank() == last ? host.data() : static_cast<std::complex<float>*>(a.data()),
             static_cast<std::complex<float>*>(b.data()));
       }},
      {"host memory on the last rank, by steps",
       [&] {
         DistributedPlan plan(c2c(shape, {.precision = Precision::f32}), boxes, boxes, comm,
                              options);
         const gpu::UseDevice use(gpu::device(device));
         const gpu::DeviceMemory a(4096), b(4096);
         plan.start(comm.rank() == last ? host.data() : static_cast<std::complex<float>*>(a.data()),
                    static_cast<std::complex<float>*>(b.data()));
         plan.wait();
       }},
      {"a GPU that is not there, on the last rank",
       [&] {
         DistributedPlan plan(c2c(shape), boxes, boxes, comm,
                              {.device = Device::cuda(comm.rank() == last ? 99 : device)});
       }},
      {"boxes that leave gaps",
       [&] {
         DistributedPlan plan(c2c(shape), comm.rank() == 0 ? LocalBoxes{} : boxes, boxes, comm,
                              options);
       }},
      {"reproducible",
       [&] {
         DistributedPlan plan(c2c(shape), boxes, boxes, comm,
                              {.device = Device::cuda(device), .reproducible = true});
       }},
      {"a line in f16", [&] {
         const LocalBoxes line = slabs(std::vector<Index>{512}, 0, comm.size(), comm.rank());
         DistributedPlan plan(c2c({512}, {.precision = Precision::f16}), line, line, comm,
                              {.device = Device::cuda(device), .strategy = Strategy::line});
       }}};
  for (const auto& [name, request] : requests) {
    std::string answer;
    try {
      request();
    } catch (const Error& error) {
      answer = error.what();
    }
    ++tests.count;
    const bool refused = worst(answer.empty() ? 1 : 0, comm) == 0;
    if (!refused) ++tests.failures;
    if (comm.rank() == 0 && (!refused || is_verbose))
      fmt::print("{} {} ranks, {}: {}\n", refused ? "refused" : "FAILED", comm.size(), name,
                 answer);
  }
}

/// Calls `check`, which is collective and returns an error, and counts it.
void count_check(const std::string& name, const std::function<double()>& check, double allowed,
                 const Comm& comm, bool is_verbose, RankTests& tests) {
  double mine = 1;
  std::string failure;
  try {
    mine = check();
  } catch (const Error& error) {
    failure = error.what();
  }
  ++tests.count;
  const double error = worst(mine, comm);
  const bool good = failure.empty() && error <= allowed;
  if (worst(good ? 0 : 1, comm) > 0) ++tests.failures;
  if (comm.rank() == 0 && (!good || is_verbose))
    fmt::print("{} {} ranks, {}: error {:.2e} {}\n", good ? "ok" : "FAILED", comm.size(), name,
               error, failure);
}

/// What is not a transform between given boxes alone.
void test_promises(const Comm& comm, bool is_verbose, const std::string& filter, RankTests& tests) {
  const auto add = [&](const std::string& name, const std::function<double()>& check,
                       double allowed) {
    if (name.find(filter) != std::string::npos)
      count_check(name, check, allowed, comm, is_verbose, tests);
  };
  for (const Precision p : {Precision::f32, Precision::f64}) {
    const double allowed = allowed_error(p);
    const std::string precision = to_string(p);
    const Transform transforms[] = {
        c2c({24, 24, 32}, {.precision = p}), c2c({9, 10, 14}, {.precision = p}),
        r2c({16, 12, 20}, {.precision = p}), c2c({4096}, {.precision = p}),
        r2c({1500}, {.precision = p}),       c2c({1009}, {.precision = p})};
    for (const Transform& t : transforms)
      add(
          fmt::format("{} {} {} in any order and back", to_string(t.kind), precision,
                      shape_text(t.shape)),
          [&] { return error_of_round_trip(t, {}, comm); }, allowed);
    add(
        "shared workspace " + precision,
        [&] { return error_in_shared_workspace(c2c({24, 24, 32}, {.precision = p}), comm); },
        allowed);
  }
  add("wisdom of ranks", [&] { return error_of_wisdom(comm); }, 0);
}

}  // namespace

RankTests test_ranks(const Comm& comm, bool is_verbose, const std::string& filter) {
  RankTests tests;
  for (const RankCase& c : rank_cases()) {
    if (describe(c).find(filter) == std::string::npos) continue;
    for (const ExchangeAlgorithm wanted : {ExchangeAlgorithm::ipc, ExchangeAlgorithm::staged,
                                           ExchangeAlgorithm::direct, ExchangeAlgorithm::nccl}) {
      // One case is enough to see that a way that is closed is refused.
      const bool is_first = c.name == "slabs to slabs" && c.transform.kind == Kind::c2c &&
                            c.transform.precision == Precision::f32;
      const bool may_be_closed =
          wanted == ExchangeAlgorithm::direct || wanted == ExchangeAlgorithm::nccl;
      if (may_be_closed && !is_first) continue;
      ++tests.count;
      Outcome outcome;
      std::string failure;
      try {
        outcome = outcome_of(c, wanted, comm);
      } catch (const Error& error) {
        outcome.recipe = error.what();
        if (!may_be_closed || error.code() != ErrorCode::unsupported) failure = error.what();
      }
      const double error = worst(failure.empty() ? outcome.error : 1, comm);
      const bool good = error <= allowed_error(c.transform.precision);
      if (!good) ++tests.failures;
      if (comm.rank() == 0 && (!good || is_verbose)) {
        fmt::print("{} {} ranks {}: {}, {} sides copied: error {:.2e} {}\n", good ? "ok" : "FAILED",
                   comm.size(), describe(c), outcome.recipe, outcome.copied_sides, error, failure);
        std::fflush(stdout);  // seen even where the next one does not end
      }
    }
  }
  test_promises(comm, is_verbose, filter, tests);
  if (filter.empty()) test_refusals(comm, is_verbose, tests);
  return tests;
}

RankTests test_ranks_as_threads(int ranks, bool is_verbose, const std::string& filter) {
  RankTests tests;
  run_as_threads(ranks, [&](const Comm& comm) {
    const RankTests mine = test_ranks(comm, is_verbose, filter);
    if (comm.rank() == 0) tests = mine;
  });
  return tests;
}

}  // namespace weft::tool
