// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/fused_fields.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace weft::spectral {
namespace {

using global::StageProblem;
using reshape::Bases;
using reshape::Memory;
using reshape::Piece;

Box box_of(const Box& box, Index begin, Index end) {
  Box result;
  result.ndim = box.ndim + 1;
  result.begin[0] = begin;
  result.end[0] = end;
  std::copy_n(box.begin.begin(), box.ndim, result.begin.begin() + 1);
  std::copy_n(box.end.begin(), box.ndim, result.end.begin() + 1);
  return result;
}

class FieldStages final : public global::RunnableStage {
 public:
  FieldStages(const global::RankDevice& device, const StageProblem& problem,
              const global::StageOptions& options, Memory side,
              std::shared_ptr<const FieldArrays> arrays)
      : side_(side), arrays_(std::move(arrays)) {
    for (Index f = 0; f < problem.dimension(0).n; ++f) {
      StageProblem one = problem;
      for (Box& box : one.in_boxes) {
        box.begin[0] = f;
        box.end[0] = f + 1;
      }
      stages_.push_back(device.make_stage(one, options));
    }
  }
  void run(const Bases& bases, std::byte* scratch) const override {
    Bases own = bases;
    for (std::size_t f = 0; f < stages_.size(); ++f) {
      own[static_cast<std::size_t>(side_)] = (*arrays_)[f];
      stages_[f]->run(own, scratch);
    }
  }
  Index scratch_bytes() const override {
    Index most = 0;
    for (const auto& stage : stages_) most = std::max(most, stage->scratch_bytes());
    return most;
  }
  double flops() const override {
    double sum = 0;
    for (const auto& stage : stages_) sum += stage->flops();
    return sum;
  }
  int copied_sides() const override {
    int sum = 0;
    for (const auto& stage : stages_) sum += stage->copied_sides();
    return sum;
  }

 private:
  Memory side_;
  std::shared_ptr<const FieldArrays> arrays_;
  std::vector<std::unique_ptr<global::RunnableStage>> stages_;
};

}  // namespace

Box of_all_fields(const Box& box, int fields) { return fields == 1 ? box : box_of(box, 0, fields); }
Box of_one_field(const Box& box, int fields) {
  if (fields == 1) return box;
  Box result;
  result.ndim = box.ndim - 1;
  std::copy_n(box.begin.begin() + 1, result.ndim, result.begin.begin());
  std::copy_n(box.end.begin() + 1, result.ndim, result.end.begin());
  return result;
}
bool has_axis(const StageProblem& stage, int d, int fields) {
  return contains(stage.axes, fields == 1 ? d : d + 1);
}

Transform of_all_fields(Transform transform, int fields) {
  if (fields == 1) return transform;
  transform.shape.insert(transform.shape.begin(), fields);
  for (int& axis : transform.axes) ++axis;
  return transform;
}
global::Recipe of_all_fields(global::Recipe recipe, int fields) {
  if (fields == 1) return recipe;
  recipe.locals.clear();  // of other arrays
  for (global::Stage& stage : recipe.stages) {
    for (int& axis : stage.axes) ++axis;
    if (stage.where == global::Stage::Where::grid) stage.grid.insert(stage.grid.begin(), 1);
  }
  return recipe;
}
reshape::ArrayDistribution of_all_fields(const reshape::ArrayDistribution& boxes, int fields) {
  if (fields == 1) return boxes;
  reshape::ArrayDistribution::List list = boxes.list();
  for (auto& each : list)
    for (Box& box : each) box = box_of(box, 0, fields);
  return list;
}
std::vector<Piece> of_all_fields(const std::vector<Piece>& pieces, int fields) {
  if (fields == 1) return pieces;
  std::vector<Piece> all;
  for (int f = 0; f < fields; ++f)
    for (Piece piece : pieces) {
      piece.box = box_of(piece.box, f, f + 1);
      std::copy_backward(piece.strides.begin(), piece.strides.end() - 1, piece.strides.end());
      piece.strides[0] = 0;
      all.push_back(piece);
    }
  return all;
}

std::unique_ptr<global::RunnableStage> make_field_stages(
    const global::RankDevice& device, const StageProblem& problem,
    const global::StageOptions& options, Memory side, std::shared_ptr<const FieldArrays> arrays) {
  return std::make_unique<FieldStages>(device, problem, options, side, std::move(arrays));
}

}  // namespace weft::spectral
