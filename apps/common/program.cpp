// SPDX-License-Identifier: BSD-3-Clause
#include "common/program.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <sstream>

#include "base/machine.hpp"
#include "mpi/runtime.hpp"
#include "progress.hpp"
#include "streams.hpp"
#include "text.hpp"
#include "weft/version.h"

namespace weft::apps {

struct Options::Impl {
  CLI::App app;
};

Options::Options(const std::string& name, const std::string& description, const std::string& footer)
    : impl_(std::make_unique<Impl>()) {
  impl_->app.name(name);
  impl_->app.description(description);
  impl_->app.footer(footer);
  impl_->app.set_version_flag("--version", name + " " WEFT_VERSION);
  impl_->app.option_defaults()->always_capture_default();
}
Options::~Options() = default;

void Options::add(const std::string& flag, double& value, const std::string& help) {
  impl_->app.add_option(flag, value, help);
}
void Options::add(const std::string& flag, Index& value, const std::string& help) {
  impl_->app.add_option(flag, value, help);
}
void Options::add(const std::string& flag, int& value, const std::string& help) {
  impl_->app.add_option(flag, value, help);
}
void Options::add(const std::string& flag, std::string& value, const std::string& help) {
  impl_->app.add_option(flag, value, help);
}
void Options::add(const std::string& flag, std::vector<double>& value, const std::string& help) {
  impl_->app.add_option(flag, value, help)->delimiter(',');
}
void Options::add(const std::string& flag, std::vector<Index>& value, const std::string& help) {
  impl_->app.add_option(flag, value, help)->delimiter(',');
}
void Options::add_flag(const std::string& flag, bool& value, const std::string& help) {
  impl_->app.add_flag(flag, value, help);
}
void Options::add(const std::string& flag, std::string& value,
                  const std::vector<std::string>& words, const std::string& help) {
  impl_->app.add_option(flag, value, help)->check(CLI::IsMember(words));
}
void Options::add_argument(const std::string& name, std::string& value, const std::string& help) {
  impl_->app.add_option(name, value, help);
}

void Voice::say(const std::string& line) const {
  if (!speaks_) return;
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void refuse(const std::string& message) { throw Error(ErrorCode::invalid_argument, message); }

void Checks::expect_near(const std::string& name, double value, double expected, double tolerance) {
  const bool passed = std::abs(value - expected) <= tolerance;  // false for NaN
  all_passed_ &= passed;
  voice_.say(fmt::format("check: {}: {:.10g}, expected {:.10g} +- {:.2g}: {}", name, value,
                         expected, tolerance, passed ? "ok" : "FAILED"));
}

void Checks::expect_below(const std::string& name, double value, double bound) {
  const bool passed = value <= bound;
  all_passed_ &= passed;
  voice_.say(fmt::format("check: {}: {:.3g}, at most {:.3g}: {}", name, value, bound,
                         passed ? "ok" : "FAILED"));
}

namespace {

std::atomic<bool> interrupted = false;

extern "C" void remember_signal(int) { interrupted = true; }

struct RankOptions {
  int ranks = 1, threads = 0;
};

/// Runs the program on all ranks and returns the largest exit code.
int run_on_ranks(const Program& program, const RankOptions& options) {
  const auto on_one = [&](const Comm& comm, int threads) {
    const Team team(comm, threads);
    return program.run(team);
  };
  if (tool::MpiRuntime* mpi = tool::mpi_runtime()) {
    if (options.ranks != 1)
      refuse("--ranks is for runs without mpiexec; under mpiexec its processes are the ranks");
    return on_one(*mpi->world(), options.threads == 0 ? 1 : options.threads);
  }
  const int cores = this_machine().usable_threads;
  const int threads = options.threads != 0 ? options.threads : std::max(1, cores / options.ranks);
  std::atomic<int> worst = 0;
  run_as_threads(options.ranks, [&](const Comm& comm) {
    const int code = on_one(comm, threads);
    int seen = worst;
    while (code > seen && !worst.compare_exchange_weak(seen, code)) {
    }
  });
  return worst;
}

int exit_code_of(const Program& program, CLI::App& app, const RankOptions& options, int argc,
                 char** argv) {
  const auto complain = [&](const std::string& text) {
    if (tool::rank_of_this_process() == 0)
      tool::tell(fmt::format("{}: {}\n", program.name, text).c_str());
  };
  try {
    app.parse(argc, argv);
    if (options.ranks < 1 || options.threads < 0)
      refuse("--ranks must be at least 1 and --threads at least 0");
    const int code = run_on_ranks(program, options);
    tool::flush_standard_output();
    return code;
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream text;
    app.exit(success, text);
    if (tool::rank_of_this_process() == 0) fmt::print("{}", text.str());
    return 0;
  } catch (const CLI::ParseError& error) {
    complain(fmt::format("{}; see {} --help", error.what(), program.name));
  } catch (const Error& error) {
    complain(error.what());
    return error.code() == ErrorCode::internal ? 1 : 2;
  } catch (const std::bad_alloc&) {
    complain("out of memory; choose a smaller lattice, or use more ranks on more nodes");
  } catch (const std::exception& error) {
    complain(fmt::format("unexpected error: {}", error.what()));
    return 1;
  }
  return 2;
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  tool::reserve_standard_streams();
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, remember_signal);
  Options options(program.name, program.description, program.footer);
  RankOptions ranks;
  program.define(options);
  options.add("--ranks", ranks.ranks, "ranks, as threads of this process (without mpiexec)");
  options.add("--threads", ranks.threads, "threads of each rank; 0: all cores, 1 under mpiexec");
  const int code = exit_code_of(program, options.impl_->app, ranks, argc, argv);
  std::signal(SIGTERM, SIG_IGN);  // mpiexec sends it to ranks that are still exiting
  tool::finish_mpi(code);
  return code;
}

bool is_interrupted(const Team& team) { return team.any(interrupted); }

void say_memory(const Team& team) {
  struct rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  double used = static_cast<double>(usage.ru_maxrss) * 1024;
  const bool shares_process = tool::mpi_runtime() == nullptr;
  if (!shares_process) used = team.sum(used);  // ranks of several nodes are added up, too
  const auto limit = static_cast<double>(this_machine().memory_bytes);
  Voice(team).say(fmt::format("memory: {} at most{}, {:.1f} % of the {} that {} has",
                              tool::bytes_text(used), shares_process ? "" : " on all ranks",
                              100 * used / limit, tool::bytes_text(limit),
                              shares_process ? "this machine" : "a machine"));
}

struct ProgressBar::Impl {
  tool::Progress bar;
  double total, done = 0;
};

ProgressBar::ProgressBar(const Team& team, double total)
    : impl_(new Impl{
          .bar{team.is_first() ? tool::ShowProgress::on_terminal : tool::ShowProgress::never,
               total},
          .total = total}) {}
ProgressBar::~ProgressBar() = default;

void ProgressBar::show(double done, const std::string& state) {
  impl_->bar.phase(state);
  impl_->bar.advance(done - impl_->done);
  impl_->done = done;
}
void ProgressBar::clear() { impl_->bar.clear(); }

}  // namespace weft::apps
