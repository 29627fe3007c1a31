// SPDX-License-Identifier: BSD-3-Clause
#include "gauge/links.hpp"

#include <numbers>

namespace weft::apps {
namespace {

/// Random numbers of one link in one sweep, one after another.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t sweep, std::uint64_t link)
      : key_(hash(seed, sweep, link)) {}
  double next() { return uniform(hash(key_, ++count_)); }

 private:
  std::uint64_t key_, count_ = 0;
};

/// a0 + i (a1 s1 + a2 s2 + a3 s3) with Pauli's matrices s.
using Quaternion = std::array<double, 4>;

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
          a[0] * b[2] + a[2] * b[0] - a[3] * b[1] + a[1] * b[3],
          a[0] * b[3] + a[3] * b[0] - a[1] * b[2] + a[2] * b[1]};
}

/// With density exp(alpha h0): Kennedy and Pendleton's method.
Quaternion heat_bath(double alpha, Draws& draws) {
  double h0 = 0;
  for (;;) {
    const double c = std::cos(2 * std::numbers::pi * draws.next());
    const double delta = -(std::log(draws.next()) + c * c * std::log(draws.next())) / alpha;
    const double r = draws.next();
    if (r * r <= 1 - delta / 2) {
      h0 = 1 - delta;
      break;
    }
  }
  const double length = std::sqrt(std::max(0.0, 1 - h0 * h0));
  const double up = 2 * draws.next() - 1, angle = 2 * std::numbers::pi * draws.next();
  const double flat = length * std::sqrt(std::max(0.0, 1 - up * up));
  return {h0, flat * std::cos(angle), flat * std::sin(angle), length * up};
}

/// Rows i and j of U, multiplied from the left by an element of SU(2).
void rotate(Matrix3& u, const Quaternion& g, std::size_t i, std::size_t j) {
  const Number a{g[0], g[3]}, b{g[2], g[1]};
  for (std::size_t k = 0; k < 3; ++k) {
    const Number x = u(i, k), y = u(j, k);
    u(i, k) = times(a, x) + times(b, y);
    u(j, k) = times(std::conj(a), y) - times(std::conj(b), x);
  }
}

/// A new link with the weight exp(beta / 3 Re Tr(U A)), by the three subgroups SU(2).
Matrix3 updated(Matrix3 u, const Matrix3& around, double beta, Draws& draws) {
  constexpr std::array<std::array<std::size_t, 2>, 3> subgroups = {{{0, 1}, {0, 2}, {1, 2}}};
  for (const auto& [i, j] : subgroups) {
    const Matrix3 w = u * around;
    Quaternion q{(w(i, i).real() + w(j, j).real()) / 2, (w(i, j).imag() + w(j, i).imag()) / 2,
                 (w(i, j).real() - w(j, i).real()) / 2, (w(i, i).imag() - w(j, j).imag()) / 2};
    double length = 0;
    for (const double each : q) length += each * each;
    length = std::sqrt(length);
    if (length == 0) continue;
    const Quaternion inverse{q[0] / length, -q[1] / length, -q[2] / length, -q[3] / length};
    rotate(u, product(heat_bath(2 * beta * length / 3, draws), inverse), i, j);
  }
  return reunitarized(u);
}

}  // namespace

Links::Links(const Team& team, const Sites& sites, Start start, int seed)
    : team_(team),
      sites_(sites),
      seed_(seed),
      links_(as_size(4 * sites.stored()), Matrix3::one()),
      halo_(team, sites, 4 * sizeof(Matrix3)) {
  if (start == Start::cold) return;
  sites.each(0, sites.rows(), [&](Index, Index site, const Place& place) {
    for (int d = 0; d < 4; ++d) {
      Draws draws(~static_cast<std::uint64_t>(seed), as_size(d), sites.number(place));
      Matrix3 random;
      for (Number& each : random.m) each = {draws.next() - 0.5, draws.next() - 0.5};
      at(site, d) = reunitarized(random);
    }
  });
  refresh();
}

/// The sum A of the products that close the plaquettes of a link: Re Tr(U A) is that of all six.
Matrix3 Links::staples(Index site, int direction) const {
  Matrix3 sum;
  const Index mu = sites_.stride(direction);
  for (int other = 0; other < 4; ++other) {
    if (other == direction) continue;
    const Index nu = sites_.stride(other);
    sum += at(site + mu, other) * adjoint(at(site, other) * at(site + nu, direction));
    sum += adjoint(at(site - nu, direction) * at(site + mu - nu, other)) * at(site - nu, other);
  }
  return sum;
}

void Links::sweep(double beta, Index number) {
  // Links of one direction on sites of one colour do not meet in a plaquette.
  for (int direction = 0; direction < 4; ++direction)
    for (const bool even : {true, false}) {
      team_.for_range(sites_.rows(), [&](Index begin, Index end) {
        sites_.each(begin, end, [&](Index, Index site, const Place& place) {
          if (sites_.is_even(place) != even) return;
          Draws draws(static_cast<std::uint64_t>(seed_), static_cast<std::uint64_t>(number),
                      4 * sites_.number(place) + as_size(direction));
          at(site, direction) = updated(at(site, direction), staples(site, direction), beta, draws);
        });
      });
      refresh();
    }
}

double Links::site_plaquettes(Index site) const {
  double sum = 0;
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b)
      sum += real_trace(at(site, a) * at(site + sites_.stride(a), b) *
                        adjoint(at(site, b) * at(site + sites_.stride(b), a)));
  return sum / 18;
}

double Links::plaquette() const {
  return team_.sum(sites_.rows(), 8, [&](Index begin, Index end) {
    double sum = 0;
    sites_.each(begin, end, [&](Index, Index site, const Place&) { sum += site_plaquettes(site); });
    return sum;
  }) / sites_.volume();
}

double Links::distance_from_su3() const {
  double most = 0;
  sites_.each(0, sites_.rows(), [&](Index, Index site, const Place&) {
    for (int d = 0; d < 4; ++d) most = std::max(most, apps::distance_from_su3(at(site, d)));
  });
  return team_.maximum(most);
}

Picture Links::action_plane() const {
  Picture picture = tool::blank_picture(sites_.lattice()[0], sites_.lattice()[1]);
  sites_.each(0, sites_.rows(), [&](Index, Index site, const Place& place) {
    if (place[2] == 0 && place[3] == 0) picture.at(place[0], place[1]) = 1 - site_plaquettes(site);
  });
  team_.sum(picture.pixels);
  return picture;
}

std::vector<Matrix3> Links::packed() const {
  std::vector<Matrix3> all(as_size(4 * sites_.count()));
  sites_.each(0, sites_.rows(), [&](Index i, Index site, const Place&) {
    for (int d = 0; d < 4; ++d) all[as_size(4 * i + d)] = at(site, d);
  });
  return all;
}

void Links::unpack(const std::vector<Matrix3>& links) {
  sites_.each(0, sites_.rows(), [&](Index i, Index site, const Place&) {
    for (int d = 0; d < 4; ++d) at(site, d) = links[as_size(4 * i + d)];
  });
  refresh();
}

SavedField Links::saved(std::vector<Matrix3>& links) const {
  return {{sites_.lattice().begin(), sites_.lattice().end()},
          sites_.box(),
          4 * sizeof(Matrix3),
          links.data()};
}

}  // namespace weft::apps
