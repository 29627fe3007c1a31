// SPDX-License-Identifier: BSD-3-Clause
// weft test-gpu: the GPU against the CPU, on a machine that has one. Uneven sizes, primes, batches,
// strides, real data, both directions, in place; then CUDA graphs, and requests that must be
// refused.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>

#include "commands.hpp"
#include "gpu/driver.hpp"
#include "gpu/engine.hpp"
#include "gpu/problem.hpp"
#include "gpu/tuner.hpp"
#include "gpu/two_pass.hpp"
#include "gpu_test_data.hpp"
#include "mpi/runtime.hpp"
#include "test_gpu_graph.hpp"
#include "test_gpu_ranks.hpp"
#include "text.hpp"
#include "weft/cuda.hpp"

namespace weft::tool {
namespace {

struct Case {
  Transform transform;
  bool in_place = false;
  Layout input = {}, output = {};
  std::optional<gpu::TwoPassOptions> two_pass = {};  ///< this recipe, whatever the planner prefers
};

/// Tiles held in every way, on arrays too small for the planner to choose them.
void add_two_pass_cases(std::vector<Case>& cases) {
  for (const Precision p : {Precision::f16, Precision::f32, Precision::f64}) {
    std::vector<gpu::TwoPassOptions> ways = {
        {.first_points = 8, .columns = 8, .first = {2}, .second = {4}},
        {.first_points = 8, .columns = 8, .first = {2}, .second = {4}, .by_columns = false},
        {.first_points = 8, .columns = 8, .first = {2}, .second = {4}, .cuts_far = false},
        {.first_points = 8, .columns = 8, .first = {8}, .second = {16, 32, 4, 64}},
        {.first_points = 8, .columns = 9, .first = {1, 64, 2, 64}, .second = {1, 64, 2, 64}}};
    if (p == Precision::f16)
      ways.push_back(
          {.first_points = 8, .columns = 8, .first = {2}, .second = {4}, .half_shared = true});
    for (gpu::TwoPassOptions way : ways) {
      cases.push_back({c2c({64, 64, 64}, {.precision = p}), true, {}, {}, way});
      cases.push_back({c2c({2, 16, 64, 128},
                           {.axes = {1, 2, 3}, .direction = Direction::backward, .precision = p}),
                       false,
                       {},
                       {},
                       way});
      way.pairs = true;
      cases.push_back({r2c({64, 64, 64}, {.precision = p}), false, {}, {}, way});
      cases.push_back({c2r({64, 64, 64}, {.precision = p}), false, {}, {}, way});
    }
  }
}

std::string text_of(const gpu::TwoPassOptions& way) {
  return fmt::format(" two passes, clusters {} {}, {} columns{}{}{}{}", way.first.cluster,
                     way.second.cluster, way.columns, way.half_shared ? ", halves" : "",
                     way.pairs ? ", pairs" : "", way.by_columns ? "" : ", lines between",
                     way.cuts_far ? "" : ", middle axis cut");
}

gpu::Problem problem_of(const Case& c) {
  return gpu::problem_of(api::check_request(c.transform, c.input, c.output).problem);
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Transform& t, bool in_place = false) {
    cases.push_back({t, in_place});
  };
  for (const Precision p : {Precision::f16, Precision::f32, Precision::f64}) {
    for (const Index n :
         {1, 2, 7, 16, 30, 64, 97, 100, 243, 512, 1000, 1009, 4096, 6561, 16384, 65536})
      add(c2c({3, n}, {.axes = {1}, .precision = p}));
    for (const Index n : {17, 60, 512, 1331, 2048})
      add(c2c({n, 19}, {.axes = {0}, .direction = Direction::backward, .precision = p}), true);
    add(c2c({9, 10, 11}, {.normalization = Normalization::ortho, .precision = p}), true);
    add(c2c({32, 64, 48}, {.precision = p}));
    add(c2c({2, 64, 32, 64}, {.axes = {1, 2, 3}, .precision = p}), true);
    add(c2c({128, 128, 128}, {.direction = Direction::backward, .precision = p}));
    add(c2c({7, 22, 34, 5}, {.axes = {1, 2}, .precision = p}));
    add(c2c({1 << 18}, {.precision = p}));
    add(c2c({3 * (1 << 16)}, {.precision = p}), true);
    for (const Index n : {1, 2, 9, 64, 100, 113, 1024, 4095}) {
      add(r2c({5, n}, {.axes = {1}, .precision = p}));
      add(c2r({5, n}, {.axes = {1}, .precision = p}));
    }
    for (const Index n : {1 << 19, 177147, 100003}) {
      add(c2c({2, n}, {.axes = {1}, .direction = Direction::backward, .precision = p}));
      add(r2c({2, n}, {.axes = {1}, .precision = p}));
      add(c2r({2, n}, {.axes = {1}, .normalization = Normalization::backward, .precision = p}));
    }
    for (const auto& shape : {std::vector<Index>{10, 12, 14}, {64, 64, 64}, {31, 6, 37}}) {
      add(r2c(shape, {.precision = p}));
      add(c2r(shape, {.normalization = Normalization::backward, .precision = p}));
    }
  }
  Case strided{c2c({6, 20, 10}, {.axes = {1}, .precision = Precision::f32})};
  strided.input.strides = {1, 66, 6};
  strided.output.strides = {700, 10, 1};
  cases.push_back(strided);
  add_two_pass_cases(cases);
  return cases;
}

std::string describe(const Case& c) {
  static constexpr const char* kinds[] = {"c2c", "r2c", "c2r", "r2r"};
  std::string axes;
  for (int a : c.transform.axes) axes += fmt::format("{}{}", axes.empty() ? "" : ",", a);
  return fmt::format("{} {} {} {}{}{}{}{}", kinds[static_cast<int>(c.transform.kind)],
                     name_of(c.transform.precision), shape_text(c.transform.shape),
                     name_of(c.transform.direction), axes.empty() ? "" : " axes " + axes,
                     c.in_place ? " in place" : "", c.input.strides.empty() ? "" : " strided",
                     c.two_pass ? text_of(*c.two_pass) : "");
}

/// The recipe that the case insists on.
gpu::Recipe recipe_of(const Case& c) {
  const auto recipe = gpu::two_pass_recipe(problem_of(c), *c.two_pass);
  if (!recipe) throw Error(ErrorCode::internal, "no such recipe: " + describe(c));
  return *recipe;
}

/// Elements from the first to the last of an array with these strides.
Index span_of(const std::vector<Index>& shape, const std::vector<Index>& strides) {
  Index last = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * strides[d];
  return last + 1;
}

/// Relative L2 error of the GPU against the CPU in f64.
double error_of(const Case& c) {
  Transform wide = c.transform;
  wide.precision = Precision::f64;
  const Plan reference(wide, c.input, c.output);
  const bool in_complex = wide.kind != Kind::r2c, out_complex = wide.kind != Kind::c2r;
  const auto in_reals = static_cast<std::size_t>(
      span_of(reference.input_shape(), reference.input_strides()) * (in_complex ? 2 : 1));
  const auto out_reals = static_cast<std::size_t>(
      span_of(reference.output_shape(), reference.output_strides()) * (out_complex ? 2 : 1));
  std::vector<double> in = random_reals(in_reals), expected(out_reals, 0.0);
  const Precision p = c.transform.precision;
  const std::vector<char> in_bytes = narrowed(in, p);
  in = widened(in_bytes, p);
  transform_on_host(reference, in, expected);

  const gpu::UseDevice use(gpu::device(0));
  const std::size_t out_bytes = narrowed(expected, p).size();
  const gpu::DeviceMemory a(std::max(in_bytes.size(), out_bytes)), b(out_bytes);
  void* const target = c.in_place ? a.data() : b.data();
  gpu::require(gpu::driver().copy_to_device(a.address(), in_bytes.data(), in_bytes.size()), "copy");
  gpu::require(gpu::driver().set_bytes(b.address(), 0, b.bytes()), "clear");
  gpu::require(gpu::driver().context_synchronize(), "clear");
  if (c.two_pass) {
    const gpu::Engine engine(recipe_of(c), gpu::device(0));
    const gpu::DeviceMemory workspace(engine.workspace_bytes());
    engine.run(a.data(), target, workspace.data(), 1.0, nullptr);
    gpu::require(gpu::driver().context_synchronize(), describe(c));
  } else {
    const cuda::Plan plan(c.transform, c.input, c.output);
    auto workspace = plan.make_workspace();
    with_types(c.transform, [&]<class In, class Out>(In*, Out*) {
      plan.execute(static_cast<const In*>(a.data()), static_cast<Out*>(target), workspace, nullptr);
    });
    gpu::require(gpu::driver().context_synchronize(), describe(c));
  }
  std::vector<char> result(out_bytes);
  gpu::require(gpu::driver().copy_to_host(result.data(),
                                          reinterpret_cast<gpu::DevicePointer>(target), out_bytes),
               "copy");
  return error_between(widened(result, p), expected);
}

/// What must be refused with a weft::Error; returns the failures.
int check_refusals() {
  const cuda::Plan plan(c2c({64}, {.precision = Precision::f32}));
  auto workspace = plan.make_workspace();
  std::vector<std::complex<float>> host(64);
  const gpu::UseDevice use(gpu::device(0));
  const gpu::DeviceMemory memory(1024);
  auto* device = static_cast<std::complex<float>*>(memory.data());
  const std::pair<const char*, std::function<void()>> requests[] = {
      {"host memory as input", [&] { plan.execute(host.data(), device, workspace, nullptr); }},
      {"host memory as output", [&] { plan.execute(device, host.data(), workspace, nullptr); }},
      {"another precision",
       [&] {
         auto* f64 = reinterpret_cast<std::complex<double>*>(device);
         plan.execute(f64, f64, workspace, nullptr);
       }},
      {"overlapping arrays", [&] { plan.execute(device, device + 3, workspace, nullptr); }},
      {"a null pointer",
       [&] {
         plan.execute(static_cast<std::complex<float>*>(nullptr), device, workspace, nullptr);
       }},
      {"a device that is not there",
       [] { const cuda::Plan p(c2c({8}), cuda::PlanOptions{.device = 99}); }},
      {"r2r", [] { const cuda::Plan p(r2r({8}, {R2r::dct2})); }},
      {"a line of 2^20 points without a workspace",
       [] { const cuda::Plan p(c2c({1 << 20}), cuda::PlanOptions{.workspace_limit = 0}); }},
      {"too much memory", [] { const cuda::Workspace w(std::size_t(1) << 50); }},
  };
  int failures = 0;
  for (const auto& [name, request] : requests) {
    try {
      request();
      fmt::print("FAILED {}: was not refused\n", name);
      ++failures;
    } catch (const Error& error) {
      fmt::print("refused {}: {}\n", name, error.what());
    }
  }
  return failures;
}

/// A cube without a workspace, and one that is tuned while most of the memory is taken; returns the
/// failures.
int check_memory() {
  const gpu::UseDevice use(gpu::device(0));
  const Transform cube = c2c({64, 64, 64}, {.precision = Precision::f32});
  int failures = 0;
  const auto expect = [&](bool is_true, const char* what) {
    if (!is_true) fmt::print("FAILED {}\n", what);
    failures += is_true ? 0 : 1;
  };
  const cuda::Plan plain(cube, cuda::PlanOptions{.use_wisdom = false});
  expect(plain.workspace_bytes() > 0, "a cube has a recipe with a workspace");
  for (const Effort effort : {Effort::estimate, Effort::measure}) {
    const cuda::Plan plan(
        cube, cuda::PlanOptions{.effort = effort, .use_wisdom = false, .workspace_limit = 0});
    expect(plan.workspace_bytes() == 0, "a cube without a workspace");
  }
  constexpr std::size_t array = std::size_t(1) << 30;  // of 512^3 points
  for (const double arrays : {1.0, 1.5, 2.5}) {
    std::size_t free = 0, total = 0;
    gpu::require(gpu::driver().memory_info(&free, &total), "cuMemGetInfo");
    const auto left = static_cast<std::size_t>(arrays * array);
    const gpu::DeviceMemory taken(free > left ? free - left : 0);
    const cuda::Plan plan(
        c2c({512, 512, 512}, {.precision = Precision::f32}),
        cuda::PlanOptions{.effort = Effort::measure, .time_limit_s = 1, .use_wisdom = false});
    expect(arrays != 1.5 || plan.workspace_bytes() == 0, "a recipe that memory has room for");
  }
  return failures;
}

/// Compiles what the tests would run, on a machine without a GPU.
void compile(int capability) {
  std::vector<gpu::Recipe> recipes;
  for (const Case& c : all_cases()) {
    const auto found = gpu::candidates(problem_of(c), {});
    recipes.push_back(c.two_pass ? recipe_of(c) : found.at(0));
  }
  gpu::compile_all(recipes, capability);
  fmt::print("compiled the kernels of {} transforms for sm_{}\n", recipes.size(), capability);
}

/// Under mpiexec: the ranks together.
void run_ranks(bool is_verbose) {
  const RankTests tests = test_ranks(*tool_comm(), is_verbose);
  if (rank_of_this_process() == 0)
    fmt::print("{} distributed transforms on {} ranks, {} failures\n", tests.count,
               tool_comm()->size(), tests.failures);
  if (tests.failures > 0) throw Failed{fmt::format("{} GPU tests failed", tests.failures)};
}

void run(bool is_verbose, const std::string& filter) {
  if (!cuda::is_available())
    throw Error(ErrorCode::unsupported,
                "test-gpu needs an NVIDIA GPU with its driver and NVRTC; this machine lacks one");
  if (tool_comm()->size() > 1) return run_ranks(is_verbose);
  int failures = 0, count = 0;
  for (const Case& c : all_cases()) {
    if (!filter.empty() && describe(c).find(filter) == std::string::npos) continue;
    ++count;
    try {
      const double error = error_of(c);
      const bool good = error <= allowed_error(c.transform.precision);
      if (!good) ++failures;
      if (!good || is_verbose)
        fmt::print("{} {}: error {:.2e}\n", good ? "ok" : "FAILED", describe(c), error);
    } catch (const Error& error) {
      ++failures;
      fmt::print("FAILED {}: {}\n", describe(c), error.what());
    }
  }
  if (filter.empty()) failures += check_refusals() + check_memory() + test_graphs();
  for (int ranks = 1; ranks <= 4 && (filter.empty() || filter == "ranks"); ++ranks) {
    const RankTests tests = test_ranks_as_threads(ranks, is_verbose);
    count += tests.count;
    failures += tests.failures;
  }
  fmt::print("{} transforms on {}, {} failures\n", count, cuda::device_name(), failures);
  if (failures > 0) throw Failed{fmt::format("{} GPU tests failed", failures)};
}

}  // namespace

void add_test_gpu_command(CLI::App& app) {
  auto verbose = std::make_shared<bool>(false);
  auto filter = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("test-gpu", "Check GPU transforms against the CPU's");
  command.add_flag("--verbose", *verbose, "Every transform with its error");
  command.add_option(
      "--filter", *filter,
      "Only transforms whose description contains this; ranks: only distributed ones");
  auto capability = std::make_shared<int>(0);
  command.add_option("--compile", *capability,
                     "Only compile the kernels, for compute capability 90, ...; needs no GPU");
  command.callback([verbose, filter, capability] {
    if (*capability > 0)
      compile(*capability);
    else
      run(*verbose, *filter);
  });
}

}  // namespace weft::tool
