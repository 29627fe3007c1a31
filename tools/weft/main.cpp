// SPDX-License-Identifier: BSD-3-Clause
// The tool `weft`: what the library does from code, done from the shell. Exit codes: 0 done, 1 a
// result that should not be (a failed check), 2 bad input, with one line that says what to do.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "commands.hpp"
#include "mpi/runtime.hpp"
#include "weft/error.hpp"

namespace weft::tool {

namespace {

/// One line on standard error, whatever the message holds; of many ranks the first one speaks.
void complain(std::string message) {
  if (rank_of_this_process() > 0) return;
  std::ranges::replace(message, '\n', ' ');
  fmt::print(stderr, "weft: {}\n", message);
}

void describe(CLI::App& app) {
  app.set_version_flag("--version", "weft " WEFT_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  weft demo                            a first look: transform, check, time, draw\n"
      "  weft fft image.npy spectrum.npy      transform a NumPy file\n"
      "  weft explain 512x512x512             how weft would do it, and at what cost\n"
      "  weft bench local --rows in-cache     weft and FFTW side by side\n"
      "  mpiexec -n 4 weft trace 256x256x256  many ranks, and a picture of what they did\n"
      "  weft simulate --size 64^3            a transform on a simulated wafer, checked\n"
      "Every sub-command has --help with examples of its own, and --json.");
  add_fft_command(app);
  add_plan_command(app);
  add_explain_command(app);
  add_tune_command(app);
  add_trace_command(app);
  add_bench_command(app);
  add_test_gpu_command(app);
  add_codegen_command(app);
  add_predict_command(app);
  add_simulate_command(app);
  add_sweep_command(app);
  add_paper_command(app);
  add_animate_command(app);
  add_info_command(app);
  add_demo_command(app);
}

/// What ranks do together; everything else, and every --help, is for the first one alone.
bool is_for_all_ranks(const std::vector<std::string>& words) {
  const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  if (words.empty() || has("-h") || has("--help") || has("--version")) return false;
  if (words[0] == "bench") return words.size() > 1 && words[1] != "local" && words[1] != "gpu";
  if (words[0] == "test-gpu") return !has("--compile");
  return words[0] == "fft" || words[0] == "trace" || words[0] == "explain" || words[0] == "tune";
}

int run(int argc, char** argv) {
  if (!is_for_all_ranks({argv + 1, argv + argc})) {
    if (rank_of_this_process() > 0) return 0;
    stay_alone();
  }
  CLI::App app("weft: fast Fourier transforms, from formulas", "weft");
  describe(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    complain(fmt::format("{}; see weft --help, or weft COMMAND --help", error.what()));
  } catch (const Failed& failed) {
    complain(failed.reason);
    return 1;
  } catch (const Error& error) {
    complain(error.what());
    return error.code() == ErrorCode::internal ? 1 : 2;
  } catch (const std::bad_alloc&) {
    complain("out of memory; transform fewer axes at a time, or use a machine with more memory");
  } catch (const std::exception& error) {
    complain(fmt::format("unexpected failure: {}", error.what()));
    return 1;
  }
  return 2;
}

}  // namespace
}  // namespace weft::tool

int main(int argc, char** argv) {
  const int exit_code = weft::tool::run(argc, argv);
  // mpiexec ends the ranks that are still leaving when the first one has left with an error.
  std::signal(SIGTERM, SIG_IGN);
  weft::tool::finish_mpi(exit_code);
  return exit_code;
}
