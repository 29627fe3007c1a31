// SPDX-License-Identifier: BSD-3-Clause
#include "bench/unseen_rows.hpp"

#include <cmath>
#include <cstdint>

#include "base/index.hpp"

namespace weft::tool {
namespace {

/// The same numbers on every machine (splitmix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  bool chance(int of) { return next() % static_cast<std::uint64_t>(of) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[next() % list.size()];
  }
  /// Between the two, as likely in each octave.
  double spread(double low, double high) {
    const double fraction = static_cast<double>(next() >> 11) / 9007199254740992.0;
    return low * std::pow(high / low, fraction);
  }

 private:
  std::uint64_t state_;
};

constexpr double least_points = 64, most_points = 1 << 22;

/// Most lengths that people ask for have small factors.
Index length(Dice& dice, double low, double high) {
  const auto n = static_cast<Index>(dice.spread(low, high));
  return dice.chance(3) ? n : next_smooth(n);
}

Row unseen_row(Dice& dice, const RowSelection& selection) {
  Row row;
  row.group = "unseen";
  row.kind = dice.one_of(selection.kinds);
  row.precision = dice.one_of(selection.precisions);
  row.threads = dice.one_of(selection.threads);
  row.place = dice.one_of(selection.places);
  const double points = dice.spread(least_points, most_points);
  const std::size_t dimensions = 1 + dice.next() % 3;
  if (dimensions == 1) {
    row.shape = {length(dice, 4, points)};
    row.batch = static_cast<Index>(points / static_cast<double>(row.shape[0])) + 1;
    const bool can_be_columns = row.batch > 1 && (row.kind == Kind::c2c || row.place == Place::out);
    if (can_be_columns && dice.chance(3)) row.arrangement = Arrangement::columns;
    return row;
  }
  const double side = std::pow(points, 1.0 / static_cast<double>(dimensions));
  for (std::size_t d = 0; d < dimensions; ++d)
    row.shape.push_back(length(dice, std::max(2.0, side / 4), side * 2));
  if (dice.chance(4)) row.batch = 1 + static_cast<Index>(dice.next() % 8);
  return row;
}

}  // namespace

std::vector<Row> unseen_rows(const RowSelection& selection) {
  constexpr int count = 100;
  Dice dice(static_cast<std::uint64_t>(selection.seed));
  std::vector<Row> rows;
  while (rows.size() < count) rows.push_back(unseen_row(dice, selection));
  return rows;
}

}  // namespace weft::tool
