// SPDX-License-Identifier: BSD-3-Clause
// Everything that may be passed as array, options or stream: every valid form compiles and
// computes, and likely mistakes do not compile.
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "weft/cuda.hpp"
#include "weft/plan.hpp"

namespace weft {
namespace {

using C = std::complex<double>;

/// As much of std::mdspan as a caller's own type would have.
template <class T, std::size_t Rank>
struct Mdspan {
  using element_type = T;
  using index_type = int;

  T* data = nullptr;
  std::array<int, Rank> extents{};
  std::array<int, Rank> strides{};

  static constexpr std::size_t rank() { return Rank; }
  constexpr T* data_handle() const { return data; }
  constexpr int extent(std::size_t d) const { return extents[d]; }
  constexpr int stride(std::size_t d) const { return strides[d]; }
};

template <class In, class Out>
concept Executes = requires(const Plan& plan, In in, Out out, Workspace& workspace) {
  plan.execute(in, out);
  plan.execute(in, out, workspace);
};
static_assert(Executes<const C*, C*>);
static_assert(Executes<std::vector<C>&, std::vector<C>&>);
static_assert(Executes<const std::vector<C>&, std::vector<C>&>);
static_assert(Executes<const std::array<double, 4>&, std::array<C, 3>&>);
static_assert(Executes<std::span<const C>, std::span<C>>);
static_assert(Executes<std::span<C>, std::span<C>>);
static_assert(Executes<std::vector<C>&, std::span<C>>);
static_assert(Executes<View<const C>, View<C>>);
static_assert(Executes<View<C>, View<C>>);
static_assert(Executes<Mdspan<const C, 2>, Mdspan<C, 2>>);
static_assert(Executes<Mdspan<C, 2>, View<C>>);

static_assert(!Executes<std::vector<C>&, const std::vector<C>&>);  // nothing to write to
static_assert(!Executes<View<C>, View<const C>>);
static_assert(!Executes<std::vector<int>&, std::vector<int>&>);
static_assert(!Executes<cuda::DeviceView<C>, View<C>>);  // memory of the device
template <class Out>
concept ExecutesIntoTemporary =
    requires(const Plan& plan, std::vector<C>& x) { plan.execute(x, Out()); };
static_assert(ExecutesIntoTemporary<std::span<C>>);
static_assert(!ExecutesIntoTemporary<std::vector<C>>);  // gone when the call returns

static_assert(requires(const Transform& t, const Layout& layout) {
  Plan(t);
  Plan(t, {});
  Plan(t, {.threads = 2});
  Plan(t, PlanOptions{});
  Plan(t, layout, layout);
  Plan(t, {}, {});
  Plan(t, layout, layout, {.threads = 2});
  cuda::Plan(t, {});
  cuda::Plan(t, {.device = 1});
  cuda::Plan(t, layout, layout);
});

template <class Stream>
concept GpuStream = requires(const cuda::Plan& plan, const C* x, C* y, cuda::Workspace& workspace,
                             Stream stream) { plan.execute(x, y, workspace, stream); };
static_assert(GpuStream<cuda::Stream>);
static_assert(!GpuStream<C*>);  // an array in the place of the stream
static_assert(!GpuStream<void*>);
static_assert(std::is_constructible_v<cuda::Stream, void*>);
static_assert(std::is_constructible_v<cuda::Stream, struct CUstream_st*>);  // cudaStream_t
static_assert(requires(const cuda::Plan& plan, const C* x, C* y, cuda::Workspace& workspace,
                       const cuda::DeviceView<C>& view) {
  plan.execute(x, y, workspace, {});
  plan.execute(view, view, workspace, cuda::Stream());
});

TEST(View, IsMadeFromAnMdspan) {
  std::vector<C> x(24);
  const Mdspan<C, 2> mdspan{x.data(), {3, 4}, {8, 2}};
  const View view(mdspan);
  static_assert(std::is_same_v<decltype(view), const View<C>>);
  EXPECT_EQ(view.data_handle(), x.data());
  EXPECT_EQ(view.ndim(), 2);
  EXPECT_EQ(view.extent(1), 4);
  EXPECT_EQ(view.stride(0), 8);
  EXPECT_EQ(&view(2, 1), &x[18]);
  const View<const C> read_only = mdspan;
  EXPECT_EQ(read_only.data_handle(), x.data());
}

/// A 3 x 4 transform of an impulse in memory of any form: the spectrum is constant.
class Arguments : public testing::Test {
 protected:
  Plan plan{c2c({3, 4}), {}};
  Workspace workspace = plan.make_workspace();
  std::vector<C> x = impulse(), y = std::vector<C>(12);

  static std::vector<C> impulse() {
    std::vector<C> values(12);
    values[0] = 2;
    return values;
  }
  void expect_constant() {
    EXPECT_EQ(y, std::vector<C>(12, C(2)));
    std::fill(y.begin(), y.end(), C());
  }
};

TEST_F(Arguments, MayBeVectorsAndSpans) {
  plan.execute(x, y);
  expect_constant();
  plan.execute(x, y, workspace);
  expect_constant();
  plan.execute(std::span<const C>(x), std::span(y), workspace);
  expect_constant();
  EXPECT_THROW(plan.execute(std::span(x).first(11), y), Error);
  EXPECT_THROW(plan.execute(x, std::span(y).first(11), workspace), Error);
}

TEST_F(Arguments, MayBeViewsAndMdspans) {
  plan.execute(View<const C>(x.data(), {3, 4}), View<C>(y.data(), {3, 4}));
  expect_constant();
  const Mdspan<const C, 2> from{x.data(), {3, 4}, {4, 1}};
  const Mdspan<C, 2> to{y.data(), {3, 4}, {4, 1}};
  plan.execute(from, to);
  expect_constant();
  plan.execute(from, to, workspace);
  expect_constant();
  const Mdspan<C, 2> transposed{y.data(), {3, 4}, {1, 3}};
  EXPECT_THROW(plan.execute(from, transposed), Error);
  EXPECT_THROW(plan.execute(from, Mdspan<C, 1>{y.data(), {12}, {1}}, workspace), Error);
}

TEST_F(Arguments, MayBeMdspansOfAnyStrides) {
  std::vector<C> wide(3 * 8);
  wide[0] = 2;
  const Plan strided(c2c({3, 4}), Layout{{8, 2}}, Layout{{1, 3}});
  strided.execute(Mdspan<C, 2>{wide.data(), {3, 4}, {8, 2}},
                  Mdspan<C, 2>{y.data(), {3, 4}, {1, 3}});
  expect_constant();
}

}  // namespace
}  // namespace weft
