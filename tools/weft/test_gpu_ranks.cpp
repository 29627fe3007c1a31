// SPDX-License-Identifier: BSD-3-Clause
#include "test_gpu_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <mutex>

#include "comm/agree.hpp"
#include "gpu/driver.hpp"
#include "gpu/transport.hpp"
#include "gpu_test_data.hpp"
#include "text.hpp"
#include "weft/cuda.hpp"

namespace weft::tool {
namespace {

using cuda::Transport;

/// Boxes of one rank.
using Cut = std::function<LocalBoxes(const std::vector<Index>& shape, int ranks, int rank)>;

struct RankCase {
  Transform transform;
  std::string name;
  Cut input, output;
  bool in_place = false;
};

std::vector<RankCase> rank_cases() {
  const auto slab = [](int axis) -> Cut {
    return
        [axis](const auto& shape, int ranks, int rank) { return slabs(shape, axis, ranks, rank); };
  };
  const auto pencil = [](int axis) -> Cut {
    return [axis](const auto& shape, int ranks, int rank) {
      return pencils(shape, axis, ranks, rank);
    };
  };
  const Cut brick = [](const auto& shape, int ranks, int rank) {
    return bricks(shape, balanced_grid(shape, ranks), rank);
  };
  const Cut cyclic = [](const auto& shape, int ranks, int rank) {
    return block_cyclic(shape, {ranks, 1, 1}, std::vector<Index>{2, 5, 100}, rank);
  };
  std::vector<RankCase> cases;
  for (const Precision p : {Precision::f16, Precision::f32, Precision::f64}) {
    const Transform even = c2c({24, 24, 32}, {.precision = p});
    const Transform uneven = c2c({9, 10, 14}, {.direction = Direction::backward, .precision = p});
    cases.push_back({even, "slabs to slabs", slab(0), slab(1)});
    cases.push_back({even, "slabs in place", slab(0), slab(0), true});
    cases.push_back({even, "pencils to pencils", pencil(2), pencil(0)});
    cases.push_back({uneven, "bricks to bricks", brick, brick});
    cases.push_back({uneven, "dealt blocks to pencils", cyclic, pencil(1)});
    cases.push_back({r2c({16, 12, 20}, {.precision = p}), "slabs to slabs", slab(0), slab(1)});
    cases.push_back({r2c({7, 6, 15}, {.precision = p}), "bricks to pencils", brick, pencil(0)});
    cases.push_back({c2r({16, 12, 20}, {.normalization = Normalization::backward, .precision = p}),
                     "slabs to slabs", slab(1), slab(0)});
    cases.push_back(
        {c2c({4, 30, 6}, {.axes = {1}, .precision = p}), "one axis, bricks", brick, brick});
  }
  return cases;
}

std::string describe(const RankCase& c) {
  static constexpr const char* kinds[] = {"c2c", "r2c", "c2r", "r2r"};
  return fmt::format("{} {} {} {}", kinds[static_cast<int>(c.transform.kind)],
                     name_of(c.transform.precision), shape_text(c.transform.shape), c.name);
}

/// The reals of a rank's boxes, one box behind the other, picked from the whole array.
std::vector<double> picked(const LocalBoxes& boxes, const std::vector<double>& whole,
                           const std::vector<Index>& shape, int width) {
  std::vector<double> values;
  for (const LocalBox& local : boxes) {
    const std::vector<Index> extents = local.box.extents();
    for (Index i = 0; i < local.box.count(); ++i) {
      Index rest = i, position = 0, stride = 1;
      for (std::size_t d = shape.size(); d-- > 0;) {
        position += (local.box.begin[d] + rest % extents[d]) * stride;
        rest /= extents[d];
        stride *= shape[d];
      }
      for (int part = 0; part < width; ++part)
        values.push_back(whole[static_cast<std::size_t>(position * width + part)]);
    }
  }
  return values;
}

struct Outcome {
  double error = 0;
  Transport transport = Transport::automatic;
  int copied_sides = 0;
};

/// Collective.
Outcome outcome_of(const RankCase& c, Transport wanted, const Comm& comm) {
  Transform wide = c.transform;
  wide.precision = Precision::f64;
  const Plan reference(wide);
  const int in_width = wide.kind == Kind::r2c ? 1 : 2, out_width = wide.kind == Kind::c2r ? 1 : 2;
  const auto count = [](const std::vector<Index>& shape) {
    Index n = 1;
    for (Index e : shape) n *= e;
    return static_cast<std::size_t>(n);
  };
  const Precision p = c.transform.precision;
  std::vector<double> in =
      random_reals(count(reference.input_shape()) * static_cast<std::size_t>(in_width));
  in = widened(narrowed(in, p), p);
  std::vector<double> out(count(reference.output_shape()) * static_cast<std::size_t>(out_width));
  transform_on_host(reference, in, out);
  const LocalBoxes from = c.input(reference.input_shape(), comm.size(), comm.rank());
  const LocalBoxes to = c.output(reference.output_shape(), comm.size(), comm.rank());
  const std::vector<char> bytes = narrowed(picked(from, in, reference.input_shape(), in_width), p);
  const std::vector<double> expected = picked(to, out, reference.output_shape(), out_width);

  const int device = comm.rank() % gpu::device_count();
  cuda::DistributedPlan plan(c.transform, from, to, comm,
                             {.device = device, .transport = wanted, .in_place = c.in_place});
  const gpu::UseDevice use(gpu::device(device));
  std::vector<char> result(narrowed(expected, p).size());
  const gpu::DeviceMemory a(std::max(bytes.size(), result.size())), b(result.size());
  void* const target = c.in_place ? a.data() : b.data();
  gpu::Stream stream = nullptr;
  gpu::require(gpu::driver().stream_create(&stream, 1), "cuStreamCreate");
  Outcome outcome{0, plan.transport(), plan.copied_sides()};
  for (int round = 0; round < 2; ++round) {  // buffers are used again
    if (!bytes.empty())
      gpu::require(gpu::driver().copy_to_device(a.address(), bytes.data(), bytes.size()), "copy");
    gpu::require(gpu::driver().context_synchronize(), "copy");
    with_types(c.transform, [&]<class In, class Out>(In*, Out*) {
      plan.execute(static_cast<const In*>(a.data()), static_cast<Out*>(target), stream);
    });
    gpu::require(gpu::driver().stream_synchronize(stream), describe(c));
    if (!result.empty())
      gpu::require(gpu::driver().copy_to_host(
                       result.data(), reinterpret_cast<gpu::DevicePointer>(target), result.size()),
                   "copy");
    outcome.error = std::max(outcome.error, error_between(widened(result, p), expected));
  }
  gpu::driver().stream_destroy(stream);
  return outcome;
}

/// Collective: the worst of all ranks.
double worst(double mine, const Comm& comm) {
  std::vector<double> all(static_cast<std::size_t>(comm.size()));
  comm.all_gather(&mine, sizeof mine, all.data());
  double most = 0;
  for (const double error : all) most = error > most || error != error ? error : most;
  return most;
}

/// What must be refused, on all ranks together.
void test_refusals(const Comm& comm, bool is_verbose, RankTests& tests) {
  const std::vector<Index> shape{8, 8, 8};
  const int device = comm.rank() % gpu::device_count();
  const LocalBoxes boxes = slabs(shape, 0, comm.size(), comm.rank());
  const int last = comm.size() - 1;
  std::vector<std::complex<float>> host(512);
  const std::pair<const char*, std::function<void()>> requests[] = {
      {"host memory on the last rank",
       [&] {
         cuda::DistributedPlan plan(c2c(shape, {.precision = Precision::f32}), boxes, boxes, comm,
                                    {.device = device});
         const gpu::UseDevice use(gpu::device(device));
         const gpu::DeviceMemory a(4096), b(4096);
         plan.execute(
             comm.rank() == last ? host.data() : static_cast<std::complex<float>*>(a.data()),
             static_cast<std::complex<float>*>(b.data()), nullptr);
       }},
      {"a GPU that is not there, on the last rank",
       [&] {
         cuda::DistributedPlan plan(c2c(shape), boxes, boxes, comm,
                                    {.device = comm.rank() == last ? 99 : device});
       }},
      {"boxes that leave gaps",
       [&] {
         cuda::DistributedPlan plan(c2c(shape), comm.rank() == 0 ? LocalBoxes{} : boxes, boxes,
                                    comm, {.device = device});
       }},
      {"r2r", [&] {
         cuda::DistributedPlan plan(r2r(shape, {R2r::dct2}), boxes, boxes, comm,
                                    {.device = device});
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

}  // namespace

RankTests test_ranks(const Comm& comm, bool is_verbose) {
  RankTests tests;
  for (const RankCase& c : rank_cases())
    for (const Transport wanted :
         {Transport::ipc, Transport::staged, Transport::direct, Transport::nccl}) {
      // One case is enough to see what becomes of a way that is closed.
      const bool is_first = c.name == "slabs to slabs" && c.transform.kind == Kind::c2c &&
                            c.transform.precision == Precision::f32;
      if ((wanted == Transport::direct || wanted == Transport::nccl) && !is_first) continue;
      ++tests.count;
      Outcome outcome;
      std::string failure;
      try {
        outcome = outcome_of(c, wanted, comm);
      } catch (const Error& error) {
        failure = error.what();
      }
      const double error = worst(failure.empty() ? outcome.error : 1, comm);
      const bool good = error <= allowed_error(c.transform.precision);
      if (!good) ++tests.failures;
      if (comm.rank() == 0 && (!good || is_verbose)) {
        fmt::print("{} {} ranks {}, wanted {}, took {}, {} sides copied: error {:.2e} {}\n",
                   good ? "ok" : "FAILED", comm.size(), describe(c), gpu::to_string(wanted),
                   gpu::to_string(outcome.transport), outcome.copied_sides, error, failure);
        std::fflush(stdout);  // seen even where the next one does not end
      }
    }
  test_refusals(comm, is_verbose, tests);
  return tests;
}

RankTests test_ranks_as_threads(int ranks, bool is_verbose) {
  RankTests tests;
  run_as_threads(ranks, [&](const Comm& comm) {
    const RankTests mine = test_ranks(comm, is_verbose);
    if (comm.rank() == 0) tests = mine;
  });
  return tests;
}

}  // namespace weft::tool
