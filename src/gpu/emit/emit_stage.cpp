// SPDX-License-Identifier: BSD-3-Clause
// One stage: digits of the task, points into registers, butterflies and twiddles, points back.
#include "gpu/emit/emit_stage.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "gpu/emit/stage_modes.hpp"

namespace weft::gpu {
namespace {

class StageEmitter : StageModes {
 public:
  using StageModes::StageModes;

  std::string run(const char* name) {
    if (geometry_.is_combining(stage_)) return combining();
    line(
        "__device__ __forceinline__ void {}_{}(const Tile& tile, Shared* shared, unsigned task) {{",
        name, stage_);
    emit_beginning();
    for (std::size_t a = 0; a < active_.size(); ++a) emit_transform(a);
    emit_result();
    line("}}");
    return text_;
  }

  /// `half_2(tile, shared, x, task, rest)` has the butterflies of one half of a pair.
  std::string combining() {
    const Index points = geometry_.radix(stage_);
    const bool is_spectrum_last = pass_.tile_axes[0].makes_spectrum();
    line(
        "__device__ __forceinline__ void half_{}(const Tile& tile, Shared* shared, Complex "
        "(&x)[{}], unsigned task, unsigned rest, unsigned twin) {{",
        stage_, points);
    emit_digits();
    emit_digits_of_rest();
    if (row_loop() >= 0) emit_row("twin");
    if (is_spectrum_last) {
      emit_fetch();
      emit_transform(0);
    } else {
      for (Index j = 0; j < points; ++j) line("  x[{0}] = exchanged(x[{0}]);", j);
      emit_transform(0);
      emit_result();
    }
    line("}}");
    line(
        "__device__ __forceinline__ void stage_{}(const Tile& tile, Shared* shared, unsigned task) "
        "{{",
        stage_);
    line("  const unsigned number = task;");
    emit_digits();
    if (is_last_) emit_outside_exit();
    emit_partner();
    line("  Complex x[{}];", points);
    if (has_partners()) line("  Complex y[{}];", points);
    if (!is_spectrum_last) emit_spectrum_load();
    line("  half_{}(tile, shared, x, number, pair, 0u);", stage_);
    if (has_partners())
      line("  {}half_{}(tile, shared, y, number, other, 1u);",
           has_lone_pair() && !is_spectrum_last ? "if (pair != 0u) " : "", stage_);
    if (is_spectrum_last) emit_spectrum_store();
    line("}}");
    return text_;
  }

  std::string first_of_all(int fields) {
    const Index points = geometry_.radix(stage_);
    line(
        "__device__ __forceinline__ void fetch(const Tile& tile, Complex (&x)[{}], unsigned task) "
        "{{",
        points);
    emit_digits();
    emit_load();
    line("}}");
    line(
        "__device__ __forceinline__ void begin(const Tile& tile, Shared* shared, Complex (&x)[{}], "
        "unsigned task) {{",
        points);
    emit_digits();
    for (std::size_t a = 0; a < active_.size(); ++a) emit_transform(a);
    emit_write();
    line("}}");
    line(
        "__device__ __forceinline__ void stage_0(const Tile* tiles, Shared* shared, unsigned task) "
        "{{");
    for (int f = 0; f < fields; ++f) line("  Complex x{}[{}];", f, points);
    for (int f = 0; f < fields; ++f) line("  fetch(tiles[{0}], x{0}, task);", f);
    for (int f = 0; f < fields; ++f) line("  begin(tiles[{0}], shared, x{0}, task);", f);
    line("}}");
    return text_;
  }

  std::string turning(const TurnText& turn) {
    const int inputs = turn.function.inputs, outputs = turn.function.outputs;
    emit_arrival();
    if (!is_first_) emit_return();
    line(
        "__device__ __forceinline__ void stage_{}(const Tile* tiles, const Tile* back, Shared* "
        "shared, unsigned task) {{",
        stage_);
    line("  const Tile& tile = tiles[0];");
    line("  const unsigned number = task;");
    emit_digits();
    emit_outside_exit();
    for (int f = 0; f < std::max(inputs, outputs); ++f)
      line("  Complex x{}[{}];", f, geometry_.radix(stage_));
    for (int f = 0; f < inputs; ++f) line("  arrive(tiles[{0}], shared, x{0}, number);", f);
    emit_modes(turn.grid, turn.function);
    for (int f = 0; f < outputs; ++f) {
      line("  back_0(back[{0}], x{0}, number);", f);
      if (!is_first_) line("  put_back(tiles[{0}], shared, x{0}, number);", f);
    }
    line("}}");
    return text_;
  }

  std::string first_back() {
    line(
        "__device__ __forceinline__ void back_0(const Tile& tile, Complex (&x)[{}], unsigned task) "
        "{{",
        geometry_.radix(stage_));
    emit_digits();
    for (std::size_t a = 0; a < active_.size(); ++a) emit_transform(a);
    if (is_last_) emit_store();
    line("}}");
    return text_;
  }

 private:
  void emit_result() {
    if (is_last_)
      emit_store();
    else
      emit_write();
  }
  /// Digits, and points in registers.
  void emit_beginning() {
    emit_digits();
    emit_half_exit();
    if (is_last_) emit_outside_exit();
    line("  Complex x[{}];", geometry_.radix(stage_));
    emit_fetch();
  }
  void emit_fetch() {
    if (is_first_)
      emit_load();
    else
      emit_read();
  }

  /// Of a tile that is turned around: the modes of one field.
  void emit_arrival() {
    line(
        "__device__ __forceinline__ void arrive(const Tile& tile, Shared* shared, Complex "
        "(&x)[{}], unsigned task) {{",
        geometry_.radix(stage_));
    emit_digits();
    emit_fetch();
    for (std::size_t a = 0; a < active_.size(); ++a) emit_transform(a);
    line("}}");
  }

  /// Of a real input's spectrum the upper half is not wanted: tasks that hold only that stop here.
  void emit_half_exit() {
    const int p = half_tile_axis();
    if (chirped_ || p < 0 || pass_.tile_axes[at(p)].is_halved ||
        pass_.tile_axes[at(p)].real != RealSide::input || !is_done_before(p, stage_))
      return;
    line("  if ({} > {}u) return;", tile_axis_index(p, true, 0), pass_.tile_axes[at(p)].n() / 2);
  }

  /// Columns beyond the last one are not written, so nothing need be read for them.
  void emit_outside_exit() {
    if (const std::string condition = inside(); !condition.empty())
      line("  if (!({})) return;", condition);
  }

  /// Where the task's points are in shared memory.
  void emit_base() {
    const int twin = geometry_.is_combining(stage_) ? geometry_.twin_digit() : -1;
    line("  const unsigned base = {}{}{};", sum("d", "", [](const Digit& d) { return d.shared; }),
         geometry_.held() > 1 ? " + tile.base" : "",
         twin < 0 ? "" : weft::format(" + twin * {}u", geometry_.digit(twin).shared));
    if (spread() < 0) return;
    for (int rank = 0; rank < pass_.cluster; ++rank)
      line("  const Peer shared{} = peer(shared, {});", rank, rank);
  }
  void emit_read() {
    emit_base();
    if (spread() < 0) {
      for_registers(
          [](const Digit& d) { return d.shared; },
          [&](Index j, Index offset) { line("  x[{}] = expand(shared[base + {}]);", j, offset); });
      return;
    }
    for_places([&](Index j, Index rank, Index offset) {
      line("  x[{}] = expand(read_peer(shared{}, base + {}));", j, rank, offset);
    });
  }
  /// The digit whose values other blocks of the cluster hold, or -1.
  int spread() const { return is_crossing_ ? geometry_.cluster_digit() : -1; }
  /// Calls visit(register, block of the cluster, place in its shared memory).
  template <class Visit>
  void for_places(const Visit& visit) const {
    const Digit& digit = geometry_.digit(spread());
    for_registers([&](const Digit& d) { return d.shared; },
                  [&](Index j, Index offset) {
                    const Index value = value_in(j, spread());
                    visit(j, value / digit.local,
                          offset - (value - value % digit.local) * digit.shared);
                  });
  }
  /// Every point back to where emit_read found it.
  void emit_return() {
    line(
        "__device__ __forceinline__ void put_back(const Tile& tile, Shared* shared, const Complex "
        "(&x)[{}], unsigned task) {{",
        geometry_.radix(stage_));
    emit_digits();
    emit_base();
    if (spread() < 0)
      emit_points();
    else
      emit_points_of_peers();
    line("}}");
  }
  void emit_points_of_peers() {
    for_places([&](Index j, Index rank, Index offset) {
      line("  write_peer(shared{}, base + {}, compact(x[{}]));", rank, offset, j);
    });
  }

  void emit_write() {
    if (is_first_) emit_base();
    if (spread() < 0)
      emit_points();
    else
      emit_points_of_peers();
  }
  void emit_points() {
    for_registers(
        [](const Digit& d) { return d.shared; },
        [&](Index j, Index offset) { line("  shared[base + {}] = compact(x[{}]);", offset, j); });
  }
};

}  // namespace

std::string emit_stage(const TilePass& pass, const Geometry& geometry, const Tables& tables,
                       int stage) {
  return StageEmitter(pass, geometry, tables, stage).run("stage");
}
std::string emit_first_stage_of_all(const TilePass& forward, const Geometry& geometry,
                                    const Tables& tables, int fields) {
  return StageEmitter(forward, geometry, tables, 0).first_of_all(fields);
}
std::string emit_turning_stage(const TilePass& forward, const Geometry& geometry,
                               const Tables& tables, const TurnText& turn) {
  return StageEmitter(forward, geometry, tables, geometry.last_stage()).turning(turn);
}
std::string emit_first_stage_back(const TilePass& backward, const Geometry& geometry,
                                  const Tables& tables) {
  return StageEmitter(backward, geometry, tables, 0).first_back();
}
std::string emit_stage_back(const TilePass& backward, const Geometry& geometry,
                            const Tables& tables, int stage) {
  return StageEmitter(backward, geometry, tables, stage).run("back");
}

}  // namespace weft::gpu
