// SPDX-License-Identifier: BSD-3-Clause
#include "test_gpu_operators.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "base/names.hpp"
#include "gpu/choose/candidates.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/device/operator_engine.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "gpu/recipe/two_pass.hpp"
#include "gpu_test_data.hpp"
#include "spectral/gpu_steps.hpp"
#include "test_gpu_graph.hpp"
#include "text.hpp"
#include "weft/spectral_cuda.hpp"
#include "weft/spectral_expression.hpp"
#include "weft/spectral_functions.hpp"

namespace weft::tool {
namespace {

struct OperatorCase {
  Transform forward;
  const char* name;  ///< of the function
  ModeFunction function;
  std::optional<gpu::TwoPassOptions> two_pass = {};  ///< this recipe, whatever the planner prefers
};

/// Depends on every wave number, differently in each direction.
constexpr const char* uneven_text =
    "(1 + 0.5*cos(kx) + 0.25*exp(-ky^2/900)*where(ky < 3, 1, 0.5) + kz^2/(20 + k2) + 0.02*i*kx)*u0";

Transform transform_of(Kind kind, Precision precision, const std::vector<Index>& shape,
                       const std::vector<int>& axes = {}) {
  const TransformOptions options{.axes = axes, .precision = precision};
  return kind == Kind::c2c ? c2c(shape, options) : r2c(shape, options);
}

/// Tiles held in every way, on arrays too small for the planner to choose them.
std::vector<gpu::TwoPassOptions> ways_to_hold(bool pairs) {
  std::vector<gpu::TwoPassOptions> ways = {
      {.first_points = 8, .columns = 8, .first = {1, 16, 1}, .second = {1, 16, 1}},
      {.first_points = 8, .columns = 8, .first = {2}, .second = {4}},
      {.first_points = 8, .columns = 8, .first = {2}, .second = {4}, .by_columns = false},
      {.first_points = 8, .columns = 8, .first = {2}, .second = {2, 32, 2, 128}},
      {.first_points = 8, .columns = 8, .first = {8}, .second = {16, 32, 4, 64}}};
  for (gpu::TwoPassOptions& way : ways) way.pairs = pairs;
  return ways;
}

/// With few points to a thread, so that it has registers for the points of several fields.
std::vector<gpu::TwoPassOptions> ways_to_hold_several(bool pairs) {
  std::vector<gpu::TwoPassOptions> ways = {
      {.first_points = 8, .columns = 8, .second = {1, 8, 1}},
      {.first_points = 8, .columns = 8, .first = {2}, .second = {4, 8}},
      {.first_points = 8, .columns = 8, .first = {2}, .second = {4, 8}, .by_columns = false},
      {.first_points = 8, .columns = 16, .first = {8}, .second = {8, 16, 4, 128}}};
  for (gpu::TwoPassOptions& way : ways) way.pairs = pairs;
  return ways;
}

std::vector<OperatorCase> operator_cases() {
  using namespace spectral;
  std::vector<OperatorCase> cases;
  const ModeFunction uneven = expression(uneven_text);
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision p : {Precision::f32, Precision::f64}) {
      const auto add = [&](const std::vector<Index>& shape, const std::vector<int>& axes,
                           const char* name, const ModeFunction& function) {
        cases.push_back({transform_of(kind, p, shape, axes), name, function});
      };
      for (const auto& shape : std::vector<std::vector<Index>>{
               {64, 64, 64}, {128, 128, 128}, {96, 60, 50}, {37, 20, 97}, {9, 10, 11}})
        add(shape, {}, "uneven", uneven);
      add({3, 512, 384}, {1, 2}, "gaussian", gaussian_filter(0.05));
      add({5, 4096}, {1}, "shift", shift({0.3}));
      add({1 << 16}, {}, "derivative", derivative(0));
      add({1 << 18}, {}, "derivative", derivative(0));
      add({30, 40, 50}, {}, "curl", curl());
      add({30, 40, 50}, {}, "gradient", gradient(3));
      add({3, 96, 60, 50}, {1, 2, 3}, "divergence", divergence(3));
      add({1 << 18, 2}, {0, 1}, "gradient", gradient(2));
      const auto add_padded = [&](const std::vector<Index>& shape,
                                  const std::vector<Index>& extents, const std::vector<int>& axes) {
        Transform forward = transform_of(kind, p, shape, axes);
        forward.input_extents = forward.output_extents = extents;
        cases.push_back({forward, "padded gaussian", gaussian_filter(0.05)});
        cases.push_back({forward, "padded gradient",
                         gradient(static_cast<int>(axes.empty() ? shape.size() : axes.size()))});
      };
      add_padded({96, 60, 50}, {48, 31, 50}, {});
      add_padded({3, 512, 384}, {3, 256, 200}, {1, 2});
      add_padded({5, 4096}, {5, 2047}, {1});
      for (const gpu::TwoPassOptions& way : ways_to_hold_several(kind == Kind::r2c))
        for (const auto& [vector_name, vector_function] : {std::pair{"projection", projection(3)},
                                                           {"gradient", gradient(3)},
                                                           {"divergence", divergence(3)}})
          cases.push_back({transform_of(kind, p, {64, 64, 64}), vector_name, vector_function, way});
      add({64, 64, 64}, {}, "projection", projection(3));
      add({64, 64, 64}, {}, "inverse laplacian", inverse_laplacian());
      for (const gpu::TwoPassOptions& way : ways_to_hold(kind == Kind::r2c)) {
        cases.push_back({transform_of(kind, p, {64, 64, 64}), "uneven", uneven, way});
        cases.push_back(
            {transform_of(kind, p, {2, 16, 64, 128}, {1, 2, 3}), "uneven", uneven, way});
      }
    }
  return cases;
}

std::string describe(const OperatorCase& c) {
  return fmt::format("operator {} {} {} {}{}", to_string(c.forward.kind),
                     to_string(c.forward.precision), shape_text(c.forward.shape), c.name,
                     c.two_pass ? fmt::format(" clusters {} {}{}", c.two_pass->first.cluster,
                                              c.two_pass->second.cluster,
                                              c.two_pass->by_columns ? "" : ", lines between")
                                : "");
}

spectral::OperatorProblem problem_of(const OperatorCase& c) {
  return spectral::check_operator(c.forward, c.function, {});
}

/// The forward recipe that the case insists on.
std::optional<gpu::Recipe> recipe_of(const OperatorCase& c) {
  if (!c.two_pass) return std::nullopt;
  auto recipe = gpu::two_pass_recipe(spectral::forward_problem(problem_of(c)), *c.two_pass);
  if (!recipe) throw Error(ErrorCode::internal, "no such recipe: " + describe(c));
  return recipe;
}

/// All fields one after another, in one array.
template <class T>
std::vector<const T*> fields_in(const T* first, int count, Index points) {
  std::vector<const T*> fields;
  for (int f = 0; f < count; ++f) fields.push_back(first + f * points);
  return fields;
}
template <class T>
std::vector<T*> fields_out(T* first, int count, Index points) {
  std::vector<T*> fields;
  for (int f = 0; f < count; ++f) fields.push_back(first + f * points);
  return fields;
}

struct OperatorOutcome {
  double error = 0, error_in_place = 0;
  bool agrees_as_graph = true, is_isolated = true;
  bool is_good(double allowed) const {
    return error <= allowed && error_in_place <= allowed && agrees_as_graph && is_isolated;
  }
};

template <class T>
class OperatorTest {
 public:
  explicit OperatorTest(const OperatorCase& c)
      : c_(c),
        op_(c.forward, c.function, {.recipe = recipe_text()}),
        workspace_(op_.make_workspace()) {
    const auto& extents = c.forward.input_extents;
    for (const Index n : extents.empty() ? c.forward.shape : extents) points_ *= n;
    fields_ = std::max(c.function.inputs(), c.function.outputs());
    reals_ = static_cast<std::size_t>(fields_ * points_ * (ScalarTraits<T>::is_complex ? 2 : 1));
    in_ = narrowed(random_reals(reals_), c.forward.precision);
    a_ = gpu::DeviceMemory(in_.size());
    b_ = gpu::DeviceMemory(in_.size());
  }

  OperatorOutcome run() {
    OperatorOutcome outcome;
    const std::vector<double> wanted = on_cpu();
    upload(in_);
    execute(b_, nullptr);
    const std::vector<char> plain = download(b_);
    outcome.error = error_between(outputs(plain), wanted);
    outcome.agrees_as_graph = outputs(as_graph()) == outputs(plain);
    execute(a_, nullptr);
    outcome.error_in_place = error_between(outputs(download(a_)), wanted);
    if (!c_.forward.axes.empty() && c_.forward.axes.size() < c_.forward.shape.size())
      outcome.is_isolated = is_isolated(plain);
    return outcome;
  }

 private:
  std::string recipe_text() const {
    const auto recipe = recipe_of(c_);
    return recipe ? "fused: " + to_text(*recipe) : "";
  }
  void execute(const gpu::DeviceMemory& out, gpu::Stream stream) {
    const auto from = fields_in(static_cast<const T*>(a_.data()), c_.function.inputs(), points_);
    const auto to = fields_out(static_cast<T*>(out.data()), c_.function.outputs(), points_);
    op_.execute(std::span<const T* const>(from), std::span<T* const>(to), workspace_,
                cuda::Stream(stream));
  }
  void upload(const std::vector<char>& bytes) {
    gpu::require(gpu::driver().copy_to_device(a_.address(), bytes.data(), bytes.size()), "copy");
  }
  std::vector<char> download(const gpu::DeviceMemory& memory) const {
    gpu::require(gpu::driver().context_synchronize(), describe(c_));
    std::vector<char> bytes(memory.bytes());
    gpu::require(gpu::driver().copy_to_host(bytes.data(), memory.address(), bytes.size()), "copy");
    return bytes;
  }
  std::vector<double> outputs(const std::vector<char>& bytes) const {
    std::vector<double> values = widened(bytes, c_.forward.precision);
    values.resize(values.size() / static_cast<std::size_t>(fields_) *
                  static_cast<std::size_t>(c_.function.outputs()));
    return values;
  }
  std::vector<double> on_cpu() const {
    Transform wide = c_.forward;
    wide.precision = Precision::f64;
    const SpectralOperator op(wide, c_.function, {.threads = 0});
    using Wide = std::conditional_t<ScalarTraits<T>::is_complex, std::complex<double>, double>;
    const std::vector<double> in = widened(in_, c_.forward.precision);
    std::vector<double> out(in.size());
    const auto from =
        fields_in(reinterpret_cast<const Wide*>(in.data()), c_.function.inputs(), points_);
    const auto to = fields_out(reinterpret_cast<Wide*>(out.data()), c_.function.outputs(), points_);
    Workspace workspace = op.make_workspace();
    op.execute(std::span<const Wide* const>(from), std::span<Wide* const>(to), workspace);
    out.resize(out.size() / static_cast<std::size_t>(fields_) *
               static_cast<std::size_t>(c_.function.outputs()));
    return out;
  }
  std::vector<char> as_graph() {
    gpu::require(gpu::driver().set_bytes(b_.address(), 0, b_.bytes()), "clear");
    gpu::require(gpu::driver().context_synchronize(), "clear");
    replay_as_graph([&](gpu::Stream stream) { execute(b_, stream); });
    return download(b_);
  }
  /// NaN in one member of a batch, which is the first dimension, of the first field.
  bool is_isolated(const std::vector<char>& plain) {
    std::vector<double> in = widened(in_, c_.forward.precision);
    const std::size_t field = in.size() / static_cast<std::size_t>(fields_);
    const std::size_t member = field / static_cast<std::size_t>(c_.forward.shape.front());
    in[member / 2] = std::numeric_limits<double>::quiet_NaN();
    upload(narrowed(in, c_.forward.precision));
    execute(b_, nullptr);
    const std::vector<double> got = outputs(download(b_)), wanted = outputs(plain);
    for (std::size_t i = 0; i < got.size(); ++i)
      if (i % field >= member && got[i] != wanted[i]) return false;
    return std::isnan(got[0]);
  }

  const OperatorCase& c_;
  cuda::SpectralOperator op_;
  cuda::Workspace workspace_;
  Index points_ = 1;
  int fields_ = 1;
  std::size_t reals_ = 0;
  std::vector<char> in_;
  gpu::DeviceMemory a_, b_;
};

OperatorOutcome outcome_of(const OperatorCase& c) {
  const gpu::UseDevice use(gpu::device(0));
  if (c.forward.kind == Kind::c2c)
    return c.forward.precision == Precision::f32 ? OperatorTest<std::complex<float>>(c).run()
                                                 : OperatorTest<std::complex<double>>(c).run();
  return c.forward.precision == Precision::f32 ? OperatorTest<float>(c).run()
                                               : OperatorTest<double>(c).run();
}

}  // namespace

OperatorTests test_operators(bool is_verbose, const std::string& filter) {
  OperatorTests tests;
  for (const OperatorCase& c : operator_cases()) {
    if (describe(c).find(filter) == std::string::npos) continue;
    ++tests.count;
    try {
      const OperatorOutcome outcome = outcome_of(c);
      // Two transforms and a function of them.
      const bool is_good = outcome.is_good(3 * allowed_error(c.forward.precision));
      if (!is_good) ++tests.failures;
      if (!is_good || is_verbose)
        fmt::print("{} {}: error {:.2e}, in place {:.2e}{}{}\n", is_good ? "ok" : "FAILED",
                   describe(c), outcome.error, outcome.error_in_place,
                   outcome.agrees_as_graph ? "" : ", other as a graph",
                   outcome.is_isolated ? "" : ", NaN reaches another member of the batch");
    } catch (const Error& error) {
      ++tests.failures;
      fmt::print("FAILED {}: {}\n", describe(c), error.what());
    }
  }
  return tests;
}

std::vector<gpu::PassKernel> operator_kernels() {
  std::vector<gpu::PassKernel> kernels;
  for (const OperatorCase& c : operator_cases()) {
    const spectral::OperatorProblem problem = problem_of(c);
    const auto function = spectral::mode_function_on_gpu(c.function, problem);
    const auto forward = spectral::forward_problem(problem);
    const gpu::ModeGrid grid = spectral::mode_grid(problem);
    std::vector<gpu::Recipe> recipes;
    if (const auto recipe = recipe_of(c))
      recipes = {*recipe};
    else
      recipes = gpu::candidates(forward, {});
    for (const gpu::Recipe& recipe : recipes)
      if (const auto turned =
              gpu::operator_recipe(recipe, forward, {problem.inputs, problem.outputs});
          turned && gpu::holds_all_fields(*turned, {})) {
        for (gpu::PassKernel& kernel : kernels_of(*turned, grid, function.text))
          kernels.push_back(std::move(kernel));
        break;
      }
  }
  return kernels;
}

}  // namespace weft::tool
