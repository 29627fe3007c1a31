// SPDX-License-Identifier: BSD-3-Clause
// Transforms of a batch are independent in distributed plans too: a NaN, an infinity or a huge
// number in one changes no bit of another.
#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "support/distributed_cases.hpp"
#include "weft/distributed.hpp"

namespace weft {
namespace {

using Complex = std::complex<double>;

/// Five rows, cut along one axis before and along another after; elements are complex, or the real
/// parts of such.
struct RowBatch {
  Transform transform;
  int in_cut, out_cut;

  std::vector<Index> shape(bool half) const {
    std::vector<Index> shape = transform.shape;
    if (half) shape[1] = shape[1] / 2 + 1;
    return shape;
  }
  LocalBoxes boxes(bool output, const Comm& comm) const {
    const bool half = transform.kind == (output ? Kind::r2c : Kind::c2r);
    return slabs(shape(half), output ? out_cut : in_cut, comm.size(), comm.rank());
  }
};

/// This rank's output; row `planted` of the input is NaN.
std::vector<Complex> outcome(const RowBatch& batch, const Comm& comm, DistributedPlan& plan,
                             Index planted) {
  std::vector<Complex> in;
  for (const LocalBox& local : batch.boxes(false, comm))
    for (Index row = local.box.begin[0]; row < local.box.end[0]; ++row)
      for (Index j = local.box.begin[1]; j < local.box.end[1]; ++j)
        in.push_back(row == planted ? Complex(std::numeric_limits<double>::quiet_NaN())
                                    : Complex(static_cast<double>(j * 7 % 11) - 5.5,
                                              static_cast<double>((j + row) % 5)));
  std::vector<Complex> out(static_cast<std::size_t>(plan.output_count()));
  std::vector<double> real_in, real_out(out.size());
  for (const Complex& value : in) real_in.push_back(value.real());
  switch (batch.transform.kind) {
    case Kind::r2c: plan.execute(real_in.data(), out.data()); break;
    case Kind::c2r:
      plan.execute(in.data(), real_out.data());
      std::copy(real_out.begin(), real_out.end(), out.begin());
      break;
    default: plan.execute(in.data(), out.data());
  }
  return out;
}

void expect_isolated_rows(const RowBatch& batch, const Comm& comm) {
  const LocalBoxes output = batch.boxes(true, comm);
  DistributedPlan plan(batch.transform, batch.boxes(false, comm), output, comm);
  const std::vector<Complex> clean = outcome(batch, comm, plan, -1);
  for (Index planted = 0; planted < 5; ++planted) {
    const std::vector<Complex> spoiled = outcome(batch, comm, plan, planted);
    std::size_t at = 0;
    for (const LocalBox& local : output)
      for (Index row = local.box.begin[0]; row < local.box.end[0]; ++row)
        for (Index k = local.box.begin[1]; k < local.box.end[1]; ++k, ++at)
          if (row != planted) {
            ASSERT_EQ(spoiled[at], clean[at]) << plan.recipe() << " row " << planted;
          }
  }
}

TEST(DistributedIsolation, OfRows) {
  for (Index n : {12, 41, 45, 1009, 4096})
    for (int cuts = 0; cuts < 4; ++cuts)
      for (const Transform& transform :
           {c2c({5, n}, {.axes = {1}}), r2c({5, n}, {.axes = {1}}), c2r({5, n}, {.axes = {1}})})
        run_as_threads(3, [&](const Comm& comm) {
          expect_isolated_rows({transform, cuts % 2, cuts / 2}, comm);
        });
}

/// The batch is the first axis, the last, or between the transformed ones.
std::vector<Transform> batches() {
  std::vector<Transform> transforms;
  Precision precision = Precision::f64;
  for (const auto& [shape, axes] : std::vector<std::pair<std::vector<Index>, std::vector<int>>>{
           {{5, 13}, {1}}, {{16, 5}, {0}}, {{6, 5, 9}, {0, 2}}, {{5, 7, 8}, {1, 2}}}) {
    precision = precision == Precision::f32 ? Precision::f64 : Precision::f32;
    const TransformOptions options{.axes = axes, .precision = precision};
    transforms.push_back(c2c(shape, options));
    transforms.push_back(r2c(shape, options));
    transforms.push_back(c2r(shape, options));
    for (const R2r kind : {R2r::dct1, R2r::dct2, R2r::dct3, R2r::dct4, R2r::dst1, R2r::dst2,
                           R2r::dst3, R2r::dst4, R2r::dht})
      transforms.push_back(r2r(shape, std::vector<R2r>(axes.size(), kind), options));
  }
  return transforms;
}

TEST(DistributedIsolation, OfEveryKindAndAnyValue) {
  int seed = 0;
  for (const Transform& transform : batches()) {
    const test::DistributedCase problem = test::random_layouts(transform, seed++);
    run_as_threads(problem.nodes, [&](const Comm& comm) {
      test::expect_others_stay(problem, comm, test::values_to_plant(transform));
    });
    ASSERT_FALSE(HasFailure()) << problem.name;
  }
}

}  // namespace
}  // namespace weft
