// SPDX-License-Identifier: BSD-3-Clause
// What all programs share: the command line, ranks and threads, Ctrl-C, errors and exit codes.
// Exit codes: 0 success; 1 a check failed; 2 bad input; 130 interrupted.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/team.hpp"

namespace weft::apps {

/// The options of a program. Variables keep their value as the default.
class Options {
 public:
  Options(const std::string& name, const std::string& description, const std::string& footer);
  ~Options();
  void add(const std::string& flag, double& value, const std::string& help);
  void add(const std::string& flag, Index& value, const std::string& help);
  void add(const std::string& flag, int& value, const std::string& help);
  void add(const std::string& flag, std::string& value, const std::string& help);
  void add(const std::string& flag, std::vector<double>& value, const std::string& help);
  void add(const std::string& flag, std::vector<Index>& value, const std::string& help);
  void add_flag(const std::string& flag, bool& value, const std::string& help);
  /// One of these words.
  void add(const std::string& flag, std::string& value, const std::vector<std::string>& words,
           const std::string& help);
  /// An argument without a flag.
  void add_argument(const std::string& name, std::string& value, const std::string& help);

 private:
  friend int run_program(const struct Program& program, int argc, char** argv);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a program says, only on its first rank.
class Voice {
 public:
  explicit Voice(const Team& team) : speaks_(team.is_first()) {}
  void say(const std::string& line) const;

 private:
  bool speaks_;
};

/// Throws weft::Error (invalid_argument).
[[noreturn]] void refuse(const std::string& message);

/// A check that a program makes of its own result. The program ends with exit code 1 if one fails.
class Checks {
 public:
  explicit Checks(const Voice& voice) : voice_(voice) {}
  /// "check: NAME: 0.5932, expected 0.5937 +- 0.0012: ok"
  void expect_near(const std::string& name, double value, double expected, double tolerance);
  void expect_below(const std::string& name, double value, double bound);
  bool all_passed() const { return all_passed_; }

 private:
  const Voice& voice_;
  bool all_passed_ = true;
};

struct Program {
  std::string name, description, footer;
  std::function<void(Options&)> define;
  /// Called on every rank; returns the exit code.
  std::function<int(const Team&)> run;
};

/// `--ranks N` runs on N threads that act as ranks; under mpiexec the ranks are its processes.
/// `--threads` are those of each rank.
int run_program(const Program& program, int argc, char** argv);

/// Collective: whether Ctrl-C was pressed (or SIGTERM came) on any rank.
bool is_interrupted(const Team& team);
inline constexpr int exit_interrupted = 130;

/// Collective: says how much memory the program used at most, and how much there is.
void say_memory(const Team& team);

/// A bar with the time left on standard error, if that is a terminal; only on the first rank.
class ProgressBar {
 public:
  ProgressBar(const Team& team, double total);
  ~ProgressBar();
  /// `done` of the total; `state` is shown beside it.
  void show(double done, const std::string& state);
  void clear();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::apps
