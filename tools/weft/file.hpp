// SPDX-License-Identifier: BSD-3-Clause
// Files as the tool needs them: inputs mapped into memory, outputs that appear whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "weft/types.hpp"

namespace weft::tool {

/// A whole file, read-only, as memory. Pages come in when they are touched.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return {data_, bytes_}; }
  /// Lets go of the pages wholly before `offset`: they come from the file again if touched again.
  void release_before(std::size_t offset) const;

 private:
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Writes beside the target and renames at the end: what stood there before stays until commit(),
/// and a failure leaves nothing behind. Devices and pipes are written directly.
class OutputFile {
 public:
  /// Reserves `expected_bytes` on disk, so that a full one shows before the work begins.
  OutputFile(const std::string& path, Index expected_bytes);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Everything is on disk and under its name when this returns.
  void commit();

 private:
  [[noreturn]] void fail(const char* doing, int error_number) const;

  std::string path_;       // as the user named it
  std::string target_;     // symbolic links resolved
  std::string temporary_;  // empty when written directly
  int descriptor_ = -1;
};

/// The whole text as a file.
void write_file(const std::string& path, const std::string& text);

/// From now on an interrupt, or an input file that shrinks under our hands, ends the program with
/// one line and without leaving a temporary file behind.
void install_cleanup_on_signals();

}  // namespace weft::tool
