// SPDX-License-Identifier: BSD-3-Clause
// The public SpectralOperator: checks the request and the arguments, chooses the tiles.
#include <variant>

#include "base/names.hpp"
#include "local/choose/machine_model.hpp"
#include "problem/request.hpp"
#include "spectral/fused_operator.hpp"
#include "weft/spectral.hpp"

namespace weft {
namespace {

[[noreturn]] void refuse_operator(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why);
}

}  // namespace

struct SpectralOperator::Impl {
  using Fused = std::variant<spectral::FusedOperator<float>, spectral::FusedOperator<double>>;
  spectral::OperatorProblem problem;
  Fused fused;

  static Fused build(const spectral::OperatorProblem& problem, const ModeFunction& function,
                     const SpectralOptions& options) {
    problem::check_effort(options.effort);
    if (options.threads < 0 && !options.executor)
      refuse_operator("threads is " + std::to_string(options.threads) +
                      "; give a positive number, or 0 for all cores");
    spectral::OperatorChoice choice{
        .effort = options.effort,
        .time_limit_s = options.time_limit_s / 4,  // up to four recipes are chosen
        .use_wisdom = options.use_wisdom,
        .executor = options.executor       ? options.executor
                    : options.threads == 1 ? serial_executor()
                                           : openmp_executor(options.threads)};
    const spectral::Tiling tiling = spectral::choose_tiling(
        problem.forward, problem.spectrum, problem.fields(), local::machine_model().l2.bytes / 2);
    if (problem.forward.precision == Precision::f64) {
      if (!function.on_f64())
        refuse_operator("the transform is f64, the function takes tiles of f32 only");
      return spectral::FusedOperator<double>(problem, tiling, function.on_f64(), choice);
    }
    if (!function.on_f32())
      refuse_operator("the transform is f32, the function takes tiles of f64 only");
    return spectral::FusedOperator<float>(problem, tiling, function.on_f32(), choice);
  }

  Impl(const Transform& forward, const ModeFunction& function, const SpectralOptions& options)
      : problem(spectral::check_operator(forward, function, options.lengths)),
        fused(build(problem, function, options)) {}

  void check_array(const void* array, const char* side, std::size_t field) const {
    const std::string name = std::string(side) + " " + std::to_string(field);
    if (array == nullptr) refuse_operator(name + " is a null pointer; pass allocated memory");
    const auto real = static_cast<std::uintptr_t>(real_bytes(problem.forward.precision));
    if (reinterpret_cast<std::uintptr_t>(array) % real != 0)
      refuse_operator(name + " is not aligned to its element type; align it to " +
                      std::to_string(real) + " bytes");
  }

  /// Elements of one field, in bytes.
  Index bytes(const std::vector<Index>& extents) const {
    Index bytes = element_bytes();
    for (Index extent : extents) bytes *= extent;
    return bytes;
  }
  Index element_bytes() const {
    return real_bytes(problem.forward.precision) * (problem.forward.kind == Kind::c2c ? 2 : 1);
  }

  /// Output f may be input f where both have the same extents. All else must be apart.
  void check_overlap(const void* const* in, void* const* out) const {
    const bool same_extents = problem.forward.input_extents == problem.forward.output_extents;
    const Index in_bytes = bytes(problem.forward.input_extents),
                out_bytes = bytes(problem.forward.output_extents);
    const auto meet = [](const void* a, Index a_bytes, const void* b, Index b_bytes) {
      const auto *x = static_cast<const char*>(a), *y = static_cast<const char*>(b);
      return std::less<>()(x, y + b_bytes) && std::less<>()(y, x + a_bytes);
    };
    for (int o = 0; o < problem.outputs; ++o) {
      for (int i = 0; i < problem.inputs; ++i)
        if (meet(in[i], in_bytes, out[o], out_bytes) &&
            !(i == o && in[i] == out[o] && same_extents))
          refuse_operator(
              "output " + std::to_string(o) + " shares memory with input " + std::to_string(i) +
              "; output f may be the same array as input f where both have the same extents, "
              "all other arrays must be apart");
      for (int other = 0; other < o; ++other)
        if (meet(out[other], out_bytes, out[o], out_bytes))
          refuse_operator("outputs " + std::to_string(other) + " and " + std::to_string(o) +
                          " share memory; give each an array of its own");
    }
  }

  std::size_t workspace_bytes() const {
    return std::visit([](const auto& built) { return built.workspace_bytes(); }, fused);
  }
};

SpectralOperator::SpectralOperator(const Transform& forward, ModeFunction function,
                                   const SpectralOptions& options)
    : impl_(std::make_unique<Impl>(forward, function, options)) {}
SpectralOperator::~SpectralOperator() = default;
SpectralOperator::SpectralOperator(SpectralOperator&&) noexcept = default;
SpectralOperator& SpectralOperator::operator=(SpectralOperator&&) noexcept = default;

void SpectralOperator::run(Element type, const void* const* in, std::size_t inputs,
                           void* const* out, std::size_t outputs, Workspace& workspace) const {
  const Impl& impl = *impl_;
  const spectral::OperatorProblem& problem = impl.problem;
  spectral::check_fields(problem, type.precision, type.is_complex, inputs, outputs);
  if (problem.is_empty()) return;
  for (std::size_t f = 0; f < inputs; ++f) impl.check_array(in[f], "input", f);
  for (std::size_t f = 0; f < outputs; ++f) impl.check_array(out[f], "output", f);
  impl.check_overlap(in, out);
  if (workspace.bytes() < impl.workspace_bytes())
    refuse_operator("the workspace has " + std::to_string(workspace.bytes()) +
                    " bytes, the operator needs " + std::to_string(impl.workspace_bytes()) +
                    "; make it with make_workspace()");
  std::visit([&](const auto& fused) { fused.execute(in, out, workspace.data()); }, impl.fused);
}

std::size_t SpectralOperator::workspace_bytes() const { return impl_->workspace_bytes(); }
std::vector<Index> SpectralOperator::input_shape() const {
  return impl_->problem.forward.input_extents;
}
std::vector<Index> SpectralOperator::output_shape() const {
  return impl_->problem.forward.output_extents;
}
std::vector<Index> SpectralOperator::spectrum_shape() const { return impl_->problem.spectrum; }
std::string SpectralOperator::explain() const {
  return std::visit([](const auto& fused) { return fused.explain(); }, impl_->fused);
}
double SpectralOperator::passes() const {
  return std::visit([](const auto& fused) { return fused.passes(); }, impl_->fused);
}

}  // namespace weft
