// SPDX-License-Identifier: BSD-3-Clause
#include "paper_measured.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "../bench/ranks.hpp"
#include "../timing.hpp"
#include "fabric/network/explicit_global_fft.hpp"
#include "weft/distributed.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"
#include "weft/spectral_distributed.hpp"

namespace weft::tool {
namespace paper_measured {

using Numbers = std::vector<std::complex<double>>;

Numbers random_line(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers numbers(count);
  for (auto& number : numbers) number = {uniform(generator), uniform(generator)};
  return numbers;
}

/// The seconds of each, called in turns: the median of `rounds`.
std::vector<double> medians(int rounds, const std::vector<std::function<void()>>& calls) {
  std::vector<std::vector<double>> times(calls.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const Stopwatch watch;
      if (calls[k]) calls[k]();
      times[k].push_back(watch.seconds());
    }
  std::vector<double> result;
  for (auto& each : times) {
    std::ranges::sort(each);
    result.push_back(each[each.size() / 2]);
  }
  return result;
}

/// Debian's libgsl, if it is installed: the functions of its mixed-radix transform.
class Gsl {
 public:
  Gsl() {
    dlopen("libgslcblas.so.0", RTLD_NOW | RTLD_GLOBAL);
    for (const char* name : {"libgsl.so.27", "libgsl.so.28", "libgsl.so.25", "libgsl.so"})
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) return;
    load(table_alloc, "gsl_fft_complex_wavetable_alloc");
    load(space_alloc, "gsl_fft_complex_workspace_alloc");
    load(table_free, "gsl_fft_complex_wavetable_free");
    load(space_free, "gsl_fft_complex_workspace_free");
    load(forward, "gsl_fft_complex_forward");
  }
  bool is_there() const { return forward != nullptr; }

  void* (*table_alloc)(std::size_t) = nullptr;
  void* (*space_alloc)(std::size_t) = nullptr;
  void (*table_free)(void*) = nullptr;
  void (*space_free)(void*) = nullptr;
  int (*forward)(double*, std::size_t, std::size_t, const void*, void*) = nullptr;

 private:
  template <class Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
  }
  void* handle_ = nullptr;  // stays loaded
};

/// The recipe that the tool chooses without vector instructions; empty if it cannot be asked.
std::string scalar_recipe(Index points) {
  std::error_code error;
  const auto tool = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error || tool.string().find_first_of("'\\") != std::string::npos) return "";
  const std::string command =
      fmt::format("WEFT_ISA=scalar '{}' plan {} --no-wisdom 2>/dev/null", tool.string(), points);
  std::array<char, 4096> text{};
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  const char* line = std::fgets(text.data(), static_cast<int>(text.size()), pipe);
  if (pclose(pipe) != 0 || line == nullptr) return "";
  std::string recipe = line;
  while (!recipe.empty() && recipe.back() == '\n') recipe.pop_back();
  return recipe;
}

}  // namespace paper_measured

ReorderingTime measure_reordering(Index points, int ranks, int rounds) {
  using namespace paper_measured;
  ReorderingTime result{.points = points, .ranks = ranks};
  std::mutex mutex;
  run_as_threads(ranks, [&](const Comm& comm) {
    const std::vector<Index> shape = {points};
    const LocalBoxes boxes = slabs(shape, 0, comm.size(), comm.rank());
    DistributedPlan merged(
        c2c({points}), boxes, boxes, comm,
        {.exchange = ExchangeAlgorithm::all_to_all_v, .strategy = Strategy::line});
    fabric::ExplicitGlobalFft passes(comm, points);
    const Numbers in =
        random_line(static_cast<std::size_t>(points / ranks), static_cast<unsigned>(comm.rank()));
    Numbers out(in.size()), other(in.size());
    const Turns turns = time_in_turns(comm, rounds, [&] { merged.execute(in.data(), out.data()); },
                                      {[&] { passes.execute(in, other); }});
    const double difference =
        relative_difference(comm, Precision::f64, other.data(), out.data(), 2 * std::ssize(out));
    const std::scoped_lock lock(mutex);
    result.merged_s = turns.weft_s;
    result.explicit_s = turns.peers[0].seconds;
    result.difference = difference;
  });
  return result;
}

NodeRates measure_node(Index points) {
  using namespace paper_measured;
  static const Gsl gsl;
  NodeRates rates{.points = points};
  rates.thread_count = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 4U));
  const auto count = static_cast<std::size_t>(points);
  const Numbers in = random_line(count, 7);
  Numbers out(count), field = in;
  const Plan simd(c2c({points}));
  const Plan threaded(c2c({points}), {.threads = rates.thread_count});
  const std::string recipe = scalar_recipe(points);
  std::optional<Plan> scalar;
  if (!recipe.empty()) scalar.emplace(c2c({points}), PlanOptions{.recipe = recipe});
  void* table = gsl.is_there() ? gsl.table_alloc(count) : nullptr;
  void* space = gsl.is_there() ? gsl.space_alloc(count) : nullptr;
  const double flops = 5 * static_cast<double>(points) * std::log2(static_cast<double>(points));
  const int repeats = static_cast<int>(std::clamp(2e7 / flops, 1.0, 10000.0));
  const auto repeated = [&](const std::function<void()>& call) {
    return std::function<void()>([&, call] {
      for (int k = 0; k < repeats; ++k) call();
    });
  };
  // GSL works in place: its field is set back now and then, so that no number overflows.
  const std::function<void()> by_gsl = [&] {
    for (int k = 0; k < repeats; ++k) {
      if (k % 4 == 0) field = in;
      gsl.forward(reinterpret_cast<double*>(field.data()), 1, count, table, space);
    }
  };
  const auto times = medians(7, {table != nullptr ? by_gsl : std::function<void()>(),
                                 scalar ? repeated([&] { scalar->execute(in.data(), out.data()); })
                                        : std::function<void()>(),
                                 repeated([&] { simd.execute(in.data(), out.data()); }),
                                 repeated([&] { threaded.execute(in.data(), out.data()); })});
  const auto rate = [&](double seconds) { return flops * repeats / seconds / 1e9; };
  if (table != nullptr) {
    rates.gsl = rate(times[0]);
    gsl.table_free(table);
    gsl.space_free(space);
  }
  if (scalar) rates.scalar = rate(times[1]);
  rates.simd = rate(times[2]);
  rates.threads = rate(times[3]);
  return rates;
}

RanksTime measure_ranks(Index edge, int ranks) {
  using namespace paper_measured;
  RanksTime result{.ranks = ranks};
  std::mutex mutex;
  run_as_threads(ranks, [&](const Comm& comm) {
    const std::vector<Index> shape = {edge, edge, edge};
    const LocalBoxes boxes = slabs(shape, 0, comm.size(), comm.rank());
    DistributedPlan plan(c2c(shape), boxes, boxes, comm, {.strategy = Strategy::pencil});
    const Numbers in = random_line(static_cast<std::size_t>(plan.input_count()), 3);
    Numbers out(static_cast<std::size_t>(plan.output_count()));
    const Turns turns = time_in_turns(comm, 7, [&] { plan.execute(in.data(), out.data()); }, {});
    const std::scoped_lock lock(mutex);
    result.seconds = turns.weft_s;
  });
  return result;
}

namespace paper_measured {

/// The mesh of a particle-mesh step on one rank: the same slabs for every field.
class MeshStep {
 public:
  MeshStep(Index edge, const Comm& comm)
      : edge_(edge),
        shape_{edge, edge, edge},
        half_{edge, edge, edge / 2 + 1},
        box_(slabs(shape_, 0, comm.size(), comm.rank())),
        modes_(slabs(half_, 1, comm.size(), comm.rank())),
        forward_(r2c(shape_), box_, modes_, comm),
        backward_(c2r(shape_), modes_, box_, comm),
        operator_(r2c(shape_), at_every_mode(multiply, 1, 4), box_, box_, comm) {
    std::mt19937 generator(static_cast<unsigned>(comm.rank()) + 5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    density_.resize(static_cast<std::size_t>(forward_.input_count()));
    for (double& value : density_) value = uniform(generator);
    spectrum_.resize(static_cast<std::size_t>(forward_.output_count()));
    for (Numbers& field : fields_) field.resize(spectrum_.size());
    for (auto* results : {&separate_, &together_})
      for (auto& field : *results) field.resize(density_.size());
  }

  void run_separately() {
    forward_.execute(density_.data(), spectrum_.data());
    std::size_t at = 0;
    for (const LocalBox& local : modes_)
      for (Index i = local.box.begin[0]; i < local.box.end[0]; ++i)
        for (Index j = local.box.begin[1]; j < local.box.end[1]; ++j)
          for (Index k = local.box.begin[2]; k < local.box.end[2]; ++k, ++at) {
            Wave wave{{signed_number(i), signed_number(j), signed_number(k)}};
            std::array<std::complex<double>, 4> u = {spectrum_[at]};
            const double points = static_cast<double>(edge_) * edge_ * edge_;
            for (const double number : wave.k) wave.square += number * number;
            for (std::size_t d = 0; d < 3; ++d)
              wave.odd[d] = 2 * std::abs(wave.k[d]) == static_cast<double>(edge_) ? 0 : wave.k[d];
            multiply(wave, u.data());
            for (std::size_t f = 0; f < 4; ++f) fields_[f][at] = u[f] / points;
          }
    for (std::size_t f = 0; f < 4; ++f) backward_.execute(fields_[f].data(), separate_[f].data());
  }
  void run_as_operator() {
    const double* in[] = {density_.data()};
    double* out[] = {together_[0].data(), together_[1].data(), together_[2].data(),
                     together_[3].data()};
    operator_.execute(std::span<const double* const>(in), std::span<double* const>(out));
  }
  double difference(const Comm& comm) {
    double largest = 0;
    for (std::size_t f = 0; f < 4; ++f)
      largest = std::max(
          largest, relative_difference(comm, Precision::f64, together_[f].data(),
                                       separate_[f].data(), static_cast<Index>(density_.size())));
    return largest;
  }

 private:
  struct Wave {
    std::array<double, 3> k{}, odd{};
    double square = 0;
  };
  /// The potential and the three components of the field, from the density.
  static constexpr auto multiply = [](const auto& wave, auto u) {
    auto potential = u[0];
    if (wave.square > 0)
      potential /= wave.square;
    else
      potential = 0;
    u[0] = potential;
    for (int d = 0; d < 3; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      u[d + 1] = {wave.odd[axis] * potential.imag(), -wave.odd[axis] * potential.real()};
    }
  };
  double signed_number(Index index) const {
    return static_cast<double>(2 * index <= edge_ ? index : index - edge_);
  }

  Index edge_;
  std::vector<Index> shape_, half_;
  LocalBoxes box_, modes_;
  DistributedPlan forward_, backward_;
  DistributedOperator operator_;
  std::vector<double> density_;
  Numbers spectrum_;
  std::array<Numbers, 4> fields_;
  std::array<std::vector<double>, 4> separate_, together_;
};

}  // namespace paper_measured

MeshStepTime measure_mesh_step(Index edge, int ranks, int rounds) {
  MeshStepTime result{.ranks = ranks};
  std::mutex mutex;
  run_as_threads(ranks, [&](const Comm& comm) {
    paper_measured::MeshStep step(edge, comm);
    const Turns turns = time_in_turns(comm, rounds, [&] { step.run_as_operator(); },
                                      {[&] { step.run_separately(); }});
    const double difference = step.difference(comm);
    const std::scoped_lock lock(mutex);
    result.operator_s = turns.weft_s;
    result.separate_s = turns.peers[0].seconds;
    result.difference = difference;
  });
  return result;
}

}  // namespace weft::tool
