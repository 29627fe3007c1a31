// SPDX-License-Identifier: BSD-3-Clause
// Plan: a transform of one array, planned once and executed many times.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/error.hpp"
#include "weft/executor.hpp"
#include "weft/types.hpp"
#include "weft/view.hpp"

namespace weft {

enum class Kind {
  c2c,  ///< complex to complex
  r2c,  ///< real to half-complex, forward: the last transformed axis has n/2+1 outputs
  c2r,  ///< half-complex to real, backward
  r2r,  ///< real to real: one R2r per transformed axis
};

/// Real-to-real kinds, unnormalised, with FFTW's definitions (REDFTxy, RODFTxy, DHT).
enum class R2r { dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4, dht };

/// What to compute. Build it with c2c(), r2c(), c2r(), r2r() and set what differs.
struct Transform {
  Kind kind = Kind::c2c;
  std::vector<Index> shape;  ///< of the whole array; for r2c and c2r of its real side
  std::vector<int>
      axes;  ///< transformed axes, the rest is a batch; empty: all. Negative counts from the end
  Direction direction = Direction::forward;  ///< c2c; implied by r2c and c2r
  Normalization normalization = Normalization::none;
  Precision precision = Precision::f64;
  std::vector<R2r> r2r;  ///< one per transformed axis, in the order of `axes`, or one for all

  friend bool operator==(const Transform&, const Transform&) = default;
};

struct TransformOptions {
  std::vector<int> axes = {};
  Direction direction = Direction::forward;
  Normalization normalization = Normalization::none;
  Precision precision = Precision::f64;
};
Transform c2c(std::vector<Index> shape, const TransformOptions& options = {});
Transform r2c(std::vector<Index> shape, const TransformOptions& options = {});
Transform c2r(std::vector<Index> shape, const TransformOptions& options = {});
Transform r2r(std::vector<Index> shape, std::vector<R2r> kinds,
              const TransformOptions& options = {});

/// Where the elements of an array lie: a stride per dimension, in elements. Empty: contiguous,
/// row-major.
struct Layout {
  std::vector<Index> strides = {};
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
};

/// Memory a transform works in. One per thread that executes; several plans may share one.
class Workspace {
 public:
  explicit Workspace(std::size_t bytes);
  ~Workspace();
  Workspace(Workspace&& other) noexcept;
  Workspace& operator=(Workspace&& other) noexcept;
  std::size_t bytes() const noexcept { return bytes_; }
  void* data() const noexcept { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Numbers that describe a plan before it runs.
struct PlanCost {
  double flops = 0;        ///< real operations really done, all of them
  double bytes = 0;        ///< bytes moved to and from main memory
  double passes = 0;       ///< how often the whole array is read and written
  double predicted_s = 0;  ///< by the cost model on this machine
};

class Plan {
 public:
  /// Throws weft::Error when the transform, the layouts or their sizes make no sense.
  explicit Plan(const Transform& transform, const Layout& input = {}, const Layout& output = {},
                const PlanOptions& options = {});
  Plan(const Transform& transform, const PlanOptions& options) : Plan(transform, {}, {}, options) {}
  ~Plan();
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  /// Transforms `in` into `out`, which are the same memory or disjoint. Allocates nothing, changes
  /// nothing in the plan: threads may share it, each with a workspace of its own. Extents and
  /// strides must be the planned ones. Out of place the input is left as it was.
  template <Scalar In, Scalar Out>
  void execute(View<const In> in, View<Out> out, Workspace& workspace) const {
    check_view(in.extents(), in.strides(), Side::input);
    check_view(out.extents(), out.strides(), Side::output);
    run(element<In>(), in.data_handle(), element<Out>(), out.data_handle(), workspace);
  }
  template <Scalar In, Scalar Out>
  void execute(View<In> in, View<Out> out, Workspace& workspace) const
    requires(!std::is_const_v<In>)
  {
    execute(View<const In>(in), out, workspace);
  }

  /// The same on bare memory: the first element of each array, laid out as planned.
  template <Scalar In, Scalar Out>
  void execute(const In* in, Out* out, Workspace& workspace) const {
    run(element<In>(), in, element<Out>(), out, workspace);
  }
  /// With the plan's own workspace, made by the first such call; concurrent calls take turns.
  template <Scalar In, Scalar Out>
  void execute(const In* in, Out* out) const {
    run_with_own_workspace(element<In>(), in, element<Out>(), out);
  }
  /// Contiguous arrays; their lengths are checked.
  template <class In, class Out>
    requires Scalar<std::remove_const_t<In>> && Scalar<Out>
  void execute(std::span<In> in, std::span<Out> out) const {
    check_length(static_cast<Index>(in.size()), Side::input);
    check_length(static_cast<Index>(out.size()), Side::output);
    run_with_own_workspace(element<std::remove_const_t<In>>(), in.data(), element<Out>(),
                           out.data());
  }

  std::size_t workspace_bytes() const noexcept;
  Workspace make_workspace() const { return Workspace(workspace_bytes()); }

  const Transform& transform() const noexcept;
  std::vector<Index> input_shape() const;  ///< r2c: the real shape; c2r: the half-complex one
  std::vector<Index> output_shape() const;
  const std::vector<Index>& input_strides() const noexcept;
  const std::vector<Index>& output_strides() const noexcept;

  /// The recipe as text: one line, comparable, accepted by wisdom.
  std::string recipe() const;
  /// The recipe as a tree for people.
  std::string tree() const;
  /// The transform as an SPL formula, text or LaTeX.
  std::string formula() const;
  std::string formula_latex() const;
  PlanCost cost() const;

 private:
  enum class Side { input, output };
  struct Element {
    Precision precision;
    bool is_complex;
  };
  template <Scalar T>
  static constexpr Element element() {
    return {ScalarTraits<T>::precision, ScalarTraits<T>::is_complex};
  }
  void check_view(std::span<const Index> extents, std::span<const Index> strides, Side side) const;
  void check_length(Index length, Side side) const;
  void run(Element in_type, const void* in, Element out_type, void* out,
           Workspace& workspace) const;
  void run_with_own_workspace(Element in_type, const void* in, Element out_type, void* out) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft
