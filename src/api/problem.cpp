// SPDX-License-Identifier: BSD-3-Clause
#include "api/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "base/index.hpp"

namespace weft::api {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text;
  for (Index n : shape) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

void check_shape(const Transform& transform) {
  if (transform.shape.empty())
    refuse("the transform has no dimensions; give a shape such as {1024}");
  if (transform.shape.size() > static_cast<std::size_t>(max_ndim))
    refuse("the shape has " + std::to_string(transform.shape.size()) + " dimensions, at most " +
           std::to_string(max_ndim) + " are possible; merge some");
  for (std::size_t d = 0; d < transform.shape.size(); ++d)
    if (transform.shape[d] < 1)
      refuse("dimension " + std::to_string(d) + " of shape " + shape_text(transform.shape) +
             " is " + std::to_string(transform.shape[d]) + "; every extent must be at least 1");
  const Index count = checked_product(transform.shape, "the number of elements");
  checked_product(count, 32, "the size in bytes");
}

void check_axes(Transform& transform) {
  const int ndim = static_cast<int>(transform.shape.size());
  if (transform.axes.empty())
    for (int d = 0; d < ndim; ++d) transform.axes.push_back(d);
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
        transform.shape[static_cast<std::size_t>(transform.axes[i])] < 2)
      refuse("a DCT-I needs at least 2 points, axis " + std::to_string(transform.axes[i]) +
             " has 1");
}

std::vector<Index> checked_strides(const std::vector<Index>& extents, const Layout& layout,
                                   const char* side) {
  std::vector<Index> strides = layout.strides;
  if (strides.empty()) {
    strides.resize(extents.size());
    Index stride = 1;
    for (std::size_t d = extents.size(); d-- > 0; stride *= extents[d]) strides[d] = stride;
    return strides;
  }
  if (strides.size() != extents.size())
    refuse(std::string("the ") + side + " layout has " + std::to_string(strides.size()) +
           " strides for " + std::to_string(extents.size()) +
           " dimensions; give one per dimension");
  // Elements may not share memory: with strides sorted, each must reach past all smaller ones.
  std::vector<std::pair<Index, Index>> order;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (strides[d] == INT64_MIN)
      refuse(std::string("a stride of the ") + side + " layout does not fit");
    const Index reach =
        checked_product(extents[d] - 1, std::abs(strides[d]), "an array's extent in memory");
    checked_product(reach, 64, "an array's extent in memory");
    if (extents[d] > 1) order.emplace_back(std::abs(strides[d]), extents[d]);
  }
  std::sort(order.begin(), order.end());
  Index reached = 0;
  for (const auto& [stride, extent] : order) {
    if (stride <= reached)
      refuse(std::string("the ") + side + " strides make elements overlap; stride " +
             std::to_string(stride) + " must be larger than " + std::to_string(reached));
    if (__builtin_add_overflow(reached, (extent - 1) * stride, &reached))
      refuse(std::string("the ") + side + " layout does not fit 64 bits");
  }
  return strides;
}

/// Points that a transform along this axis sums over in the sense of normalisation.
double logical_points(const Transform& transform, std::size_t i) {
  const auto n = static_cast<double>(transform.shape[static_cast<std::size_t>(transform.axes[i])]);
  if (transform.kind != Kind::r2r) return n;
  switch (transform.r2r[i]) {
    case R2r::dct1: return 2 * (n - 1);
    case R2r::dst1: return 2 * (n + 1);
    case R2r::dht: return n;
    default: return 2 * n;
  }
}

double scale_of(const Transform& transform) {
  double points = 1;
  for (std::size_t i = 0; i < transform.axes.size(); ++i) points *= logical_points(transform, i);
  const bool forward = transform.direction == Direction::forward;
  switch (transform.normalization) {
    case Normalization::none: return 1;
    case Normalization::backward: return forward ? 1 : 1 / points;
    case Normalization::forward: return forward ? 1 / points : 1;
    case Normalization::ortho: return 1 / std::sqrt(points);
  }
  return 1;
}

}  // namespace

CheckedRequest check_request(const Transform& asked, const Layout& input, const Layout& output) {
  CheckedRequest request{asked, {}, {}, {}};
  Transform& transform = request.transform;
  check_shape(transform);
  check_axes(transform);
  check_r2r(transform);
  if (transform.kind == Kind::r2c) transform.direction = Direction::forward;
  if (transform.kind == Kind::c2r) transform.direction = Direction::backward;

  local::ArrayProblem& problem = request.problem;
  problem.kind = transform.kind;
  problem.precision = transform.precision;
  problem.direction = transform.direction;
  problem.scale = scale_of(transform);
  problem.axes = transform.axes;
  problem.r2r = transform.r2r;
  for (Index n : transform.shape) problem.dimensions.push_back({n, 0, 0});
  std::vector<Index> in_extents, out_extents;
  for (int d = 0; d < static_cast<int>(transform.shape.size()); ++d) {
    in_extents.push_back(problem.in_extent(d));
    out_extents.push_back(problem.out_extent(d));
  }
  request.in_strides = checked_strides(in_extents, input, "input");
  request.out_strides = checked_strides(out_extents, output, "output");
  for (std::size_t d = 0; d < problem.dimensions.size(); ++d) {
    problem.dimensions[d].in = request.in_strides[d] * problem.in_width();
    problem.dimensions[d].out = request.out_strides[d] * problem.out_width();
  }
  return request;
}

namespace {

struct Range {
  std::intptr_t low, high;
};

Range bytes_of(const local::ArrayProblem& problem, const void* data, bool output) {
  const Index real = problem.precision == Precision::f64   ? 8
                     : problem.precision == Precision::f32 ? 4
                                                           : 2;
  const auto start = reinterpret_cast<std::intptr_t>(data);
  Range range{start, start + real * (output ? problem.out_width() : problem.in_width())};
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    const auto& dimension = problem.dimensions[static_cast<std::size_t>(d)];
    const Index reach = ((output ? problem.out_extent(d) : problem.in_extent(d)) - 1) *
                        (output ? dimension.out : dimension.in) * real;
    (reach < 0 ? range.low : range.high) += reach;
  }
  return range;
}

/// Is distance = sum d_i * stride_i with |d_i| < extent_i possible? Strides sorted descending and
/// nested (each exceeds the reach of the smaller ones), so at most two values of d_i can work.
bool reachable(Index distance, std::span<const std::pair<Index, Index>> dimensions, Index width) {
  if (dimensions.empty()) return std::abs(distance) < width;
  const auto [stride, extent] = dimensions.front();
  const Index nearest = distance / stride;
  for (Index d : {nearest - 1, nearest, nearest + 1})
    if (std::abs(d) < extent && reachable(distance - d * stride, dimensions.subspan(1), width))
      return true;
  return false;
}

}  // namespace

bool overlap_harmfully(const local::ArrayProblem& problem, const void* in, const void* out) {
  const Range a = bytes_of(problem, in, false), b = bytes_of(problem, out, true);
  if (a.high <= b.low || b.high <= a.low) return false;
  const bool same_steps =
      std::all_of(problem.dimensions.begin(), problem.dimensions.end(),
                  [](const local::Dimension& d) { return d.in == d.out || d.n == 1; });
  if (in == out) {
    if (same_steps) return false;
    // r2c and c2r in place: the rows coincide, the elements along the halved axis do not.
    const int halved = problem.halved_axis();
    if (halved < 0) return true;
    for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
      const auto& dimension = problem.dimensions[static_cast<std::size_t>(d)];
      if (d != halved && dimension.n > 1 && dimension.in != dimension.out) return true;
    }
    const auto& axis = problem.dimensions[static_cast<std::size_t>(halved)];
    return problem.kind == Kind::r2c ? axis.in != 1 || axis.out != 2
                                     : axis.in != 2 || axis.out != 1;
  }
  if (!same_steps || problem.in_width() != problem.out_width()) return true;
  // Same strides, different starts: two interleaved parts of one larger array may be disjoint.
  const Index real = problem.precision == Precision::f64   ? 8
                     : problem.precision == Precision::f32 ? 4
                                                           : 2;
  std::vector<std::pair<Index, Index>> dimensions;
  for (const local::Dimension& d : problem.dimensions)
    if (d.n > 1) dimensions.emplace_back(std::abs(d.in) * real, d.n);
  std::sort(dimensions.rbegin(), dimensions.rend());
  const Index distance = reinterpret_cast<std::intptr_t>(out) - reinterpret_cast<std::intptr_t>(in);
  return reachable(distance, dimensions, problem.in_width() * real);
}

void check_view(std::span<const Index> extents, std::span<const Index> strides,
                std::span<const Index> planned_extents, std::span<const Index> planned_strides,
                const char* side) {
  bool same = extents.size() == planned_extents.size();
  for (std::size_t d = 0; same && d < extents.size(); ++d)
    same =
        extents[d] == planned_extents[d] && (strides[d] == planned_strides[d] || extents[d] == 1);
  if (same) return;
  throw Error(ErrorCode::invalid_argument,
              std::string("the ") + side +
                  " view has other extents or strides than the plan; pass the view's strides as "
                  "the plan's Layout");
}

}  // namespace weft::api
