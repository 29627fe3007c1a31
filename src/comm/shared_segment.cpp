// SPDX-License-Identifier: BSD-3-Clause
// Shared memory as a file without a name (memfd): it is not limited by the size of a mounted file
// system, as /dev/shm is in containers, and nothing remains when a process dies. Rank 0 creates it,
// the others open it through /proc. All pages are reserved first: if memory is short, reserving
// returns an error, but touching a page that was not reserved would end the process with SIGBUS.
// Large memory is mapped at a multiple of 2 MiB and asked for in huge pages (MADV_COLLAPSE, Linux
// 6.1): each rank needs fewer entries of its TLB. Where the system refuses, pages stay small.
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

constexpr Index page = 4096, huge_page = Index{2} << 20;
#ifdef MADV_COLLAPSE
constexpr int collapse = MADV_COLLAPSE;
#else
constexpr int collapse = 25;  // of Linux; headers of older systems do not have it
#endif

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

  /// Maps the whole file and reserves the bytes from `begin` to `end`.
  bool map(int descriptor, Index begin, Index end, Index bytes) {
    void* place = bytes >= huge_page ? aligned_place(bytes) : nullptr;
    void* data = mmap(place, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                      place != nullptr ? MAP_SHARED | MAP_FIXED : MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED) {
      if (place != nullptr) munmap(place, static_cast<std::size_t>(bytes));
      return false;
    }
    data_ = static_cast<std::byte*>(data);
    bytes_ = bytes;
    if (place != nullptr) ask_for_huge_pages(descriptor, begin, end);
    return end == begin || posix_fallocate(descriptor, begin, end - begin) == 0;
  }

 private:
  /// Addresses that nothing else has, from a multiple of a huge page; null if there are none.
  static void* aligned_place(Index bytes) {
    const auto wanted = static_cast<std::size_t>(bytes + huge_page);
    void* const all = mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    auto* const begin = static_cast<std::byte*>(all);
    const auto ahead = static_cast<Index>(-reinterpret_cast<std::uintptr_t>(all) %
                                          static_cast<std::uintptr_t>(huge_page));
    if (ahead > 0) munmap(begin, static_cast<std::size_t>(ahead));
    if (ahead < huge_page)
      munmap(begin + ahead + bytes, static_cast<std::size_t>(huge_page - ahead));
    return begin + ahead;
  }

  /// One small page in each makes the kernel fill the rest with zeros, as one huge page. It stops
  /// at the first refusal; what is left is reserved in small pages.
  void ask_for_huge_pages(int descriptor, Index begin, Index end) const {
    constexpr Index part = 32 * huge_page;
    for (Index at = round_up(begin, huge_page); at + huge_page <= end; at += part) {
      const Index bytes = std::min(part, (end - at) / huge_page * huge_page);
      for (Index first = at; first < at + bytes; first += huge_page)
        if (posix_fallocate(descriptor, first, page) != 0) return;
      if (madvise(data_ + at, static_cast<std::size_t>(bytes), collapse) != 0) return;
    }
  }

  std::byte* data_ = nullptr;
  Index bytes_ = 0;
};

}  // namespace

std::unique_ptr<SharedMemory> make_shared_segment(const Comm& node, std::size_t bytes) {
  std::unique_ptr<Segment> segment;
  agree(node, [&] { segment = std::make_unique<Segment>(); });
  const Index pages = std::max<Index>(ceil_div(static_cast<Index>(bytes), page), 1);
  // What one rank reserves: whole huge pages where there is one for every rank.
  const Index unit = pages * page >= node.size() * huge_page ? huge_page / page : 1;
  const Index units = ceil_div(pages, unit);
  Address address;
  if (node.rank() == 0) address = create(pages * page);
  const int own = address.descriptor;
  node.broadcast(&address, sizeof address, 0);
  const int descriptor = node.rank() == 0 ? own : open_at(address);
  const Index begin = units * node.rank() / node.size() * unit * page;
  const Index end = std::min(pages, units * (node.rank() + 1) / node.size() * unit) * page;
  const bool is_mapped = descriptor >= 0 && segment->map(descriptor, begin, end, pages * page);
  const bool all_have = node.minimum(is_mapped ? 1 : 0) == 1;  // so all ranks have opened the file
  if (descriptor >= 0) close(descriptor);
  if (!all_have) segment.reset();
  return segment;
}

}  // namespace weft
