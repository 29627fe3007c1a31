// SPDX-License-Identifier: BSD-3-Clause
// Operators over ranks on several fields against three separate steps on one: transforms of every
// field, a loop over the modes, transforms back.
#include <gtest/gtest.h>

#include <mutex>

#include "unit/spectral/mixed_fields.hpp"
#include "weft/spectral_distributed.hpp"

namespace weft::mixed_fields {
namespace {

ModeFunction mixed(int inputs, int outputs) {
  return at_every_mode(
      [=](const auto& wave, auto u) {
        using Complex = std::remove_cvref_t<decltype(u[0])>;
        std::array<Complex, 4> out{};
        for (int o = 0; o < outputs; ++o)
          for (int i = 0; i < inputs; ++i)
            out[static_cast<std::size_t>(o)] +=
                weight(o, i, wave.k.data(), wave.odd.data(), wave.axes) * u[i];
        for (int o = 0; o < outputs; ++o) u[o] = out[static_cast<std::size_t>(o)];
      },
      inputs, outputs);
}

struct Case {
  Transform forward;
  int inputs, outputs, ranks;
  Cut input, output;
  DistributedOptions options = {};
  bool in_place = false;
  const char* word = "";  ///< that explain() must have
};

template <class T>
void check(const Case& c, double bound) {
  std::mt19937 generator(7);
  const Fields in =
      random_fields(c.inputs, count_of(c.forward.shape), !ScalarTraits<T>::is_complex, generator);
  const Fields wanted = separate_steps(c.forward, in, c.outputs);
  double error = 0, norm = 0;
  std::string explanation;
  std::mutex mutex;
  run_as_threads(c.ranks, [&](const Comm& comm) {
    const LocalBoxes from = c.input(c.ranks, comm.rank()), to = c.output(c.ranks, comm.rank());
    DistributedOperator op(c.forward, mixed(c.inputs, c.outputs), from, to, comm,
                           {.plan = c.options, .lengths = {}});
    std::vector<std::vector<T>> mine, result;
    for (int f = 0; f < c.outputs; ++f)
      result.emplace_back(static_cast<std::size_t>(std::max(op.input_count(), op.output_count())));
    for (int round = 0; round < 2; ++round) {
      mine.clear();
      std::vector<const T*> sources;
      std::vector<T*> targets;
      for (const auto& field : in) mine.push_back(part_of<T>(field, c.forward.shape, from));
      for (auto& field : result) targets.push_back(field.data());
      for (std::size_t f = 0; f < mine.size(); ++f) {
        const bool is_shared = c.in_place && f < result.size();
        if (is_shared) std::copy(mine[f].begin(), mine[f].end(), result[f].begin());
        sources.push_back(is_shared ? result[f].data() : mine[f].data());
      }
      op.execute(std::span<const T* const>(sources), std::span<T* const>(targets));
    }
    const std::lock_guard lock(mutex);
    explanation = op.explain();
    for (std::size_t f = 0; f < result.size(); ++f) {
      const std::vector<T> expected = part_of<T>(wanted[f], c.forward.shape, to);
      ASSERT_EQ(op.output_count(), static_cast<Index>(expected.size()));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        error += std::norm(result[f][i] - expected[i]);
        norm += std::norm(expected[i]);
      }
    }
  });
  EXPECT_LE(std::sqrt(error), bound * std::sqrt(norm))
      << testing::PrintToString(c.forward.shape) << " " << c.inputs << " to " << c.outputs << ", "
      << c.ranks << " ranks: " << explanation;
  EXPECT_NE(explanation.find(c.word), std::string::npos) << explanation;
}

TEST(DistributedFields, AreFusedByEveryExchange) {
  const std::vector<Index> shape{12, 10, 9};
  using enum ExchangeAlgorithm;
  for (const ExchangeAlgorithm exchange :
       {shared, node_aware, point_to_point, all_to_all, all_to_all_v})
    for (const int ranks : {2, 3, 5})
      for (const auto& [inputs, outputs] : {std::pair{3, 3}, {1, 3}, {3, 1}, {2, 4}}) {
        Case c{r2c(shape), inputs, outputs, ranks, slabs_along(shape, 0), slabs_along(shape, 0)};
        c.options.exchange = exchange;
        c.word = ", fused";
        check<double>(c, 1e-14);
        c.forward = c2c(shape);
        c.input = [&](int all, int rank) { return pencils(shape, 2, all, rank); };
        c.in_place = false;
        check<std::complex<double>>(c, 1e-14);
      }
}

TEST(DistributedFields, AreRightByPipelinedExchanges) {
  const std::vector<Index> shape{12, 10, 9};
  Case c{r2c(shape), 2, 3, 3, slabs_along(shape, 0), slabs_along(shape, 1)};
  c.options.exchange = ExchangeAlgorithm::pipelined;
  c.options.chunks = 3;
  c.word = ": a sweep of its own";
  check<double>(c, 1e-14);
}

TEST(DistributedFields, MayBeTheSameArrays) {
  const std::vector<Index> shape{9, 8, 10};
  for (const int ranks : {1, 2, 3})
    for (const auto& [inputs, outputs] : {std::pair{3, 3}, {2, 3}, {3, 2}}) {
      Case c{r2c(shape), inputs, outputs, ranks, slabs_along(shape, 0), slabs_along(shape, 0)};
      c.in_place = true;
      check<double>(c, 1e-14);
      c.forward = c2c(shape, {.precision = Precision::f32});
      check<std::complex<float>>(c, 2e-6);
    }
}

TEST(DistributedFields, GoThroughTilesByThreads) {
  const std::vector<Index> shape{64, 40, 60};
  Case c{c2c(shape), 3, 3, 2, slabs_along(shape, 0), slabs_along(shape, 1)};
  c.options.threads = 3;
  c.word = ", fused";
  check<std::complex<double>>(c, 1e-14);
}

/// Lines so long that no tile of three fields stays in cache.
TEST(DistributedFields, AreApartWhereNoTileFits) {
  const std::vector<Index> shape{1 << 16, 3, 4};
  Case c{c2c(shape), 3, 3, 2, slabs_along(shape, 0), slabs_along(shape, 0)};
  c.word = ": a sweep of its own";
  check<std::complex<double>>(c, 1e-14);
}

TEST(DistributedFields, TravelTogether) {
  const std::vector<Index> shape{32, 32, 32};
  run_as_threads(4, [&](const Comm& comm) {
    const LocalBoxes rows = slabs(shape, 0, comm.size(), comm.rank());
    DistributedOptions messages;
    messages.exchange = ExchangeAlgorithm::point_to_point;
    const DistributedOperator one(c2c(shape), mixed(1, 1), rows, rows, comm,
                                  {.plan = messages, .lengths = {}});
    const DistributedOperator three(c2c(shape), mixed(3, 3), rows, rows, comm,
                                    {.plan = messages, .lengths = {}});
    EXPECT_EQ(three.cost().messages, one.cost().messages);
    EXPECT_EQ(three.cost().message_bytes, 3 * one.cost().message_bytes);
    EXPECT_NE(three.explain().find("\n2 exchanges"), std::string::npos) << three.explain();
  });
}

/// Whatever the transform is normalized by, forward and backward together are the identity.
TEST(DistributedFields, HaveNoFactorOfTheirOwn) {
  const std::vector<Index> shape{6, 10, 4};
  for (const Normalization normalization : {Normalization::none, Normalization::forward}) {
    Case c{c2c(shape), 1, 1, 2, slabs_along(shape, 0), slabs_along(shape, 0)};
    c.forward.normalization = normalization;
    check<std::complex<double>>(c, 1e-14);
  }
}

TEST(DistributedFields, AreRightForRandomProblems) {
  std::mt19937 generator(2205);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(generator() % static_cast<unsigned>(high - low + 1));
  };
  for (const int ranks : {1, 2, 3, 4, 5, 7})
    for (int problem = 0; problem < 8; ++problem) {
      const std::vector<Index> shape{between(1, 16), between(1, 16), between(1, 16)};
      const Cut boxes = [=, axis = between(0, 2), kind = between(0, 2)](int all, int rank) {
        if (kind == 0) return slabs(shape, axis, all, rank);
        if (kind == 1) return pencils(shape, axis, all, rank);
        return bricks(shape, balanced_grid(shape, all), rank);
      };
      std::vector<int> axes{0, 1, 2};
      if (between(0, 3) == 0) axes.erase(axes.begin() + between(0, 2));
      Case c{r2c(shape, {.axes = axes}),       between(1, 4), between(1, 4), ranks, boxes,
             slabs_along(shape, between(0, 2))};
      c.options.threads = between(1, 2);
      check<double>(c, 2e-14);
      c.forward = c2c(shape, {.axes = axes, .precision = Precision::f32});
      check<std::complex<float>>(c, 4e-6);
    }
}

TEST(DistributedFields, FailTogether) {
  const std::vector<Index> shape{8, 8, 8};
  run_as_threads(3, [&](const Comm& comm) {
    const LocalBoxes rows = slabs(shape, 0, comm.size(), comm.rank());
    const int rank = comm.rank();
    bool throws = true;
    DistributedOperator op(c2c(shape),
                           ModeFunction(
                               [rank, &throws](const ModeTile<double>&) {
                                 if (rank == 1 && throws) throw std::runtime_error("no");
                               },
                               2, 2),
                           rows, rows, comm);
    using Complex = std::complex<double>;
    std::vector<Complex> a(static_cast<std::size_t>(op.input_count())), b = a;
    const auto run = [&](std::array<const Complex*, 2> in, std::array<Complex*, 2> out) {
      op.execute(std::span<const Complex* const>(in), std::span<Complex* const>(out));
    };
    if (rank == 1)
      EXPECT_THROW(run({a.data(), b.data()}, {a.data(), b.data()}), std::runtime_error);
    else
      EXPECT_THROW(run({a.data(), b.data()}, {a.data(), b.data()}), Error);
    throws = false;
    EXPECT_NO_THROW(run({a.data(), b.data()}, {a.data(), b.data()}));
    // The second field is missing on one rank.
    EXPECT_THROW(run({a.data(), rank == 0 ? nullptr : b.data()}, {a.data(), b.data()}), Error);
    EXPECT_THROW(run({a.data(), b.data()}, {a.data(), rank == 2 ? nullptr : b.data()}), Error);
    EXPECT_THROW(op.execute(a.data(), a.data()), Error);  // one field on all ranks
    EXPECT_NO_THROW(run({a.data(), b.data()}, {a.data(), b.data()}));
  });
}

}  // namespace
}  // namespace weft::mixed_fields
