// SPDX-License-Identifier: BSD-3-Clause
#include "pppm/gpu_mesh.hpp"

#include <fmt/format.h>

#include "common/device.hpp"

namespace weft::apps {
namespace {

/// u0 is the density, the parts of u1 are the influence functions for energy and force. For ik the
/// field is -i k times the potential; k is a sum over the axes, whose derivatives are 0 for the
/// mode n/2.
std::string influence_text(const MeshOptions& options, const InfluenceFunction& influence) {
  std::string text = "real(u1)*u0";
  if (options.differentiation == Differentiation::analytic) return text + "; imag(u1)*u0";
  const std::array<Vector3, 3> rows{influence.wave_vector({1, 0, 0}),
                                    influence.wave_vector({0, 1, 0}),
                                    influence.wave_vector({0, 0, 1})};
  for (std::size_t d = 0; d < 3; ++d)
    text += fmt::format("; -(({:.17g})*dx + ({:.17g})*dy + ({:.17g})*dz)*imag(u1)*u0", rows[0][d],
                        rows[1][d], rows[2][d]);
  return text;
}

}  // namespace

struct GpuMeshOperator::Impl {
  Transform forward;
  cuda::Plan to_modes, to_points;
  cuda::FieldFunction multiply;
  cuda::Workspace workspace;
  Index points, modes;
  DeviceFields<double> fields;
  DeviceFields<Complex> spectra;  // the last one has the influence functions

  Impl(const MeshOptions& options, const InfluenceFunction& influence)
      : forward(r2c({options.points.begin(), options.points.end()})),
        to_modes(forward),
        to_points(inverse(forward, Normalization::backward)),
        multiply(forward, cuda::Side::modes, influence_text(options, influence)),
        workspace(std::max(to_modes.workspace_bytes(), to_points.workspace_bytes())),
        points(options.points[0] * options.points[1] * options.points[2]),
        modes(options.points[0] * options.points[1] * (options.points[2] / 2 + 1)),
        fields(1, points),
        spectra(multiply.outputs() + 1, modes) {}

  static Transform inverse(const Transform& forward, Normalization normalization) {
    Transform backward = weft::inverse(forward);
    backward.normalization = normalization;
    return backward;
  }
};

GpuMeshOperator::GpuMeshOperator(const MeshOptions& options, const InfluenceFunction& influence,
                                 const std::vector<double>& for_energy,
                                 const std::vector<double>& for_force)
    : impl_(std::make_unique<Impl>(options, influence)) {
  std::vector<Complex> both(for_energy.size());
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = {for_energy[i], for_force[i]};
  impl_->spectra.upload(impl_->multiply.outputs(), both);
}
GpuMeshOperator::~GpuMeshOperator() = default;

void GpuMeshOperator::execute(std::span<const double> density,
                              const std::vector<std::span<double>>& results) {
  Impl& all = *impl_;
  const int outputs = all.multiply.outputs();
  all.fields.upload(0, density);
  all.to_modes.execute(static_cast<const double*>(all.fields[0]), all.spectra[0], all.workspace,
                       {});
  const Complex* const in[] = {all.spectra[0], all.spectra[outputs]};
  all.multiply.execute<Complex>(in, pointers_into<Complex>({&all.spectra}, outputs), {}, {});
  for (int f = 0; f < outputs; ++f) {
    all.to_points.execute(static_cast<const Complex*>(all.spectra[f]), all.fields[0], all.workspace,
                          {});
    all.fields.download(0, results[as_size(f)]);
  }
}

std::string GpuMeshOperator::explain() const {
  return fmt::format("{}, 1 fields in, {} out", cuda::device_name(), impl_->multiply.outputs());
}

Passes GpuMeshOperator::passes() const {
  const Impl& all = *impl_;
  const double outputs = all.multiply.outputs();
  // The function reads two spectra and writes its outputs: half a pass for each.
  return Passes::of(all.to_modes.cost()) + outputs * Passes::of(all.to_points.cost()) +
         Passes::over(static_cast<double>(all.modes) * sizeof(Complex), (2 + outputs) / 2);
}

}  // namespace weft::apps
