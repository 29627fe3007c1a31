// SPDX-License-Identifier: BSD-3-Clause
// weft-pppm: energy and forces of point charges in a periodic box, by particle-particle
// particle-mesh.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "common/program.hpp"
#include "pppm/mesh.hpp"

namespace weft::apps {
namespace {

struct Arguments {
  std::string file, crystal, units = "lj", differentiation = "ik", prefix = "pppm", device = "cpu",
                             forces;
  Index cells = 1, random = 0;
  std::vector<Index> mesh;
  double accuracy = 1e-4, cutoff = 3, tilt = 0, alpha = 0;
  int order = 5, seed = 1;
  bool primitive = false, compare = false, scan = false, pictures = false;
};

constexpr double coulomb_real = 332.06371;  // kcal/mol Angstrom / e^2, LAMMPS' units real

/// LAMMPS' rule, so that the energies divide in the same way for the same accuracy.
double alpha_of(const Charges& charges, double accuracy, double cutoff) {
  const double share =
      accuracy * std::sqrt(static_cast<double>(charges.count()) * cutoff * charges.cell.volume()) /
      (2 * charges.sum_of_squares());
  return share < 1 ? std::sqrt(-std::log(share)) / cutoff
                   : (1.35 - 0.15 * std::log(accuracy)) / cutoff;
}

bool is_smooth(Index n) {
  for (const Index prime : {2, 3, 5})
    while (n % prime == 0) n /= prime;
  return n == 1;
}

std::array<Index, 3> points_for(const Cell& cell, double spacing, int order) {
  std::array<Index, 3> points{};
  for (int d = 0; d < 3; ++d) {
    const Vector3& edge = cell.edges[as_size(d)];
    Index n = std::max<Index>(order + order % 2,
                              static_cast<Index>(std::ceil(std::sqrt(dot(edge, edge)) / spacing)));
    while (n % 2 != 0 || !is_smooth(n)) ++n;
    points[as_size(d)] = n;
  }
  return points;
}

class Run {
 public:
  Run(const Team& team, const Arguments& arguments)
      : team_(team),
        voice_(team),
        arguments_(arguments),
        charges_(charges_of(arguments)),
        where_(checked_device(team, arguments.device)) {}

  int execute() {
    check_cutoff();
    MeshOptions options = mesh_options();
    if (arguments_.scan) return scan(options);
    voice_.say(fmt::format("{} charges, volume {:.6g}, cutoff {:g}, alpha {:.8g}", charges_.count(),
                           charges_.cell.volume(), arguments_.cutoff, options.alpha));
    Mesh mesh(team_, charges_.cell, options);
    const auto [n0, n1, n2] = options.points;
    voice_.say(fmt::format("mesh {}x{}x{}, order {}, {} differentiation, on {}", n0, n1, n2,
                           options.order, arguments_.differentiation, place_text(team_, where_)));
    voice_.say("operator: " + mesh.explain().substr(0, mesh.explain().find('\n')));
    const double near_error = 2 * charges_.sum_of_squares() /
                              std::sqrt(static_cast<double>(charges_.count()) * arguments_.cutoff *
                                        charges_.cell.volume()) *
                              std::exp(-std::pow(options.alpha * arguments_.cutoff, 2));
    const double far_error = expected_mesh_error(team_, charges_, options);
    voice_.say(
        fmt::format("expected force error: {:.3g} near, {:.3g} mesh", near_error, far_error));

    const auto begin = std::chrono::steady_clock::now();
    Forces far = mesh.forces(charges_);
    const std::chrono::duration<double> mesh_time = std::chrono::steady_clock::now() - begin;
    const Forces near = near_forces(team_, charges_, options.alpha, arguments_.cutoff);
    const std::chrono::duration<double> all_time = std::chrono::steady_clock::now() - begin;
    far.energy += self_energy(charges_, options.alpha);
    const double unit = arguments_.units == "real" ? coulomb_real : 1;
    voice_.say(fmt::format("E_coul {:.10g}  E_long {:.10g}  sum {:.12g}", unit * near.energy,
                           unit * far.energy, unit * (near.energy + far.energy)));
    voice_.say(fmt::format("{:.3g} s for the mesh, {:.3g} s for near pairs", mesh_time.count(),
                           (all_time - mesh_time).count()));
    Forces sum = near;
    sum += far;
    Checks checks(voice_);
    check(checks, sum, options.alpha, std::hypot(near_error, far_error));
    save_files(sum, mesh, unit);
    say_memory(team_);
    if (where_ == Where::cuda) voice_.say("GPU memory: " + device_memory_text());
    say_memory_limit(team_, where_,
                     {"sum over the mesh", mesh_time.count(), mesh.passes(), mesh.bytes()});
    return checks.all_passed() ? 0 : 1;
  }

 private:
  static Charges charges_of(const Arguments& a) {
    const int sources = !a.file.empty() + !a.crystal.empty() + (a.random > 0);
    if (sources != 1) refuse("give a data file, or --crystal, or --random");
    if (!a.crystal.empty()) return crystal(a.crystal, a.cells, a.primitive);
    if (a.random > 0) return random_charges(a.random, a.seed, a.tilt);
    return read_lammps_data(a.file);
  }
  void check_cutoff() const {
    const Arguments& a = arguments_;
    if (!(a.cutoff > 0) || !(a.accuracy > 0 && a.accuracy < 1))
      refuse("--cutoff must be positive, --accuracy between 0 and 1");
    if (charges_.sum_of_squares() == 0) refuse("all charges are zero; there is nothing to compute");
    if (a.mesh.size() != 0 && a.mesh.size() != 1 && a.mesh.size() != 3)
      refuse("--mesh takes one number or three, such as 32 or 32,32,64");
  }

  MeshOptions mesh_options() const {
    MeshOptions options{
        .order = arguments_.order,
        .alpha = arguments_.alpha > 0 ? arguments_.alpha
                                      : alpha_of(charges_, arguments_.accuracy, arguments_.cutoff),
        .differentiation =
            arguments_.differentiation == "ik" ? Differentiation::ik : Differentiation::analytic,
        .where = where_};
    if (!arguments_.mesh.empty()) {
      for (std::size_t d = 0; d < 3; ++d)
        options.points[d] = arguments_.mesh[arguments_.mesh.size() == 3 ? d : 0];
      return options;
    }
    for (double spacing = 1.5 / options.alpha; spacing > 0.05 / options.alpha; spacing *= 0.87) {
      options.points = points_for(charges_.cell, spacing, options.order);
      if (expected_mesh_error(team_, charges_, options) <= arguments_.accuracy) return options;
    }
    refuse(
        fmt::format("no mesh reaches --accuracy {:g} with --order {}; choose a higher order or a "
                    "larger --cutoff",
                    arguments_.accuracy, arguments_.order));
  }

  Forces reference(double alpha) const {
    const double other = 0.9 * alpha;  // the sum does not depend on it
    Forces sum = near_forces(team_, charges_, other, 6.3 / other);
    sum += direct_far_forces(team_, charges_, other);
    sum.energy += self_energy(charges_, other);
    return sum;
  }

  void check(Checks& checks, const Forces& sum, double alpha, double expected) const {
    if (!arguments_.crystal.empty()) {
      const double per_pair = -2 * sum.energy / static_cast<double>(charges_.count());
      checks.expect_near("Madelung's constant of " + arguments_.crystal, per_pair,
                         madelung_constant(arguments_.crystal),
                         std::max(1e-8, 10 * arguments_.accuracy));
    }
    if (!arguments_.compare) return;
    const Forces exact = reference(alpha);
    voice_.say(fmt::format("direct Ewald sum {:.12g}, relative difference of the energy {:.3g}",
                           exact.energy, std::abs(sum.energy / exact.energy - 1)));
    // The expectation is a mean over random charges: half as much again is given to one sample.
    checks.expect_below(
        "force error, against the direct Ewald sum", rms_difference(sum, exact),
        1.5 * std::max(expected, arguments_.mesh.empty() ? arguments_.accuracy : 0));
  }

  void save_files(const Forces& sum, const Mesh& mesh, double unit) const {
    if (arguments_.pictures)
      save_picture(team_, arguments_.prefix + "_potential.png", scaled(mesh.potential_plane()));
    if (arguments_.forces.empty()) return;
    std::string text = "id,fx,fy,fz\n";
    for (std::size_t i = 0; i < sum.on.size(); ++i)
      text += fmt::format("{},{:.10g},{:.10g},{:.10g}\n", charges_.ids[i], unit * sum.on[i][0],
                          unit * sum.on[i][1], unit * sum.on[i][2]);
    save_text(team_, arguments_.forces, text);
  }

  /// Force errors over meshes, measured and expected, for both ways to differentiate.
  int scan(MeshOptions options) {
    const Forces exact = reference(options.alpha);
    const Forces near = near_forces(team_, charges_, options.alpha, 6.3 / options.alpha);
    Chart chart{fmt::format("Force error, {} charges, order {}", charges_.count(), options.order),
                "mesh points per side",
                "root mean square error",
                true,
                true,
                {}};
    voice_.say("  mesh  differentiation  measured   expected");
    Checks checks(voice_);
    for (const auto way : {Differentiation::ik, Differentiation::analytic}) {
      const std::string name = way == Differentiation::ik ? "ik" : "analytic";
      Series measured{.name = name, .points = {}},
          expected{.name = name + ", expected", .points = {}};
      expected.dashed = expected.only_line = true;
      options.differentiation = way;
      for (const Index n : {8, 12, 16, 24, 32, 48, 64}) {
        if (n < options.order) continue;
        options.points = {n, n, n};
        Forces sum = Mesh(team_, charges_.cell, options).forces(charges_);
        sum += near;
        const double error = rms_difference(sum, exact);
        const double theory = expected_mesh_error(team_, charges_, options);
        voice_.say(fmt::format("{:6}  {:>15}  {:8.2e}   {:8.2e}", n, name, error, theory));
        measured.points.emplace_back(n, error);
        expected.points.emplace_back(n, theory);
      }
      chart.series.push_back(measured);
      chart.series.push_back(expected);
    }
    save_plot(team_, arguments_.prefix + "_error.svg", chart);
    say_memory(team_);
    return checks.all_passed() ? 0 : 1;
  }

  const Team& team_;
  Voice voice_;
  Arguments arguments_;
  Charges charges_;
  Where where_;
};

}  // namespace
}  // namespace weft::apps

int main(int argc, char** argv) {
  using namespace weft::apps;
  Arguments a;
  return run_program(
      {.name = "weft-pppm",
       .description = "Electrostatics of point charges in a periodic box of any shape, by "
                      "particle-particle particle-mesh.",
       .footer = "Examples:\n"
                 "  weft-pppm --crystal nacl --primitive --accuracy 1e-10 --order 8\n"
                 "  weft-pppm --random 1000 --tilt 0.3 --compare\n"
                 "  mpiexec -n 4 weft-pppm water.data --units real --cutoff 10 --forces forces.csv",
       .define =
           [&](Options& o) {
             o.add_argument("file", a.file, "data file of LAMMPS, atom style charge or full");
             o.add("--crystal", a.crystal, {"nacl", "cscl", "zns"}, "ions at distance 1");
             o.add("--cells", a.cells, "crystal: cells along each edge");
             o.add_flag("--primitive", a.primitive,
                        "crystal: primitive cells, which are triclinic");
             o.add("--random", a.random, "so many charges at random places, one per volume 1");
             o.add("--tilt", a.tilt, "random: shear of the box");
             o.add("--seed", a.seed, "random: of the places");
             o.add("--units", a.units, {"lj", "real"}, "as in LAMMPS");
             o.add("--accuracy", a.accuracy,
                   "of forces, relative to that of two unit charges at distance 1");
             o.add("--cutoff", a.cutoff, "of near pairs");
             o.add("--alpha", a.alpha, "of Ewald's division; 0: from accuracy and cutoff");
             o.add("--mesh", a.mesh, "points per axis; default: enough for the accuracy");
             o.add("--order", a.order, "of the splines");
             o.add("--differentiation", a.differentiation, {"ik", "analytic"}, "of the potential");
             o.add_flag("--compare", a.compare, "check forces against a direct Ewald sum");
             o.add_flag("--scan", a.scan, "force errors over mesh sizes, as a table and a plot");
             add_device_option(o, a.device);
             o.add("--forces", a.forces, "file for the forces (CSV)");
             o.add_flag("--pictures", a.pictures, "write a plane of the potential (PNG)");
             o.add("--prefix", a.prefix, "of the files that are written");
           },
       .run = [&](const Team& team) { return Run(team, a).execute(); }},
      argc, argv);
}
