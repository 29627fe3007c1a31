// SPDX-License-Identifier: BSD-3-Clause
#include "fft_job.hpp"

#include <gtest/gtest.h>

#include "problem.hpp"

namespace weft::tool {
namespace {

NpyHeader header_of(NpyType type, std::vector<Index> shape, Order order = Order::row_major) {
  return {type, std::endian::native, order, std::move(shape), 128};
}

FftRequest request_for(std::vector<int> axes) {
  FftRequest request;
  request.input = "in.npy";
  request.axes = std::move(axes);
  return request;
}

TEST(FftJob, LeadingAxesBecomeItems) {
  FftRequest request = request_for({-1});
  request.chunk_mib = 1;
  const FftJob job = make_fft_job(request, header_of(NpyType::c128, {100, 50, 64}));
  EXPECT_EQ(job.items, 5000);
  EXPECT_EQ(job.items_per_chunk, 512);  // of 64 * 16 bytes on each side
  EXPECT_EQ(job.transform.shape, (std::vector<Index>{512, 64}));
  EXPECT_EQ(job.transform.axes, std::vector<int>{1});
}

TEST(FftJob, InFortranOrderTrailingAxesBecomeItems) {
  const FftJob job =
      make_fft_job(request_for({0}), header_of(NpyType::c64, {64, 50, 3}, Order::column_major));
  EXPECT_EQ(job.items, 150);
  EXPECT_EQ(job.transform.shape, (std::vector<Index>{150, 64}));
  EXPECT_EQ(job.output.order, Order::column_major);
}

TEST(FftJob, AnItemIsNeverCut) {
  FftRequest request = request_for({0, 2});
  request.chunk_mib = 0.001;
  const FftJob job = make_fft_job(request, header_of(NpyType::c64, {10, 20, 30}));
  EXPECT_EQ(job.items, 1);
  EXPECT_EQ(job.transform.shape, (std::vector<Index>{1, 10, 20, 30}));
  EXPECT_EQ(job.transform.axes, (std::vector<int>{1, 3}));
}

TEST(FftJob, RealTransformsHalveTheLastNamedAxis) {
  FftRequest request = request_for({1});
  request.real = true;
  const FftJob forward = make_fft_job(request, header_of(NpyType::f32, {4, 9}));
  EXPECT_EQ(forward.transform.kind, Kind::r2c);
  EXPECT_EQ(forward.output.shape, (std::vector<Index>{4, 5}));
  EXPECT_EQ(forward.output.type, NpyType::c64);
  request.inverse = true;
  EXPECT_EQ(make_fft_job(request, header_of(NpyType::c64, {4, 5})).output.shape,
            (std::vector<Index>{4, 8}));
  request.real_length = 9;
  EXPECT_EQ(make_fft_job(request, header_of(NpyType::c64, {4, 5})).output.shape,
            (std::vector<Index>{4, 9}));
  request.real_length = 10;
  EXPECT_THROW(make_fft_job(request, header_of(NpyType::c64, {4, 5})), Error);
}

TEST(FftJob, TypesFollowTheInputUnlessToldOtherwise) {
  FftRequest request = request_for({});
  EXPECT_EQ(make_fft_job(request, header_of(NpyType::f16, {8})).output.type, NpyType::c64);
  EXPECT_EQ(make_fft_job(request, header_of(NpyType::f64, {8})).output.type, NpyType::c128);
  request.precision = "f64";
  EXPECT_EQ(make_fft_job(request, header_of(NpyType::c64, {8})).output.type, NpyType::c128);
  request.r2r = {"dct2"};
  request.precision = "f16";
  const FftJob job = make_fft_job(request, header_of(NpyType::f16, {8}));
  EXPECT_EQ(job.output.type, NpyType::f16);
  EXPECT_EQ(job.plan_output, NpyType::f32);
}

TEST(FftJob, InverseOfARealKindIsItsPartner) {
  FftRequest request = request_for({});
  request.r2r = {"dct2"};
  request.inverse = true;
  EXPECT_EQ(make_fft_job(request, header_of(NpyType::f64, {8})).transform.r2r,
            std::vector<R2r>{R2r::dct3});
}

TEST(Problem, ShapesAreReadAsWritten) {
  EXPECT_EQ(parse_shape("512x256").shape, (std::vector<Index>{512, 256}));
  EXPECT_EQ(parse_shape("2^20").shape, std::vector<Index>{1 << 20});
  const ShapeArgument batch = parse_shape("64*10x1000");
  EXPECT_EQ(batch.batch, std::vector<Index>{64});
  EXPECT_EQ(batch.shape, (std::vector<Index>{10, 1000}));
  for (const char* wrong : {"", "0", "-4", "12x", "x12", "3*", "*3", "12y", "1.5", "2^", "2^63",
                            "99999999999999999999", "4294967296x4294967296"})
    EXPECT_THROW(parse_shape(wrong), Error) << wrong;
}

TEST(Problem, AxesCountFromEitherEnd) {
  EXPECT_EQ(normalized_axes({-1, 0}, 3), (std::vector<int>{2, 0}));
  EXPECT_EQ(normalized_axes({}, 2), (std::vector<int>{0, 1}));
  EXPECT_THROW(normalized_axes({3}, 3), Error);
  EXPECT_THROW(normalized_axes({-4}, 3), Error);
  EXPECT_THROW(normalized_axes({1, -2}, 3), Error);
}

}  // namespace
}  // namespace weft::tool
