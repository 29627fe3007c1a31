// SPDX-License-Identifier: BSD-3-Clause
// Wisdom in and out: strings, files and functions of the program. Wisdom of FFTW itself is refused
// like any other text that is not ours; to FFTW ours is refused in the same way.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "dropins/fftw/wisdom.hpp"

namespace wisdom = weft::fftw::wisdom;
using WriteChar = FFTW_NAME(write_char_func);
using ReadChar = FFTW_NAME(read_char_func);

namespace {

/// What a function with a result of 0 for failure returns: no exception leaves the library.
template <class Function>
int succeeds(Function function) noexcept {
  try {
    return function() ? 1 : 0;
  } catch (...) {
    return 0;
  }
}

/// Reads until the parenthesis that ends the text, which may be in the middle of a stream.
template <class Next>
std::string read_until_end(Next next) {
  constexpr std::size_t most = std::size_t{1} << 30;
  std::string text;
  bool line_begins = true;
  for (int c = next(); c != EOF && text.size() < most; c = next()) {
    text.push_back(static_cast<char>(c));
    if (line_begins && c == ')') break;
    line_begins = c == '\n';
  }
  return text + '\n';
}

}  // namespace

FFTW_API char* FFTW_NAME(export_wisdom_to_string)() {
  try {
    return strdup(wisdom::to_text().c_str());
  } catch (...) {
    return nullptr;
  }
}
FFTW_API void FFTW_NAME(export_wisdom)(WriteChar write_char, void* data) {
  succeeds([&] {
    for (const char c : wisdom::to_text()) write_char(c, data);
    return true;
  });
}
FFTW_API void FFTW_NAME(export_wisdom_to_file)(std::FILE* file) {
  succeeds([&] { return std::fputs(wisdom::to_text().c_str(), file) >= 0; });
}
FFTW_API int FFTW_NAME(export_wisdom_to_filename)(const char* filename) {
  return succeeds([&] {
    if (filename == nullptr) return false;
    // A file beside it that takes its place: nobody reads half of it.
    const std::string name = filename, unfinished = name + ".new";
    std::ofstream file(unfinished);
    file << wisdom::to_text() << std::flush;
    const bool written = static_cast<bool>(file);
    file.close();
    if (written && std::rename(unfinished.c_str(), name.c_str()) == 0) return true;
    std::remove(unfinished.c_str());
    // A folder that takes no new files, or a device such as /dev/stdout.
    std::ofstream direct(name);
    direct << wisdom::to_text() << std::flush;
    return static_cast<bool>(direct);
  });
}

FFTW_API int FFTW_NAME(import_wisdom_from_string)(const char* text) {
  return succeeds([&] { return text != nullptr && wisdom::from_text(text); });
}
FFTW_API int FFTW_NAME(import_wisdom)(ReadChar read_char, void* data) {
  return succeeds(
      [&] { return wisdom::from_text(read_until_end([&] { return read_char(data); })); });
}
FFTW_API int FFTW_NAME(import_wisdom_from_file)(std::FILE* file) {
  return succeeds([&] {
    return file != nullptr && wisdom::from_text(read_until_end([&] { return std::fgetc(file); }));
  });
}
FFTW_API int FFTW_NAME(import_wisdom_from_filename)(const char* filename) {
  return succeeds([&] {
    if (filename == nullptr) return false;
    std::ifstream file(filename);
    if (!file) return false;
    return wisdom::from_text(std::string(std::istreambuf_iterator<char>(file), {}));
  });
}
FFTW_API int FFTW_NAME(import_system_wisdom)() {
  return succeeds([] { return wisdom::use_weft(); });
}
FFTW_API void FFTW_NAME(forget_wisdom)() { wisdom::forget(); }
