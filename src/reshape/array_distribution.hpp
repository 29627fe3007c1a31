// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of a global array lie: the boxes of every rank, as a list or as a grid of ranks.
// A grid stores no list of boxes: a rank's box, and the ranks that a box meets, are computed.
#pragma once

#include <iterator>
#include <memory>
#include <vector>

#include "weft/distribution.hpp"

namespace weft::reshape {

/// The boxes of one rank: those of a list, or the one of a grid.
class RankBoxes {
 public:
  explicit RankBoxes(std::span<const Box> listed) : listed_(listed.data()), size_(listed.size()) {}
  RankBoxes() = default;
  explicit RankBoxes(const Box& own) : own_(own), size_(1) {}

  const Box* data() const { return listed_ != nullptr ? listed_ : &own_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Box* begin() const { return data(); }
  const Box* end() const { return data() + size_; }
  const Box& operator[](std::size_t i) const { return data()[i]; }
  operator std::vector<Box>() const { return {begin(), end()}; }

 private:
  Box own_;
  const Box* listed_ = nullptr;
  std::size_t size_ = 0;
};

/// A value that is cheap to copy: copies share the list.
class ArrayDistribution {
 public:
  using List = std::vector<std::vector<Box>>;

  ArrayDistribution() = default;
  ArrayDistribution(List boxes)
      : list_(std::make_shared<const List>(std::move(boxes))), ranks_(list_->size()) {}
  /// Every rank's block of a grid; ranks beyond the grid hold nothing.
  ArrayDistribution(std::span<const Index> shape, Grid grid, int ranks);

  std::size_t size() const { return ranks_; }
  bool empty() const { return ranks_ == 0; }
  /// Valid as long as the distribution, or a copy of it.
  RankBoxes operator[](std::size_t rank) const;
  /// All boxes, to change them.
  List list() const;

  /// The elements of the rank that has most.
  Index largest_count() const;
  /// Parts along an axis: different begins of boxes that hold anything.
  Index parts(int axis) const;
  /// Ascending: at least all ranks that hold a part of one of the boxes.
  std::vector<int> ranks_meeting(std::span<const Box> boxes) const;
  /// Whether it is known to hold every element once, because it is a grid with a rank for each
  /// part.
  bool is_whole_grid() const { return !grid_.empty() && cells_ <= static_cast<Index>(ranks_); }
  /// Whether it is the same grid over the same array: then all boxes are the same.
  bool is_same_grid(const ArrayDistribution& other) const {
    return !grid_.empty() && grid_ == other.grid_ && shape_ == other.shape_ &&
           ranks_ == other.ranks_;
  }

  class Iterator {
   public:
    using value_type = RankBoxes;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const ArrayDistribution* distribution, std::size_t rank)
        : distribution_(distribution), rank_(rank) {}
    RankBoxes operator*() const { return (*distribution_)[rank_]; }
    Iterator& operator++() { return ++rank_, *this; }
    Iterator operator++(int) { return {distribution_, rank_++}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const ArrayDistribution* distribution_ = nullptr;
    std::size_t rank_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, ranks_}; }

 private:
  friend bool is_whole(const ArrayDistribution& distribution, std::span<const Index> shape,
                       int axis);

  std::shared_ptr<const List> list_;  ///< none for a grid
  std::vector<Index> shape_;
  Grid grid_;
  Index cells_ = 0;  ///< of the grid
  std::size_t ranks_ = 0;
};

/// Whether each box spans the whole of an axis of the array.
bool is_whole(const ArrayDistribution& distribution, std::span<const Index> shape, int axis);

}  // namespace weft::reshape
