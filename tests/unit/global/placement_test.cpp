// SPDX-License-Identifier: BSD-3-Clause
// Where recipes keep their data, and that plans take the memory that is said of them.
#include "global/recipe/placement.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "global/choose/local_tuner.hpp"
#include "global/choose/planner.hpp"
#include "global/recipe/recipe_text.hpp"
#include "problem/request.hpp"
#include "support/forwarding_comm.hpp"

namespace weft::global {
namespace {

using reshape::Memory;
using reshape::Piece;

GlobalProblem slabs_problem(const Transform& transform, int ranks) {
  GlobalProblem problem{problem::check_request(transform, {}, {}).problem};
  Grid rows(transform.shape.size(), 1);
  rows[0] = ranks;
  problem.input = reshape::ArrayDistribution(problem.input_shape(), rows, ranks);
  problem.output = reshape::ArrayDistribution(problem.output_shape(), rows, ranks);
  return problem;
}

TEST(Placement, OnlyPipelinedExchangesAreCutIntoChunks) {
  const GlobalProblem problem = slabs_problem(c2c({6, 20, 9}), 2);
  const auto chunking = [&](const std::string& recipe, std::size_t stage) {
    return chunking_of(problem, parse_recipe(recipe), stage);
  };
  const std::string stages = "slab: input[1,2] > 1x2x1[0] > output[] by ";
  EXPECT_EQ(chunking(stages + "point_to_point", 0).count, 1);
  EXPECT_EQ(chunking(stages + "pipelined:1", 0).count, 1);
  EXPECT_EQ(chunking(stages + "pipelined:3", 0).count, 3);
  EXPECT_EQ(chunking(stages + "pipelined:3", 0).axis, 0);   // the only one that is not transformed
  EXPECT_EQ(chunking(stages + "pipelined:3", 1).axis, 1);   // the longest of two
  EXPECT_EQ(chunking(stages + "pipelined:3", 2).count, 1);  // nothing is sent after it
  EXPECT_EQ(chunking("slab: input[0,1,2] > output[] by pipelined:3", 0).count, 1);
}

TEST(Placement, TransformsInPlaceTakeADetourWhereTheyWouldOverwriteTheirInput) {
  const GlobalProblem complex = slabs_problem(c2c({4, 6}), 1), real = slabs_problem(r2c({4, 6}), 1);
  const auto pieces = [](const std::vector<int>& order, Memory memory) {
    return reshape::pieces_of({{.box = Box::of_shape(std::vector<Index>{4, 6}), .order = order}},
                              memory, 16);
  };
  const auto rows = pieces({0, 1}, Memory::input), same = pieces({0, 1}, Memory::output);
  const auto columns = pieces({1, 0}, Memory::output);
  EXPECT_FALSE(needs_detour(complex, rows, columns, false));
  EXPECT_FALSE(needs_detour(complex, rows, same, true));
  EXPECT_TRUE(needs_detour(complex, rows, columns, true));
  EXPECT_TRUE(needs_detour(complex, rows, {}, true));
  EXPECT_TRUE(needs_detour(real, rows, same, true));
}

TEST(Placement, TemporaryPiecesAreDenseAndDoNotOverlap) {
  GlobalProblem problem = slabs_problem(c2c({5, 6}), 2);
  Box low = Box::of_shape(std::vector<Index>{5, 6}), high = low;
  low.end[0] = high.begin[0] = 2;
  problem.output = reshape::ArrayDistribution::List{{low, high}, {}};
  const auto pieces = temporary_pieces(problem, 0);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].offset, 0);
  EXPECT_EQ(pieces[1].offset, 2 * 6 * 16);
  for (const Piece& piece : pieces) {
    EXPECT_EQ(piece.memory, Memory::receive);
    EXPECT_EQ(piece.strides, reshape::dense_strides(piece.box));
  }
  EXPECT_TRUE(temporary_pieces(problem, 1).empty());
}

/// Notes how much memory a node is asked to share.
class SharingComm final : public test::ForwardingComm {
 public:
  SharingComm(std::shared_ptr<const Comm> inner, std::shared_ptr<std::atomic<Index>> bytes)
      : ForwardingComm(std::move(inner)), bytes_(std::move(bytes)) {}
  std::shared_ptr<const Comm> duplicate() const override {
    return std::make_shared<SharingComm>(inner_->duplicate(), bytes_);
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return std::make_shared<SharingComm>(inner_->split(color), bytes_);
  }
  std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const override {
    if (rank() == 0) *bytes_ = static_cast<Index>(bytes);
    return inner_->allocate_shared(bytes);
  }

 private:
  std::shared_ptr<std::atomic<Index>> bytes_;
};

/// What is said of a recipe before it is built, by the model and by place(), is what it takes.
TEST(Placement, PlansTakeTheMemoryThatIsSaidOfThem) {
  constexpr int ranks = 4;
  const char* const recipes[] = {"slab: input[1,2] > 1x4x1[0] > output[] by ",
                                 "pencil: input[2] > 2x1x2[1] > 1x2x2[0] > output[] by "};
  for (const Transform& transform : {c2c({16, 12, 20}), r2c({8, 9, 10})})
    for (const char* stages : recipes)
      for (const char* exchange : {"shared", "node_aware", "point_to_point", "pipelined:2"}) {
        const GlobalProblem problem = slabs_problem(transform, ranks);
        const Recipe recipe = parse_recipe(stages + std::string(exchange));
        if (!stages_fit(recipe, problem)) continue;
        const std::vector<int> nodes(ranks, 0);
        const auto shared = std::make_shared<std::atomic<Index>>(-1);
        std::atomic<Index> footprint = 0;
        run_as_threads(nodes, [&](const Comm& comm) {
          const SharingComm sharing(comm.duplicate(), shared);
          const auto rank = static_cast<std::size_t>(comm.rank());
          const auto pieces = [&](const ArrayDistribution& distribution, Memory memory,
                                  Index bytes) {
            LocalBoxes boxes;
            for (const Box& box : distribution[rank]) boxes.push_back({.box = box});
            return reshape::pieces_of(boxes, memory, bytes);
          };
          BuildOptions options;
          options.stage.executor = serial_executor();
          const auto plan =
              make_plan(problem, recipe,
                        pieces(problem.input, Memory::input,
                               in_element_bytes(transform.kind, transform.precision)),
                        pieces(problem.output, Memory::output,
                               out_element_bytes(transform.kind, transform.precision)),
                        sharing, options);
          const Footprint mine = plan->footprint();
          EXPECT_EQ(plan->workspace()->bytes(),
                    mine.send + mine.receive + mine.scratch + mine.shared)
              << to_text(recipe);
          Index most = footprint;
          while (most < mine.total() && !footprint.compare_exchange_weak(most, mine.total())) {
          }
        });
        const Placement placement = place(problem, recipe, nodes, 0);
        const bool shares = placement.shared_bytes > 0;
        EXPECT_GE(*shared, shares ? placement.shared_bytes : -1) << to_text(recipe);
        EXPECT_LE(*shared, shares ? placement.shared_bytes + 4096 : -1) << to_text(recipe);
        const auto cost = predict(problem, recipe, nodes, false, {});
        EXPECT_NEAR(static_cast<double>(cost.workspace_bytes), static_cast<double>(footprint),
                    1 << 20)
            << to_text(recipe);
      }
}

}  // namespace
}  // namespace weft::global
