// SPDX-License-Identifier: BSD-3-Clause
// Real-to-real transforms by lanes: DCT and DST of types I to IV and the Hartley transform, each
// reduced to one complex DFT of the length AxisProblem::complex_length() gives.
//   DHT, R2HC, DCT-II, DST-II   real DFT of n points
//   DCT-I, DST-I          real DFT of the even (odd) extension, 2(n-1) or 2(n+1) points
//   HC2R, DCT-III, DST-III      backward real DFT of n points
//   DCT-IV, DST-IV        complex DFT of n/2 points, for odd n of 2n points
// where trig_lanes_engine.cpp and trig_lines_engine.cpp do not: by columns odd lengths, type I,
// halfcomplex and Hartley transforms, and rows in another form. DSTs are DCTs with reversed and
// sign-changed rows. The rules are proved in src/formula/rules/trigonometric.cpp's tests.
#include <cmath>

#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/axis/engines.hpp"
#include "local/axis/formed_rows.hpp"
#include "local/lane/lane_plan.hpp"
#include "local/lane/trig_tables.hpp"

namespace weft::local {
namespace {

using codelet::KernelLayout;

/// The cosine transform that does the work of a sine transform of type II, III or IV.
R2r cosine_twin(R2r kind) {
  switch (kind) {
    case R2r::dst2: return R2r::dct2;
    case R2r::dst3: return R2r::dct3;
    case R2r::dst4: return R2r::dct4;
    default: return kind;
  }
}

template <class Real>
class RealToRealEngine final : public AxisEngine<Real> {
 public:
  RealToRealEngine(const AxisRecipe& recipe, const AxisProblem& problem)
      : problem_(problem),
        lane_(problem.loops.empty() ? Loop{} : problem.loops.back()),
        outer_(problem.loops.empty()
                   ? problem.loops
                   : std::vector<Loop>(problem.loops.begin(), problem.loops.end() - 1)),
        ops_(lane_ops<Real>(recipe.isa)),
        lanes_(codelet::lanes(recipe.isa, sizeof(Real) == 8 ? Precision::f64 : Precision::f32)),
        length_(recipe.n),
        points_(real_points(problem)),
        plan_(request(recipe)) {
    if (points_ % 2 == 0) combine_roots_ = roots(points_, 1, 0, points_ / 4 + 1);
    make_factors();
    rows_ = std::max(2 * length_, points_) + problem.n + 4;
    this->task_reals_ = 2 * rows_ * row() + plan_.scratch_reals();
  }

  Index units(int) const override { return outer_.count() * blocks(); }

  void run(int, Index begin, Index end, const void* in, void* out,
           const Scratch<Real>& scratch) const override {
    const Index bytes = problem_.half ? 2 : Index{sizeof(Real)};
    for (Index unit = begin; unit < end; ++unit) {
      const auto at = outer_(unit / blocks());
      const Index first = unit % blocks() * lanes_;
      const int count = static_cast<int>(std::min<Index>(lanes_, lane_.count - first));
      const char* x = static_cast<const char*>(in) + (at.in + first * lane_.in) * bytes;
      char* y = static_cast<char*>(out) + (at.out + first * lane_.out) * bytes;
      Real *a = scratch.task, *b = a + rows_ * row();
      const FormedRows<Real> source{ops_, problem_.in_form, problem_.n, lanes_};
      const FormedRows<Real> target{ops_, problem_.out_form, problem_.n, lanes_};
      source.load_reals(
          {const_cast<char*>(x), problem_.in_row, lane_.in, nullptr, false, problem_.half}, a,
          count);
      if (problem_.orthogonalize) orthogonalize(a, is_type(1) || is_type(3), std::sqrt(Real(2)));
      transform(a, b, b + rows_ * row());
      if (problem_.orthogonalize) orthogonalize(a, is_type(1) || is_type(2), std::sqrt(Real(0.5)));
      target.store_reals(a, {y, problem_.out_row, lane_.out, nullptr, false, problem_.half}, count,
                         problem_.scale);
    }
  }

 private:
  Index row() const { return 2 * lanes_; }
  Index blocks() const { return ceil_div(lane_.count, lanes_); }

  /// Length of the real DFT that does the work; 1 for type IV, which needs none.
  static Index real_points(const AxisProblem& p) {
    switch (p.r2r) {
      case R2r::dct1: return 2 * (p.n - 1);
      case R2r::dst1: return 2 * (p.n + 1);
      case R2r::dct4:
      case R2r::dst4: return 1;
      default: return p.n;
    }
  }
  LaneRequest request(const AxisRecipe& recipe) const {
    const LaneSide planar{KernelLayout::planar, 2 * lanes_, 1, 0};
    return {.recipe = recipe.lane[0],
            .isa = recipe.isa,
            .direction = cosine_twin(problem_.r2r) == R2r::dct3 || problem_.r2r == R2r::hc2r
                             ? Direction::backward
                             : Direction::forward,
            .in = planar,
            .out = planar};
  }
  /// w_n^(step k + first), k < count.
  static Buffer<Real> roots(Index n, Index step, Index first, Index count) {
    Buffer<Real> table(2 * count);
    const RootPowers<long double> all(n);
    for (Index k = 0; k < count; ++k) {
      const auto w = all((step * k + first) % n);
      table[2 * k] = static_cast<Real>(w.real());
      table[2 * k + 1] = static_cast<Real>(w.imag());
    }
    return table;
  }
  void make_factors() {
    const Index n = problem_.n;
    const R2r kind = cosine_twin(problem_.r2r);
    if (kind == R2r::dct2 || kind == R2r::dct3) factors_ = roots(4 * n, 1, 0, n / 2 + 1);
    if (kind != R2r::dct4) return;
    if (n % 2 == 0) {
      factors_ = roots(8 * n, 4, 1, n / 2);       // exp(-pi i (4j+1) / 4n)
      last_factors_ = roots(2 * n, 1, 0, n / 2);  // exp(-pi i k / n)
    } else {
      factors_ = roots(4 * n, 1, 0, n);       // exp(-pi i j / 2n)
      last_factors_ = roots(8 * n, 2, 1, n);  // exp(-pi i (2k+1) / 4n)
    }
  }

  // Rows are planar; a real row uses the first half of one.
  Real* re(Real* rows, Index i) const { return rows + i * row(); }
  Real* im(Real* rows, Index i) const { return rows + i * row() + lanes_; }
  template <class Function>
  void each_lane(Function function) const {
    for (int l = 0; l < lanes_; ++l) function(l);
  }
  void copy(const Real* from, Real* to, Real sign = Real(1)) const {
    each_lane([&](int l) { to[l] = sign * from[l]; });
  }
  void zero(Real* to) const {
    each_lane([&](int l) { to[l] = Real(0); });
  }

  /// Place of real point j of the DFT's input (or backward output) in the complex rows.
  Real* point(Real* rows, Index j) const {
    if (points_ % 2 != 0) return re(rows, j);
    return j % 2 == 0 ? re(rows, j / 2) : im(rows, j / 2);
  }

  bool is_type(int type) const {
    constexpr R2r cosines[] = {R2r::dct1, R2r::dct2, R2r::dct3};
    constexpr R2r sines[] = {R2r::dst1, R2r::dst2, R2r::dst3};
    return problem_.r2r == cosines[type - 1] || problem_.r2r == sines[type - 1];
  }
  /// The first row (DCT), the last (DST) or both (DCT-I) times a factor; no row of a DST-I.
  void orthogonalize(Real* a, bool is_here, Real factor) const {
    if (!is_here || problem_.r2r == R2r::dst1) return;
    const bool both = problem_.r2r == R2r::dct1;
    const Index last = problem_.n - 1;
    if (both || !is_sine(problem_.r2r)) copy(re(a, 0), re(a, 0), factor);
    if (both || is_sine(problem_.r2r)) copy(re(a, last), re(a, last), factor);
  }

  /// a: n real rows in, n real rows out; b: as many rows again.
  void transform(Real* a, Real* b, Real* work) const {
    const Index n = problem_.n;
    const R2r twin = cosine_twin(problem_.r2r);
    const bool twisted = is_sine(problem_.r2r) && twin != problem_.r2r;
    if (twisted) twist_input(a);
    switch (twin) {
      case R2r::dht:
        for (Index j = 0; j < n; ++j) copy(re(a, j), point(b, j));
        real_dft(b, a, work);
        return hartley(a, b);
      case R2r::r2hc:
        for (Index j = 0; j < n; ++j) copy(re(a, j), point(b, j));
        real_dft(b, a, work);
        for (Index k = 1; 2 * k < n; ++k) copy(im(a, k), re(b, n - k));
        for (Index k = n / 2 + 1; k < n; ++k) copy(re(b, k), re(a, k));
        return;
      case R2r::hc2r: return hc2r(a, b, work);
      case R2r::dct1: return dct1(a, b, work);
      case R2r::dst1: return dst1(a, b, work);
      case R2r::dct2: dct2(a, b, work); break;
      case R2r::dct3: dct3(a, b, work); break;
      default: n % 2 == 0 ? dct4_even(a, b, work) : dct4_odd(a, b, work); break;
    }
    if (twisted) twist_output(a);
  }
  /// DST-II: (-1)^j x[j]; DST-III and IV: x reversed.
  void twist_input(Real* a) const {
    const Index n = problem_.n;
    if (problem_.r2r == R2r::dst2) {
      for (Index j = 1; j < n; j += 2) copy(re(a, j), re(a, j), Real(-1));
    } else {
      reverse(a);
    }
  }
  /// DST-II: y reversed; DST-III and IV: (-1)^k y[k].
  void twist_output(Real* a) const {
    if (problem_.r2r == R2r::dst2) return reverse(a);
    for (Index k = 1; k < problem_.n; k += 2) copy(re(a, k), re(a, k), Real(-1));
  }
  void reverse(Real* a) const {
    for (Index i = 0, j = problem_.n - 1; i < j; ++i, --j)
      each_lane([&](int l) { std::swap(re(a, i)[l], re(a, j)[l]); });
  }

  /// z: the real points as complex rows (overwritten); x: half spectrum, points/2 + 1 rows.
  void real_dft(Real* z, Real* x, Real* work) const {
    if (points_ % 2 == 0) {
      plan_.execute(z, z, work);
      ops_.real_combine(z, length_, combine_roots_.data(), x);
      return;
    }
    for (Index j = 0; j < points_; ++j) zero(im(z, j));
    plan_.execute(z, x, work);
  }

  /// b: half spectrum in, the points out as point() has them; a: room for as many rows.
  void backward_real_dft(Real* a, Real* b, Real* work) const {
    if (points_ % 2 == 0) {
      ops_.real_separate(b, length_, combine_roots_.data(), a);
      plan_.execute(a, b, work);
    } else {
      ops_.mirror_rows(b, problem_.n);
      plan_.execute(b, b, work);
    }
  }

  /// H[k] = Re X[k] - Im X[k], H[n-k] = Re X[k] + Im X[k].
  void hartley(Real* x, Real* b) const {
    const Index n = problem_.n;
    for (Index k = 0; 2 * k <= n; ++k)
      each_lane([&](int l) {
        const Real c = re(x, k)[l], s = k == 0 || 2 * k == n ? Real(0) : im(x, k)[l];
        re(b, k)[l] = c - s;
        if (k > 0) re(b, n - k)[l] = c + s;
      });
    for (Index k = 0; k < n; ++k) copy(re(b, k), re(x, k));
  }

  void dct1(Real* a, Real* b, Real* work) const {
    const Index n = problem_.n;
    for (Index j = 0; j < n; ++j) {
      copy(re(a, j), point(b, j));
      if (j > 0 && j + 1 < n) copy(re(a, j), point(b, points_ - j));
    }
    real_dft(b, a, work);  // row k of the spectrum is real: y[k]
  }
  void dst1(Real* a, Real* b, Real* work) const {
    const Index n = problem_.n;
    zero(point(b, 0));
    zero(point(b, n + 1));
    for (Index j = 0; j < n; ++j) {
      copy(re(a, j), point(b, j + 1));
      copy(re(a, j), point(b, points_ - 1 - j), Real(-1));
    }
    real_dft(b, a, work);
    for (Index k = 0; k < n; ++k) copy(im(a, k + 1), re(a, k), Real(-1));
  }

  /// Makhoul's reordering: even points ascending, odd points descending; y = 2 Re(w_4n^k V[k]).
  void dct2(Real* a, Real* b, Real* work) const {
    const Index n = problem_.n;
    for (Index j = 0; j < n; ++j) copy(re(a, j), point(b, j % 2 == 0 ? j / 2 : n - 1 - j / 2));
    real_dft(b, a, work);
    for (Index k = 0; 2 * k <= n; ++k) {
      const Real c = 2 * factors_[2 * k], s = -2 * factors_[2 * k + 1];
      each_lane([&](int l) {
        const Real vr = re(a, k)[l], vi = k == 0 || 2 * k == n ? Real(0) : im(a, k)[l];
        re(b, k)[l] = vr * c + vi * s;
        if (k > 0 && 2 * k != n) re(b, n - k)[l] = vr * s - vi * c;
      });
    }
    for (Index k = 0; k < n; ++k) copy(re(b, k), re(a, k));
  }

  /// The way back: V[k] = conj(w_4n^k) (x[k] - i x[n-k]), then the reordering undone.
  void dct3(Real* a, Real* b, Real* work) const {
    const Index n = problem_.n;
    for (Index k = 0; 2 * k <= n; ++k) {
      const Real c = factors_[2 * k], s = -factors_[2 * k + 1];
      each_lane([&](int l) {
        const Real u = re(a, k)[l], v = k == 0 ? Real(0) : re(a, n - k)[l];
        re(b, k)[l] = c * u + s * v;
        im(b, k)[l] = s * u - c * v;
      });
    }
    backward_real_dft(a, b, work);
    for (Index j = 0; j < n; ++j) copy(point(b, j % 2 == 0 ? j / 2 : n - 1 - j / 2), re(a, j));
  }
  void hc2r(Real* a, Real* b, Real* work) const {
    const Index n = problem_.n;
    for (Index k = 0; 2 * k <= n; ++k) {
      copy(re(a, k), re(b, k));
      if (k == 0 || 2 * k == n)
        zero(im(b, k));
      else
        copy(re(a, n - k), im(b, k));
    }
    backward_real_dft(a, b, work);
    for (Index j = 0; j < n; ++j) copy(point(b, j), re(a, j));
  }

  /// z[j] = (x[2j] + i x[n-1-2j]) exp(-pi i (4j+1)/4n); y[2k] and -y[n-1-2k] are the real and
  /// imaginary parts of 2 exp(-pi i k/n) Z[k].
  void dct4_even(Real* a, Real* b, Real* work) const {
    const Index n = problem_.n;
    for (Index j = 0; 2 * j < n; ++j) {
      const Real c = factors_[2 * j], s = factors_[2 * j + 1];
      each_lane([&](int l) {
        const Real u = re(a, 2 * j)[l], v = re(a, n - 1 - 2 * j)[l];
        re(b, j)[l] = u * c - v * s;
        im(b, j)[l] = u * s + v * c;
      });
    }
    plan_.execute(b, b, work);
    for (Index k = 0; 2 * k < n; ++k) {
      const Real c = 2 * last_factors_[2 * k], s = 2 * last_factors_[2 * k + 1];
      each_lane([&](int l) {
        const Real u = re(b, k)[l], v = im(b, k)[l];
        re(a, 2 * k)[l] = u * c - v * s;
        re(a, n - 1 - 2 * k)[l] = -(u * s + v * c);
      });
    }
  }

  /// y[k] = 2 Re(exp(-pi i (2k+1)/4n) Z[k]), Z = DFT(2n) of x[j] exp(-pi i j/2n), zero from n on.
  void dct4_odd(Real* a, Real* b, Real* work) const {
    const Index n = problem_.n;
    for (Index j = 0; j < n; ++j) {
      const Real c = factors_[2 * j], s = factors_[2 * j + 1];
      each_lane([&](int l) {
        const Real u = re(a, j)[l];
        re(b, j)[l] = u * c;
        im(b, j)[l] = u * s;
        re(b, n + j)[l] = im(b, n + j)[l] = Real(0);
      });
    }
    plan_.execute(b, b, work);
    for (Index k = 0; k < n; ++k) {
      const Real c = 2 * last_factors_[2 * k], s = 2 * last_factors_[2 * k + 1];
      each_lane([&](int l) { re(a, k)[l] = re(b, k)[l] * c - im(b, k)[l] * s; });
    }
  }

  AxisProblem problem_;
  Loop lane_;
  LoopIndex outer_;
  const LaneOps<Real>& ops_;
  int lanes_;
  Index length_, points_, rows_ = 0;
  LanePlan<Real> plan_;
  Buffer<Real> combine_roots_, factors_, last_factors_;
};

}  // namespace

template <class Real>
EnginePtr<Real> make_r2r_engine(const AxisRecipe& recipe, const AxisProblem& problem) {
  return std::make_unique<RealToRealEngine<Real>>(recipe, problem);
}
template EnginePtr<float> make_r2r_engine(const AxisRecipe&, const AxisProblem&);
template EnginePtr<double> make_r2r_engine(const AxisRecipe&, const AxisProblem&);

}  // namespace weft::local
