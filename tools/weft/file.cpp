// SPDX-License-Identifier: BSD-3-Clause
#include "file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "mpi/runtime.hpp"
#include "text.hpp"

namespace weft::tool {
namespace {

bool speaks = true;  // false on all ranks but rank 0

void write_message(const char* text) {
  if (!speaks) return;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
}

extern "C" void clean_up_and_exit(int signal_number) {
  const bool removed = remove_temporary_files();
  if (signal_number == SIGBUS) {
    write_message(
        "weft: the input file became shorter or unreadable during the transform; do not change it "
        "until weft has finished\n");
    _exit(2);
  }
  write_message(removed ? "weft: interrupted; the unfinished output was removed\n"
                        : "weft: interrupted\n");
  _exit(128 + signal_number);
}

bool is_ignored(int signal_number) {
  struct sigaction action{};
  return sigaction(signal_number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Opens streams, devices and pipes directly; returns nothing for a regular file or a new one.
Descriptor open_directly(const std::string& path) {
  const FileTarget target = follow_links(path);
  if (target.descriptor >= 0) {  // a duplicate shares the file position and append mode
    const int flags = fcntl(target.descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) file_error("write", path, EBADF);
    std::fflush(stdout);  // keep the order: write out earlier prints first
    Descriptor copy(fcntl(target.descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!copy) file_error("open", path, errno);
    return copy;
  }
  struct stat status{};
  const bool exists = stat(target.path.c_str(), &status) == 0;
  if (!exists || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return {};
  Descriptor file(open(target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) file_error("open", path, errno);
  return file;
}

}  // namespace

void clean_up_on_signals() {
  speaks = rank_of_this_process() == 0;
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    if (!is_ignored(number)) std::signal(number, clean_up_and_exit);
  std::signal(SIGXFSZ, SIG_IGN);  // write() then fails with EFBIG
}

void watch_mapped_input() {
  std::signal(SIGBUS, clean_up_and_exit);
  std::signal(SIGPIPE, SIG_IGN);
}

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file = open_ordinary(path);
  struct stat status{};
  if (fstat(file.number(), &status) != 0) file_error("read", path, errno);
  if (status.st_size == 0) return;
  bytes_ = static_cast<std::size_t>(status.st_size);
  void* const memory = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (memory == MAP_FAILED) file_error("read", path, errno);
  data_ = static_cast<const std::byte*>(memory);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), bytes_);
}

void MappedFile::release_before(std::size_t offset) const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t length = std::min(offset, bytes_) / page * page;
  if (length > 0) madvise(const_cast<std::byte*>(data_), length, MADV_DONTNEED);
}

OutputFile::OutputFile(const std::string& path) : path_(path), direct_(open_directly(path)) {
  if (!direct_) replacement_.emplace(path, FileReplacement::NotYet{});
}

void OutputFile::create(Index expected_bytes) {
  if (!replacement_) return;
  replacement_->create();
  if (expected_bytes > 0) reserve(expected_bytes);
}

void OutputFile::reserve(Index bytes) const {
  if (fallocate(replacement_->file().number(), 0, 0, bytes) == 0) return;
  if (errno == ENOSPC || errno == EFBIG ||
      errno == EDQUOT)  // other errors: this file system cannot reserve space
    file_error(fmt::format("reserve {} for", bytes_text(static_cast<double>(bytes))).c_str(), path_,
               errno);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (replacement_)
    replacement_->write(bytes);
  else
    write_all(direct_, bytes, path_);
}

void OutputFile::commit() {
  if (replacement_) return replacement_->commit();
  if (const int error_number = direct_.close(); error_number != 0)
    file_error("finish", path_, error_number);
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path, static_cast<Index>(text.size()));
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

bool is_standard_output(const std::string& path) {
  struct stat named{}, printed{};
  return stat(path.c_str(), &named) == 0 && fstat(STDOUT_FILENO, &printed) == 0 &&
         named.st_dev == printed.st_dev && named.st_ino == printed.st_ino;
}

}  // namespace weft::tool
