// SPDX-License-Identifier: BSD-3-Clause
#include "bench/gpu_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/buffer.hpp"
#include "bench/accuracy.hpp"
#include "bench/cufft.hpp"
#include "bench/gpu_clock.hpp"
#include "problem/request.hpp"
#include "text.hpp"
#include "timing.hpp"

namespace weft::tool {
namespace {

/// Number of reals in a row's arrays.
struct Sizes {
  Index points, in, out;
  explicit Sizes(const GpuRow& row) {
    Index lines = row.batch;
    for (std::size_t d = 0; d + 1 < row.shape.size(); ++d) lines *= row.shape[d];
    points = lines * row.shape.back();
    const Index half = lines * (row.shape.back() / 2 + 1) * 2;
    in = row.kind == Kind::r2c ? points : row.kind == Kind::c2r ? half : 2 * points;
    out = row.kind == Kind::c2r ? points : row.kind == Kind::r2c ? half : 2 * points;
  }
};

void launch(const cuda::Plan& plan, void* in, void* out, cuda::Workspace& workspace,
            cuda::Stream stream) {
  const auto as = [&]<class Real, class Complex>(Real*, Complex*) {
    if (plan.transform().kind == Kind::r2c)
      plan.execute(static_cast<const Real*>(in), static_cast<Complex*>(out), workspace, stream);
    else if (plan.transform().kind == Kind::c2r)
      plan.execute(static_cast<const Complex*>(in), static_cast<Real*>(out), workspace, stream);
    else
      plan.execute(static_cast<const Complex*>(in), static_cast<Complex*>(out), workspace, stream);
  };
  switch (plan.transform().precision) {
    case Precision::f16: as(static_cast<Half*>(nullptr), static_cast<ComplexHalf*>(nullptr)); break;
    case Precision::f32:
      as(static_cast<float*>(nullptr), static_cast<std::complex<float>*>(nullptr));
      break;
    case Precision::f64:
      as(static_cast<double*>(nullptr), static_cast<std::complex<double>*>(nullptr));
      break;
  }
}

/// A plan with its workspace.
class Runner {
 public:
  Runner(const GpuRow& row, const cuda::PlanOptions& options)
      : plan_(transform_of(row), options), workspace_(plan_.make_workspace()) {}
  const cuda::Plan& plan() const { return plan_; }
  void run(void* in, void* out, void* stream) {
    launch(plan_, in, out, workspace_, cuda::Stream(stream));
  }

 private:
  cuda::Plan plan_;
  cuda::Workspace workspace_;
};

/// The reference for f64: outputs in long double, of an input in GPU memory.
class ExactOutputs {
 public:
  ExactOutputs(const GpuRow& row, const void* input) {
    Row on_host;
    on_host.shape = row.shape;
    on_host.batch = row.batch;
    on_host.kind = row.kind;
    geometry_ = geometry_of(on_host, Direction::forward);
    array_ =
        Buffer<std::byte>(static_cast<Index>(std::max(geometry_.in_bytes, geometry_.out_bytes)));
    fetch(input, geometry_.in_bytes);
    points_ = reference_points(on_host, geometry_, array_.data());
  }
  double error_of(const void* output) {
    fetch(output, geometry_.out_bytes);
    return error_against(points_, array_.data(), Precision::f64);
  }

 private:
  void fetch(const void* from, std::size_t bytes) {
    gpu::require(gpu::driver().copy_to_host(array_.data(),
                                            reinterpret_cast<gpu::DevicePointer>(from), bytes),
                 "copying from the GPU");
  }

  Geometry geometry_;
  Buffer<std::byte> array_;
  std::vector<ReferencePoint> points_;
};

/// One row with its arrays. Input and output are the same memory in place.
class Measurement {
 public:
  Measurement(const GpuRow& row, const GpuOptions& options, const GpuArrays& arrays)
      : row_(row),
        options_(options),
        arrays_(arrays),
        sizes_(row),
        in_place_(options.in_place && row.kind == Kind::c2c),
        weft_(row, options.plan),
        a_(static_cast<std::size_t>(std::max(sizes_.in, sizes_.out)) *
           static_cast<std::size_t>(real_bytes(row.precision))),
        b_(a_.bytes()) {
    if (options.other_plan) other_ = std::make_unique<Runner>(row, *options.other_plan);
    if (options.use_cufft) try {
        cufft_ = std::make_unique<CufftPlan>(problem(row.precision));
      } catch (const Error&) {  // cuFFT's f16 takes only powers of two; or there is no memory left
      }
  }

  GpuResult run() {
    GpuResult result;
    result.row = row_;
    result.bytes = static_cast<double>(sizes_.in + sizes_.out) *
                   static_cast<double>(real_bytes(row_.precision));
    result.passes = static_cast<int>(weft_.plan().cost().passes);
    result.recipe = weft_.plan().recipe();
    result.explanation = weft_.plan().explain();
    if (other_) result.other_recipe = other_->plan().recipe();
    check(result);
    time(result);
    return result;
  }

 private:
  CufftProblem problem(Precision precision) const {
    return {row_.kind, precision, row_.shape, row_.batch, Direction::forward};
  }
  void* out() const { return in_place_ ? a_.data() : b_.data(); }
  void fill(unsigned seed) const {
    const double amplitude = row_.precision == Precision::f16 ? 1.0 / 16 : 1.0;
    arrays_.fill(a_.data(), row_.precision, sizes_.in, amplitude, seed, clock_.stream);
  }

  /// Random numbers; for c2r the spectrum of real random numbers, because for other input the
  /// result of c2r is not defined and libraries differ.
  void fill_to_check(unsigned seed) const {
    if (row_.kind != Kind::c2r) return fill(seed);
    GpuRow forward = row_;
    forward.kind = Kind::r2c;
    Runner spectrum(forward, {.device = options_.plan.device});
    const double amplitude = 1 / std::sqrt(static_cast<double>(sizes_.out));
    arrays_.fill(b_.data(), row_.precision, sizes_.out, amplitude, seed, clock_.stream);
    spectrum.run(b_.data(), a_.data(), clock_.stream);
    gpu::require(gpu::driver().stream_synchronize(clock_.stream), "a spectrum to check c2r with");
  }

  /// The reference is the same data transformed in f64 by cuFFT, or by weft if there is no cuFFT.
  /// It says nothing about the errors of rows that are f64 themselves.
  void check(GpuResult& result) {
    constexpr unsigned seed = 20;
    const Precision p = row_.precision;
    const gpu::DeviceMemory wide(static_cast<std::size_t>(sizes_.in) * 8);
    const gpu::DeviceMemory reference(static_cast<std::size_t>(sizes_.out) * 8);
    fill_to_check(seed);
    arrays_.widen(a_.data(), p, wide.data(), sizes_.in, clock_.stream);
    if (row_.kind != Kind::c2r) direct_check_setup(wide.data());
    gpu::require(gpu::driver().stream_synchronize(clock_.stream), "data to check with");
    std::optional<ExactOutputs> exact;
    if (p == Precision::f64 && row_.kind != Kind::c2r) exact.emplace(row_, a_.data());
    if (options_.use_cufft && has_cufft()) {
      const CufftPlan plan(problem(Precision::f64));
      plan.execute(wide.data(), reference.data(), clock_.stream);
      gpu::require(gpu::driver().stream_synchronize(clock_.stream), "cuFFT in f64");
    } else {
      GpuRow row = row_;
      row.precision = Precision::f64;
      Runner(row, {.device = options_.plan.device})
          .run(wide.data(), reference.data(), clock_.stream);
      gpu::require(gpu::driver().stream_synchronize(clock_.stream), "weft in f64");
    }
    gpu::require(gpu::driver().set_bytes(b_.address(), 0xff, b_.bytes()), "poisoning the output");
    gpu::require(gpu::driver().context_synchronize(), "poisoning the output");
    weft_.run(a_.data(), out(), clock_.stream);
    result.difference = arrays_.difference(out(), p, reference.data(), sizes_.out, clock_.stream);
    result.weft_error = exact ? exact->error_of(out()) : result.difference;
    if (row_.kind != Kind::c2r) result.direct_error = direct_error(reference.data());
    if (other_) {
      fill_to_check(seed);
      other_->run(a_.data(), out(), clock_.stream);
      result.other_error =
          arrays_.difference(out(), p, reference.data(), sizes_.out, clock_.stream);
    }
    if (!cufft_) return;
    fill_to_check(seed);
    cufft_->execute(a_.data(), out(), clock_.stream);
    const double difference =
        arrays_.difference(out(), p, reference.data(), sizes_.out, clock_.stream);
    result.cufft_error = exact ? exact->error_of(out()) : difference;
  }

  void direct_check_setup(const void* wide) {
    index_.clear();
    for (std::size_t d = 0; d < row_.shape.size(); ++d) index_.push_back(row_.shape[d] / 3);
    expected_ = arrays_.direct_sum(wide, row_.kind == Kind::c2c, row_.shape, index_, clock_.stream);
  }
  /// The error of the reference itself, against the definition: so weft, cuFFT and the definition
  /// all agree.
  double direct_error(const void* reference) const {
    Index position = 0;
    for (std::size_t d = 0; d < row_.shape.size(); ++d) {
      const bool halved = row_.kind == Kind::r2c && d + 1 == row_.shape.size();
      position = position * (halved ? row_.shape[d] / 2 + 1 : row_.shape[d]) + index_[d];
    }
    double value[2] = {};
    gpu::require(
        gpu::driver().copy_to_host(value,
                                   reinterpret_cast<gpu::DevicePointer>(reference) +
                                       static_cast<gpu::DevicePointer>(position) * sizeof(value),
                                   sizeof(value)),
        "copying from the GPU");
    Index points = 1;
    for (Index n : row_.shape) points *= n;
    const double rms = std::sqrt(static_cast<double>(points)) *
                       (row_.precision == Precision::f16 ? 1.0 / 16 : 1.0);
    return std::abs(std::complex<double>(value[0], value[1]) - expected_) / rms;
  }

  /// All in turns, each on fresh data.
  void time(GpuResult& result) {
    const bool has_other = other_ && result.other_recipe != result.recipe;
    std::vector<double> weft, other, cufft, copy;
    for (int round = -3; round < options_.rounds; ++round) {
      auto seed = static_cast<unsigned>(round + 100);
      const auto add = [&](std::vector<double>& times, const std::function<void()>& work) {
        fill(seed += 1000);
        const double ms = clock_.ms(work);
        if (round >= 0) times.push_back(ms);
      };
      add(weft, [&] { weft_.run(a_.data(), out(), clock_.stream); });
      if (has_other) add(other, [&] { other_->run(a_.data(), out(), clock_.stream); });
      if (cufft_) add(cufft, [&] { cufft_->execute(a_.data(), out(), clock_.stream); });
      add(copy, [&] {
        gpu::require(
            gpu::driver().copy_on_device(b_.address(), a_.address(),
                                         static_cast<std::size_t>(result.bytes / 2), clock_.stream),
            "copying on the GPU");
      });
    }
    result.weft_ms = median(weft);
    result.copy_ms = median(copy);
    if (cufft_) result.cufft_ms = median(cufft);
    if (other_) result.other_ms = has_other ? median(other) : result.weft_ms;
  }

  GpuRow row_;
  const GpuOptions& options_;
  const GpuArrays& arrays_;
  Sizes sizes_;
  bool in_place_;
  mutable GpuClock clock_;
  Runner weft_;
  gpu::DeviceMemory a_, b_;
  std::unique_ptr<Runner> other_;
  std::unique_ptr<CufftPlan> cufft_;
  std::vector<Index> index_;
  std::complex<double> expected_;
};

}  // namespace

GpuResult measure(const GpuRow& row, const GpuOptions& options, const GpuArrays& arrays) {
  return Measurement(row, options, arrays).run();
}

}  // namespace weft::tool
