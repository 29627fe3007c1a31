// SPDX-License-Identifier: BSD-3-Clause
// SpectralOperator on an NVIDIA GPU: forward transform, a function of the wave vector at every
// mode, backward transform, of arrays in device memory. Where it can be, the last forward pass, the
// function and the first backward pass are one kernel, of all fields together.
#pragma once

#include <array>
#include <complex>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "weft/cuda.hpp"
#include "weft/export.h"
#include "weft/spectral.hpp"

namespace weft::cuda {

struct SpectralOptions {
  int device = 0;
  Effort effort = Effort::estimate;  ///< measure and patient time operators on the device
  double time_limit_s = 10.0;        ///< for measure and patient
  bool use_wisdom = true;            ///< recipes measured before, by device
  /// Bytes. An operator takes no more than this, if it can do with less.
  std::size_t workspace_limit = std::numeric_limits<std::size_t>::max();
  /// A recipe as SpectralOperator::recipe() prints it; empty: choose one.
  std::string recipe = {};
  /// Periods of the fields, one per transformed axis. Empty: 2 pi, so that wave numbers are whole.
  std::vector<double> lengths = {};
};

class WEFT_API SpectralOperator {
 public:
  /// `forward` is c2c (forward) or r2c, f32 or f64, with contiguous arrays; these may have fewer
  /// points than the transform (`input_extents`, `output_extents`). Its normalization is not used:
  /// forward and backward together give the identity. The function has a form for GPUs: it is one
  /// of spectral_functions.hpp, a text (spectral_expression.hpp) or multiplies by an array.
  /// Multipliers on the host are copied to the device now. Throws weft::Error for what makes no
  /// sense, or if there is no usable GPU.
  SpectralOperator(const Transform& forward, const ModeFunction& function,
                   const SpectralOptions& options = {});
  ~SpectralOperator();
  SpectralOperator(SpectralOperator&&) noexcept;
  SpectralOperator& operator=(SpectralOperator&&) noexcept;

  /// One field in, one field out, in device memory; in place if both are the same pointer. Puts
  /// the work on the stream and returns: no synchronisation, no allocation, so that it may be
  /// captured into a CUDA graph. The workspace is in use until the stream has done the work.
  template <Scalar T>
  void execute(const T* in, T* out, Workspace& workspace, Stream stream) const {
    const T* from[] = {in};
    T* to[] = {out};
    execute(std::span<const T* const>(from), std::span<T* const>(to), workspace, stream);
  }
  /// Several fields, each an array of its own. Output f may be the same array as input f; no other
  /// memory may be shared.
  template <Scalar T>
  void execute(std::span<const T* const> in, std::span<T* const> out, Workspace& workspace,
               Stream stream) const {
    std::array<const void*, max_operator_fields + 1> from{};  // one more, which is too many
    std::array<void*, max_operator_fields + 1> to{};
    for (std::size_t f = 0; f < in.size() && f < from.size(); ++f) from[f] = in[f];
    for (std::size_t f = 0; f < out.size() && f < to.size(); ++f) to[f] = out[f];
    run(ScalarTraits<T>::precision, ScalarTraits<T>::is_complex,
        std::span(from).first(std::min(in.size(), from.size())),
        std::span(to).first(std::min(out.size(), to.size())), workspace, stream);
  }

  std::size_t workspace_bytes() const;
  Workspace make_workspace() const;
  std::vector<Index> input_shape() const;     ///< of one field
  std::vector<Index> output_shape() const;    ///< of one field
  std::vector<Index> spectrum_shape() const;  ///< what multipliers have a number for
  int device() const;

  std::string recipe() const;   ///< one line, from which the operator can be built again
  std::string explain() const;  ///< for people: passes, what is fused
  /// How often all fields go through memory.
  double passes() const;

 private:
  void run(Precision precision, bool is_complex, std::span<const void* const> in,
           std::span<void* const> out, Workspace& workspace, Stream stream) const;
  struct Impl;
  PlanPointer<Impl> impl_;
};

/// Every mode times the number that has its index in the spectrum (row-major, of
/// SpectralOperator::spectrum_shape()), from device memory. The array is not copied: keep it while
/// the operator lives. What it holds when an operator runs is what counts.
template <class Real>
ModeFunction multiply(const std::complex<Real>* device_memory, const std::vector<Index>& shape) {
  ModeForm form;
  form.multipliers = device_memory;
  form.precision = ScalarTraits<Real>::precision;
  form.is_on_device = true;
  form.shape = shape;
  return ModeFunction(std::move(form));
}
/// The same with the conjugate multipliers: correlation.
template <class Real>
ModeFunction multiply_conjugate(const std::complex<Real>* device_memory,
                                const std::vector<Index>& shape) {
  ModeForm form = *multiply(device_memory, shape).form();
  form.is_conjugate = true;
  return ModeFunction(std::move(form));
}

}  // namespace weft::cuda
