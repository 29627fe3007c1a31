// SPDX-License-Identifier: BSD-3-Clause
#include "base/replace_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/format.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

/// What a user can do about common errors.
const char* advice(int error_number) {
  switch (error_number) {
    case ENOENT: return "check the name and the folder";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a folder where you may read and write, or change the permissions";
    case ENOSPC:
    case EDQUOT: return "the disk is full: free some space or write to another disk";
    case EFBIG: return "the file would exceed the size limit (ulimit -f): raise the limit";
    case EISDIR:
    case ENOTDIR: return "name a file, not a folder";
    case ENAMETOOLONG: return "choose a shorter name";
    case ELOOP: return "the symbolic links form a loop: name the file itself";
    case EBADF: return "the stream is closed: name a file, or open the stream";
    case EIO: return "the device reports an error: try another disk";
    case ENOMEM: return "not enough address space: raise the limit (ulimit -v)";
    default: return "remove the cause and try again";
  }
}

// The temporary files of this process, for signal handlers: in static memory, without locks.
struct TemporarySlot {
  std::atomic<bool> is_taken = false, is_filled = false;
  std::array<char, 4096> path{};
};
std::array<TemporarySlot, 16> temporaries;

/// A name in the same folder. Short, so that it is valid for targets with long names; no other
/// thread or process uses it.
std::string temporary_beside(const std::string& target) {
  static std::atomic<unsigned> count = 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return (fs::path(target).parent_path() /
          weft::format(".weft-{}-{}-{:x}", ::getpid(), count++, now))
      .string();
}

/// Root may write any file; but a file that its owner made read-only is refused for root too.
bool is_writable(const std::string& path, const struct stat& status) {
  const mode_t needed = status.st_uid == ::geteuid() ? S_IWUSR : S_IWUSR | S_IWGRP | S_IWOTH;
  return (status.st_mode & needed) != 0 && ::access(path.c_str(), W_OK) == 0;
}

[[noreturn]] void not_ordinary(const char* doing, const std::string& path) {
  throw Error(ErrorCode::io, weft::format("cannot {} {}: it is not a regular file but a folder, a "
                                          "pipe or a device; name another file",
                                          doing, path));
}

}  // namespace

std::string because(int error_number) {
  return weft::format("{}; {}", std::strerror(error_number), advice(error_number));
}

void file_error(const char* doing, const std::string& path, int error_number) {
  throw Error(ErrorCode::io, weft::format("cannot {} {}: {}", doing, path, because(error_number)));
}

int Descriptor::close() {
  if (number_ < 0) return 0;
  return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno;
}

Descriptor open_ordinary(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) file_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) not_ordinary("read", path);
  // O_NONBLOCK: if a pipe has replaced the file in the meantime, opening it does not wait for a
  // writer.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) file_error("read", path, errno);
  if (::fstat(file.number(), &status) != 0) file_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) not_ordinary("read", path);
  return file;
}

void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) file_error("write", path, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

TemporaryFileMark::TemporaryFileMark(const std::string& path) {
  for (std::size_t i = 0; i < temporaries.size() && slot_ < 0; ++i) {
    TemporarySlot& slot = temporaries[i];
    if (path.size() >= slot.path.size() || slot.is_taken.exchange(true)) continue;
    std::ranges::copy(path, slot.path.begin());
    slot.path[path.size()] = '\0';
    slot.is_filled = true;
    slot_ = static_cast<int>(i);
  }
}

void TemporaryFileMark::clear() {
  if (slot_ < 0) return;
  TemporarySlot& slot = temporaries[static_cast<std::size_t>(std::exchange(slot_, -1))];
  slot.is_filled = false;
  slot.is_taken = false;
}

bool remove_temporary_files() noexcept {
  bool removed = false;
  for (const TemporarySlot& slot : temporaries)
    if (slot.is_filled && ::unlink(slot.path.data()) == 0) removed = true;
  return removed;
}

FileTarget follow_links(const std::string& path) {
  constexpr int most_links = 40;  // Linux has the same limit
  const std::string own_files = weft::format("/proc/{}/fd", ::getpid());
  std::error_code error;
  fs::path here = path;
  for (int links = 0; links < most_links; ++links) {
    const fs::path folder = here.has_parent_path() ? here.parent_path() : fs::path(".");
    const std::string name = here.filename().string();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    if (descriptor >= 0 && fs::canonical(folder, error) == own_files)
      return {here.string(), descriptor};
    if (!fs::is_symlink(here, error)) return {here.string()};
    const fs::path next = fs::read_symlink(here, error);
    if (error) file_error("follow", path, error.value());
    here = next.is_absolute() ? next : folder / next;
  }
  file_error("follow", path, ELOOP);
}

FileReplacement::FileReplacement(const std::string& path, NotYet) : path_(path) {
  const FileTarget target = follow_links(path);
  if (target.descriptor >= 0) not_ordinary("replace", path);
  target_ = target.path;
  struct stat old{};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) file_error("write", path, errno);
  if (exists && S_ISDIR(old.st_mode)) file_error("write", path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) not_ordinary("replace", path);
  if (exists && !is_writable(target_, old)) file_error("overwrite", path, EACCES);
  temporary_ = temporary_beside(target_);
}

void FileReplacement::create() {
  create_temporary();
  struct stat old{};
  if (::stat(target_.c_str(), &old) != 0) return;
  // Errors are ignored: only root may change the owner.
  [[maybe_unused]] const int owner = ::fchown(file_.number(), old.st_uid, old.st_gid);
  ::fchmod(file_.number(), old.st_mode & 07777);
}

void FileReplacement::create_temporary() {
  constexpr int attempts = 100;
  for (int attempt = 0; attempt < attempts && !file_; ++attempt) {
    if (temporary_.empty()) temporary_ = temporary_beside(target_);
    mark_ = TemporaryFileMark(temporary_);
    file_ = Descriptor(
        ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (file_) return;
    const int error_number = errno;
    temporary_.clear();
    if (error_number != EEXIST) file_error("create", path_, error_number);
  }
  file_error("create", path_, EEXIST);
}

FileReplacement::~FileReplacement() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileReplacement::commit() {
  if (::fsync(file_.number()) != 0) file_error("finish", path_, errno);
  if (const int error_number = file_.close(); error_number != 0)
    file_error("finish", path_, error_number);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) file_error("replace", path_, errno);
  mark_.clear();
  temporary_.clear();
  // The new name is stored in the folder, so the folder must be flushed to disk too.
  const fs::path folder = fs::path(target_).parent_path();
  const Descriptor opened(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) ::fsync(opened.number());
}

}  // namespace weft
