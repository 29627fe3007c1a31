// SPDX-License-Identifier: BSD-3-Clause
#include "global/run/window.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "base/index.hpp"
#include "comm/agree.hpp"
#include "weft/error.hpp"

namespace weft::global {
namespace {

/// Every rank looks through the pieces of all others for each of its boxes.
constexpr std::size_t most_pieces = 4096;

/// No two windows have the same number, whichever process makes them.
std::uint64_t new_id() {
  static std::atomic<std::uint64_t> count = 0;
  const auto time = std::chrono::steady_clock::now().time_since_epoch().count();
  return (static_cast<std::uint64_t>(time) << 24) ^ (static_cast<std::uint64_t>(getpid()) << 44) ^
         ++count;
}

/// What a rank tells the others of its pieces.
struct Header {
  std::uint64_t id = 0;
  Index offset = 0;
  int is_shared = 0;
};

}  // namespace

std::shared_ptr<Window> Window::make(Index bytes, const Comm& comm) {
  std::shared_ptr<Window> window;
  int node_number = 0;
  agree(comm, [&] {
    if (bytes < 0)
      throw Error(ErrorCode::invalid_argument,
                  "memory of " + std::to_string(bytes) + " bytes was asked for; give 0 or more");
    window = std::make_shared<Window>();
    node_number = comm.nodes()[static_cast<std::size_t>(comm.rank())];
    window->id_ = new_id();
  });
  comm.broadcast(&window->id_, sizeof window->id_, 0);
  const std::shared_ptr<const Comm> node = comm.split(node_number);
  std::vector<Index> sizes;
  agree(comm, [&] { sizes.resize(static_cast<std::size_t>(node->size())); });
  node->all_gather(&bytes, sizeof bytes, sizes.data());
  agree(comm, [&] {
    Index total = 0;
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      if (static_cast<int>(r) == node->rank()) window->offset_ = total;
      total = checked_sum(total, sizes[r], "the bytes of a node's ranks");
    }
    if (node->size() > 1 && total > 0)
      window->shared_ = node->allocate_shared(static_cast<std::size_t>(total));
    if (!window->shared_) {
      window->own_ = Buffer<std::byte>(bytes);
      std::ranges::fill(window->own_.span(), std::byte{0});
    }
  });
  window->bytes_ = bytes;
  window->is_shared_ = window->shared_ != nullptr;
  window->data_ =
      window->is_shared_ ? window->shared_->data() + window->offset_ : window->own_.data();
  return window;
}

std::vector<reshape::Piece> reached_pieces(const Comm& comm,
                                           const std::vector<reshape::Piece>& mine,
                                           const Window& window, Index element_bytes) {
  const Header header{window.id(), window.offset(), window.is_shared() ? 1 : 0};
  std::string text;
  bool is_one_node = true;
  agree(comm, [&] {
    const Index bytes = reshape::footprint(mine, element_bytes) * element_bytes;
    if (bytes > window.bytes())
      throw Error(ErrorCode::invalid_argument,
                  "the boxes of an array take " + std::to_string(bytes) +
                      " bytes, its memory has " + std::to_string(window.bytes()) +
                      "; make the array from these boxes");
    const std::vector<int> nodes = comm.nodes();
    is_one_node = std::ranges::all_of(nodes, [&](int n) { return n == nodes[0]; });
    text.assign(reinterpret_cast<const char*>(&header), sizeof header);
    if (!mine.empty())
      text.append(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof mine[0]);
  });
  const std::vector<std::string> texts = gather_texts(comm, text);
  std::vector<reshape::Piece> all;
  agree(comm, [&] {
    bool are_shared = is_one_node;
    for (const std::string& one : texts) {
      Header theirs;
      std::memcpy(&theirs, one.data(), sizeof theirs);
      if (theirs.id != header.id)
        throw Error(ErrorCode::invalid_argument,
                    "the ranks pass memory that they did not allocate together; pass the same "
                    "array on all ranks");
      are_shared = are_shared && theirs.is_shared != 0;
      for (std::size_t at = sizeof theirs; at < one.size(); at += sizeof(reshape::Piece)) {
        reshape::Piece piece;
        std::memcpy(static_cast<void*>(&piece), one.data() + at, sizeof piece);
        piece.offset += theirs.offset - header.offset;
        all.push_back(piece);
      }
    }
    if (!are_shared || all.size() > most_pieces) all.clear();
  });
  return all;
}

}  // namespace weft::global

namespace weft {

std::shared_ptr<DistributedMemory> allocate_distributed(Index bytes, const Comm& comm) {
  return global::Window::make(bytes, comm);
}

namespace {

/// Elements from the pointer to where the next rank's part begins.
Index part_count(const std::vector<reshape::Piece>& pieces, Index element_bytes) {
  Index count = reshape::footprint(pieces, element_bytes);
  if (pieces.size() != 1) return count;
  const reshape::Piece& piece = pieces[0];
  Index widest = 0;  // the extent of the slowest axis with all that lies between its elements
  for (int d = 0; d < piece.box.ndim; ++d)
    widest = std::max(widest, piece.box.extent(d) * piece.strides[at(d)]);
  return std::max(count, widest);
}

}  // namespace

PlacedBoxes place_boxes(const LocalBoxes& boxes, Index element_bytes, const Comm& comm,
                        std::shared_ptr<DistributedMemory> memory) {
  PlacedBoxes placed;
  Index bytes = 0;
  agree(comm, [&] {
    placed.boxes = boxes;
    const auto pieces = reshape::pieces_of(boxes, reshape::Memory::input, element_bytes);
    const Index needed =
        checked_product(reshape::footprint(pieces, element_bytes), element_bytes, "the array");
    bytes = checked_product(part_count(pieces, element_bytes), element_bytes, "the array");
    if (memory && memory->bytes() < needed)
      throw Error(ErrorCode::invalid_argument,
                  "the boxes take " + std::to_string(needed) + " bytes, the other array has " +
                      std::to_string(memory->bytes()) +
                      "; make the array that needs more first, and this one in its memory");
  });
  const Index has_memory = memory ? 1 : 0;
  if (comm.minimum(has_memory) != -comm.minimum(-has_memory))
    throw Error(ErrorCode::invalid_argument,
                "some ranks give memory for their boxes, others do not; give it on all ranks");
  placed.memory = memory ? std::move(memory) : allocate_distributed(bytes, comm);
  return placed;
}

}  // namespace weft
