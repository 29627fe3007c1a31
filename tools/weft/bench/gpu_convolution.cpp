// SPDX-License-Identifier: BSD-3-Clause
#include "bench/gpu_convolution.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "base/names.hpp"
#include "bench/cufft.hpp"
#include "bench/gpu_arrays.hpp"
#include "bench/gpu_clock.hpp"
#include "gpu/device/element_kernel.hpp"
#include "gpu/emit/emit_preamble.hpp"
#include "timing.hpp"
#include "weft/spectral_cuda.hpp"
#include "weft/spectral_functions.hpp"

namespace weft::tool {
namespace {

/// exp(-20 (m / n)^2) along every axis.
constexpr double sharpness = 20;

/// Every mode times a factor from a table per axis, which is as little work as such a kernel can
/// have; dimensions are the last three.
constexpr const char* multiply_text = R"(
struct Arguments { StoredComplex* spectrum; const Real* factors; Real scale; int n1, n2, n0; };
__device__ __forceinline__ void treat(const Arguments& a, long long i) {
  const unsigned at = (unsigned)i, x = at % a.n2, rows = at / a.n2, y = rows % a.n1, z = rows / a.n1;
  const Real factor = a.scale * a.factors[z] * a.factors[a.n0 + y] * a.factors[a.n0 + a.n1 + x];
  const Complex u = load(a.spectrum + i);
  store(a.spectrum + i, Complex{u.re * factor, u.im * factor});
}
)";

template <class Real>
class GpuConvolution {
 public:
  using Complex = std::complex<Real>;

  GpuConvolution(const ConvolutionRow& row, const ConvolutionOptions& options)
      : row_(row),
        options_(options),
        device_(gpu::device(0)),
        use_(device_),
        arrays_(device_),
        kernel_("// weft: benchmark\n" + gpu::emit_numbers(row.precision) + multiply_text, device_),
        forward_(row.kind == Kind::c2c ? c2c(row.shape, {.precision = row.precision})
                                       : r2c(row.shape, {.precision = row.precision})),
        op_(forward_, spectral::gaussian_filter(std::sqrt(2 * sharpness) / (2 * std::numbers::pi)),
            {.effort = options.effort,
             .time_limit_s = options.time_limit_s,
             .use_wisdom = options.use_wisdom,
             .lengths = {row.shape.begin(), row.shape.end()}}),
        there_(forward_, plan_options()),
        back_(inverted(), plan_options()),
        workspace_(
            std::max({op_.workspace_bytes(), there_.workspace_bytes(), back_.workspace_bytes()})) {
    std::vector<Real> factors;
    std::vector<Index> extents = op_.spectrum_shape();
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const Index n = row.shape[d];
      for (Index i = 0; i < extents[d]; ++i) {
        const double m = static_cast<double>(2 * i <= n ? i : i - n) / static_cast<double>(n);
        factors.push_back(static_cast<Real>(std::exp(-sharpness * m * m)));
      }
    }
    extents.insert(extents.begin(), 3 - std::min<std::size_t>(3, extents.size()), 1);
    if (row.shape.size() < 3) factors.insert(factors.begin(), 3 - row.shape.size(), Real{1});
    std::copy_n(extents.begin(), 3, n_);
    factors_ = gpu::DeviceMemory(factors.size() * sizeof(Real));
    gpu::require(gpu::driver().copy_to_device(factors_.address(), factors.data(),
                                              factors.size() * sizeof(Real)),
                 "copying to the GPU");
    points_ = modes_ = 1;
    for (const Index n : row.shape) points_ *= n;
    for (const Index n : n_) modes_ *= n;
    const auto reals = static_cast<std::size_t>(points_ * width());
    in_ = gpu::DeviceMemory(reals * sizeof(Real));
    out_ = gpu::DeviceMemory(reals * sizeof(Real));
    wanted_ = gpu::DeviceMemory(reals * sizeof(Real));
    spectrum_ = gpu::DeviceMemory(static_cast<std::size_t>(modes_) * sizeof(Complex));
    arrays_.fill(in_.data(), row.precision, points_ * width(), 1, 1, clock_.stream);
  }

  GpuConvolutionResult run(bool with_cufft) {
    GpuConvolutionResult result{.row = row_, .cufft_ms = {}, .explanation = op_.explain()};
    std::optional<CufftPair> cufft;
    if (with_cufft && has_cufft()) cufft.emplace(row_);
    const auto by_operator = [&] { apply(); };
    const auto by_steps = [&] {
      there();
      multiply(1);
      back();
    };
    std::function<void()> by_cufft;
    if (cufft)
      by_cufft = [&] {
        cufft->there->execute(in_.data(), spectrum_.data(), clock_.stream);
        multiply(1 / static_cast<Real>(points_));
        cufft->back->execute(spectrum_.data(), wanted_.data(), clock_.stream);
      };
    by_steps();
    by_operator();
    gpu::require(gpu::driver().stream_synchronize(clock_.stream), "a convolution on the GPU");
    result.difference = difference();
    if (by_cufft) by_cufft();
    time_ways(clock_, options_.rounds, by_operator, by_steps, by_cufft, result);
    result.passes = op_.passes();
    result.workspace_bytes = static_cast<double>(op_.workspace_bytes());
    return result;
  }

 private:
  Index width() const { return row_.kind == Kind::c2c ? 2 : 1; }
  Transform inverted() const {
    Transform back = inverse(forward_);
    back.normalization = Normalization::backward;
    return back;
  }
  cuda::PlanOptions plan_options() const {
    return {.effort = options_.effort,
            .time_limit_s = options_.time_limit_s,
            .use_wisdom = options_.use_wisdom};
  }

  template <class T>
  static T* as(const gpu::DeviceMemory& memory) {
    return static_cast<T*>(memory.data());
  }
  cuda::Stream stream() const { return cuda::Stream(clock_.stream); }
  void apply() {
    if (row_.kind == Kind::c2c)
      op_.execute(as<const Complex>(in_), as<Complex>(out_), workspace_, stream());
    else
      op_.execute(as<const Real>(in_), as<Real>(out_), workspace_, stream());
  }
  void there() {
    if (row_.kind == Kind::c2c)
      there_.execute(as<const Complex>(in_), as<Complex>(spectrum_), workspace_, stream());
    else
      there_.execute(as<const Real>(in_), as<Complex>(spectrum_), workspace_, stream());
  }
  void back() {
    if (row_.kind == Kind::c2c)
      back_.execute(as<const Complex>(spectrum_), as<Complex>(wanted_), workspace_, stream());
    else
      back_.execute(as<const Complex>(spectrum_), as<Real>(wanted_), workspace_, stream());
  }
  void multiply(Real scale) {
    struct Arguments {
      void* spectrum;
      void* factors;
      Real scale;
      int n1, n2, n0;
    };
    kernel_.run(Arguments{spectrum_.data(), factors_.data(), scale, static_cast<int>(n_[1]),
                          static_cast<int>(n_[2]), static_cast<int>(n_[0])},
                modes_, clock_.stream);
  }
  double difference() {
    const gpu::DeviceMemory wide(static_cast<std::size_t>(points_ * width()) * sizeof(double));
    arrays_.widen(wanted_.data(), row_.precision, wide.data(), points_ * width(), clock_.stream);
    return arrays_.difference(out_.data(), row_.precision, wide.data(), points_ * width(),
                              clock_.stream);
  }

  ConvolutionRow row_;
  ConvolutionOptions options_;
  const gpu::GpuDevice& device_;
  gpu::UseDevice use_;
  GpuClock clock_;
  GpuArrays arrays_;
  gpu::ElementKernel kernel_;
  Transform forward_;
  cuda::SpectralOperator op_;
  cuda::Plan there_, back_;
  cuda::Workspace workspace_;
  Index n_[3] = {1, 1, 1}, points_ = 1, modes_ = 1;
  gpu::DeviceMemory factors_, in_, out_, wanted_, spectrum_;
};

}  // namespace

CufftPair::CufftPair(const ConvolutionRow& row) {
  CufftProblem problem{.kind = row.kind, .precision = row.precision, .shape = row.shape};
  there = std::make_unique<CufftPlan>(problem);
  problem.direction = Direction::backward;
  if (row.kind == Kind::r2c) problem.kind = Kind::c2r;
  back = std::make_unique<CufftPlan>(problem);
}

void time_ways(GpuClock& clock, int rounds, const std::function<void()>& by_operator,
               const std::function<void()>& by_steps, const std::function<void()>& by_cufft,
               GpuConvolutionResult& result) {
  std::vector<double> operator_ms, steps_ms, cufft_ms;
  for (int round = 0; round < rounds; ++round) {
    operator_ms.push_back(clock.ms(by_operator));
    steps_ms.push_back(clock.ms(by_steps));
    if (by_cufft) cufft_ms.push_back(clock.ms(by_cufft));
  }
  result.operator_ms = median(operator_ms);
  result.steps_ms = median(steps_ms);
  if (by_cufft) result.cufft_ms = median(cufft_ms);
}

GpuConvolutionResult measure_on_gpu(const ConvolutionRow& row, const ConvolutionOptions& options,
                                    bool with_cufft) {
  if (row.shape.size() > 3)
    throw Error(ErrorCode::invalid_argument, "on a GPU, give shapes of at most three dimensions");
  return row.precision == Precision::f64 ? GpuConvolution<double>(row, options).run(with_cufft)
                                         : GpuConvolution<float>(row, options).run(with_cufft);
}

}  // namespace weft::tool
