// SPDX-License-Identifier: BSD-3-Clause
// A short run of a fuzz target without libFuzzer: every seed, then pseudorandom mutations of them.
// Usage: REPLAY MUTATIONS SEED_FOLDER_OR_FILE... An input that crashes, or takes more than 20
// seconds of CPU time or 5 minutes in total, is printed and written to finding.bin.
#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "support/oracle.hpp"

namespace {

using weft::test::Random;

constexpr unsigned longest_cpu_s = 20, longest_s = 300;
const std::string* current = nullptr;  // for the signal handler

/// Only what a signal handler may do.
void report(int signal) {
  const auto say = [](std::string_view text) {
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(1);
  };
  say(signal == SIGALRM || signal == SIGPROF ? "\ntook too long with this input:\n"
                                             : "\nfailed with this input:\n");
  if (current != nullptr) {
    say(std::string_view(*current).substr(0, 2000));
    const int file = ::open("finding.bin", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && ::write(file, current->data(), current->size()) >= 0) ::close(file);
  }
  say("\n");
  ::_exit(1);
}

std::vector<std::string> read_seeds(int count, char** paths) {
  std::set<std::filesystem::path> files;  // in one order everywhere
  for (int i = 0; i < count; ++i) {
    if (!std::filesystem::is_directory(paths[i]))
      files.insert(paths[i]);
    else
      for (const auto& entry : std::filesystem::directory_iterator(paths[i]))
        files.insert(entry.path());
  }
  std::vector<std::string> seeds;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

std::size_t position(Random& random, const std::string& text) {
  return static_cast<std::size_t>(random.between(0, static_cast<weft::Index>(text.size())));
}

std::string part(Random& random, const std::string& text) {
  const std::size_t begin = position(random, text);
  return text.substr(begin, static_cast<std::size_t>(random.between(1, 12)));
}

/// Numbers at which programs go wrong.
std::string odd_number(Random& random) {
  static constexpr const char* numbers[] = {
      "0",          "1",  "2",   "3",   "4",
      "16",         "63", "255", "1e9", "-1",
      "2147483648", "7",  "4.5", "5",   "9223372036854775807"};
  return numbers[random.bits() % std::size(numbers)];
}

void replace_number(Random& random, std::string& text) {
  const std::size_t begin = text.find_first_of("0123456789", position(random, text));
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  text.replace(begin, end - begin, odd_number(random));
}

/// A part over and over: for parsers that call themselves.
std::string nested(Random& random, const std::string& text) {
  const std::string piece = part(random, text);
  std::string many;
  for (weft::Index i = random.between(100, 20000); i > 0; --i) many += piece;
  return many;
}

std::string mutated(Random& random, const std::vector<std::string>& seeds) {
  std::string text = seeds[random.bits() % seeds.size()];
  for (weft::Index turns = random.between(1, 4); turns > 0; --turns) {
    const std::size_t at = position(random, text);
    switch (random.between(0, 6)) {
      case 0: replace_number(random, text); break;
      case 1: replace_number(random, text); break;
      case 2: text.insert(at, part(random, text)); break;
      case 3: text.erase(at, static_cast<std::size_t>(random.between(1, 8))); break;
      case 4: text.insert(at, part(random, seeds[random.bits() % seeds.size()])); break;
      case 5: text.insert(at, 1, static_cast<char>(random.bits())); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.between(0, 7)));
    }
  }
  if (random.between(0, 49) == 0) text.insert(position(random, text), nested(random, text));
  return text;
}

/// A stack of its own for report(), which has none left when calls nest too deep.
void catch_signals() {
  static std::vector<char> memory(std::size_t{1} << 16);
  const stack_t stack{memory.data(), 0, memory.size()};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = report;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGALRM, SIGPROF})
    ::sigaction(signal, &action, nullptr);
}

void run(const std::string& input) {
  current = &input;
  const itimerval limit{{}, {longest_cpu_s, 0}}, none{};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
  ::alarm(longest_s);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  ::alarm(0);
  ::setitimer(ITIMER_PROF, &none, nullptr);
  current = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MUTATIONS SEED_FOLDER_OR_FILE...\n", argv[0]);
    return 2;
  }
  catch_signals();
  const std::vector<std::string> seeds = read_seeds(argc - 2, argv + 2);
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds\n");
    return 2;
  }
  for (const std::string& seed : seeds) run(seed);
  if (weft::fuzz::accepted == 0) {
    std::fprintf(stderr, "every seed was refused\n");
    return 1;
  }
  Random random(1);
  const int mutations = std::atoi(argv[1]);
  for (int i = 0; i < mutations; ++i) run(mutated(random, seeds));
  std::printf("%zu seeds, %d mutations, %d runs of what was accepted\n", seeds.size(), mutations,
              weft::fuzz::accepted);
}
