// SPDX-License-Identifier: BSD-3-Clause
#include "paper_on_ranks.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>
#include <random>

#include "../bench/ranks.hpp"
#include "fabric/network/explicit_global_fft.hpp"
#include "weft/distributed.hpp"
#include "weft/spectral_distributed.hpp"

namespace weft::tool {
namespace paper_on_ranks {

using Numbers = std::vector<std::complex<double>>;

Numbers random_numbers(Index count, int seed) {
  std::mt19937 generator(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers numbers(static_cast<std::size_t>(count));
  for (auto& number : numbers) number = {uniform(generator), uniform(generator)};
  return numbers;
}

}  // namespace paper_on_ranks

ReorderingTime measure_reordering(const Comm& comm, Index points, int rounds) {
  using namespace paper_on_ranks;
  require_memory(comm, 8 * points / comm.size() * point_bytes, fmt::format("{} points", points),
                 "choose a shorter length, or more nodes");
  fabric::ExplicitGlobalFft passes(comm, points);
  const LocalBoxes boxes = slabs(std::vector<Index>{points}, 0, comm.size(), comm.rank());
  DistributedPlan merged(c2c({points}), boxes, boxes, comm,
                         {.exchange = ExchangeAlgorithm::all_to_all_v, .strategy = Strategy::line});
  const Numbers in = random_numbers(points / comm.size(), comm.rank());
  Numbers out(in.size()), other(in.size());
  const Turns turns = time_in_turns(comm, rounds, [&] { merged.execute(in.data(), out.data()); },
                                    {[&] { passes.execute(in, other); }});
  return {.points = points,
          .ranks = comm.size(),
          .merged_s = turns.weft_s,
          .explicit_s = turns.peers[0].seconds,
          .ratio = turns.peers[0].ratio,
          .difference = relative_difference(comm, Precision::f64, other.data(), out.data(),
                                            2 * std::ssize(out))};
}

RanksTime measure_ranks(const Comm& comm, Index edge) {
  using namespace paper_on_ranks;
  const std::vector<Index> shape = {edge, edge, edge};
  const LocalBoxes boxes = slabs(shape, 0, comm.size(), comm.rank());
  DistributedPlan plan(c2c(shape), boxes, boxes, comm, {.strategy = Strategy::pencil});
  const Numbers in = random_numbers(plan.input_count(), 3);
  Numbers out(static_cast<std::size_t>(plan.output_count()));
  const Turns turns = time_in_turns(comm, 7, [&] { plan.execute(in.data(), out.data()); }, {});
  return {.ranks = comm.size(), .seconds = turns.weft_s};
}

namespace paper_on_ranks {

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

}  // namespace paper_on_ranks

MeshStepTime measure_mesh_step(const Comm& comm, Index edge, int rounds) {
  paper_on_ranks::MeshStep step(edge, comm);
  const Turns turns = time_in_turns(comm, rounds, [&] { step.run_as_operator(); },
                                    {[&] { step.run_separately(); }});
  return {.ranks = comm.size(),
          .separate_s = turns.peers[0].seconds,
          .operator_s = turns.weft_s,
          .difference = step.difference(comm)};
}

namespace paper_on_ranks {

/// The lengths of about 2^18, 2^20 and 2^22 points that this many ranks divide twice.
std::vector<Index> lengths_for(int ranks) {
  std::vector<Index> lengths;
  Index points = Index{ranks} * ranks;
  while (points < Index{1} << 18) points *= 4;
  for (int k = 0; k < 3; ++k) lengths.push_back(points << (2 * k));
  return lengths;
}

/// What one communicator can measure for one paper.
void measure(const Comm& comm, const std::string& paper, const std::vector<Index>& lengths,
             MeasuredOnRanks& result) {
  if (paper == "spiral")
    for (const Index points : lengths.empty() ? lengths_for(comm.size()) : lengths)
      result.reorderings.push_back(measure_reordering(comm, points, 9));
  if (paper != "heffte") return;
  result.transforms.push_back(measure_ranks(comm, 96));
  result.mesh_steps.push_back(measure_mesh_step(comm, 128, 5));
}

}  // namespace paper_on_ranks

MeasuredOnRanks measure_on_ranks(const std::string& paper, const Comm* mpi,
                                 const std::vector<Index>& lengths) {
  MeasuredOnRanks result;
  if (mpi != nullptr) {
    result.transport = mpi->transport();
    paper_on_ranks::measure(*mpi, paper, lengths, result);
    return result;
  }
  for (const int ranks : {1, 2, 4, 8}) {
    if (paper == "spiral" && (ranks == 1 || ranks == 8)) continue;
    run_as_threads(ranks, [&](const Comm& comm) {
      MeasuredOnRanks own;  // every rank has the same results, one rank's are kept
      paper_on_ranks::measure(comm, paper, lengths, comm.rank() == 0 ? result : own);
    });
  }
  return result;
}

}  // namespace weft::tool
