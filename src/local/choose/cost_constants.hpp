// SPDX-License-Identifier: BSD-3-Clause
// What the steps of the engines cost in the cost model. Only cost_model.cpp includes it.
#pragma once

namespace weft::local {

// The constants of the model, with those of lane_cost.cpp and memory_cost.hpp, in cycles where
// nothing else is said. They were fitted together to the times of the candidates of 33 problems on
// a core of a Zen 4 and of 160 random ones on a core of a Xeon (c2c, r2c, c2r of 8 to 65536 points,
// f32 and f64, rows and columns), so that the recipe the model ranks first takes the least time;
// 160 others served as a check; where a machine is named below, a constant was fitted again there.
// `weft plan --candidates` gives such times for any problem.

// A line kernel, which holds shuffles and computes no addresses.
inline constexpr double line_call = 5.8, line_operation = 0.62, line_register = 5.1;
// A register that two lines share, each by an access of its own. From 16 to 100 points on a Zen 5.
inline constexpr double shared_register = 12;
// An operation of a dense line, which loads what it multiplies by. From 17 to 255 points on a
// Zen 5.
inline constexpr double dense_operation = 1.3;
inline constexpr double mirror_call = 100;  // of a sweep over mirror images
// A real kernel of one lane with adjacent rows. From 4 to 35 points on a Zen 5.
inline constexpr double one_lane_call = 3, one_lane_operation = 0.33;

// To move a row, one point for each lane of a register.
inline constexpr double unit_row = 0.41;  // neighbours, the whole row
inline constexpr double tile_point =
    0.45;  // each lane, where one kernel takes lines of adjacent points
inline constexpr double prime_point = 0.6;    // the same, where the kernel is of prime radix
inline constexpr double real_rows = 2.1;      // two rows of real neighbours
inline constexpr double pair_point = 2.3;     // each lane, two adjacent real numbers
inline constexpr double real_pair = 1.5;      // each lane, two real numbers that are apart. Zen 5
inline constexpr double trig_pair = 3;        // the same in a cosine or sine transform
inline constexpr double paired_row = 3.2;     // arithmetic that separates two real rows
inline constexpr double partial_row = 6.4;    // a row that does not fill the register
inline constexpr double partial_point = 3.2;  // each of its points that is no neighbour

// A line: its rows in registers, or its points.
inline constexpr double transposed_row = 10.6;  // a row of a matrix, through the transposing kernel
inline constexpr double buffered = 5.9;         // through the buffer of two passes
inline constexpr double buffered_row = 4.1;     // a row of that buffer
inline constexpr double streamed_row = 5.8;     // the same, stored past the caches
inline constexpr double mirrored = 0.82;        // pairing mirror images
inline constexpr double odd_point = 3;          // more, if the length is odd
inline constexpr double apart_point = 2.1;      // if points are not adjacent

// The steps before and after the transform inside of a DCT or DST.
inline constexpr double trig_call = 60, trig_point = 1.5;
// Each point of a convolution by lines. Rader's gathers and scatters, Bluestein's multiplies in
// order. From 509 to 100003 points on a Zen 5.
inline constexpr double gathered_point = 8, chirped_point = 0.6;
// A line by a real convolution: its points, and those of the convolution. From 257 to 10007 points
// on a Zen 5.
inline constexpr double rader_call = 300, rader_point = 2.7, rader_convolved = 1;

// Cache lines of memory that are fetched before they are needed, by the price of those that the
// hardware finds. Fitted to 68 timings of 256 points in arrays of 128 MiB on a Zen 4, as lanes
// along the slowest axis and as lines.
inline constexpr double fetched_line = 0.55;       // by lines, in place
inline constexpr double fetched_elsewhere = 0.77;  // by lines, out of place
inline constexpr double fetched_lanes = 0.7;       // by lanes
inline constexpr double fetched_late = 1.6;        // by lanes, in pieces too short to fetch in time
inline constexpr double streamed_lanes = 1.5;      // stored past the caches by lanes
inline constexpr double short_piece_bytes = 200;   // what counts as too short
// Lanes from the third cache, in arrays of at most so many bytes: the part of their price that
// short pieces cost. In larger arrays pages cost what fetching saves. From 512 to 1024 columns,
// 256^3.
inline constexpr double foreseen_lanes = 0.6, foreseen_bytes = 32 << 20;
// Long lines in short pieces take so many times as long if the two arrays and the buffer fill more
// than half of the third cache. From 560 timings of 65536 to 4194304 points on a Zen 4.
inline constexpr double short_pieces = 1.5;
// Lanes that are neighbours, in such arrays: each piece costs as if it had so many bytes more. From
// 70 timings of 1024 points along the slowest axis of 4 to 128 MiB on a Zen 4.
inline constexpr double piece_overhead_bytes = 64;
// Beyond the second cache: each time the number of places that a kernel reads or writes doubles
// beyond 8; rows of a matrix that are read in parts. From 130 timings of 512 to 4096 points in 64
// MiB on a Zen 4, and of 24 problems on a Zen 5.
inline constexpr double more_places = 0.1, rows_in_parts = 0.2;

inline constexpr double overlap =
    0.15;  // of work and waiting, the part of the shorter that is not hidden
inline constexpr double phase_ns = 2000;  // for threads to meet

}  // namespace weft::local
