// SPDX-License-Identifier: BSD-3-Clause
// weft test-gpu: the GPU against the CPU, on a machine that has one. Uneven sizes, primes, batches,
// strides, real data, both directions, in place; then NaN in one member of a batch, CUDA graphs,
// and requests that must be refused.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "commands.hpp"
#include "gpu/choose/candidates.hpp"
#include "gpu/device/compiler.hpp"
#include "gpu/device/copy_kernel.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/engine.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/device/r2r_kernel.hpp"
#include "gpu/ranks/chirp_kernel.hpp"
#include "gpu/ranks/twiddle_kernel.hpp"
#include "gpu/recipe/fits.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "gpu/recipe/transform_recipe.hpp"
#include "gpu/recipe/two_pass.hpp"
#include "gpu_test_data.hpp"
#include "mpi/runtime.hpp"
#include "problem/request.hpp"
#include "progress.hpp"
#include "reference_transform.hpp"
#include "test_gpu_graph.hpp"
#include "test_gpu_operators.hpp"
#include "test_gpu_rank_operators.hpp"
#include "test_gpu_ranks.hpp"
#include "test_gpu_requests.hpp"
#include "text.hpp"
#include "weft/cuda.hpp"

namespace weft::tool {
namespace test_gpu_command {

struct Case {
  Transform transform;
  bool in_place = false;
  Layout input = {}, output = {};
  std::optional<gpu::TwoPassOptions> two_pass = {};  ///< this recipe, whatever the planner prefers
  std::string recipe = {};                           ///< or this one; empty: the planner's
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

problem::ArrayProblem problem_of(const Case& c) {
  return problem::check_request(c.transform, c.input, c.output).problem;
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
    for (const Index n : {1, 2, 9, 22, 64, 100, 113, 250, 1024, 4095, 4096, 65536, 3 << 19}) {
      add(r2c({5, n}, {.axes = {1}, .precision = p}));
      add(c2r({5, n}, {.axes = {1}, .precision = p}));
    }
    for (const Index n : {1 << 19, 177147, 100003}) {
      add(c2c({2, n}, {.axes = {1}, .direction = Direction::backward, .precision = p}));
      add(r2c({2, n}, {.axes = {1}, .precision = p}));
      add(c2r({2, n}, {.axes = {1}, .normalization = Normalization::backward, .precision = p}));
    }
    using enum R2r;
    for (const R2r kind : {dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4, dht, r2hc, hc2r})
      for (const Index n : {2, 15, 64, 113, 1000})
        add(r2r({3, n, 2}, {kind}, {.axes = {1}, .precision = p}), kind == dct4);
    add(r2r({9, 10, 11}, {dct2, dst1, dct4},
            {.normalization = Normalization::ortho, .precision = p}));
    for (const R2r kind : {dct1, dct2, dct3, dst2, dst3})
      add(r2r({30, 17}, {kind},
              {.normalization = Normalization::ortho, .precision = p, .orthogonalize = true}));
    add(r2r({64, 64, 64}, {dct3}, {.precision = p}), true);
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
  std::string axes;
  for (int a : c.transform.axes) axes += fmt::format("{}{}", axes.empty() ? "" : ",", a);
  return fmt::format("{} {} {} {}{}{}{}{}", to_string(c.transform.kind),
                     to_string(c.transform.precision), shape_text(c.transform.shape),
                     to_string(c.transform.direction), axes.empty() ? "" : " axes " + axes,
                     c.in_place ? " in place" : "", c.input.strides.empty() ? "" : " strided",
                     c.two_pass ? text_of(*c.two_pass) : "");
}

/// The recipe that the case insists on; empty: none.
std::string recipe_of(const Case& c) {
  if (!c.two_pass) return c.recipe;
  const auto recipe = gpu::two_pass_recipe(problem_of(c), *c.two_pass);
  if (!recipe) throw Error(ErrorCode::internal, "no such recipe: " + describe(c));
  return to_text(*recipe);
}

cuda::Plan plan_of(const Case& c) {
  return {c.transform, c.input, c.output, cuda::PlanOptions{.recipe = recipe_of(c)}};
}

/// Elements from the first to the last of an array with these strides.
Index span_of(const std::vector<Index>& shape, const std::vector<Index>& strides) {
  Index last = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * strides[d];
  return last + 1;
}

std::vector<char> run_on_gpu(const Case& c, const std::vector<char>& in, std::size_t out_bytes) {
  const gpu::UseDevice use(gpu::device(0));
  const gpu::DeviceMemory a(std::max(in.size(), out_bytes)), b(out_bytes);
  void* const target = c.in_place ? a.data() : b.data();
  gpu::require(gpu::driver().copy_to_device(a.address(), in.data(), in.size()), "copy");
  gpu::require(gpu::driver().set_bytes(b.address(), 0, b.bytes()), "clear");
  gpu::require(gpu::driver().context_synchronize(), "clear");
  const cuda::Plan plan = plan_of(c);
  auto workspace = plan.make_workspace();
  with_types(c.transform, [&]<class In, class Out>(In*, Out*) {
    plan.execute(static_cast<const In*>(a.data()), static_cast<Out*>(target), workspace, {});
  });
  gpu::require(gpu::driver().context_synchronize(), describe(c));
  std::vector<char> result(out_bytes);
  gpu::require(gpu::driver().copy_to_host(result.data(),
                                          reinterpret_cast<gpu::DevicePointer>(target), out_bytes),
               "copy");
  return result;
}

struct RealCounts {
  std::size_t in, out;
};
RealCounts reals_of(const Plan& plan) {
  const Kind kind = plan.transform().kind;
  return {static_cast<std::size_t>(span_of(plan.input_shape(), plan.input_strides()) *
                                   weft::in_width(kind)),
          static_cast<std::size_t>(span_of(plan.output_shape(), plan.output_strides()) *
                                   weft::out_width(kind))};
}

/// Relative L2 error of the GPU against a reference in long double or, for large arrays and
/// strides, the CPU in f64.
double error_of(const Case& c) {
  Transform wide = c.transform;
  wide.precision = Precision::f64;
  const Plan reference(wide, c.input, c.output);
  const RealCounts reals = reals_of(reference);
  std::vector<double> in = random_reals(reals.in), expected(reals.out, 0.0);
  const Precision p = c.transform.precision;
  const std::vector<char> in_bytes = narrowed(in, p);
  in = widened(in_bytes, p);
  constexpr std::size_t most_reals = 1 << 14;
  if (in.size() <= most_reals && c.input.strides.empty() && c.output.strides.empty())
    expected = reference_transform(c.transform, in);
  else
    transform_on_host(reference, in, expected);
  return error_between(widened(run_on_gpu(c, in_bytes, narrowed(expected, p).size()), p), expected);
}

/// Batches of five along the first axis.
std::vector<Case> batches() {
  std::vector<Case> cases;
  for (const Precision p : {Precision::f16, Precision::f32, Precision::f64}) {
    const auto add = [&](const std::vector<Index>& shape, const std::vector<int>& axes,
                         const std::optional<gpu::TwoPassOptions>& way = {}) {
      if (!way) cases.push_back({c2c(shape, {.axes = axes, .precision = p})});
      cases.push_back({r2c(shape, {.axes = axes, .precision = p}), false, {}, {}, way});
      cases.push_back({c2r(shape, {.axes = axes, .precision = p}), false, {}, {}, way});
    };
    for (const Index n : {9, 64, 113, 1001, 4095, 16384}) add({5, n}, {1});
    add({5, 21, 7}, {1});
    add({5, 9, 21}, {1, 2});
    add({5, 10, 12, 14}, {1, 2, 3});
    add({5, 64, 64, 64}, {1, 2, 3},
        gpu::TwoPassOptions{
            .first_points = 8, .columns = 8, .first = {2}, .second = {4}, .pairs = true});
  }
  return cases;
}

/// No value in one member of a batch may reach another; returns the failures.
int check_isolation() {
  int failures = 0;
  for (const Case& c : batches()) {
    const Precision p = c.transform.precision;
    const RealCounts reals = reals_of(Plan(c.transform));
    const std::vector<double> clean = random_reals(reals.in);
    const std::size_t bytes = narrowed(std::vector<double>(reals.out), p).size();
    const std::vector<char> wanted = run_on_gpu(c, narrowed(clean, p), bytes);
    bool good = true;
    const double huge = p == Precision::f64 ? 1e300 : p == Precision::f32 ? 1e30 : 6e4;
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), huge})
      for (std::size_t planted = 0; planted < 5; ++planted) {
        std::vector<double> in = clean;
        std::fill_n(in.begin() + static_cast<std::ptrdiff_t>(planted * in.size() / 5),
                    in.size() / 5, value);
        const std::vector<char> got = run_on_gpu(c, narrowed(in, p), bytes);
        for (std::size_t i = 0; i < bytes; ++i)
          good = good && (i / (bytes / 5) == planted || got[i] == wanted[i]);
      }
    if (!good)
      fmt::print("FAILED {}: NaN, infinity or {} in one transform changes another\n", describe(c),
                 huge);
    failures += good ? 0 : 1;
  }
  return failures;
}

/// A plan is built again from the text it prints, and computes the same bits; a measured one is
/// found again in wisdom. Returns the failures.
int check_recipes() {
  int failures = 0;
  const auto expect = [&](bool is_true, const std::string& what) {
    if (!is_true) fmt::print("FAILED {}\n", what);
    failures += is_true ? 0 : 1;
  };
  for (const Case& c : all_cases()) {
    Case again = c;
    again.two_pass.reset();
    again.recipe = plan_of(c).recipe();
    expect(plan_of(again).recipe() == again.recipe, "the recipe's text: " + describe(c));
    const RealCounts reals = reals_of(Plan(c.transform, c.input, c.output));
    const std::vector<char> in = narrowed(random_reals(reals.in), c.transform.precision);
    const std::size_t bytes =
        narrowed(std::vector<double>(reals.out), c.transform.precision).size();
    expect(run_on_gpu(c, in, bytes) == run_on_gpu(again, in, bytes),
           "the bits of a plan from text: " + describe(c));
  }
  const Transform cube = c2c({96, 96, 96}, {.precision = Precision::f32});
  const std::string measured =
      cuda::Plan(cube, cuda::PlanOptions{.effort = Effort::measure, .time_limit_s = 2}).recipe();
  expect(cuda::Plan(cube).recipe() == measured, "a measured recipe is found in wisdom");
  return failures;
}

/// What these cases run on a device with these numbers.
std::vector<gpu::Recipe> recipes_of(const std::vector<Case>& cases,
                                    const gpu::DeviceNumbers& numbers) {
  std::vector<gpu::Recipe> recipes;
  for (const Case& c : cases)
    for (const problem::ArrayProblem& part : gpu::parts_of(problem_of(c))) {
      recipes.push_back(c.two_pass ? gpu::parse_recipe(recipe_of(c))
                                   : gpu::candidates(part, numbers).at(0));
      check_fit(recipes.back(), part, {});
    }
  return recipes;
}

/// Compiles what the tests would run, on a machine without a GPU.
void compile(int capability) {
  const std::vector<gpu::Recipe> recipes = recipes_of(all_cases(), {});
  gpu::compile_all(recipes, capability);
  const std::vector<gpu::PassKernel> operators = operator_kernels();
  gpu::compile_all(operators, capability);
  using enum Precision;
  std::vector<std::string> steps{gpu::emit_copy(2), gpu::emit_copy(4), gpu::emit_copy(8),
                                 gpu::emit_copy(16)};
  for (const Precision p : {f16, f32, f64})
    for (const auto& [from, to] : {std::pair{false, false}, {false, true}, {true, false}})
      steps.push_back(gpu::emit_r2r_step(p, from, to));
  for (const Precision p : {f32, f64})
    for (const auto& emit : {gpu::emit_twiddle, gpu::emit_chirp, gpu::emit_product})
      steps.push_back(emit(p));
  for (const std::string& body : steps)
    gpu::compile_cuda(gpu::emit_element_kernel(body), capability);
  fmt::print("compiled the kernels of {} transforms, {} of operators and {} steps for sm_{}\n",
             recipes.size(), operators.size(), steps.size(), capability);
}

/// Plans find these kernels in the cache: compiling them one by one takes minutes.
void compile_for_this_gpu(std::vector<Case> cases, bool with_batches) {
  if (with_batches) std::ranges::copy(batches(), std::back_inserter(cases));
  const gpu::GpuDevice& device = gpu::device(0);
  gpu::compile_all(recipes_of(cases, gpu::numbers_of(device)), 10 * device.major + device.minor);
}

/// The texts after "ranks " and "operators ", if the filter begins so.
struct Wanted {
  std::optional<std::string> ranks, operators;

  explicit Wanted(const std::string& filter) {
    const auto rest = [&](std::string_view prefix) {
      return filter.starts_with(prefix)
                 ? std::optional(filter.substr(std::min(filter.size(), prefix.size() + 1)))
                 : std::nullopt;
    };
    ranks = rest("ranks");
    operators = rest("operators");
    if (filter.empty()) ranks = operators = "";
  }
};

/// Under mpiexec: the ranks together.
void run_ranks(bool is_verbose, const Wanted& wanted) {
  RankTests tests, operators;
  if (wanted.ranks || !wanted.operators)
    tests = test_ranks(*tool_comm(), is_verbose, wanted.ranks.value_or(""));
  if (wanted.operators)
    operators = test_rank_operators(*tool_comm(), is_verbose, *wanted.operators);
  const int failures = tests.failures + operators.failures;
  if (rank_of_this_process() == 0)
    fmt::print("{} distributed transforms and {} operators on {} ranks, {} failures\n", tests.count,
               operators.count, tool_comm()->size(), failures);
  if (failures > 0) throw Failed{fmt::format("{} GPU tests failed", failures)};
}

void run(bool is_verbose, const std::string& filter) {
  if (!cuda::is_available())
    throw Error(ErrorCode::unsupported,
                "test-gpu needs an NVIDIA GPU with its driver and NVRTC; this machine lacks one");
  const Wanted wanted(filter);
  if (tool_comm()->size() > 1) return run_ranks(is_verbose, wanted);
  std::vector<Case> cases = all_cases();
  if (!filter.empty())
    std::erase_if(cases,
                  [&](const Case& c) { return describe(c).find(filter) == std::string::npos; });
  Progress progress(ShowProgress::on_terminal, static_cast<double>(cases.size()));
  progress.phase("compiling kernels on all cores");
  progress.advance(0);
  compile_for_this_gpu(cases, filter.empty() || filter == "isolation");
  int failures = 0;
  for (const Case& c : cases) {
    progress.phase(describe(c));
    try {
      const double error = error_of(c);
      const bool good = error <= allowed_error(c.transform.precision);
      if (!good) ++failures;
      if (!good || is_verbose) {
        progress.clear();
        fmt::print("{} {}: error {:.2e}\n", good ? "ok" : "FAILED", describe(c), error);
      }
    } catch (const Error& error) {
      ++failures;
      progress.clear();
      fmt::print("FAILED {}: {}\n", describe(c), error.what());
    }
    progress.advance(1);
  }
  progress.clear();
  int count = static_cast<int>(cases.size());
  if (filter.empty() || filter == "isolation") failures += check_isolation();
  if (filter.empty() || filter == "recipes") failures += check_recipes();
  if (wanted.operators) {
    const OperatorTests tests = test_operators(is_verbose, *wanted.operators);
    count += tests.count;
    failures += tests.failures;
  }
  if (filter.empty()) failures += test_refusals() + test_memory() + test_graphs();
  const auto add = [&](const RankTests& tests) {
    count += tests.count;
    failures += tests.failures;
  };
  for (int ranks = 1; ranks <= 4; ++ranks) {
    if (wanted.ranks) add(test_ranks_as_threads(ranks, is_verbose, *wanted.ranks));
    if (wanted.operators) add(test_rank_operators_as_threads(ranks, is_verbose, *wanted.operators));
  }
  fmt::print("{} transforms on {}, {} failures\n", count, cuda::device_name(), failures);
  if (failures > 0) throw Failed{fmt::format("{} GPU tests failed", failures)};
}

}  // namespace test_gpu_command

void add_test_gpu_command(CLI::App& app) {
  using namespace test_gpu_command;
  auto verbose = std::make_shared<bool>(false);
  auto filter = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("test-gpu", "Check GPU transforms against the CPU's");
  command.add_flag("--verbose", *verbose, "Print every transform and its error");
  command.add_option(
      "--filter", *filter,
      "Only transforms whose description contains this; 'ranks': only distributed ones, 'ranks "
      "TEXT': those whose description contains TEXT; operators, 'operators TEXT': the same of "
      "operators; isolation: only batches with NaN, infinity or "
      "a huge number in one transform; recipes: only plans rebuilt from printed recipes");
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
