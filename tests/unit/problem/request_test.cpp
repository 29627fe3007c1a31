// SPDX-License-Identifier: BSD-3-Clause
// What a request becomes once it is checked, and what is refused.
#include "problem/request.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace weft::problem {
namespace {

Transform asked(Kind kind, std::vector<Index> shape, std::vector<int> axes = {},
                std::vector<R2r> r2r = {}) {
  Transform transform;
  transform.kind = kind;
  transform.shape = std::move(shape);
  transform.axes = std::move(axes);
  transform.r2r = std::move(r2r);
  return transform;
}

CheckedRequest checked(const Transform& transform) { return check_request(transform, {}, {}); }

std::string refusal(const Transform& transform, const Layout& input = {},
                    const Layout& output = {}) {
  try {
    check_request(transform, input, output);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
}

void expect_refused(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Request, DefaultsAreFilledIn) {
  const CheckedRequest request = checked(asked(Kind::c2c, {4, 6, 5}));
  EXPECT_EQ(request.transform.axes, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(request.in_strides, (std::vector<Index>{30, 5, 1}));
  EXPECT_EQ(request.out_strides, request.in_strides);
  EXPECT_EQ(request.problem.dimensions,
            (std::vector<Dimension>{{4, 60, 60}, {6, 10, 10}, {5, 2, 2}}));
  EXPECT_EQ(request.problem.scale, 1.0);
}

TEST(Request, AxesMayBeCountedFromTheEnd) {
  EXPECT_EQ(checked(asked(Kind::c2c, {4, 6, 5}, {-1, 0})).problem.axes, (std::vector<int>{2, 0}));
}

TEST(Request, RealTransformsHalveTheLastAxisListed) {
  Transform transform = asked(Kind::r2c, {4, 6, 5}, {2, 1});
  CheckedRequest request = checked(transform);
  EXPECT_EQ(request.problem.halved_axis(), 1);
  EXPECT_EQ(request.in_strides, (std::vector<Index>{30, 5, 1}));
  EXPECT_EQ(request.out_strides, (std::vector<Index>{20, 5, 1}));  // 6 / 2 + 1 in the middle
  EXPECT_EQ(request.problem.dimensions,
            (std::vector<Dimension>{{4, 30, 40}, {6, 5, 10}, {5, 1, 2}}));
  EXPECT_EQ(request.problem.direction, Direction::forward);

  transform.kind = Kind::c2r;
  request = checked(transform);
  EXPECT_EQ(request.in_strides, (std::vector<Index>{20, 5, 1}));
  EXPECT_EQ(request.problem.direction, Direction::backward) << "whatever was asked";
}

TEST(Request, ScaleIsThatOfTheTransformedPoints) {
  Transform transform = asked(Kind::c2c, {4, 6}, {1});
  const auto scale = [&](Normalization normalization, Direction direction) {
    transform.normalization = normalization;
    transform.direction = direction;
    return checked(transform).problem.scale;
  };
  EXPECT_EQ(scale(Normalization::none, Direction::backward), 1.0);
  EXPECT_EQ(scale(Normalization::backward, Direction::forward), 1.0);
  EXPECT_EQ(scale(Normalization::backward, Direction::backward), 1.0 / 6);
  EXPECT_EQ(scale(Normalization::forward, Direction::forward), 1.0 / 6);
  EXPECT_EQ(scale(Normalization::ortho, Direction::forward), 1 / std::sqrt(6.0));
  transform.kind = Kind::r2r;
  for (const auto& [kind, points] :
       {std::pair{R2r::dct1, 10.0}, {R2r::dst1, 14.0}, {R2r::dct2, 12.0}, {R2r::dht, 6.0}}) {
    transform.r2r = {kind};
    EXPECT_EQ(scale(Normalization::backward, Direction::backward), 1 / points);
  }
}

TEST(Request, OneR2rKindServesAllAxes) {
  const Transform transform = asked(Kind::r2r, {4, 6}, {}, {R2r::dct2});
  EXPECT_EQ(checked(transform).problem.r2r, (std::vector<R2r>{R2r::dct2, R2r::dct2}));
}

TEST(Request, WhatCannotBeDoneIsRefusedByName) {
  constexpr Index large = Index{1} << 31;
  expect_refused(refusal(asked(Kind::r2c, {})), "need an axis");
  expect_refused(refusal(asked(Kind::c2c, std::vector<Index>(max_ndim + 1, 2))), "at most");
  expect_refused(refusal(asked(Kind::c2c, {4, -1})), "dimension 1 of shape 4x-1 is -1");
  expect_refused(refusal(asked(Kind::c2c, {large, large, 4})), "number of elements");
  expect_refused(refusal(asked(Kind::c2c, {large, large / 2})), "size in bytes");
  expect_refused(refusal(asked(Kind::c2c, {4, 6}, {2})), "axis 2 does not exist");
  expect_refused(refusal(asked(Kind::c2c, {4, 6}, {-3})), "axis -3 does not exist");
  expect_refused(refusal(asked(Kind::c2c, {4, 6}, {1, -1})), "axis -1 is listed twice");
  expect_refused(refusal(asked(Kind::c2c, {4}, {}, {R2r::dht})), "not r2r");
  expect_refused(refusal(asked(Kind::r2r, {4, 4, 4}, {}, {R2r::dht, R2r::dht})),
                 "3 axes got 2 kinds");
  expect_refused(refusal(asked(Kind::r2r, {1}, {}, {R2r::dct1})), "at least 2 points");
  expect_refused(refusal(asked(static_cast<Kind>(9), {4})), "weft::Kind");
  expect_refused(refusal(asked(Kind::c2c, {4, 6}), {.strides = {1}}), "input layout has 1 strides");
  expect_refused(refusal(asked(Kind::c2c, {4, 6}), {}, {.strides = {1, 1}}), "output layout");
}

TEST(Request, ViewsMustBeThoseThatWerePlanned) {
  const std::vector<Index> extents{4, 1}, strides{1, 4}, other{2, 4}, free{1, 9};
  check_view(extents, strides, extents, strides, "input");
  check_view(extents, free, extents, strides, "input");  // an axis of one element has no step
  EXPECT_THROW(check_view(extents, other, extents, strides, "input"), Error);
  EXPECT_THROW(check_view(strides, strides, extents, strides, "input"), Error);
  EXPECT_THROW(check_view(std::vector<Index>{4}, strides, extents, strides, "input"), Error);
}

TEST(Request, TextNamesEveryPartOfTheProblem) {
  const ArrayProblem problem = checked(asked(Kind::c2c, {4, 6})).problem;
  std::vector<std::string> texts{to_text(problem)};
  const auto add = [&](auto change) {
    ArrayProblem changed = problem;
    change(changed);
    texts.push_back(to_text(changed));
  };
  add([](ArrayProblem& p) { p.kind = Kind::r2c; });
  add([](ArrayProblem& p) { p.precision = Precision::f32; });
  add([](ArrayProblem& p) { p.direction = Direction::backward; });
  add([](ArrayProblem& p) { p.dimensions[0].n = 5; });
  add([](ArrayProblem& p) { p.dimensions[0].in = 18; });
  add([](ArrayProblem& p) { p.dimensions[0].out = 18; });
  add([](ArrayProblem& p) { p.axes = {0}; });
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(texts[i], texts[j]) << "one key for two problems";
}

}  // namespace
}  // namespace weft::problem
