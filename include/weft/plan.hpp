// SPDX-License-Identifier: BSD-3-Clause
// Plan: a transform of one array, planned once and executed many times.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/aligned.hpp"
#include "weft/error.hpp"
#include "weft/executor.hpp"
#include "weft/export.h"
#include "weft/plan_pointer.hpp"
#include "weft/types.hpp"
#include "weft/view.hpp"

namespace weft {

enum class Kind {
  c2c,  ///< complex to complex
  r2c,  ///< real to complex, forward: the last transformed axis has n/2+1 outputs (half spectrum)
  c2r,  ///< the half spectrum to real, backward
  r2r,  ///< real to real: one R2r per transformed axis
};

/// Real-to-real kinds, unnormalised, with FFTW's definitions (REDFTxy, RODFTxy, DHT, R2HC, HC2R).
/// Types II and III are inverse to each other, as are r2hc and hc2r, the others to themselves, up
/// to the factor N: 2(n-1) for dct1, 2(n+1) for dst1, n for dht, r2hc and hc2r, 2n for the rest.
/// dct1 is defined from 2 points on. The n halfcomplex numbers of r2hc are the real parts of X[0]
/// .. X[n/2], then the imaginary parts of X[(n+1)/2 - 1] .. X[1].
enum class R2r { dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4, dht, r2hc, hc2r };

/// How much of the spectrum the complex side of r2c and c2r has along the last transformed axis.
enum class Spectrum {
  half,  ///< n/2+1 points
  full,  ///< n points; c2r reads the first n/2+1 and assumes that the others are their conjugates
};

/// Which m of the n points of a spectrum an array holds, if it holds fewer than all.
enum class Modes {
  first,  ///< 0 .. m-1
  /// The m around frequency zero: k < (m+1)/2 is mode k, the others are modes k - m (so the mode
  /// m/2 of an even m is -m/2). For c2c axes, on the side of the spectrum: the output of a forward
  /// transform, the input of a backward one. With m = 2n/3 this is the 3/2 rule.
  around_zero,
};

/// What an empty list of axes means.
enum class EmptyAxes {
  all,   ///< every axis is transformed
  none,  ///< no axis is transformed: the array is copied
};

/// What to compute. Build it with c2c(), r2c(), c2r(), r2r() and set what differs.
struct Transform {
  Kind kind = Kind::c2c;
  /// Of the whole array; for r2c and c2r of its real side. With an extent of 0 there is nothing to
  /// do, and no memory is touched; no extents at all: one element, which is copied.
  std::vector<Index> shape;
  /// Transformed axes, the rest is a batch; negative counts from the end. Empty: see `empty_axes`.
  std::vector<int> axes;
  /// c2c; implied by r2c and c2r. r2r: forward or backward, for normalization only.
  Direction direction = Direction::forward;
  Normalization normalization = Normalization::none;
  Precision precision = Precision::f64;
  std::vector<R2r> r2r;  ///< one per transformed axis, in the order of `axes`, or one for all
  EmptyAxes empty_axes = EmptyAxes::all;
  Spectrum spectrum = Spectrum::half;
  /// Extents of the input and of the output array, one per dimension, if they have fewer points
  /// than `shape` along a transformed axis. Empty: those of the shape (n/2+1 on the halved side).
  /// Points that the input lacks are taken as zero, points that the output lacks are not stored.
  /// Lines that are known to be zero or are not stored are not computed.
  std::vector<Index> input_extents, output_extents;
  Modes modes = Modes::first;
  /// r2r: makes dct1, dct2, dct3, dst2 and dst3 orthogonal matrices, up to the scale, as SciPy
  /// does. The first point (dct2, dct3), the last (dst2, dst3) or both (dct1) are multiplied by
  /// sqrt(2) in the input of types I and III and by 1/sqrt(2) in the output of types I and II.
  bool orthogonalize = false;

  friend bool operator==(const Transform&, const Transform&) = default;
};

struct TransformOptions {
  std::vector<int> axes = {};
  /// Default: forward for c2c; for r2r backward where an axis is of type III (dct3, dst3, hc2r) and
  /// none of type II (dct2, dst2, r2hc), else forward. So dct2 and dct3 with equal options are
  /// inverse to each other. For kinds that are their own inverse pass Direction::backward to get
  /// the inverse.
  std::optional<Direction> direction = {};
  Normalization normalization = Normalization::none;
  Precision precision = Precision::f64;
  EmptyAxes empty_axes = EmptyAxes::all;
  Spectrum spectrum = Spectrum::half;
  std::vector<Index> input_extents = {}, output_extents = {};
  Modes modes = Modes::first;
  bool orthogonalize = false;
};
WEFT_API Transform c2c(std::vector<Index> shape, const TransformOptions& options = {});
WEFT_API Transform r2c(std::vector<Index> shape, const TransformOptions& options = {});
WEFT_API Transform c2r(std::vector<Index> shape, const TransformOptions& options = {});
/// Throws weft::Error if kinds of types II and III are mixed, the normalization depends on the
/// direction and no direction is given.
WEFT_API Transform r2r(std::vector<Index> shape, std::vector<R2r> kinds,
                       const TransformOptions& options = {});

/// The inverse transform: applied to the output it gives the input again, times N unless the
/// normalization divides by it. Plan it with the input and output layouts exchanged.
WEFT_API Transform inverse(const Transform& transform);

/// How complex numbers are stored.
enum class ComplexStorage {
  interleaved,  ///< real and imaginary part side by side, as std::complex
  split,        ///< two arrays of reals, laid out alike: see SplitArray
};

/// Where the elements of an array lie: a stride per dimension, in elements. Empty: contiguous,
/// row-major. Elements of an input may share memory, because inputs are only read: strides {4, 1}
/// are windows that slide over a line, strides {0, 1} repeat one row.
struct Layout {
  std::vector<Index> strides = {};
  ComplexStorage storage = ComplexStorage::interleaved;  ///< of a complex side
  friend bool operator==(const Layout&, const Layout&) = default;
};

enum class Effort {
  estimate,  ///< by the cost model; microseconds to milliseconds
  measure,   ///< time the best few recipes
  patient,   ///< time all of them
};

struct PlanOptions {
  Effort effort = Effort::estimate;
  int threads = 1;                                     ///< 0: all cores; ignored with an executor
  std::shared_ptr<const Executor> executor = nullptr;  ///< the caller's own threads
  double time_limit_s = 10.0;                          ///< for measure and patient
  bool use_wisdom = true;  ///< take the recipe from the loaded wisdom, and add what is measured
  /// Input and output of execute() may share memory in any way, as in a transposition in place.
  /// Not needed if both have equal strides, nor for r2c and c2r with padded rows. Where the
  /// transform cannot be done in place, it goes through a copy as large as the array.
  bool in_place = false;
  /// A recipe as Plan::recipe() prints it; empty: choose one. One that does not fit the transform,
  /// its layouts or this CPU is refused with weft::Error (invalid_argument).
  std::string recipe = {};
};

/// Memory a transform works in. One per thread that executes; several plans may share one.
class WEFT_API Workspace {
 public:
  explicit Workspace(std::size_t bytes);
  /// The memory of the caller. It must start at a multiple of weft::alignment; it is not freed.
  Workspace(void* memory, std::size_t bytes);
  ~Workspace();
  Workspace(Workspace&& other) noexcept;
  Workspace& operator=(Workspace&& other) noexcept;
  std::size_t bytes() const noexcept { return bytes_; }
  void* data() const noexcept { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool is_owned_ = true;
};

/// Complex numbers as two arrays of reals. Strides count reals.
template <class T>
struct SplitArray {
  T *real, *imag;
};
template <class T>
SplitArray(T*, T*) -> SplitArray<T>;
template <class A>
inline constexpr bool is_split_array = false;
template <class T>
inline constexpr bool is_split_array<SplitArray<T>> = true;

/// Numbers that describe a plan before it runs.
struct PlanCost {
  double flops = 0;        ///< number of real arithmetic operations performed
  double bytes = 0;        ///< bytes moved to and from main memory
  double passes = 0;       ///< how many times the whole array is read and written
  double predicted_s = 0;  ///< by the cost model on this machine
};

class WEFT_API Plan {
 public:
  /// Throws weft::Error if the transform or a layout is invalid, or if the plan would need more
  /// memory than the machine has.
  explicit Plan(const Transform& transform, const PlanOptions& options = {})
      : Plan(transform, Layout{}, Layout{}, options) {}
  Plan(const Transform& transform, const Layout& input, const Layout& output,
       const PlanOptions& options = {});
  ~Plan();
  /// A plan that was moved from can be destroyed and assigned to; all else throws weft::Error.
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  /// Transforms `in` into `out`, which are the same memory or disjoint. Allocates nothing, changes
  /// nothing in the plan: threads may share it, each with a workspace of its own. Out of place the
  /// input is left as it was. The transforms of a batch share no arithmetic: NaN, infinities or
  /// large numbers in one change no bit of another. Arrays are a View or an mdspan, whose extents
  /// and strides must be the planned ones, or a vector or a span, which must be long enough.
  template <InputArray In, OutputArray Out>
  void execute(const In& in, Out&& out, Workspace& workspace) const {
    check_array(in, Side::input);
    check_array(out, Side::output);
    execute(first_element(in), first_element(out), workspace);
  }
  /// Without a workspace: up to 16 KiB are taken from the caller's stack. Larger ones are the
  /// plan's own, made by the first such call, and concurrent calls take turns.
  template <InputArray In, OutputArray Out>
  void execute(const In& in, Out&& out) const {
    check_array(in, Side::input);
    check_array(out, Side::output);
    execute(first_element(in), first_element(out));
  }

  /// The same on bare memory: the first element of each array, laid out as planned.
  template <Scalar In, Scalar Out>
  void execute(const In* in, Out* out, Workspace& workspace) const {
    run(element<In>(), in, element<Out>(), out, workspace);
  }
  template <Scalar In, Scalar Out>
  void execute(const In* in, Out* out) const {
    run_with_own_workspace(element<In>(), in, element<Out>(), out);
  }

  /// With sides that were planned with ComplexStorage::split: each is a SplitArray, the other side
  /// a pointer.
  template <class In, class Out>
    requires(is_split_array<In> || is_split_array<Out>)
  void execute(const In& in, const Out& out, Workspace& workspace) const {
    run_split(operand(in), operand(out), &workspace);
  }
  template <class In, class Out>
    requires(is_split_array<In> || is_split_array<Out>)
  void execute(const In& in, const Out& out) const {
    run_split(operand(in), operand(out), nullptr);
  }

  std::size_t workspace_bytes() const;
  Workspace make_workspace() const { return Workspace(workspace_bytes()); }

  const Transform& transform() const;
  std::vector<Index> input_shape() const;  ///< r2c: the real shape; c2r: that of the half spectrum
  std::vector<Index> output_shape() const;
  const std::vector<Index>& input_strides() const;
  const std::vector<Index>& output_strides() const;

  /// The recipe as text: one line, comparable, accepted by wisdom and by PlanOptions::recipe. What
  /// it says is what runs: the text and the transform leave nothing to decide (docs/tool.md).
  std::string recipe() const;
  /// The recipe as an indented tree, to be read by people.
  std::string tree() const;
  /// The transform without its scale as an SPL formula, text or LaTeX; docs/formula.md explains it.
  /// For c2r the output is the real part of this formula times the input.
  std::string formula() const;
  std::string formula_latex() const;
  PlanCost cost() const;

 private:
  enum class Side { input, output };
  struct Element {
    Precision precision;
    bool is_complex;
    friend bool operator==(Element, Element) = default;
  };
  template <Scalar T>
  static constexpr Element element() {
    return {ScalarTraits<T>::precision, ScalarTraits<T>::is_complex};
  }
  /// One side of a transform with split numbers; `imag` is null where the side is not split.
  struct Operand {
    Element type;
    const void *data, *imag;
  };
  template <class T>
  static Operand operand(const SplitArray<T>& array) {
    using Real = std::remove_const_t<T>;
    static_assert(Scalar<Real> && !ScalarTraits<Real>::is_complex,
                  "a SplitArray is made of pointers to reals");
    return {{ScalarTraits<Real>::precision, true}, array.real, array.imag};
  }
  template <Scalar T>
  static Operand operand(const T* array) {
    return {element<T>(), array, nullptr};
  }
  void run_split(const Operand& in, const Operand& out, Workspace* workspace) const;

  template <class A>
  void check_array(const A& array, Side side) const {
    if constexpr (ShapedArray<A>) {
      const View view(array);
      check_view(view.extents(), view.strides(), side);
    } else {
      check_length(static_cast<Index>(std::ranges::size(array)), side);
    }
  }
  void check_view(std::span<const Index> extents, std::span<const Index> strides, Side side) const;
  void check_length(Index length, Side side) const;
  void run(Element in_type, const void* in, Element out_type, void* out,
           Workspace& workspace) const;
  void run_with_own_workspace(Element in_type, const void* in, Element out_type, void* out) const;

  struct Impl;
  PlanPointer<Impl> impl_;
};

}  // namespace weft
