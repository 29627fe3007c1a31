// SPDX-License-Identifier: BSD-3-Clause
// One pass of a GPU transform as a value. A block of threads, or a cluster of blocks, reads a tile
// of the array, transforms it along one or more axes, or parts of axes, and writes it back: one
// pass over memory. The tile's index is a list of digits; each stage transforms some of them in
// registers, and between stages the tile lies in shared memory, every point in its place.
#pragma once

#include <optional>
#include <vector>

#include "problem/array_problem.hpp"

namespace weft::gpu {

/// The place of point i of an axis of n points, n even, that is read together with its mirror
/// image: points after n/2 lie one place earlier, and point n/2 in the last place. The mirror image
/// of an aligned run is then an aligned run, too.
constexpr Index turned_place(Index i, Index n) {
  return i < n / 2 ? i : i == n / 2 ? n - 1 : i - 1;
}

/// A loop around the tiles, distances in elements. `tile` of its iterations lie within one tile.
struct Loop {
  Index count = 1;
  Index in = 0, out = 0;
  int tile = 1;
  Index mirror = 0;               ///< see TilePass::untangles and tangles, TileAxis::is_halved
  Index in_far = 0, out_far = 0;  ///< from tile to tile; 0: tile * in, tile * out
  bool is_turned = false;         ///< on the side of the mirrors, see turned_place
  friend bool operator==(const Loop&, const Loop&) = default;
};

/// Which side of a tile axis is real: input of r2c, output of c2r. With a chirp both its passes say
/// so.
enum class RealSide { none, input, output };

/// Which side of a part of a split real axis holds only half of the whole: the output of an r2c's
/// second part, the input of a c2r's first. Beyond the middle of the axis, k > whole / 2, stands
/// the conjugate of whole - k.
enum class Folded { none, input, output };

/// Bluestein's transform of n points as a convolution of m = tile_axis.n() points, in two passes.
/// The first reads n points, each times its chirp, transforms and multiplies by the spectrum of the
/// inverse chirp; the second transforms backward and writes n points, each times its chirp. Where m
/// exceeds a tile the axis is split, and there are four: `entry` reads as the first does,
/// `spectrum` multiplies as it does, a plain one goes back and the last is a `second`.
struct Chirp {
  enum class Role { none, first, second, entry, spectrum };
  Role role = Role::none;
  Index n = 0;
  Index outputs = 0;                         ///< that are wanted: n, or n / 2 + 1 of a real input
  Direction direction = Direction::forward;  ///< of the transform of n points
  Index step = 0;  ///< of a split axis: from one point of the tile axis to the next; 0: not split

  bool reads() const { return role == Role::first || role == Role::entry; }
  bool writes() const { return role != Role::none && role != Role::entry; }
  friend bool operator==(const Chirp&, const Chirp&) = default;
};

using problem::Blocks;  // jumps in elements here, like all distances

/// An axis, or one part of it, that the tile holds in full. With radices r0, r1, ... the input
/// index is n = n0 (r1 r2 ...) + n1 (r2 ...) + ..., the output index k = k0 + r0 k1 + r0 r1 k2 +
/// ...
struct TileAxis {
  std::vector<int> radices;
  Index in = 1, out = 1;  ///< distance between neighbours, in elements
  Index whole = 0;        ///< part of a split axis that applies the twiddles between the parts:
                          ///< the length of the axis; otherwise 0
  int loop = -1;  ///< the loop over the other part's index i. The second part multiplies its
                  ///< input n by exp(-2 pi i n i / whole), the first its output k
  bool is_first_part = false;
  RealSide real = RealSide::none;
  Chirp chirp = {};
  Blocks in_blocks = {}, out_blocks = {};
  bool in_turned = false, out_turned = false;  ///< see turned_place
  Folded folded = Folded::none;  ///< the loop then runs over the first half of the other part
  /// Points that are in memory: the others are zero, or are not written. 0: all.
  Index in_kept = 0, out_kept = 0;
  /// A real line of an even number of points as a complex one of half as many: neighbours are real
  /// and imaginary part of a point. Of the transform Z of h points the last stage of r2c makes the
  /// spectrum, X[k] and X[h - k] of Z[k] and Z[h - k]; the first stage of c2r does the reverse. In
  /// one pass h is n(). Where two share a line it is `whole`: the pass with the spectrum, the
  /// second part of r2c and the first one of c2r, holds the rows i of the other part and their
  /// twins mirror - i, and the other pass is one of complex numbers that lie in pairs of reals.
  bool is_halved = false;

  Index n() const;       ///< points of the transform that the stages make up
  Index length() const;  ///< points of the axis in the pass: 2 n() reals if it is halved in one
  bool is_twinned() const { return is_halved && whole > 0; }
  /// Of a halved line: r2c.
  bool makes_spectrum() const { return whole > 0 ? !is_first_part : real == RealSide::input; }
  friend bool operator==(const TileAxis&, const TileAxis&) = default;
};

/// Radix `position` of tile axis `tile_axis`.
struct DigitName {
  int tile_axis = 0, position = 0;
  friend bool operator==(const DigitName&, const DigitName&) = default;
};
/// Digits transformed together in the registers of a thread; of different tile axes.
using ButterflyStage = std::vector<DigitName>;

struct TilePass {
  Precision precision = Precision::f32;
  Direction direction = Direction::forward;
  std::vector<TileAxis> tile_axes;
  std::vector<Loop> loops;  ///< in the order of neighbouring tiles, fastest first
  std::vector<ButterflyStage> stages;
  int threads = 256;
  int cluster = 1;        ///< blocks that hold the tile together; the last stage reads across them
  int blocks_per_sm = 1;  ///< for the compiler: how many blocks must fit a multiprocessor
  bool is_reversed = false;  ///< last tile first: what the pass before wrote last is still in L2
  bool scales = true;        ///< multiplies by the transform's scale: the last pass of a recipe

  /// f16: the tile is stored in shared memory as f16: twice the points, one more rounding per
  /// stage.
  bool half_shared = false;

  /// A real input, two planes, or neighbours of a halved line: a point is made of two reals, this
  /// far apart. 0: no.
  Index pair = 0;
  /// The pass after that: the transforms Z of two real planes, a + i b, are taken apart as they are
  /// read. With u = Z[k] and v = conj Z[-k], A[k] = (u + v) / 2 and B[k] = (u - v) / 2i; -k is
  /// (mirror - i) % mirror for the index i of every loop that has a mirror. In the last tile axis
  /// the planes of A are the lower half of the index, those of B the upper one.
  bool untangles() const;

  /// For a real output the same backwards. A column pass puts two real planes' spectra together as
  /// it writes, Z[k] = A[k] + i B[k] and Z[-k] = conj A[k] + i conj B[k]. In the last tile axis the
  /// planes of A are the lower half of the output index, those of B, which are not written, the
  /// upper one. Columns that are their own mirror are written once and made symmetric as they are
  /// read: otherwise what is not Hermitian in one plane would leak into the other of its pair. Both
  /// planes belong to one transform, never to two of a batch.
  bool tangles = false;
  int column_loop() const;  ///< of a pass with mirrors: the one that is not over a part of an axis
  /// The pass after that: a point is written as two reals, this far apart. 0: no.
  Index out_pair = 0;

  friend bool operator==(const TilePass&, const TilePass&) = default;
};

Index tile_points(const TilePass& pass);
/// Of halved lines the stage that combines points k and h - k: -1 if the lines are not halved. A
/// thread holds the transforms of r points that both belong to, but for lines of one stage.
int combining_stage(const TilePass& pass);
Index stage_points(const TilePass& pass,
                   const ButterflyStage& stage);  ///< a thread transforms at once
Index widest_stage(const TilePass& pass);         ///< the most of these
/// The stage that reaches across a cluster: the last one, which reads from other blocks, or where
/// halved lines become real the first one, which writes to them.
int crossing_stage(const TilePass& pass);
/// The digit of the crossing stage that is divided among the blocks of a cluster in other stages;
/// nothing if no digit can be divided by the size of the cluster.
std::optional<DigitName> spread_digit(const TilePass& pass);
int shared_element_bytes(const TilePass& pass);  ///< of a point in shared memory
/// About as many registers as the threads of a block need: their points, and as much again.
Index block_registers(const TilePass& pass);

/// Throws weft::Error (internal) when the pass contradicts itself.
void check(const TilePass& pass);

}  // namespace weft::gpu
