// SPDX-License-Identifier: BSD-3-Clause
#include "turbulence/gpu_flow.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <complex>
#include <map>
#include <optional>

#include "common/device.hpp"
#include "turbulence/gpu_texts.hpp"
#include "weft/cuda.hpp"

namespace weft::apps {
namespace {

using cuda::FieldFunction;
using cuda::Side;

template <class Real>
constexpr Precision precision_of = sizeof(Real) == 4 ? Precision::f32 : Precision::f64;

/// Three fields with their spectra, there and back. Small ones at once, large ones one by one:
/// the workspace is as large as what is transformed at once.
template <class Real>
class VectorTransform {
 public:
  using Spectrum = std::complex<Real>;

  VectorTransform(Index n, Effort effort)
      : batch_(n * n * n * static_cast<Index>(sizeof(Real)) <= most_bytes_at_once ? 3 : 1),
        forward_(r2c({batch_, n, n, n}, options()), {.effort = effort}),
        backward_(c2r({batch_, n, n, n}, options()), {.effort = effort}),
        workspace_(std::max(forward_.workspace_bytes(), backward_.workspace_bytes())) {}

  void forward(DeviceFields<Real>& from, DeviceFields<Spectrum>& to) {
    for (Index f = 0; f < 3; f += batch_)
      forward_.execute(static_cast<const Real*>(from[f]), to[f], workspace_, {});
  }
  Passes passes_of_step() const {
    const auto fields = static_cast<double>(batch_);
    return (transforms_back / fields) * Passes::of(backward_.cost(), fields) +
           (transforms_forth / fields) * Passes::of(forward_.cost(), fields);
  }
  void backward(DeviceFields<Spectrum>& from, DeviceFields<Real>& to) {
    for (Index f = 0; f < 3; f += batch_)
      backward_.execute(static_cast<const Spectrum*>(from[f]), to[f], workspace_, {});
  }

 private:
  static constexpr Index most_bytes_at_once = Index{16} << 20;
  static TransformOptions options() { return {.axes = {1, 2, 3}, .precision = precision_of<Real>}; }
  Index batch_;
  cuda::Plan forward_, backward_;
  cuda::Workspace workspace_;
};

template <class Real>
class GpuFlow : public Flow {
 public:
  using Spectrum = std::complex<Real>;

  GpuFlow(const Team& team, const FlowOptions& options)
      : team_(team),
        options_(options),
        points_(options.size * options.size * options.size),
        modes_(options.size * options.size * (options.size / 2 + 1)),
        forward_(
            r2c({options.size, options.size, options.size}, {.precision = precision_of<Real>})),
        transform_(options.size, options.effort),
        curl_text_(at_modes(flow_texts::curl())),
        product_(forward_, Side::points, flow_texts::product()),
        energies_(forward_, Side::modes, flow_texts::energies(), cuda::Reduction::sum, kept()),
        divergence_(forward_, Side::modes, flow_texts::divergence(), cuda::Reduction::maximum,
                    kept()),
        speed_(forward_, Side::points, "abs(u0) + abs(u1) + abs(u2)", cuda::Reduction::maximum) {
    for (int s = 0; s < flow_texts::stages; ++s)
      stages_.push_back(at_modes(flow_texts::stage(s, is_forced())));
    if (is_forced())
      forced_energy_.emplace(forward_, Side::modes, flow_texts::forced_energy(),
                             cuda::Reduction::sum, kept());
    if (options.start == Start::random)
      begin_random();
    else
      apply(at_modes(flow_texts::start(options.start)), {state_[0]}, {&state_}, {});
    restore_curl();
  }

  void step() override {
    for (int s = 0; s < flow_texts::stages; ++s) run_stage(s);
    has_energies_ = false;
  }
  void wait() override { cuda::wait({}); }
  std::string step_in_parts() override {
    wait();
    parts_.emplace();
    step();
    std::string text;
    for (const auto& [name, seconds] : parts_->seconds)
      text += fmt::format("{}{} {:.2f} ms", text.empty() ? "" : ", ", name, 1e3 * seconds);
    parts_.reset();
    return text;
  }

  double energy() const override { return current_energies()[0]; }
  double dissipation() const override { return options_.viscosity * current_energies()[1]; }
  double largest_divergence() const override {
    return divergence_(pointers_to<Spectrum>({&state_}, 3))[0];
  }
  double largest_speed() const override { return largest_speed_; }

  double single_mode_error(double time) const override {
    const double k = single_mode_number;
    DeviceReduction error(forward_, Side::modes, flow_texts::single_mode_error(),
                          cuda::Reduction::maximum, kept());
    return std::ranges::max(
        error(pointers_to<Spectrum>({&state_}, 3), {std::exp(-options_.viscosity * k * k * time)}));
  }

  std::vector<double> spectrum() const override {
    const Index n = options_.size, cutoff = cutoff_of(n);
    constexpr Index parts = 16;  // whatever the number of threads is
    std::vector<std::vector<double>> sums(parts, std::vector<double>(as_size(cutoff + 1)));
    std::vector<Spectrum> field(as_size(modes_));
    for (Index c = 0; c < 3; ++c) {
      state_.download(c, field);
      team_.for_range(parts, [&](Index begin, Index end) {
        for (Index part = begin; part < end; ++part)
          add_energies(field, split_evenly(n * n, parts, part), sums[as_size(part)]);
      });
    }
    for (std::size_t part = 1; part < sums.size(); ++part)
      for (std::size_t k = 0; k < sums[0].size(); ++k) sums[0][k] += sums[part][k];
    return sums[0];
  }

  Picture vorticity_plane() override {
    const Index n = options_.size;
    transform_.backward(curl_, vorticity_);
    if (!size_in_plane_)
      size_in_plane_.emplace(r2c({n, n}, {.precision = precision_of<Real>}), Side::points,
                             "sqrt(u0^2 + u1^2 + u2^2)",
                             cuda::FieldOptions{.input_strides = {n * n, n}});
    cuda::Array<Real> plane(n * n);
    std::vector<const Real*> from;
    for (Index c = 0; c < 3; ++c) from.push_back(vorticity_[c] + n / 2);
    Real* const to[] = {plane.data()};
    size_in_plane_->template execute<Real>(from, to, {}, {});
    std::vector<Real> values(as_size(n * n));
    plane.download(values);
    return gathered(team_, {n, n, 0, n, {values.begin(), values.end()}});
  }

  /// As f64 whatever the flow has: a checkpoint goes on on CPUs, too.
  std::vector<SavedField> saved() override {
    const Index n = options_.size;
    const std::vector<Index> shape{n, n, n / 2 + 1};
    std::vector<Spectrum> field(as_size(modes_));
    std::vector<SavedField> fields;
    for (Index c = 0; c < 3; ++c) {
      state_.download(c, field);
      auto& copy = on_host_[as_size(c)];
      copy.assign(field.begin(), field.end());
      fields.push_back({shape, Box::of_shape(shape), sizeof(copy[0]), copy.data()});
    }
    return fields;
  }
  void restored() override {
    for (Index c = 0; c < 3; ++c) {
      const auto& copy = on_host_[as_size(c)];
      std::vector<Spectrum> field(copy.size());
      for (std::size_t i = 0; i < copy.size(); ++i) field[i] = Spectrum(copy[i]);
      state_.upload(c, field);
    }
    restore_curl();
    has_energies_ = false;
  }
  std::string explain() const override {
    return fmt::format("{}, {}", cuda::device_name(), sizeof(Real) == 4 ? "f32" : "f64");
  }
  Passes passes() const override { return transform_.passes_of_step(); }
  double bytes() const override {
    return static_cast<double>(15 * modes_ * static_cast<Index>(sizeof(Spectrum)) +
                               6 * points_ * static_cast<Index>(sizeof(Real)));
  }
  std::string memory() const override { return device_memory_text(); }

 private:
  static Index wave_number(Index index, Index extent) {
    return 2 * index <= extent ? index : index - extent;
  }
  /// Of the modes in rows [begin, end) of the last axis.
  void add_energies(const std::vector<Spectrum>& field, std::pair<Index, Index> rows,
                    std::vector<double>& shells) const {
    const Index n = options_.size, length = n / 2 + 1;
    for (Index row = rows.first; row < rows.second; ++row)
      for (Index z = 0; z < length; ++z) {
        const auto x = static_cast<double>(wave_number(row / n, n)),
                   y = static_cast<double>(wave_number(row % n, n));
        const auto shell = static_cast<std::size_t>(
            std::lround(std::sqrt(x * x + y * y + static_cast<double>(z * z))));
        if (shell >= shells.size()) continue;
        const auto u = field[as_size(row * length + z)];
        const double re = u.real(), im = u.imag();
        shells[shell] += 0.5 * (z == 0 ? 1 : 2) * (re * re + im * im);
      }
  }
  bool is_forced() const { return options_.power > 0; }
  cuda::FieldOptions kept() const {
    const Index most = cutoff_of(options_.size);
    return {.cutoff = {most, most, most}};
  }
  FieldFunction at_modes(const std::string& text) const {
    return {forward_, Side::modes, text, kept()};
  }
  void apply(const FieldFunction& function, const std::vector<const Spectrum*>& in,
             std::initializer_list<DeviceFields<Spectrum>*> out,
             const std::vector<double>& parameters) {
    function.execute<Spectrum>(in, pointers_into<Spectrum>(out, 3), parameters, {});
  }
  /// Of the state, in curl_: modes that are cut off are zero there from the beginning.
  void restore_curl() { apply(curl_text_, pointers_to<Spectrum>({&state_}, 3), {&curl_}, {}); }

  void run_stage(int s) {
    const bool is_first = s == 0, is_last = s + 1 == flow_texts::stages;
    DeviceFields<Spectrum>& velocity_modes = is_first ? state_ : stage_;
    transform_.backward(velocity_modes, velocity_);
    transform_.backward(curl_, vorticity_);
    note("24 transforms back");
    if (is_first) largest_speed_ = speed_(pointers_to<Real>({&velocity_}, 3))[0];
    note("largest speed");
    product_.execute<Real>(pointers_to<Real>({&velocity_, &vorticity_}, 3),
                           pointers_into<Real>({&velocity_}, 3), {}, {});
    note("products");
    transform_.forward(velocity_, rate_);
    note("12 transforms forth");
    const double h = options_.time_step;
    std::vector<double> parameters{h, options_.viscosity * h / 2, 1 / static_cast<double>(points_)};
    if (is_forced()) {
      const double there = (*forced_energy_)(pointers_to<Spectrum>({&velocity_modes}, 3))[0];
      parameters.push_back(there > 0 ? options_.power / there : 0);
    }
    auto in = pointers_to<Spectrum>({&rate_}, 3);
    const auto add = [&](const DeviceFields<Spectrum>& fields) {
      for (const Spectrum* each : pointers_to<Spectrum>({&fields}, 3)) in.push_back(each);
    };
    if (!is_last) add(state_);
    if (!is_first) add(sum_);
    if (!is_first && is_forced()) add(stage_);
    if (is_last)
      apply(stages_[as_size(s)], in, {&state_, &curl_}, parameters);
    else
      apply(stages_[as_size(s)], in, {&sum_, &stage_, &curl_}, parameters);
    note("modes");
  }

  /// What the parts of a step take, if that is asked.
  struct Parts {
    std::map<std::string, double> seconds;
    std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
  };
  void note(const char* part) {
    if (!parts_) return;
    wait();
    const auto now = std::chrono::steady_clock::now();
    parts_->seconds[part] += std::chrono::duration<double>(now - parts_->last).count();
    parts_->last = now;
  }

  /// Noise at the points, which is a function of seed and place, shaped in the spectrum.
  void begin_random() {
    std::vector<Real> noise(as_size(points_));
    for (Index c = 0; c < 3; ++c) {
      team_.for_range(points_, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i)
          noise[as_size(i)] = static_cast<Real>(
              normal_pair(hash(static_cast<std::uint64_t>(options_.seed),
                               static_cast<std::uint64_t>(c), static_cast<std::uint64_t>(i)))
                  .first);
      });
      velocity_.upload(c, noise);
    }
    transform_.forward(velocity_, rate_);
    apply(at_modes(flow_texts::random_start()), pointers_to<Spectrum>({&rate_}, 3), {&state_},
          {1 / static_cast<double>(points_)});
    apply(at_modes("p0*u0; p0*u1; p0*u2"), pointers_to<Spectrum>({&state_}, 3), {&state_},
          {std::sqrt(0.5 / energy())});
    has_energies_ = false;
  }

  const std::vector<double>& current_energies() const {
    if (!has_energies_) energies_now_ = energies_(pointers_to<Spectrum>({&state_}, 3));
    has_energies_ = true;
    return energies_now_;
  }

  const Team& team_;
  FlowOptions options_;
  Index points_, modes_;
  Transform forward_;
  VectorTransform<Real> transform_;
  FieldFunction curl_text_, product_;
  std::vector<FieldFunction> stages_;
  mutable DeviceReduction energies_, divergence_;
  DeviceReduction speed_;
  std::optional<DeviceReduction> forced_energy_;
  std::optional<FieldFunction> size_in_plane_;  // made for the first picture
  DeviceFields<Spectrum> state_{3, modes_}, stage_{3, modes_}, sum_{3, modes_}, rate_{3, modes_},
      curl_{3, modes_};
  DeviceFields<Real> velocity_{3, points_}, vorticity_{3, points_};
  std::array<std::vector<std::complex<double>>, 3> on_host_;
  std::optional<Parts> parts_;
  double largest_speed_ = 0;
  mutable bool has_energies_ = false;
  mutable std::vector<double> energies_now_;
};

}  // namespace

std::unique_ptr<Flow> gpu_flow(const Team& team, const FlowOptions& options) {
  if (options.precision == Precision::f32) return std::make_unique<GpuFlow<float>>(team, options);
  return std::make_unique<GpuFlow<double>>(team, options);
}

}  // namespace weft::apps
