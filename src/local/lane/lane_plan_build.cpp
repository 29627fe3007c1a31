// SPDX-License-Identifier: BSD-3-Clause
// Builds lane plans. A transform of length n = r1 r2 ... rk runs as k passes of kernels, decimation
// in time. Storage between passes is an array of digits [d1]...[dk]: pass p replaces the time digit
// d_p by the frequency digit, in place; the last pass writes row d1 + r1 d2 + r1 r2 d3 + ... of the
// output, so no reordering pass exists. lane_plan.cpp walks what is built here.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "base/index.hpp"
#include "codelet/runtime/names.hpp"
#include "local/lane/lane_plan.hpp"
#include "local/lane/lane_tables.hpp"
#include "weft/error.hpp"

namespace weft::local {

using codelet::KernelKey;
using codelet::KernelLayout;
using codelet::Twiddle;

template <class Real>
struct LanePlan<Real>::Builder {
  LanePlan& plan;
  const LaneRequest& request;
  Index lanes;
  std::vector<Real> tables;
  Index scratch_top = 0;
  std::map<std::string, Index> known;  // tables and maps already made, by what they hold

  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;

  Builder(LanePlan& target, const LaneRequest& wanted, Index lane_count)
      : plan(target), request(wanted), lanes(lane_count) {}

  Index planar_row() const { return 2 * lanes; }
  LaneSide planar_side() const { return {KernelLayout::planar, planar_row(), 1, 0}; }

  /// Reserves scratch for planar rows and returns it as a place to read and write.
  Ref reserve(Index reals) {
    constexpr Index line = 64 / Index{sizeof(Real)};
    const Ref ref{Where::scratch, scratch_top, planar_side()};
    scratch_top += round_up(reals, line);
    return ref;
  }
  Ref reserve_rows(Index rows) { return reserve(rows * planar_row()); }

  void emit(const LaneRecipe& recipe, const Ref& in, const Ref& out, Direction direction,
            double scale) {
    switch (recipe.type) {
      case LaneRecipe::Type::passes: return emit_passes(recipe, in, out, direction, scale);
      case LaneRecipe::Type::split: return emit_split(recipe, in, out, direction, scale);
      case LaneRecipe::Type::rader: return emit_rader(recipe, in, out, direction, scale);
      case LaneRecipe::Type::bluestein: return emit_bluestein(recipe, in, out, direction, scale);
    }
  }

  // --- kernels
  // ------------------------------------------------------------------------------------

  /// What one pass does, before kernels and call lists are chosen.
  struct Pass {
    int radix;
    Ref in, out;
    Index in_row, out_row;
    Twiddle twiddle = Twiddle::none;
    double scale = 1.0;
  };

  const codelet::CompiledKernel* find(const Pass& pass) const {
    KernelKey key{.isa = request.isa,
                  .precision = precision,
                  .radix = pass.radix,
                  .in = pass.in.side.layout,
                  .out = pass.out.side.layout,
                  .twiddle = pass.twiddle,
                  .scaled = pass.scale != 1.0};
    // Tiles hold rows that are adjacent in memory; the rows of a longer transform's pass are not.
    if (key.in == KernelLayout::tile && pass.in_row != 2) key.in = KernelLayout::strided;
    if (key.out == KernelLayout::tile && pass.out_row != 2) key.out = KernelLayout::strided;
    if (key.out == KernelLayout::tile && request.direction == Direction::backward)
      key.backward = true;
    const auto loosened = [](KernelLayout l) {
      return l == KernelLayout::planar ? l : KernelLayout::strided;
    };
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (const auto* kernel = codelet::find_kernel(key)) return kernel;
      key.in = loosened(key.in);
      key.out = loosened(key.out);
      key.backward = false;
    }
    return nullptr;
  }

  [[noreturn]] void missing(const Pass& pass) const {
    throw Error(ErrorCode::internal, std::string("no kernel is built for ") +
                                         to_string(KernelKey{.isa = request.isa,
                                                             .precision = precision,
                                                             .radix = pass.radix,
                                                             .in = pass.in.side.layout,
                                                             .out = pass.out.side.layout,
                                                             .twiddle = pass.twiddle,
                                                             .scaled = pass.scale != 1.0}));
  }

  /// Fills everything of a kernel step but its calls. The calls' output offsets must be shifted by
  /// the value returned, which turns output rows around for a backward transform.
  Index make_step(KernelStep& step, const codelet::CompiledKernel& kernel, const Pass& pass,
                  Direction direction) {
    step.function = kernel.function;
    step.in = pass.in.where;
    step.out = pass.out.where;
    step.lane_twiddles = pass.twiddle == Twiddle::vector_in;
    auto& a = step.arguments;
    a.table = codelet::table_of(kernel.key);
    a.in_row = pass.in_row;
    a.in_lane = pass.in.side.lane;
    a.out_row = pass.out_row;
    a.out_lane = pass.out.side.lane;
    a.scale = pass.scale;
    if (direction == Direction::forward || kernel.key.backward) return 0;
    a.out_first = -pass.radix * pass.out_row;
    a.out_row = -pass.out_row;
    return pass.radix * pass.out_row;
  }

  bool at_edge(const Ref& ref) const { return ref.where != Where::scratch; }
  bool loops_over_groups(const Pass& pass) const {
    return request.groups > 1 && (at_edge(pass.in) || at_edge(pass.out));
  }
  /// Sets the count loop to run over the lane groups; the scratch distance is known at the end
  /// only.
  void loop_over_groups(KernelStep& step, const Pass& pass) const {
    step.all_groups = true;
    step.arguments.count = request.groups;
    step.arguments.in_step = at_edge(pass.in) ? pass.in.side.group : -1;
    step.arguments.out_step = at_edge(pass.out) ? pass.out.side.group : -1;
    step.arguments.twiddle_step =
        pass.twiddle == Twiddle::vector_in ? planar_row() * (pass.radix - 1) : 0;
  }

  Index add_twiddles(Index n, Index k, int radix, Direction direction) {
    return append_twiddles(tables, n, k, radix, direction);
  }

  void emit_single(int radix, const Ref& in, const Ref& out, Direction direction, double scale) {
    Pass pass{radix,       in,           out,
              in.side.row, out.side.row, request.lane_twiddles ? Twiddle::vector_in : Twiddle::none,
              scale};
    Index twiddles = 0;
    const auto* kernel = find(pass);
    if (kernel == nullptr && pass.twiddle == Twiddle::none &&
        in.side.layout == KernelLayout::planar) {
      pass.twiddle = Twiddle::broadcast_in;  // with factors of one
      kernel = find(pass);
      twiddles = add_twiddles(1, 0, radix, direction);
    }
    if (kernel == nullptr && request.lane_twiddles) missing(pass);
    if (kernel == nullptr) return emit_single_in_parts(radix, in, out, direction, scale);
    KernelStep step{};
    const Index shift = make_step(step, *kernel, pass, direction);
    if (loops_over_groups(pass)) loop_over_groups(step, pass);
    step.calls.push_back({in.offset, out.offset + shift, twiddles});
    plan.steps_.push_back(std::move(step));
  }

  /// A combination of layouts that has no kernel: through planar scratch.
  void emit_single_in_parts(int radix, const Ref& in, const Ref& out, Direction direction,
                            double scale) {
    if (in.side.layout == KernelLayout::planar && out.side.layout == KernelLayout::planar &&
        scale == 1.0) {
      if (radix == 64) return emit_passes(lane_passes({8, 8}), in, out, direction, scale);
      missing({radix, in, out, in.side.row, out.side.row});
    }
    const Ref middle_in = reserve_rows(radix), middle_out = reserve_rows(radix);
    plan.steps_.push_back(MoveStep{.in = in, .out = middle_in, .rows = radix});
    emit_single(radix, middle_in, middle_out, direction, 1.0);
    plan.steps_.push_back(MoveStep{.in = middle_out, .out = out, .rows = radix, .scale = scale});
  }

  // --- Cooley-Tukey
  // -------------------------------------------------------------------------------

  /// Reals between neighbouring values of each digit; padded so that a power of two does not map
  /// all rows of a kernel onto a few cache sets.
  std::vector<Index> digit_strides(const std::vector<int>& radices) const {
    std::vector<Index> stride(radices.size());
    stride.back() = planar_row();
    for (std::size_t p = radices.size() - 1; p-- > 0;) {
      stride[p] = stride[p + 1] * radices[p + 1];
      if (stride[p] * Index{sizeof(Real)} % 1024 == 0)
        stride[p] += std::max<Index>(planar_row(), 64 / Index{sizeof(Real)});
    }
    return stride;
  }

  /// The largest kernel reads from memory only: between planar rows two passes do as well.
  static LaneRecipe without_largest(const LaneRecipe& recipe, const Ref& in) {
    std::vector<int> radices;
    for (int radix : recipe.radices) {
      const bool reads_memory = radices.empty() && in.side.layout != KernelLayout::planar;
      if (radix == 64 && !reads_memory)
        radices.insert(radices.end(), {8, 8});
      else
        radices.push_back(radix);
    }
    return lane_passes(std::move(radices));
  }

  void emit_passes(const LaneRecipe& asked, const Ref& in, const Ref& out, Direction direction,
                   double scale) {
    const LaneRecipe recipe = asked.radices.size() > 1 ? without_largest(asked, in) : asked;
    const auto& radices = recipe.radices;
    if (radices.empty()) {
      plan.steps_.push_back(MoveStep{.in = in, .out = out, .rows = 1, .scale = scale});
      return;
    }
    if (radices.size() == 1) return emit_single(radices[0], in, out, direction, scale);
    const auto stride = digit_strides(radices);
    Ref digits = reserve(stride[0] * radices[0]);
    for (std::size_t p = 0; p < radices.size(); ++p)
      emit_pass(recipe, p, stride, p == 0 ? in : digits, p + 1 == radices.size() ? out : digits,
                direction, scale);
  }

  /// Pass p: everything as linear functions of the digits.
  void emit_pass(const LaneRecipe& recipe, std::size_t p, const std::vector<Index>& stride,
                 const Ref& in, const Ref& out, Direction direction, double scale) {
    const auto& radices = recipe.radices;
    const std::size_t k = radices.size();
    const bool first = p == 0, last = p + 1 == k;
    std::vector<Index> in_weight(stride), out_weight(stride), twiddle_weight(k, 0);
    if (first) {
      Index weight = in.side.row;
      for (std::size_t d = k; d-- > 0; weight *= radices[d]) in_weight[d] = weight;
    }
    if (last) {
      Index weight = out.side.row;
      for (std::size_t d = 0; d < k; weight *= radices[d++]) out_weight[d] = weight;
    }
    Index prefix = 1;
    for (std::size_t d = p; d-- > 0; prefix *= radices[d])
      twiddle_weight[d] = prefix * 2 * (radices[p] - 1);

    Pass pass{radices[p],
              in,
              out,
              in_weight[p],
              out_weight[p],
              first ? Twiddle::none : Twiddle::broadcast_in,
              last ? scale : 1.0};
    const auto* kernel = find(pass);
    if (kernel == nullptr) return emit_passes_in_parts(recipe, in, out, pass, p, stride, direction);
    KernelStep step{};
    const Index shift = make_step(step, *kernel, pass, direction);
    const Index table = first ? 0 : pass_twiddles(radices, p, direction);

    std::vector<std::size_t> loop;  // digits enumerated by the call list
    const std::size_t inner = last ? k - 2 : k - 1;
    if (loops_over_groups(pass)) {
      loop_over_groups(step, pass);
    } else {
      step.arguments.count = radices[inner];
      step.arguments.in_step = in_weight[inner];
      step.arguments.out_step = out_weight[inner];
      step.arguments.twiddle_step = twiddle_weight[inner];
    }
    for (std::size_t d = 0; d < k; ++d)
      if (d != p && (d != inner || step.all_groups)) loop.push_back(d);
    std::vector<int> digit(k, 0);
    for (bool more = true; more;) {
      Call call{in.offset, out.offset + shift, table};
      for (std::size_t d : loop) {
        call.in += digit[d] * in_weight[d];
        call.out += digit[d] * out_weight[d];
        call.twiddles += digit[d] * twiddle_weight[d];
      }
      step.calls.push_back(call);
      more = false;
      for (std::size_t i = loop.size(); i-- > 0;) {
        if (++digit[loop[i]] < radices[loop[i]]) {
          more = true;
          break;
        }
        digit[loop[i]] = 0;
      }
    }
    plan.steps_.push_back(std::move(step));
  }

  /// A first or last pass whose layout has no kernel: a move before or after a planar pass.
  void emit_passes_in_parts(const LaneRecipe& recipe, const Ref& in, const Ref& out,
                            const Pass& pass, std::size_t p, const std::vector<Index>& stride,
                            Direction direction) {
    const bool first = p == 0;
    const bool already_planar =
        (first ? in : out).side.layout == KernelLayout::planar && pass.scale == 1.0;
    if (already_planar) missing(pass);
    const Ref middle = reserve_rows(recipe.n);
    if (first) plan.steps_.push_back(MoveStep{.in = in, .out = middle, .rows = recipe.n});
    emit_pass(recipe, p, stride, first ? middle : in, first ? out : middle, direction, 1.0);
    if (!first)
      plan.steps_.push_back(
          MoveStep{.in = middle, .out = out, .rows = recipe.n, .scale = pass.scale});
  }

  /// Twiddles of pass p for every value of the digits before it: w^(kappa i), i = 1 .. r-1.
  Index pass_twiddles(const std::vector<int>& radices, std::size_t p, Direction direction) {
    std::string name = std::to_string(p) + (direction == Direction::forward ? "f" : "b");
    for (int r : radices) name += "." + std::to_string(r);
    const auto [entry, is_new] = known.emplace(name, static_cast<Index>(tables.size()));
    if (!is_new) return entry->second;
    const Index start = entry->second;
    Index before = 1;
    for (std::size_t d = 0; d < p; ++d) before *= radices[d];
    for (Index a = 0; a < before; ++a) {
      Index rest = a, kappa = 0, weight = before;
      for (std::size_t d = p; d-- > 0; rest /= radices[d]) {
        weight /= radices[d];
        kappa += rest % radices[d] * weight;
      }
      add_twiddles(before * radices[p], kappa, radices[p], direction);
    }
    return start;
  }

  void emit_split(const LaneRecipe& recipe, const Ref& in, const Ref& out, Direction direction,
                  double scale) {
    const int radix = recipe.radices[0];
    const Index m = recipe.inner[0].n;
    Ref middle = reserve_rows(recipe.n);
    for (int i = 0; i < radix; ++i) {
      Ref from = in, to = middle;
      from.offset += i * in.side.row;
      from.side.row *= radix;
      if (from.side.layout == KernelLayout::tile) from.side.layout = KernelLayout::strided;
      to.offset += i * m * planar_row();
      const Index top = scratch_top;  // the inner transforms run one after another in one scratch
      emit(recipe.inner[0], from, to, direction, 1.0);
      if (i + 1 < radix) scratch_top = top;
    }
    Pass pass{radix, middle, out, m * planar_row(), m * out.side.row, Twiddle::broadcast_in, scale};
    const auto* kernel = find(pass);
    Ref target = out;
    if (kernel == nullptr) {
      target = reserve_rows(recipe.n);
      pass = {radix, middle, target, m * planar_row(), m * planar_row(), Twiddle::broadcast_in,
              1.0};
      kernel = find(pass);
      if (kernel == nullptr) missing(pass);
    }
    KernelStep step{};
    const Index shift = make_step(step, *kernel, pass, direction);
    const Index table = static_cast<Index>(tables.size());
    for (Index k = 0; k < m; ++k) add_twiddles(recipe.n, k, radix, direction);
    if (loops_over_groups(pass)) {
      loop_over_groups(step, pass);
      for (Index k = 0; k < m; ++k)
        step.calls.push_back({middle.offset + k * planar_row(),
                              target.offset + k * target.side.row + shift,
                              table + k * 2 * (radix - 1)});
    } else {
      step.arguments.count = m;
      step.arguments.in_step = planar_row();
      step.arguments.out_step = target.side.row;
      step.arguments.twiddle_step = 2 * (radix - 1);
      step.calls.push_back({middle.offset, target.offset + shift, table});
    }
    plan.steps_.push_back(std::move(step));
    if (target.where != out.where || target.offset != out.offset)
      plan.steps_.push_back(MoveStep{.in = target, .out = out, .rows = recipe.n, .scale = scale});
  }

  // --- convolutions
  // -------------------------------------------------------------------------------

  Index add_map(std::vector<Index> map) {
    const Index offset = static_cast<Index>(plan.maps_.size());
    plan.maps_.insert(plan.maps_.end(), map.begin(), map.end());
    return offset;
  }
  Index add_table(const std::vector<std::complex<long double>>& values) {
    const Index offset = static_cast<Index>(tables.size());
    for (const auto& v : values) {
      tables.push_back(static_cast<Real>(v.real()));
      tables.push_back(static_cast<Real>(v.imag()));
    }
    return offset;
  }

  /// Offsets of a convolution's tables and maps; each is made once per plan.
  struct ConvolutionTables {
    Index input = -1, output = -1, chirp = -1, spectrum = -1;
  };
  std::map<std::string, ConvolutionTables> convolutions;

  const ConvolutionTables& rader_offsets(const LaneRecipe& recipe, Direction direction) {
    const std::string name = to_text(recipe) + (direction == Direction::forward ? "f" : "b");
    const auto [entry, is_new] = convolutions.emplace(name, ConvolutionTables{});
    if (!is_new) return entry->second;
    RaderTables made = rader_tables(recipe.n);
    if (direction == Direction::backward)
      for (Index& row : made.output) row = recipe.n - row;
    return entry->second = {add_map(made.input), add_map(made.output), -1,
                            add_table(spectrum_of(made.sequence, recipe.inner[0]))};
  }
  const ConvolutionTables& bluestein_offsets(const LaneRecipe& recipe, Direction direction) {
    const std::string name = to_text(recipe) + (direction == Direction::forward ? "f" : "b");
    const auto [entry, is_new] = convolutions.emplace(name, ConvolutionTables{});
    if (!is_new) return entry->second;
    BluesteinTables made = bluestein_tables(recipe.n, recipe.inner[0].n);
    std::vector<LongComplex> spectrum = spectrum_of(made.sequence, recipe.inner[0]);
    if (direction == Direction::backward) {
      conjugate(made.chirp);
      conjugate(spectrum);
    }
    return entry->second = {-1, -1, add_table(made.chirp), add_table(spectrum)};
  }

  /// Rader: X[g^-q] = x0 + (a * b)[q] with a[q] = x[g^q], b[q] = w^(g^-q), cyclic of length p-1.
  void emit_rader(const LaneRecipe& recipe, const Ref& in, const Ref& out, Direction direction,
                  double scale) {
    const Index p = recipe.n;
    const ConvolutionTables rader = rader_offsets(recipe, direction);
    const Ref x0 = reserve_rows(1), sum = reserve_rows(1), a = reserve_rows(p - 1),
              b = reserve_rows(p - 1);
    plan.steps_.push_back(MoveStep{.in = in, .out = x0, .rows = 1});
    plan.steps_.push_back(MoveStep{.in = in, .out = a, .rows = p - 1, .in_map = rader.input});
    emit(recipe.inner[0], a, b, Direction::forward, 1.0);
    plan.steps_.push_back(AddStep{x0.offset, b.offset, sum.offset});
    plan.steps_.push_back(MultiplyStep{b.offset, p - 1, rader.spectrum});
    plan.steps_.push_back(AddStep{x0.offset, b.offset, b.offset});  // adds x0 to every output
    emit(recipe.inner[0], b, a, Direction::backward, 1.0);
    plan.steps_.push_back(MoveStep{.in = sum, .out = out, .rows = 1, .scale = scale});
    plan.steps_.push_back(
        MoveStep{.in = a, .out = out, .rows = p - 1, .out_map = rader.output, .scale = scale});
  }

  /// Bluestein: X[k] = c[k] sum (x[j] c[j]) conj(c)[k-j], c[j] = exp(-pi i j^2 / n).
  void emit_bluestein(const LaneRecipe& recipe, const Ref& in, const Ref& out, Direction direction,
                      double scale) {
    const Index n = recipe.n, m = recipe.inner[0].n;
    const ConvolutionTables bluestein = bluestein_offsets(recipe, direction);
    const Ref a = reserve_rows(m), b = reserve_rows(m);
    plan.steps_.push_back(MoveStep{.in = in, .out = a, .rows = n, .factors = bluestein.chirp});
    plan.steps_.push_back(ZeroStep{a.offset + n * planar_row(), (m - n) * planar_row()});
    emit(recipe.inner[0], a, b, Direction::forward, 1.0);
    plan.steps_.push_back(MultiplyStep{b.offset, m, bluestein.spectrum});
    emit(recipe.inner[0], b, a, Direction::backward, 1.0);
    plan.steps_.push_back(
        MoveStep{.in = a, .out = out, .rows = n, .factors = bluestein.chirp, .scale = scale});
  }

  void finish() {
    plan.group_scratch_ = scratch_top;
    for (Step& step : plan.steps_)
      if (auto* kernel = std::get_if<KernelStep>(&step); kernel != nullptr && kernel->all_groups) {
        if (kernel->in == Where::scratch) kernel->arguments.in_step = scratch_top;
        if (kernel->out == Where::scratch) kernel->arguments.out_step = scratch_top;
      }
    plan.tables_ = Buffer<Real>(static_cast<Index>(tables.size()));
    if (!tables.empty())
      std::memcpy(plan.tables_.data(), tables.data(), tables.size() * sizeof(Real));
  }
};

template <class Real>
LanePlan<Real>::LanePlan(const LaneRequest& request) : groups_(request.groups) {
  ops_ = &lane_ops<Real>(request.isa);
  lanes_ = codelet::lanes(request.isa, Builder::precision);
  Builder builder(*this, request, lanes_);
  builder.emit(request.recipe, Ref{Where::input, 0, request.in}, Ref{Where::output, 0, request.out},
               request.direction, request.scale);
  builder.finish();
  if (request.recipe.type == LaneRecipe::Type::passes && !request.recipe.radices.empty())
    first_radix_ = request.recipe.radices.front();
  in_ = request.in;
}

template LanePlan<float>::LanePlan(const LaneRequest&);
template LanePlan<double>::LanePlan(const LaneRequest&);

}  // namespace weft::local
