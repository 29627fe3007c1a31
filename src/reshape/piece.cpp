// SPDX-License-Identifier: BSD-3-Clause
#include "reshape/piece.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"
#include "base/strides.hpp"
#include "weft/error.hpp"

namespace weft::reshape {
namespace {

[[noreturn]] void refuse(const LocalBox& box, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, "box " + to_text(box.box) + ": " + why);
}

std::vector<int> order_of(const LocalBox& local) {
  const int ndim = local.box.ndim;
  std::vector<int> order(at(ndim));
  std::iota(order.begin(), order.end(), 0);
  if (local.order.empty()) return order;
  std::vector<int> sorted = local.order;
  std::ranges::sort(sorted);
  if (sorted != order)
    refuse(local,
           "its storage order is not a permutation of the axes 0 to " + std::to_string(ndim - 1));
  return local.order;
}

Index margin(const LocalBox& local, const std::vector<Index>& margins, int d) {
  if (margins.empty()) return 0;
  if (margins.size() != at(local.box.ndim)) refuse(local, "give one margin per axis, or none");
  if (margins[at(d)] < 0) refuse(local, "a margin is negative");
  return margins[at(d)];
}

/// The memory of a box with its margins: `count` elements, beginning `before` elements before the
/// first element of the box.
struct Storage {
  Strides strides{};
  Index before = 0, count = 1;
};

Storage padded_storage(const LocalBox& local) {
  const std::vector<int> order = order_of(local);
  const char* what = "the extents of a box with its margins";
  Storage storage;
  for (std::size_t i = order.size(); i-- > 0;) {
    const int d = order[i];
    const Index low = margin(local, local.margin_low, d);
    const Index high = margin(local, local.margin_high, d);
    const Index extent = checked_sum(checked_sum(local.box.extent(d), low, what), high, what);
    storage.strides[at(d)] = storage.count;
    storage.count = checked_product(storage.count, extent, what);
    storage.before += low * storage.strides[at(d)];  // cannot overflow: less than the count
  }
  return storage;
}

Storage strided_storage(const LocalBox& local) {
  if (local.strides.size() != at(local.box.ndim))
    refuse(local, "it has " + std::to_string(local.strides.size()) +
                      " strides; give one per axis, or none");
  if (!local.order.empty() || !local.margin_low.empty() || !local.margin_high.empty())
    refuse(local, "LocalBox.strides already fixes the layout; leave order and margins empty");
  const Reach reach =
      check_strides(local.box.extents(), local.strides, "box " + to_text(local.box));
  Storage storage;
  std::ranges::copy(local.strides, storage.strides.begin());
  storage.before = -reach.low;
  storage.count = reach.high - reach.low + 1;
  return storage;
}

/// Whether the box has elements; throws if it cannot be a box of an array.
bool holds_elements(const LocalBox& local) {
  const Box& box = local.box;
  if (box.ndim < 0 || box.ndim > max_box_ndim)
    throw Error(ErrorCode::invalid_argument, "a box of " + std::to_string(box.ndim) +
                                                 " dimensions; give 1 to " +
                                                 std::to_string(max_box_ndim));
  if (box.empty()) return false;
  for (std::size_t d = 0; d < at(box.ndim); ++d)
    if (box.begin[d] < 0)
      refuse(local, "it begins at a negative index along axis " + std::to_string(d) +
                        "; indices start at 0");
  return true;
}

Index offset_of(const LocalBox& local, const Storage& storage, Index next) {
  if (local.offset == -1) return checked_sum(next, storage.before, "the offset of a box");
  if (local.offset < -1)
    refuse(local, "its offset is " + std::to_string(local.offset) +
                      "; give 0 or more, or -1 for directly after the previous box");
  if (!local.strides.empty() && local.offset < storage.before)
    refuse(local, "its negative strides reach " + std::to_string(storage.before - local.offset) +
                      " elements before the array's pointer; give an offset of at least " +
                      std::to_string(storage.before));
  return local.offset;
}

}  // namespace

Strides dense_strides(const Box& box) {
  Strides strides{};
  Index stride = 1;
  for (int d = box.ndim - 1; d >= 0; --d) {
    strides[at(d)] = stride;
    stride *= box.extent(d);
  }
  return strides;
}

Index distance(const Box& box, const Strides& strides, const Box& part) {
  Index elements = 0;
  for (std::size_t d = 0; d < at(box.ndim); ++d)
    elements += (part.begin[d] - box.begin[d]) * strides[d];
  return elements;
}

Piece sub_piece(const Piece& piece, const Box& part, Index element_bytes) {
  Piece sub = piece;
  sub.box = part;
  sub.offset += distance(piece.box, piece.strides, part) * element_bytes;
  return sub;
}

std::vector<Piece> pieces_of(const LocalBoxes& boxes, Memory memory, Index element_bytes) {
  std::vector<Piece> pieces;
  Index next = 0;
  for (const LocalBox& local : boxes) {
    if (!holds_elements(local)) continue;
    const Storage storage = local.strides.empty() ? padded_storage(local) : strided_storage(local);
    const Index offset = offset_of(local, storage, next);
    next = checked_sum(offset - storage.before, storage.count, "the end of a box in memory");
    if (next > farthest_element || offset > farthest_element)
      refuse(local, "it ends " + std::to_string(next) +
                        " elements after the array's pointer, which is too far; use a "
                        "smaller offset, smaller strides or smaller margins");
    pieces.push_back({local.box, memory, offset * element_bytes, storage.strides});
  }
  return pieces;
}

Index footprint(std::span<const Piece> pieces, Index element_bytes) {
  Index end = 0;
  for (const Piece& piece : pieces) {
    Index last = piece.offset / element_bytes;
    for (int d = 0; d < piece.box.ndim; ++d)
      last += std::max<Index>(0, (piece.box.extent(d) - 1) * piece.strides[at(d)]);
    end = std::max(end, last + 1);
  }
  return end;
}

bool is_dense(std::span<const Piece> pieces, Index element_bytes) {
  Index count = 0;
  for (const Piece& piece : pieces) {
    count += piece.box.count();
    for (int d = 0; d < piece.box.ndim; ++d)
      if (piece.box.extent(d) > 1 && piece.strides[at(d)] < 0) return false;
  }
  return count == footprint(pieces, element_bytes);
}

namespace {

/// The axis along which b follows a both in the array and in memory; -1 if there is none.
int joint(const Piece& a, const Piece& b, Index element_bytes) {
  if (a.memory != b.memory || a.conjugate != b.conjugate) return -1;
  int axis = -1;
  for (int d = 0; d < a.box.ndim; ++d) {
    const std::size_t i = at(d);
    if (a.box.begin[i] == b.box.begin[i] && a.box.end[i] == b.box.end[i]) {
      if (a.box.extent(d) > 1 && a.strides[i] != b.strides[i]) return -1;
      continue;
    }
    if (axis >= 0 || a.box.end[i] != b.box.begin[i]) return -1;
    axis = d;
  }
  if (axis < 0) return -1;
  const Index step = b.offset - a.offset;
  if (step % element_bytes != 0 || step / element_bytes % a.box.extent(axis) != 0) return -1;
  const Index stride = step / element_bytes / a.box.extent(axis);
  const auto fits = [&](const Piece& p) {
    return p.box.extent(axis) == 1 || p.strides[at(axis)] == stride;
  };
  return fits(a) && fits(b) ? axis : -1;
}

}  // namespace

std::vector<Piece> merged(std::vector<Piece> pieces, Index element_bytes) {
  std::vector<Piece> result;
  for (const Piece& piece : pieces) {
    const int axis = result.empty() ? -1 : joint(result.back(), piece, element_bytes);
    if (axis < 0) {
      result.push_back(piece);
      continue;
    }
    Piece& last = result.back();
    last.strides[at(axis)] = (piece.offset - last.offset) / element_bytes / last.box.extent(axis);
    last.box.end[at(axis)] = piece.box.end[at(axis)];
  }
  return result;
}

std::vector<Piece> pieces_within(std::span<const Piece> pieces, const Box& box,
                                 Index element_bytes) {
  std::vector<Piece> inside;
  for (const Piece& piece : pieces) {
    const Box part = intersect(piece.box, box);
    if (!part.empty()) inside.push_back(sub_piece(piece, part, element_bytes));
  }
  return merged(std::move(inside), element_bytes);
}

}  // namespace weft::reshape
