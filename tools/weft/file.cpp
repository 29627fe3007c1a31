// SPDX-License-Identifier: BSD-3-Clause
#include "file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include "mpi/runtime.hpp"
#include "text.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::io, fmt::format("{}: {}", path, why));
}

/// What to do about the errors that users really meet.
std::string advice(int error_number) {
  switch (error_number) {
    case ENOENT: return "check the name and the folder";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a place where you may read and write, or change the permissions";
    case ENOSPC:
    case EDQUOT: return "the disk is full: free some space or write elsewhere";
    case EFBIG: return "the file would exceed the size allowed here (ulimit -f): raise the limit";
    case EISDIR:
    case ENOTDIR: return "name a file, not a folder";
    case EIO: return "the device reports an error: try another disk";
    case ENOMEM: return "not enough address space: raise the limit (ulimit -v)";
    default: return "see to the cause and try again";
  }
}

std::string because(int error_number) {
  return fmt::format("{}; {}", std::strerror(error_number), advice(error_number));
}

// The temporary file that exists now, for the signal handler; empty string when none.
std::array<char, 4096> unfinished{};

void remember_unfinished(const std::string& path) {
  const std::size_t length = std::min(path.size(), unfinished.size() - 1);
  std::copy_n(path.data(), length, unfinished.data());
  unfinished[length] = '\0';
}

bool speaks = true;  // of many ranks the first one does

extern "C" void clean_up_and_exit(int signal_number) {
  if (unfinished[0] != '\0') unlink(unfinished.data());
  const char* shrank =
      "weft: the input file shrank or could not be read while it was being transformed; leave it "
      "alone until the work is done\n";
  const char* interrupted = "weft: interrupted; nothing was written\n";
  const bool is_input = signal_number == SIGBUS;
  const char* text = is_input ? shrank : interrupted;
  if (speaks) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
  }
  _exit(is_input ? 2 : 128 + signal_number);
}

}  // namespace

void install_cleanup_on_signals() {
  speaks = rank_of_this_process() == 0;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGBUS}) std::signal(number, clean_up_and_exit);
  std::signal(SIGXFSZ, SIG_IGN);  // write() then fails with EFBIG
  std::signal(SIGPIPE, SIG_IGN);
}

MappedFile::MappedFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) refuse(path, "cannot read: " + because(errno));
  struct stat status{};
  int error_number = fstat(descriptor, &status) == 0 ? 0 : errno;
  const bool is_file = S_ISREG(status.st_mode);
  if (error_number == 0 && is_file && status.st_size > 0) {
    bytes_ = static_cast<std::size_t>(status.st_size);
    void* const memory = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory == MAP_FAILED)
      error_number = errno;
    else
      data_ = static_cast<const std::byte*>(memory);
  }
  close(descriptor);
  if (error_number != 0) refuse(path, "cannot read: " + because(error_number));
  if (!is_file) refuse(path, "is not an ordinary file; save the array to one first");
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), bytes_);
}

void MappedFile::release_before(std::size_t offset) const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t length = std::min(offset, bytes_) / page * page;
  if (length > 0) madvise(const_cast<std::byte*>(data_), length, MADV_DONTNEED);
}

OutputFile::OutputFile(const std::string& path, Index expected_bytes) : path_(path) {
  std::error_code ignored;
  const fs::path resolved = fs::weakly_canonical(path, ignored);
  target_ = resolved.empty() ? path : resolved.string();
  struct stat status{};
  const bool exists = stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail("write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {  // a device or a pipe
    descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("open", errno);
    return;
  }
  if (exists && access(target_.c_str(), W_OK) != 0) fail("overwrite", errno);

  const fs::path folder = fs::path(target_).parent_path();
  const fs::path name = fs::path(target_).filename();
  std::string pattern = (folder / fmt::format(".{}.weft-XXXXXX", name.string())).string();
  descriptor_ = mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("create", errno);
  temporary_ = pattern;
  remember_unfinished(temporary_);
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor_, exists ? status.st_mode & 07777 : 0666 & ~mask);
  if (expected_bytes > 0 && fallocate(descriptor_, 0, 0, expected_bytes) != 0 &&
      (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
    const int error_number = errno;
    close(descriptor_);
    unlink(temporary_.c_str());
    remember_unfinished("");
    fail(fmt::format("reserve {} for", bytes_text(static_cast<double>(expected_bytes))).c_str(),
         error_number);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  remember_unfinished("");
}

void OutputFile::fail(const char* doing, int error_number) const {
  throw Error(ErrorCode::io, fmt::format("cannot {} {}: {}", doing, path_, because(error_number)));
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  if (temporary_.empty()) {
    const int status = close(descriptor_);
    descriptor_ = -1;
    if (status != 0) fail("finish", errno);
    return;
  }
  if (fsync(descriptor_) != 0) fail("finish", errno);
  const int status = close(descriptor_);
  descriptor_ = -1;
  if (status != 0) fail("finish", errno);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("replace", errno);
  temporary_.clear();
  // The new name is itself data of the folder.
  const int folder = open(fs::path(target_).parent_path().c_str(), O_RDONLY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path, static_cast<Index>(text.size()));
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace weft::tool
