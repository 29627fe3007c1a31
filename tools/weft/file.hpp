// SPDX-License-Identifier: BSD-3-Clause
// Files of the tool: inputs are mapped into memory; outputs are written completely or not at all.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/replace_file.hpp"
#include "weft/types.hpp"

namespace weft::tool {

/// A whole file mapped into memory, read-only.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return {data_, bytes_}; }
  /// Frees the memory of pages before `offset`; they are read from the file again if needed.
  void release_before(std::size_t offset) const;

 private:
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// An output. A regular file is written under a temporary name in the same folder and renamed by
/// commit(): an older file is unchanged until then, and a failure leaves no temporary file.
/// Devices, pipes and streams (/dev/stdout) are written to directly.
class OutputFile {
 public:
  /// Reserves `expected_bytes` on disk, so that a full disk is an error before the work begins.
  OutputFile(const std::string& path, Index expected_bytes) : OutputFile(path) {
    create(expected_bytes);
  }
  /// Only checks the name; temporary() says what create() will make.
  explicit OutputFile(const std::string& path);
  void create(Index expected_bytes);

  void write(std::span<const std::byte> bytes);
  /// When this returns, all data are on disk under the final name.
  void commit();
  /// Name of the temporary file, so that other processes can write parts of it; empty if the output
  /// is written directly.
  std::string temporary() const { return replacement_ ? replacement_->temporary() : ""; }

 private:
  void reserve(Index bytes) const;

  std::string path_;  // as given by the user
  Descriptor direct_;
  std::optional<FileReplacement> replacement_;
};

/// Writes the text as a file.
void write_file(const std::string& path, const std::string& text);

/// Whether `path` is the same file, pipe or terminal as standard output.
bool is_standard_output(const std::string& path);

/// From now on SIGINT, SIGTERM and SIGHUP end the program with a one-line message and remove
/// temporary files, unless the signal is ignored (nohup). A file that grows too large gives an
/// error of write() instead of a signal.
void clean_up_on_signals();
/// From now on the same happens if an input file becomes shorter while it is mapped. A pipe without
/// a reader gives an error of write() instead of a signal.
void watch_mapped_input();

}  // namespace weft::tool
