// SPDX-License-Identifier: BSD-3-Clause
// weft-kraichnan: a passive scalar in Kraichnan's random velocity, in two dimensions.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "common/device.hpp"
#include "common/program.hpp"
#include "common/steps.hpp"
#include "kraichnan/mixing.hpp"
#include "kraichnan/scalar.hpp"

namespace weft::apps {
namespace {

struct Arguments {
  Index size = 512, steps = 0, samples_every = 0, bench_steps = 0;
  double exponent = 1, spread = 0.25, turnovers = 12, spin_up = 4;
  int seed = 1;
  bool natural = false, no_files = false, no_checks = false;
  std::string prefix = "kraichnan", device = "cpu", film = "html";
  StepOptions loop;
};

/// Points at this distance, in lattice spacings, may move apart by `spread` times as much in a
/// step.
constexpr double near_spacings = 16;
constexpr double largest_spread = 0.5;
/// Exponents are fitted over this decade, in lattice spacings.
constexpr double fit_from = 5, fit_to = 50;

class Run {
 public:
  Run(const Team& team, const Arguments& arguments)
      : team_(team),
        voice_(team),
        arguments_(checked(arguments)),
        spacing_(2 * std::numbers::pi / static_cast<double>(arguments.size)),
        velocity_(arguments.size, arguments.exponent),
        diffusivity_(velocity_.tail_diffusivity()),
        time_step_(step_of(arguments)),
        turnover_(1 / (velocity_.eddy_diffusivity(1) + 2 * diffusivity_)),
        last_(arguments.steps > 0
                  ? arguments.steps
                  : static_cast<Index>(std::ceil(arguments.turnovers * turnover_ / time_step_))),
        every_(arguments.samples_every > 0
                   ? arguments.samples_every
                   : std::max<Index>(1, static_cast<Index>(turnover_ / time_step_ / 10))),
        where_(checked_device(team, arguments.device)),
        mixing_(begun()),
        of_scalar_(arguments.size),
        of_velocity_(arguments.size) {}

  int execute() {
    if (!arguments_.loop.resume.empty()) resume();
    voice_.say(
        fmt::format("{0}^2 points, xi = {1:g}, diffusivity {2:.4g}, {3} steps of {4:.4g} "
                    "({5:.0f} in a turnover time) on {6}",
                    arguments_.size, arguments_.exponent, diffusivity_, last_, time_step_,
                    turnover_ / time_step_, place_text(team_, where_)));
    voice_.say("velocity: " + mixing_->explain());
    if (arguments_.bench_steps > 0) {
      const double step_s = time_steps(team_, arguments_.bench_steps, [&](Index step) {
        mixing_->advance(step);
        mixing_->wait();
      });
      voice_.say(fmt::format("{:.4g} steps per second", 1 / step_s));
      say_limits(step_s);
      return 0;
    }
    const StepsDone done = advance();
    if (done.ended == Ended::interrupted) return exit_interrupted;
    const int code = done.ended == Ended::early ? 0 : report();
    say_limits(done.step_s);
    return code;
  }

 private:
  void say_limits(double step_s) const {
    say_memory(team_);
    if (where_ == Where::cuda) voice_.say("GPU memory: " + mixing_->memory());
    say_memory_limit(team_, where_, {"step", step_s, mixing_->passes(), mixing_->bytes()});
  }
  static Arguments checked(const Arguments& a) {
    if (a.bench_steps < 0) refuse("--bench-steps must not be negative");
    if (a.size < 16)
      refuse(fmt::format("--size {}: at least 16 points per side are needed", a.size));
    if (a.natural && a.device == "cuda")
      refuse("--natural-order is of ranks; a GPU has the whole spectrum: leave it out");
    if (!(a.exponent > 0 && a.exponent < 2))
      refuse(fmt::format("--xi {:g}: it must lie between 0 and 2", a.exponent));
    if (!(a.spread > 0 && a.spread <= largest_spread))
      refuse(
          fmt::format("--spread {:g}: near points would pass each other in one step; it must be "
                      "at most {:g}",
                      a.spread, largest_spread));
    return a;
  }
  /// Such that <(difference of displacements)^2> at a few spacings is (spread times them)^2.
  double step_of(const Arguments& a) const {
    const double r = near_spacings * spacing_;
    return a.spread * a.spread * r * r / (2 * (velocity_.eddy_diffusivity(r) + 2 * diffusivity_));
  }
  std::unique_ptr<Mixing> begun() const {
    const MixingOptions options{
        .velocity = {.size = arguments_.size,
                     .exponent = arguments_.exponent,
                     .seed = arguments_.seed,
                     .order =
                         arguments_.natural ? SpectrumOrder::natural : SpectrumOrder::transposed},
        .diffusivity = diffusivity_,
        .time_step = time_step_,
        .reach = reach(),
        .spacing = spacing_};
    return where_ == Where::cuda ? gpu_mixing(team_, options) : cpu_mixing(team_, options);
  }
  double reach() const { return 8 * std::sqrt(velocity_.variance() * time_step_) / spacing_; }

  StepsDone advance() {
    const Index spin_up =
        arguments_.steps > 0
            ? last_ / 3
            : static_cast<Index>(std::ceil(arguments_.spin_up * turnover_ / time_step_));
    return run_steps(team_, arguments_.loop, step_, last_,
                     {.step =
                          [&](Index step) {
                            mixing_->advance(step);
                            step_ = step + 1;
                            if (step_ % every_ != 0) return;
                            if (step_ > spin_up) sample();
                            if (!arguments_.no_files)
                              film_.add(
                                  scaled(mixing_->picture()),
                                  fmt::format("t = {:.2f} turnover times",
                                              static_cast<double>(step_) * time_step_ / turnover_));
                          },
                      .state = [&] { return fmt::format("{} samples", samples_); },
                      .save = [&](const std::string& path) { save(path); }});
  }

  void sample() {
    mixing_->add_to(of_scalar_, of_velocity_);
    samples_ += 1;
  }

  void save(const std::string& path) {
    write_checkpoint(team_, path, "weft-kraichnan",
                     {{"size", {static_cast<double>(arguments_.size)}},
                      {"xi", {arguments_.exponent}},
                      {"spread", {arguments_.spread}},
                      {"seed", {static_cast<double>(arguments_.seed)}},
                      {"step", {static_cast<double>(step_)}},
                      {"samples", {samples_}},
                      {"scalar", summed(of_scalar_)},
                      {"velocity", summed(of_velocity_)}},
                     mixing_->saved());
  }
  std::vector<double> summed(Shells shells) const {
    shells.combine(team_);
    return shells.values();
  }
  void resume() {
    const std::string& path = arguments_.loop.resume;
    const SavedNumbers numbers = read_checkpoint_numbers(team_, path, "weft-kraichnan");
    expect_same(numbers, "size", static_cast<double>(arguments_.size));
    expect_same(numbers, "xi", arguments_.exponent);
    expect_same(numbers, "spread", arguments_.spread);
    expect_same(numbers, "seed", arguments_.seed);
    read_checkpoint_fields(team_, path, mixing_->saved());
    mixing_->restored();
    step_ = std::llround(numbers.at("step").at(0));
    samples_ = numbers.at("samples").at(0);
    if (team_.is_first()) {  // the sums over all ranks; the others start from nothing
      of_scalar_.restore(numbers.at("scalar"));
      of_velocity_.restore(numbers.at("velocity"));
    }
    voice_.say(fmt::format("resumed after step {}", step_));
  }

  int report() {
    of_scalar_.combine(team_);
    of_velocity_.combine(team_);
    voice_.say(fmt::format("variance of the scalar {:.15g}", mixing_->variance()));
    if (samples_ == 0) {
      voice_.say("no samples were taken; run more steps");
      return 0;
    }
    const double xi = arguments_.exponent;
    std::vector<double> r, scalar, velocity, resolved, compensated;
    for (double spacings = 2; spacings < static_cast<double>(arguments_.size) / 3;
         spacings *= 1.2) {
      const double distance = spacings * spacing_;
      r.push_back(distance);
      scalar.push_back(of_scalar_.structure(distance, samples_));
      compensated.push_back(of_scalar_.structure_slope(distance, samples_) / source_flux(distance));
      // Displacements per step, in spacings, to velocities; and what the lattice cannot hold.
      const double scale = spacing_ * spacing_ / time_step_;
      resolved.push_back(of_velocity_.longitudinal_structure(distance, samples_) * scale);
      velocity.push_back(resolved.back() + 4 * diffusivity_);
    }
    Checks checks(voice_);
    const auto fitted = [&](const std::vector<double>& values) {
      std::vector<double> x, y;
      for (std::size_t i = 0; i < r.size(); ++i)
        if (r[i] >= fit_from * spacing_ && r[i] <= fit_to * spacing_)
          x.push_back(r[i]), y.push_back(values[i]);
      return slope(x, y);
    };
    voice_.say(fmt::format("{:.0f} samples; exponents over {:g} to {:g} spacings", samples_,
                           fit_from, fit_to));
    // Both functions have a part that the fit must not see: the velocity lacks the modes beyond the
    // lattice, and the scalar's function lacks what they would have made at the smallest scales, a
    // constant. So the scalar's exponent is that of its derivative, plus one; the finite size of
    // the source is known and taken out.
    voice_.say(fmt::format("fits as they are: velocity {:.4f}, scalar {:.4f}", fitted(resolved),
                           fitted(scalar)));
    const double tolerance = arguments_.no_checks ? 10 : 0.05;
    checks.expect_near("exponent of the velocity's structure function, xi", fitted(velocity), xi,
                       tolerance);
    checks.expect_near("exponent of the scalar's structure function, 2 - xi",
                       1 + fitted(compensated), 2 - xi, tolerance);
    save_files(r, scalar, velocity);
    return checks.all_passed() ? 0 : 1;
  }

  void save_files(const std::vector<double>& r, const std::vector<double>& scalar,
                  const std::vector<double>& velocity) {
    if (arguments_.no_files) return;
    const double xi = arguments_.exponent;
    Chart chart{fmt::format("Structure functions, xi = {:g}", xi),
                "distance",
                "mean square",
                true,
                true,
                {}};
    Series of_scalar{.name = "scalar", .points = {}}, of_velocity{.name = "velocity", .points = {}};
    Series exact_scalar{.name = fmt::format("r^{:g}, exact for the scalar", 2 - xi), .points = {}};
    Series exact_velocity{.name = fmt::format("r^{:g}, for the velocity", xi), .points = {}};
    exact_scalar.dashed = exact_scalar.only_line = true;
    exact_velocity.dashed = exact_velocity.only_line = true;
    std::size_t middle = 0;
    while (middle + 1 < r.size() && r[middle] < 15 * spacing_) ++middle;
    for (std::size_t i = 0; i < r.size(); ++i) {
      of_scalar.points.emplace_back(r[i], scalar[i]);
      of_velocity.points.emplace_back(r[i], velocity[i]);
      exact_scalar.points.emplace_back(r[i], scalar[middle] * std::pow(r[i] / r[middle], 2 - xi));
      exact_velocity.points.emplace_back(r[i], velocity[middle] * std::pow(r[i] / r[middle], xi));
    }
    chart.series = {of_scalar, of_velocity, exact_scalar, exact_velocity};
    save_plot(team_, arguments_.prefix + "_structure.svg", chart);
    save_picture(team_, arguments_.prefix + "_scalar.png", scaled(mixing_->picture()));
    const std::string film = film_.save(team_, arguments_.prefix);
    voice_.say(fmt::format("wrote {0}_structure.svg, {0}_scalar.png{1}", arguments_.prefix,
                           film.empty() ? "" : ", " + film));
  }

  const Team& team_;
  Voice voice_;
  Arguments arguments_;
  double spacing_;
  VelocityModel velocity_;
  double diffusivity_, time_step_, turnover_;
  Index last_, every_, step_ = 0;
  Where where_;
  std::unique_ptr<Mixing> mixing_;
  Shells of_scalar_, of_velocity_;
  double samples_ = 0;
  Film film_{"Passive scalar", arguments_.film};
};

}  // namespace
}  // namespace weft::apps

int main(int argc, char** argv) {
  using namespace weft::apps;
  Arguments a;
  return run_program(
      {.name = "weft-kraichnan",
       .description = "A passive scalar in Kraichnan's random velocity, in two dimensions.",
       .footer = "Examples:\n"
                 "  weft-kraichnan --size 512 --xi 1.0\n"
                 "  weft-kraichnan --size 2048 --device cuda   the same on a GPU\n"
                 "  mpiexec -n 4 weft-kraichnan --size 2048 --xi 1.5 --checkpoint run.weft",
       .define =
           [&](Options& o) {
             o.add("--size", a.size, "points along each side");
             o.add("--xi", a.exponent, "exponent of the velocity's structure function");
             o.add("--turnovers", a.turnovers, "length of the run, in turnover times at r = 1");
             o.add("--spin-up", a.spin_up, "turnover times before the first sample");
             o.add("--steps", a.steps, "length of the run in steps, instead of --turnovers");
             o.add("--samples-every", a.samples_every,
                   "steps between samples; 0: ten per turnover");
             o.add("--spread", a.spread,
                   "how far points 16 spacings apart may move apart in a step, relative to that");
             o.add("--seed", a.seed, "of the random numbers");
             o.add_flag("--natural-order", a.natural,
                        "transpose the velocity's modes into natural order, to see what it costs");
             o.add_flag("--no-checks", a.no_checks, "print exponents of short runs, check nothing");
             o.add("--prefix", a.prefix, "of the files that are written");
             o.add_flag("--no-files", a.no_files, "write no plots and pictures");
             o.add("--bench-steps", a.bench_steps, "only time so many steps; 0: compute");
             add_film_option(o, a.film);
             add_device_option(o, a.device);
             add_step_options(o, a.loop);
           },
       .run = [&](const Team& team) { return Run(team, a).execute(); }},
      argc, argv);
}
