// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/emit/stage_modes.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace weft::gpu {

bool StageModes::ModeIndexText::is_uniform() const {
  return std::ranges::all_of(of_register, [&](Index i) { return i == of_register.front(); });
}

/// A loop may go over several dimensions, one after another, or over a part of one.
void StageModes::add_loop(ModeIndexText& text, int l, const ModeGrid& grid, int dimension) const {
  const Loop& loop = pass_.loops[at(l)];
  const Index stride = grid.strides()[at(dimension)], extent = grid.extents[at(dimension)];
  const Index farthest = loop.out * (loop.count - 1);
  if (loop.count == 1 || farthest < stride || loop.out >= stride * extent) return;
  std::string index = weft::format("ModeIndex{}", loop_index(l));
  if (loop.out > stride) index += weft::format(" * {}", loop.out / stride);
  if (loop.out < stride) index += weft::format(" / {}", stride / loop.out);
  const bool goes_on = farthest >= stride * extent;
  if (goes_on) index = weft::format("({}) % {}", index, extent);
  text.base += (text.base.empty() ? "" : " + ") + index;
  text.span += goes_on ? extent - 1 : farthest / stride;
}

StageModes::ModeIndexText StageModes::mode_index(const ModeGrid& grid, int dimension) const {
  ModeIndexText text;
  text.of_register.assign(at(static_cast<int>(geometry_.radix(stage_))), grid.begin_of(dimension));
  if (grid.extents[at(dimension)] == 1) {
    text.base = "0";
    return text;
  }
  const Index stride = grid.strides()[at(dimension)];
  const auto weight = [&](const Digit& d) {
    const bool is_here = d.tile_axis >= 0 && d.extent > 1 && d.out >= stride &&
                         d.out < stride * grid.extents[at(dimension)];
    return is_here ? d.out / stride : 0;
  };
  for (int l = 0; l < static_cast<int>(pass_.loops.size()); ++l) add_loop(text, l, grid, dimension);
  for (const int d : geometry_.order(stage_)) {
    const Digit& digit = geometry_.digit(d);
    if (weight(digit) == 0) continue;
    text.base +=
        weft::format("{}ModeIndex(c{}) * {}", text.base.empty() ? "" : " + ", d, weight(digit));
    text.span += (digit.extent - 1) * weight(digit);
  }
  for_registers(
      weight, [&](Index j, Index offset) { text.of_register[at(static_cast<int>(j))] += offset; });
  if (text.base.empty()) text.base = "0";
  return text;
}

/// Modes from the middle of an axis on are negative: of most registers it is known which they are.
void StageModes::emit_wave(const ModeGrid& grid, std::size_t a, const ModeIndexText& index,
                           Index j) {
  const ModeGrid::Axis& axis = grid.axes[a];
  const bool is_halved = grid.is_halved(axis);
  const Index first = index.of_register[at(static_cast<int>(j))], last = first + index.span;
  const std::string place = weft::format("(b{} + {})", axis.dimension, first);
  std::string mode = weft::format("r{} + Real({})", axis.dimension, first);
  if (!is_halved && 2 * first >= axis.n)
    mode = weft::format("r{} + Real({})", axis.dimension, first - axis.n);
  else if (!is_halved && 2 * last >= axis.n)
    mode = weft::format("Real({0} < {1} - {0} ? {0} : {0} - {1})", place, axis.n);
  line("  mode.k[{}] = {} * ({});", a, number_text(axis.step), mode);
  const bool may_be_middle = axis.n % 2 == 0 && first <= axis.n / 2 && axis.n / 2 <= last;
  line("  mode.odd[{0}] = {1}mode.k[{0}];", a,
       may_be_middle ? weft::format("{} == {} ? Real(0) : ", place, axis.n / 2) : "");
}

void StageModes::emit_modes(const ModeGrid& grid, const ModeFunctionText& function) {
  std::vector<ModeIndexText> index;
  for (int d = 0; d < static_cast<int>(grid.extents.size()); ++d) {
    index.push_back(mode_index(grid, d));
    line("  const ModeIndex b{} = {};", d, index.back().base);
    line("  const Real r{0} = Real(b{0});", d);
  }
  std::string place;
  for (std::size_t l = 0; l < pass_.loops.size(); ++l)
    if (pass_.loops[l].count > 1)
      place += weft::format("{}ModePlace{} * {}", place.empty() ? "" : " + ",
                            loop_index(static_cast<int>(l)), pass_.loops[l].out);
  const std::string within =
      sum("c", "ModePlace", [](const Digit& d) { return d.tile_axis < 0 ? 0 : d.out; });
  line("  const ModePlace place = {}{}{};", place, place.empty() ? "" : " + ", within);
  line("  (void)place;");
  if (pass_.untangles()) {
    const int l = pass_.column_loop();
    line("  const bool is_own_mirror = {0} == 0u || 2u * {0} == {1}u;", loop_index(l),
         pass_.loops[at(l)].mirror);
  }
  for_registers([](const Digit& d) { return d.out; },
                [&](Index j, Index offset) { emit_mode(grid, function, index, j, offset); });
}

void StageModes::emit_mode(const ModeGrid& grid, const ModeFunctionText& function,
                           const std::vector<ModeIndexText>& index, Index j, Index offset) {
  line("  {{");
  line("  Mode mode;");
  const bool places_differ = function.reads_place && grid.has_other_places();
  if (function.reads_index || places_differ)
    for (std::size_t d = 0; d < index.size(); ++d)
      line("  mode.index[{0}] = b{0} + {1};", d, index[d].of_register[at(static_cast<int>(j))]);
  if (places_differ)
    text_ += place_text(grid);
  else if (function.reads_place)
    line("  mode.place = place + {};", offset);
  if (function.reads_waves)
    for (std::size_t a = 0; a < grid.axes.size(); ++a)
      emit_wave(grid, a, index[at(grid.axes[a].dimension)], j);
  std::string before, conjugated;
  for (int f = 0; f < function.inputs; ++f) {
    before += (f > 0 ? ", " : "") + result(j, weft::format("x{}", f));
    conjugated += weft::format("{}conjugate(before[{}])", f > 0 ? ", " : "", f);
  }
  const int fields = std::max(function.inputs, function.outputs);
  line("  Complex u[{}] = {{{}}};", fields, before);
  if (pass_.untangles()) line("  const Complex before[{}] = {{{}}};", function.inputs, before);
  line("  change(mode, tile.numbers, u);");
  if (pass_.untangles()) {
    line("  if (is_own_mirror) {{");
    emit_mirror(grid, function, index, j);
    line("  Complex v[{}] = {{{}}};", fields, conjugated);
    line("  change(mode, tile.numbers, v);");
    for (int f = 0; f < function.outputs; ++f)
      line("  u[{0}] = Complex{{(u[{0}].re + v[{0}].re) / 2, (u[{0}].im - v[{0}].im) / 2}};", f);
    line("  }}");
  }
  for (int f = 0; f < function.outputs; ++f)
    line("  x{0}[{1}] = Complex{{u[{0}].im, u[{0}].re}};", f, j);
  line("  }}");
}

void StageModes::emit_mirror(const ModeGrid& grid, const ModeFunctionText& function,
                             const std::vector<ModeIndexText>& index, Index j) {
  const std::vector<Index> strides = grid.place_strides();
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    const ModeGrid::Axis& axis = grid.axes[a];
    const auto d = at(axis.dimension);
    if (grid.extents[d] < axis.n || axis.n == 1) continue;  // halved: its own mirror
    const std::string i =
        weft::format("(b{} + {})", axis.dimension, index[d].of_register[at(static_cast<int>(j))]);
    if (function.reads_waves) {
      line("  mode.odd[{0}] = -mode.odd[{0}];", a);
      line("  if (2 * {0} != {1}) mode.k[{2}] = -mode.k[{2}];", i, axis.n, a);
    }
    const std::string mirror = weft::format("({0} == 0 ? 0 : {1} - {0})", i, axis.n);
    if (function.reads_index) line("  mode.index[{}] = {};", d, mirror);
    if (function.reads_place)
      line("  mode.place += ModePlace({} - {}) * {};", mirror, i, strides[d]);
  }
}

}  // namespace weft::gpu
