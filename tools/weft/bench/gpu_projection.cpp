// SPDX-License-Identifier: BSD-3-Clause
#include "bench/gpu_projection.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <memory>

#include "base/names.hpp"
#include "bench/cufft.hpp"
#include "bench/gpu_arrays.hpp"
#include "bench/gpu_clock.hpp"
#include "timing.hpp"
#include "weft/cuda_fields.hpp"
#include "weft/spectral_cuda.hpp"
#include "weft/spectral_functions.hpp"

namespace weft::tool {
namespace {

/// The text of the projection, every component times the parameter p0.
std::string scaled_projection(int components) {
  std::string result = "p0*(";
  const ModeFunction projection = spectral::projection(components);
  for (const char c : projection.form()->text)
    result += c == ';' ? std::string("); p0*(") : std::string(1, c);
  return result + ")";
}

template <class T>
class GpuProjection {
  static constexpr bool is_complex = ScalarTraits<T>::is_complex;
  static constexpr Precision precision = ScalarTraits<T>::precision;
  using Complex = std::complex<std::conditional_t<precision == Precision::f64, double, float>>;

 public:
  GpuProjection(const ConvolutionRow& row, const ConvolutionOptions& options, int components)
      : row_(row),
        options_(options),
        device_(gpu::device(0)),
        use_(device_),
        arrays_(device_),
        forward_(is_complex ? c2c(row.shape, {.precision = precision})
                            : r2c(row.shape, {.precision = precision})),
        op_(forward_, spectral::projection(components),
            {.effort = options.effort,
             .time_limit_s = options.time_limit_s,
             .use_wisdom = options.use_wisdom}),
        there_(forward_, plan_options()),
        back_(inverted(), plan_options()),
        kernel_(forward_, cuda::Side::modes, scaled_projection(components)),
        workspace_(
            std::max({op_.workspace_bytes(), there_.workspace_bytes(), back_.workspace_bytes()})) {
    Index modes = 1;
    for (const Index n : row.shape) points_ *= n;
    for (const Index n : op_.spectrum_shape()) modes *= n;
    for (int f = 0; f < components; ++f) {
      in_.push_back(array(points_ * real_bytes(precision) * width));
      out_.push_back(array(points_ * real_bytes(precision) * width));
      wanted_.push_back(array(points_ * real_bytes(precision) * width));
      spectra_.push_back(array(modes * real_bytes(precision) * 2));
      arrays_.fill(in_.back().data(), precision, points_ * width, 1, static_cast<unsigned>(f + 1),
                   clock_.stream);
    }
  }

  GpuConvolutionResult run(bool with_cufft) {
    GpuConvolutionResult result{.row = row_, .cufft_ms = {}, .explanation = op_.explain()};
    std::optional<CufftPair> cufft;
    if (with_cufft && has_cufft()) cufft.emplace(row_);
    const auto by_operator = [&] {
      op_.execute(std::span<const T* const>(pointers<const T>(in_)),
                  std::span<T* const>(pointers<T>(out_)), workspace_, stream());
    };
    const auto by_steps = [&] {
      for (std::size_t f = 0; f < in_.size(); ++f)
        there_.execute(as<const T>(in_[f]), as<Complex>(spectra_[f]), workspace_, stream());
      project();
      for (std::size_t f = 0; f < in_.size(); ++f)
        back_.execute(as<const Complex>(spectra_[f]), as<T>(wanted_[f]), workspace_, stream());
    };
    std::function<void()> by_cufft;
    if (cufft)
      by_cufft = [&] {
        for (std::size_t f = 0; f < in_.size(); ++f)
          cufft->there->execute(in_[f].data(), spectra_[f].data(), clock_.stream);
        project();
        for (std::size_t f = 0; f < in_.size(); ++f)
          cufft->back->execute(spectra_[f].data(), wanted_[f].data(), clock_.stream);
      };
    by_steps();
    by_operator();
    gpu::require(gpu::driver().stream_synchronize(clock_.stream), "a projection on the GPU");
    for (std::size_t f = 0; f < in_.size(); ++f)
      result.difference = std::max(result.difference, difference(f));
    if (by_cufft) by_cufft();
    time_ways(clock_, options_.rounds, by_operator, by_steps, by_cufft, result);
    result.passes = op_.passes();
    result.workspace_bytes = static_cast<double>(op_.workspace_bytes());
    return result;
  }

 private:
  static constexpr Index width = is_complex ? 2 : 1;

  Transform inverted() const {
    Transform back = inverse(forward_);
    back.normalization = Normalization::none;  // the kernel scales
    return back;
  }
  cuda::PlanOptions plan_options() const {
    return {.effort = options_.effort,
            .time_limit_s = options_.time_limit_s,
            .use_wisdom = options_.use_wisdom};
  }
  static gpu::DeviceMemory array(Index bytes) {
    return gpu::DeviceMemory(static_cast<std::size_t>(bytes));
  }
  template <class Element>
  static Element* as(const gpu::DeviceMemory& memory) {
    return static_cast<Element*>(memory.data());
  }
  template <class Element>
  static std::vector<Element*> pointers(const std::vector<gpu::DeviceMemory>& fields) {
    std::vector<Element*> result;
    for (const gpu::DeviceMemory& field : fields) result.push_back(as<Element>(field));
    return result;
  }
  cuda::Stream stream() const { return cuda::Stream(clock_.stream); }

  void project() {
    const std::array<double, 1> scale{1 / static_cast<double>(points_)};
    kernel_.execute(std::span<const Complex* const>(pointers<const Complex>(spectra_)),
                    std::span<Complex* const>(pointers<Complex>(spectra_)), scale, stream());
  }
  double difference(std::size_t f) {
    const gpu::DeviceMemory wide(static_cast<std::size_t>(points_ * width) * sizeof(double));
    arrays_.widen(wanted_[f].data(), precision, wide.data(), points_ * width, clock_.stream);
    return arrays_.difference(out_[f].data(), precision, wide.data(), points_ * width,
                              clock_.stream);
  }

  ConvolutionRow row_;
  ConvolutionOptions options_;
  const gpu::GpuDevice& device_;
  gpu::UseDevice use_;
  GpuClock clock_;
  GpuArrays arrays_;
  Transform forward_;
  cuda::SpectralOperator op_;
  cuda::Plan there_, back_;
  cuda::FieldFunction kernel_;
  cuda::Workspace workspace_;
  Index points_ = 1;
  std::vector<gpu::DeviceMemory> in_, out_, wanted_, spectra_;
};

}  // namespace

GpuConvolutionResult measure_projection_on_gpu(const ConvolutionRow& row,
                                               const ConvolutionOptions& options, int components,
                                               bool with_cufft) {
  const bool is_complex = row.kind == Kind::c2c;
  if (row.precision == Precision::f64)
    return is_complex
               ? GpuProjection<std::complex<double>>(row, options, components).run(with_cufft)
               : GpuProjection<double>(row, options, components).run(with_cufft);
  return is_complex ? GpuProjection<std::complex<float>>(row, options, components).run(with_cufft)
                    : GpuProjection<float>(row, options, components).run(with_cufft);
}

}  // namespace weft::tool
