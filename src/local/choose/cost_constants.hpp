// SPDX-License-Identifier: BSD-3-Clause
// What the steps of the engines cost in the cost model. Only cost_model.cpp includes it.
#pragma once

namespace weft::local {

// The constants of the model, with those of lane_cost.cpp and memory_cost.hpp, in cycles where
// nothing else is said. They were fitted together to the times of the candidates of 33 problems on
// a core of a Zen 4 and of 160 random ones on a core of a Xeon (c2c, r2c, c2r of 8 to 65536 points,
// f32 and f64, rows and columns), so that the recipe the model ranks first takes the least time;
// 160 others served as a check. `weft plan --candidates` gives such times for any problem.

// Line kernels hold shuffles as well, and address nothing: of a call, an operation, a register.
// And a sweep over mirror images: of a call.
inline constexpr double line_call = 5.8, line_operation = 0.62, line_register = 5.1,
                        mirror_call = 100;
// A real kernel of one lane with adjacent rows: a call, an operation. From 4 to 35 points, Zen 5.
inline constexpr double one_lane_call = 3, one_lane_operation = 0.33;
// A row of V points into or out of registers: neighbours, or each of V on its own, or those of one
// kernel whose lines are adjacent points (emitted, or of prime radix); two rows of real
// neighbours, or V pairs of real numbers that are no neighbours, and those of a cosine transform;
// the arithmetic that separates two real rows; a row of less than V, and each number of it that is
// no neighbour.
inline constexpr double unit_row = 0.41, pair_point = 2.3, tile_point = 0.45, prime_point = 0.6,
                        real_rows = 2.1, real_pair = 1.5, trig_pair = 3, paired_row = 3.2,
                        partial_row = 6.4, partial_point = 3.2;
// Points of a line: the rows of a matrix through their transposing kernel; through the buffer
// of two passes, and past the caches; mirror images, and what odd lengths add to them; each point
// of a line that is not adjacent.
inline constexpr double transposed_row = 10.6, buffered = 5.9, buffered_row = 4.1,
                        streamed_row = 5.8, mirrored = 0.82, odd_point = 3, apart_point = 2.1;
// A line of a DCT or DST, and a point of it, before and after the transform inside.
inline constexpr double trig_call = 60, trig_point = 1.5;
// A point of a convolution by lines: of Rader's, whose points are gathered and scattered; of
// Bluestein's and of its transform, which are multiplied in order. From 509 to 100003 points on a
// Zen 5.
inline constexpr double gathered_point = 8, chirped_point = 0.6;
// A line by a real convolution, a point of it, and of the convolution. From lines of 257 to 10007
// points on a Zen 5.
inline constexpr double rader_call = 300, rader_point = 2.7, rader_convolved = 1;
// A line of memory that is fetched before it is needed, by one that the hardware finds: read, or
// written where it was read; the same for lanes, and for lanes in pieces too short to fetch in
// time; written past the caches by lanes; by lines, read and written elsewhere. Fitted to 68
// timings of 256 points in arrays of 128 MiB on a Zen 4, as lanes along the slowest axis and as
// lines.
inline constexpr double fetched_line = 0.55, fetched_lanes = 0.7, fetched_late = 1.6,
                        streamed_lanes = 1.5, fetched_elsewhere = 0.77;
inline constexpr double short_piece_bytes = 200;
// The share of their price that short pieces cost where lanes come from the third cache, in arrays
// of at most so many bytes: beyond, pages cost what fetching saves. From 512 to 1024 columns,
// 256^3.
inline constexpr double foreseen_lanes = 0.6, foreseen_bytes = 32 << 20;
// Long lines in such pieces, by so much longer where the two arrays and the buffer fill more than
// half of the third cache. From 560 timings of 65536 to 4194304 points on a Zen 4.
inline constexpr double short_pieces = 1.5;
// The same for lanes that are neighbours, by their pieces: so many bytes for each piece, added to
// what it has. From 70 timings of 1024 points along the slowest axis of 4 to 128 MiB on a Zen 4.
inline constexpr double piece_overhead_bytes = 64;
// Beyond the second cache: each doubling of the places that a kernel reads or writes at a time
// beyond 8, and rows of a matrix that are read in parts. From 130 timings of 512 to 4096 points in
// 64 MiB on a Zen 4, and of 24 problems on a Zen 5.
inline constexpr double more_places = 0.1, rows_in_parts = 0.2;
inline constexpr double overlap =
    0.15;  // the part of the shorter, work or waiting, that is not hidden
inline constexpr double phase_ns = 2000;  // for threads to meet

}  // namespace weft::local
