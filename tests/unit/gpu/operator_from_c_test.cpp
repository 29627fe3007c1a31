// SPDX-License-Identifier: BSD-3-Clause
// Operators on GPUs through the C interface.
#include "operator_cases.hpp"
#include "weft/weft_cuda.h"

namespace weft::test {
namespace {

TEST_F(GpuOperator, IsMadeFromC) {
  const std::int64_t shape[] = {6, 8};
  weft_transform t;
  ASSERT_EQ(weft_transform_init(&t, sizeof t), WEFT_SUCCESS);
  t.kind = WEFT_C2C;
  t.ndim = 2;
  t.shape = shape;
  const double lengths[] = {2, 5};
  weft_operator_options options;
  ASSERT_EQ(weft_operator_options_init(&options, sizeof options), WEFT_SUCCESS);
  options.lengths = lengths;
  options.x_is_last = 1;
  weft_cuda_operator* op = nullptr;
  ASSERT_EQ(weft_cuda_operator_create(&op, &t, "dx*u0 + ky*u1; u0 - k2*u1", &options, nullptr),
            WEFT_SUCCESS)
      << weft_last_error();
  int inputs = 0, outputs = 0;
  std::int64_t bytes = 0;
  EXPECT_EQ(weft_cuda_operator_fields(op, &inputs, &outputs), WEFT_SUCCESS);
  EXPECT_EQ(inputs + 10 * outputs, 22);
  ASSERT_EQ(weft_cuda_operator_workspace_bytes(op, &bytes), WEFT_SUCCESS);
  weft_cuda_workspace* workspace = nullptr;
  ASSERT_EQ(weft_cuda_workspace_create(&workspace, bytes, 0), WEFT_SUCCESS);
  using Complex = std::complex<double>;
  const Fields<Complex> values{random_values<Complex>(48, 1), random_values<Complex>(48, 2)};
  const DeviceArray<Complex> a(values[0]), b(values[1]);
  const void* in[] = {a.data(), b.data()};
  void* out[] = {a.data(), b.data()};
  ASSERT_EQ(weft_cuda_operator_execute(op, in, out, workspace, nullptr), WEFT_SUCCESS)
      << weft_last_error();
  const auto wanted =
      on_cpu(c2c({6, 8}), expression("dx*u0 + ky*u1; u0 - k2*u1", {.reversed_axes = 2}), {2, 5},
             values, 2);
  EXPECT_LT(relative_error(Fields<Complex>{a.values(), b.values()}, wanted),
            bound(Precision::f64, 48));
  char* text = nullptr;
  EXPECT_EQ(weft_cuda_operator_text(op, WEFT_TEXT_RECIPE, &text), WEFT_SUCCESS);
  EXPECT_TRUE(std::string_view(text).starts_with("fused: "));
  weft_free(text);
  EXPECT_EQ(weft_cuda_operator_text(op, WEFT_TEXT_TREE, &text), WEFT_UNSUPPORTED);
  EXPECT_EQ(weft_cuda_operator_execute(op, in, out, nullptr, nullptr), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_cuda_operator_execute(op, nullptr, out, workspace, nullptr),
            WEFT_INVALID_ARGUMENT);
  weft_cuda_operator_destroy(op);
  weft_cuda_workspace_destroy(workspace);
}

TEST_F(GpuOperator, IsPaddedFromC) {
  const std::int64_t shape[] = {12, 16}, extents[] = {7, 8};
  weft_transform t;
  ASSERT_EQ(weft_transform_init(&t, sizeof t), WEFT_SUCCESS);
  t.kind = WEFT_R2C;
  t.ndim = 2;
  t.shape = shape;
  t.input_extents = t.output_extents = extents;
  const char* text = "u0/(1 + k2); dx*u0";
  weft_cuda_operator* op = nullptr;
  ASSERT_EQ(weft_cuda_operator_create(&op, &t, text, nullptr, nullptr), WEFT_SUCCESS)
      << weft_last_error();
  std::int64_t bytes = 0;
  ASSERT_EQ(weft_cuda_operator_workspace_bytes(op, &bytes), WEFT_SUCCESS);
  weft_cuda_workspace* workspace = nullptr;
  ASSERT_EQ(weft_cuda_workspace_create(&workspace, bytes, 0), WEFT_SUCCESS);
  const Fields<double> values{random_values<double>(56, 1)};
  const DeviceArray<double> a(values[0]), b(56), c(56);
  const void* in[] = {a.data()};
  void* out[] = {b.data(), c.data()};
  ASSERT_EQ(weft_cuda_operator_execute(op, in, out, workspace, nullptr), WEFT_SUCCESS)
      << weft_last_error();
  const auto wanted = on_cpu(r2c({12, 16}, {.input_extents = {7, 8}, .output_extents = {7, 8}}),
                             expression(text), {}, values, 2);
  EXPECT_LT(relative_error(Fields<double>{b.values(), c.values()}, wanted),
            bound(Precision::f64, 12 * 16));
  weft_cuda_operator_destroy(op);
  weft_cuda_workspace_destroy(workspace);
}

}  // namespace
}  // namespace weft::test
