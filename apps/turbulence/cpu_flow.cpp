// SPDX-License-Identifier: BSD-3-Clause
#include "turbulence/cpu_flow.hpp"

#include <cmath>
#include <numbers>

namespace weft::apps {
namespace {

Complex times_i(double k, Complex u) { return {-k * u.imag(), k * u.real()}; }

}  // namespace

CpuFlow::CpuFlow(const Team& team, const FlowOptions& options)
    : team_(team),
      options_(options),
      cutoff_(cutoff_of(options.size)),
      transform_(team, {options.size, options.size, options.size}, SpectrumOrder::transposed,
                 options.effort) {
  for (int axis = 0; axis < 3; ++axis)
    for (Index i = 0; i < transform_.spectrum_shape()[as_size(axis)]; ++i) {
      const auto k = static_cast<double>(wave_number(i, options.size));
      decay_[as_size(axis)].push_back(std::exp(-options.viscosity * k * k * options.time_step / 2));
    }
  for (Spectra* spectra : {&state_, &stage_, &sum_, &rate_})
    for (auto& each : *spectra) each.resize(as_size(transform_.spectrum_count()));
  for (Fields* fields : {&velocity_, &vorticity_})
    for (auto& each : *fields) each.resize(as_size(transform_.field_count()));
  one_.resize(as_size(transform_.spectrum_count()));
  if (options.start == Start::taylor_green) begin_taylor_green();
  if (options.start == Start::single_mode) begin_single_mode();
  if (options.start == Start::random) begin_random();
}

/// Rows of the last axis [begin, end) of this rank's box, mode by mode.
template <class Function>
void CpuFlow::for_modes(Index begin, Index end, const Function& function) const {
  const Box& box = transform_.spectrum_box();
  const Index n = options_.size, rows = box.extent(1), length = box.extent(2);
  for (Index row = begin; row < end; ++row) {
    Mode mode{};
    mode.index = {box.begin[0] + row / rows, box.begin[1] + row % rows, 0};
    for (std::size_t a = 0; a < 2; ++a)
      mode.k[a] = static_cast<double>(wave_number(mode.index[a], n));
    mode.at = row * length;
    for (Index i = 0; i < length; ++i, ++mode.at) {
      mode.index[2] = i;
      mode.k[2] = static_cast<double>(i);
      mode.squared = mode.k[0] * mode.k[0] + mode.k[1] * mode.k[1] + mode.k[2] * mode.k[2];
      mode.weight = i == 0 || 2 * i == n ? 1 : 2;
      function(std::as_const(mode));
    }
  }
}

template <class Function>
double CpuFlow::sum_modes(const Function& function) const {
  const Box& box = transform_.spectrum_box();
  return team_.sum(box.extent(0) * box.extent(1), 16, [&](Index begin, Index end) {
    double sum = 0;
    for_modes(begin, end, [&](const Mode& mode) { sum += mode.weight * function(mode); });
    return sum;
  });
}

bool CpuFlow::is_kept(const Mode& mode) const {
  const auto limit = static_cast<double>(cutoff_);
  return std::abs(mode.k[0]) <= limit && std::abs(mode.k[1]) <= limit && mode.k[2] <= limit &&
         mode.squared > 0;
}

template <class Update>
void CpuFlow::update(const Update& change) {
  const Box& box = transform_.spectrum_box();
  team_.for_range(box.extent(0) * box.extent(1),
                  [&](Index begin, Index end) { for_modes(begin, end, change); });
}

void CpuFlow::begin_taylor_green() {
  const Box& box = transform_.field_box();
  const double h = 2 * std::numbers::pi / static_cast<double>(options_.size);
  Index at = 0;
  for (Index i = box.begin[0]; i < box.end[0]; ++i)
    for (Index j = 0; j < options_.size; ++j)
      for (Index k = 0; k < options_.size; ++k, ++at) {
        const double x = h * static_cast<double>(i), y = h * static_cast<double>(j),
                     w = h * static_cast<double>(k);
        velocity_[0][as_size(at)] = std::sin(x) * std::cos(y) * std::cos(w);
        velocity_[1][as_size(at)] = -std::cos(x) * std::sin(y) * std::cos(w);
        velocity_[2][as_size(at)] = 0;
      }
  for (std::size_t c = 0; c < 3; ++c) transform_.forward(velocity_[c].data(), state_[c].data());
  project(state_);
}

/// u_x = sin(2 y), a shear flow: the products vanish, and it decays as exp(-4 nu t).
void CpuFlow::begin_single_mode() {
  update([&](const Mode& mode) {
    for (std::size_t c = 0; c < 3; ++c) state_[c][as_size(mode.at)] = 0;
    if (mode.k[0] == 0 && mode.k[2] == 0 && std::abs(mode.k[1]) == single_mode_number)
      state_[0][as_size(mode.at)] = {0, mode.k[1] > 0 ? -0.5 : 0.5};
  });
}

/// Random phases with energy at small wave numbers: noise at the points, shaped in the spectrum.
void CpuFlow::begin_random() {
  const Index first = transform_.field_box().begin[0] * options_.size * options_.size;
  for (std::size_t c = 0; c < 3; ++c) {
    team_.for_range(transform_.field_count(), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        velocity_[c][as_size(i)] = normal_pair(hash(static_cast<std::uint64_t>(options_.seed), c,
                                                    static_cast<std::uint64_t>(first + i)))
                                       .first;
    });
    transform_.forward(velocity_[c].data(), state_[c].data());
  }
  project(state_);
  update([&](const Mode& mode) {
    for (std::size_t c = 0; c < 3; ++c)
      state_[c][as_size(mode.at)] *= std::sqrt(mode.squared) * std::exp(-mode.squared / 9);
  });
  const double scale = std::sqrt(0.5 / energy());
  update([&](const Mode& mode) {
    for (std::size_t c = 0; c < 3; ++c) state_[c][as_size(mode.at)] *= scale;
  });
}

/// Divides by the number of points, cuts off what would alias and takes the gradient part away.
void CpuFlow::project(Spectra& spectra) const {
  const Box& box = transform_.spectrum_box();
  const double scale = 1 / transform_.points();
  team_.for_range(box.extent(0) * box.extent(1), [&](Index begin, Index end) {
    for_modes(begin, end, [&](const Mode& mode) {
      const std::size_t at = as_size(mode.at);
      if (!is_kept(mode)) {
        for (auto& each : spectra) each[at] = 0;
        return;
      }
      Complex along = 0;
      for (std::size_t c = 0; c < 3; ++c) along += mode.k[c] * spectra[c][at];
      along *= 1 / mode.squared;
      for (std::size_t c = 0; c < 3; ++c)
        spectra[c][at] = scale * (spectra[c][at] - mode.k[c] * along);
    });
  });
}

void CpuFlow::take_curl(const Spectra& state, int component, aligned_vector<Complex>& out) const {
  const auto b = as_size((component + 1) % 3), c = as_size((component + 2) % 3);
  const Box& box = transform_.spectrum_box();
  team_.for_range(box.extent(0) * box.extent(1), [&](Index begin, Index end) {
    for_modes(begin, end, [&](const Mode& mode) {
      const std::size_t at = as_size(mode.at);
      out[at] = times_i(mode.k[b], state[c][at]) - times_i(mode.k[c], state[b][at]);
    });
  });
}

void CpuFlow::compute_rate(const Spectra& state, bool measure_speed) {
  for (int c = 0; c < 3; ++c) {
    transform_.backward(state[as_size(c)].data(), velocity_[as_size(c)].data());
    take_curl(state, c, one_);
    transform_.backward(one_.data(), vorticity_[as_size(c)].data());
  }
  std::vector<double> speeds(as_size(team_.executor()->concurrency() + 1));
  team_.for_range(transform_.field_count(), [&](Index begin, Index end) {
    double most = 0;
    auto& [u, v, w] = velocity_;
    auto& [p, q, r] = vorticity_;
    for (std::size_t i = as_size(begin); i < as_size(end); ++i) {
      most = std::max(most, std::abs(u[i]) + std::abs(v[i]) + std::abs(w[i]));
      const double x = v[i] * r[i] - w[i] * q[i], y = w[i] * p[i] - u[i] * r[i],
                   t = u[i] * q[i] - v[i] * p[i];
      u[i] = x, v[i] = y, w[i] = t;
    }
    const Index tasks = static_cast<Index>(speeds.size()) - 1;
    speeds[as_size(begin * tasks / std::max<Index>(1, transform_.field_count()))] = most;
  });
  if (measure_speed) largest_speed_ = team_.maximum(*std::ranges::max_element(speeds));
  for (std::size_t c = 0; c < 3; ++c) transform_.forward(velocity_[c].data(), rate_[c].data());
  project(rate_);
  if (options_.power > 0) add_force(state);
}

/// A force along the velocity of the large scales that adds energy at a constant rate.
void CpuFlow::add_force(const Spectra& state) {
  const auto is_forced = [](const Mode& mode) {
    return mode.squared <= force_radius * force_radius;
  };
  const double there = sum_modes([&](const Mode& mode) {
    if (!is_forced(mode)) return 0.0;
    double sum = 0;
    for (const auto& each : state) sum += std::norm(each[as_size(mode.at)]);
    return sum;
  });
  const double factor = there > 0 ? options_.power / there : 0;
  update([&](const Mode& mode) {
    if (is_forced(mode))
      for (std::size_t c = 0; c < 3; ++c)
        rate_[c][as_size(mode.at)] += factor * state[c][as_size(mode.at)];
  });
}

/// Runge-Kutta of order four for v = exp(nu k^2 t) u; e is exp(-nu k^2 dt / 2).
void CpuFlow::step() {
  const double h = options_.time_step;
  const auto each = [&](const auto& change) {
    update([&](const Mode& mode) {
      const double e = decay_[0][as_size(mode.index[0])] * decay_[1][as_size(mode.index[1])] *
                       decay_[2][as_size(mode.index[2])];
      const std::size_t at = as_size(mode.at);
      for (std::size_t c = 0; c < 3; ++c)
        change(e, state_[c][at], stage_[c][at], sum_[c][at], rate_[c][at]);
    });
  };
  compute_rate(state_, true);
  each([h](double e, Complex& u, Complex& stage, Complex& sum, Complex rate) {
    sum = e * e * (u + h / 6 * rate);
    stage = e * (u + h / 2 * rate);
  });
  compute_rate(stage_, false);
  each([h](double e, Complex& u, Complex& stage, Complex& sum, Complex rate) {
    sum += h / 3 * e * rate;
    stage = e * u + h / 2 * rate;
  });
  compute_rate(stage_, false);
  each([h](double e, Complex& u, Complex& stage, Complex& sum, Complex rate) {
    sum += h / 3 * e * rate;
    stage = e * (e * u + h * rate);
  });
  compute_rate(stage_, false);
  each([h](double, Complex& u, Complex&, Complex& sum, Complex rate) { u = sum + h / 6 * rate; });
}

double CpuFlow::energy() const {
  return 0.5 * sum_modes([&](const Mode& mode) {
           double sum = 0;
           for (const auto& each : state_) sum += std::norm(each[as_size(mode.at)]);
           return sum;
         });
}

double CpuFlow::dissipation() const {
  return options_.viscosity * sum_modes([&](const Mode& mode) {
           double sum = 0;
           for (const auto& each : state_) sum += std::norm(each[as_size(mode.at)]);
           return mode.squared * sum;
         });
}

double CpuFlow::largest_divergence() const {
  double most = 0;
  const Box& box = transform_.spectrum_box();
  for_modes(0, box.extent(0) * box.extent(1), [&](const Mode& mode) {
    Complex sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += mode.k[c] * state_[c][as_size(mode.at)];
    most = std::max(most, std::abs(sum));
  });
  return team_.maximum(most);
}

std::vector<double> CpuFlow::spectrum() const {
  std::vector<double> shells(as_size(cutoff_ * 2 + 1));
  const Box& box = transform_.spectrum_box();
  for_modes(0, box.extent(0) * box.extent(1), [&](const Mode& mode) {
    const auto shell = static_cast<std::size_t>(std::lround(std::sqrt(mode.squared)));
    if (shell >= shells.size()) return;
    for (const auto& each : state_)
      shells[shell] += 0.5 * mode.weight * std::norm(each[as_size(mode.at)]);
  });
  team_.sum(shells);
  shells.resize(as_size(cutoff_ + 1));
  return shells;
}

Picture CpuFlow::vorticity_plane() {
  for (int c = 0; c < 3; ++c) {
    take_curl(state_, c, one_);
    transform_.backward(one_.data(), vorticity_[as_size(c)].data());
  }
  const Box& box = transform_.field_box();
  const Index n = options_.size;
  PlaneOfRanks plane{n, n, box.begin[0], box.end[0], {}};
  for (Index row = 0; row < box.extent(0) * n; ++row) {
    double sum = 0;
    for (const auto& each : vorticity_)
      sum += each[as_size(row * n + n / 2)] * each[as_size(row * n + n / 2)];
    plane.values.push_back(std::sqrt(sum));
  }
  return gathered(team_, plane);
}

double CpuFlow::single_mode_error(double time) const {
  const double k = single_mode_number;
  const double left = 0.5 * std::exp(-options_.viscosity * k * k * time);
  double most = 0;
  const Box& box = transform_.spectrum_box();
  for_modes(0, box.extent(0) * box.extent(1), [&](const Mode& mode) {
    Complex exact = 0;
    if (mode.k[0] == 0 && mode.k[2] == 0 && std::abs(mode.k[1]) == k)
      exact = {0, mode.k[1] > 0 ? -left : left};
    most = std::max(most, std::abs(state_[0][as_size(mode.at)] - exact));
    for (std::size_t c = 1; c < 3; ++c)
      most = std::max(most, std::abs(state_[c][as_size(mode.at)]));
  });
  return team_.maximum(most);
}

std::vector<SavedField> CpuFlow::saved() {
  std::vector<SavedField> fields;
  for (auto& each : state_)
    fields.push_back(
        {transform_.spectrum_shape(), transform_.spectrum_box(), sizeof(Complex), each.data()});
  return fields;
}

}  // namespace weft::apps
