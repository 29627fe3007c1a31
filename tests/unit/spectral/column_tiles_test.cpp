// SPDX-License-Identifier: BSD-3-Clause
// The middle of an operator in place: every mode is seen once, with its wave numbers and wherever
// tiles cut a row, and what lies between rows harms nothing.
#include "spectral/column_tiles.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "unit/spectral/count_of.hpp"
#include "weft/spectral_functions.hpp"

namespace weft::spectral {
namespace {

ColumnCut cut_of(Index columns, Index n, Index apart, int tasks) {
  return {.columns = columns,
          .batches = 1,
          .n = n,
          .apart = apart,
          .element_bytes = 8,
          .fields = 1,
          .tasks = tasks,
          .cache = {1 << 20, 16, 1}};
}

TEST(ColumnTiles, FillAQuarterOfTheCache) {
  EXPECT_EQ(tile_columns(cut_of(256 * 136, 256, 34824, 1)), 128);
  EXPECT_EQ(tile_columns(cut_of(40, 256, 40, 1)), 40);
}

TEST(ColumnTiles, HaveRowsOf512BytesWhereHalfOfTheCacheHoldsThem) {
  EXPECT_EQ(tile_columns(cut_of(1 << 16, 1024, 65544, 1)), 64);
  EXPECT_EQ(tile_columns(cut_of(1 << 16, 2048, 65544, 1)), 32);
  EXPECT_EQ(tile_columns(cut_of(1 << 16, 1 << 20, 65544, 1)), 16);
}

TEST(ColumnTiles, GiveAllTasksAboutAsManyColumns) {
  // 36 tiles of 256 columns would keep 16 tasks busy for three turns, 48 of 192 do as well.
  EXPECT_EQ(tile_columns(cut_of(128 * 72, 128, 9224, 16)), 192);
}

TEST(ColumnTiles, StayInCacheUnlessTheirLinesShareAFewSets) {
  EXPECT_TRUE(stay_in_cache(cut_of(256 * 136, 256, 34824, 1)));
  EXPECT_FALSE(stay_in_cache(cut_of(256 * 256, 256, 65536, 1)));
  EXPECT_FALSE(stay_in_cache(cut_of(1 << 16, 1 << 16, 65544, 1)));
}

struct Padded {
  std::vector<Index> shape;
  std::vector<int> axes;
  std::vector<Index> strides;
  int inputs = 1, outputs = 1;
};

/// Ones in all inputs, NaN between rows: forward gives n at mode 0 of each column and 0 elsewhere.
/// Output f is f + 1 times the first input.
void check_modes(const Padded& c, int threads) {
  SCOPED_TRACE(c.shape.size());
  const int fields = std::max(c.inputs, c.outputs);
  OperatorProblem problem =
      check_operator(c2c(c.shape, {.axes = c.axes}),
                     ModeFunction(at_every_mode([](auto&&, auto) {}, c.inputs, c.outputs)), {});
  const int axis = problem.forward.axes.front();
  const Index size = c.shape.front() * c.strides.front();
  const ColumnTiles<double> tiles(
      problem, axis, c.strides,
      {.effort = Effort::estimate,
       .use_wisdom = false,
       .executor = threads == 1 ? serial_executor() : openmp_executor(threads)});
  std::vector<std::vector<std::complex<double>>> data(
      static_cast<std::size_t>(fields),
      std::vector<std::complex<double>>(static_cast<std::size_t>(size),
                                        std::numeric_limits<double>::quiet_NaN()));
  std::vector<std::complex<double>*> pointers;
  for (auto& field : data) pointers.push_back(field.data());
  const auto for_all = [&](const auto& body) {
    for (Index i = 0; i < count_of(c.shape); ++i) {
      Index rest = i, place = 0;
      std::vector<Index> index(c.shape.size());
      for (std::size_t d = c.shape.size(); d-- > 0; rest /= c.shape[d]) {
        index[d] = rest % c.shape[d];
        place += index[d] * c.strides[d];
      }
      body(index, static_cast<std::size_t>(place));
    }
  };
  for_all([&](const auto&, std::size_t place) {
    for (int f = 0; f < c.inputs; ++f) data[static_cast<std::size_t>(f)][place] = 1;
  });
  const WaveNumbers<double> waves(problem.forward, problem.spectrum, problem.lengths);
  Index visits = 0;
  const double n = static_cast<double>(c.shape[static_cast<std::size_t>(axis)]);
  const std::function<void(const ModeTile<double>&)> function = [&](const ModeTile<double>& tile) {
    tile.for_each([&](const WaveVector<double>& wave, ModeValues<double> u) {
      ++visits;
      for (int f = 0; f < c.inputs; ++f) EXPECT_NEAR(u[f].real(), wave.k[0] == 0 ? n : 0, 1e-12);
      for (int f = c.outputs; f-- > 0;) u[f] = (f + 1.0) * u[0];
    });
  };
  std::vector<char> workspace(tiles.workspace_bytes() + 64);
  void* aligned =
      reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(workspace.data()) + 63) / 64 * 64);
  for (Index tile = 0; tile < tiles.count(); ++tile)
    tiles.run(tile, pointers.data(), waves, function, aligned);
  EXPECT_EQ(visits, count_of(c.shape));
  double points = 1;
  for (int a : problem.forward.axes)
    points *= static_cast<double>(c.shape[static_cast<std::size_t>(a)]);
  const Index gap = c.shape.size() > 2 ? c.strides[c.shape.size() - 2] - c.shape.back() : 0;
  for_all([&](const auto& index, std::size_t place) {
    for (int f = 0; f < c.outputs; ++f) {
      const auto* field = data[static_cast<std::size_t>(f)].data() + place;
      EXPECT_NEAR(field[0].real(), (f + 1) * n / points, 1e-14);
      for (Index i = 1; index.back() + 1 == c.shape.back() && i <= gap; ++i)
        EXPECT_EQ(field[i], 0.0) << "between rows";
    }
  });
}

TEST(ColumnTiles, ShowEveryModeOnceAndClearWhatIsBetweenRows) {
  for (int threads : {1, 5}) {
    check_modes({{16, 300}, {0, 1}, {300, 1}}, threads);
    check_modes({{256, 9, 13}, {0, 1, 2}, {9 * 16 + 4, 16, 1}}, threads);
    check_modes({{1024, 5, 33}, {0, 1, 2}, {5 * 36, 36, 1}, 2, 3}, threads);
    check_modes({{3, 512, 4, 3, 7}, {1, 2, 3, 4}, {512 * 4 * 3 * 8, 4 * 3 * 8, 3 * 8, 8, 1}, 2, 1},
                threads);
  }
}

}  // namespace
}  // namespace weft::spectral
