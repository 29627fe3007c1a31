// SPDX-License-Identifier: BSD-3-Clause
#include "tune/wisdom_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/format.hpp"
#include "base/replace_file.hpp"
#include "weft/error.hpp"

namespace weft::tune {
namespace {

constexpr std::chrono::seconds longest_wait{10};

/// Reads at most one byte more than allowed, which is enough to see that the file is too long.
std::string read_all(const Descriptor& file, const std::string& path) {
  std::string text;
  while (text.size() <= max_wisdom_bytes) {
    constexpr std::size_t piece = 1 << 16;
    const std::size_t done = text.size();
    text.resize(std::min(done + piece, max_wisdom_bytes + 1));
    const ssize_t count =
        ::pread(file.number(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno != EINTR) file_error("read", path, errno);
    text.resize(done + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
  }
  return text;
}

WisdomFile parse_file(const Descriptor& file, const std::string& path) {
  try {
    return parse_wisdom(read_all(file, path));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::wisdom) throw;
    throw Error(ErrorCode::wisdom, weft::format("wisdom file {} {}; move it away, or use another "
                                                "file (set WEFT_WISDOM)",
                                                path, error.what()));
  }
}

bool is_missing(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/// False if another process holds the lock. True on file systems that have no locks.
bool try_lock(const Descriptor& file) {
  while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    return errno != EWOULDBLOCK;
  }
  return true;
}

/// The wisdom file, created if it does not exist, locked against other writers. Writers replace the
/// file, so after waiting for the lock the name may belong to a new file: then lock that one.
class LockedWisdomFile {
 public:
  explicit LockedWisdomFile(const std::string& path)
      : path_(path), target_(follow_links(path).path) {
    const auto deadline = std::chrono::steady_clock::now() + longest_wait;
    do {
      open();
      if (try_lock(file_) && is_current()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while (std::chrono::steady_clock::now() < deadline);
    throw Error(ErrorCode::io,
                weft::format("cannot write {}: another process has held its lock for {} s; end "
                             "that process, or use another file (set WEFT_WISDOM)",
                             path, longest_wait.count()));
  }
  /// Removes the file if this writer created it and wrote nothing.
  ~LockedWisdomFile() {
    if (is_made_ && is_current()) ::unlink(target_.c_str());
  }
  LockedWisdomFile(const LockedWisdomFile&) = delete;
  LockedWisdomFile& operator=(const LockedWisdomFile&) = delete;
  const Descriptor& file() const { return file_; }

 private:
  void open() {
    constexpr int flags = O_RDWR | O_CLOEXEC | O_NOCTTY;
    file_ = Descriptor();
    is_made_ = false;
    if (is_missing(target_)) {
      file_ = Descriptor(::open(target_.c_str(), flags | O_CREAT | O_EXCL, 0666));
      is_made_ = static_cast<bool>(file_);
      if (!file_ && errno != EEXIST) file_error("create", path_, errno);
    }
    if (!file_) {
      open_ordinary(target_);  // refuses pipes and devices before they are opened for writing
      file_ = Descriptor(::open(target_.c_str(), flags));
    }
    if (!file_ && errno != ENOENT) file_error("write", path_, errno);
  }
  bool is_current() const {
    struct stat opened{}, named{};
    return file_ && ::fstat(file_.number(), &opened) == 0 && ::stat(target_.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
  }

  std::string path_, target_;
  Descriptor file_;
  bool is_made_ = false;
};

}  // namespace

std::optional<WisdomFile> read_wisdom_file(const std::string& path) {
  if (is_missing(path)) return std::nullopt;
  return parse_file(open_ordinary(path), path);
}

void update_wisdom_file(const std::string& path, const std::function<void(WisdomFile&)>& change) {
  static std::mutex
      one_at_a_time;  // needed on file systems without locks; also saves waiting for the file lock
  const std::lock_guard guard(one_at_a_time);
  std::error_code ignored;  // opening the file reports the error
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);

  const LockedWisdomFile locked(path);
  WisdomFile content = parse_file(locked.file(), path);
  change(content);
  const std::string text = to_text(content);
  if (text.size() > max_wisdom_bytes)
    throw Error(
        ErrorCode::wisdom,
        weft::format(
            "wisdom file {} would be larger than {} MiB; use another file (set WEFT_WISDOM)", path,
            max_wisdom_bytes >> 20));
  FileReplacement replacement(path);
  replacement.write(std::as_bytes(std::span(text)));
  replacement.commit();
}

}  // namespace weft::tune
