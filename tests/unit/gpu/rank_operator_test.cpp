// SPDX-License-Identifier: BSD-3-Clause
// Operators over ranks whose fields lie on GPUs, against three separate steps on one rank.
#include <mutex>

#include "operator_cases.hpp"
#include "support/gpu_stand_in/stand_in.hpp"
#include "support/watchdog.hpp"
#include "unit/spectral/mixed_fields.hpp"
#include "weft/spectral_distributed.hpp"

namespace weft::test {
namespace {

using mixed_fields::Cut;
using mixed_fields::slabs_along;

struct RankCase {
  Transform forward;
  int inputs, outputs, ranks;
  Cut input, output;
  bool in_place = false;
  const char* word = "";  ///< that explain() must have
  DistributedOptions options = {};
};

template <class T>
std::vector<DeviceArray<T>> on_device(const mixed_fields::Fields& fields,
                                      const std::vector<Index>& shape, const LocalBoxes& boxes) {
  std::vector<DeviceArray<T>> arrays;
  for (const auto& field : fields)
    arrays.emplace_back(mixed_fields::part_of<T>(field, shape, boxes));
  return arrays;
}

template <class T>
void check_on_ranks(const RankCase& c, const ModeFunction& function, const mixed_fields::Fields& in,
                    const mixed_fields::Fields& wanted, double bound) {
  double error = 0, norm = 0;
  std::string explanation;
  std::mutex mutex;
  run_as_threads(c.ranks, [&](const Comm& comm) {
    const LocalBoxes from = c.input(c.ranks, comm.rank()), to = c.output(c.ranks, comm.rank());
    DistributedOptions options = c.options;
    options.device = Device::cuda();
    DistributedOperator op(c.forward, function, from, to, comm, {.plan = options, .lengths = {}});
    std::vector<DeviceArray<T>> result;
    for (int f = 0; f < c.outputs; ++f)
      result.emplace_back(static_cast<std::size_t>(std::max(op.input_count(), op.output_count())));
    for (int round = 0; round < 2; ++round) {
      const auto mine = on_device<T>(in, c.forward.shape, from);
      std::vector<const T*> sources;
      std::vector<T*> targets;
      for (const auto& field : result) targets.push_back(field.data());
      for (std::size_t f = 0; f < mine.size(); ++f) {
        const bool is_shared = c.in_place && f < result.size();
        const auto values = mine[f].values();
        if (is_shared) std::copy(values.begin(), values.end(), result[f].data());
        sources.push_back(is_shared ? result[f].data() : mine[f].data());
      }
      op.execute(std::span<const T* const>(sources), std::span<T* const>(targets));
    }
    const std::lock_guard lock(mutex);
    explanation = op.explain();
    for (std::size_t f = 0; f < result.size(); ++f) {
      const auto expected = mixed_fields::part_of<T>(wanted[f], c.forward.shape, to);
      const auto values = result[f].values();
      ASSERT_EQ(op.output_count(), static_cast<Index>(expected.size()));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        error += std::norm(values[i] - expected[i]);
        norm += std::norm(expected[i]);
      }
    }
  });
  EXPECT_LE(std::sqrt(error), bound * std::sqrt(norm))
      << testing::PrintToString(c.forward.shape) << " " << c.inputs << " to " << c.outputs << ", "
      << c.ranks << " ranks: " << explanation;
  EXPECT_NE(explanation.find(c.word), std::string::npos) << explanation;
}

template <class T>
void check_mixed(const RankCase& c) {
  std::mt19937 generator(7);
  const mixed_fields::Fields in = mixed_fields::random_fields(
      c.inputs, count_of(c.forward.shape), !ScalarTraits<T>::is_complex, generator);
  const int axes =
      static_cast<int>(c.forward.axes.empty() ? c.forward.shape.size() : c.forward.axes.size());
  check_on_ranks<T>(c, expression(mixed_fields::mixed_text(c.inputs, c.outputs, axes)), in,
                    mixed_fields::separate_steps(c.forward, in, c.outputs),
                    ScalarTraits<T>::precision == Precision::f32 ? 4e-6 : 2e-14);
}

constexpr const char* turned = ", fused with the last stage forward and the first backward";
constexpr const char* kernel = "a kernel between the last stage forward and the first backward";

class GpuRankOperator : public GpuOperator {};

/// Parts that are all alike, which the pass reads and writes where the exchanges have them, and
/// parts that are copied.
TEST_F(GpuRankOperator, TurnsAroundWhereDataComeAndGo) {
  for (const auto& [ranks, shape] : {std::pair{2, std::vector<Index>{32, 24, 20}},
                                     {4, {32, 24, 20}},
                                     {3, {24, 36, 16}},
                                     {2, {27, 20, 22}}}) {
    RankCase c{r2c(shape), 1,     1, ranks, slabs_along(shape, 0), slabs_along(shape, 0),
               false,      turned};
    if (ranks != 3) check_mixed<double>(c);
    c.forward = c2c(shape, {.precision = Precision::f32});
    c.in_place = true;
    check_mixed<std::complex<float>>(c);
    if (ranks != 2) continue;
    c.output = slabs_along(shape, 1);  // what comes and goes lies otherwise
    c.in_place = false;
    c.word = "";
    check_mixed<std::complex<float>>(c);
  }
}

/// Data arrive in blocks along an axis, and leave in the same or in others.
TEST_F(GpuRankOperator, TurnsAroundInBlocks) {
  const std::vector<Index> shape{24, 32, 20};
  const Cut some = [&](int, int rank) {
    return rank < 2 ? slabs(shape, 1, 2, rank) : LocalBoxes();
  };
  for (const Cut& output : {slabs_along(shape, 1), some})
    check_mixed<std::complex<double>>(
        {c2c(shape), 1, 1, 4, slabs_along(shape, 1), output, false, turned});
}

TEST_F(GpuRankOperator, CouplesSeveralFields) {
  const std::vector<Index> shape{24, 20, 18};
  for (const int ranks : {1, 2, 3})
    for (const auto& [inputs, outputs] : {std::pair{3, 3}, {1, 2}, {3, 1}}) {
      if (ranks == 1 && inputs != outputs) continue;
      RankCase c{r2c(shape), inputs, outputs, ranks, slabs_along(shape, 0), slabs_along(shape, 0)};
      c.word = ranks > 1 ? kernel : ": a sweep of its own";
      if (inputs == outputs || ranks == 3) check_mixed<double>(c);
      if (inputs != outputs && ranks == 3) continue;
      c.forward = c2c(shape, {.precision = Precision::f32});
      c.in_place = true;
      check_mixed<std::complex<float>>(c);
    }
}

TEST_F(GpuRankOperator, IsRightForRandomProblems) {
  std::mt19937 generator(2205);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(generator() % static_cast<unsigned>(high - low + 1));
  };
  for (const int ranks : {1, 2, 3, 4})
    for (int problem = 0; problem < 3; ++problem) {
      const std::vector<Index> shape{between(1, 28), between(6, 28), between(1, 28)};
      const Cut boxes = [=, axis = between(0, 2), kind = between(0, 2)](int all, int rank) {
        if (kind == 0) return slabs(shape, axis, all, rank);
        if (kind == 1) return pencils(shape, axis, all, rank);
        return bricks(shape, balanced_grid(shape, all), rank);
      };
      std::vector<int> axes{0, 1, 2};
      if (between(0, 3) == 0) axes.erase(axes.begin() + between(0, 2));
      const int most = problem < 2 ? 1 : 3;
      RankCase c{r2c(shape, {.axes = axes}),       between(1, most), between(1, most), ranks, boxes,
                 slabs_along(shape, between(0, 2))};
      if ((problem + ranks) % 2 == 0) {
        check_mixed<double>(c);
        continue;
      }
      c.forward = c2c(shape, {.axes = axes, .precision = Precision::f32});
      check_mixed<std::complex<float>>(c);
    }
}

TEST_F(GpuRankOperator, WorksByEveryExchange) {
  const std::vector<Index> shape{12, 8, 10};
  for (const ExchangeAlgorithm exchange : {ExchangeAlgorithm::ipc, ExchangeAlgorithm::staged})
    for (const int fields : {1, 2}) {
      RankCase c{r2c(shape), fields, fields, 3, slabs_along(shape, 0), slabs_along(shape, 0)};
      c.options.exchange = exchange;
      c.word = exchange == ExchangeAlgorithm::ipc ? "by ipc" : "by staged";
      check_mixed<double>(c);
    }
}

/// No rank needs another: one rank, or a batch that the ranks share out.
TEST_F(GpuRankOperator, StaysOnRanksWhereItCan) {
  const std::vector<Index> shape{6, 16, 20};
  for (const int ranks : {1, 2, 3, 7}) {
    const std::vector<int> axes = ranks == 1 ? std::vector{0, 1, 2} : std::vector{1, 2};
    RankCase c{r2c(shape, {.axes = axes}), 1, 1, ranks, slabs_along(shape, 0),
               slabs_along(shape, 0)};
    c.word = ", within the passes of each rank";
    check_mixed<double>(c);
    c.forward = c2c(shape, {.axes = axes, .precision = Precision::f32});
    c.in_place = true;
    check_mixed<std::complex<float>>(c);
  }
}

/// Numbers of the modes, from the host and from the device: every rank takes those of its own.
TEST_F(GpuRankOperator, MultipliesByArrays) {
  using Complex = std::complex<double>;
  const std::vector<Index> shape{6, 8, 10};
  const auto m = random_values<Complex>(product(shape), 5);
  std::mt19937 generator(3);
  const auto in = mixed_fields::random_fields(1, product(shape), false, generator);
  const auto steps = [&](const std::function<Complex(Index)>& number) {
    return mixed_fields::Fields{separate_steps<Complex>(c2c(shape), in[0], number)};
  };
  const auto number = [&](Index i) { return m[static_cast<std::size_t>(i)]; };
  const DeviceArray<Complex> device(m);
  std::vector<std::vector<Complex>> lists;
  for (const Index n : shape) lists.push_back(random_values<Complex>(n, 11));
  const auto by_lists = [&](Index i) {
    Complex factor = 1;
    for (std::size_t d = shape.size(); d-- > 0; i /= shape[d])
      factor *= lists[d][static_cast<std::size_t>(i % shape[d])];
    return factor;
  };
  for (const int ranks : {1, 2, 4})
    for (const int axis : {0, 1}) {
      // Other places on both sides: the function is a kernel, or the pass reads what was copied.
      const RankCase c{c2c(shape), 1, 1, ranks, slabs_along(shape, 0), slabs_along(shape, axis)};
      const std::span<const Complex> host(m);
      check_on_ranks<Complex>(c, multiply(host, shape), in, steps(number), 1e-14);
      check_on_ranks<Complex>(c, multiply_conjugate(host, shape), in,
                              steps([&](Index i) { return std::conj(number(i)); }), 1e-14);
      check_on_ranks<Complex>(c, cuda::multiply(device.data(), shape), in, steps(number), 1e-14);
      check_on_ranks<Complex>(c, multiply_separable(lists, shape), in, steps(by_lists), 1e-14);
      if (axis == 1) continue;
      RankCase batch = c;  // which the ranks share out
      batch.forward = c2c(shape, {.axes = {1, 2}});
      const mixed_fields::Fields wanted{separate_steps<Complex>(batch.forward, in[0], number)};
      check_on_ranks<Complex>(batch, multiply(host, shape), in, wanted, 1e-14);
      check_on_ranks<Complex>(batch, cuda::multiply(device.data(), shape), in, wanted, 1e-14);
    }
}

TEST_F(GpuRankOperator, HasAllReadyMadeFunctions) {
  const std::vector<Index> shape{6, 8, 10};
  const std::vector<ModeFunction> functions{
      laplacian(), inverse_laplacian(), gradient(3),          divergence(3),
      curl(),      projection(3),       gaussian_filter(0.3), shift({0.3, -1.25, 2})};
  for (const ModeFunction& function : functions) {
    std::mt19937 generator(3);
    const auto in = mixed_fields::random_fields(function.inputs(), product(shape), true, generator);
    const SpectralOperator alone(r2c(shape), function);
    Fields<double> reals(in.size()),
        out(static_cast<std::size_t>(function.outputs()),
            std::vector<double>(static_cast<std::size_t>(product(shape))));
    std::vector<const double*> sources;
    std::vector<double*> targets;
    for (std::size_t f = 0; f < in.size(); ++f)
      for (const auto& value : in[f]) reals[f].push_back(value.real());
    for (const auto& field : reals) sources.push_back(field.data());
    for (auto& field : out) targets.push_back(field.data());
    Workspace workspace = alone.make_workspace();
    alone.execute(std::span<const double* const>(sources), std::span<double* const>(targets),
                  workspace);
    mixed_fields::Fields wanted;
    for (const auto& field : out) wanted.emplace_back(field.begin(), field.end());
    check_on_ranks<double>({r2c(shape), function.inputs(), function.outputs(), 2,
                            slabs_along(shape, 0), slabs_along(shape, 0)},
                           function, in, wanted, 1e-13);
  }
}

TEST_F(GpuRankOperator, ExchangesTwiceAndSaysSo) {
  const std::vector<Index> shape{16, 16, 16};
  run_as_threads(4, [&](const Comm& comm) {
    const LocalBoxes rows = slabs(shape, 0, comm.size(), comm.rank());
    const DistributedOptions options{.device = Device::cuda()};
    const DistributedOperator op(c2c(shape), laplacian(), rows, rows, comm,
                                 {.plan = options, .lengths = {}});
    const DistributedPlan there(c2c(shape), rows, rows, comm, options);
    EXPECT_EQ(op.cost().message_bytes, there.cost().message_bytes);  // of both ways
    EXPECT_NE(op.explain().find("\n2 exchanges"), std::string::npos) << op.explain();
    EXPECT_NE(op.explain().find(turned), std::string::npos) << op.explain();
    EXPECT_EQ(op.cost().workspace_bytes, op.workspace_bytes());
    EXPECT_GT(op.cost().flops, there.cost().flops);
  });
}

/// What one rank is refused all ranks are.
TEST_F(GpuRankOperator, RefusesTogether) {
  const Watchdog watchdog(std::chrono::seconds(60));
  const std::vector<Index> shape{8, 8, 8};
  run_as_threads(3, [&](const Comm& comm) {
    using Complex = std::complex<double>;
    const LocalBoxes rows = slabs(shape, 0, comm.size(), comm.rank());
    const DistributedOperatorOptions options{.plan = {.device = Device::cuda()}, .lengths = {}};
    const auto refusal = [&](const auto& work) {
      try {
        work();
      } catch (const Error& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    const auto make = [&](const ModeFunction& function, const DistributedOperatorOptions& wishes) {
      return refusal([&] { DistributedOperator(c2c(shape), function, rows, rows, comm, wishes); });
    };
    const std::string callable =
        make(at_every_mode([](const auto&, auto u) { u[0] *= 2; }), options);
    EXPECT_NE(callable.find("give a text"), std::string::npos) << callable;
    DistributedOperatorOptions other = options;
    if (comm.rank() == 1) other.plan.device = Device::cpu();
    EXPECT_NE(make(laplacian(), other), "");
    other = options;
    if (comm.rank() == 1) other.plan.device = Device::cuda(99);
    EXPECT_NE(make(laplacian(), other), "");
    for (const int fields : {1, 2}) {
      DistributedOperator op(c2c(shape), expression(mixed_fields::mixed_text(fields, fields, 3)),
                             rows, rows, comm, options);
      const std::vector<Complex> values(static_cast<std::size_t>(op.input_count()));
      const DeviceArray<Complex> a(values), b(values);
      std::vector<Complex> host(values);
      const auto run = [&](const Complex* in, Complex* out) {
        const std::array<const Complex*, 2> from{a.data(), in};
        const std::array<Complex*, 2> to{a.data(), out};
        const auto first = static_cast<std::size_t>(2 - fields),
                   all = static_cast<std::size_t>(fields);
        return refusal([&] {
          op.execute(std::span<const Complex* const>(from).subspan(first, all),
                     std::span<Complex* const>(to).subspan(first, all));
        });
      };
      const bool is_bad = comm.rank() == 2;
      EXPECT_EQ(run(b.data(), b.data()), "");
      EXPECT_NE(run(is_bad ? host.data() : b.data(), b.data()), "");
      EXPECT_NE(run(b.data(), is_bad ? host.data() : b.data()), "");
      EXPECT_NE(run(is_bad ? nullptr : b.data(), b.data()), "");
      const DeviceArray<float> reals(values.size());
      const std::string wrong = is_bad ? refusal([&] { op.execute(reals.data(), reals.data()); })
                                       : run(b.data(), b.data());
      EXPECT_NE(wrong, "");
      EXPECT_EQ(run(b.data(), b.data()), "");
    }
  });
}

/// Whatever call of the driver fails on one rank: all ranks come to the end.
TEST_F(GpuRankOperator, AFailureOfOneGpuEndsAllRanks) {
  const std::vector<Index> shape{8, 6, 4};
  Watchdog watchdog(std::chrono::seconds(120));
  for (const int fields : {1, 2}) {
    bool has_failed = true;
    for (long failing = 0; has_failed; ++failing) {
      watchdog.expect("call " + std::to_string(failing));
      has_failed = false;
      run_as_threads(3, [&](const Comm& comm) {
        const LocalBoxes rows = slabs(shape, 0, comm.size(), comm.rank());
        DistributedOperator op(c2c(shape, {.precision = Precision::f32}),
                               expression(fields == 1 ? "2*u0" : "u1; u0"), rows, rows, comm,
                               {.plan = {.device = Device::cuda()}, .lengths = {}});
        using Complex = std::complex<float>;
        const DeviceArray<Complex> a(256), b(256);
        const std::array<const Complex*, 2> from{a.data(), b.data()};
        const std::array<Complex*, 2> to{a.data(), b.data()};
        const auto all = static_cast<std::size_t>(fields);
        const bool is_bad = comm.rank() == 1;
        stand_in_fail_at(is_bad ? failing : -1);
        try {
          op.execute(std::span<const Complex* const>(from).first(all),
                     std::span<Complex* const>(to).first(all));
        } catch (const Error&) {
          if (is_bad) has_failed = true;
        }
        const bool came_there = stand_in_calls() > failing;
        stand_in_fail_at(-1);
        if (is_bad && came_there) has_failed = true;  // times that fail are no failure
      });
    }
  }
}

}  // namespace
}  // namespace weft::test
