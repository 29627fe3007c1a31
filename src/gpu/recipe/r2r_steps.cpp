// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/r2r_steps.hpp"

#include <cmath>

#include "base/index.hpp"
#include "base/roots.hpp"

namespace weft::gpu {
namespace {

bool is_sine(R2r kind) { return kind >= R2r::dst1 && kind <= R2r::dst4; }

/// The cosine transform that does the work of a sine transform of type II, III or IV.
R2r cosine_twin(R2r kind) {
  switch (kind) {
    case R2r::dst2: return R2r::dct2;
    case R2r::dst3: return R2r::dct3;
    case R2r::dst4: return R2r::dct4;
    default: return kind;
  }
}

/// exp(-2 pi i k / n), times `by`.
struct Factor {
  double c, s;
  Factor(Index n, Index k, long double by = 1) {
    const auto w = root_of_unity(n, k);
    c = static_cast<double>(by * w.real());
    s = static_cast<double>(by * w.imag());
  }
};

R2rEntry taken(Index i, double factor = 1) { return {.first = i, .a = factor}; }

/// H[k] = Re X[k] - Im X[k], H[n-k] = Re X[k] + Im X[k].
void add_hartley(Index n, R2rMethod& m) {
  for (Index j = 0; j < n; ++j) m.before.push_back(taken(j));
  for (Index k = 0; k < n; ++k)
    m.after.push_back(2 * k <= n ? R2rEntry{.first = k, .a = 1, .b = -1}
                                 : R2rEntry{.first = n - k, .a = 1, .b = 1});
}

/// Real parts ascending, then imaginary parts descending, and the way back.
void add_to_halfcomplex(Index n, R2rMethod& m) {
  for (Index j = 0; j < n; ++j) m.before.push_back(taken(j));
  for (Index k = 0; k < n; ++k)
    m.after.push_back(2 * k <= n ? taken(k) : R2rEntry{.first = n - k, .b = 1});
}
void add_from_halfcomplex(Index n, R2rMethod& m) {
  for (Index k = 0; 2 * k <= n; ++k) {
    const bool is_real = k == 0 || 2 * k == n;
    m.before.push_back({.first = k, .second = is_real ? -1 : n - k, .a = 1, .d = 1});
  }
  for (Index j = 0; j < n; ++j) m.after.push_back(taken(j));
}

/// The even extension: its spectrum is real.
void add_dct1(Index n, R2rMethod& m) {
  for (Index j = 0; j < m.points; ++j) m.before.push_back(taken(std::min(j, m.points - j)));
  for (Index k = 0; k < n; ++k) m.after.push_back(taken(k));
}
/// The odd extension: its spectrum is imaginary.
void add_dst1(Index n, R2rMethod& m) {
  for (Index j = 0; j < m.points; ++j)
    m.before.push_back(j % (n + 1) == 0 ? R2rEntry{}
                       : j <= n         ? taken(j - 1)
                                        : taken(m.points - 1 - j, -1));
  for (Index k = 0; k < n; ++k) m.after.push_back({.first = k + 1, .b = -1});
}

/// Makhoul's order: even points ascending, odd points descending.
Index point_at(Index place, Index n) { return 2 * place < n ? 2 * place : 2 * (n - place) - 1; }
Index place_of(Index point, Index n) { return point % 2 == 0 ? point / 2 : n - 1 - point / 2; }

/// y[k] = 2 Re(w_4n^k V[k]), and V[n-k] = conj V[k].
void add_dct2(Index n, R2rMethod& m) {
  for (Index place = 0; place < n; ++place) m.before.push_back(taken(point_at(place, n)));
  for (Index k = 0; k < n; ++k) {
    const Factor w(4 * n, 2 * k <= n ? k : n - k, 2);
    m.after.push_back(2 * k <= n ? R2rEntry{.first = k, .a = w.c, .b = -w.s}
                                 : R2rEntry{.first = n - k, .a = -w.s, .b = -w.c});
  }
}
/// The way back: V[k] = conj(w_4n^k) (x[k] - i x[n-k]).
void add_dct3(Index n, R2rMethod& m) {
  for (Index k = 0; 2 * k <= n; ++k) {
    const Factor w(4 * n, k);
    m.before.push_back(
        {.first = k, .second = k == 0 ? -1 : n - k, .a = w.c, .b = -w.s, .c = -w.s, .d = -w.c});
  }
  for (Index j = 0; j < n; ++j) m.after.push_back(taken(place_of(j, n)));
}

/// z[j] = (x[2j] + i x[n-1-2j]) exp(-pi i (4j+1)/4n); y[2k] and -y[n-1-2k] are the real and
/// imaginary parts of 2 exp(-pi i k/n) Z[k].
void add_dct4_even(Index n, R2rMethod& m) {
  for (Index j = 0; 2 * j < n; ++j) {
    const Factor w(8 * n, 4 * j + 1);
    m.before.push_back(
        {.first = 2 * j, .second = n - 1 - 2 * j, .a = w.c, .b = w.s, .c = -w.s, .d = w.c});
  }
  for (Index k = 0; k < n; ++k) {
    const Index at = k % 2 == 0 ? k / 2 : (n - 1 - k) / 2;
    const Factor w(2 * n, at, 2);
    m.after.push_back(k % 2 == 0 ? R2rEntry{.first = at, .a = w.c, .b = -w.s}
                                 : R2rEntry{.first = at, .a = -w.s, .b = -w.c});
  }
}
/// y[k] = 2 Re(exp(-pi i (2k+1)/4n) Z[k]), Z = DFT(2n) of x[j] exp(-pi i j/2n), zero from n on.
void add_dct4_odd(Index n, R2rMethod& m) {
  for (Index j = 0; j < 2 * n; ++j) {
    const Factor w(4 * n, j);
    m.before.push_back(j < n ? R2rEntry{.first = j, .a = w.c, .b = w.s} : R2rEntry{});
  }
  for (Index k = 0; k < n; ++k) {
    const Factor w(8 * n, 2 * k + 1, 2);
    m.after.push_back({.first = k, .a = w.c, .b = -w.s});
  }
}

void negate(R2rEntry& e) { e = {e.first, e.second, -e.a, -e.b, -e.c, -e.d}; }

/// DST-II: (-1)^j x[j] in, y reversed. DST-III and IV: x reversed, (-1)^k y[k] out.
void twist(R2r kind, Index n, R2rMethod& m) {
  if (kind == R2r::dst2) {
    for (R2rEntry& e : m.before)
      if (e.first % 2 == 1) negate(e);  // these read one point each
    std::ranges::reverse(m.after);
    return;
  }
  for (R2rEntry& e : m.before) {
    if (e.first >= 0) e.first = n - 1 - e.first;
    if (e.second >= 0) e.second = n - 1 - e.second;
  }
  for (Index k = 1; k < n; k += 2) negate(m.after[static_cast<std::size_t>(k)]);
}

/// Points whose factor makes the matrix orthogonal: sqrt(2) of the input of types I and III,
/// sqrt(1/2) of the output of types I and II.
void make_orthogonal(R2r kind, Index n, R2rMethod& m) {
  const double root = std::sqrt(2.0);
  const auto is_end = [&](Index i) {
    if (kind == R2r::dct1) return i == 0 || i == n - 1;
    return i == (is_sine(kind) ? n - 1 : 0);
  };
  if (kind == R2r::dct1 || kind == R2r::dct3 || kind == R2r::dst3)
    for (R2rEntry& e : m.before) {
      const double first = is_end(e.first) ? root : 1, second = is_end(e.second) ? root : 1;
      e = {e.first, e.second, e.a * first, e.b * first, e.c * second, e.d * second};
    }
  if (kind == R2r::dct1 || kind == R2r::dct2 || kind == R2r::dst2)
    for (Index k = 0; k < n; ++k)
      if (R2rEntry& e = m.after[static_cast<std::size_t>(k)]; is_end(k)) {
        e.a /= root;
        e.b /= root;
      }
}

}  // namespace

R2rMethod r2r_inner(R2r kind, Index n) {
  R2rMethod m{.points = n};
  switch (cosine_twin(kind)) {
    case R2r::dct1: m.points = 2 * (n - 1); break;
    case R2r::dst1: m.points = 2 * (n + 1); break;
    case R2r::dct3:
    case R2r::hc2r:
      m.kind = Kind::c2r;
      m.direction = Direction::backward;
      break;
    case R2r::dct4:
      m.kind = Kind::c2c;
      m.points = n % 2 == 0 ? n / 2 : 2 * n;
      break;
    default: break;
  }
  return m;
}

R2rMethod r2r_method(R2r kind, Index n, bool orthogonalize) {
  R2rMethod m = r2r_inner(kind, n);
  const R2r twin = cosine_twin(kind);
  switch (twin) {
    case R2r::dct1: add_dct1(n, m); break;
    case R2r::dst1: add_dst1(n, m); break;
    case R2r::dct2: add_dct2(n, m); break;
    case R2r::dct3: add_dct3(n, m); break;
    case R2r::dct4: n % 2 == 0 ? add_dct4_even(n, m) : add_dct4_odd(n, m); break;
    case R2r::r2hc: add_to_halfcomplex(n, m); break;
    case R2r::hc2r: add_from_halfcomplex(n, m); break;
    default: add_hartley(n, m); break;
  }
  if (is_sine(kind) && twin != kind) twist(kind, n, m);
  if (orthogonalize) make_orthogonal(kind, n, m);
  return m;
}

namespace {

/// A side of the user's array, which is real.
R2rSide outer_side(const ArrayProblem& problem, bool is_output) {
  R2rSide side;
  for (std::size_t d = 0; d < problem.dimensions.size(); ++d) {
    const Dimension& dimension = problem.dimensions[d];
    const Blocks& blocks = is_output ? dimension.out_blocks : dimension.in_blocks;
    side.stride[d] = is_output ? dimension.out : dimension.in;
    side.length[d] = blocks ? blocks.length : dimension.n;
    side.jump[d] = blocks.jump;
  }
  return side;
}
/// A side of the inner transform, in elements.
R2rSide inner_side(const ArrayProblem& inner, bool is_output) {
  R2rSide side;
  for (int d = 0; d < static_cast<int>(inner.dimensions.size()); ++d) {
    const Dimension& dimension = inner.dimensions[at(d)];
    side.stride[d] =
        is_output ? dimension.out / inner.out_width() : dimension.in / inner.in_width();
    side.length[d] = is_output ? inner.out_extent(d) : inner.in_extent(d);
  }
  return side;
}

template <class Extent>
R2rShape shape_of(int ndim, int axis, const Extent& extent) {
  R2rShape shape{.ndim = ndim, .axis = axis, .count = 1};
  for (int d = 0; d < ndim; ++d) {
    shape.extents[d] = extent(d);
    shape.count *= shape.extents[d];
  }
  return shape;
}

ArrayProblem inner_problem(const ArrayProblem& problem, int axis, const R2rMethod& method) {
  ArrayProblem inner;
  inner.kind = method.kind;
  inner.precision = problem.precision;
  inner.direction = method.direction;
  inner.axes = {axis};
  for (const Dimension& d : problem.dimensions) inner.dimensions.push_back({.n = d.n});
  inner.dimensions[at(axis)].n = method.points;
  Index in = inner.in_width(), out = inner.out_width();
  for (int d = static_cast<int>(inner.dimensions.size()) - 1; d >= 0; --d) {
    inner.dimensions[at(d)].in = in;
    inner.dimensions[at(d)].out = out;
    in *= inner.in_extent(d);
    out *= inner.out_extent(d);
  }
  return inner;
}

}  // namespace

std::vector<R2rAxis> r2r_axes(const ArrayProblem& problem) {
  constexpr std::size_t alignment = 256;
  const auto padded = [](std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  const int ndim = static_cast<int>(problem.dimensions.size());
  std::vector<R2rAxis> axes;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const int axis = problem.axes[i];
    R2rAxis one{.kind = problem.r2r[i],
                .n = problem.dimensions[at(axis)].n,
                .orthogonalize = problem.orthogonalize};
    one.inner = inner_problem(problem, axis, r2r_inner(one.kind, one.n));
    one.before = shape_of(ndim, axis, [&](int d) { return one.inner.in_extent(d); });
    one.before.in = outer_side(problem, i > 0);
    one.before.out = inner_side(one.inner, false);
    one.after = shape_of(ndim, axis, [&](int d) { return problem.dimensions[at(d)].n; });
    one.after.in = inner_side(one.inner, true);
    one.after.out = outer_side(problem, true);
    one.first_bytes = padded(array_bytes(one.inner, false));
    one.second_bytes = one.inner.kind == Kind::c2c ? 0 : padded(array_bytes(one.inner, true));
    axes.push_back(std::move(one));
  }
  return axes;
}

}  // namespace weft::gpu
