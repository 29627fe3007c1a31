// SPDX-License-Identifier: BSD-3-Clause
// Real fields in slabs along the first axis, and their spectra in slabs along the second: the
// spectrum is never transposed back. And operators that run on one rank or on many.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "common/device.hpp"
#include "common/memory_limit.hpp"
#include "common/team.hpp"
#include "weft/distributed.hpp"
#include "weft/spectral_cuda.hpp"
#include "weft/spectral_distributed.hpp"

namespace weft::apps {

using Complex = std::complex<double>;

/// Which slabs a spectrum lies in: along the second axis the transposition back is skipped.
enum class SpectrumOrder { transposed, natural };

class RealTransform {
 public:
  RealTransform(const Team& team, std::vector<Index> shape,
                SpectrumOrder order = SpectrumOrder::transposed, Effort effort = Effort::estimate);

  const std::vector<Index>& shape() const { return shape_; }
  const std::vector<Index>& spectrum_shape() const { return spectrum_shape_; }
  const Box& field_box() const { return field_box_; }
  const Box& spectrum_box() const { return spectrum_box_; }
  Index field_count() const { return field_box_.count(); }
  Index spectrum_count() const { return spectrum_box_.count(); }
  double points() const { return points_; }  ///< of the whole field
  double field_bytes() const { return points_ * sizeof(double); }
  double spectrum_bytes() const;  ///< of the whole spectrum

  /// Unnormalised. The input is left as it was.
  void forward(const double* field, Complex* spectrum) { forward_->execute(field, spectrum); }
  void backward(const Complex* spectrum, double* field) { backward_->execute(spectrum, field); }
  std::string explain() const { return forward_->explain(); }
  /// As one process would plan it; ranks share them.
  Passes passes_forward() const;
  Passes passes_backward() const;

 private:
  std::shared_ptr<const Executor> executor_;
  std::vector<Index> shape_, spectrum_shape_;
  Box field_box_, spectrum_box_;
  double points_ = 1;
  std::optional<DistributedPlan> forward_, backward_;
};

/// The signed wave number of an index: 0, 1, ..., n/2, ..., -1.
inline Index wave_number(Index index, Index extent) {
  return 2 * index <= extent ? index : index - extent;
}

/// A spectral operator on fields in boxes of ranks; on one rank it is fused. On a GPU the fields
/// are copied there and back; the function needs a form for GPUs.
class FieldOperator {
 public:
  FieldOperator(const Team& team, const Transform& forward, const ModeFunction& function,
                const LocalBoxes& boxes, const std::vector<double>& lengths,
                Where where = Where::cpu);
  void execute(std::span<const double* const> in, std::span<double* const> out);
  void execute(const double* in, double* out) {
    const double* from[] = {in};
    double* to[] = {out};
    execute(from, to);
  }
  std::string explain() const;
  Passes passes() const;  ///< as one process would plan it; ranks share them

 private:
  double passes_over_all() const;
  struct OnGpu {
    cuda::SpectralOperator op;
    cuda::Workspace workspace;
    DeviceFields<double> fields;
  };
  Transform forward_;
  ModeFunction function_;
  std::vector<double> lengths_;
  std::optional<OnGpu> on_gpu_;
  std::optional<SpectralOperator> alone_;
  std::optional<Workspace> workspace_;
  std::optional<DistributedOperator> on_ranks_;
};

}  // namespace weft::apps
