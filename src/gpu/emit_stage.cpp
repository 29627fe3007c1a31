// SPDX-License-Identifier: BSD-3-Clause
// One stage: digits of the task, points into registers, butterflies and twiddles, points back. In
// the text d3 is the value of digit 3 within the block, c3 within the tile.
#include "gpu/emit_stage.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
#include "codelet/lines.hpp"

namespace weft::gpu {
namespace {

class StageEmitter : codelet::Lines {
 public:
  StageEmitter(const TilePass& pass, const Geometry& geometry, const Tables& tables, int stage)
      : pass_(pass),
        geometry_(geometry),
        tables_(tables),
        stage_(stage),
        is_first_(stage == 0),
        is_last_(stage == geometry.last_stage()),
        chirped_(pass.pieces[0].chirp.role != Chirp::Role::none),
        active_(geometry.active(stage)) {}

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
  const Piece& piece_of(const Digit& d) const { return pass_.pieces[at(d.piece)]; }

  void emit_digits() {
    const auto& order = geometry_.order(stage_);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Digit& d = geometry_.digit(order[i]);
      const int extent = is_last_ ? d.extent : d.local;
      const bool is_slowest = i + 1 == order.size();
      line("  const unsigned d{} = task{};", order[i],
           is_slowest ? "" : weft::format(" % {}u", extent));
      if (!is_slowest) line("  task /= {}u;", extent);
      const bool is_spread = order[i] == geometry_.cluster_digit() && !is_last_;
      line("  const unsigned c{} = d{}{};", order[i], order[i],
           is_spread ? weft::format(" + tile.rank * {}u", extent) : "");
    }
    if (order.empty()) line("  (void)task;");
  }

  /// Digits that are not in registers, each with its distance: "c1 * 64 + c2 * 8".
  template <class Stride>
  std::string sum(const char* letter, const char* type, const Stride& stride) const {
    std::string text;
    for (int d : geometry_.order(stage_)) {
      if (stride(geometry_.digit(d)) == 0) continue;
      text += weft::format("{}{}({}{}) * {}", text.empty() ? "" : " + ", type, letter, d,
                           stride(geometry_.digit(d)));
    }
    return text.empty() ? "0" : text;
  }

  /// Calls visit(j, offset) for every register, offset being the sum of stride over active digits.
  template <class Stride, class Visit>
  void for_registers(const Stride& stride, const Visit& visit) const {
    const Index count = geometry_.radix(stage_);
    for (Index j = 0; j < count; ++j) {
      Index rest = j, offset = 0;
      for (std::size_t a = active_.size(); a-- > 0;) {
        const Digit& d = geometry_.digit(active_[a]);
        offset += rest % d.extent * stride(d);
        rest /= d.extent;
      }
      visit(j, offset);
    }
  }
  /// Value of active digit `d` in register j.
  Index value_in(Index j, int d) const {
    for (std::size_t a = active_.size(); a-- > 0;) {
      const Digit& other = geometry_.digit(active_[a]);
      if (active_[a] == d) return j % other.extent;
      j /= other.extent;
    }
    return 0;
  }

  /// Index of a piece's input (output) as text; digits in registers take their value for j.
  std::string piece_index(int piece, bool is_output, Index j) const {
    const Piece& p = pass_.pieces[at(piece)];
    Index constant = 0, weight = is_output ? 1 : p.n();
    std::string text;
    for (int i = 0; i < static_cast<int>(p.radices.size()); ++i) {
      const int r = p.radices[at(i)];
      if (!is_output) weight /= r;
      const int d = geometry_.find({piece, i});
      if (geometry_.digit(d).stage == stage_)
        constant += value_in(j, d) * weight;
      else
        text += weft::format("c{} * {}u + ", d, weight);
      if (is_output) weight *= r;
    }
    return text + weft::format("{}u", constant);
  }

  int half_piece() const {
    for (int p = 0; p < static_cast<int>(pass_.pieces.size()); ++p)
      if (pass_.pieces[at(p)].real != RealSide::none) return p;
    return -1;
  }
  bool is_done_before(int piece, int stage) const {
    const int last =
        geometry_.find({piece, static_cast<int>(pass_.pieces[at(piece)].radices.size()) - 1});
    return geometry_.digit(last).stage < stage;
  }

  /// Of a real input's spectrum the upper half is not wanted: tasks that hold only that stop here.
  void emit_half_exit() {
    const int p = half_piece();
    if (chirped_ || p < 0 || pass_.pieces[at(p)].real != RealSide::input ||
        !is_done_before(p, stage_))
      return;
    line("  if ({} > {}u) return;", piece_index(p, true, 0), pass_.pieces[at(p)].n() / 2);
  }

  /// Columns beyond the last one are not written, so nothing need be read for them.
  void emit_outside_exit() {
    if (const std::string condition = inside(); !condition.empty())
      line("  if (!({})) return;", condition);
  }

  bool is_in_blocks(const Digit& d, bool is_output) const {
    return d.piece >= 0 && !has_plain_blocks(piece_of(d), is_output);
  }
  /// What the indices of pieces in blocks add to the address of register j.
  std::string block_offset(bool is_output, Index j) const {
    std::string text;
    for (int p = 0; p < static_cast<int>(pass_.pieces.size()); ++p) {
      const Piece& piece = pass_.pieces[at(p)];
      const Blocks& blocks = is_output ? piece.out_blocks : piece.in_blocks;
      if (!has_plain_blocks(piece, is_output))
        text += weft::format(" + Offset(({0}) % {1}u) * {2} + Offset(({0}) / {1}u) * {3}",
                             piece_index(p, is_output, j), blocks.length,
                             is_output ? piece.out : piece.in, blocks.jump);
    }
    return text;
  }

  /// The condition under which the task's columns exist; empty: they do.
  std::string inside() const {
    std::string text;
    for (int d : geometry_.order(stage_)) {
      const Digit& digit = geometry_.digit(d);
      if (digit.piece >= 0) continue;
      const Loop& loop = pass_.loops[at(digit.position)];
      if (loop.count % loop.tile == 0) continue;
      text += weft::format("{}tile.index{} + c{} < {}u", text.empty() ? "" : " && ", digit.position,
                           d, loop.count);
    }
    return text;
  }

  void emit_load() {
    const int half = half_piece();
    const bool mirrored = half >= 0 && pass_.pieces[at(half)].real == RealSide::output &&
                          pass_.pieces[at(half)].chirp.role != Chirp::Role::second;
    const auto stride = [&](const Digit& d) {
      return (mirrored && d.piece == half) || is_in_blocks(d, false) ? 0 : d.in;
    };
    line("  const Input* from = tile.in + ({});", sum("c", "Offset", stride));
    const std::string condition = inside();
    if (!condition.empty()) line("  const bool inside = {};", condition);
    if (pass_.untangles()) return emit_untangling_load(condition);
    for_registers(stride, [&](Index j, Index offset) {
      std::string value =
          weft::format("entering(load(from + Offset({}){}))", offset, block_offset(false, j));
      if (pass_.pair > 0)
        value = weft::format("Complex{{load(from + Offset({})).re, load(from + {}).re}}", offset,
                             offset + pass_.pair);
      if (mirrored) value = weft::format("entering({})", mirrored_load(half, j, offset));
      if (pass_.pieces[0].chirp.role == Chirp::Role::first)
        value = chirped_load(j, mirrored ? mirrored_load(half, j, offset)
                                         : weft::format("load(from + Offset({}))", offset));
      line("  x[{}] = {}{};", j, condition.empty() ? "" : "!inside ? Complex{0, 0} : ", value);
    });
  }

  /// Registers that hold planes of B are first loaded with v, the others with u. The factor 1/2 is
  /// in the tile's scale.
  void emit_untangling_load(const std::string& condition) {
    line("  const Input* back = tile.origin + ({});",
         sum("c", "Offset", [](const Digit& d) { return d.piece >= 0 ? d.in : Index{0}; }));
    for (int l = 0; l < static_cast<int>(pass_.loops.size()); ++l) {
      const Loop& loop = pass_.loops[at(l)];
      if (loop.mirror == 0) continue;
      std::string index = weft::format("tile.index{}", l);
      for (int d : geometry_.order(stage_))
        if (geometry_.digit(d).piece < 0 && geometry_.digit(d).position == l)
          index += weft::format(" + c{}", d);
      line("  const unsigned i{} = {};", l, index);
      line("  const unsigned m{0} = i{0} == 0 ? 0u : {1}u - i{0};", l, loop.mirror);
      if (loop.in_far > 0)
        line("  back += (long long)(m{0} / {1}u) * {2} + m{0} % {1}u * {3};", l, loop.tile,
             loop.in_far, loop.in);
      else
        line("  back += (long long)(m{}) * {};", l, loop.in);
    }
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

  /// Above the middle a half spectrum continues with its own conjugate, backwards.
  std::string mirrored_load(int half, Index j, Index offset) const {
    const Piece& piece = pass_.pieces[at(half)];
    const Index n = piece.chirp.role == Chirp::Role::first ? piece.chirp.n : piece.n();
    return weft::format(
        "({0} > {1}u ? conjugate(load(from + Offset({2}) + Offset({3}u - ({0})) * {4})) "
        ": load(from + Offset({2}) + Offset({0}) * {4}))",
        piece_index(half, false, j), n / 2, offset, n, piece.in);
  }

  /// Bluestein, first pass: n points times their chirps, then zeros.
  std::string chirped_load(Index j, const std::string& value) const {
    return weft::format("{0} < {1}u ? {2} * tile.tables[{3} + {0}] : Complex{{0, 0}}",
                        piece_index(0, false, j), pass_.pieces[0].chirp.n, value,
                        tables_.chirp_in());
  }

  /// Bluestein, either pass: the factor of output k, and in the second pass only n outputs.
  std::string chirped_store(Index j, Index offset) {
    const Chirp& chirp = pass_.pieces[0].chirp;
    const bool is_second = chirp.role == Chirp::Role::second;
    line("  const unsigned k{} = {};", j, piece_index(0, true, j));
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

  /// Where a pass multiplies by the twiddles of a split axis as it reads, the scale is in them.
  bool scales_twiddles() const {
    for (int p = 0; p < static_cast<int>(pass_.pieces.size()); ++p)
      if (pass_.scales && pass_.pieces[at(p)].whole > 0 && !pass_.pieces[at(p)].is_first_part &&
          !tables_.twists_split(p))
        return true;
    return false;
  }
  std::string result(Index j) const {
    return pass_.scales && !scales_twiddles() ? weft::format("scaled(x[{}], tile.scale)", j)
                                              : weft::format("x[{}]", j);
  }

  void emit_store() {
    const auto stride = [&](const Digit& d) { return is_in_blocks(d, true) ? 0 : d.out; };
    line("  Output* to = tile.out + ({});", sum("c", "Offset", stride));
    const int half = half_piece();
    const bool cut = !chirped_ && half >= 0 && pass_.pieces[at(half)].real == RealSide::input &&
                     !is_done_before(half, stage_);
    for_registers(stride, [&](Index j, Index offset) {
      if (cut) line("  if ({} <= {}u)", piece_index(half, true, j), pass_.pieces[at(half)].n() / 2);
      if (chirped_) {
        const std::string statement = chirped_store(j, offset);
        line("{}", statement);
        return;
      }
      line("  store(to + Offset({}){}, leaving({}));", offset, block_offset(true, j), result(j));
    });
  }

  /// Factors and butterflies of one digit.
  void emit_transform(std::size_t a) {
    const Digit& digit = geometry_.digit(active_[a]);
    const Piece& piece = piece_of(digit);
    const bool is_split = piece.whole > 0 && !tables_.twists_split(digit.piece);
    if (is_split && !piece.is_first_part && digit.position == 0) emit_split_twiddles(digit, a);
    const Index r = digit.extent;
    Index inner = 1;
    for (std::size_t b = a + 1; b < active_.size(); ++b)
      inner *= geometry_.digit(active_[b]).extent;
    const Twist& twist = tables_.twist({digit.piece, digit.position});
    if (twist.count > 1) emit_twist(digit, twist, inner);
    const std::string name = weft::format("{}{}", twist.is_fused ? "twisted" : "dft", r);
    const std::string factors = twist.is_fused ? weft::format(", w{}", digit.piece) : "";
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
    if (is_split && piece.is_first_part &&
        digit.position + 1 == static_cast<int>(piece.radices.size()))
      emit_split_twiddles(digit, a);
  }

  /// Reads the factors of a digit, and applies them unless its transform does. A table as long as a
  /// tile is as much to read: of a long one only the factors for powers of two are read, and the
  /// others are products of at most one of each.
  void emit_twist(const Digit& digit, const Twist& twist, Index inner) {
    constexpr Index long_table = 8192;  // entries
    const Piece& piece = piece_of(digit);
    const int p = digit.piece;
    const bool twists_split = tables_.twists_split(p);
    std::string index = twists_split ? other_part(piece) : "";
    Index weight = twists_split ? piece.whole / piece.n() : 1;
    for (int i = 0; i < digit.position; ++i) {
      index +=
          weft::format("{}c{} * {}u", index.empty() ? "" : " + ", geometry_.find({p, i}), weight);
      weight *= piece.radices[at(i)];
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

  /// Index of the other part of a split axis.
  std::string other_part(const Piece& piece) const {
    std::string other = weft::format("tile.index{}", piece.loop);
    for (int d : geometry_.order(stage_))
      if (geometry_.digit(d).piece < 0 && geometry_.digit(d).position == piece.loop)
        other += weft::format(" + c{}", d);
    return other;
  }

  /// exp(-2 pi i n i / whole), n the piece's input or output index, i that of the other part. Where
  /// the table is in two parts only the factors of powers of two of the digit are read, and the
  /// others are products of at most one of each.
  void emit_split_twiddles(const Digit& digit, std::size_t a) {
    const Piece& piece = piece_of(digit);
    const int p = digit.piece;
    const Index r = digit.extent, weight = piece.n() / r;
    line("  const Exponent other{} = {};", p, other_part(piece));
    line("  const Exponent e{} = other{} * ({});", p, p, piece_index(p, piece.is_first_part, 0));
    const Index fine = tables_.fine_count(p);
    const auto root = [&](const std::string& e) {
      std::string text = weft::format("tile.tables[{} + ({}) / {}u]", tables_.coarse(p), e, fine);
      return fine == 1
                 ? text
                 : text + weft::format(" * tile.tables[{} + ({}) % {}u]", tables_.fine(p), e, fine);
    };
    const auto first_root = [&](const std::string& e) {
      return !piece.is_first_part && scales_twiddles()
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

  const TilePass& pass_;
  const Geometry& geometry_;
  const Tables& tables_;
  int stage_;
  bool is_first_, is_last_, chirped_;
  std::vector<int> active_;
};

}  // namespace

std::string emit_stage(const TilePass& pass, const Geometry& geometry, const Tables& tables,
                       int stage) {
  return StageEmitter(pass, geometry, tables, stage).run();
}

}  // namespace weft::gpu
