// SPDX-License-Identifier: BSD-3-Clause
// One stage: digits of the task, points into registers, butterflies and twiddles, points back.
#include "gpu/emit/emit_stage.hpp"

#include "base/index.hpp"
#include "gpu/emit/stage_text.hpp"

namespace weft::gpu {
namespace {

class StageEmitter : StageText {
 public:
  using StageText::StageText;

  std::string run() {
    line(
        "__device__ __forceinline__ void stage_{}(const Tile& tile, Shared* shared, unsigned task) "
        "{{",
        stage_);
    emit_digits();
    emit_half_exit();
    if (is_last_) emit_outside_exit();
    line("  Complex x[{}];", geometry_.radix(stage_));
    if (is_first_)
      emit_load();
    else
      emit_read();
    for (std::size_t a = 0; a < active_.size(); ++a) emit_transform(a);
    if (is_last_)
      emit_store();
    else
      emit_write();
    line("}}");
    return text_;
  }

 private:
  int half_tile_axis() const {
    for (int p = 0; p < static_cast<int>(pass_.tile_axes.size()); ++p)
      if (pass_.tile_axes[at(p)].real != RealSide::none) return p;
    return -1;
  }
  bool is_done_before(int tile_axis, int stage) const {
    const int last = geometry_.find(
        {tile_axis, static_cast<int>(pass_.tile_axes[at(tile_axis)].radices.size()) - 1});
    return geometry_.digit(last).stage < stage;
  }

  /// Of a real input's spectrum the upper half is not wanted: tasks that hold only that stop here.
  void emit_half_exit() {
    const int p = half_tile_axis();
    if (chirped_ || p < 0 || pass_.tile_axes[at(p)].real != RealSide::input ||
        !is_done_before(p, stage_))
      return;
    line("  if ({} > {}u) return;", tile_axis_index(p, true, 0), pass_.tile_axes[at(p)].n() / 2);
  }

  /// Columns beyond the last one are not written, so nothing need be read for them.
  void emit_outside_exit() {
    if (const std::string condition = inside(); !condition.empty())
      line("  if (!({})) return;", condition);
  }

  /// Whether the digits of a tile axis have no distances of their own.
  bool is_in_blocks(const Digit& d, bool is_output) const {
    return d.tile_axis >= 0 && has_scattered_digits(piece_of(d), is_output);
  }
  static bool has_scattered_digits(const TileAxis& tile_axis, bool is_output) {
    const bool is_turned = is_output ? tile_axis.out_turned : tile_axis.in_turned;
    const Blocks& blocks = is_output ? tile_axis.out_blocks : tile_axis.in_blocks;
    return !has_plain_blocks(tile_axis, is_output) || (is_turned && blocks);
  }
  /// What the indices of tile axes in blocks or turned add to the address of register j.
  std::string block_offset(bool is_output, Index j) const {
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
  /// From where a point of a turned tile axis would be to where it is: known for most registers.
  std::string turn(int p, bool is_output, Index j) const {
    const TileAxis& tile_axis = pass_.tile_axes[at(p)];
    const Index distance = is_output ? tile_axis.out : tile_axis.in;
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
    if (least + span < tile_axis.n() / 2) return "";
    if (least > tile_axis.n() / 2) return weft::format(" - {}", distance);
    return weft::format(" + Offset(int(turned_place({0}, {1}u) - ({0}))) * {2}",
                        tile_axis_index(p, is_output, j), tile_axis.n(), distance);
  }

  /// The condition under which the task's columns exist; empty: they do.
  std::string inside() const {
    std::string text;
    for (int d : geometry_.order(stage_)) {
      const Digit& digit = geometry_.digit(d);
      if (digit.tile_axis >= 0) continue;
      const Loop& loop = pass_.loops[at(digit.position)];
      if (loop.count % loop.tile == 0) continue;
      text += weft::format("{}tile.index{} + c{} < {}u", text.empty() ? "" : " && ", digit.position,
                           d, loop.count);
    }
    return text;
  }

  void emit_load() {
    const int half = half_tile_axis();
    const bool mirrored = half >= 0 && pass_.tile_axes[at(half)].real == RealSide::output &&
                          (!chirped_ || pass_.tile_axes[at(half)].chirp.role == Chirp::Role::first);
    const auto stride = [&](const Digit& d) {
      return (mirrored && d.tile_axis == half) || is_in_blocks(d, false) ? 0 : d.in;
    };
    line("  const Input* from = tile.in + ({});", sum("c", "Offset", stride));
    const std::string condition = inside();
    if (!condition.empty()) line("  const bool inside = {};", condition);
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
      line("  x[{}] = {}{};", j, condition.empty() ? "" : "!inside ? Complex{0, 0} : ", value);
    });
    if (pass_.tangles) emit_hermitian_load();
  }

  /// From the place of point k of the axis to that of its mirror, n - k.
  static std::string to_mirror(Index n, Index j, Index distance) {
    return weft::format("({}ll - 2ll * (long long)(k{})) * {}", n, j, distance);
  }

  /// Bluestein of a split axis: n points times their chirps, then zeros.
  void emit_entry_load(const std::string& condition) {
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
           condition.empty() ? "" : "!inside ? Complex{0, 0} : ", j, n, value, tables_.chirp_in(),
           j);
    });
  }

  void emit_folded_load(const std::string& condition) {
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

  /// Rows of the other part that are their own mirror have both halves of their outputs themselves.
  void emit_folded_store() {
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

  /// Columns that are their own mirror: the mean of each point and its mirror's conjugate.
  void emit_hermitian_load() {
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

  /// Registers that hold planes of B are first loaded with v, the others with u. The factor 1/2 is
  /// in the tile's scale.
  void emit_untangling_load(const std::string& condition) {
    line("  const Input* back = tile.origin + ({});",
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
        line("  x[{}] = {}load(back + Offset({}));", j, outside, offset - half * digit.in);
    });
    const Index pair = geometry_.radix(stage_) / 2;  // registers between the planes of a pair
    for (Index j = 0; j < pair; ++j) line("  untangle(x[{}], x[{}]);", j, j + pair);
  }

  /// The indices i of loops that have a mirror, their mirrors m, and `back` moved to those.
  void emit_mirrored(Index Loop::* distance, Index Loop::* far) {
    for (int l = 0; l < static_cast<int>(pass_.loops.size()); ++l) {
      const Loop& loop = pass_.loops[at(l)];
      if (loop.mirror == 0) continue;
      line("  const unsigned i{} = {};", l, loop_index(l));
      const std::string mirror = weft::format("(i{0} == 0 ? 0u : {1}u - i{0})", l, loop.mirror);
      line("  const unsigned m{} = {};", l,
           loop.is_turned ? weft::format("turned_place({}, {}u)", mirror, loop.mirror) : mirror);
      if (loop.*far > 0)
        line("  back += (long long)(m{0} / {1}u) * {2} + m{0} % {1}u * {3};", l, loop.tile,
             loop.*far, loop.*distance);
      else
        line("  back += (long long)(m{}) * {};", l, loop.*distance);
    }
  }

  /// The column in the middle of a turned axis is in the last place.
  void emit_turn(const char* pointer, Index Loop::* distance, Index Loop::* far) {
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

  /// Above the middle a half spectrum continues with its own conjugate, backwards.
  std::string mirrored_load(int half, Index j, Index offset) const {
    const TileAxis& tile_axis = pass_.tile_axes[at(half)];
    const Index n = tile_axis.chirp.role == Chirp::Role::first ? tile_axis.chirp.n : tile_axis.n();
    return weft::format(
        "({0} > {1}u ? conjugate(load(from + Offset({2}) + Offset({3}u - ({0})) * {4})) "
        ": load(from + Offset({2}) + Offset({0}) * {4}))",
        tile_axis_index(half, false, j), n / 2, offset, n, tile_axis.in);
  }

  /// Bluestein, first pass: n points times their chirps, then zeros.
  std::string chirped_load(Index j, const std::string& value) const {
    return weft::format("{0} < {1}u ? {2} * tile.tables[{3} + {0}] : Complex{{0, 0}}",
                        tile_axis_index(0, false, j), pass_.tile_axes[0].chirp.n, value,
                        tables_.chirp_in());
  }

  /// Bluestein, either pass: the factor of output k, and in the second pass only n outputs.
  std::string chirped_store(Index j, Index offset) {
    const Chirp& chirp = pass_.tile_axes[0].chirp;
    const bool is_second = chirp.role == Chirp::Role::second;
    line("  const Exponent k{} = {};", j, whole_index(0, true, j));
    return weft::format("  {4}store(to + Offset({0}), leaving({1}) * tile.tables[{2} + k{3}]);",
                        offset, result(j), tables_.chirp_out(), j,
                        is_second ? weft::format("if (k{} < {}u) ", j, chirp.outputs) : "");
  }

  void emit_read() {
    line("  const unsigned base = {};", sum("d", "", [](const Digit& d) { return d.shared; }));
    const int spread = is_last_ ? geometry_.cluster_digit() : -1;
    if (spread < 0) {
      for_registers(
          [](const Digit& d) { return d.shared; },
          [&](Index j, Index offset) { line("  x[{}] = expand(shared[base + {}]);", j, offset); });
      return;
    }
    const int local = geometry_.digit(spread).local;
    for (int rank = 0; rank < pass_.cluster; ++rank)
      line("  const Peer shared{} = peer(shared, {});", rank, rank);
    for_registers([&](const Digit& d) { return d.shared; },
                  [&](Index j, Index offset) {
                    const Index value = value_in(j, spread);
                    const Index local_offset =
                        offset - (value - value % local) * geometry_.digit(spread).shared;
                    line("  x[{}] = expand(read_peer(shared{}, base + {}));", j, value / local,
                         local_offset);
                  });
  }

  void emit_write() {
    if (is_first_)
      line("  const unsigned base = {};", sum("d", "", [](const Digit& d) { return d.shared; }));
    for_registers(
        [](const Digit& d) { return d.shared; },
        [&](Index j, Index offset) { line("  shared[base + {}] = compact(x[{}]);", offset, j); });
  }

  std::string result(Index j) const {
    return pass_.scales && !scales_twiddles() ? weft::format("scaled(x[{}], tile.scale)", j)
                                              : weft::format("x[{}]", j);
  }

  void emit_store() {
    const auto stride = [&](const Digit& d) { return is_in_blocks(d, true) ? 0 : d.out; };
    line("  Output* to = tile.out + ({});", sum("c", "Offset", stride));
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
      if (pass_.out_pair > 0)
        line("  store_pair(to + Offset({0}), to + {1}, leaving({2}));", offset,
             offset + pass_.out_pair, result(j));
      else
        line("  store(to + Offset({}){}, leaving({}));", offset, block_offset(true, j), result(j));
    });
  }

  void emit_tangling_store() {
    line("  Output* back = tile.back + ({});",
         sum("c", "Offset", [](const Digit& d) { return d.tile_axis >= 0 ? d.out : Index{0}; }));
    emit_mirrored(&Loop::out, &Loop::out_far);
    emit_turn("to", &Loop::out, &Loop::out_far);
    const int l = pass_.column_loop();
    line("  const bool is_mirrored = i{0} != 0u && 2u * i{0} != {1}u;", l,
         pass_.loops[at(l)].mirror);
    const int planes =
        geometry_.find({static_cast<int>(pass_.tile_axes.size()) - 1,
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
      line("  if (is_mirrored) store(back + Offset({}), x[{}]);", offset, j + partner);
    });
  }
};

}  // namespace

std::string emit_stage(const TilePass& pass, const Geometry& geometry, const Tables& tables,
                       int stage) {
  return StageEmitter(pass, geometry, tables, stage).run();
}

}  // namespace weft::gpu
