// SPDX-License-Identifier: BSD-3-Clause
#include "tool.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/replace_file.hpp"
#include "commands.hpp"
#include "file.hpp"
#include "mpi/runtime.hpp"
#include "streams.hpp"
#include "weft/error.hpp"
#include "weft/version.h"

namespace weft::tool {

namespace {

/// Lines of at most `width` characters.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string result;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word; column += word.size()) {
    if (column > 0 && column + 1 + word.size() > width) {
      result += '\n';
      column = 0;
    } else if (column > 0) {
      result += ' ';
      ++column;
    }
    result += word;
  }
  return result;
}

/// Help with the default value of each option at the end of its description, in short lines.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    const std::string name = CLI::Formatter::make_option_name(option, is_positional);
    const std::size_t value = name.find('{');  // of --json{-}
    return value == std::string::npos ? name : name.substr(0, value) + "[=FILE]";
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional() || option->get_type_size() == 0) return "";
    const std::string type = option->get_type_name();  // with the permitted range after a colon
    const bool is_list = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    return " " + type.substr(0, type.find(':')) + (is_list ? ",..." : "");
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    const std::string value = option->get_default_str();
    if (!value.empty() && text.find("(default:") == std::string::npos)
      text += " (default: " + value + ")";
    return wrapped(text, 66);
  }
};

void describe(CLI::App& app, const Tool& tool) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", "weft " WEFT_VERSION);
  app.require_subcommand(1);
  app.footer(tool.footer);
  for (const auto add_command : tool.commands) add_command(app);
}

/// Commands that all ranks run together; other commands, and every --help, are run by rank 0 alone.
bool is_for_all_ranks(const std::vector<std::string>& words) {
  const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  if (words.empty() || has("-h") || has("--help") || has("--version")) return false;
  if (words[0] == "bench") return words.size() > 1 && words[1] != "local" && words[1] != "gpu";
  if (words[0] == "paper") return has("--measure");
  if (words[0] == "test-gpu") return !has("--compile");
  return words[0] == "fft" || words[0] == "trace" || words[0] == "explain" || words[0] == "tune";
}

void run_command(const Tool& tool, int argc, char** argv) {
  CLI::App app("weft: fast Fourier transforms generated from formulas", "weft");
  describe(app, tool);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream text;
    app.exit(success, text);
    fmt::print("{}", text.str());
  }
  flush_standard_output();
}

int exit_code_of(const Tool& tool, int argc, char** argv) {
  if (!is_for_all_ranks({argv + 1, argv + argc})) {
    if (rank_of_this_process() > 0) return 0;
    stay_alone();
  }
  try {
    run_command(tool, argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
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
    if (!standard_output_failed()) {
      complain(fmt::format("unexpected error: {}", error.what()));
      return 1;
    }
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    complain("cannot write to standard output: " +
             (system != nullptr ? because(system->code().value()) : error.what()));
  }
  return 2;
}

}  // namespace

int run_tool(const Tool& tool, int argc, char** argv) {
  reserve_standard_streams();
  clean_up_on_signals();
  const int exit_code = exit_code_of(tool, argc, argv);
  // When the first rank has exited with an error, mpiexec sends SIGTERM to ranks that are still
  // exiting.
  std::signal(SIGTERM, SIG_IGN);
  finish_mpi(exit_code);
  return exit_code;
}

}  // namespace weft::tool
