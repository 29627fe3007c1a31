// SPDX-License-Identifier: BSD-3-Clause
// What programs do between transforms on an NVIDIA GPU: a function of several fields at every point
// or at every mode, and sums over them, from a text that is compiled for the device; and arrays in
// device memory. With weft::cuda::Plan a whole time step stays on the GPU.
#pragma once

#include <array>
#include <complex>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/cuda.hpp"
#include "weft/export.h"
#include "weft/spectral.hpp"

namespace weft::cuda {

namespace detail {
WEFT_API void set_to_zero(void* device_memory, std::size_t bytes, int device);
WEFT_API void copy_to_device(void* to, const void* from, std::size_t bytes, int device,
                             Stream stream);
WEFT_API void copy_to_host(void* to, const void* from, std::size_t bytes, int device,
                           Stream stream);
[[noreturn]] WEFT_API void refuse_length(Index given, Index held);
}  // namespace detail

/// Waits until the stream has done all that was put on it.
WEFT_API void wait(Stream stream, int device = 0);

/// Of the device, used by all of its programs.
struct MemoryUse {
  std::size_t free_bytes = 0, total_bytes = 0;
};
WEFT_API MemoryUse memory_use(int device = 0);

/// An array in device memory, zero at first.
template <class T>
class Array {
 public:
  explicit Array(Index count, int device = 0)
      : memory_(bytes_of(count), device), count_(count), device_(device) {
    detail::set_to_zero(memory_.data(), memory_.bytes(), device);
  }
  T* data() { return static_cast<T*>(memory_.data()); }
  const T* data() const { return static_cast<const T*>(memory_.data()); }
  Index count() const { return count_; }

  /// Copies as many numbers as the span has, to or from the array's beginning at `offset`. Waits
  /// for the stream first and for the copy. Throws weft::Error if the array is shorter.
  void upload(std::span<const T> from, Stream stream = {}, Index offset = 0) {
    check(from.size(), offset);
    detail::copy_to_device(data() + offset, from.data(), from.size_bytes(), device_, stream);
  }
  void download(std::span<T> to, Stream stream = {}, Index offset = 0) const {
    check(to.size(), offset);
    detail::copy_to_host(to.data(), data() + offset, to.size_bytes(), device_, stream);
  }

 private:
  /// A count that no memory holds is refused as too much memory.
  static std::size_t bytes_of(Index count) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    const bool fits = count >= 0 && static_cast<std::size_t>(count) <= most / 2 / sizeof(T);
    return fits ? static_cast<std::size_t>(count) * sizeof(T) : most / 2;
  }
  void check(std::size_t given, Index offset) const {
    if (offset < 0 || static_cast<Index>(given) > count_ - offset)
      detail::refuse_length(offset + static_cast<Index>(given), count_);
  }
  Workspace memory_;
  Index count_;
  int device_;
};

/// On which side of a forward transform a function is applied. Points: the fields are the arrays
/// that go into it, real for r2c. Modes: they are its spectra, and have wave vectors.
enum class Side { points, modes };

struct FieldOptions {
  int device = 0;
  /// Periods of the fields, one per transformed axis. Empty: 2 pi.
  std::vector<double> lengths = {};
  /// At modes, one per transformed axis: only modes with |m| <= cutoff are computed, in whole
  /// numbers m; the others are neither read nor written. Empty: all.
  std::vector<Index> cutoff = {};
  /// In elements, one per dimension, of all inputs or all outputs. Empty: contiguous.
  std::vector<Index> input_strides = {}, output_strides = {};
};

/// A text as in spectral_expression.hpp, one expression per output. It may also name parameters,
/// p0 ... p15: real numbers that each execution gives. At the points of r2c the fields u0, u1, ...
/// are real and so must the outputs be; at points there are no wave numbers, but
///
///   x, y, z, w             the place along the first to fourth transformed axis, from 0 to the
///                          period
///   spline(u0, a, b, c)    at the points of r2c: the sum of cubic B-splines with the coefficients
///                          u0 at the place that lies so many points before this one; one distance
///                          per dimension. The output must be another array.
///
/// Everywhere: normal(a, b, c), two independent normal random numbers of variance 1 as a complex
/// one, a function of three whole numbers (below 2^53 in f64, 2^24 in f32).
class WEFT_API FieldFunction {
 public:
  /// `forward` is c2c (forward) or r2c, f32 or f64. Throws weft::Error for what makes no sense, or
  /// if there is no usable GPU.
  FieldFunction(const Transform& forward, Side side, const std::string& text,
                const FieldOptions& options = {});
  ~FieldFunction();
  FieldFunction(FieldFunction&&) noexcept;
  FieldFunction& operator=(FieldFunction&&) noexcept;

  /// One pointer per field, to its first element in device memory. Any output may be the same array
  /// as any input if both have the same strides; otherwise arrays are apart. Puts the work on the
  /// stream and returns, without allocation.
  template <Scalar T>
  void execute(std::span<const T* const> in, std::span<T* const> out,
               std::span<const double> parameters, Stream stream) const {
    std::array<const void*, max_operator_fields + 1> from{};  // one more, which is too many
    std::array<void*, max_operator_fields + 1> to{};
    for (std::size_t f = 0; f < in.size() && f < from.size(); ++f) from[f] = in[f];
    for (std::size_t f = 0; f < out.size() && f < to.size(); ++f) to[f] = out[f];
    run(ScalarTraits<T>::precision, ScalarTraits<T>::is_complex,
        std::span(from).first(std::min(in.size(), from.size())),
        std::span(to).first(std::min(out.size(), to.size())), parameters, stream);
  }

  int inputs() const;
  int outputs() const;
  int parameters() const;
  Index count() const;  ///< of the elements that are computed

 private:
  void run(Precision precision, bool is_complex, std::span<const void* const> in,
           std::span<void* const> out, std::span<const double> parameters, Stream stream) const;
  struct Impl;
  PlanPointer<Impl> impl_;
};

enum class Reduction { sum, maximum };

/// The sums (or the largest) of the values of a text over all elements, in f64. The values are
/// real. The order of the sums depends on their number alone: equal fields give equal bits.
class WEFT_API FieldReduction {
 public:
  FieldReduction(const Transform& forward, Side side, const std::string& text, Reduction reduction,
                 const FieldOptions& options = {});
  ~FieldReduction();
  FieldReduction(FieldReduction&&) noexcept;
  FieldReduction& operator=(FieldReduction&&) noexcept;

  /// Waits for the stream. One result per expression. Without elements a sum is 0 and the largest
  /// the lowest number there is; a value that is not a number makes the result one.
  template <Scalar T>
  void execute(std::span<const T* const> in, std::span<double> results,
               std::span<const double> parameters, Workspace& workspace, Stream stream) const {
    std::array<const void*, max_operator_fields + 1> from{};
    for (std::size_t f = 0; f < in.size() && f < from.size(); ++f) from[f] = in[f];
    run(ScalarTraits<T>::precision, ScalarTraits<T>::is_complex,
        std::span(from).first(std::min(in.size(), from.size())), results, parameters, workspace,
        stream);
  }

  int inputs() const;
  int outputs() const;
  int parameters() const;
  std::size_t workspace_bytes() const;
  Workspace make_workspace() const;

 private:
  void run(Precision precision, bool is_complex, std::span<const void* const> in,
           std::span<double> results, std::span<const double> parameters, Workspace& workspace,
           Stream stream) const;
  struct Impl;
  PlanPointer<Impl> impl_;
};

}  // namespace weft::cuda
