// SPDX-License-Identifier: BSD-3-Clause
// `weft fft` on valid input, compared with explicit sums.
#include <cmath>

#include "base/roots.hpp"
#include "convert.hpp"
#include "run_tool.hpp"

namespace weft::tool {
namespace {

using Complex = std::complex<double>;
using ComplexFloat = std::complex<float>;

/// DFT along the middle of (outer, n, inner), by definition.
std::vector<Complex> dft_along(const std::vector<Complex>& x, std::size_t outer, std::size_t n,
                               std::size_t inner, int sign = -1) {
  std::vector<Complex> y(x.size());
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) {
          const Complex root(
              root_of_unity(static_cast<Index>(n), -sign * static_cast<Index>(j * k)));
          y[(o * n + k) * inner + i] += x[(o * n + j) * inner + i] * root;
        }
  return y;
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<Complex>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(Complex(a[i]) - b[i]));
  return largest;
}

class Fft : public ToolTest {};

TEST_F(Fft, TransformsAllAxesAsNumPyDoes) {
  const auto x = complex_noise(6 * 10);
  write_array("x.npy", {6, 10}, x);
  const ToolRun result = run("fft x.npy y.npy");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto y = read_array<Complex>("y.npy");
  EXPECT_EQ(y.header.shape, (std::vector<Index>{6, 10}));
  EXPECT_LT(largest_difference(y.values, dft_along(dft_along(x, 6, 10, 1), 1, 6, 10)), 1e-13);
}

TEST_F(Fft, TransformsOneAxisInChunks) {
  const auto x = complex_noise(40 * 12);
  write_array("x.npy", {40, 12}, x);
  // 7 of the 40 rows fit into a chunk, so the last chunk is a smaller one.
  const ToolRun result = run("fft --axes -1 --chunk 0.0027 x.npy y.npy");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("6 chunks"), std::string::npos) << result.out;
  EXPECT_LT(largest_difference(read_array<Complex>("y.npy").values, dft_along(x, 40, 12, 1)),
            1e-13);
}

TEST_F(Fft, UnderstandsFortranOrder) {
  const auto x = complex_noise(5 * 8 * 3);  // (3, 8, 5) in C order is (5, 8, 3) in Fortran order
  NpyHeader header;
  header.shape = {5, 8, 3};
  header.order = Order::column_major;
  write_array("x.npy", header, x);
  ASSERT_EQ(run("fft --axes 1 x.npy y.npy").exit_code, 0);
  const auto y = read_array<Complex>("y.npy");
  EXPECT_EQ(y.header.order, Order::column_major);
  EXPECT_EQ(y.header.shape, header.shape);
  EXPECT_LT(largest_difference(y.values, dft_along(x, 3, 8, 5)), 1e-13);
}

TEST_F(Fft, HalvesTheLastAxisOfAFortranArray) {
  const auto real = noise(6 * 4);
  NpyHeader header;
  header.shape = {6, 4};
  header.order = Order::column_major;
  write_array("x.npy", header, real);
  ASSERT_EQ(run("fft --real x.npy y.npy").exit_code, 0);
  const auto y = read_array<Complex>("y.npy");
  EXPECT_EQ(y.header.shape, (std::vector<Index>{6, 3}));
  const std::vector<Complex> x(real.begin(), real.end());
  std::vector<Complex> expected = dft_along(dft_along(x, 4, 6, 1), 1, 4, 6);
  expected.resize(6 * 3);  // the last axis is the slow one in memory
  EXPECT_LT(largest_difference(y.values, expected), 1e-13);
}

TEST_F(Fft, SwapsTheBytesOfBigEndianFiles) {
  auto x = complex_noise(16);
  NpyHeader header;
  header.shape = {16};
  header.byte_order = std::endian::big;
  auto swapped = x;
  for (Complex& value : swapped) {
    std::uint64_t parts[2];
    std::memcpy(parts, &value, 16);
    for (auto& part : parts) part = __builtin_bswap64(part);
    std::memcpy(static_cast<void*>(&value), parts, 16);
  }
  write_array("x.npy", header, swapped);
  ASSERT_EQ(run("fft x.npy y.npy").exit_code, 0);
  const auto y = read_array<Complex>("y.npy");
  EXPECT_EQ(y.header.byte_order, std::endian::little);
  EXPECT_LT(largest_difference(y.values, dft_along(x, 1, 16, 1)), 1e-13);
}

TEST_F(Fft, TakesHalvesAndGivesComplexFloats) {
  std::vector<Half> halves;
  std::vector<Complex> x;
  for (const double value : noise(12)) {
    halves.push_back(half_of(static_cast<float>(value)));
    x.push_back(float_of(halves.back()));
  }
  write_array("x.npy", {12}, halves);
  ASSERT_EQ(run("fft --real x.npy y.npy").exit_code, 0);
  std::vector<Complex> expected = dft_along(x, 1, 12, 1);
  expected.resize(7);
  EXPECT_LT(largest_difference(read_array<ComplexFloat>("y.npy").values, expected), 1e-5);
}

TEST_F(Fft, TakesRealInputForComplexTransforms) {
  const auto real = noise(15);
  write_array("x.npy", {15}, real);
  ASSERT_EQ(run("fft --precision f32 x.npy y.npy").exit_code, 0);
  const std::vector<Complex> x(real.begin(), real.end());
  EXPECT_LT(largest_difference(read_array<ComplexFloat>("y.npy").values, dft_along(x, 1, 15, 1)),
            1e-5);
}

TEST_F(Fft, ComesBackFromEvenAndOddLengths) {
  for (const int n : {8, 9}) {
    const auto x = noise(static_cast<std::size_t>(3 * n));
    write_array("x.npy", {3, n}, x);
    ASSERT_EQ(run("fft --real x.npy y.npy").exit_code, 0);
    const ToolRun back = run("fft --inverse --real --n " + std::to_string(n) + " y.npy z.npy");
    ASSERT_EQ(back.exit_code, 0) << back.err;
    const auto z = read_array<double>("z.npy");
    EXPECT_EQ(z.header.shape, (std::vector<Index>{3, n}));
    EXPECT_LT(largest_difference(z.values, std::vector<Complex>(x.begin(), x.end())), 1e-14);
  }
}

TEST_F(Fft, NormalizesAsAsked) {
  write_array("x.npy", {4}, std::vector<Complex>{1.0, 1.0, 1.0, 1.0});
  const std::pair<const char*, double> cases[] = {{"--norm backward", 4},
                                                  {"--norm forward", 1},
                                                  {"--norm ortho", 2},
                                                  {"--norm none", 4},
                                                  {"--inverse", 1},
                                                  {"--inverse --norm none", 4},
                                                  {"--inverse --norm forward", 4}};
  for (const auto& [options, expected] : cases) {
    ASSERT_EQ(run(std::string("fft x.npy y.npy ") + options).exit_code, 0) << options;
    EXPECT_NEAR(read_array<Complex>("y.npy").values[0].real(), expected, 1e-14) << options;
  }
}

TEST_F(Fft, ComputesRealToRealTransforms) {
  const auto x = noise(10);
  write_array("x.npy", {10}, x);
  ASSERT_EQ(run("fft --r2r dct2 --norm none x.npy y.npy").exit_code, 0);
  const auto y = read_array<double>("y.npy").values;
  for (int k = 0; k < 10; ++k) {  // FFTW's definition
    double sum = 0;
    for (int j = 0; j < 10; ++j) sum += 2 * x[j] * std::cos(M_PI * (j + 0.5) * k / 10);
    EXPECT_NEAR(y[k], sum, 1e-13);
  }
}

TEST_F(Fft, MayReplaceItsInput) {
  const auto x = complex_noise(1000);
  write_array("x.npy", {1000}, x);
  ASSERT_EQ(run("fft x.npy x.npy").exit_code, 0);
  ASSERT_EQ(run("fft --inverse x.npy x.npy").exit_code, 0);
  EXPECT_LT(largest_difference(read_array<Complex>("x.npy").values, x), 1e-14);
  EXPECT_EQ(files(), std::vector<std::string>{"x.npy"});
}

TEST_F(Fft, PassesNaNsThrough) {
  write_array("x.npy", {4}, std::vector<double>{1, NAN, 2, 3});
  ASSERT_EQ(run("fft x.npy y.npy").exit_code, 0);
  for (const Complex& value : read_array<Complex>("y.npy").values)
    EXPECT_TRUE(std::isnan(value.real()) || std::isnan(value.imag()));
}

TEST_F(Fft, TakesDataAtOddOffsets) {
  const auto x = complex_noise(8);
  std::string file = "\x93NUMPY\x01";
  const std::string dictionary = "{'descr': '<c16', 'fortran_order': False, 'shape': (8,)} \n";
  file += '\0';
  file += static_cast<char>(dictionary.size());
  file += '\0';
  file += dictionary;
  ASSERT_NE(file.size() % 8, 0u);
  write_text("x.npy", file + std::string(reinterpret_cast<const char*>(x.data()), 128));
  ASSERT_EQ(run("fft x.npy y.npy").exit_code, 0);
  EXPECT_LT(largest_difference(read_array<Complex>("y.npy").values, dft_along(x, 1, 8, 1)), 1e-14);
}

TEST_F(Fft, ShowsProgressWhenAsked) {
  write_array("x.npy", {64, 64}, complex_noise(64 * 64));
  const ToolRun shown = run("fft --progress --axes 1 --chunk 0.01 x.npy y.npy");
  EXPECT_NE(shown.err.find("100 %"), std::string::npos) << shown.err;
  EXPECT_EQ(run("fft x.npy y.npy").err, "");
}

TEST_F(Fft, KeepsThePermissionsOfWhatItReplaces) {
  write_array("x.npy", {4}, complex_noise(4));
  write_array("y.npy", {4}, complex_noise(4));
  namespace fs = std::filesystem;
  const fs::perms unusual = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write;
  fs::permissions(path("y.npy"), unusual);
  ASSERT_EQ(run("fft x.npy y.npy").exit_code, 0);
  EXPECT_EQ(fs::status(path("y.npy")).permissions(), unusual);
}

TEST_F(Fft, FollowsALinkToTheFileItNames) {
  write_array("x.npy", {4}, complex_noise(4));
  write_text("real.npy", "old");
  std::filesystem::create_symlink("real.npy", path("link.npy"));
  ASSERT_EQ(run("fft x.npy link.npy").exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(read_array<Complex>("real.npy").values.size(), 4u);
}

}  // namespace
}  // namespace weft::tool
