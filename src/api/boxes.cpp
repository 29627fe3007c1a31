// SPDX-License-Identifier: BSD-3-Clause
#include "api/boxes.hpp"

#include <cstring>

#include "base/index.hpp"
#include "comm/agree.hpp"
#include "reshape/apart.hpp"
#include "weft/error.hpp"

namespace weft::api {
namespace {

/// The address space of today's CPUs.
constexpr Index most_bytes = Index{1} << 47;

reshape::ArrayDistribution gather_boxes(const Comm& comm, const std::vector<reshape::Piece>& mine) {
  std::string bytes;
  agree(comm, [&] {
    for (const reshape::Piece& piece : mine)
      bytes.append(reinterpret_cast<const char*>(&piece.box), sizeof(Box));
  });
  const std::vector<std::string> texts = gather_texts(comm, bytes);
  reshape::ArrayDistribution distribution;
  agree(comm, [&] {
    reshape::ArrayDistribution::List boxes;
    for (const std::string& text : texts) {
      boxes.emplace_back(text.size() / sizeof(Box));
      if (text.empty()) continue;
      std::memcpy(static_cast<void*>(boxes.back().data()), text.data(), text.size());
    }
    distribution = std::move(boxes);
  });
  return distribution;
}

/// FNV-1a of whole numbers.
class Hash {
 public:
  void add(Index number) {
    value_ = (value_ ^ static_cast<std::uint64_t>(number)) * 1099511628211U;
  }
  std::string text() const { return std::to_string(value_); }

 private:
  std::uint64_t value_ = 14695981039346656037U;
};

}  // namespace

CheckedBoxes check_boxes(const Comm& comm, const LocalBoxes& mine, reshape::Memory memory,
                         Index element_bytes) {
  CheckedBoxes boxes;
  agree(comm, [&] {
    boxes.pieces = reshape::pieces_of(mine, memory, element_bytes);
    if (memory == reshape::Memory::output) reshape::check_apart(boxes.pieces, element_bytes);
    const Index count = reshape::footprint(boxes.pieces, element_bytes);
    if (count > most_bytes / element_bytes)
      throw Error(ErrorCode::out_of_memory,
                  std::string("the boxes of one side take ") + std::to_string(count) +
                      " elements of " + std::to_string(element_bytes) +
                      " bytes, more than any process can hold; use more ranks or a smaller array");
  });
  boxes.distribution = gather_boxes(comm, boxes.pieces);
  return boxes;
}

std::string storage_key(const Comm& comm, const std::vector<reshape::Piece>& pieces) {
  Hash mine, all;
  for (const reshape::Piece& piece : pieces) {
    mine.add(piece.offset);
    for (std::size_t d = 0; d < at(piece.box.ndim); ++d) {
      mine.add(piece.box.begin[d]);
      mine.add(piece.box.end[d]);
      mine.add(piece.strides[d]);
    }
  }
  std::string text;
  agree(comm, [&] { text = mine.text(); });
  for (const std::string& one : gather_texts(comm, text))
    for (const char letter : one) all.add(letter);
  agree(comm, [&] { text = all.text(); });
  return text;
}

}  // namespace weft::api
