// SPDX-License-Identifier: BSD-3-Clause
// weft demo: transforms a real field on all cores, checks the result without another FFT, reports
// the speed, and shows the word hidden in the spectrum.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/bandwidth.hpp"
#include "base/machine.hpp"
#include "commands.hpp"
#include "demo/check.hpp"
#include "demo/hidden_word.hpp"
#include "demo/picture.hpp"
#include "problem.hpp"
#include "streams.hpp"
#include "text.hpp"
#include "timing.hpp"
#include "validators.hpp"
#include "weft/version.h"

namespace weft::tool {
namespace demo_command {

using Complex = std::complex<double>;

struct Arguments {
  Index size = 256;
  int threads = 0;
  std::string effort = "measure";
  std::string picture = "auto";
  JsonTarget json;
};

struct Checks {
  double direct = 0, parseval = 0, round_trip = 0;  // errors
  double direct_limit = 0, parseval_limit = 0, round_trip_limit = 0;
  std::size_t direct_points = 0;
  Index dots = 0, dots_expected = 0, strays = 0;
  bool good() const {
    return direct <= direct_limit && parseval <= parseval_limit && round_trip <= round_trip_limit &&
           dots == dots_expected && strays == 0;
  }
};

struct Speed {
  double seconds = 0, gflops = 0, copy_bandwidth = 0;
  double floor_s = 0;      // time of the plan's memory traffic at copy bandwidth
  double copy_once_s = 0;  // reading the field and writing the spectrum, once
  PlanCost cost;
};

/// |X| in the plane of frequencies that shows the word.
std::vector<double> word_plane(const HiddenWord& word, const Complex* spectrum) {
  const Index columns = word.n / 2 + 1;
  std::vector<double> plane;
  const Complex* const first = spectrum + word.kz * word.n * columns;
  for (Index i = 0; i < word.n * columns; ++i) plane.push_back(std::abs(first[i]));
  return plane;
}

void count_dots(const HiddenWord& word, const std::vector<double>& plane, Checks& checks) {
  std::vector<bool> dots = dots_found(word, plane);
  const Index columns = word.n / 2 + 1;
  checks.dots_expected = static_cast<Index>(word.waves.size());
  for (const Wave& wave : word.waves) {
    const auto at = static_cast<std::size_t>(wave.ky * columns + wave.kx);
    if (dots[at]) ++checks.dots;
    dots[at] = false;
  }
  checks.strays = std::ranges::count(dots, true);
}

Checks check(const HiddenWord& word, const Buffer<double>& field, const Buffer<Complex>& spectrum,
             const PlanOptions& options, int threads) {
  const Index n = word.n, columns = n / 2 + 1;
  const double points = static_cast<double>(n * n * n);
  const double epsilon = std::numeric_limits<double>::epsilon(), levels = std::log2(points);
  Checks checks;
  count_dots(word, word_plane(word, spectrum.data()), checks);

  const std::vector<Frequency> frequencies = {{word.kz, word.waves[0].ky, word.waves[0].kx},
                                              {0, 0, 0},
                                              {1, n - 1, n / 2},
                                              {n / 2, n / 3, 1},
                                              {n - 3, 5, n / 4},
                                              {n / 5, n / 2, 0}};
  checks.direct_points = frequencies.size();
  const auto exact = direct_sums(field.data(), n, frequencies, threads);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const Frequency& k = frequencies[i];
    const Complex& got = spectrum[(k.z * n + k.y) * columns + k.x];
    const double error = static_cast<double>(std::abs(std::complex<long double>(got) - exact[i]));
    checks.direct = std::max(checks.direct, error / std::sqrt(points));
  }
  checks.direct_limit = 10 * epsilon * levels;
  checks.parseval = parseval_difference(field.data(), spectrum.data(), n);
  checks.parseval_limit = 10 * epsilon * levels;

  const Plan back(c2r({n, n, n}), options);
  Buffer<double> again(n * n * n);
  back.execute(spectrum.data(), again.data());
  checks.round_trip = largest_difference(field.data(), again.data(), n * n * n, points);
  checks.round_trip_limit = 10 * epsilon * levels;
  return checks;
}

Speed measure(const Plan& plan, const Buffer<double>& field, Buffer<Complex>& spectrum,
              int threads) {
  Speed speed;
  Workspace workspace = plan.make_workspace();
  speed.seconds =
      time_calls([&] { plan.execute(field.data(), spectrum.data(), workspace); }, 0.05, 7);
  speed.gflops = nominal_flops(field.size(), 1, true) / speed.seconds / 1e9;
  const double once = static_cast<double>(input_bytes(plan) + output_bytes(plan));
  speed.copy_bandwidth = copy_bandwidth_for(static_cast<std::size_t>(once), threads);
  speed.cost = plan.cost();
  speed.floor_s = speed.cost.bytes / speed.copy_bandwidth;
  speed.copy_once_s = once / speed.copy_bandwidth;
  return speed;
}

/// A rectangle of the field's plane z = 0 as gray values.
Picture field_picture(const HiddenWord& word, const double* field, Index height, Index width) {
  Picture picture = blank_picture(height, width);
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x) picture.at(y, x) = (field[y * word.n + x] + 1) / 2;
  return picture;
}

struct Window {
  Index top, left, height, width;
};
/// The same for the spectrum: noise is dark, a wave is bright.
Picture spectrum_picture(const HiddenWord& word, const std::vector<double>& plane,
                         const Window& window) {
  const Index columns = word.n / 2 + 1;
  const double bright = word.amplitude * std::pow(static_cast<double>(word.n), 3) / 2;
  Picture picture = blank_picture(window.height, window.width);
  for (Index y = 0; y < window.height; ++y)
    for (Index x = 0; x < window.width; ++x) {
      const auto at = static_cast<std::size_t>((window.top + y) * columns + window.left + x);
      picture.at(y, x) = plane[at] / bright;
    }
  return picture;
}

/// Saves field and spectrum side by side. Returns the name of the file; empty if no picture was
/// requested.
std::string save_picture(const Arguments& arguments, const HiddenWord& word, const double* field,
                         const std::vector<double>& plane) {
  std::string path = arguments.picture;
  if (path == "auto")
    path = std::filesystem::is_directory("build") ? "build/weft-demo.png" : "weft-demo.png";
  if (path.empty()) return path;
  const Index side = word.n / 2;
  const Picture left = field_picture(word, field, side, side);
  const Picture right = spectrum_picture(word, plane, {0, 0, side, side});
  Picture both = blank_picture(side, 2 * side + 4);
  for (Index y = 0; y < side; ++y)
    for (Index x = 0; x < side; ++x) {
      both.at(y, x) = left.at(y, x);
      both.at(y, side + 4 + x) = std::sqrt(right.at(y, x));
    }
  write_png(both, 4, path);
  return path;
}

void print_speed(const Speed& speed, Index n, int threads) {
  fmt::print("\nSpeed, {0}x{0}x{0} real to complex, f64, {1} thread{2}\n", n, threads,
             threads == 1 ? "" : "s");
  fmt::print("  time               {}\n", seconds_text(speed.seconds));
  fmt::print("  rate               {:.1f} Gflop/s (2.5 N log2 N operations)\n", speed.gflops);
  fmt::print("  passes over memory {:.2g} ({} moved)\n", speed.cost.passes,
             bytes_text(speed.cost.bytes));
  fmt::print("  bandwidth limit    {} for these passes at copy bandwidth ({:.1f} GB/s);\n",
             seconds_text(speed.floor_s), speed.copy_bandwidth / 1e9);
  fmt::print("                     weft takes {:.2f} times that\n", speed.seconds / speed.floor_s);
  fmt::print("  one plain copy     {}: read the field and write the spectrum, without computing\n",
             seconds_text(speed.copy_once_s));
}

void print_checks(const Checks& checks) {
  const auto line = [](const char* name, double error, double limit) {
    fmt::print("  {:<32} {:.1e}  {}\n", name, error, error <= limit ? "good" : "WRONG");
  };
  fmt::print("\nChecks (none uses another FFT library)\n");
  line(fmt::format("{} outputs against the definition", checks.direct_points).c_str(),
       checks.direct, checks.direct_limit);
  line("Parseval's equation", checks.parseval, checks.parseval_limit);
  line("round trip", checks.round_trip, checks.round_trip_limit);
  fmt::print("  {:<32} {} of {}, {} false  {}\n", "hidden waves found", checks.dots,
             checks.dots_expected, checks.strays,
             checks.dots == checks.dots_expected && checks.strays == 0 ? "good" : "WRONG");
}

nlohmann::json as_json(const Speed& speed, const Checks& checks, const Plan& plan, int threads) {
  return {{"transform", describe(plan.transform())},
          {"recipe", plan.recipe()},
          {"threads", threads},
          {"seconds", speed.seconds},
          {"gflops", speed.gflops},
          {"passes", speed.cost.passes},
          {"bytes", speed.cost.bytes},
          {"copy_bandwidth", speed.copy_bandwidth},
          {"times_bandwidth_limit", speed.seconds / speed.floor_s},
          {"checks",
           {{"direct", checks.direct},
            {"parseval", checks.parseval},
            {"round_trip", checks.round_trip},
            {"waves_found", checks.dots},
            {"waves_planted", checks.dots_expected},
            {"good", checks.good()}}}};
}

void run(const Arguments& arguments) {
  const bool as_lines = arguments.json != "-";
  const auto say = [&](const std::string& text) {
    if (as_lines) fmt::print("{}", text);
    flush_standard_output();
  };
  const int threads = arguments.threads > 0 ? arguments.threads : this_machine().usable_threads;
  const HiddenWord word = hidden_word(arguments.size);
  const Index n = word.n;
  say(fmt::format("weft {} on {}, {} thread{}\n\n", WEFT_VERSION, this_machine().cpu, threads,
                  threads == 1 ? "" : "s"));
  say(fmt::format("A field of {0}x{0}x{0} real numbers. A corner of it looks like noise.\n\n", n));
  const Buffer<double> field = make_field(word, threads);
  say(as_text(field_picture(word, field.data(), word.height, word.width)));

  const PlanOptions options{
      .effort = parse_effort(arguments.effort), .threads = threads, .time_limit_s = 5};
  const Plan plan(r2c({n, n, n}), options);
  Buffer<Complex> spectrum(n * n * (n / 2 + 1));
  const Speed speed = measure(plan, field, spectrum, threads);
  const std::vector<double> plane = word_plane(word, spectrum.data());
  say(fmt::format(
      "\nIts spectrum in the plane kz = {}: {} waves, each {:.0f} dB below the noise.\n\n", word.kz,
      word.waves.size(), 10 * std::log10((1.0 / 3) / (word.amplitude * word.amplitude / 2))));
  say(as_text(spectrum_picture(word, plane, {word.top, word.left, word.height, word.width})));

  const Checks checks = check(word, field, spectrum, options, threads);
  if (as_lines) {
    print_speed(speed, n, threads);
    print_checks(checks);
  }
  const std::string picture = save_picture(arguments, word, field.data(), plane);
  if (!picture.empty()) say(fmt::format("\nField and spectrum side by side: {}\n", picture));
  say(fmt::format("Next: weft explain {0}x{0}x{0} --real --threads 0, or weft --help\n", n));
  nlohmann::json document = as_json(speed, checks, plan, threads);
  document["picture"] = picture;
  write_json(arguments.json, document);
  if (!checks.good()) throw Failed{"the transform is wrong: see the checks above"};
}

}  // namespace demo_command

void add_demo_command(CLI::App& app) {
  using namespace demo_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      *app.add_subcommand("demo", "A demonstration: transform a field, check it, time it, draw it");
  command.add_option("--size", arguments->size, "Points along each of the three axes")
      ->check(CLI::Range(256, 1024))
      ->capture_default_str();
  command.add_option("--threads", arguments->threads, "Number of threads; 0: all cores")
      ->check(at_least(0))
      ->capture_default_str();
  command
      .add_option("--effort", arguments->effort, "Planning effort: estimate, measure or patient")
      ->capture_default_str();
  command
      .add_option(
          "--picture", arguments->picture,
          "PNG file to write; '': none; auto: weft-demo.png in build/ or in the current folder")
      ->capture_default_str();
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft demo\n"
      "  weft demo --threads 1 --picture ''\n"
      "  weft demo --size 512 --json");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
