// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rank_operator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/buffer.hpp"
#include "bench/ranks.hpp"
#include "comm/agree.hpp"
#include "gpu/device/driver.hpp"
#include "mpi/runtime.hpp"
#include "spectral/rank_modes.hpp"
#include "timing.hpp"
#include "weft/cuda_fields.hpp"
#include "weft/spectral_distributed.hpp"
#include "weft/spectral_expression.hpp"

namespace weft::tool {
namespace {

/// The fields of a rank, one after another, where the device has its memory.
template <class T>
class RankFields {
 public:
  RankFields(Index count, int fields, std::optional<int> gpu)
      : count_(count), fields_(fields), gpu_(gpu) {
    const Index all = std::max<Index>(1, count * fields);
    if (gpu) {
      const gpu::UseDevice use(gpu::device(*gpu));
      on_gpu_ = gpu::DeviceMemory(static_cast<std::size_t>(all) * sizeof(T));
    } else {
      on_host_ = Buffer<T>(all);
    }
  }
  T* field(int f) {
    return (on_gpu_.data() ? static_cast<T*>(on_gpu_.data()) : on_host_.data()) + f * count_;
  }
  std::vector<T*> all() {
    std::vector<T*> fields;
    for (int f = 0; f < fields_; ++f) fields.push_back(field(f));
    return fields;
  }
  void upload(const std::vector<T>& values) {
    if (!gpu_) {
      std::ranges::copy(values, on_host_.data());
      return;
    }
    const gpu::UseDevice use(gpu::device(*gpu_));
    gpu::require(gpu::driver().copy_to_device(on_gpu_.address(), values.data(), bytes(values)),
                 "copying to the GPU");
  }
  void download(std::vector<T>& values) {
    if (!gpu_) {
      std::copy_n(on_host_.data(), values.size(), values.begin());
      return;
    }
    const gpu::UseDevice use(gpu::device(*gpu_));
    gpu::require(gpu::driver().copy_to_host(values.data(), on_gpu_.address(), bytes(values)),
                 "copying from the GPU");
  }

 private:
  static std::size_t bytes(const std::vector<T>& values) { return values.size() * sizeof(T); }

  Index count_;
  int fields_;
  std::optional<int> gpu_;
  Buffer<T> on_host_;
  gpu::DeviceMemory on_gpu_;
};

/// The largest number of fields.
constexpr std::size_t most_fields = 16;

/// For CPUs: output f is input f + 1 divided by 1 + k^2.
ModeFunction helmholtz(int fields) {
  if (fields == 1)
    return at_every_mode([](const auto& wave, auto u) { u[0] *= 1 / (1 + wave.squared()); });
  return at_every_mode(
      [fields](const auto& wave, auto u) {
        using Value = std::remove_cvref_t<decltype(u[0])>;
        const auto factor = 1 / (1 + wave.squared());
        std::array<Value, most_fields> in;
        for (int f = 0; f < fields; ++f) in[static_cast<std::size_t>(f)] = u[f];
        for (int f = 0; f < fields; ++f)
          u[f] = in[static_cast<std::size_t>((f + 1) % fields)] * factor;
      },
      fields, fields);
}

/// For GPUs: "u1/(1 + k2); u0/(1 + k2)".
std::string function_text(int fields) {
  std::string text;
  for (int f = 0; f < fields; ++f)
    text += (f > 0 ? "; u" : "u") + std::to_string((f + 1) % fields) + "/(1 + k2)";
  return text;
}

/// Field f is one wave, with f + 1 periods along the last axis and one along the others: so it is
/// known what becomes of it.
template <class T>
std::vector<T> waves(const std::vector<Index>& shape, const LocalBoxes& boxes, int fields) {
  std::vector<T> values;
  const int last = static_cast<int>(shape.size()) - 1;
  for (int f = 0; f < fields; ++f)
    for (const LocalBox& local : boxes) {
      const std::vector<Index> extents = local.box.extents();
      for (Index i = 0; i < local.box.count(); ++i) {
        double turns = 0;
        Index rest = i;
        for (int d = last; d >= 0; --d) {
          const auto a = static_cast<std::size_t>(d);
          const Index m = d == last ? f + 1 : 1, place = local.box.begin[a] + rest % extents[a];
          turns += static_cast<double>(m * place % shape[a]) / static_cast<double>(shape[a]);
          rest /= extents[a];
        }
        const double angle = 2 * std::numbers::pi * turns;
        if constexpr (ScalarTraits<T>::is_complex)
          values.push_back(T(std::polar(1.0, angle)));
        else
          values.push_back(static_cast<T>(std::cos(angle)));
      }
    }
  return values;
}

template <class T>
class RankOperator {
 public:
  using Real = std::conditional_t<ScalarTraits<T>::precision == Precision::f32, float, double>;
  using Complex = std::complex<Real>;

  RankOperator(const ConvolutionRow& row, int fields, const ConvolutionOptions& options,
               Device::Type device, const Comm& comm, const RankPeer& fftw)
      : row_(row), fields_(fields), options_(options), comm_(comm), fftw_(fftw) {
    plan_ = {.effort = options.effort,
             .threads = row.threads,
             .time_limit_s = options.time_limit_s,
             .use_wisdom = options.use_wisdom};
    if (device == Device::Type::cuda) {
      agree(comm, [&] { gpu_ = comm.rank() % std::max(1, gpu::device_count()); });
      plan_.device = Device::cuda(*gpu_);
    }
    const TransformOptions precise{.precision = row.precision};
    forward_ = row.kind == Kind::c2c ? c2c(row.shape, precise) : r2c(row.shape, precise);
    slabs_ = slabs(row.shape, 0, comm.size(), comm.rank());
  }

  RankOperatorResult run() {
    RankOperatorResult result;
    const ModeFunction function =
        gpu_ ? ModeFunction(spectral::expression(function_text(fields_))) : helmholtz(fields_);
    DistributedOperator op(forward_, function, slabs_, slabs_, comm_,
                           {.plan = plan_, .lengths = {}});
    result.workspace_bytes = largest_of_ranks(comm_, op.workspace_bytes());
    result.explanation = op.explain();
    std::optional<RankFields<T>> in, out;
    agree(comm_, [&] {
      in.emplace(op.input_count(), fields_, gpu_);
      out.emplace(op.output_count(), fields_, gpu_);
      in->upload(waves<T>(row_.shape, slabs_, fields_));
    });
    const auto by_operator = [&] {
      const auto from = in->all(), to = out->all();
      op.execute(std::span<const T* const>(from), std::span<T* const>(to));
      finish();
    };
    by_operator();
    result.error = error_of(*out);
    Steps natural = steps(false, function), any = steps(true, function);
    std::vector<std::function<void()>> peers{[&] { run(natural, *in, *out); },
                                             [&] { run(any, *in, *out); }};
    if (!gpu_)
      for (const auto& peer : peers) {
        peer();
        result.error = std::max(result.error, error_of(*out));
      }
    std::optional<FftwSteps> fftw = fftw_steps(function);
    if (fftw) {
      peers.emplace_back([&] { run(*fftw); });
      run(*fftw);
      result.error = std::max(result.error, error_of(*fftw));
    }
    const Turns turns = time_in_turns(comm_, options_.rounds, by_operator, peers);
    result.operator_s = turns.weft_s;
    result.natural_s = turns.peers[0].seconds;
    result.any_order_s = turns.peers[1].seconds;
    if (fftw) result.fftw_s = turns.peers[2].seconds;
    return result;
  }

 private:
  struct Steps {
    DistributedPlan there, back;
    std::unique_ptr<spectral::RankModes> modes;   // on CPUs
    std::optional<RankFields<Complex>> spectrum;  // on GPUs

    Complex* field(int f) {
      return modes ? static_cast<Complex*>(modes->field(f)) : spectrum->field(f);
    }
  };
  /// Forward into the second axis distributed, the function, and back from there.
  struct FftwSteps {
    std::unique_ptr<spectral::RankModes> modes;
    std::unique_ptr<PeerPlan> there, back;
  };

  std::unique_ptr<spectral::RankModes> modes_of(const ModeFunction& function,
                                                const LocalBoxes& boxes, Index count) {
    std::unique_ptr<spectral::RankModes> modes;
    agree(comm_, [&] {
      problem_ = spectral::check_operator(forward_, function, {});
      modes = spectral::modes_on_cpu(
          problem_, function,
          row_.threads == 1 ? serial_executor() : openmp_executor(row_.threads));
      modes->store(boxes, count);
    });
    return modes;
  }
  std::vector<Index> spectrum_shape() const {
    std::vector<Index> modes = row_.shape;
    if (row_.kind == Kind::r2c) modes.back() = modes.back() / 2 + 1;
    return modes;
  }
  Steps steps(bool is_any_order, const ModeFunction& function) {
    DistributedPlan there =
        is_any_order
            ? DistributedPlan(forward_, slabs_, any_order, comm_, plan_)
            : DistributedPlan(forward_, slabs_,
                              slabs(spectrum_shape(), 0, comm_.size(), comm_.rank()), comm_, plan_);
    Transform inverted = inverse(forward_);
    inverted.normalization = Normalization::backward;
    DistributedPlan back(inverted, there.output_boxes(), slabs_, comm_, plan_);
    Steps steps{std::move(there), std::move(back), nullptr, {}};
    if (gpu_)
      agree(comm_, [&] { steps.spectrum.emplace(steps.there.output_count(), fields_, gpu_); });
    else
      steps.modes = modes_of(function, steps.there.output_boxes(), steps.there.output_count());
    return steps;
  }
  void run(Steps& steps, RankFields<T>& in, RankFields<T>& out) {
    for (int f = 0; f < fields_; ++f)
      steps.there.execute(static_cast<const T*>(in.field(f)), steps.field(f));
    if (steps.modes) steps.modes->run();
    for (int f = 0; f < fields_; ++f)
      steps.back.execute(static_cast<const Complex*>(steps.field(f)), out.field(f));
    finish();
  }

  std::optional<FftwSteps> fftw_steps(const ModeFunction& function) {
    const std::vector<Index> modes = spectrum_shape();
    const bool is_even =
        modes.size() == 3 && row_.shape[0] % comm_.size() == 0 && row_.shape[1] % comm_.size() == 0;
    MpiRuntime* mpi = mpi_runtime();
    if (!fftw_.is_wanted || gpu_ || fields_ > 1 || row_.threads > 1 || !is_even || mpi == nullptr ||
        !mpi->has_fftw(row_.precision))
      return {};
    LocalBoxes boxes = slabs(modes, 1, comm_.size(), comm_.rank());
    for (LocalBox& box : boxes) box.order = {1, 0, 2};
    const Index count = modes[0] * modes[1] / comm_.size() * modes[2];
    FftwSteps steps{modes_of(function, boxes, count), {}, {}};
    auto* const spectrum = static_cast<std::byte*>(steps.modes->field(0));
    FftwMpiProblem problem{.shape = row_.shape,
                           .kind = row_.kind,
                           .precision = row_.precision,
                           .transposed = true,
                           .time_limit_s = fftw_.time_limit_s,
                           .output = spectrum,
                           .complex_count = count};
    steps.there = mpi->fftw(problem);
    problem.kind = row_.kind == Kind::r2c ? Kind::c2r : Kind::c2c;
    problem.direction = Direction::backward;
    problem.input = spectrum;
    problem.output = nullptr;
    steps.back = mpi->fftw(problem);
    if (!steps.there || !steps.back) return {};
    const std::vector<T> field = waves<T>(row_.shape, slabs_, 1);
    auto* const in = reinterpret_cast<T*>(steps.there->input());
    for (Index row = 0; row < slab_rows() * row_.shape[1]; ++row)
      std::copy_n(field.data() + row * row_.shape[2], row_.shape[2], in + row * fftw_row());
    return steps;
  }
  /// Real rows have room for their modes.
  Index fftw_row() const {
    return row_.kind == Kind::r2c ? 2 * (row_.shape[2] / 2 + 1) : row_.shape[2];
  }
  void run(FftwSteps& steps) {
    steps.there->execute();
    steps.modes->run();
    steps.back->execute();
  }

  void finish() const {
    if (gpu_) cuda::wait({}, *gpu_);
  }

  double error_of(RankFields<T>& out) {
    std::vector<T> got(static_cast<std::size_t>(Box::of_shape(row_.shape).count() / row_.shape[0] *
                                                slab_rows() * fields_));
    out.download(got);
    return error_of(got);
  }
  /// Whose transforms are not scaled.
  double error_of(FftwSteps& steps) {
    std::vector<T> got(static_cast<std::size_t>(slab_rows() * row_.shape[1] * row_.shape[2]));
    const auto* const out = reinterpret_cast<const T*>(steps.back->output());
    for (Index row = 0; row < slab_rows() * row_.shape[1]; ++row)
      std::copy_n(out + row * fftw_row(), row_.shape[2], got.data() + row * row_.shape[2]);
    const auto points = static_cast<Real>(Box::of_shape(row_.shape).count());
    for (T& value : got) value /= points;
    return error_of(got);
  }
  Index slab_rows() const {
    Index rows = 0;
    for (const LocalBox& local : slabs_) rows += local.box.extent(0);
    return rows;
  }
  double error_of(const std::vector<T>& got) {
    const std::vector<T> wanted = waves<T>(row_.shape, slabs_, fields_);
    const auto count = static_cast<std::ptrdiff_t>(wanted.size()) / fields_;
    double error = 0, norm = 0;
    for (int f = 0; f < fields_; ++f) {
      const int from = (f + 1) % fields_;
      const double square =
          static_cast<double>(row_.shape.size()) - 1 + static_cast<double>((from + 1) * (from + 1));
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        const T value = wanted[static_cast<std::size_t>(from * count + i)] *
                        static_cast<Real>(1 / (1 + square));
        error += std::norm(got[static_cast<std::size_t>(f * count + i)] - value);
        norm += std::norm(value);
      }
    }
    return std::sqrt(sum_of_ranks(comm_, error) / sum_of_ranks(comm_, norm));
  }

  const ConvolutionRow& row_;
  const int fields_;
  const ConvolutionOptions& options_;
  const Comm& comm_;
  const RankPeer& fftw_;
  spectral::OperatorProblem problem_;
  std::optional<int> gpu_;
  DistributedOptions plan_;
  Transform forward_;
  LocalBoxes slabs_;
};

}  // namespace

RankOperatorResult measure_on_ranks(const ConvolutionRow& row, int fields,
                                    const ConvolutionOptions& options, Device::Type device,
                                    const Comm& comm, const RankPeer& fftw) {
  const auto measure = [&]<class T>(T) {
    return RankOperator<T>(row, fields, options, device, comm, fftw).run();
  };
  if (row.kind == Kind::c2c)
    return row.precision == Precision::f32 ? measure(std::complex<float>())
                                           : measure(std::complex<double>());
  return row.precision == Precision::f32 ? measure(float()) : measure(double());
}

}  // namespace weft::tool
