// SPDX-License-Identifier: BSD-3-Clause
// weft-gauge: SU(3) gauge fields on a four-dimensional lattice, and Landau gauge fixing.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "common/program.hpp"
#include "common/steps.hpp"
#include "gauge/fixing.hpp"
#include "gauge/mean.hpp"

namespace weft::apps {
namespace {

struct Arguments {
  std::vector<Index> lattice{8, 8, 8, 8};
  double beta = 6, step = 0, goal = 1e-12;
  Index sweeps = 300, thermalization = 100, most = 20000;
  std::string start = "cold", fix = "both", prefix = "gauge", device = "cpu", film = "html";
  double expected = 0;
  int seed = 1;
  bool no_files = false;
  StepOptions loop;
};

/// In quenched SU(3) with Wilson's action at beta = 6.0, on 16^4 sites (Boyd et al., Nucl. Phys.
/// B469 (1996) 419). Smaller lattices have more: 4^4 0.5968, 8^4 0.5941.
constexpr double plaquette_at_6 = 0.593678, its_error = 0.000024;
/// Sweeps in which the slowest part of the plaquette's autocorrelations falls by e: 0.05 of them
/// are left after 10 sweeps, 0.02 after 60 (4000 sweeps of 12^4 sites at beta = 6).
constexpr double slowest_sweeps = 35;
constexpr Index fewest_for_plaquette = 12;  ///< sites along every axis
/// Waves grow under steepest descent from here on: 2 / 16.
constexpr double largest_step = 0.125;

class Run {
 public:
  Run(const Team& team, const Arguments& arguments)
      : team_(team),
        voice_(team),
        checks_(voice_),
        arguments_(checked(arguments)),
        sites_(team, {arguments.lattice[0], arguments.lattice[1], arguments.lattice[2],
                      arguments.lattice[3]}),
        links_(team, sites_, arguments.start == "cold" ? Links::Start::cold : Links::Start::hot,
               arguments.seed),
        where_(checked_device(team, arguments.device)) {}

  int execute() {
    if (!arguments_.loop.resume.empty()) resume();
    const Place& l = sites_.lattice();
    const Grid& g = sites_.grid();
    voice_.say(fmt::format("{}x{}x{}x{} sites on a grid of {}x{}x{} ranks, beta = {:g}, {} sweeps",
                           l[0], l[1], l[2], l[3], g[0], g[1], g[2], arguments_.beta,
                           arguments_.sweeps));
    const StepsDone done = make_field();
    if (done.ended == Ended::interrupted) return exit_interrupted;
    if (done.ended == Ended::early) return 0;
    if (done.step_s > 0) voice_.say(fmt::format("{:.4g} s per sweep", done.step_s));
    report_plaquette();
    const int code = fix();
    say_memory(team_);
    // Links, rotations and eight fields of each site.
    say_memory_limit(team_, where_,
                     {"accelerated iteration", iteration_s_, operator_passes_,
                      sites_.volume() * (5 * sizeof(Matrix3) + 8 * sizeof(double))});
    return code;
  }

 private:
  static Arguments checked(const Arguments& a) {
    if (a.lattice.size() != 4) refuse("--lattice takes four extents, such as 8,8,8,16");
    if (a.beta <= 0) refuse("--beta must be positive");
    if (a.step < 0 || a.step >= largest_step)
      refuse(fmt::format("--step {:g} is unstable: steepest descent needs less than {:g}", a.step,
                         largest_step));
    return a;
  }

  StepsDone make_field() {
    return run_steps(team_, arguments_.loop, static_cast<Index>(history_.size()), arguments_.sweeps,
                     {.step =
                          [&](Index sweep) {
                            links_.sweep(arguments_.beta, sweep);
                            history_.push_back(links_.plaquette());
                            if (arguments_.no_files || sweep % 5 != 0) return;
                            film_.add(scaled(links_.action_plane(), 0, 1),
                                      fmt::format("sweep {}", sweep));
                          },
                      .state = [&] { return fmt::format("plaquette {:.5f}", history_.back()); },
                      .save = [&](const std::string& path) { save(path); }});
  }

  void report_plaquette() {
    if (arguments_.sweeps == 0) return;
    voice_.say(fmt::format("plaquette of the last sweep {:.15g}", history_.back()));
    const Mean mean = mean_of(
        history_, as_size(std::min(arguments_.thermalization, arguments_.sweeps)), slowest_sweeps);
    if (mean.error > 0)
      voice_.say(fmt::format(
          "plaquette {:.6f} +- {:.6f} after {} sweeps; autocorrelation time {:.2f} +- {:.2f} "
          "sweeps; error from {} blocks of {} sweeps {:.6f}",
          mean.value, mean.error, arguments_.thermalization, mean.time, mean.time_error,
          mean.blocks, mean.length, mean.block_error));
    const bool is_large = std::ranges::min(arguments_.lattice) >= fewest_for_plaquette;
    const double expected = arguments_.expected > 0              ? arguments_.expected
                            : arguments_.beta == 6.0 && is_large ? plaquette_at_6
                                                                 : 0;
    if (arguments_.beta == 6.0 && expected == 0)
      voice_.say(
          fmt::format("not compared with {:.4f}: that takes {} sites or more along every axis",
                      plaquette_at_6, fewest_for_plaquette));
    // Four standard errors: one run in 16000 fails by chance.
    const double error = mean.error * (1 + mean.relative_error_of_error);
    if (expected > 0 && mean.error > 0)
      checks_.expect_near("plaquette", mean.value, expected,
                          4 * std::hypot(error, arguments_.expected > 0 ? 0 : its_error));
    checks_.expect_below("distance of the links from SU(3)", links_.distance_from_su3(), 1e-12);
    if (arguments_.no_files) return;
    Chart chart{fmt::format("Plaquette, beta = {:g}", arguments_.beta),
                "sweep",
                "plaquette",
                false,
                false,
                {}};
    Series series{.name = "mean of Re Tr P / 3", .points = {}};
    series.only_line = true;
    for (std::size_t i = 0; i < history_.size(); ++i)
      series.points.emplace_back(i + 1, history_[i]);
    chart.series = {series};
    if (expected > 0) {
      Series line{.name = fmt::format("{:g}, large lattices", expected), .points = {}};
      line.dashed = line.only_line = true;
      line.points = {{1, expected}, {history_.size(), expected}};
      chart.series.push_back(line);
    }
    save_plot(team_, arguments_.prefix + "_plaquette.svg", chart);
    save_picture(team_, arguments_.prefix + "_action.png", scaled(links_.action_plane(), 0, 1));
    const std::string film = film_.save(team_, arguments_.prefix);
    voice_.say(fmt::format("wrote {0}_plaquette.svg, {0}_action.png{1}", arguments_.prefix,
                           film.empty() ? "" : ", " + film));
  }

  int fix() {
    Chart chart{"Landau gauge fixing", "iteration", "theta", false, true, {}};
    const double before = links_.plaquette();
    const std::vector<Matrix3> start = links_.packed();
    Index steepest = 0, accelerated = 0;
    for (const auto way : {Acceleration::none, Acceleration::fourier}) {
      const bool by_fourier = way == Acceleration::fourier;
      if (arguments_.fix != "both" && arguments_.fix != (by_fourier ? "fourier" : "steepest"))
        continue;
      links_.unpack(start);
      const std::string name = by_fourier ? "Fourier acceleration" : "steepest descent";
      const auto result = fix_once(way, name);
      if (result.interrupted) return exit_interrupted;
      (by_fourier ? accelerated : steepest) = static_cast<Index>(result.theta.size()) - 1;
      Series series{.name = name, .points = {}};
      series.only_line = true;
      const std::size_t stride = std::max<std::size_t>(1, result.theta.size() / 400);
      for (std::size_t i = 0; i < result.theta.size(); i += stride)
        series.points.emplace_back(i, result.theta[i]);
      chart.series.push_back(series);
      checks_.expect_below("theta", result.theta.back(), arguments_.goal);
      checks_.expect_near("plaquette after the gauge transformation", links_.plaquette(), before,
                          1e-12);
      checks_.expect_below("distance of the links from SU(3)", links_.distance_from_su3(), 1e-12);
    }
    if (steepest > 0 && accelerated > 0)
      voice_.say(fmt::format("Fourier acceleration needs {:.2f} times fewer iterations",
                             static_cast<double>(steepest) / static_cast<double>(accelerated)));
    if (!chart.series.empty() && !arguments_.no_files)
      save_plot(team_, arguments_.prefix + "_fixing.svg", chart);
    return checks_.all_passed() ? 0 : 1;
  }

  GaugeFixing::Result fix_once(Acceleration way, const std::string& name) {
    FixingOptions options{
        .acceleration = way, .goal = arguments_.goal, .most = arguments_.most, .where = where_};
    if (arguments_.step > 0) options.step = arguments_.step;
    GaugeFixing fixing(team_, links_, options);
    if (way == Acceleration::fourier)
      voice_.say("operator: " + fixing.explain().substr(0, fixing.explain().find('\n')));
    ProgressBar bar(team_, -std::log(arguments_.goal));
    const auto begin = std::chrono::steady_clock::now();
    const auto result = fixing.run([&](Index iteration, double theta) {
      if (team_.is_first())
        bar.show(std::clamp(-std::log(theta), 0.0, -std::log(arguments_.goal)),
                 fmt::format("iteration {}, theta = {:.2e}", iteration, theta));
      return iteration % 16 != 0 || !is_interrupted(team_);
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    bar.clear();
    const auto iterations = static_cast<double>(result.theta.size() - 1);
    if (way == Acceleration::fourier && iterations > 0) {
      iteration_s_ = took.count() / iterations;
      operator_passes_ = fixing.passes();
    }
    if (where_ == Where::cuda) voice_.say("GPU memory: " + device_memory_text());
    voice_.say(fmt::format(
        "{}: {} iterations, theta {:.3g} -> {:.3g}, mean of Re Tr U / 3 {:.6f} -> "
        "{:.6f}{}",
        name, result.theta.size() - 1, result.theta.front(), result.theta.back(),
        result.functional_before, result.functional, result.interrupted ? ", interrupted" : ""));
    return result;
  }

  void save(const std::string& path) {
    std::vector<Matrix3> all = links_.packed();
    SavedNumbers numbers{{"beta", {arguments_.beta}},
                         {"seed", {static_cast<double>(arguments_.seed)}},
                         {"plaquettes", history_}};
    for (std::size_t d = 0; d < 4; ++d)
      numbers[fmt::format("extent{}", d)] = {static_cast<double>(sites_.lattice()[d])};
    write_checkpoint(team_, path, "weft-gauge", numbers, {links_.saved(all)});
  }
  void resume() {
    const SavedNumbers numbers =
        read_checkpoint_numbers(team_, arguments_.loop.resume, "weft-gauge");
    expect_same(numbers, "beta", arguments_.beta);
    expect_same(numbers, "seed", arguments_.seed);
    for (std::size_t d = 0; d < 4; ++d)
      expect_same(numbers, fmt::format("extent{}", d), static_cast<double>(sites_.lattice()[d]));
    std::vector<Matrix3> all = links_.packed();
    read_checkpoint_fields(team_, arguments_.loop.resume, {links_.saved(all)});
    links_.unpack(all);
    history_ = numbers.at("plaquettes");
    voice_.say(fmt::format("resumed after sweep {}", history_.size()));
  }

  const Team& team_;
  Voice voice_;
  Checks checks_;
  Arguments arguments_;
  Sites sites_;
  Links links_;
  Where where_;
  std::vector<double> history_;  // plaquettes, one per sweep
  double iteration_s_ = 0;       // with Fourier acceleration
  Passes operator_passes_;
  Film film_{"Action density", arguments_.film};
};

}  // namespace
}  // namespace weft::apps

int main(int argc, char** argv) {
  using namespace weft::apps;
  Arguments a;
  return run_program(
      {.name = "weft-gauge",
       .description = "SU(3) gauge fields on a four-dimensional lattice by heat bath, and Landau "
                      "gauge fixing with and without Fourier acceleration.",
       .footer =
           "Examples:\n"
           "  weft-gauge --lattice 8,8,8,8 --beta 6.0\n"
           "  mpiexec -n 8 weft-gauge --lattice 16,16,16,32 --fix fourier --checkpoint f.weft",
       .define =
           [&](Options& o) {
             o.add("--lattice", a.lattice, "four extents, even");
             o.add("--beta", a.beta, "coupling, 6 / g^2");
             o.add("--sweeps", a.sweeps, "of the heat bath");
             o.add("--thermalization", a.thermalization, "sweeps before the first measurement");
             o.add("--start", a.start, {"cold", "hot"}, "links that are 1, or random ones");
             o.add("--seed", a.seed, "of the random numbers");
             o.add("--expect", a.expected,
                   "check the plaquette against this; large lattices at beta = 6: 0.5937");
             o.add("--fix", a.fix, {"both", "steepest", "fourier", "none"}, "how to fix the gauge");
             o.add("--step", a.step, "alpha of steepest descent; 0: 0.08");
             o.add("--theta", a.goal, "where gauge fixing ends");
             o.add("--most", a.most, "iterations of gauge fixing at most");
             o.add("--prefix", a.prefix, "of the files that are written");
             o.add_flag("--no-files", a.no_files, "write no plots and pictures");
             add_film_option(o, a.film);
             add_device_option(o, a.device);
             add_step_options(o, a.loop);
           },
       .run = [&](const Team& team) { return Run(team, a).execute(); }},
      argc, argv);
}
