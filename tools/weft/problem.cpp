// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/index.hpp"
#include "streams.hpp"
#include "text.hpp"
#include "validators.hpp"
#include "weft/wisdom.hpp"

namespace weft::tool {
namespace {

template <class Value, std::size_t size>
Value lookup(const std::string& text, const char* what,
             const std::pair<const char*, Value> (&table)[size]) {
  std::vector<const char*> names;
  for (const auto& [name, value] : table) {
    if (text == name) return value;
    names.push_back(name);
  }
  refuse(fmt::format("unknown {} '{}'; choose one of {}", what, text, fmt::join(names, ", ")));
}

constexpr std::pair<const char*, R2r> r2r_names[] = {
    {"dct1", R2r::dct1}, {"dct2", R2r::dct2}, {"dct3", R2r::dct3}, {"dct4", R2r::dct4},
    {"dst1", R2r::dst1}, {"dst2", R2r::dst2}, {"dst3", R2r::dst3}, {"dst4", R2r::dst4},
    {"dht", R2r::dht},   {"r2hc", R2r::r2hc}, {"hc2r", R2r::hc2r}};

Index parse_integer(std::string_view text, const std::string& whole) {
  Index value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc::result_out_of_range)
    refuse(fmt::format("shape {} does not fit 64 bits; choose smaller sizes", whole));
  if (status != std::errc() || end != text.data() + text.size())
    refuse(fmt::format(
        "'{}' is not a shape; write a shape such as 512x512 or 2^20, or 64*1000 for a batch of 64",
        whole));
  if (value < 1)
    refuse(fmt::format("shape {} contains the size {}; sizes must be at least 1", whole, value));
  return value;
}

/// "1000" or "2^20".
Index parse_size(std::string_view text, const std::string& whole) {
  const auto caret = text.find('^');
  if (caret == text.npos) return parse_integer(text, whole);
  const Index base = parse_integer(text.substr(0, caret), whole);
  const Index exponent = parse_integer(text.substr(caret + 1), whole);
  if (exponent > 62)
    refuse(fmt::format("shape {} does not fit 64 bits; choose smaller sizes", whole));
  Index value = 1;
  for (Index i = 0; i < exponent; ++i) value = checked_product(value, base, "the shape");
  return value;
}

std::vector<Index> parse_sizes(std::string_view text, const std::string& whole) {
  std::vector<Index> sizes;
  while (true) {
    const auto separator = text.find('x');
    sizes.push_back(parse_size(text.substr(0, separator), whole));
    if (separator == text.npos) return sizes;
    text.remove_prefix(separator + 1);
  }
}

}  // namespace

ShapeArgument parse_shape(const std::string& text) {
  ShapeArgument result;
  const auto star = text.find('*');
  if (star != text.npos) result.batch = parse_sizes(std::string_view(text).substr(0, star), text);
  const std::size_t begin = star == text.npos ? 0 : star + 1;
  result.shape = parse_sizes(std::string_view(text).substr(begin), text);
  std::vector<Index> all = result.batch;
  all.insert(all.end(), result.shape.begin(), result.shape.end());
  checked_product(checked_product(all, "the shape"), 16, "the bytes of the array");
  return result;
}

Precision parse_precision(const std::string& text) {
  return lookup<Precision>(
      text, "precision",
      {{"f16", Precision::f16}, {"f32", Precision::f32}, {"f64", Precision::f64}});
}

Effort parse_effort(const std::string& text) {
  return lookup<Effort>(
      text, "effort",
      {{"estimate", Effort::estimate}, {"measure", Effort::measure}, {"patient", Effort::patient}});
}

Normalization parse_normalization(const std::string& text) {
  return lookup<Normalization>(text, "normalization",
                               {{"none", Normalization::none},
                                {"backward", Normalization::backward},
                                {"forward", Normalization::forward},
                                {"ortho", Normalization::ortho}});
}

R2r parse_r2r(const std::string& text) { return lookup<R2r>(text, "r2r kind", r2r_names); }

R2r inverse_of(R2r kind) {
  switch (kind) {
    case R2r::dct2: return R2r::dct3;
    case R2r::dct3: return R2r::dct2;
    case R2r::dst2: return R2r::dst3;
    case R2r::dst3: return R2r::dst2;
    default: return kind;
  }
}

void add_problem_options(CLI::App& command, ProblemOptions& options) {
  command.add_flag("--real", options.real, "Real input (r2c); with --inverse: real output (c2r)");
  command.add_flag("--inverse", options.inverse, "Backward (inverse) transform");
  command.add_option("--r2r", options.r2r,
                     "Real to real: dct1 to dct4, dst1 to dst4, dht, r2hc, hc2r");
  command.add_option("--precision", options.precision, "Precision: f16, f32 or f64")
      ->capture_default_str();
  command.add_option("--norm", options.norm, "Normalization: none, backward, forward or ortho")
      ->capture_default_str();
  command.add_option("--threads", options.threads, "Number of threads; 0: all cores")
      ->check(at_least(0))
      ->capture_default_str();
  command.add_option("--effort", options.effort, "Planning effort: estimate, measure or patient")
      ->capture_default_str();
  command
      .add_option("--time-limit", options.time_limit_s,
                  "Limit on the time for measuring recipes, in seconds")
      ->capture_default_str();
  command.add_flag("--no-wisdom", options.no_wisdom, "Do not use wisdom");
}

Transform make_transform(const std::string& shape, const ProblemOptions& options) {
  const ShapeArgument parsed = parse_shape(shape);
  std::vector<Index> extents = parsed.batch;
  extents.insert(extents.end(), parsed.shape.begin(), parsed.shape.end());
  TransformOptions details;
  if (!parsed.batch.empty())
    for (std::size_t d = parsed.batch.size(); d < extents.size(); ++d)
      details.axes.push_back(static_cast<int>(d));
  details.direction = options.inverse ? Direction::backward : Direction::forward;
  details.normalization = parse_normalization(options.norm);
  details.precision = parse_precision(options.precision);
  if (options.real && !options.r2r.empty())
    refuse("--real and --r2r ask for different transforms; use only one of them");
  if (!options.r2r.empty()) {
    const R2r kind = parse_r2r(options.r2r);
    return r2r(extents, {options.inverse ? inverse_of(kind) : kind}, details);
  }
  if (!options.real) return c2c(extents, details);
  return options.inverse ? c2r(extents, details) : r2c(extents, details);
}

PlanOptions make_plan_options(const ProblemOptions& options) {
  return {.effort = parse_effort(options.effort),
          .threads = options.threads,
          .time_limit_s = options.time_limit_s,
          .use_wisdom = !options.no_wisdom,
          .recipe = options.recipe};
}

std::vector<int> normalized_axes(const std::vector<int>& axes, std::size_t ndim) {
  const int dimensions = static_cast<int>(ndim);
  std::vector<int> result;
  for (const int axis : axes) {
    const int normal = axis < 0 ? axis + dimensions : axis;
    if (normal < 0 || normal >= dimensions)
      refuse(fmt::format("axis {} does not exist in an array of {} dimension{}; use {} to {}", axis,
                         ndim, ndim == 1 ? "" : "s", -dimensions, dimensions - 1));
    if (std::ranges::find(result, normal) != result.end())
      refuse(fmt::format("axis {} is given twice; give each axis once", axis));
    result.push_back(normal);
  }
  if (result.empty())
    for (int d = 0; d < dimensions; ++d) result.push_back(d);
  return result;
}

Size size_of(const Transform& transform) {
  Size size;
  const auto axes = normalized_axes(transform.axes, transform.shape.size());
  for (std::size_t d = 0; d < transform.shape.size(); ++d) {
    const bool is_transformed = std::ranges::find(axes, static_cast<int>(d)) != axes.end();
    (is_transformed ? size.points : size.batch) *= transform.shape[d];
  }
  return size;
}

bool has_real_side(Kind kind) { return kind != Kind::c2c; }

std::string describe(const Transform& transform) {
  const auto axes = normalized_axes(transform.axes, transform.shape.size());
  std::vector<Index> batch, shape;
  for (std::size_t d = 0; d < transform.shape.size(); ++d)
    (std::ranges::find(axes, static_cast<int>(d)) != axes.end() ? shape : batch)
        .push_back(transform.shape[d]);
  std::string text = to_string(transform.kind);
  if (transform.kind == Kind::r2r)
    for (const R2r kind : transform.r2r) text += std::string(" ") + to_string(kind);
  text += " ";
  if (!batch.empty()) text += shape_text(batch) + "*";
  text += fmt::format("{} {}", shape_text(shape), to_string(transform.precision));
  if (transform.kind == Kind::c2c) text += std::string(" ") + to_string(transform.direction);
  return text;
}

namespace {

std::size_t bytes_of_side(const std::vector<Index>& shape, const std::vector<Index>& strides,
                          bool complex_elements, Precision precision) {
  Index last = 0;
  for (std::size_t d = 0; d < shape.size(); ++d)
    last += (shape[d] - 1) * (strides[d] < 0 ? -strides[d] : strides[d]);
  const std::size_t real = precision == Precision::f64 ? 8 : precision == Precision::f32 ? 4 : 2;
  return static_cast<std::size_t>(last + 1) * real * (complex_elements ? 2 : 1);
}

template <class In, class Out>
std::function<void()> typed_execution(const Plan& plan, const void* in, void* out,
                                      Workspace& workspace) {
  return [&plan, &workspace, from = static_cast<const In*>(in), to = static_cast<Out*>(out)] {
    plan.execute(from, to, workspace);
  };
}

template <class Real, class Complex>
std::function<void()> execution_as(const Plan& plan, const void* in, void* out,
                                   Workspace& workspace) {
  switch (plan.transform().kind) {
    case Kind::c2c: return typed_execution<Complex, Complex>(plan, in, out, workspace);
    case Kind::r2c: return typed_execution<Real, Complex>(plan, in, out, workspace);
    case Kind::c2r: return typed_execution<Complex, Real>(plan, in, out, workspace);
    case Kind::r2r: return typed_execution<Real, Real>(plan, in, out, workspace);
  }
  return {};
}

}  // namespace

std::size_t input_bytes(const Plan& plan) {
  const Kind kind = plan.transform().kind;
  return bytes_of_side(plan.input_shape(), plan.input_strides(),
                       kind == Kind::c2c || kind == Kind::c2r, plan.transform().precision);
}

std::size_t output_bytes(const Plan& plan) {
  const Kind kind = plan.transform().kind;
  return bytes_of_side(plan.output_shape(), plan.output_strides(),
                       kind == Kind::c2c || kind == Kind::r2c, plan.transform().precision);
}

std::function<void()> execution(const Plan& plan, const void* in, void* out, Workspace& workspace) {
  switch (plan.transform().precision) {
    case Precision::f16: return execution_as<Half, ComplexHalf>(plan, in, out, workspace);
    case Precision::f32: return execution_as<float, std::complex<float>>(plan, in, out, workspace);
    case Precision::f64:
      return execution_as<double, std::complex<double>>(plan, in, out, workspace);
  }
  return {};
}
void execute(const Plan& plan, const void* in, void* out, Workspace& workspace) {
  execution(plan, in, out, workspace)();
}

void execute(DistributedPlan& plan, const Transform& transform, const void* in, void* out) {
  const auto with = [&]<class Real, class Complex>(Real, Complex) {
    const auto* real_in = static_cast<const Real*>(in);
    const auto* complex_in = static_cast<const Complex*>(in);
    auto* real_out = static_cast<Real*>(out);
    auto* complex_out = static_cast<Complex*>(out);
    switch (transform.kind) {
      case Kind::c2c: return plan.execute(complex_in, complex_out);
      case Kind::r2c: return plan.execute(real_in, complex_out);
      case Kind::c2r: return plan.execute(complex_in, real_out);
      case Kind::r2r: return plan.execute(real_in, real_out);
    }
  };
  switch (transform.precision) {
    case Precision::f16: return with(Half{}, ComplexHalf{});
    case Precision::f32: return with(float{}, std::complex<float>{});
    case Precision::f64: return with(double{}, std::complex<double>{});
  }
}

void load_wisdom(const ProblemOptions& options) {
  if (options.no_wisdom) return;
  const std::string problem = wisdom::load_default();
  if (!problem.empty()) complain("wisdom ignored: " + problem);
}

}  // namespace weft::tool
