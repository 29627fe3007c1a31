// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/fused_stage.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/index.hpp"
#include "base/machine.hpp"
#include "base/names.hpp"
#include "spectral/fused_fields.hpp"
#include "spectral/run_tasks.hpp"

namespace weft::spectral {
namespace {

using global::StageOptions;
using global::StagePlan;
using global::StageProblem;
using reshape::Bases;
using reshape::Memory;
using reshape::Piece;

/// The fewest modes that a tile has along the last dimension. With several fields their rows have
/// at least 1 KiB: with 384 bytes three fields of 200^3 in f64 took 1.4 times as long as in steps.
Index least_row(Index extent, int fields, Index element_bytes) {
  return std::min(extent, fields == 1 ? 16 : 1024 / element_bytes);
}

/// At most `most` modes of a row, but at least `least`: in parts that are about equal and begin at
/// cache lines where rows do.
Index part_of_row(Index extent, Index most, Index least) {
  constexpr Index step = 8;
  if (most >= extent) return extent;
  const Index parts = ceil_div(extent, std::max(least, most / step * step));
  return std::min(extent, round_up(ceil_div(extent, parts), step));
}

/// Both stages and the function on one chunk of the boxes.
class FusedStage final : public global::RunnableStage {
 public:
  FusedStage(FusedMiddle middle, const StageProblem& next, const StageOptions& options)
      : middle_(std::move(middle)),
        executor_(options.executor),
        element_bytes_(2 * real_bytes(next.precision)) {
    StageOptions alone = options;
    alone.executor = serial_executor();
    Index scratch = 0;
    for (const Box& box : next.in_boxes)
      if (!box.empty()) add_tiles(of_one_field(box, middle_.outputs), next, alone);
    for (const Tile& tile : tiles_) {
      if (!tile.place)
        buffer_bytes_ = std::max(buffer_bytes_, tile.box.count() * fields() * element_bytes_);
      scratch = std::max({scratch, tile.last.scratch_bytes(), tile.first.scratch_bytes()});
    }
    buffer_bytes_ = round_up(buffer_bytes_, 64) + 64;
    task_bytes_ = buffer_bytes_ + round_up(scratch, 64);
    tasks_ = static_cast<int>(std::clamp<Index>(static_cast<Index>(tiles_.size()), 1,
                                                std::max(1, executor_->concurrency())));
  }

  void run(const Bases& bases, std::byte* scratch) const override {
    const auto all = static_cast<Index>(tiles_.size());
    run_tasks(*executor_, tasks_, [&](int task) {
      for (Index i = all * task / tasks_; i < all * (task + 1) / tasks_; ++i)
        run_tile(tiles_[static_cast<std::size_t>(i)], bases, scratch + task * task_bytes_);
    });
  }
  Index scratch_bytes() const override { return tasks_ * task_bytes_; }
  double flops() const override {
    double sum = 0;
    for (const Tile& tile : tiles_) sum += tile.last.flops() + tile.first.flops();
    return sum;
  }

 private:
  struct Tile {
    Box box;                     // of one field
    StagePlan last, first;       // of the forward plan, of the backward plan
    std::optional<Piece> place;  // of all fields, where they stay in place; else in a buffer
  };

  int fields() const { return std::max(middle_.inputs, middle_.outputs); }

  void run_tile(const Tile& tile, const Bases& bases, std::byte* scratch) const {
    Bases from = middle_.undone->bases, to = bases;
    std::byte* field = scratch;
    Index apart = tile.box.count();
    reshape::Strides strides = reshape::dense_strides(tile.box);
    if (tile.place) {
      field = tile.place->data(bases);
      const bool has_fields = fields() > 1;
      if (has_fields) apart = tile.place->strides[0];
      std::copy_n(tile.place->strides.begin() + (has_fields ? 1 : 0), tile.box.ndim,
                  strides.begin());
    } else {
      from[static_cast<std::size_t>(Memory::output)] = scratch;
      to[static_cast<std::size_t>(Memory::input)] = scratch;
    }
    tile.last.run(from, scratch + buffer_bytes_);
    std::array<std::byte*, max_operator_fields> modes{};
    for (int f = 0; f < fields(); ++f) modes[at(f)] = field + f * apart * element_bytes_;
    middle_.function(tile.box, strides, {modes.data(), at(fields())});
    tile.first.run(to, scratch + buffer_bytes_);
  }

  /// In place a tile fills a quarter of the second cache, as in one process (column_tiles.hpp), or
  /// half of it for rows of 512 bytes.
  Index most_bytes(Index whole_bytes) const {
    if (!middle_.undone->stays_in_place) return most_tile_bytes();
    constexpr Index row_bytes = 512;
    return std::clamp(whole_bytes * row_bytes / element_bytes_, most_tile_bytes() / 4,
                      most_tile_bytes() / 2);
  }

  /// Tiles are whole along the axes of both stages; of the others, fastest first, they have as much
  /// as the second cache holds.
  void add_tiles(const Box& box, const StageProblem& next, const StageOptions& options) {
    const auto is_whole = [&](int d) {
      return has_axis(next, d, middle_.outputs) ||
             has_axis(middle_.undone->problem, d, middle_.inputs);
    };
    Index bytes = fields() * element_bytes_;
    for (int d = 0; d < box.ndim; ++d)
      if (is_whole(d)) bytes *= box.extent(d);
    Box tile = box;
    const Index tile_bytes = most_bytes(bytes);
    for (int d = box.ndim - 1; d >= 0; --d) {
      if (is_whole(d)) continue;
      const Index most = tile_bytes / bytes;
      const Index all = box.extent(d);
      const Index extent = d == box.ndim - 1
                               ? part_of_row(all, most, least_row(all, fields(), element_bytes_))
                               : std::clamp<Index>(most, 1, all);
      tile.end[at(d)] = tile.begin[at(d)] + extent;
      bytes *= extent;
    }
    Box next_box = tile;
    for (int d = 0; d >= 0;) {
      add_tile(intersect(next_box, box), next, options);
      for (d = box.ndim - 1; d >= 0; --d) {
        next_box.begin[at(d)] += tile.extent(d);
        next_box.end[at(d)] += tile.extent(d);
        if (next_box.begin[at(d)] < box.end[at(d)]) break;
        next_box.begin[at(d)] = tile.begin[at(d)];
        next_box.end[at(d)] = tile.end[at(d)];
      }
    }
  }

  void add_tile(const Box& tile, const StageProblem& next, const StageOptions& options) {
    const auto dense = [](const Box& box, Memory memory) {
      return Piece{.box = box, .memory = memory, .strides = reshape::dense_strides(box)};
    };
    StageProblem last = middle_.undone->problem, first = next;
    last.in_boxes = {of_all_fields(tile, middle_.inputs)};
    first.in_boxes = {of_all_fields(tile, middle_.outputs)};
    std::optional<Piece> place;
    if (middle_.undone->stays_in_place) {
      place = reshape::pieces_within(last.sources, last.in_boxes[0], element_bytes_).at(0);
      last.sources = last.targets = first.sources = first.targets = {*place};
    } else {
      last.targets = {dense(last.in_boxes[0], Memory::output)};
      first.sources = {dense(first.in_boxes[0], Memory::input)};
    }
    tiles_.push_back({tile, StagePlan(last, options), StagePlan(first, options), place});
  }

  FusedMiddle middle_;
  std::shared_ptr<const Executor> executor_;
  Index element_bytes_;
  std::vector<Tile> tiles_;
  Index buffer_bytes_ = 0, task_bytes_ = 0;
  int tasks_ = 1;
};

}  // namespace

std::unique_ptr<global::RunnableStage> make_fused_stage(FusedMiddle middle,
                                                        const StageProblem& next,
                                                        const StageOptions& options) {
  return std::make_unique<FusedStage>(std::move(middle), next, options);
}

Index least_tile_bytes(Index points, Index row, int fields, Index element_bytes) {
  return points * least_row(row, fields, element_bytes) * fields * element_bytes;
}
Index most_tile_bytes() {
  return std::max<Index>(static_cast<Index>(this_machine().cache_bytes(2)), 128 * 1024);
}

}  // namespace weft::spectral
