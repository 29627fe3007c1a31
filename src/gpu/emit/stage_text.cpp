// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/emit/stage_text.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace weft::gpu {

StageText::StageText(const TilePass& pass, const Geometry& geometry, const Tables& tables,
                     int stage)
    : pass_(pass),
      geometry_(geometry),
      tables_(tables),
      stage_(stage),
      is_first_(stage == 0),
      is_last_(stage == geometry.last_stage()),
      is_crossing_(stage == geometry.crossing_stage()),
      chirped_(pass.tile_axes[0].chirp.role != Chirp::Role::none),
      active_(geometry.active(stage)) {}

const TileAxis& StageText::piece_of(const Digit& d) const {
  return pass_.tile_axes[at(d.tile_axis)];
}

void StageText::emit_digits() {
  std::vector<int> order = geometry_.order(stage_);
  if (geometry_.is_combining(stage_)) {
    const auto is_of_line = [&](int d) { return geometry_.digit(d).tile_axis >= 0; };
    const auto rest = std::ranges::find_if(order, is_of_line);
    if (rest != order.end()) order.erase(rest + 1, std::find_if_not(rest, order.end(), is_of_line));
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Digit& d = geometry_.digit(order[i]);
    const bool is_pair = geometry_.is_combining(stage_) && d.tile_axis >= 0;
    const Index extent = is_pair ? geometry_.pairs() : is_crossing_ ? d.extent : d.local;
    const bool is_slowest = i + 1 == order.size();
    const std::string name = is_pair ? "pair" : weft::format("d{}", order[i]);
    line("  const unsigned {} = task{};", name, is_slowest ? "" : weft::format(" % {}u", extent));
    if (!is_slowest) line("  task /= {}u;", extent);
    if (is_pair) continue;
    const bool is_spread = order[i] == geometry_.cluster_digit() && !is_crossing_;
    line("  const unsigned c{} = d{}{};", order[i], order[i],
         is_spread ? weft::format(" + tile.rank * {}u", extent) : "");
  }
  if (order.empty()) line("  (void)task;");
  if (row_loop() >= 0 && !geometry_.is_combining(stage_))
    emit_row(weft::format("c{}", geometry_.twin_digit()));
}

int StageText::row_loop() const {
  return pass_.tile_axes[0].is_twinned() ? pass_.tile_axes[0].loop : -1;
}
Index StageText::row_mirror() const { return pass_.loops[at(row_loop())].mirror; }

void StageText::emit_row(const std::string& twin) {
  line("  const unsigned own_row = {};", loop_count(row_loop()));
  line("  const unsigned row = {} == 0u || own_row == 0u ? own_row : {}u - own_row;", twin,
       row_mirror());
  line("  const bool is_copy = {} != 0u && row == own_row;", twin);
}

void StageText::emit_digits_of_rest() {
  for (int d : geometry_.order(stage_))
    if (geometry_.digit(d).tile_axis >= 0)
      line("  const unsigned c{0} = rest / {1}u % {2}u, d{0} = c{0};", d,
           geometry_.weight_in_rest(d), geometry_.digit(d).extent);
}

Index StageText::value_in(Index j, int d) const {
  for (std::size_t a = active_.size(); a-- > 0;) {
    const Digit& other = geometry_.digit(active_[a]);
    if (active_[a] == d) return j % other.extent;
    j /= other.extent;
  }
  return 0;
}

std::string StageText::tile_axis_index(int tile_axis, bool is_output, Index j) const {
  const TileAxis& p = pass_.tile_axes[at(tile_axis)];
  Index constant = 0, weight = is_output ? 1 : p.n();
  std::string text;
  for (int i = 0; i < static_cast<int>(p.radices.size()); ++i) {
    const int r = p.radices[at(i)];
    if (!is_output) weight /= r;
    const int d = geometry_.find({tile_axis, i});
    if (geometry_.digit(d).stage == stage_)
      constant += value_in(j, d) * weight;
    else
      text += weft::format("c{} * {}u + ", d, weight);
    if (is_output) weight *= r;
  }
  return text + weft::format("{}u", constant);
}

std::string StageText::whole_index(int tile_axis, bool is_output, Index j) const {
  const TileAxis& p = pass_.tile_axes[at(tile_axis)];
  const Index step = p.whole > 0 ? p.whole / p.n() : p.chirp.step;
  if (step == 0) return tile_axis_index(tile_axis, is_output, j);
  return weft::format("Exponent({}) * {}u + {}", tile_axis_index(tile_axis, is_output, j), step,
                      loop_index(p.loop));
}

std::string StageText::loop_index(int l) const {
  return l >= 0 && l == row_loop() ? "row" : loop_count(l);
}

std::string StageText::loop_count(int l) const {
  std::string index = weft::format("tile.index{}", l);
  for (int d : geometry_.order(stage_))
    if (geometry_.digit(d).tile_axis < 0 && geometry_.digit(d).position == l)
      index += weft::format(" + c{}", d);
  return "(" + index + ")";
}

bool StageText::scales_twiddles() const {
  for (int p = 0; p < static_cast<int>(pass_.tile_axes.size()); ++p)
    if (pass_.scales && pass_.tile_axes[at(p)].whole > 0 && !pass_.tile_axes[at(p)].is_first_part &&
        !tables_.twists_split(p))
      return true;
  return false;
}

void StageText::emit_transform(std::size_t a) {
  const Digit& digit = geometry_.digit(active_[a]);
  const TileAxis& tile_axis = piece_of(digit);
  const bool is_split = tile_axis.whole > 0 && !tables_.twists_split(digit.tile_axis);
  if (is_split && !tile_axis.is_first_part && digit.position == 0) emit_split_twiddles(digit, a);
  const Index r = digit.extent;
  Index inner = 1;
  for (std::size_t b = a + 1; b < active_.size(); ++b) inner *= geometry_.digit(active_[b]).extent;
  const Twist& twist = tables_.twist({digit.tile_axis, digit.position});
  if (twist.count > 1) emit_twist(digit, twist, inner);
  const std::string name = weft::format("{}{}", twist.is_fused ? "twisted" : "dft", r);
  const std::string factors = twist.is_fused ? weft::format(", w{}", digit.tile_axis) : "";
  const Index count = geometry_.radix(stage_);
  if (count == r) {
    line("  {}(x{});", name, factors);
  } else {
    for (Index first = 0; first < count; ++first) {
      if (first / inner % r != 0) continue;
      line("  {{");
      line("    Complex y[{}];", r);
      for (Index j = 0; j < r; ++j) line("    y[{}] = x[{}];", j, first + j * inner);
      line("    {}(y{});", name, factors);
      for (Index j = 0; j < r; ++j) line("    x[{}] = y[{}];", first + j * inner, j);
      line("  }}");
    }
  }
  if (is_split && tile_axis.is_first_part &&
      digit.position + 1 == static_cast<int>(tile_axis.radices.size()))
    emit_split_twiddles(digit, a);
}

void StageText::emit_twist(const Digit& digit, const Twist& twist, Index inner) {
  constexpr Index long_table = 8192;  // entries
  const TileAxis& tile_axis = piece_of(digit);
  const int p = digit.tile_axis;
  const bool twists_split = tables_.twists_split(p);
  std::string index = twists_split ? loop_index(tile_axis.loop) : "";
  Index weight = twists_split ? tile_axis.whole / tile_axis.n() : 1;
  for (int i = 0; i < digit.position; ++i) {
    index +=
        weft::format("{}c{} * {}u", index.empty() ? "" : " + ", geometry_.find({p, i}), weight);
    weight *= tile_axis.radices[at(i)];
  }
  line("  const Complex* f{} = tile.tables + {} + ({});", p, twist.start, index);
  const Index r = digit.extent;
  if (twist.is_fused) {
    std::string values;
    for (Index e = 0; e < r / 2; ++e)
      values += weft::format("{}f{}[{}]", e == 0 ? "" : ", ", p, e * twist.count);
    line("  const Complex w{}[{}] = {{{}}};", p, r / 2, values);
    return;
  }
  Index power = 1;  // the greatest that is at most m
  for (Index m = 1; m < r; ++m) {
    if (m == 2 * power) power = m;
    if (m == power || (r - 1) * twist.count < long_table)
      line("  const Complex w{0}_{1} = f{0}[{2}];", p, m, (m - 1) * twist.count);
    else
      line("  const Complex w{0}_{1} = w{0}_{2} * w{0}_{3};", p, m, power, m - power);
    for (Index k = 0; k < geometry_.radix(stage_); ++k)
      if (k / inner % r == m) line("  x[{0}] = x[{0}] * w{1}_{2};", k, p, m);
  }
}

void StageText::emit_split_twiddles(const Digit& digit, std::size_t a) {
  const TileAxis& tile_axis = piece_of(digit);
  const int p = digit.tile_axis;
  const Index r = digit.extent, weight = tile_axis.n() / r;
  line("  const Exponent other{} = {};", p, loop_index(tile_axis.loop));
  line("  const Exponent e{} = other{} * ({});", p, p,
       tile_axis_index(p, tile_axis.is_first_part, 0));
  const Index fine = tables_.fine_count(p);
  const auto root = [&](const std::string& e) {
    std::string text = weft::format("tile.tables[{} + ({}) / {}u]", tables_.coarse(p), e, fine);
    return fine == 1
               ? text
               : text + weft::format(" * tile.tables[{} + ({}) % {}u]", tables_.fine(p), e, fine);
  };
  const auto first_root = [&](const std::string& e) {
    return !tile_axis.is_first_part && scales_twiddles()
               ? weft::format("scaled({}, tile.scale)", root(e))
               : root(e);
  };
  line("  const Complex t{}_0 = {};", p, first_root(weft::format("e{}", p)));
  Index power = 1;
  for (Index v = 1; v < r; ++v) {
    if (fine == 1) {
      line("  const Complex t{}_{} = {};", p, v,
           first_root(weft::format("e{} + other{} * {}u", p, p, v * weight)));
      continue;
    }
    if (v == 2 * power) power = v;
    if (v == power)
      line("  const Complex s{}_{} = {};", p, v,
           root(weft::format("other{} * {}u", p, v * weight)));
    line("  const Complex t{}_{} = t{}_{} * s{}_{};", p, v, p, v - power, p, power);
  }
  for (Index j = 0; j < geometry_.radix(stage_); ++j)
    line("  x[{}] = x[{}] * t{}_{};", j, j, p, value_in(j, active_[a]));
}

}  // namespace weft::gpu
