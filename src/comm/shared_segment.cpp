// SPDX-License-Identifier: BSD-3-Clause
// Shared memory as a file without a name (memfd): it is not limited by the size of a mounted file
// system, as /dev/shm is in containers, and nothing remains when a process dies. Rank 0 creates it,
// the others open it through /proc. All pages are reserved first: if memory is short, reserving
// returns an error, but touching a page that was not reserved would end the process with SIGBUS.
#include "comm/shared_segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/index.hpp"
#include "comm/agree.hpp"

namespace weft {
namespace {

/// How the other ranks find the file and check that it is the right one.
struct Address {
  int process = 0, descriptor = -1;
  dev_t device = 0;
  ino_t inode = 0;
};

bool identify(int descriptor, Address& address) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0) return false;
  address.device = status.st_dev;
  address.inode = status.st_ino;
  return true;
}

Address create(Index bytes) {
#ifdef MFD_NOEXEC_SEAL
  constexpr unsigned cannot_be_run =
      MFD_NOEXEC_SEAL;  // some systems require it, older ones do not know it
#else
  constexpr unsigned cannot_be_run = 8;
#endif
  Address address;
  int descriptor = memfd_create("weft", MFD_CLOEXEC | cannot_be_run);
  if (descriptor < 0) descriptor = memfd_create("weft", MFD_CLOEXEC);
  if (descriptor < 0) return address;
  if (ftruncate(descriptor, bytes) != 0 || !identify(descriptor, address)) {
    close(descriptor);
    return {};
  }
  address.process = getpid();
  address.descriptor = descriptor;
  return address;
}

/// -1 if the file cannot be opened.
int open_at(const Address& address) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/fd/%d", address.process, address.descriptor);
  const int descriptor = open(path.data(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return -1;
  Address found;
  if (identify(descriptor, found) && found.device == address.device && found.inode == address.inode)
    return descriptor;
  close(descriptor);
  return -1;
}

class Segment final : public SharedMemory {
 public:
  ~Segment() override {
    if (data_ != nullptr) munmap(data_, static_cast<std::size_t>(bytes_));
  }
  std::byte* data() const override { return data_; }

  /// Reserves the bytes from `begin` to `end` and maps the whole file.
  bool map(int descriptor, Index begin, Index end, Index bytes) {
    if (end > begin && posix_fallocate(descriptor, begin, end - begin) != 0) return false;
    void* data = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED,
                      descriptor, 0);
    if (data == MAP_FAILED) return false;
    data_ = static_cast<std::byte*>(data);
    bytes_ = bytes;
    return true;
  }

 private:
  std::byte* data_ = nullptr;
  Index bytes_ = 0;
};

}  // namespace

std::unique_ptr<SharedMemory> make_shared_segment(const Comm& node, std::size_t bytes) {
  std::unique_ptr<Segment> segment;
  agree(node, [&] { segment = std::make_unique<Segment>(); });
  constexpr Index page = 4096;
  const Index pages = std::max<Index>(ceil_div(static_cast<Index>(bytes), page), 1);
  Address address;
  if (node.rank() == 0) address = create(pages * page);
  const int own = address.descriptor;
  node.broadcast(&address, sizeof address, 0);
  const int descriptor = node.rank() == 0 ? own : open_at(address);
  const Index begin = pages * node.rank() / node.size() * page;
  const Index end = pages * (node.rank() + 1) / node.size() * page;
  const bool is_mapped = descriptor >= 0 && segment->map(descriptor, begin, end, pages * page);
  const bool all_have = node.minimum(is_mapped ? 1 : 0) == 1;  // so all ranks have opened the file
  if (descriptor >= 0) close(descriptor);
  if (!all_have) segment.reset();
  return segment;
}

}  // namespace weft
