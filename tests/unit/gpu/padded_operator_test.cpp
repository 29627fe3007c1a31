// SPDX-License-Identifier: BSD-3-Clause
// Operators on GPUs whose arrays have fewer points than their transform.
#include "operator_cases.hpp"

namespace weft::test {
namespace {

Case padded(Kind kind, const std::vector<Index>& shape, const std::vector<Index>& extents,
            const std::vector<int>& axes = {}, Precision precision = Precision::f64) {
  return {kind, shape, axes, precision, {}, extents, extents};
}

bool is_fused(const Case& c, const ModeFunction& function) {
  return cuda::SpectralOperator(transform_of(c), function).recipe().starts_with("fused: ");
}

TEST_F(GpuOperator, ReadsZerosAndWritesACornerInItsPasses) {
  const ModeFunction two =
      expression("u0/(1 + k2) - dx*u1; (2 + dx)*u1 + u0*0.5; u0 - u1/(1 + kx^2)");
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const Case& c : {padded(kind, {20, 18}, {9, 7}, {}, precision),
                            padded(kind, {12, 10, 16}, {5, 10, 9}, {}, precision),
                            padded(kind, {32, 15, 24}, {31, 1, 12}, {}, precision),
                            padded(kind, {3, 12, 10}, {3, 6, 7}, {1, 2}, precision),
                            padded(kind, {14, 5, 10}, {8, 5, 6}, {0, 2}, precision)}) {
        EXPECT_TRUE(is_fused(c, uneven(2))) << c;
        expect_equal_to_cpu(c, uneven(2));
        expect_equal_to_cpu(c, uneven(2), true);
        EXPECT_TRUE(is_fused(c, two)) << c;
        expect_equal_to_cpu(c, two);
        expect_equal_to_cpu(c, two, true);
      }
  for (const Index n : {1, 11, 23}) {
    const Case line = padded(Kind::c2c, {3, 24}, {3, n}, {1});
    EXPECT_TRUE(is_fused(line, uneven(1))) << line;
    expect_equal_to_cpu(line, uneven(1));
    expect_equal_to_cpu(line, uneven(1), true);
  }
}

/// Lines of reals, primes, and arrays that differ in their extents. Of these the primes are copied.
TEST_F(GpuOperator, PadsAndCropsInSteps) {
  const Case cases[] = {padded(Kind::r2c, {40}, {17}),
                        padded(Kind::c2c, {101}, {51}),
                        padded(Kind::r2c, {7, 101}, {7, 51}, {1}, Precision::f32),
                        {Kind::c2c, {20, 18}, {}, Precision::f64, {}, {20, 9}, {11, 18}},
                        {Kind::r2c, {10, 12, 14}, {}, Precision::f32, {}, {5, 6, 7}, {}},
                        {Kind::c2c, {3, 12, 9}, {1, 2}, Precision::f64, {}, {}, {3, 4, 9}}};
  for (const Case& c : cases) {
    const int axes = static_cast<int>(c.axes.empty() ? c.shape.size() : c.axes.size());
    const cuda::SpectralOperator op(transform_of(c), uneven(axes));
    EXPECT_TRUE(op.recipe().starts_with("steps: ")) << c;
    EXPECT_EQ(op.explain().find("copy") != std::string::npos, c.shape.back() == 101) << c;
    EXPECT_EQ(
        cuda::SpectralOperator(transform_of(c), uneven(axes), {.recipe = op.recipe()}).explain(),
        op.explain());
    expect_equal_to_cpu(c, uneven(axes));
    expect_equal_to_cpu(c, expression("u0 + 2*u1; u1/(1 + kx^2); u0"));
  }
}

TEST_F(GpuOperator, PadsRandomArrays) {
  std::mt19937 generator(5);
  const auto between = [&](Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(generator);
  };
  for (int i = 0; i < 60; ++i) {
    Case c;
    c.kind = between(0, 1) == 0 ? Kind::c2c : Kind::r2c;
    const Index ndim = between(1, 3);
    for (Index d = 0; d < ndim; ++d) {
      const Index n = between(1, ndim == 3 ? 16 : 40);
      c.shape.push_back(n);
      if (between(0, 3) > 0) c.axes.push_back(static_cast<int>(d));
      const bool is_transformed = !c.axes.empty() && c.axes.back() == static_cast<int>(d);
      c.in_extents.push_back(is_transformed ? between(1, n) : n);
      c.out_extents.push_back(is_transformed ? between(1, n) : n);
    }
    if (c.axes.empty()) c.axes.push_back(0);
    if (between(0, 3) > 0) c.out_extents = c.in_extents;
    const int axes = static_cast<int>(c.axes.size());
    expect_equal_to_cpu(
        c, between(0, 1) == 0 ? uneven(axes) : expression("u0/(1 + k2) + u1; u1 - 3*u0; dx*u1"),
        c.in_extents == c.out_extents && between(0, 1) == 0);
  }
}

/// By the definition of a convolution without wrap-around.
TEST_F(GpuOperator, ConvolvesWithoutWrapAround) {
  using Complex = std::complex<double>;
  constexpr Index rows = 7, columns = 10;
  const auto at = [](Index i, Index j) { return static_cast<std::size_t>(i * columns + j); };
  const auto field = random_values<Complex>(rows * columns, 1);
  const auto kernel = random_values<Complex>(rows * columns, 2);
  Fields<Complex> wanted(1, std::vector<Complex>(field.size()));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      for (Index k = 0; k <= i; ++k)
        for (Index l = 0; l <= j; ++l)
          wanted[0][at(i, j)] += kernel[at(k, l)] * field[at(i - k, j - l)];
  const std::vector<Index> shape{2 * rows, 2 * columns}, extents{rows, columns};
  const Plan plan(c2c(shape, {.input_extents = extents}));
  std::vector<Complex> spectrum(static_cast<std::size_t>(product(shape)));
  plan.execute(kernel.data(), spectrum.data());
  const cuda::SpectralOperator convolve(
      c2c(shape, {.input_extents = extents, .output_extents = extents}),
      multiply(std::span<const Complex>(spectrum), shape));
  EXPECT_TRUE(convolve.recipe().starts_with("fused: ")) << convolve.recipe();
  EXPECT_LT(relative_error(on_gpu(convolve, Fields<Complex>{field}, 1, false), wanted),
            bound(Precision::f64, product(shape)));
}

/// Between the passes half of the array is kept, of an axis that is still to be transformed.
TEST_F(GpuOperator, StoresNoPaddingOfItsLastAxis) {
  const Case c = padded(Kind::c2c, {32, 30, 28}, {16, 15, 14});
  const cuda::SpectralOperator op(transform_of(c), laplacian());
  EXPECT_EQ(op.workspace_bytes(), 16u * 30 * 28 * 16);
  EXPECT_EQ(op.passes(), 5);
  EXPECT_EQ(op.input_shape(), c.in_extents);
  EXPECT_EQ(op.output_shape(), c.out_extents);
  EXPECT_EQ(op.spectrum_shape(), c.shape);
  const cuda::SpectralOperator again(transform_of(c), laplacian(), {.recipe = op.recipe()});
  EXPECT_EQ(again.explain(), op.explain());
  EXPECT_THROW(cuda::SpectralOperator(c2c(c.shape), laplacian(), {.recipe = op.recipe()}), Error);
}

}  // namespace
}  // namespace weft::test
