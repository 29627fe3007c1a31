// SPDX-License-Identifier: BSD-3-Clause
// weft-turbulence: incompressible flow in a periodic box, pseudo-spectral.
#include <fmt/format.h>

#include <cmath>

#include "common/device.hpp"
#include "common/program.hpp"
#include "common/steps.hpp"
#include "turbulence/cpu_flow.hpp"
#include "turbulence/gpu_flow.hpp"
#include "turbulence/inertial.hpp"
#include "weft/wisdom.hpp"

namespace weft::apps {
namespace {

struct Arguments {
  Index size = 64;
  double reynolds = 1600, end_time = 10, time_step = 0, power = 0.1;
  std::string start = "taylor-green", device = "cpu", film = "html", precision = "f64",
              effort = "estimate";
  Index bench_steps = 0;
  int seed = 1;
  double picture_interval = 0.25;
  std::string prefix = "turbulence";
  StepOptions steps;
  bool no_files = false;
};

/// Runge-Kutta of order four is stable up to 2.83 for waves; a little is left as a margin.
constexpr double stability = 2.5;
/// sum |u_i| of the starts is at most this; turbulence may reach some more.
constexpr double expected_speed = 2.0;

/// Of the Taylor-Green vortex at Re = 1600, near t = 9: spectral computations with 512^3 points.
constexpr double published_peak = 0.0128;

struct History {
  std::vector<double> time, energy, dissipation, speed;
};

/// The integral of a series with equal steps, by cubics through four neighbours.
double integral(const std::vector<double>& f, double h) {
  const std::size_t n = f.size();
  if (n < 4) return 0;
  double sum = h / 24 * (9 * f[0] + 19 * f[1] - 5 * f[2] + f[3]);
  sum += h / 24 * (9 * f[n - 1] + 19 * f[n - 2] - 5 * f[n - 3] + f[n - 4]);
  for (std::size_t i = 1; i + 2 < n; ++i)
    sum += h / 24 * (13 * (f[i] + f[i + 1]) - f[i - 1] - f[i + 2]);
  return sum;
}

class Run {
 public:
  Run(const Team& team, const Arguments& arguments)
      : team_(team),
        voice_(team),
        arguments_(arguments),
        options_(checked(arguments)),
        where_(checked_device(team, arguments.device)),
        flow_(begun()),
        steps_(steps_of(arguments, options_.time_step)),
        mean_spectrum_(steps_, cutoff_of(arguments.size) + 1) {}

  int execute() {
    if (!arguments_.steps.resume.empty()) resume();
    voice_.say(
        fmt::format("{}^3 points, modes up to {}, viscosity {:g}, {} steps of {:g} on {}; {}",
                    arguments_.size, cutoff_of(arguments_.size), options_.viscosity, steps_,
                    options_.time_step, place_text(team_, where_), flow_->explain()));
    if (arguments_.bench_steps > 0) return bench();
    if (history_.time.empty()) record();
    const StepsDone done = advance();
    if (done.ended == Ended::interrupted) return exit_interrupted;
    const int code = done.ended == Ended::early ? 0 : report();
    say_limits(done.step_s);
    return code;
  }

 private:
  static FlowOptions checked(const Arguments& a) {
    if (a.size < 8) refuse(fmt::format("--size {}: at least 8 points per side are needed", a.size));
    if (a.reynolds <= 0 || a.end_time <= 0 || a.power < 0)
      refuse("--reynolds and --end must be positive, --power not negative");
    if (a.bench_steps < 0) refuse("--bench-steps must not be negative");
    if (a.precision == "f32" && a.device != "cuda")
      refuse("--precision f32 is for --device cuda; on CPUs flows are f64");
    FlowOptions options{.size = a.size, .viscosity = 1 / a.reynolds, .seed = a.seed};
    if (a.effort == "measure") options.effort = Effort::measure;
    if (a.precision == "f32") options.precision = Precision::f32;
    if (a.start == "single-mode") options.start = Start::single_mode;
    if (a.start == "forced") options.start = Start::random, options.power = a.power;
    const double bound = stability / (expected_speed * static_cast<double>((a.size - 1) / 3));
    options.time_step = a.time_step == 0 ? bound / 4 : a.time_step;
    if (a.time_step < 0 || a.time_step > bound)
      refuse(
          fmt::format("--dt {:g} is unstable: at {}^3 points and speeds of {:g} the time step "
                      "must be at most {:.3g}",
                      a.time_step, a.size, expected_speed, bound));
    // A whole number of steps.
    options.time_step = a.end_time / std::ceil(a.end_time / options.time_step - 1e-9);
    return options;
  }
  std::unique_ptr<Flow> begun() const {
    // What was measured is kept for the next run. Without it plans are the same every time.
    if (options_.effort == Effort::measure) wisdom::load_default();
    std::unique_ptr<Flow> flow = where_ == Where::cuda ? gpu_flow(team_, options_)
                                                       : std::make_unique<CpuFlow>(team_, options_);
    if (options_.effort == Effort::measure) keep_wisdom();
    return flow;
  }
  void keep_wisdom() const {
    if (team_.size() > 1) wisdom::gather(team_.comm());
    try {
      if (team_.is_first()) wisdom::save(wisdom::default_path());
    } catch (const Error& error) {
      voice_.say(fmt::format("what was measured is not kept: {}", error.what()));
    }
  }
  bool is_single() const { return options_.precision == Precision::f32; }

  /// Steps alone, without sums and pictures.
  int bench() {
    const double step_s = time_steps(team_, arguments_.bench_steps, [&](Index) {
      flow_->step();
      flow_->wait();
    });
    if (const std::string parts = flow_->step_in_parts(); !parts.empty())
      voice_.say("parts: " + parts);
    say_limits(step_s);
    return 0;
  }

  void say_limits(double step_s) const {
    say_memory(team_);
    if (where_ == Where::cuda) voice_.say("GPU memory: " + flow_->memory());
    say_memory_limit(team_, where_, {"step", step_s, flow_->passes(), flow_->bytes()});
  }

  static Index steps_of(const Arguments& a, double h) { return std::llround(a.end_time / h); }

  void record() {
    history_.time.push_back(static_cast<double>(step_) * options_.time_step);
    history_.energy.push_back(flow_->energy());
    history_.dissipation.push_back(flow_->dissipation());
  }

  bool is_forced() const { return options_.start == Start::random; }

  StepsDone advance() {
    return run_steps(team_, arguments_.steps, step_, steps_,
                     {.step =
                          [&](Index step) {
                            flow_->step();
                            step_ = step + 1;
                            check_stability();
                            record();
                            if (is_forced() && mean_spectrum_.is_due(step_))
                              mean_spectrum_.add(step_, flow_->spectrum());
                            if (!is_due(arguments_.picture_interval) || arguments_.no_files) return;
                            film_.add(scaled(flow_->vorticity_plane(), 0, 10),
                                      fmt::format("t = {:.2f}", history_.time.back()));
                          },
                      .state =
                          [&] {
                            return fmt::format("t = {:.3f}, E = {:.5f}, eps = {:.6f}",
                                               history_.time.back(), history_.energy.back(),
                                               history_.dissipation.back());
                          },
                      .save = [&](const std::string& path) { save(path); }});
  }

  double largest_wave_number() const { return static_cast<double>(cutoff_of(arguments_.size)); }
  bool is_due(double interval) const {
    if (interval <= 0) return false;
    const double now = static_cast<double>(step_) * options_.time_step;
    return std::floor(now / interval + 1e-9) >
           std::floor((now - options_.time_step) / interval + 1e-9);
  }

  void check_stability() const {
    const double bound = stability / (flow_->largest_speed() * largest_wave_number());
    if (options_.time_step <= bound) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the flow has become too fast for --dt {:g}: at t = {:g} the bound is "
                            "{:.3g}; start again with a smaller one",
                            options_.time_step, history_.time.back(), bound));
  }

  void save(const std::string& path) {
    write_checkpoint(team_, path, "weft-turbulence",
                     {{"size", {static_cast<double>(arguments_.size)}},
                      {"viscosity", {options_.viscosity}},
                      {"power", {options_.power}},
                      {"dt", {options_.time_step}},
                      {"step", {static_cast<double>(step_)}},
                      {"time", history_.time},
                      {"energy", history_.energy},
                      {"dissipation", history_.dissipation},
                      {"spectra", mean_spectrum_.values()}},
                     flow_->saved());
  }

  void resume() {
    SavedNumbers numbers =
        read_checkpoint_numbers(team_, arguments_.steps.resume, "weft-turbulence");
    expect_same(numbers, "size", static_cast<double>(arguments_.size));
    expect_same(numbers, "viscosity", options_.viscosity);
    expect_same(numbers, "power", options_.power);
    expect_same(numbers, "dt", options_.time_step);
    read_checkpoint_fields(team_, arguments_.steps.resume, flow_->saved());
    flow_->restored();
    step_ = std::llround(numbers.at("step").at(0));
    history_.time = numbers.at("time");
    history_.energy = numbers.at("energy");
    history_.dissipation = numbers.at("dissipation");
    mean_spectrum_.restore(numbers.at("spectra"));
    voice_.say(fmt::format("resumed at t = {:g}", history_.time.back()));
  }

  int report() {
    const auto& eps = history_.dissipation;
    const auto peak = std::ranges::max_element(eps);
    voice_.say(fmt::format("energy {:.15g}, dissipation {:.15g} at t = {:g}",
                           history_.energy.back(), eps.back(), history_.time.back()));
    voice_.say(fmt::format("largest dissipation {:.6f} at t = {:.3f}", *peak,
                           history_.time[static_cast<std::size_t>(peak - eps.begin())]));
    Checks checks(voice_);
    const double change = history_.energy.back() - history_.energy.front();
    const double budget = options_.power * history_.time.back() - integral(eps, options_.time_step);
    checks.expect_below("energy budget, |dE - (input - dissipated)| / E",
                        std::abs(change - budget) / history_.energy.front(),
                        is_single() ? 1e-4 : 1e-6);
    checks.expect_below("largest |k . u|", flow_->largest_divergence(), is_single() ? 1e-4 : 1e-12);
    if (options_.start == Start::single_mode)
      checks.expect_below("single mode, distance from the exact decay",
                          flow_->single_mode_error(history_.time.back()),
                          is_single() ? 1e-5 : 1e-14);
    // The published curve needs a lattice that holds all scales.
    if (options_.start == Start::taylor_green && arguments_.reynolds == 1600 &&
        arguments_.size >= 256 && arguments_.end_time >= 10)
      checks.expect_near("peak of the dissipation at Re = 1600", *peak, published_peak,
                         0.03 * published_peak);
    if (is_forced()) report_spectrum(checks);
    save_files();
    return checks.all_passed() ? 0 : 1;
  }

  /// Of the second half of a run.
  static double late_mean(const std::vector<double>& values) {
    double sum = 0;
    for (std::size_t i = values.size() / 2; i < values.size(); ++i) sum += values[i];
    return sum / static_cast<double>(values.size() - values.size() / 2);
  }

  void report_spectrum(Checks& checks) const {
    const double eps = late_mean(history_.dissipation), nu = options_.viscosity;
    const double taylor_reynolds = late_mean(history_.energy) * 2 / 3 * std::sqrt(15 / (nu * eps));
    const WaveRange range = inertial_range(nu, eps);
    const double resolution = largest_wave_number() * std::pow(nu * nu * nu / eps, 0.25);
    voice_.say(fmt::format(
        "second half, {:.0f} spectra: Taylor's Reynolds number {:.0f}, largest wave number times "
        "Kolmogorov's length {:.2f}, inertial range k = {:g} to {:.3g}",
        mean_spectrum_.samples(), taylor_reynolds, resolution, range.from, range.to));
    if (resolution < 1 || !range.is_wide() || mean_spectrum_.samples() == 0) {
      voice_.say(resolution < 1
                     ? "no exponent: the lattice does not hold the smallest scales; use a "
                       "larger --size or a smaller --reynolds"
                     : "no exponent: the range is less than a factor of two; use a "
                       "larger --size and --reynolds");
      return;
    }
    const Estimate energy = mean_spectrum_.exponent(range, false);
    const Estimate along = mean_spectrum_.exponent(range, true);
    voice_.say(fmt::format(
        "exponents there: E(k) {:.3f} +- {:.3f}, longitudinal spectrum {:.3f} +- {:.3f}",
        energy.value, energy.error, along.value, along.error));
    checks.expect_near("exponent of the energy spectrum", energy.value, -5.0 / 3,
                       finite_reynolds_deviation(taylor_reynolds));
  }

  void save_files() {
    const bool is_mean = is_forced() && mean_spectrum_.samples() > 0;
    const std::vector<double> shells = is_mean ? mean_spectrum_.mean() : flow_->spectrum();
    const Picture plane = flow_->vorticity_plane();
    if (arguments_.no_files) return;
    Chart chart{is_mean ? "Energy spectrum, mean of the second half" : "Energy spectrum at the end",
                "wave number",
                "E(k)",
                true,
                true,
                {}};
    Series measured{.name = "E(k)", .points = {}}, slope{.name = "k^(-5/3)", .points = {}};
    slope.dashed = slope.only_line = true;
    for (std::size_t k = 1; k < shells.size(); ++k)
      if (shells[k] > 1e-20) measured.points.emplace_back(k, shells[k]);
    const double from = shells.size() > 4 ? shells[4] * std::pow(4.0, 5.0 / 3) : 0;
    if (from > 0)
      for (double k = 2; k <= largest_wave_number(); k *= 1.5)
        slope.points.emplace_back(k, from * std::pow(k, -5.0 / 3));
    chart.series = {measured, slope};
    if (is_mean) chart.series.push_back(longitudinal_series(shells));
    save_plot(team_, arguments_.prefix + "_spectrum.svg", chart);
    save_plot(team_, arguments_.prefix + "_dissipation.svg", dissipation_chart());
    save_picture(team_, arguments_.prefix + "_vorticity.png", scaled(plane));
    std::string csv = "time,energy,dissipation\n";
    for (std::size_t i = 0; i < history_.time.size(); ++i)
      csv += fmt::format("{:.9g},{:.15g},{:.15g}\n", history_.time[i], history_.energy[i],
                         history_.dissipation[i]);
    save_text(team_, arguments_.prefix + ".csv", csv);
    const std::string film = film_.save(team_, arguments_.prefix);
    voice_.say(
        fmt::format("wrote {0}.csv, {0}_dissipation.svg, {0}_spectrum.svg, {0}_vorticity.png{1}",
                    arguments_.prefix, film.empty() ? "" : ", " + film));
  }

  static Series longitudinal_series(const std::vector<double>& shells) {
    Series series{.name = "E11(k), longitudinal", .points = {}};
    const std::vector<double> along = longitudinal_spectrum(shells);
    for (std::size_t k = 1; k < along.size(); ++k)
      if (along[k] > 1e-20) series.points.emplace_back(k, along[k]);
    return series;
  }

  Chart dissipation_chart() const {
    Chart chart{"Dissipation of kinetic energy", "time", "dissipation", false, false, {}};
    Series eps{.name = "2 nu enstrophy", .points = {}}, loss{.name = "-dE/dt", .points = {}};
    eps.only_line = loss.only_line = loss.dashed = true;
    const auto& t = history_.time;
    const std::size_t stride = std::max<std::size_t>(1, t.size() / 400);
    for (std::size_t i = 0; i < t.size(); i += stride) {
      eps.points.emplace_back(t[i], history_.dissipation[i]);
      if (i > 0 && i + 1 < t.size())
        loss.points.emplace_back(
            t[i], options_.power -
                      (history_.energy[i + 1] - history_.energy[i - 1]) / (2 * options_.time_step));
    }
    chart.series = {eps, loss};
    return chart;
  }

  const Team& team_;
  Voice voice_;
  Arguments arguments_;
  FlowOptions options_;
  Where where_;
  std::unique_ptr<Flow> flow_;
  Index steps_, step_ = 0;
  History history_;
  MeanSpectrum mean_spectrum_;  // of forced flows
  Film film_{"Vorticity", arguments_.film};
};

}  // namespace
}  // namespace weft::apps

int main(int argc, char** argv) {
  using namespace weft::apps;
  Arguments a;
  return run_program(
      {.name = "weft-turbulence",
       .description = "Incompressible turbulence in a periodic box of side 2 pi, pseudo-spectral.",
       .footer = "Examples:\n"
                 "  weft-turbulence --size 64 --end 10           Taylor-Green vortex, Re = 1600\n"
                 "  weft-turbulence --start single-mode --end 1  checked against the exact decay\n"
                 "  weft-turbulence --size 256 --device cuda     the same on a GPU\n"
                 "  mpiexec -n 4 weft-turbulence --size 256 --checkpoint run.weft "
                 "--checkpoint-steps 100",
       .define =
           [&](Options& o) {
             o.add("--size", a.size, "points along each side");
             o.add("--reynolds", a.reynolds, "1 / viscosity");
             o.add("--end", a.end_time, "time at the end");
             o.add("--dt", a.time_step, "time step; 0: a quarter of the stable one");
             o.add("--start", a.start, {"taylor-green", "single-mode", "forced"}, "what happens");
             o.add("--power", a.power, "forced: energy that comes in per time and volume");
             o.add("--seed", a.seed, "forced: of the random start");
             o.add("--prefix", a.prefix, "of the files that are written");
             o.add_flag("--no-files", a.no_files, "write no plots and pictures");
             o.add("--picture-interval", a.picture_interval, "time between pictures of the film");
             add_film_option(o, a.film);
             add_device_option(o, a.device);
             o.add("--precision", a.precision, {"f64", "f32"}, "of the flow; f32 on a GPU only");
             o.add("--effort", a.effort, {"estimate", "measure"},
                   "to plan the transforms; what is measured is kept as wisdom");
             o.add("--bench-steps", a.bench_steps, "only time so many steps; 0: compute");
             add_step_options(o, a.steps);
           },
       .run = [&](const Team& team) { return Run(team, a).execute(); }},
      argc, argv);
}
