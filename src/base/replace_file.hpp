// SPDX-License-Identifier: BSD-3-Clause
// Replaces files in one step: the new content is written to a temporary file in the same folder,
// which is then renamed. Readers see either the old file or the new one. Errors are weft::Error
// (io) with the path in the message.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace weft {

/// For instance "No space left on device; the disk is full: free some space or write to another
/// disk".
std::string because(int error_number);

/// Throws weft::Error (io): "cannot write x.npy: ", then the reason and what to do.
[[noreturn]] void file_error(const char* doing, const std::string& path, int error_number);

/// An open file; the destructor closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// Returns the error number of closing, or 0.
  int close();

 private:
  int number_ = -1;
};

/// Opens a regular file for reading. Folders, devices and pipes are refused at once.
Descriptor open_ordinary(const std::string& path);

/// Throws if not all bytes can be written; `path` is for the message.
void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::string& path);

/// The file that a path refers to.
struct FileTarget {
  std::string path;     ///< with symbolic links at its end resolved; the file need not exist
  int descriptor = -1;  ///< 0 or more: the path is this open file of the process (/dev/stdout)
};
FileTarget follow_links(const std::string& path);

/// As long as this object exists, remove_temporary_files() removes the file.
class TemporaryFileMark {
 public:
  TemporaryFileMark() = default;
  explicit TemporaryFileMark(const std::string& path);
  ~TemporaryFileMark() { clear(); }
  TemporaryFileMark(TemporaryFileMark&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}
  TemporaryFileMark& operator=(TemporaryFileMark&& other) noexcept {
    std::swap(slot_, other.slot_);
    return *this;
  }
  void clear();

 private:
  int slot_ = -1;  // index in a list of fixed size; -1: none, or the list is full
};

/// Removes all marked files and returns whether there were any. For signal handlers that end the
/// process.
bool remove_temporary_files() noexcept;

/// The new content of a file. The old file is unchanged until commit(), and stays if commit() is
/// not called. Permissions are kept, and symbolic links stay links.
class FileReplacement {
 public:
  /// Refuses anything that is not a regular file, and files without write permission (for root
  /// too).
  explicit FileReplacement(const std::string& path) : FileReplacement(path, NotYet{}) { create(); }
  /// The same without creating the temporary file, whose name is known already: other processes can
  /// mark it. Call create() before anything else.
  struct NotYet {};
  FileReplacement(const std::string& path, NotYet);
  void create();
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  const Descriptor& file() const { return file_; }
  const std::string& temporary() const { return temporary_; }
  void write(std::span<const std::byte> bytes) { write_all(file_, bytes, path_); }
  /// When this returns, all data are on disk under the final name.
  void commit();

 private:
  void create_temporary();

  std::string path_;       // as given by the user
  std::string target_;     // with links resolved
  std::string temporary_;  // empty if there is none
  TemporaryFileMark mark_;
  Descriptor file_;
};

}  // namespace weft
