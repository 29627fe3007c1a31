// SPDX-License-Identifier: BSD-3-Clause
// Converts rows of lanes in memory to planar rows and back, for rows stored in another form.
#pragma once

#include <algorithm>

#include "local/axis/axis_engine.hpp"
#include "local/lane/lane_ops.hpp"

namespace weft::local {

/// All `rows` of one side of a problem, `lanes` lanes of which `valid` are there.
template <class Real>
struct FormedRows {
  const LaneOps<Real>& ops;
  RowForm form;
  Index rows;
  int lanes;

  void load(const RowsRef& memory, Real* planar, int valid) const {
    const Index head = form.head(rows), tail = form.tail(), row = 2 * lanes;
    ops.move(memory, to_planar(planar), head, valid, nullptr, 1.0);
    std::fill(planar + head * row, planar + (rows - tail) * row, Real(0));
    if (tail > 0)
      ops.move(after<Real>(memory, head), to_planar(planar + (rows - tail) * row), tail, valid,
               nullptr, 1.0);
  }
  /// `factors` may be null: a complex number for each row.
  void store(Real* planar, const RowsRef& memory, int valid, const Real* factors,
             double scale) const {
    const Index head = form.head(rows), tail = form.tail(), first = rows - tail;
    ops.move(to_planar(planar), memory, head, valid, factors, scale);
    if (tail > 0)
      ops.move(to_planar(planar + first * 2 * lanes), after<Real>(memory, head), tail, valid,
               factors == nullptr ? nullptr : factors + 2 * first, scale);
  }

  // The same for real rows, of which two make a complex one: re = row 2i, im = row 2i + 1.
  void load_pairs(const RowsRef& memory, Real* planar, int valid) const {
    const Index head = form.head(rows);
    ops.load_real(two_by_two(memory), memory.row, head / 2, valid, planar);
    if (memory.row == 0)  // one row for all, whose distance load_real takes for "no imaginary part"
      for (Real* re = planar; re < planar + head / 2 * 2 * lanes; re += 2 * lanes)
        std::copy_n(re, lanes, re + lanes);
    Real* rest = planar + head / 2 * 2 * lanes;
    if (head % 2 != 0) {
      ops.load_real(after<Real>(memory, head - 1), 0, 1, valid, rest);
      rest += 2 * lanes;
    }
    std::fill(rest, planar + rows / 2 * 2 * lanes, Real(0));
  }
  void store_pairs(const Real* planar, const RowsRef& memory, int valid, double scale) const {
    const Index head = form.head(rows);
    ops.store_real(planar, memory.row, head / 2, valid, scale, two_by_two(memory));
    if (head % 2 != 0)
      ops.store_real(planar + head / 2 * 2 * lanes, 0, 1, valid, scale,
                     after<Real>(memory, head - 1));
  }

  // And for real rows, each a complex row without imaginary part.
  void load_reals(const RowsRef& memory, Real* planar, int valid) const {
    const Index head = form.head(rows);
    ops.load_real(memory, 0, head, valid, planar);
    std::fill(planar + head * 2 * lanes, planar + rows * 2 * lanes, Real(0));
  }
  void store_reals(const Real* planar, const RowsRef& memory, int valid, double scale) const {
    ops.store_real(planar, 0, form.head(rows), valid, scale, memory);
  }

 private:
  RowsRef to_planar(Real* planar) const {
    return {.data = planar, .row = 2 * lanes, .planar = true};
  }
  template <class Plain>
  static RowsRef after(RowsRef memory, Index rows) {
    const Index bytes = memory.half ? 2 : Index{sizeof(Plain)};
    memory.data = static_cast<char*>(memory.data) + rows * memory.row * bytes;
    return memory;
  }
  static RowsRef two_by_two(RowsRef memory) {
    memory.row *= 2;
    return memory;
  }
};

}  // namespace weft::local
