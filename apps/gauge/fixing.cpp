// SPDX-License-Identifier: BSD-3-Clause
#include "gauge/fixing.hpp"

#include <numbers>

namespace weft::apps {
namespace {

/// All eight coordinates times p_max^2 / p^2; p^2 is the eigenvalue of the lattice Laplacian. The
/// constant mode, a global rotation, is left out.
ModeFunction acceleration() {
  const std::string squared = "(4*sin(kx/2)^2 + 4*sin(ky/2)^2 + 4*sin(kz/2)^2 + 4*sin(kw/2)^2)";
  ModeForm form;
  for (int f = 0; f < 8; ++f)
    form.text += (f > 0 ? "; " : "") + ("where(" + squared + " < 1e-12, 0, 16/" + squared + ")*u") +
                 std::to_string(f);
  return at_every_mode(
             [](const auto& wave, auto u) {
               double squared = 0;
               for (std::size_t d = 0; d < 4; ++d) {
                 const double s = std::sin(wave.k[d] / 2);  // k is 2 pi m / n: lattice units
                 squared += 4 * s * s;
               }
               const double factor = squared < 1e-12 ? 0 : 16 / squared;
               for (int f = 0; f < 8; ++f) u[f] *= factor;
             },
             8, 8)
      .on_gpus(std::move(form));
}

}  // namespace

GaugeFixing::GaugeFixing(const Team& team, Links& links, const FixingOptions& options)
    : team_(team),
      links_(links),
      options_(options),
      rotation_(as_size(links.sites().stored())),
      halo_(team, links.sites(), sizeof(Matrix3)) {
  for (auto& each : delta_) each.resize(as_size(links.sites().count()));
  if (options.acceleration == Acceleration::none) return;
  const Place& lattice = links.sites().lattice();
  const std::vector<double> lengths(lattice.begin(), lattice.end());
  accelerate_.emplace(team, r2c({lattice.begin(), lattice.end()}), acceleration(),
                      links.sites().boxes(), lengths, options.where);
}

/// Returns theta.
double GaugeFixing::compute_delta() {
  const Sites& sites = links_.sites();
  const double sum = team_.sum(sites.rows(), 8, [&](Index begin, Index end) {
    double norms = 0;
    sites.each(begin, end, [&](Index i, Index site, const Place&) {
      Matrix3 difference;
      for (int d = 0; d < 4; ++d) {
        difference += links_.at(site - sites.stride(d), d);
        difference -= links_.at(site, d);
      }
      const Matrix3 delta = algebra_part(difference);
      for (const Number& each : delta.m) norms += std::norm(each);
      const auto numbers = coordinates(delta);
      for (std::size_t c = 0; c < 8; ++c) delta_[c][as_size(i)] = numbers[c];
    });
    return norms;
  });
  return sum / (3 * sites.volume());
}

/// U_mu(x) becomes G(x) U_mu(x) G^+(x + mu).
void GaugeFixing::transform() {
  const Sites& sites = links_.sites();
  team_.for_range(sites.rows(), [&](Index begin, Index end) {
    sites.each(begin, end, [&](Index i, Index site, const Place&) {
      std::array<double, 8> numbers{};
      for (std::size_t c = 0; c < 8; ++c) numbers[c] = options_.step / 2 * delta_[c][as_size(i)];
      rotation_[as_size(site)] = exponential(from_coordinates(numbers));
    });
  });
  halo_.exchange(rotation_.data());
  team_.for_range(sites.rows(), [&](Index begin, Index end) {
    sites.each(begin, end, [&](Index, Index site, const Place&) {
      for (int d = 0; d < 4; ++d)
        links_.at(site, d) = reunitarized(rotation_[as_size(site)] * links_.at(site, d) *
                                          adjoint(rotation_[as_size(site + sites.stride(d))]));
    });
  });
  links_.refresh();
}

double GaugeFixing::functional() const {
  const Sites& sites = links_.sites();
  return team_.sum(sites.rows(), 8, [&](Index begin, Index end) {
    double sum = 0;
    sites.each(begin, end, [&](Index, Index site, const Place&) {
      for (int d = 0; d < 4; ++d) sum += real_trace(links_.at(site, d)) / 12;
    });
    return sum;
  }) / sites.volume();
}

GaugeFixing::Result GaugeFixing::run(const std::function<bool(Index, double)>& progress) {
  Result result;
  result.functional_before = functional();
  for (Index iteration = 0;; ++iteration) {
    const double theta = compute_delta();
    result.theta.push_back(theta);
    result.reached = theta < options_.goal;
    if (result.reached || iteration == options_.most) break;
    if (!progress(iteration, theta)) {
      result.interrupted = true;
      break;
    }
    if (accelerate_) {
      std::array<const double*, 8> in{};
      std::array<double*, 8> out{};
      for (std::size_t c = 0; c < 8; ++c) in[c] = out[c] = delta_[c].data();
      accelerate_->execute(in, out);
    }
    transform();
  }
  result.functional = functional();
  return result;
}

}  // namespace weft::apps
