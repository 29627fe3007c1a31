// SPDX-License-Identifier: BSD-3-Clause
// Runs the tool as a user would, in a separate folder for each test.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "npy.hpp"

namespace weft::tool {

struct ToolRun {
  int exit_code = -1;
  std::string out, err;
  /// Lines on standard error.
  int complaints() const { return static_cast<int>(std::count(err.begin(), err.end(), '\n')); }
};

/// A temporary folder; the tool runs inside it.
class ToolTest : public ::testing::Test {
 protected:
  ToolTest() {
    std::string pattern = ::testing::TempDir() + "weft-tool-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~ToolTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  /// `prefix` goes in front of the command: limits of the shell, for example.
  ToolRun run(const std::string& arguments, const std::string& prefix = "") const {
    const std::string command = "cd " + folder_.string() +
                                " && export WEFT_WISDOM=wisdom.json && " + prefix +
                                " " WEFT_TOOL_PATH " " + arguments + " >out.txt 2>err.txt";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of("out.txt"), text_of("err.txt")};
  }

  /// The exit code of lines for the shell, in which $weft is the tool.
  int shell(const std::string& lines) const {
    const std::string script =
        "cd " + folder_.string() + "\nexport WEFT_WISDOM=wisdom.json weft=" WEFT_TOOL_PATH "\n";
    const int status = std::system((script + lines).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string text_of(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write_text(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  template <class T>
  void write_array(const std::string& name, NpyHeader header, const std::vector<T>& values) const {
    header.type = npy_type(ScalarTraits<T>::precision, ScalarTraits<T>::is_complex);
    const std::string elements(reinterpret_cast<const char*>(values.data()),
                               values.size() * sizeof(T));
    write_text(name, write_npy_header(header) + elements);
  }
  template <class T>
  void write_array(const std::string& name, std::vector<Index> shape,
                   const std::vector<T>& values) const {
    NpyHeader header;
    header.shape = std::move(shape);
    write_array(name, header, values);
  }

  template <class T>
  struct Array {
    NpyHeader header;
    std::vector<T> values;
  };
  template <class T>
  Array<T> read_array(const std::string& name) const {
    const std::string text = text_of(name);
    Array<T> array{read_npy_header(std::as_bytes(std::span(text)), name), {}};
    EXPECT_EQ(bytes_of(array.header.type), sizeof(T));
    array.values.resize(static_cast<std::size_t>(array.header.count()));
    std::memcpy(array.values.data(), text.data() + array.header.data_offset,
                array.values.size() * sizeof(T));
    return array;
  }

  /// Names of what the folder holds besides the output of the last run.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string name = entry.path().filename();
      if (name != "out.txt" && name != "err.txt") names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
  }

  std::filesystem::path folder_;
};

/// Numbers without pattern, the same every time.
inline std::vector<double> noise(std::size_t count) {
  std::vector<double> values(count);
  std::uint64_t state = 12345;
  for (double& value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
  }
  return values;
}

inline std::vector<std::complex<double>> complex_noise(std::size_t count) {
  const std::vector<double> parts = noise(2 * count);
  std::vector<std::complex<double>> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = {parts[2 * i], parts[2 * i + 1]};
  return values;
}

}  // namespace weft::tool
