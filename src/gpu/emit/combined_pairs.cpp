// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/emit/combined_pairs.hpp"

#include "base/index.hpp"
#include "base/roots.hpp"
#include "gpu/emit/mode_text.hpp"

namespace weft::gpu {

Index CombinedPairs::distance() const {
  return is_input() ? pass_.tile_axes[0].out : pass_.tile_axes[0].in;
}

/// The distance of point h.
Index CombinedPairs::end() const {
  const TileAxis& axis = pass_.tile_axes[0];
  if (!has_twins()) return axis.n() * distance();
  const Loop& rows = pass_.loops[at(row_loop())];
  return axis.whole * (is_input() ? rows.out : rows.in);
}

void CombinedPairs::emit_partner() {
  const Index rests = geometry_.rests();
  if (has_twins()) {
    if (rests == 1) line("  constexpr unsigned pair = 0;");
    line("  const unsigned row = {};", loop_count(row_loop()));
    line("  const unsigned twin = row == 0u ? 0u : {}u - row;", row_mirror());
    line("  const unsigned other = row != 0u ? {}u - pair : pair == 0u ? 0u : {}u - pair;",
         rests - 1, rests);
    return;
  }
  if (!has_partners()) return line("  constexpr unsigned pair = 0;");
  line("  const unsigned other = pair == 0u ? {}u : {}u - pair;", rests % 2 == 0 ? rests / 2 : 0,
       rests);
}

/// To the points of i and of its partner.
void CombinedPairs::emit_pointers(const char* type, const char* array, const char* rows_left_out) {
  const auto stride = [&](const Digit& d) {
    return d.tile_axis >= 0 || is_row_digit(d) ? Index{0} : is_input() ? d.out : d.in;
  };
  line("  {}* line = tile.{} + ({});", type, has_twins() ? rows_left_out : array,
       sum("c", "Offset", stride));
  const auto row = [&](const char* name) {
    if (!has_twins()) return std::string();
    const Loop& rows = pass_.loops[at(row_loop())];
    return weft::format(" + (long long)({}) * {}", name, is_input() ? rows.out : rows.in);
  };
  line("  {}* mine = line + Offset(pair) * {}{};", type, distance(), row("row"));
  if (has_partners())
    line("  {}* theirs = line + Offset(other) * {}{};", type, distance(), row("twin"));
}

/// exp(-2 pi i eighths / (8 of)), of c2r its conjugate.
std::string CombinedPairs::factor(Index eighths, Index of) const {
  const auto root = root_of_unity(8 * of, eighths);
  const long double im = is_input() ? root.imag() : -root.imag();
  return weft::format("Complex{{{}, {}}}", number_text(static_cast<double>(root.real())),
                      number_text(static_cast<double>(im)));
}

/// Of pair 0 the points k = n quarters / (4 r) and h - k.
void CombinedPairs::emit_own_pair(const std::string& u, const std::string& v, Index quarters) {
  const Index r = geometry_.radix(stage_);
  line("    combine({}, {}, scaled({}, half), half);", u, v, factor(2 * quarters + 2 * r, r));
}

void CombinedPairs::emit_own_partners() {
  const Index r = geometry_.radix(stage_);
  if (has_twins()) {
    for (Index j = 1; j < r; ++j)
      emit_own_pair(weft::format("x[{}]", j), weft::format("y[{}]", r - j), 2 * j);
    return;
  }
  for (Index j = 1; 2 * j < r; ++j)
    emit_own_pair(weft::format("x[{}]", j), weft::format("x[{}]", r - j), 2 * j);
  constexpr const char* middle = "    {0} = scaled(conjugate({0}), 2 * half);";
  if (r % 2 == 0) line(middle, weft::format("x[{}]", r / 2));
  if (!has_partners() || has_lone_pair()) return;
  for (Index j = 0; 2 * j + 1 < r; ++j)
    emit_own_pair(weft::format("y[{}]", j), weft::format("y[{}]", r - 1 - j), 2 * j + 1);
  if (r % 2 != 0) line(middle, weft::format("y[{}]", r / 2));
}

template <class EmitEnds>
void CombinedPairs::emit_combination(const EmitEnds& emit_ends) {
  const Index r = geometry_.radix(stage_);
  const bool scales = is_input() && pass_.scales && !scales_twiddles();
  line("  const Real half = Real({}){};", is_input() ? "0.5" : "1", scales ? " * tile.scale" : "");
  line("  if (pair == 0u{}) {{", has_twins() ? " && row == 0u" : "");
  emit_ends();
  emit_own_partners();
  line("  }}");
  if (!has_partners()) return;
  line("  else {{");
  const Index fine = tables_.combining_fine_count();
  line("    const unsigned e = {};",
       has_twins() ? weft::format("row + pair * {}u", row_mirror()) : std::string("pair"));
  line("    const Complex unit = scaled(tile.tables[{} + e / {}u]{}, half);", tables_.combining(),
       fine,
       fine == 1 ? ""
                 : weft::format(" * tile.tables[{} + e % {}u]", tables_.combining_fine(), fine));
  const auto combine = [&](Index j, const std::string& by) {
    line("    combine(x[{}], y[{}], {}, half);", j, r - 1 - j, by);
  };
  const Index half = r % 2 == 0 ? r / 2 : r;
  for (Index j = 0; j < half; ++j) {
    line("    const Complex w{} = {};", j, j == 0 ? "unit" : "unit * " + factor(4 * j, r));
    combine(j, weft::format("w{}", j));
    if (half == r) continue;
    // A quarter of a turn further.
    combine(j + half, weft::format("Complex{{{1}w{0}.im, {2}w{0}.re}}", j, is_input() ? "" : "-",
                                   is_input() ? "-" : ""));
  }
  line("  }}");
}

void CombinedPairs::emit_spectrum_store() {
  emit_pointers("Output", "out", "back");
  emit_combination([&] {
    line("    store(line + {}, leaving({{2 * half * (x[0].re - x[0].im), 0}}));", end());
    line("    x[0] = {{2 * half * (x[0].re + x[0].im), 0}};");
  });
  const Index step = geometry_.rests() * distance();
  for (Index j = 0; j < geometry_.radix(stage_); ++j)
    line("  store(mine + Offset({}), leaving(x[{}]));", j * step, j);
  if (!has_partners()) return;
  const bool is_guarded = has_lone_pair() || has_twins();
  if (is_guarded) line("  if ({}) {{", has_twins() ? "twin != row" : "pair != 0u");
  for (Index j = 0; j < geometry_.radix(stage_); ++j)
    line("  store(theirs + Offset({}), leaving(y[{}]));", j * step, j);
  if (is_guarded) line("  }}");
}

void CombinedPairs::emit_spectrum_load() {
  emit_pointers("const Input", "in", "origin");
  const std::string condition = inside();
  if (!condition.empty()) line("  const bool inside = {};", condition);
  const char* outside = condition.empty() ? "" : "!inside ? Complex{0, 0} : ";
  const Index step = geometry_.rests() * distance();
  for (const char* name : {"x", "y"}) {
    const bool is_mine = *name == 'x';
    if (!is_mine && !has_partners()) continue;
    for (Index j = 0; j < geometry_.radix(stage_); ++j)
      line("  {}[{}] = {}entering(load({} + Offset({})));", name, j, outside,
           is_mine ? "mine" : "theirs", j * step);
  }
  emit_combination([&] {
    line("    const Complex end = {}entering(load(line + {}));", outside, end());
    line("    x[0] = {{x[0].re + end.re, x[0].re - end.re}};");
  });
}

}  // namespace weft::gpu
