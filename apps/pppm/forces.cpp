// SPDX-License-Identifier: BSD-3-Clause
#include "pppm/forces.hpp"

#include <cmath>
#include <complex>
#include <numbers>

namespace weft::apps {
namespace {

using std::numbers::pi;

/// The charges by cells of at least the size of the cutoff, or the whole box.
class CellList {
 public:
  CellList(const Charges& charges, double cutoff) {
    for (int d = 0; d < 3; ++d) {
      const double height = charges.cell.height(d);
      const Index most = 2 + static_cast<Index>(std::cbrt(static_cast<double>(charges.count())));
      counts_[as_size(d)] = std::clamp<Index>(static_cast<Index>(height / cutoff), 1, most);
      const double width = height / static_cast<double>(counts_[as_size(d)]);
      reach_[as_size(d)] = static_cast<Index>(std::ceil(cutoff / width));
    }
    members_.resize(as_size(counts_[0] * counts_[1] * counts_[2]));
    for (Index i = 0; i < charges.count(); ++i)
      members_[as_size(cell_at(place(charges.fractions[as_size(i)])))].push_back(i);
  }

  /// visit(charge, image): all charges in cells that the cutoff may reach, each image of them.
  template <class Visit>
  void each_near(const Vector3& fraction, const Visit& visit) const {
    const std::array<Index, 3> home = place(fraction);
    std::array<Index, 3> step{};
    for (step[0] = -reach_[0]; step[0] <= reach_[0]; ++step[0])
      for (step[1] = -reach_[1]; step[1] <= reach_[1]; ++step[1])
        for (step[2] = -reach_[2]; step[2] <= reach_[2]; ++step[2]) {
          std::array<Index, 3> cell{};
          Vector3 image{};
          for (std::size_t d = 0; d < 3; ++d) {
            const Index there = home[d] + step[d];
            const Index turns =
                there >= 0 ? there / counts_[d] : -((counts_[d] - 1 - there) / counts_[d]);
            cell[d] = there - turns * counts_[d];
            image[d] = static_cast<double>(turns);
          }
          for (const Index j : members_[as_size(cell_at(cell))]) visit(j, image);
        }
  }

 private:
  std::array<Index, 3> place(const Vector3& fraction) const {
    std::array<Index, 3> cell{};
    for (std::size_t d = 0; d < 3; ++d)
      cell[d] = std::min(counts_[d] - 1,
                         static_cast<Index>(fraction[d] * static_cast<double>(counts_[d])));
    return cell;
  }
  Index cell_at(const std::array<Index, 3>& cell) const {
    return (cell[0] * counts_[1] + cell[1]) * counts_[2] + cell[2];
  }

  std::array<Index, 3> counts_{}, reach_{};
  std::vector<std::vector<Index>> members_;
};

/// Sums forces and the energy over the ranks.
void combine(const Team& team, Forces& forces) {
  std::vector<double> numbers{forces.energy};
  for (const Vector3& each : forces.on) numbers.insert(numbers.end(), each.begin(), each.end());
  team.sum(numbers);
  forces.energy = numbers[0];
  for (std::size_t i = 0; i < forces.on.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) forces.on[i][d] = numbers[1 + 3 * i + d];
}

}  // namespace

Forces& Forces::operator+=(const Forces& other) {
  energy += other.energy;
  for (std::size_t i = 0; i < on.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) on[i][d] += other.on[i][d];
  return *this;
}

double rms_difference(const Forces& a, const Forces& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.on.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) sum += std::pow(a.on[i][d] - b.on[i][d], 2);
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, a.on.size())));
}

Forces near_forces(const Team& team, const Charges& charges, double alpha, double cutoff) {
  const CellList cells(charges, cutoff);
  const auto [first, last] = split_evenly(charges.count(), team.size(), team.rank());
  Forces forces{0, std::vector<Vector3>(charges.values.size())};
  std::vector<double> energies(charges.values.size());
  team.for_range(last - first, [&, first = first](Index begin, Index end) {
    for (Index i = first + begin; i < first + end; ++i) {
      const Vector3& here = charges.fractions[as_size(i)];
      Vector3 sum{};
      double potential = 0;
      cells.each_near(here, [&](Index j, const Vector3& image) {
        Vector3 fraction{};
        for (std::size_t d = 0; d < 3; ++d)
          fraction[d] = here[d] - charges.fractions[as_size(j)][d] - image[d];
        const Vector3 r = charges.cell.cartesian(fraction);
        const double squared = dot(r, r);
        if (squared >= cutoff * cutoff || squared == 0) return;
        const double distance = std::sqrt(squared), q = charges.values[as_size(j)];
        const double screened = std::erfc(alpha * distance) / distance;
        const double gauss = 2 * alpha / std::sqrt(pi) * std::exp(-alpha * alpha * squared);
        potential += q * screened;
        for (std::size_t d = 0; d < 3; ++d) sum[d] += q * (screened + gauss) / squared * r[d];
      });
      energies[as_size(i)] = charges.values[as_size(i)] * potential / 2;
      for (std::size_t d = 0; d < 3; ++d)
        forces.on[as_size(i)][d] = charges.values[as_size(i)] * sum[d];
    }
  });
  for (const double each : energies) forces.energy += each;
  combine(team, forces);
  return forces;
}

namespace {

/// exp(2 pi i m s) for all charges and m = -most .. most, along one axis.
std::vector<std::complex<double>> phases(const Charges& charges, std::size_t axis, Index most) {
  const Index width = 2 * most + 1;
  std::vector<std::complex<double>> all(as_size(charges.count() * width));
  for (Index i = 0; i < charges.count(); ++i)
    for (Index m = -most; m <= most; ++m)
      all[as_size(i * width + m + most)] =
          std::polar(1.0, 2 * pi * static_cast<double>(m) * charges.fractions[as_size(i)][axis]);
  return all;
}

struct WaveSum {
  const Charges& charges;
  double alpha;
  std::array<Vector3, 3> reciprocal;
  std::array<Index, 3> most;
  std::array<std::vector<std::complex<double>>, 3> phase;

  /// Adds the wave vectors m and -m to the forces.
  void add(const std::array<Index, 3>& m, Forces& forces,
           std::vector<std::complex<double>>& wave) const {
    Vector3 k{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        k[d] += 2 * pi * static_cast<double>(m[i]) * reciprocal[i][d];
    const double squared = dot(k, k), damping = std::exp(-squared / (4 * alpha * alpha));
    if (damping < 1e-19) return;
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < wave.size(); ++i) {
      wave[i] = charges.values[i];
      for (std::size_t d = 0; d < 3; ++d)
        wave[i] *= phase[d][i * as_size(2 * most[d] + 1) + as_size(m[d] + most[d])];
      sum += wave[i];
    }
    const double factor = 2 * 4 * pi / charges.cell.volume() * damping / squared;
    forces.energy += factor / 2 * std::norm(sum);
    for (std::size_t i = 0; i < wave.size(); ++i) {
      const double along = factor * (std::conj(sum) * wave[i]).imag();
      for (std::size_t d = 0; d < 3; ++d) forces.on[i][d] += along * k[d];
    }
  }
};

}  // namespace

Forces direct_far_forces(const Team& team, const Charges& charges, double alpha) {
  const double largest = 2 * alpha * std::sqrt(-std::log(1e-18));
  WaveSum waves{charges, alpha, charges.cell.reciprocal(), {}, {}};
  for (std::size_t d = 0; d < 3; ++d) {
    const Vector3& edge = charges.cell.edges[d];
    waves.most[d] = static_cast<Index>(largest * std::sqrt(dot(edge, edge)) / (2 * pi)) + 1;
    waves.phase[d] = phases(charges, d, waves.most[d]);
  }
  Forces forces{0, std::vector<Vector3>(charges.values.size())};
  std::vector<std::complex<double>> wave(charges.values.size());
  std::array<Index, 3> m{};
  for (m[0] = 0; m[0] <= waves.most[0]; ++m[0]) {
    if (m[0] % team.size() != team.rank()) continue;
    for (m[1] = m[0] == 0 ? 0 : -waves.most[1]; m[1] <= waves.most[1]; ++m[1])
      for (m[2] = m[0] == 0 && m[1] == 0 ? 1 : -waves.most[2]; m[2] <= waves.most[2]; ++m[2])
        waves.add(m, forces, wave);
  }
  combine(team, forces);
  return forces;
}

double self_energy(const Charges& charges, double alpha) {
  const double total = charges.total();
  return -alpha / std::sqrt(pi) * charges.sum_of_squares() -
         pi * total * total / (2 * charges.cell.volume() * alpha * alpha);
}

}  // namespace weft::apps
