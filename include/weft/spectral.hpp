// SPDX-License-Identifier: BSD-3-Clause
// SpectralOperator: forward transform, a function of the wave vector at every mode, backward
// transform, as one plan. The last forward step, the function and the first backward step happen
// while a tile of the spectrum is in cache, so that the spectrum itself never goes to memory;
// unless separate steps are faster.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/export.h"
#include "weft/plan.hpp"

namespace weft {

/// Dimensions that the arrays of an operator may have, and fields that it may read or write.
inline constexpr std::size_t max_operator_dimensions = 8, max_operator_fields = 16;

/// Where a mode is: one wave number per transformed axis, in the order of Transform::axes.
template <class Real>
struct WaveVector {
  std::array<Real, max_operator_dimensions> k{};  ///< 2 pi m / L
  /// The same for derivatives of odd order of real fields: 0 where m is n/2, whose sign is unknown.
  std::array<Real, max_operator_dimensions> odd{};
  int axes = 0;
  Real square = 0;  ///< the sum of the squares of k

  Real squared() const { return square; }
};

/// The fields at one mode: u[f] is the number of field f.
template <class Real>
class ModeValues {
 public:
  ModeValues(std::complex<Real>* const* fields, Index at) : fields_(fields), at_(at) {}
  std::complex<Real>& operator[](int field) const { return fields_[field][at_]; }

 private:
  std::complex<Real>* const* fields_;
  Index at_;
};

/// A box of modes of all fields, while it is in cache. A function of the modes reads the inputs in
/// fields 0 .. inputs-1 and leaves the outputs in fields 0 .. outputs-1.
template <class Real>
struct ModeTile {
  /// One dimension of the array.
  struct Dimension {
    Index begin = 0;   ///< first index of the tile in the spectrum
    Index extent = 1;  ///< number of indices
    Index stride = 0;  ///< in complex numbers
    int axis = -1;     ///< position in Transform::axes; -1: part of the batch
    /// Of the tile's indices, if the dimension is transformed.
    const Real *k = nullptr, *odd = nullptr;
  };
  std::span<const Dimension> dimensions;
  std::complex<Real>* const* fields = nullptr;
  int axes = 0;

  /// function(const WaveVector<Real>&, ModeValues<Real>) at every mode.
  template <class Function>
  void for_each(const Function& function) const {
    WaveVector<Real> wave;
    wave.axes = axes;
    if (dimensions.empty()) return function(std::as_const(wave), ModeValues<Real>(fields, 0));
    for_each_row([&](std::span<const Index> index, Index at) {
      wave.square = 0;
      for (std::size_t d = 0; d + 1 < dimensions.size(); ++d) {
        const Dimension& dimension = dimensions[d];
        if (dimension.axis < 0) continue;
        const auto a = static_cast<std::size_t>(dimension.axis);
        wave.k[a] = dimension.k[index[d]];
        wave.odd[a] = dimension.odd[index[d]];
        wave.square += wave.k[a] * wave.k[a];
      }
      run_row(function, wave, at);
    });
  }
  /// function(indices within the tile, offset of the first mode) for every row: all modes that
  /// differ in the index of the last dimension alone, which is given as 0.
  template <class Function>
  void for_each_row(const Function& function) const {
    std::array<Index, max_operator_dimensions> index{};
    const std::span<const Index> indices(index.data(), dimensions.size());
    if (dimensions.empty()) return;
    for (const Dimension& dimension : dimensions)
      if (dimension.extent == 0) return;
    for (Index at = 0;;) {
      function(indices, at);
      std::size_t d = dimensions.size() - 1;
      for (; d-- > 0;) {
        at += dimensions[d].stride;
        if (++index[d] < dimensions[d].extent) break;
        at -= dimensions[d].extent * dimensions[d].stride;
        index[d] = 0;
        if (d == 0) return;
      }
      if (dimensions.size() == 1) return;
    }
  }
  /// function(span of indices in the spectrum, ModeValues<Real>) at every mode: for multipliers
  /// that are stored as an array.
  template <class Function>
  void for_each_index(const Function& function) const {
    if (dimensions.empty()) return function(std::span<const Index>(), ModeValues<Real>(fields, 0));
    std::array<Index, max_operator_dimensions> index{};
    const std::size_t last = dimensions.size() - 1;
    for_each_row([&](std::span<const Index> within, Index at) {
      for (std::size_t d = 0; d <= last; ++d) index[d] = dimensions[d].begin + within[d];
      for (Index i = 0; i < dimensions[last].extent; ++i, ++index[last])
        function(std::span<const Index>(index.data(), last + 1),
                 ModeValues<Real>(fields, at + i * dimensions[last].stride));
    });
  }

 private:
  /// With the axis and the stride known, the wave vector stays in registers and compilers make
  /// vectors of neighbouring modes.
  template <class Function>
  void run_row(const Function& function, const WaveVector<Real>& wave, Index at) const {
    const Dimension& row = dimensions.back();
    if (row.stride == 1) switch (row.axis) {
        case 0: return run_contiguous<0>(function, wave, at);
        case 1: return run_contiguous<1>(function, wave, at);
        case 2: return run_contiguous<2>(function, wave, at);
        default: break;
      }
    WaveVector<Real> here = wave;
    for (Index i = 0; i < row.extent; ++i) {
      if (row.axis >= 0) {
        const auto a = static_cast<std::size_t>(row.axis);
        here.k[a] = row.k[i];
        here.odd[a] = row.odd[i];
        here.square = wave.square + row.k[i] * row.k[i];
      }
      function(std::as_const(here), ModeValues<Real>(fields, at + i * row.stride));
    }
  }
  template <std::size_t axis, class Function>
  [[gnu::flatten]] void run_contiguous(const Function& function, WaveVector<Real> here,
                                       Index at) const {
    const Real *k = dimensions.back().k, *odd = dimensions.back().odd, others = here.square;
    const Index extent = dimensions.back().extent;
    std::complex<Real>* const* const all = fields;
    for (Index i = 0; i < extent; ++i) {
      here.k[axis] = k[i];
      here.odd[axis] = odd[i];
      here.square = others + k[i] * k[i];
      function(std::as_const(here), ModeValues<Real>(all, at + i));
    }
  }
};

/// The same function in a form that a GPU can have: text, or numbers that the modes of one field
/// are multiplied by. Ready-made functions (spectral_functions.hpp) and expressions
/// (spectral_expression.hpp) have one; a C++ callable alone has none.
struct ModeForm {
  std::string text = {};  ///< of an expression, see spectral_expression.hpp
  int reversed_axes = 0;  ///< see spectral::ExpressionOptions

  /// A number for every mode, on the host or in device memory.
  const void* multipliers = nullptr;
  Precision precision = Precision::f64;  ///< of the multipliers
  bool is_on_device = false;
  bool is_conjugate = false;      ///< modes are multiplied by the conjugate numbers
  std::vector<Index> shape = {};  ///< of the multipliers

  /// One list per dimension of the spectrum; an empty list stands for ones.
  std::vector<std::vector<std::complex<double>>> factors = {};
  /// The factor of an index along a transformed axis, of its wave number for odd derivatives.
  std::function<std::complex<double>(int axis, double odd)> factor_of_axis = {};
};

template <class Function, class Real>
concept TileFunction = std::invocable<const Function&, const ModeTile<Real>&>;

/// What happens to the modes: a callable on tiles of float, double or both, and how many fields it
/// reads and writes. It is called by several threads at once.
class ModeFunction {
 public:
  template <class Function>
    requires(TileFunction<Function, double> || TileFunction<Function, float>)
  ModeFunction(Function function, int inputs = 1, int outputs = 1, int least_axes = 0)
      : inputs_(inputs), outputs_(outputs), least_axes_(least_axes) {
    if constexpr (TileFunction<Function, float>) on_f32_ = function;
    if constexpr (TileFunction<Function, double>) on_f64_ = std::move(function);
  }
  /// For GPUs alone: there is nothing that a CPU could call.
  explicit ModeFunction(ModeForm form, int inputs = 1, int outputs = 1, int least_axes = 0)
      : inputs_(inputs), outputs_(outputs), least_axes_(least_axes) {
    form_ = std::make_shared<const ModeForm>(std::move(form));
  }
  /// The same function with a form for GPUs.
  ModeFunction on_gpus(ModeForm form) && {
    form_ = std::make_shared<const ModeForm>(std::move(form));
    return std::move(*this);
  }
  const ModeForm* form() const { return form_.get(); }  ///< null: there is none

  int inputs() const { return inputs_; }
  int outputs() const { return outputs_; }
  int least_axes() const { return least_axes_; }  ///< transformed axes that it needs
  const std::function<void(const ModeTile<float>&)>& on_f32() const { return on_f32_; }
  const std::function<void(const ModeTile<double>&)>& on_f64() const { return on_f64_; }

 private:
  std::function<void(const ModeTile<float>&)> on_f32_;
  std::function<void(const ModeTile<double>&)> on_f64_;
  std::shared_ptr<const ModeForm> form_;
  int inputs_, outputs_, least_axes_;
};

/// From a function of one mode, `function(const auto& wave, auto u)`, which is inlined into a loop
/// over the tile: at_every_mode([](const auto& wave, auto u) { u[0] *= -wave.squared(); })
template <class Function>
ModeFunction at_every_mode(Function function, int inputs = 1, int outputs = 1) {
  return {[function = std::move(function)](const auto& tile) { tile.for_each(function); }, inputs,
          outputs};
}

struct SpectralOptions {
  Effort effort = Effort::estimate;
  int threads = 1;                                     ///< 0: all cores; ignored with an executor
  std::shared_ptr<const Executor> executor = nullptr;  ///< the caller's own threads
  double time_limit_s = 10.0;                          ///< for measure and patient
  bool use_wisdom = true;
  /// Periods of the fields, one per transformed axis. Empty: 2 pi, so that wave numbers are whole.
  std::vector<double> lengths = {};
};

class WEFT_API SpectralOperator {
 public:
  /// `forward` is c2c (forward) or r2c, f32 or f64, with contiguous arrays. Its normalization is
  /// not used: forward and backward together give the identity. Arrays may be shorter than the
  /// transform (Transform::input_extents, output_extents): points that the input lacks are zero,
  /// those that the output lacks are not stored, and neither is ever in memory, so a convolution
  /// with zero padding needs no padded array. Throws weft::Error for what makes no sense.
  SpectralOperator(const Transform& forward, ModeFunction function,
                   const SpectralOptions& options = {});
  ~SpectralOperator();
  SpectralOperator(SpectralOperator&&) noexcept;
  SpectralOperator& operator=(SpectralOperator&&) noexcept;

  /// One field in, one field out. In place if both are the same pointer. Threads may share the
  /// operator, each with a workspace of its own. What the function throws is thrown here; the
  /// output is then undefined.
  template <Scalar T>
  void execute(const T* in, T* out, Workspace& workspace) const {
    const T* from[] = {in};
    T* to[] = {out};
    execute(std::span<const T* const>(from), std::span<T* const>(to), workspace);
  }
  /// Several fields, each an array of its own. Output f may be the same array as input f; no other
  /// memory may be shared.
  template <Scalar T>
  void execute(std::span<const T* const> in, std::span<T* const> out, Workspace& workspace) const {
    std::array<const void*, max_operator_fields> from{};
    std::array<void*, max_operator_fields> to{};
    for (std::size_t f = 0; f < in.size() && f < from.size(); ++f) from[f] = in[f];
    for (std::size_t f = 0; f < out.size() && f < to.size(); ++f) to[f] = out[f];
    run({ScalarTraits<T>::precision, ScalarTraits<T>::is_complex}, from.data(), in.size(),
        to.data(), out.size(), workspace);
  }
  /// Allocates a workspace for this call.
  template <Scalar T>
  void execute(const T* in, T* out) const {
    Workspace workspace = make_workspace();
    execute(in, out, workspace);
  }

  std::size_t workspace_bytes() const;
  Workspace make_workspace() const { return Workspace(workspace_bytes()); }
  std::vector<Index> input_shape() const;     ///< of one field
  std::vector<Index> output_shape() const;    ///< of one field
  std::vector<Index> spectrum_shape() const;  ///< what ModeTile's indices count in

  /// How often all fields go through memory, what is fused, and the recipes of the steps.
  std::string explain() const;
  double passes() const;

 private:
  struct Element {
    Precision precision;
    bool is_complex;
  };
  void run(Element type, const void* const* in, std::size_t inputs, void* const* out,
           std::size_t outputs, Workspace& workspace) const;
  struct Impl;
  PlanPointer<Impl> impl_;
};

}  // namespace weft
