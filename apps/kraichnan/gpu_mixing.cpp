// SPDX-License-Identifier: BSD-3-Clause
// A velocity and the scalar that it carries in the memory of a GPU: amplitudes are drawn there, the
// same as on CPUs, and only spectra for samples, pictures and checkpoints come back.
#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "common/device.hpp"
#include "kraichnan/mixing.hpp"
#include "kraichnan/scalar.hpp"
#include "weft/spectral_cuda.hpp"
#include "weft/spectral_expression.hpp"

namespace weft::apps {
namespace {

using cuda::FieldFunction;
using cuda::Side;

/// Both spectra of the velocity. Parameters: seed, step, factor. See Velocity::draw().
std::string drawing_text(const VelocityOptions& options, const VelocityModel& model) {
  const double largest = model.largest_wave_number();
  const std::string variance = fmt::format(
      "where(k2 == 0, 0, where(k2 <= {:.17g}, where(k2 == 1, {:.17g}, 1)*k2^({:.17g}), 0))",
      largest * largest, model.low_factor(), -1 - options.exponent / 2);
  // One draw serves k and -k; where ky is 0, both are stored.
  const std::string drawn = fmt::format(
      "normal(p0, p1, (where(ky == 0, abs(kx), kx) + {0})*4294967296 + ky)", options.size);
  const std::string scaled = fmt::format(
      "p2*sqrt(0.5*{0})*where(k2 == 0, 0, 1/k)*where(ky == 0, where(kx < 0, -conj({1}), {1}), {1})",
      variance, drawn);
  return fmt::format("-ky*({0}); kx*({0})", scaled);
}

/// The scalar where the velocity carries it from, and the source: parameters 2 m and 2 m + 1 are of
/// its mode m.
std::string moving_text() {
  std::string text = "spline(u0, u1, u2)";
  const auto source = source_of_step(0, 0, 1);
  for (std::size_t m = 0; m < source.size(); ++m)
    text += fmt::format(" + p{0}*cos({2}*x + {3}*y) + p{1}*sin({2}*x + {3}*y)", 2 * m, 2 * m + 1,
                        source[m].k, source[m].l);
  return text;
}

/// Diffusion, and the coefficients of cubic splines: 1 / the spectrum of a spline's samples.
std::string diffusing_text(const MixingOptions& options) {
  return fmt::format("exp({:.17g}*k2)*3/(2 + cos(kx*{:.17g}))*3/(2 + cos(ky*{:.17g}))*u0",
                     -options.diffusivity * options.time_step, options.spacing, options.spacing);
}

class GpuMixing : public Mixing {
 public:
  GpuMixing(const Team& team, const MixingOptions& options)
      : team_(team),
        options_(options),
        n_(options.velocity.size),
        forward_(r2c({n_, n_})),
        draw_(forward_, Side::modes,
              drawing_text(options.velocity, {n_, options.velocity.exponent})),
        move_(forward_, Side::points, moving_text()),
        diffuse_(forward_, spectral::expression(diffusing_text(options))),
        to_points_(c2r({2, n_, n_}, {.axes = {1, 2}})),
        to_modes_(forward_),
        variance_(forward_, Side::points, "u0^2", cuda::Reduction::sum),
        workspace_(std::max({diffuse_.workspace_bytes(), to_points_.workspace_bytes(),
                             to_modes_.workspace_bytes()})) {}

  void advance(Index step) override {
    const double seed = options_.velocity.seed;
    draw_.execute<Complex>(pointers_to<Complex>({&modes_}, 1), pointers_into<Complex>({&modes_}, 2),
                           std::array{seed, static_cast<double>(step),
                                      std::sqrt(options_.time_step) / options_.spacing},
                           {});
    to_points_.execute(static_cast<const Complex*>(modes_[0]), velocity_[0], workspace_, {});
    diffuse_.execute(static_cast<const double*>(field_[0]), coefficients_[0], workspace_, {});
    std::vector<double> source;
    for (const SourceMode& mode : source_of_step(step, options_.velocity.seed, options_.time_step))
      source.insert(source.end(), {mode.cosine, mode.sine});
    auto in = pointers_to<double>({&coefficients_}, 1);
    for (const double* each : pointers_to<double>({&velocity_}, 2)) in.push_back(each);
    move_.execute<double>(in, pointers_into<double>({&field_}, 1), source, {});
  }

  void wait() override { cuda::wait({}); }

  void add_to(Shells& of_scalar, Shells& of_velocity) override {
    const double points = static_cast<double>(n_ * n_);
    std::vector<Complex> spectrum(as_size(modes_.count()));
    const auto add = [&](Shells& shells, double scale) {
      shells.add(team_, Box({0, 0}, {n_, n_ / 2 + 1}),
                 [&](std::size_t i) { return scale * std::norm(spectrum[i]); });
    };
    for (Index c = 0; c < 2; ++c) {
      modes_.download(c, spectrum);
      add(of_velocity, 1);
    }
    // The next step draws these modes anew.
    to_modes_.execute(static_cast<const double*>(field_[0]), modes_[0], workspace_, {});
    modes_.download(0, spectrum);
    add(of_scalar, 1 / (points * points));
  }

  double variance() override {
    return variance_(pointers_to<double>({&field_}, 1))[0] / static_cast<double>(n_ * n_);
  }
  Picture picture() override {
    download();
    return gathered(team_, {n_, n_, 0, n_, on_host_});
  }
  std::vector<SavedField> saved() override {
    download();
    return {{{n_, n_}, Box::of_shape(std::array{n_, n_}), sizeof(double), on_host_.data()}};
  }
  void restored() override { field_.upload(0, on_host_); }
  std::string explain() const override { return cuda::device_name(); }
  Passes passes() const override {
    return Passes::of(to_points_.cost(), 2) +
           Passes::over(static_cast<double>(n_ * n_) * sizeof(double), diffuse_.passes());
  }
  double bytes() const override {
    return static_cast<double>(2 * modes_.count()) * sizeof(Complex) +
           4 * static_cast<double>(n_ * n_) * sizeof(double);
  }
  std::string memory() const override { return device_memory_text(); }

 private:
  void download() {
    on_host_.resize(as_size(n_ * n_));
    field_.download(0, on_host_);
  }
  const Team& team_;
  MixingOptions options_;
  Index n_;
  Transform forward_;
  FieldFunction draw_, move_;
  cuda::SpectralOperator diffuse_;
  cuda::Plan to_points_, to_modes_;
  DeviceReduction variance_;
  cuda::Workspace workspace_;
  DeviceFields<Complex> modes_{2, n_*(n_ / 2 + 1)};
  DeviceFields<double> velocity_{2, n_* n_}, field_{1, n_* n_}, coefficients_{1, n_* n_};
  std::vector<double> on_host_;
};

}  // namespace

std::unique_ptr<Mixing> gpu_mixing(const Team& team, const MixingOptions& options) {
  return std::make_unique<GpuMixing>(team, options);
}

}  // namespace weft::apps
