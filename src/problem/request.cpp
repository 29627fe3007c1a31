// SPDX-License-Identifier: BSD-3-Clause
#include "problem/request.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/index.hpp"
#include "base/strides.hpp"
#include "problem/overlap.hpp"

namespace weft::problem {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text;
  for (Index n : shape) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

void check_enumerators(const Transform& transform) {
  check_enumerator(transform.kind, Kind::r2r, "Kind");
  check_enumerator(transform.direction, Direction::backward, "Direction");
  check_enumerator(transform.normalization, Normalization::ortho, "Normalization");
  check_enumerator(transform.precision, Precision::f64, "Precision");
  for (const R2r kind : transform.r2r) check_enumerator(kind, R2r::hc2r, "R2r");
  check_enumerator(transform.empty_axes, EmptyAxes::none, "EmptyAxes");
  check_enumerator(transform.spectrum, Spectrum::full, "Spectrum");
  check_enumerator(transform.modes, Modes::around_zero, "Modes");
}

void check_shape(const Transform& transform) {
  if (transform.shape.size() > static_cast<std::size_t>(max_ndim))
    refuse("the shape has " + std::to_string(transform.shape.size()) + " dimensions, at most " +
           std::to_string(max_ndim) + " are possible; merge some");
  for (std::size_t d = 0; d < transform.shape.size(); ++d)
    if (transform.shape[d] < 0)
      refuse("dimension " + std::to_string(d) + " of shape " + shape_text(transform.shape) +
             " is " + std::to_string(transform.shape[d]) + "; extents must be at least 0");
  std::vector<Index> extents = transform.shape;
  for (Index& n : extents) n = std::max<Index>(n, 1);  // strides skip extents of 0
  const Index count = checked_product(extents, "the number of elements");
  checked_product(count, 32, "the size in bytes");
}

void check_axes(Transform& transform) {
  const int ndim = static_cast<int>(transform.shape.size());
  if (transform.axes.empty() && transform.empty_axes == EmptyAxes::all)
    for (int d = 0; d < ndim; ++d) transform.axes.push_back(d);
  transform.empty_axes = EmptyAxes::none;  // they are listed now
  if (transform.axes.empty() && (transform.kind == Kind::r2c || transform.kind == Kind::c2r))
    refuse(
        "r2c and c2r need an axis to transform, whose half they leave out; list one, or use c2c or "
        "r2r to copy an array");
  std::set<int> seen;
  for (int& axis : transform.axes) {
    const int asked = axis;
    if (axis < 0) axis += ndim;
    if (axis < 0 || axis >= ndim)
      refuse("axis " + std::to_string(asked) + " does not exist in shape " +
             shape_text(transform.shape) + "; axes run from " + std::to_string(-ndim) + " to " +
             std::to_string(ndim - 1));
    if (!seen.insert(axis).second)
      refuse("axis " + std::to_string(asked) + " is listed twice; list each transformed axis once");
  }
}

void check_r2r(Transform& transform) {
  if (transform.kind != Kind::r2r) {
    if (!transform.r2r.empty())
      refuse("r2r kinds were given for a transform that is not r2r; use weft::r2r()");
    return;
  }
  if (transform.r2r.size() == 1) transform.r2r.resize(transform.axes.size(), transform.r2r[0]);
  if (transform.r2r.size() != transform.axes.size())
    refuse("a real-to-real transform of " + std::to_string(transform.axes.size()) + " axes got " +
           std::to_string(transform.r2r.size()) + " kinds; give one per axis, or one for all");
  for (std::size_t i = 0; i < transform.axes.size(); ++i)
    if (transform.r2r[i] == R2r::dct1 &&
        transform.shape[static_cast<std::size_t>(transform.axes[i])] == 1)
      refuse("a DCT-I needs at least 2 points, but axis " + std::to_string(transform.axes[i]) +
             " has 1; leave the axis out, or use another kind");
}

std::vector<Index> checked_strides(const std::vector<Index>& extents, const Layout& layout,
                                   const char* side, Sharing sharing) {
  std::vector<Index> strides = layout.strides;
  if (strides.empty()) {
    strides.resize(extents.size());
    Index stride = 1;
    for (std::size_t d = extents.size(); d-- > 0; stride *= std::max<Index>(extents[d], 1))
      strides[d] = stride;
    return strides;
  }
  if (strides.size() != extents.size())
    refuse(std::string("the ") + side + " layout has " + std::to_string(strides.size()) +
           " strides for " + std::to_string(extents.size()) +
           " dimensions; give one per dimension");
  if (std::ranges::find(extents, 0) == extents.end())
    check_strides(extents, strides, std::string("the ") + side + " layout", sharing);
  return strides;
}

/// The logical length of the transform along this axis: the factor of this axis in N, by which
/// normalization divides.
double logical_points(const Transform& transform, std::size_t i) {
  const auto n = static_cast<double>(transform.shape[static_cast<std::size_t>(transform.axes[i])]);
  if (transform.kind != Kind::r2r) return n;
  switch (transform.r2r[i]) {
    case R2r::dct1: return 2 * (n - 1);
    case R2r::dst1: return 2 * (n + 1);
    case R2r::dht:
    case R2r::r2hc:
    case R2r::hc2r: return n;
    default: return 2 * n;
  }
}

double scale_of(const Transform& transform) {
  double points = 1;
  for (std::size_t i = 0; i < transform.axes.size(); ++i)
    points *= std::max(1.0, logical_points(transform, i));  // 0 points: nothing is scaled
  const bool forward = transform.direction == Direction::forward;
  switch (transform.normalization) {
    case Normalization::none: return 1;
    case Normalization::backward: return forward ? 1 : 1 / points;
    case Normalization::forward: return forward ? 1 / points : 1;
    case Normalization::ortho: return 1 / std::sqrt(points);
  }
  return 1;
}

bool is_split(const Layout& layout, Index width, const char* side) {
  check_enumerator(layout.storage, ComplexStorage::split, "ComplexStorage");
  if (layout.storage == ComplexStorage::split && width == 1)
    refuse(std::string("the ") + side +
           " is real, but its layout says that complex numbers are split; leave its storage out");
  return layout.storage == ComplexStorage::split;
}

/// The extent of dimension d as asked for; 0 where it is that of the whole transform.
Index kept_extent(const Transform& transform, int d, Index asked, Index whole, const char* side) {
  if (asked == whole) return 0;
  const std::string what =
      std::string(side) + " extent " + std::to_string(asked) + " of dimension " + std::to_string(d);
  if (std::ranges::find(transform.axes, d) == transform.axes.end())
    refuse(what + " is not that of the shape, " + std::to_string(whole) +
           ", but the axis is not transformed; only transformed axes are padded and cropped");
  if (asked < 1 || asked > whole)
    refuse(what + " is outside of 1 to " + std::to_string(whole) +
           "; the shape must be that of the longer transform");
  return asked;
}

void check_extents(const Transform& transform, ArrayProblem& problem) {
  const auto check = [&](const std::vector<Index>& asked, const char* side, Kind halving,
                         Index Dimension::* kept) {
    if (asked.empty()) return;
    const std::size_t ndim = transform.shape.size();
    if (asked.size() != ndim)
      refuse(std::string("there are ") + std::to_string(asked.size()) + " " + side +
             " extents for " + std::to_string(ndim) + " dimensions; give one per dimension");
    for (int d = 0; d < static_cast<int>(ndim); ++d) {
      const bool is_input = halving == Kind::c2r;
      const Index whole = is_input ? problem.in_extent(d) : problem.out_extent(d);
      const auto i = static_cast<std::size_t>(d);
      problem.dimensions[i].*kept = kept_extent(transform, d, asked[i], whole, side);
      if (problem.dimensions[i].*kept > 0 && transform.kind == halving &&
          transform.spectrum == Spectrum::full)
        refuse(std::string("the full spectrum of a real array was asked for, and ") + side +
               " extents that are less; one half of it is known from the other only where it is "
               "whole: use Spectrum::half or c2c");
    }
  };
  check(transform.input_extents, "input", Kind::c2r, &Dimension::in_kept);
  check(transform.output_extents, "output", Kind::r2c, &Dimension::out_kept);
}

}  // namespace

void require_elements(const ArrayProblem& problem, const char* plan) {
  const char* lacks = problem.dimensions.empty() ? "dimensions"
                      : problem.is_empty()       ? "elements"
                                                 : nullptr;
  if (lacks == nullptr) return;
  throw Error(ErrorCode::unsupported, std::string("the transform of an array without ") + lacks +
                                          " was asked of " + plan + "; only weft::Plan does that");
}

void require_common(const ArrayProblem& problem, const char* plan) {
  require_elements(problem, plan);
  std::string asked;
  if (problem.extras.in_split || problem.extras.out_split) asked = "split complex numbers";
  if (problem.extras.in_place) asked = "a transform in place with other strides";
  if (problem.extras.spectrum == Spectrum::full) asked = "the full spectrum of a real array";
  if (problem.is_padded()) asked = "a padded or cropped transform";
  if (asked.empty()) return;
  throw Error(ErrorCode::unsupported,
              asked + " was asked of " + plan + "; only plans on CPUs do that");
}

CheckedRequest check_request(const Transform& asked, const Layout& input, const Layout& output,
                             bool in_place) {
  CheckedRequest request{asked, {}, {}, {}};
  Transform& transform = request.transform;
  check_enumerators(transform);
  check_shape(transform);
  check_axes(transform);
  check_r2r(transform);
  if (transform.kind == Kind::r2c) transform.direction = Direction::forward;
  if (transform.kind == Kind::c2r) transform.direction = Direction::backward;

  ArrayProblem& problem = request.problem;
  problem.kind = transform.kind;
  problem.precision = transform.precision;
  problem.direction = transform.direction;
  problem.scale = scale_of(transform);
  problem.axes = transform.axes;
  problem.r2r = transform.r2r;
  problem.orthogonalize = transform.orthogonalize;
  problem.extras = {.in_split = is_split(input, weft::in_width(transform.kind), "input"),
                    .out_split = is_split(output, weft::out_width(transform.kind), "output"),
                    .spectrum = transform.spectrum,
                    .modes = transform.modes};
  for (Index n : transform.shape) problem.dimensions.push_back({n, 0, 0});
  check_extents(transform, problem);
  request.in_strides = checked_strides(problem.in_shape(), input, "input", Sharing::allowed);
  request.out_strides = checked_strides(problem.out_shape(), output, "output", Sharing::refused);
  for (std::size_t d = 0; d < problem.dimensions.size(); ++d) {
    problem.dimensions[d].in = request.in_strides[d] * problem.in_width();
    problem.dimensions[d].out = request.out_strides[d] * problem.out_width();
  }
  if (in_place)
    problem.extras.in_place = problem.extras.in_split != problem.extras.out_split ||
                              overlap_harmfully(problem, &request, &request);
  return request;
}

void check_view(std::span<const Index> extents, std::span<const Index> strides,
                std::span<const Index> planned_extents, std::span<const Index> planned_strides,
                const char* side) {
  bool same = extents.size() == planned_extents.size();
  const bool is_empty = std::ranges::find(extents, 0) != extents.end();
  for (std::size_t d = 0; same && d < extents.size(); ++d)
    same = extents[d] == planned_extents[d] &&
           (strides[d] == planned_strides[d] || extents[d] == 1 || is_empty);
  if (same) return;
  throw Error(ErrorCode::invalid_argument,
              std::string("the ") + side +
                  " view has other extents or strides than the plan; pass the view's strides as "
                  "the plan's Layout");
}

}  // namespace weft::problem
