// SPDX-License-Identifier: BSD-3-Clause
#include "demo/hidden_word.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <thread>

namespace weft::tool {
namespace {

// "weft" in dots, seven rows.
constexpr const char* letters[] = {
    "#   # ##### ##### #####", "#   # #     #       #  ", "#   # #     #       #  ",
    "# # # ####  ####    #  ", "# # # #     #       #  ", "## ## #     #       #  ",
    "#   # ##### #       #  ",
};
constexpr Index letter_rows = 7, letter_columns = 23, margin = 2;

std::uint64_t next(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
double in_minus_one_to_one(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63;
}

using Complex = std::complex<double>;

/// Row y of the sum of the waves' complex amplitudes in the plane z = 0.
void add_waves(const HiddenWord& word, Index y, std::vector<Complex>& row) {
  const double unit = 2 * std::numbers::pi / static_cast<double>(word.n);
  row.assign(static_cast<std::size_t>(word.n), 0);
  for (const Wave& wave : word.waves) {
    const double phase = wave.phase + unit * static_cast<double>(wave.ky * y % word.n);
    for (Index x = 0; x < word.n; ++x)
      row[static_cast<std::size_t>(x)] +=
          std::polar(word.amplitude, phase + unit * static_cast<double>(wave.kx * x % word.n));
  }
}

}  // namespace

HiddenWord hidden_word(Index n) {
  HiddenWord word;
  word.n = n;
  word.top = n / 8;
  word.left = n / 8;
  word.height = letter_rows + 2 * margin;
  word.width = letter_columns + 2 * margin;
  std::uint64_t state = 88172645463325252ull;
  for (Index i = 0; i < letter_rows; ++i)
    for (Index j = 0; j < letter_columns; ++j)
      if (letters[i][j] == '#')
        word.waves.push_back({word.top + margin + i, word.left + margin + j,
                              std::numbers::pi * in_minus_one_to_one(next(state))});
  return word;
}

Buffer<double> make_field(const HiddenWord& word, int threads) {
  const Index n = word.n;
  Buffer<double> field(n * n * n);
  const double unit = 2 * std::numbers::pi / static_cast<double>(n);
  const auto work = [&](int thread) {
    std::vector<Complex> row;
    for (Index y = thread; y < n; y += threads) {
      add_waves(word, y, row);
      for (Index z = 0; z < n; ++z) {
        const Complex turn = std::polar(1.0, unit * static_cast<double>(word.kz * z % n));
        std::uint64_t state = 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(z * n + y + 1);
        double* const out = field.data() + (z * n + y) * n;
        for (Index x = 0; x < n; ++x)
          out[x] =
              (row[static_cast<std::size_t>(x)] * turn).real() + in_minus_one_to_one(next(state));
      }
    }
  };
  std::vector<std::jthread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  others.clear();
  return field;
}

std::vector<bool> dots_found(const HiddenWord& word, const std::vector<double>& plane) {
  const double points = std::pow(static_cast<double>(word.n), 3);
  const double threshold = word.amplitude * points / 4;  // half of the peak of one wave
  std::vector<bool> dots;
  for (const double magnitude : plane) dots.push_back(magnitude > threshold);
  return dots;
}

}  // namespace weft::tool
