// SPDX-License-Identifier: BSD-3-Clause
// The rows of `weft bench local`: which transforms are timed, by what names they are chosen, and
// how each lies in memory for weft and for FFTW.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/fftw.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

enum class Place { in, out };
enum class Arrangement {
  adjacent,  ///< each transform contiguous, one after the other
  columns,   ///< element j of transform b at j * batch + b
};

struct Row {
  std::string group;         ///< single, in-cache, odd, real, dct, primes, columns, large, 2d, 3d,
                             ///< unseen, lengths
  std::vector<Index> shape;  ///< of one transform
  Index batch = 1;
  Arrangement arrangement = Arrangement::adjacent;
  Kind kind = Kind::c2c;
  R2r r2r = R2r::dct2;  ///< dct2, dct3 or dct4, along every axis (kind r2r)
  Precision precision = Precision::f64;
  int threads = 1;
  Place place = Place::out;

  std::string name() const;   ///< "64*1000", "512x512x512", "columns 512*512", "dct2 64*1000"
  std::string label() const;  ///< name with kind, precision, place and threads
  double flops() const;       ///< nominal: 5 N log2 N, 2.5 for real input
};

struct RowSelection {
  std::vector<std::string> rows = {};  ///< group names, regular expressions on label(), whole
                                       ///< labels of any row, lengths (2-256); empty: all
  std::vector<Kind> kinds = {Kind::c2c, Kind::r2c};
  std::vector<Precision> precisions = {Precision::f32, Precision::f64};
  std::vector<int> threads = {1};
  std::vector<Place> places = {Place::in, Place::out};
  std::int64_t seed = 20261118;  ///< of the group unseen
};
/// Throws weft::Error when nothing is left, or an expression is not one.
std::vector<Row> select_rows(const RowSelection& selection);

/// A row as memory: the same for both libraries.
struct Geometry {
  Transform transform;
  Layout in, out;
  FftwProblem problem;  ///< without memory, effort and threads
  std::size_t in_bytes = 0, out_bytes = 0;
};
/// Backward is the way back: c2c with the other sign, c2r for r2c, r2c for c2r.
Geometry geometry_of(const Row& row, Direction direction);

}  // namespace weft::tool
