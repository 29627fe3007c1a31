// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/emit/stage_memory.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/index.hpp"

namespace weft::gpu {

int StageMemory::half_tile_axis() const {
  for (int p = 0; p < static_cast<int>(pass_.tile_axes.size()); ++p)
    if (pass_.tile_axes[at(p)].real != RealSide::none) return p;
  return -1;
}

bool StageMemory::is_done_before(int tile_axis, int stage) const {
  const int last = geometry_.find(
      {tile_axis, static_cast<int>(pass_.tile_axes[at(tile_axis)].radices.size()) - 1});
  return geometry_.digit(last).stage < stage;
}

bool StageMemory::is_in_blocks(const Digit& d, bool is_output) const {
  return d.tile_axis >= 0 && has_scattered_digits(piece_of(d), is_output);
}

bool StageMemory::has_scattered_digits(const TileAxis& tile_axis, bool is_output) {
  const bool is_turned = is_output ? tile_axis.out_turned : tile_axis.in_turned;
  const Blocks& blocks = is_output ? tile_axis.out_blocks : tile_axis.in_blocks;
  return !has_plain_blocks(tile_axis, is_output) || (is_turned && blocks);
}

std::string StageMemory::block_offset(bool is_output, Index j) const {
  std::string text;
  for (int p = 0; p < static_cast<int>(pass_.tile_axes.size()); ++p) {
    const TileAxis& tile_axis = pass_.tile_axes[at(p)];
    const Blocks& blocks = is_output ? tile_axis.out_blocks : tile_axis.in_blocks;
    const bool is_turned = is_output ? tile_axis.out_turned : tile_axis.in_turned;
    if (has_scattered_digits(tile_axis, is_output)) {
      std::string index = "(" + tile_axis_index(p, is_output, j) + ")";
      if (is_turned) index = weft::format("turned_place({}, {}u)", index, tile_axis.n());
      text += weft::format(" + Offset({0} % {1}u) * {2} + Offset({0} / {1}u) * {3}", index,
                           blocks.length, is_output ? tile_axis.out : tile_axis.in, blocks.jump);
    } else if (is_turned) {
      text += turn(p, is_output, j);
    }
  }
  return text;
}

StageMemory::IndexRange StageMemory::index_range(int p, bool is_output, Index j) const {
  const TileAxis& tile_axis = pass_.tile_axes[at(p)];
  Index least = 0, span = 0, weight = is_output ? 1 : tile_axis.n();
  for (int i = 0; i < static_cast<int>(tile_axis.radices.size()); ++i) {
    const int r = tile_axis.radices[at(i)], d = geometry_.find({p, i});
    if (!is_output) weight /= r;
    if (geometry_.digit(d).stage == stage_)
      least += value_in(j, d) * weight;
    else
      span += (r - 1) * weight;
    if (is_output) weight *= r;
  }
  return {least, span};
}

std::string StageMemory::kept(bool is_output, Index j) const {
  std::string text;
  for (int p = 0; p < static_cast<int>(pass_.tile_axes.size()); ++p) {
    const TileAxis& tile_axis = pass_.tile_axes[at(p)];
    const Index count = is_output ? tile_axis.out_kept : tile_axis.in_kept;
    const auto [least, span] = index_range(p, is_output, j);
    if (count == 0 || least + span < count) continue;
    if (least >= count) return "false";
    text += weft::format("{}{} < {}u", text.empty() ? "" : " && ", tile_axis_index(p, is_output, j),
                         count);
  }
  return text;
}

std::string StageMemory::turn(int p, bool is_output, Index j) const {
  const TileAxis& tile_axis = pass_.tile_axes[at(p)];
  const Index distance = is_output ? tile_axis.out : tile_axis.in;
  const auto [least, span] = index_range(p, is_output, j);
  if (least + span < tile_axis.n() / 2) return "";
  if (least > tile_axis.n() / 2) return weft::format(" - {}", distance);
  return weft::format(" + Offset(int(turned_place({0}, {1}u) - ({0}))) * {2}",
                      tile_axis_index(p, is_output, j), tile_axis.n(), distance);
}

std::string StageMemory::inside() const {
  std::string text;
  for (int d : geometry_.order(stage_)) {
    const Digit& digit = geometry_.digit(d);
    if (digit.position < 0 || digit.tile_axis >= 0) continue;
    const Loop& loop = pass_.loops[at(digit.position)];
    if (loop.count % loop.tile == 0) continue;
    text += weft::format("{}tile.index{} + c{} < {}u", text.empty() ? "" : " && ", digit.position,
                         d, loop.count);
  }
  return text;
}

void StageMemory::emit_load() {
  const int half = half_tile_axis();
  const bool mirrored = half >= 0 && pass_.tile_axes[at(half)].real == RealSide::output &&
                        (!chirped_ || pass_.tile_axes[at(half)].chirp.role == Chirp::Role::first);
  const auto stride = [&](const Digit& d) {
    return (mirrored && d.tile_axis == half) || is_in_blocks(d, false) || is_row_digit(d) ? 0
                                                                                          : d.in;
  };
  if (row_loop() >= 0)
    line("  const Input* from = tile.origin + (long long)(row) * {} + ({});",
         pass_.loops[at(row_loop())].in, sum("c", "Offset", stride));
  else
    line("  const Input* from = tile.in + ({});", sum("c", "Offset", stride));
  const std::string condition = inside();
  if (!condition.empty()) line("  const bool inside = {};", condition);
  if (reals_apart(false) != 0) return emit_reals_load(condition);
  if (pass_.untangles()) return emit_untangling_load(condition);
  if (pass_.tile_axes[0].folded == Folded::input) return emit_folded_load(condition);
  if (pass_.tile_axes[0].chirp.role == Chirp::Role::entry) return emit_entry_load(condition);
  for_registers(stride, [&](Index j, Index offset) {
    std::string value =
        weft::format("entering(load(from + Offset({}){}))", offset, block_offset(false, j));
    if (pass_.pair > 0)
      value = weft::format("Complex{{load(from + Offset({})).re, load(from + {}).re}}", offset,
                           offset + pass_.pair);
    if (mirrored) value = weft::format("entering({})", mirrored_load(half, j, offset));
    if (pass_.tile_axes[0].chirp.role == Chirp::Role::first)
      value = chirped_load(j, mirrored ? mirrored_load(half, j, offset)
                                       : weft::format("load(from + Offset({}))", offset));
    if (const std::string is_kept = kept(false, j); !is_kept.empty())
      value = weft::format("{} ? {} : Complex{{0, 0}}", is_kept, value);
    line("  x[{}] = {}{};", j, condition.empty() ? "" : "!inside ? Complex{0, 0} : ", value);
  });
  if (pass_.tangles) emit_hermitian_load();
}

Index StageMemory::reals_apart(bool is_output) const {
  const TileAxis& tile_axis = pass_.tile_axes[0];
  const Index pair = is_output ? pass_.out_pair : pass_.pair;
  if (!tile_axis.is_halved) return std::abs(pair) == 1 ? pair : 0;
  if (tile_axis.real != (is_output ? RealSide::output : RealSide::input)) return 0;
  return is_output ? tile_axis.out : tile_axis.in;
}

bool StageMemory::may_be_together(bool is_output) const {
  const auto is_even = [&](const auto& distances) {
    return (is_output ? distances.out : distances.in) % 2 == 0;
  };
  return reals_apart(is_output) == 1 && std::ranges::all_of(pass_.loops, is_even) &&
         std::ranges::all_of(geometry_.digits(), is_even);
}

void StageMemory::emit_reals_load(const std::string& condition) {
  const char* outside = condition.empty() ? "" : "!inside ? Complex{0, 0} : ";
  const auto stride = [](const Digit& d) { return d.in; };
  if (may_be_together(false)) {
    line("  if (is_aligned(tile.in)) {{");
    for_registers(stride, [&](Index j, Index offset) {
      line("    x[{}] = {}load(both(from + Offset({})));", j, outside, offset);
    });
    line("  }} else {{");
  } else {
    line("  {{");
  }
  for_registers(stride, [&](Index j, Index offset) {
    line("    x[{}] = {}Complex{{load(from + Offset({})).re, load(from + Offset({})).re}};", j,
         outside, offset, offset + reals_apart(false));
  });
  line("  }}");
}

/// Real and imaginary parts are exchanged, as at the end of every backward transform.
void StageMemory::emit_reals_store() {
  const auto stride = [](const Digit& d) { return d.out; };
  if (may_be_together(true)) {
    line("  if (is_aligned(tile.out)) {{");
    for_registers(stride, [&](Index j, Index offset) {
      line("    store(both(to + Offset({})), exchanged({}));", offset, result(j));
    });
    line("  }} else {{");
  } else {
    line("  {{");
  }
  for_registers(stride, [&](Index j, Index offset) {
    line("    store_apart(to + Offset({}), to + Offset({}), exchanged({}));", offset,
         offset + reals_apart(true), result(j));
  });
  line("  }}");
}

std::string StageMemory::to_mirror(Index n, Index j, Index distance) {
  return weft::format("({}ll - 2ll * (long long)(k{})) * {}", n, j, distance);
}

void StageMemory::emit_entry_load(const std::string& condition) {
  const TileAxis& tile_axis = pass_.tile_axes[0];
  const Index n = tile_axis.chirp.n;
  const auto stride = [](const Digit& d) { return d.in; };
  for_registers(stride, [&](Index j, Index offset) {
    line("  const Exponent k{} = {};", j, whole_index(0, false, j));
    std::string value = weft::format("load(from + Offset({}))", offset);
    if (tile_axis.real == RealSide::output)
      value = weft::format("(k{} > {}u ? conjugate(load(from + Offset({}) + {})) : {})", j, n / 2,
                           offset, to_mirror(n, j, pass_.loops[at(tile_axis.loop)].in), value);
    line("  x[{}] = {}k{} < {}u ? {} * tile.tables[{} + k{}] : Complex{{0, 0}};", j,
         condition.empty() ? "" : "!inside ? Complex{0, 0} : ", j, n, value, tables_.chirp_in(), j);
  });
}

void StageMemory::emit_folded_load(const std::string& condition) {
  const TileAxis& tile_axis = pass_.tile_axes[0];
  const auto stride = [](const Digit& d) { return d.in; };
  for_registers(stride, [&](Index j, Index offset) {
    line("  const Exponent k{} = {};", j, whole_index(0, false, j));
    line(
        "  x[{}] = {}entering(k{} > {}u ? conjugate(load(from + Offset({}) + {})) : load(from + "
        "Offset({})));",
        j, condition.empty() ? "" : "!inside ? Complex{0, 0} : ", j, tile_axis.whole / 2, offset,
        to_mirror(tile_axis.whole, j, pass_.loops[at(tile_axis.loop)].in), offset);
  });
}

void StageMemory::emit_folded_store() {
  const TileAxis& tile_axis = pass_.tile_axes[0];
  const Index other = tile_axis.whole / tile_axis.n();
  line("  const unsigned row = {};", loop_index(tile_axis.loop));
  line("  const bool is_mirrored = row != 0u && 2u * row != {}u;", other);
  const auto stride = [](const Digit& d) { return d.out; };
  for_registers(stride, [&](Index j, Index offset) {
    line("  const Exponent k{} = {};", j, whole_index(0, true, j));
    line("  if (k{} <= {}u) store(to + Offset({}), leaving({}));", j, tile_axis.whole / 2, offset,
         result(j));
    line("  else if (is_mirrored) store(to + Offset({}) + {}, conjugate(leaving({})));", offset,
         to_mirror(tile_axis.whole, j, pass_.loops[at(tile_axis.loop)].out), result(j));
  });
}

void StageMemory::emit_hermitian_load() {
  const int l = pass_.column_loop();
  line("  const unsigned column = {};", loop_index(l));
  line("  if (column == 0u || 2u * column == {}u) {{", pass_.loops[at(l)].mirror);
  line("    const Input* row = tile.origin + (long long)(column) * {};", pass_.loops[at(l)].in);
  const auto stride = [](const Digit& d) { return d.in; };
  for_registers(stride, [&](Index j, Index offset) {
    std::string mirrored = "row";
    for (int p = 0; p < static_cast<int>(pass_.tile_axes.size()); ++p) {
      const TileAxis& tile_axis = pass_.tile_axes[at(p)];
      const bool is_part = tile_axis.whole > 0;
      const std::string index =
          is_part ? weft::format("(({}) * {}u + {})", tile_axis_index(p, false, j),
                                 tile_axis.whole / tile_axis.n(), loop_index(tile_axis.loop))
                  : weft::format("({})", tile_axis_index(p, false, j));
      mirrored += weft::format(" + (long long)(({0}u - {1}) % {0}u) * {2}",
                               is_part ? tile_axis.whole : tile_axis.n(), index,
                               is_part ? pass_.loops[at(tile_axis.loop)].in : tile_axis.in);
    }
    line("    x[{}] = entering(hermitian(load(from + Offset({})), load({})));", j, offset,
         mirrored);
  });
  line("  }}");
}

void StageMemory::emit_untangling_load(const std::string& condition) {
  line("  const Input* twin = tile.origin + ({});",
       sum("c", "Offset", [](const Digit& d) { return d.tile_axis >= 0 ? d.in : Index{0}; }));
  emit_mirrored(&Loop::in, &Loop::in_far);
  emit_turn("from", &Loop::in, &Loop::in_far);
  const int planes = active_.front();
  const Digit& digit = geometry_.digit(planes);
  const Index half = digit.extent / 2;
  const char* outside = condition.empty() ? "" : "!inside ? Complex{0, 0} : ";
  const auto stride = [](const Digit& d) { return d.in; };
  for_registers(stride, [&](Index j, Index offset) {
    if (value_in(j, planes) < half)
      line("  x[{}] = {}load(from + Offset({}));", j, outside, offset);
    else
      line("  x[{}] = {}load(twin + Offset({}));", j, outside, offset - half * digit.in);
  });
  const Index pair = geometry_.radix(stage_) / 2;  // registers between the planes of a pair
  for (Index j = 0; j < pair; ++j) line("  untangle(x[{}], x[{}]);", j, j + pair);
}

void StageMemory::emit_mirrored(Index Loop::* distance, Index Loop::* far) {
  for (int l = 0; l < static_cast<int>(pass_.loops.size()); ++l) {
    const Loop& loop = pass_.loops[at(l)];
    if (loop.mirror == 0) continue;
    line("  const unsigned i{} = {};", l, loop_index(l));
    const std::string mirror = weft::format("(i{0} == 0 ? 0u : {1}u - i{0})", l, loop.mirror);
    line("  const unsigned m{} = {};", l,
         loop.is_turned ? weft::format("turned_place({}, {}u)", mirror, loop.mirror) : mirror);
    if (loop.*far > 0)
      line("  twin += (long long)(m{0} / {1}u) * {2} + m{0} % {1}u * {3};", l, loop.tile, loop.*far,
           loop.*distance);
    else
      line("  twin += (long long)(m{}) * {};", l, loop.*distance);
  }
}

void StageMemory::emit_turn(const char* pointer, Index Loop::* distance, Index Loop::* far) {
  const int l = pass_.column_loop();
  const Loop& loop = pass_.loops[at(l)];
  if (!loop.is_turned) return;
  const auto offset = [&](Index i) {
    return loop.*far > 0 ? i / loop.tile * (loop.*far) + i % loop.tile * (loop.*distance)
                         : i * (loop.*distance);
  };
  line("  if (i{} == {}u) {} += {};", l, loop.mirror / 2, pointer,
       offset(loop.mirror - 1) - offset(loop.mirror / 2));
}

std::string StageMemory::mirrored_load(int half, Index j, Index offset) const {
  const TileAxis& tile_axis = pass_.tile_axes[at(half)];
  const Index n = tile_axis.chirp.role == Chirp::Role::first ? tile_axis.chirp.n : tile_axis.n();
  return weft::format(
      "({0} > {1}u ? conjugate(load(from + Offset({2}) + Offset({3}u - ({0})) * {4})) "
      ": load(from + Offset({2}) + Offset({0}) * {4}))",
      tile_axis_index(half, false, j), n / 2, offset, n, tile_axis.in);
}

std::string StageMemory::chirped_load(Index j, const std::string& value) const {
  return weft::format("{0} < {1}u ? {2} * tile.tables[{3} + {0}] : Complex{{0, 0}}",
                      tile_axis_index(0, false, j), pass_.tile_axes[0].chirp.n, value,
                      tables_.chirp_in());
}

std::string StageMemory::chirped_store(Index j, Index offset) {
  const Chirp& chirp = pass_.tile_axes[0].chirp;
  const bool is_second = chirp.role == Chirp::Role::second;
  line("  const Exponent k{} = {};", j, whole_index(0, true, j));
  return weft::format("  {4}store(to + Offset({0}), leaving({1}) * tile.tables[{2} + k{3}]);",
                      offset, result(j), tables_.chirp_out(), j,
                      is_second ? weft::format("if (k{} < {}u) ", j, chirp.outputs) : "");
}

std::string StageMemory::result(Index j, const std::string& registers) const {
  return pass_.scales && !scales_twiddles()
             ? weft::format("scaled({}[{}], tile.scale)", registers, j)
             : weft::format("{}[{}]", registers, j);
}

void StageMemory::emit_store() {
  const auto stride = [&](const Digit& d) {
    return is_in_blocks(d, true) || is_row_digit(d) ? 0 : d.out;
  };
  if (row_loop() >= 0) {
    line("  Output* to = tile.back + (long long)(row) * {} + ({});",
         pass_.loops[at(row_loop())].out, sum("c", "Offset", stride));
    line("  if (is_copy) return;");
  } else {
    line("  Output* to = tile.out + ({});", sum("c", "Offset", stride));
  }
  if (reals_apart(true) != 0) return emit_reals_store();
  if (pass_.tangles) return emit_tangling_store();
  if (pass_.tile_axes[0].folded == Folded::output) return emit_folded_store();
  const int half = half_tile_axis();
  const bool cut = !chirped_ && half >= 0 && pass_.tile_axes[at(half)].real == RealSide::input &&
                   !is_done_before(half, stage_);
  for_registers(stride, [&](Index j, Index offset) {
    if (cut)
      line("  if ({} <= {}u)", tile_axis_index(half, true, j), pass_.tile_axes[at(half)].n() / 2);
    if (pass_.tile_axes[0].chirp.writes()) {
      const std::string statement = chirped_store(j, offset);
      line("{}", statement);
      return;
    }
    if (const std::string is_kept = kept(true, j); !is_kept.empty()) line("  if ({})", is_kept);
    if (pass_.out_pair > 0)
      line("  store_pair(to + Offset({0}), to + {1}, leaving({2}));", offset,
           offset + pass_.out_pair, result(j));
    else
      line("  store(to + Offset({}){}, leaving({}));", offset, block_offset(true, j), result(j));
  });
}

void StageMemory::emit_tangling_store() {
  line("  Output* twin = tile.back + ({});",
       sum("c", "Offset", [](const Digit& d) { return d.tile_axis >= 0 ? d.out : Index{0}; }));
  emit_mirrored(&Loop::out, &Loop::out_far);
  emit_turn("to", &Loop::out, &Loop::out_far);
  const int l = pass_.column_loop();
  line("  const bool is_mirrored = i{0} != 0u && 2u * i{0} != {1}u;", l, pass_.loops[at(l)].mirror);
  const int planes = geometry_.find({static_cast<int>(pass_.tile_axes.size()) - 1,
                                     static_cast<int>(pass_.tile_axes.back().radices.size()) - 1});
  const Index half = geometry_.digit(planes).extent / 2;
  Index partner = half;  // registers between the planes of a pair
  for (std::size_t a = active_.size(); active_[--a] != planes;)
    partner *= geometry_.digit(active_[a]).extent;
  const auto stride = [](const Digit& d) { return d.out; };
  for_registers(stride, [&](Index j, Index offset) {
    if (value_in(j, planes) >= half) return;
    line("  tangle(x[{}], x[{}]);", j, j + partner);
    line("  store(to + Offset({}), x[{}]);", offset, j);
    line("  if (is_mirrored) store(twin + Offset({}), x[{}]);", offset, j + partner);
  });
}

}  // namespace weft::gpu
