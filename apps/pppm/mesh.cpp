// SPDX-License-Identifier: BSD-3-Clause
#include "pppm/mesh.hpp"

#include <fmt/format.h>

#include <cmath>

#include "common/program.hpp"
#include "pppm/gpu_mesh.hpp"
#include "pppm/influence.hpp"

namespace weft::apps {
namespace {

/// Where a charge reaches on one axis: weights of the points first, first + 1, ..., and their
/// derivatives with respect to the position in mesh spacings.
struct Reach {
  Index first;
  std::array<double, largest_order> weight{}, slope{};
};

/// M_p(w + j) for j = 0 .. p-1, by the recursion of B-splines.
Reach reach_of(double fraction, Index points, int order) {
  const double place = fraction * static_cast<double>(points) + 0.5 * order;
  const double whole = std::floor(place), w = place - whole;
  std::array<double, largest_order + 1> m{}, lower{};
  m[0] = 1;  // order 1: M_1(w) = 1 on [0, 1)
  for (int p = 2; p <= order; ++p) {
    lower = m;
    for (int j = 0; j < p; ++j) {
      const double x = w + j;
      const double right = j > 0 ? lower[as_size(j - 1)] : 0;
      m[as_size(j)] = (x * (j < p - 1 ? lower[as_size(j)] : 0) + (p - x) * right) / (p - 1);
    }
  }
  Reach reach{static_cast<Index>(whole) - (order - 1), {}, {}};
  for (int j = 0; j < order; ++j) {
    const auto at = as_size(order - 1 - j);  // the point whole - j
    reach.weight[at] = m[as_size(j)];
    reach.slope[at] = (j < order - 1 ? lower[as_size(j)] : 0) - (j > 0 ? lower[as_size(j - 1)] : 0);
  }
  return reach;
}

/// visit(offset in this rank's part, weights per axis a, b, c) for the points that a charge reaches
/// in the planes [begin, end) of the box.
template <class Visit>
void each_point(const Vector3& fraction, const MeshOptions& options, const Box& box, Index begin,
                Index end, const Visit& visit) {
  std::array<Reach, 3> reach{};
  for (std::size_t d = 0; d < 3; ++d)
    reach[d] = reach_of(fraction[d], options.points[d], options.order);
  const auto wrapped = [&](std::size_t d, int i) {
    const Index n = options.points[d];
    return ((reach[d].first + i) % n + n) % n;
  };
  for (int a = 0; a < options.order; ++a) {
    const Index plane = wrapped(0, a);
    if (plane < begin || plane >= end) continue;
    for (int b = 0; b < options.order; ++b) {
      const Index row =
          ((plane - box.begin[0]) * options.points[1] + wrapped(1, b)) * options.points[2];
      for (int c = 0; c < options.order; ++c)
        visit(as_size(row + wrapped(2, c)), reach, as_size(a), as_size(b), as_size(c));
    }
  }
}

void check(const MeshOptions& options) {
  if (options.order < 2 || options.order > largest_order)
    refuse(fmt::format("--order {}: choose 2 to {}", options.order, largest_order));
  for (const Index n : options.points)
    if (n < options.order)
      refuse(
          fmt::format("a mesh of {} points along an axis is too small for --order {}; it needs "
                      "at least {}",
                      n, options.order, options.order));
}

/// All modes of the halved spectrum, in the operator's order.
template <class Visit>
void each_mode(const Team& team, const MeshOptions& options, const Visit& visit) {
  const auto [n0, n1, n2] = options.points;
  const Index half = n2 / 2 + 1;
  team.for_range(n0 * n1, [&, n0 = n0, n1 = n1](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      for (Index k = 0; k < half; ++k)
        visit(as_size(row * half + k), row / n1, row % n1, k,
              std::array<Index, 3>{wave_number(row / n1, n0), wave_number(row % n1, n1), k});
  });
}

}  // namespace

double expected_mesh_error(const Team& team, const Charges& charges, const MeshOptions& options) {
  const InfluenceFunction influence(charges.cell, options);
  const auto [n0, n1, n2] = options.points;
  std::vector<double> rows(as_size(n0 * n1));
  each_mode(
      team, options, [&, n1 = n1, n2 = n2](std::size_t, Index i, Index j, Index k, auto mode) {
        rows[as_size(i * n1 + j)] += (k == 0 || 2 * k == n2 ? 1 : 2) * influence.at(mode).error;
      });
  double sum = 0;
  for (const double row : rows) sum += row;
  const double volume = charges.cell.volume();
  return charges.sum_of_squares() *
         std::sqrt(std::max(0.0, sum) / static_cast<double>(charges.count())) / volume;
}

Mesh::Mesh(const Team& team, const Cell& cell, const MeshOptions& options)
    : team_(team), cell_(cell), options_(options) {
  check(options);
  const std::vector<Index> shape(options.points.begin(), options.points.end());
  const LocalBoxes boxes = slabs(shape, 0, team.size(), team.rank());
  box_ = boxes.empty() ? Box({0, 0, 0}, {0, 0, 0}) : boxes[0].box;
  const InfluenceFunction influence(cell, options);
  const auto half = as_size(options.points[2] / 2 + 1);
  for_energy_.resize(as_size(options.points[0] * options.points[1]) * half);
  for_force_.resize(for_energy_.size());
  each_mode(team, options, [&](std::size_t at, Index, Index, Index, auto mode) {
    const Influence there = influence.at(mode);
    for_energy_[at] = there.for_energy;
    for_force_[at] = there.for_force;
  });
  const int outputs = options.differentiation == Differentiation::ik ? 4 : 2;
  if (options.where == Where::cuda)
    on_gpu_ = std::make_unique<GpuMeshOperator>(options, influence, for_energy_, for_force_);
  else
    operator_.emplace(team, r2c(shape), influence_function(influence), boxes,
                      std::vector<double>{});
  density_.resize(as_size(box_.count()));
  results_.resize(as_size(outputs), aligned_vector<double>(density_.size()));
}
Mesh::~Mesh() = default;

std::string Mesh::explain() const { return on_gpu_ ? on_gpu_->explain() : operator_->explain(); }

Passes Mesh::passes() const { return on_gpu_ ? on_gpu_->passes() : operator_->passes(); }

double Mesh::bytes() const {
  const auto [n0, n1, n2] = options_.points;
  return static_cast<double>(n0 * n1 * n2 *
                             static_cast<Index>(sizeof(double) * (1 + results_.size())));
}

ModeFunction Mesh::influence_function(const InfluenceFunction& influence) {
  const bool by_ik = options_.differentiation == Differentiation::ik;
  const auto multiply = [this, influence, by_ik](const ModeTile<double>& tile) {
    tile.for_each_index([&](std::span<const Index> index, auto u) {
      const auto [n0, n1, n2] = options_.points;
      const auto at = as_size((index[0] * n1 + index[1]) * (n2 / 2 + 1) + index[2]);
      const Complex density = u[0];
      u[0] = for_energy_[at] * density;
      if (!by_ik) {
        u[1] = for_force_[at] * density;
        return;
      }
      // The sign of mode n/2 is unknown: it has no derivative.
      std::array<Index, 3> mode{wave_number(index[0], n0), wave_number(index[1], n1), index[2]};
      for (std::size_t d = 0; d < 3; ++d)
        if (2 * mode[d] == options_.points[d]) mode[d] = 0;
      const Vector3 k = influence.wave_vector(mode);
      const Complex potential = for_force_[at] * density;
      for (int d = 0; d < 3; ++d)
        u[1 + d] = {k[as_size(d)] * potential.imag(), -k[as_size(d)] * potential.real()};
    });
  };
  return ModeFunction(multiply, 1, by_ik ? 4 : 2);
}

/// Threads share the planes, so that no two write to one point.
void Mesh::assign(const Charges& charges) {
  const double points =
      static_cast<double>(options_.points[0] * options_.points[1] * options_.points[2]);
  const double scale = points / cell_.volume();
  team_.for_range(box_.extent(0), [&](Index begin, Index end) {
    std::fill(density_.begin() + begin * options_.points[1] * options_.points[2],
              density_.begin() + end * options_.points[1] * options_.points[2], 0.0);
    for (std::size_t i = 0; i < charges.values.size(); ++i)
      each_point(
          charges.fractions[i], options_, box_, box_.begin[0] + begin, box_.begin[0] + end,
          [&](std::size_t at, const auto& reach, std::size_t a, std::size_t b, std::size_t c) {
            density_[at] += scale * charges.values[i] * reach[0].weight[a] * reach[1].weight[b] *
                            reach[2].weight[c];
          });
  });
}

Forces Mesh::forces(const Charges& charges) {
  assign(charges);
  if (on_gpu_) {
    on_gpu_->execute(density_, {results_.begin(), results_.end()});
  } else {
    std::vector<double*> out;
    for (auto& each : results_) out.push_back(each.data());
    const double* in[] = {density_.data()};
    operator_->execute(in, out);
  }

  const bool by_ik = options_.differentiation == Differentiation::ik;
  const std::array<Vector3, 3> reciprocal = cell_.reciprocal();
  std::vector<double> sums(4 * charges.values.size());  // potential and field at each charge
  team_.for_range(charges.count(), [&](Index begin, Index end) {
    for (auto i = as_size(begin); i < as_size(end); ++i) {
      double* const sum = sums.data() + 4 * i;
      Vector3 slope{};  // of the potential, along the axes of the mesh
      each_point(
          charges.fractions[i], options_, box_, box_.begin[0], box_.end[0],
          [&](std::size_t at, const auto& reach, std::size_t a, std::size_t b, std::size_t c) {
            const auto& [x, y, w] = reach;
            const double weight = x.weight[a] * y.weight[b] * w.weight[c];
            sum[0] += weight * results_[0][at];
            if (by_ik) {
              for (std::size_t d = 0; d < 3; ++d) sum[1 + d] += weight * results_[1 + d][at];
              return;
            }
            slope[0] += x.slope[a] * y.weight[b] * w.weight[c] * results_[1][at];
            slope[1] += x.weight[a] * y.slope[b] * w.weight[c] * results_[1][at];
            slope[2] += x.weight[a] * y.weight[b] * w.slope[c] * results_[1][at];
          });
      if (by_ik) continue;
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t d = 0; d < 3; ++d)
          sum[1 + d] -=
              slope[axis] * static_cast<double>(options_.points[axis]) * reciprocal[axis][d];
    }
  });
  team_.sum(sums);
  Forces forces{0, std::vector<Vector3>(charges.values.size())};
  for (std::size_t i = 0; i < charges.values.size(); ++i) {
    forces.energy += charges.values[i] * sums[4 * i] / 2;
    for (std::size_t d = 0; d < 3; ++d) forces.on[i][d] = charges.values[i] * sums[4 * i + 1 + d];
  }
  return forces;
}

Picture Mesh::potential_plane() const {
  const auto [n0, n1, n2] = options_.points;
  PlaneOfRanks plane{n0, n1, box_.begin[0], box_.end[0], {}};
  for (Index row = 0; row < box_.extent(0) * n1; ++row)
    plane.values.push_back(results_[0][as_size(row * n2)]);
  return gathered(team_, plane);
}

}  // namespace weft::apps
