// SPDX-License-Identifier: BSD-3-Clause
// How functions walk over a tile: every mode once, with its wave vector and its indices.
#include <gtest/gtest.h>

#include <numeric>

#include "weft/spectral_functions.hpp"

namespace weft {
namespace {

/// Extents, strides and axes of a tile; its wave numbers along axis a are 10 a + index + begin.
struct TileCase {
  std::vector<Index> extents, strides;
  std::vector<int> axes;
};

struct BuiltTile {
  std::vector<std::vector<double>> k, odd;
  std::vector<ModeTile<double>::Dimension> dimensions;
  std::vector<std::complex<double>> modes;
  std::vector<std::complex<double>*> fields;
  int axes = 0;

  explicit BuiltTile(const TileCase& c) {
    Index end = 1;
    for (std::size_t d = 0; d < c.extents.size(); ++d) {
      k.emplace_back();
      odd.emplace_back();
      for (Index i = 0; i < c.extents[d]; ++i) {
        k.back().push_back(10.0 * c.axes[d] + static_cast<double>(i) + 1);
        odd.back().push_back(-k.back().back());
      }
      end += (c.extents[d] - 1) * c.strides[d];
      axes += c.axes[d] >= 0 ? 1 : 0;
    }
    for (std::size_t d = 0; d < c.extents.size(); ++d)
      dimensions.push_back({static_cast<Index>(d) + 1, c.extents[d], c.strides[d], c.axes[d],
                            k[d].data(), odd[d].data()});
    modes.resize(static_cast<std::size_t>(std::max<Index>(0, end)));
    fields = {modes.data()};
  }
  ModeTile<double> tile() const { return {dimensions, fields.data(), axes}; }
  Index count() const {
    Index all = 1;
    for (const auto& dimension : dimensions) all *= dimension.extent;
    return all;
  }
};

void check_walk(const TileCase& c) {
  BuiltTile built(c);
  Index visits = 0;
  built.tile().for_each([&](const WaveVector<double>& wave, ModeValues<double> u) {
    ++visits;
    double square = 0;
    for (double each : wave.k) square += each * each;
    EXPECT_DOUBLE_EQ(wave.squared(), square);
    for (std::size_t a = 0; a < 8; ++a) EXPECT_EQ(wave.odd[a], -wave.k[a]);
    u[0] += wave.squared() + 1e6 * wave.k[0] + 1;
  });
  EXPECT_EQ(visits, built.count());
  // for_each_index must find at every mode what its indices say.
  built.tile().for_each_index([&](std::span<const Index> index, ModeValues<double> u) {
    double square = 0, first = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (c.axes[d] < 0) continue;
      const double wave = built.k[d][static_cast<std::size_t>(index[d]) - d - 1];
      square += wave * wave;
      if (c.axes[d] == 0) first = wave;
    }
    EXPECT_DOUBLE_EQ(u[0].real(), square + 1e6 * first + 1);
  });
}

TEST(ModeTile, WalksOverEveryModeOnce) {
  check_walk({{5}, {1}, {0}});
  check_walk({{3, 4}, {4, 1}, {0, 1}});
  check_walk({{3, 2, 5}, {10, 5, 1}, {0, 1, 2}});
  check_walk({{3, 2, 5}, {1, 3, 6}, {0, 1, 2}});    // the last is the slowest in memory
  check_walk({{3, 2, 5}, {12, 6, 1}, {0, -1, 1}});  // a batch in the middle, rows apart
  check_walk({{3, 2, 5}, {10, 5, 1}, {1, 0, -1}});  // a batch last
  check_walk({{1, 2, 1, 3}, {6, 3, 3, 1}, {0, 1, 2, 3}});
  check_walk({{3, 0, 5}, {5, 5, 1}, {0, 1, 2}});
}

TEST(ModeTile, TakesSeparableAndFullMultipliersAlike) {
  const std::vector<Index> shape{6, 7, 8};
  std::vector<std::vector<std::complex<double>>> separable(3);
  for (std::size_t d : {0U, 2U})  // none along dimension 1
    for (Index i = 0; i < shape[d]; ++i)
      separable[d].push_back({0.5 + static_cast<double>(i), 1.0 - static_cast<double>(d + 1)});
  std::vector<std::complex<double>> full;
  for (Index i = 0; i < 6 * 7 * 8; ++i)
    full.push_back(separable[0][static_cast<std::size_t>(i / 56)] *
                   separable[2][static_cast<std::size_t>(i % 8)]);
  BuiltTile one({{3, 2, 5}, {10, 5, 1}, {0, 1, 2}}), other({{3, 2, 5}, {1, 3, 6}, {0, 1, 2}});
  for (auto* built : {&one, &other}) std::ranges::fill(built->modes, std::complex<double>(2, 3));
  spectral::multiply_separable<double>(separable, shape).on_f64()(one.tile());
  spectral::multiply(std::span<const std::complex<double>>(full), shape).on_f64()(other.tile());
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < 2; ++b)
      for (Index c = 0; c < 5; ++c)
        EXPECT_LT(std::abs(one.modes[static_cast<std::size_t>(a * 10 + b * 5 + c)] -
                           other.modes[static_cast<std::size_t>(a + 3 * b + 6 * c)]),
                  1e-12);
  EXPECT_THROW(spectral::multiply_separable<double>(separable, {6, 7}), Error);
  EXPECT_THROW(spectral::multiply_separable<double>(separable, {6, 7, 9}), Error);
}

}  // namespace
}  // namespace weft
