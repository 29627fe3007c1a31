// SPDX-License-Identifier: BSD-3-Clause
// Operators over ranks against the operator on one.
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <random>

#include "unit/spectral/count_of.hpp"
#include "weft/spectral_distributed.hpp"
#include "weft/spectral_functions.hpp"

namespace weft {
namespace {

template <class T>
std::vector<T> numbers(Index count, double seed) {
  std::vector<T> values;
  for (Index i = 0; i < count; ++i) {
    const double x = std::sin(seed + 1.7 * double(i)), y = std::cos(seed - 0.9 * double(i));
    if constexpr (ScalarTraits<T>::is_complex)
      values.push_back(
          {static_cast<typename T::value_type>(x), static_cast<typename T::value_type>(y)});
    else
      values.push_back(static_cast<T>(x + y * y));
  }
  return values;
}

/// Elements of the box, row-major.
template <class T>
std::vector<T> part_of(const std::vector<T>& whole, const std::vector<Index>& shape,
                       const LocalBoxes& boxes) {
  std::vector<T> part;
  for (const LocalBox& local : boxes)
    for (Index i = 0; i < local.box.count(); ++i) {
      Index rest = i, place = 0, stride = 1;
      for (int d = local.box.ndim - 1; d >= 0; --d) {
        const auto e = static_cast<std::size_t>(d);
        place += (local.box.begin[e] + rest % local.box.extent(d)) * stride;
        rest /= local.box.extent(d);
        stride *= shape[e];
      }
      part.push_back(whole[static_cast<std::size_t>(place)]);
    }
  return part;
}

template <class T>
void check(const Transform& forward, const ModeFunction& function, int ranks,
           const std::function<LocalBoxes(int ranks, int rank)>& input,
           const std::function<LocalBoxes(int ranks, int rank)>& output, double bound,
           const DistributedOptions& options = {}, const char* word = "") {
  const Index count = count_of(forward.shape);
  std::vector<std::vector<T>> in, wanted;
  std::vector<const T*> in_pointers;
  std::vector<T*> wanted_pointers;
  for (int f = 0; f < function.inputs(); ++f) in.push_back(numbers<T>(count, f + 0.3));
  for (int f = 0; f < function.outputs(); ++f) wanted.emplace_back(static_cast<std::size_t>(count));
  for (const auto& field : in) in_pointers.push_back(field.data());
  for (auto& field : wanted) wanted_pointers.push_back(field.data());
  const SpectralOperator alone(forward, function);
  Workspace workspace = alone.make_workspace();
  alone.execute(std::span<const T* const>(in_pointers), std::span<T* const>(wanted_pointers),
                workspace);
  double error = 0, norm = 0;
  std::string explanation;
  std::mutex mutex;
  run_as_threads(ranks, [&](const Comm& comm) {
    const LocalBoxes from = input(comm.size(), comm.rank()), to = output(comm.size(), comm.rank());
    DistributedOperator op(forward, function, from, to, comm, {.plan = options, .lengths = {}});
    EXPECT_NE(op.explain().find(word), std::string::npos) << op.explain();
    std::vector<std::vector<T>> mine, result;
    std::vector<const T*> mine_pointers;
    std::vector<T*> result_pointers;
    for (const auto& field : in) mine.push_back(part_of(field, forward.shape, from));
    for (int f = 0; f < function.outputs(); ++f)
      result.emplace_back(static_cast<std::size_t>(op.output_count()));
    for (const auto& field : mine) mine_pointers.push_back(field.data());
    for (auto& field : result) result_pointers.push_back(field.data());
    for (int round = 0; round < 2; ++round)
      op.execute(std::span<const T* const>(mine_pointers), std::span<T* const>(result_pointers));
    const std::lock_guard lock(mutex);
    explanation = op.explain();
    for (std::size_t f = 0; f < result.size(); ++f) {
      const std::vector<T> expected = part_of(wanted[f], forward.shape, to);
      ASSERT_EQ(result[f].size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        error += std::norm(result[f][i] - expected[i]);
        norm += std::norm(expected[i]);
      }
    }
  });
  EXPECT_LE(std::sqrt(error), bound * std::sqrt(norm)) << ranks << " ranks: " << explanation;
}

TEST(DistributedOperator, IsTheOperatorOfOneRank) {
  const std::vector<Index> shape{12, 10, 9};
  const auto rows = [&](int ranks, int rank) { return slabs(shape, 0, ranks, rank); };
  const auto columns = [&](int ranks, int rank) { return slabs(shape, 1, ranks, rank); };
  const auto blocks = [&](int ranks, int rank) {
    return bricks(shape, balanced_grid(shape, ranks), rank);
  };
  for (int ranks : {1, 2, 3, 4, 7}) {
    check<double>(r2c(shape), spectral::laplacian(), ranks, rows, rows, 1e-14);
    check<std::complex<double>>(c2c(shape), spectral::derivative(1), ranks, blocks, columns, 1e-14);
    check<float>(r2c(shape, {.precision = Precision::f32}), spectral::gradient(3), ranks, blocks,
                 blocks, 2e-6);
    check<double>(r2c(shape), spectral::projection(3), ranks, rows, columns, 1e-14);
  }
}

TEST(DistributedOperator, TransformsSomeAxesOrOne) {
  const std::vector<Index> shape{6, 30, 7};
  const auto rows = [&](int ranks, int rank) { return slabs(shape, 1, ranks, rank); };
  for (int ranks : {1, 3}) {
    check<double>(r2c(shape, {.axes = {1}}), spectral::derivative(0), ranks, rows, rows, 1e-13);
    check<double>(r2c(shape, {.axes = {0, 2}}), spectral::laplacian(), ranks, rows, rows, 1e-13);
  }
  const std::vector<Index> line{240};
  const auto part = [&](int ranks, int rank) { return slabs(line, 0, ranks, rank); };
  check<std::complex<double>>(c2c(line), spectral::shift({0.3}), 4, part, part, 1e-13);
}

TEST(DistributedOperator, RanksMayHoldNothing) {
  const std::vector<Index> shape{3, 4};
  const auto rows = [&](int ranks, int rank) { return slabs(shape, 0, ranks, rank); };
  check<double>(r2c(shape), spectral::laplacian(), 5, rows, rows, 1e-13);
}

/// Depends on all wave numbers in another way along each axis.
ModeFunction uneven() {
  return at_every_mode([](const auto& wave, auto u) {
    u[0] *= 1 + wave.k[0] / 3 + wave.k[1] * wave.k[1] / 7 - wave.k[2] / 5;
  });
}

TEST(DistributedOperator, FusesTheFunctionWithTheStages) {
  using enum ExchangeAlgorithm;
  for (const std::vector<Index>& shape :
       {std::vector<Index>{12, 10, 9}, std::vector<Index>{7, 16, 13}}) {
    const auto rows = [&](int ranks, int rank) { return slabs(shape, 0, ranks, rank); };
    const auto lines = [&](int ranks, int rank) { return pencils(shape, 2, ranks, rank); };
    for (ExchangeAlgorithm exchange :
         {shared, node_aware, point_to_point, all_to_all, all_to_all_v, pipelined})
      for (int ranks : {2, 3, 5}) {
        DistributedOptions options;
        options.exchange = exchange;
        if (exchange == pipelined) options.chunks = 3;
        check<double>(r2c(shape), uneven(), ranks, rows, rows, 1e-14, options, ", fused");
        // The chunks of pencils may cut what the other stage needs whole: then it is not fused.
        check<std::complex<double>>(c2c(shape), uneven(), ranks, lines, rows, 1e-14, options,
                                    exchange == pipelined ? "" : ", fused");
      }
  }
}

/// The last stage forward and the first backward may transform different axes; the chunks of a
/// pipelined exchange cut the latter only.
TEST(DistributedOperator, ChunksAreWholeAlongTheAxesOfBothStages) {
  DistributedOptions options;
  options.exchange = ExchangeAlgorithm::pipelined;
  options.chunks = 3;
  const std::vector<Index> shape{12, 10, 9};
  for (int in_axis = 0; in_axis < 3; ++in_axis)
    for (int out_axis = 0; out_axis < 3; ++out_axis)
      for (int ranks : {2, 3}) {
        const auto lines = [&](int count, int rank) {
          return pencils(shape, in_axis, count, rank);
        };
        const auto rows = [&](int count, int rank) { return slabs(shape, out_axis, count, rank); };
        check<std::complex<double>>(c2c(shape), uneven(), ranks, lines, rows, 1e-14, options, "");
      }
}

TEST(DistributedOperator, FusesInTilesByThreads) {
  const std::vector<Index> shape{64, 40, 60};  // 1.2 MB of modes on each rank
  const auto rows = [&](int ranks, int rank) { return slabs(shape, 0, ranks, rank); };
  DistributedOptions options;
  options.threads = 3;
  check<std::complex<double>>(c2c(shape), uneven(), 2, rows, rows, 1e-14, options, ", fused");
  check<double>(r2c(shape), uneven(), 3, rows, rows, 1e-14, options, ", fused");
}

TEST(DistributedOperator, DoesRandomProblems) {
  std::mt19937 generator(22);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(generator() % static_cast<unsigned>(high - low + 1));
  };
  for (int problem = 0; problem < 12; ++problem) {
    const std::vector<Index> shape{between(1, 14), between(1, 14), between(1, 14)};
    const auto boxes = [&, axis = between(0, 2), kind = between(0, 2)](int ranks, int rank) {
      if (kind == 0) return slabs(shape, axis, ranks, rank);
      if (kind == 1) return pencils(shape, axis, ranks, rank);
      return bricks(shape, balanced_grid(shape, ranks), rank);
    };
    const auto output = [&, axis = between(0, 2)](int ranks, int rank) {
      return slabs(shape, axis, ranks, rank);
    };
    SCOPED_TRACE(::testing::PrintToString(shape));
    DistributedOptions options;
    options.threads = between(1, 2);
    const int ranks = between(1, 6);
    check<double>(r2c(shape), uneven(), ranks, boxes, output, 2e-14, options);
    check<std::complex<float>>(c2c(shape, {.precision = Precision::f32}), uneven(), ranks, boxes,
                               output, 4e-6, options);
  }
}

TEST(DistributedOperator, NeedsTwoExchangesInsteadOfFour) {
  const std::vector<Index> shape{32, 32, 32};
  run_as_threads(4, [&](const Comm& comm) {
    const LocalBoxes rows = slabs(shape, 0, comm.size(), comm.rank());
    DistributedOptions messages;
    messages.exchange = ExchangeAlgorithm::point_to_point;
    const DistributedOperator op(c2c(shape), spectral::laplacian(), rows, rows, comm,
                                 {.plan = messages, .lengths = {}});
    const DistributedPlan there(c2c(shape), rows, rows, comm, messages);
    EXPECT_LE(op.cost().message_bytes, there.cost().message_bytes);  // of both ways
    EXPECT_NE(op.explain().find("\n2 exchanges"), std::string::npos) << op.explain();
  });
}

TEST(DistributedOperator, KeepsOneSharedArrayBetweenItsExchanges) {
  run_as_threads(2, [&](const Comm& comm) {
    const LocalBoxes rows = slabs(std::vector<Index>{64, 64, 64}, 0, 2, comm.rank());
    for (const bool is_real : {false, true}) {
      const Transform forward = is_real ? r2c({64, 64, 64}) : c2c({64, 64, 64});
      DistributedOperator op(
          forward, spectral::laplacian(), rows, rows, comm,
          {.plan = {.exchange = ExchangeAlgorithm::shared, .threads = 1}, .lengths = {}});
      // Half of the modes, their padding, and scratch that grows with the second cache alone.
      const Index modes = (is_real ? 33 : 64) * 64 * 64 / 2 * 16;
      EXPECT_LT(op.workspace_bytes(), 2 * modes) << op.explain();
    }
  });
}

TEST(DistributedOperator, TakesSlabsWhereTheyNeedFewerExchanges) {
  run_as_threads(2, [&](const Comm& comm) {
    const std::vector<Index> shape{256, 256, 256};
    const LocalBoxes rows = slabs(shape, 0, 2, comm.rank());
    DistributedOperator op(r2c(shape, {.precision = Precision::f32}), spectral::laplacian(), rows,
                           rows, comm, {.plan = {.threads = 1}, .lengths = {}});
    EXPECT_NE(op.explain().find("\n2 exchanges"), std::string::npos) << op.explain();
  });
}

TEST(DistributedOperator, AllRanksFailTogether) {
  const std::vector<Index> shape{8, 8, 8};
  run_as_threads(3, [&](const Comm& comm) {
    const LocalBoxes rows = slabs(shape, 0, comm.size(), comm.rank());
    const int rank = comm.rank();
    DistributedOperator op(c2c(shape), ModeFunction([rank](const ModeTile<double>&) {
                             if (rank == 1) throw std::runtime_error("no");
                           }),
                           rows, rows, comm);
    std::vector<std::complex<double>> field(static_cast<std::size_t>(op.input_count()));
    if (rank == 1)
      EXPECT_THROW(op.execute(field.data(), field.data()), std::runtime_error);
    else
      EXPECT_THROW(op.execute(field.data(), field.data()), Error);
    const bool is_first = rank == 0;  // null on one rank
    DistributedOperator given(c2c(shape), spectral::laplacian(), rows, rows, comm);
    std::complex<double>* none = nullptr;
    EXPECT_THROW(given.execute(is_first ? none : field.data(), field.data()), Error);
    EXPECT_THROW(given.execute(field.data(), is_first ? none : field.data()), Error);
    EXPECT_NO_THROW(given.execute(field.data(), field.data()));
    // Wrong elements on one rank.
    std::vector<double> reals(field.size());
    DistributedOperator good(c2c(shape), spectral::laplacian(), rows, rows, comm);
    if (rank == 2)
      EXPECT_THROW(good.execute(reals.data(), reals.data()), Error);
    else
      EXPECT_THROW(good.execute(field.data(), field.data()), Error);
    EXPECT_NO_THROW(good.execute(field.data(), field.data()));
    // Other lengths on one rank.
    EXPECT_THROW(DistributedOperator(c2c(shape), spectral::laplacian(), rows, rows, comm,
                                     {.plan = {}, .lengths = {1, 1, rank == 0 ? 2.0 : 1.0}}),
                 Error);
    EXPECT_THROW(DistributedOperator(rank == 0 ? c2r(shape) : c2c(shape), spectral::laplacian(),
                                     rows, rows, comm),
                 Error);
  });
}

}  // namespace
}  // namespace weft
