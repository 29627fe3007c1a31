// SPDX-License-Identifier: BSD-3-Clause
// weft run-with: runs a program that was written for FFTW or cuFFT on weft's libraries with their
// interfaces, and prints which transforms it made. dropins/report_lines.hpp writes what is read
// here.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace run_with_command {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> program;
  JsonTarget json;
};

/// The libraries of an installed weft, or those of a build folder.
fs::path library_folder() {
  const fs::path tool = fs::canonical("/proc/self/exe").parent_path();
  for (const fs::path& folder : {tool.parent_path() / WEFT_LIBDIR / "weft" / "fftw",
                                 tool.parent_path().parent_path() / "dropins" / "fftw" / "lib"})
    if (fs::exists(folder / "libfftw3.so.3")) return folder;
  throw Error(ErrorCode::unsupported,
              "weft's libfftw3.so.3 is neither installed beside the tool nor in its build folder; "
              "build weft with -DWEFT_DROPINS=ON");
}

void put_first(const char* variable, const std::string& value, char separator) {
  const char* const old = std::getenv(variable);
  const std::string all = old == nullptr || *old == '\0' ? value : value + separator + old;
  setenv(variable, all.c_str(), 1);
}

/// LD_PRELOAD reaches programs that bring their own FFTW or were linked with an rpath; by the
/// search path the libraries for threads and MPI are found.
void set_environment(const fs::path& folder, const fs::path& report) {
  std::string path = folder.string();
  const bool is_mpich = std::getenv("PMI_SIZE") != nullptr;
  for (const char* mpi : {is_mpich ? "mpich" : "openmpi", is_mpich ? "openmpi" : "mpich"})
    if (fs::exists(folder / mpi)) path += ":" + (folder / mpi).string();
  std::string preload;
  for (const char* name : {"libfftw3", "libfftw3f", "libfftw3_threads", "libfftw3f_threads",
                           "libfftw3_omp", "libfftw3f_omp"})
    if (const std::string library = (folder / name).string() + ".so.3"; fs::exists(library))
      preload += library + " ";
  for (const fs::path& cufft :
       {folder.parent_path() / "cufft", folder.parent_path().parent_path() / "cufft" / "lib"})
    if (fs::exists(cufft / "libweft_cufft.so")) preload += (cufft / "libweft_cufft.so ").string();
  put_first("LD_LIBRARY_PATH", path, ':');
  put_first("LD_PRELOAD", preload, ' ');
  setenv("WEFT_DROPIN_REPORT", report.c_str(), 1);
}

/// Returns the exit status as a shell would.
int run_program(const std::vector<std::string>& words, const fs::path& report) {
  const fs::path folder = library_folder();
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0)
    throw Error(ErrorCode::unsupported,
                "the system cannot start another process; end some programs and try again");
  if (child == 0) {
    set_environment(folder, report);
    execvp(arguments[0], arguments.data());
    std::fprintf(stderr, "weft: %s cannot be run; check its name\n", arguments[0]);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Row {
  std::string called, precision, problem, recipe, instead;
  long long plans = 0, calls = 0, untimed_calls = 0;
  double seconds = 0;
};

/// Lines of several processes and libraries; equal ones are added up.
std::vector<Row> read_report(const fs::path& path) {
  std::map<std::string, Row> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Row row;
    std::string plans, calls, untimed_calls, seconds;
    for (std::string* field : {&row.called, &row.precision, &row.problem, &row.recipe, &row.instead,
                               &plans, &calls, &untimed_calls, &seconds})
      std::getline(fields, *field, '\t');
    const std::string key = row.called + "\t" + row.precision + "\t" + row.problem + "\t" +
                            row.recipe + "\t" + row.instead;
    Row& sum = rows.try_emplace(key, row).first->second;
    sum.plans += std::strtoll(plans.c_str(), nullptr, 10);
    sum.calls += std::strtoll(calls.c_str(), nullptr, 10);
    sum.untimed_calls += std::strtoll(untimed_calls.c_str(), nullptr, 10);
    sum.seconds += std::strtod(seconds.c_str(), nullptr);
  }
  std::vector<Row> sorted;
  for (auto& [key, row] : rows) sorted.push_back(row);
  std::ranges::stable_sort(sorted, std::greater{}, &Row::seconds);
  return sorted;
}

void print(const std::vector<Row>& rows) {
  if (rows.empty())
    return fmt::print(stderr,
                      "\nweft: the program planned no transform by FFTW's or cuFFT's interface, or "
                      "ended without saying so\n");
  fmt::print(stderr, "\nTransforms of the program on weft\n  calls    seconds  what\n");
  for (const Row& row : rows) {
    if (row.recipe.empty() && row.instead.empty()) continue;
    fmt::print(stderr, "{:7} {:10.6f}  {}{} {}\n{:20}{}\n", row.calls, row.seconds,
               row.called == "cuFFT" ? "GPU " : "", row.precision, row.problem, "",
               row.recipe.empty() ? "not on weft; " + row.instead : row.recipe);
    if (row.untimed_calls > 0)
      fmt::print(stderr,
                 "{:20}{} of these calls are not in the time: captured into a graph, or too "
                 "many at once\n",
                 "", row.untimed_calls);
  }
  for (const Row& row : rows)
    if (row.recipe.empty() && row.instead.empty())
      fmt::print(stderr, "not taken over ({} plans): {} {}\n", row.plans, row.precision,
                 row.problem);
}

nlohmann::json as_json(const std::vector<Row>& rows, int status) {
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : rows)
    list.push_back({{"library", row.called},
                    {"precision", row.precision},
                    {"problem", row.problem},
                    {"recipe", row.recipe},
                    {"instead", row.instead},
                    {"plans", row.plans},
                    {"calls", row.calls},
                    {"untimed_calls", row.untimed_calls},
                    {"time_s", row.seconds}});
  return {{"exit_status", status}, {"transforms", list}};
}

/// A file that is gone when the command ends.
struct TemporaryFile {
  std::string name = (fs::temp_directory_path() / "weft-run-with-XXXXXX").string();
  TemporaryFile() {
    const int file = mkstemp(name.data());
    if (file < 0)
      throw Error(ErrorCode::io, "no file can be made in " + fs::temp_directory_path().string() +
                                     "; set TMPDIR to a folder that can be written to");
    close(file);
  }
  ~TemporaryFile() { std::remove(name.c_str()); }
};

void run(const Arguments& arguments) {
  int status = 0;
  {
    const TemporaryFile report;
    status = run_program(arguments.program, report.name);
    const std::vector<Row> rows = read_report(report.name);
    print(rows);
    write_json(arguments.json, as_json(rows, status));
  }
  if (status != 0) std::exit(status);  // the program's own
}

}  // namespace run_with_command

void add_run_with_command(CLI::App& app) {
  using namespace run_with_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* const command = app.add_subcommand(
      "run-with",
      "Run a program that was written for FFTW or cuFFT on weft, and list its transforms");
  command->add_option("program", arguments->program, "after --: the program and its arguments")
      ->required();
  add_json_flag(*command, arguments->json);
  command->footer(
      "Example:\n"
      "  weft run-with -- octave-cli --eval 'fft(rand(1000, 1));'\n"
      "The exit status is that of the program. docs/dropins.md says what is taken over.");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
