// SPDX-License-Identifier: BSD-3-Clause
// DistributedArray: memory for the arrays of distributed plans that all ranks of a node can reach.
// Plans for such arrays read their input and write their output directly: nothing is copied into
// shared memory or out of it.
#pragma once

#include <cstddef>
#include <memory>

#include "weft/comm.hpp"
#include "weft/distribution.hpp"
#include "weft/export.h"
#include "weft/types.hpp"

namespace weft {

/// The memory of a DistributedArray. Plans keep it as long as they live, so arrays and plans may be
/// destroyed in any order; destroying is not collective, and the other ranks keep their parts.
class WEFT_API DistributedMemory {
 public:
  virtual ~DistributedMemory() = default;
  std::byte* data() const { return data_; }  ///< this rank's part
  Index bytes() const { return bytes_; }     ///< of this rank's part
  /// Whether the ranks of this node share it. If not (no memory is left to share, or the
  /// communicator cannot), it is ordinary memory, and plans treat it as such.
  bool is_shared() const { return is_shared_; }

 protected:
  DistributedMemory() = default;
  DistributedMemory(const DistributedMemory&) = delete;
  DistributedMemory& operator=(const DistributedMemory&) = delete;
  std::byte* data_ = nullptr;
  Index bytes_ = 0;
  bool is_shared_ = false;
};

/// Collective: `bytes` for this rank, filled with zeros; ranks may ask for different sizes, or for
/// none. The parts of a node's ranks follow each other in memory without gaps, so a rank's part
/// is aligned to the largest number of bytes that divides all sizes. Throws weft::Error on all
/// ranks or on none.
WEFT_API std::shared_ptr<DistributedMemory> allocate_distributed(Index bytes, const Comm& comm);

/// Boxes and the memory that they lie in.
struct PlacedBoxes {
  LocalBoxes boxes;
  std::shared_ptr<DistributedMemory> memory;
};
/// Collective: memory for these boxes of elements of that size; or the given memory, which is
/// refused if it is too small. If every rank has one box, parts are placed so that slabs of
/// equal strides make one array in memory. Throws weft::Error on all ranks or on none.
WEFT_API PlacedBoxes place_boxes(const LocalBoxes& boxes, Index element_bytes, const Comm& comm,
                                 std::shared_ptr<DistributedMemory> memory = nullptr);

/// This rank's part of an array, in memory that all ranks of a node can reach. Copies share it.
template <Scalar T>
class DistributedArray {
 public:
  using element_type = T;

  /// Collective: room for these boxes, filled with zeros. Throws weft::Error on all ranks or on
  /// none.
  DistributedArray(const LocalBoxes& boxes, const Comm& comm)
      : placed_(place_boxes(boxes, sizeof(T), comm)) {}
  /// Collective: the memory of another array as boxes of this type, for plans in place. Refused if
  /// the boxes need more memory than the other array has.
  template <Scalar U>
  DistributedArray(const LocalBoxes& boxes, const DistributedArray<U>& other, const Comm& comm)
      : placed_(place_boxes(boxes, sizeof(T), comm, other.memory())) {}

  T* data() const { return reinterpret_cast<T*>(memory()->data()); }
  Index count() const { return memory()->bytes() / static_cast<Index>(sizeof(T)); }
  T* begin() const { return data(); }
  T* end() const { return data() + count(); }
  T& operator[](Index i) const { return data()[i]; }
  const LocalBoxes& boxes() const { return placed_.boxes; }
  const std::shared_ptr<DistributedMemory>& memory() const { return placed_.memory; }

 private:
  PlacedBoxes placed_;
};

}  // namespace weft
