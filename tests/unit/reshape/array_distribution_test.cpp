// SPDX-License-Identifier: BSD-3-Clause
// A distribution by a grid is the list of the ranks' blocks, and finds the ranks that a box meets
// without looking at the others.
#include "reshape/array_distribution.hpp"

#include <gtest/gtest.h>

#include "random.hpp"
#include "reshape/cover.hpp"
#include "reshape/exchange.hpp"

namespace weft::reshape {
namespace {

struct Case {
  std::vector<Index> shape;
  Grid from, to;
  int ranks;
};

/// Some axes are shorter than their parts are many, some ranks have no place in the grid.
Case random_case(Random& random) {
  Case c{.shape = {}, .from = {}, .to = {}, .ranks = static_cast<int>(pick(random, 1, 30))};
  int left_from = c.ranks, left_to = c.ranks;
  for (int d = 0; d < 3; ++d) {
    c.shape.push_back(pick(random, 1, 9));
    c.from.push_back(static_cast<int>(pick(random, 1, left_from)));
    c.to.push_back(static_cast<int>(pick(random, 1, left_to)));
    left_from /= c.from.back();
    left_to /= c.to.back();
  }
  return c;
}

std::vector<Box> blocks_of(const Case& c, const Grid& grid, int rank) {
  std::vector<Box> boxes;
  for (const LocalBox& local : bricks(c.shape, grid, rank)) boxes.push_back(local.box);
  return boxes;
}

void expect_equal(const Traffic& a, const Traffic& b) {
  EXPECT_EQ(a.counts, b.counts);
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    EXPECT_EQ(a.parts[i].peer, b.parts[i].peer);
    EXPECT_EQ(a.parts[i].box, b.parts[i].box);
    EXPECT_EQ(a.parts[i].offset, b.parts[i].offset);
    EXPECT_EQ(a.parts[i].chunk, b.parts[i].chunk);
  }
}

TEST(ArrayDistribution, OfAGridIsTheListOfItsBlocks) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const Case c = random_case(random);
    const ArrayDistribution grid(c.shape, c.from, c.ranks);
    ArrayDistribution::List list;
    for (int rank = 0; rank < c.ranks; ++rank) list.push_back(blocks_of(c, c.from, rank));
    EXPECT_EQ(grid.list(), list);
    const ArrayDistribution listed(list);
    EXPECT_EQ(grid.largest_count(), listed.largest_count());
    EXPECT_EQ(is_partition(grid, c.shape), is_partition(listed, c.shape));
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(is_whole(grid, c.shape, axis), is_whole(listed, c.shape, axis));
      EXPECT_EQ(grid.parts(axis), listed.parts(axis));
    }
  }
}

TEST(ArrayDistribution, OfGridsHasTheTrafficOfTheirLists) {
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    const Case c = random_case(random);
    const ArrayDistribution from(c.shape, c.from, c.ranks), to(c.shape, c.to, c.ranks);
    const ArrayDistribution from_list(from.list()), to_list(to.list());
    const Chunking chunking{.axis = static_cast<int>(pick(random, 0, 2)),
                            .count = static_cast<int>(pick(random, 1, 3))};
    std::vector<int> nodes;
    for (int rank = 0; rank < c.ranks; ++rank) nodes.push_back(static_cast<int>(random() % 3));
    for (int me = 0; me < c.ranks; ++me) {
      expect_equal(outgoing(from, to, me, chunking), outgoing(from_list, to_list, me, chunking));
      expect_equal(incoming(from, to, me, chunking), incoming(from_list, to_list, me, chunking));
      const Traffic all = outgoing(from_list, to_list, me);
      std::vector<Index> counts(static_cast<std::size_t>(c.ranks), 0);
      for (const auto& [peer, elements] : outgoing_counts(from, to, me))
        counts[static_cast<std::size_t>(peer)] = elements;
      EXPECT_EQ(counts, all.counts[0]);
    }
  }
}

/// Bytes of a node's memory, sender by sender, receiver by receiver.
NodeMemory counted_bytes(const std::vector<int>& nodes, const ExchangeProblem& p, int mine) {
  const int ranks = static_cast<int>(nodes.size());
  NodeMemory sum;
  for (int other = 0; other < 3; ++other) {
    Index sent = 0, received = 0;
    for (int a = 0; a < ranks; ++a)
      for (int b = 0; b < ranks; ++b) {
        if (nodes[static_cast<std::size_t>(b)] != other) continue;
        if (nodes[static_cast<std::size_t>(a)] != mine) continue;
        sent += p.element_bytes * count_between(p.from, p.to, a, b);
        received += p.element_bytes * count_between(p.from, p.to, b, a);
      }
    const auto whole_lines = [](Index bytes) { return (bytes + 63) / 64 * 64; };
    (other == mine ? sum.local : sum.send) += whole_lines(sent);
    if (other != mine) sum.receive += whole_lines(received);
  }
  return sum;
}

TEST(ArrayDistribution, TellsWhatANodeSharesAndSends) {
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const Case c = random_case(random);
    std::vector<int> nodes;
    for (int rank = 0; rank < c.ranks; ++rank) nodes.push_back(static_cast<int>(random() % 3));
    const ExchangeProblem p{.from = ArrayDistribution(c.shape, c.from, c.ranks),
                            .to = ArrayDistribution(c.shape, c.to, c.ranks),
                            .element_bytes = 8};
    const NodeMemory wanted = counted_bytes(nodes, p, nodes[0]);
    const NodeMemory found = node_aware_bytes(nodes, p, 0);
    EXPECT_EQ(found.local, wanted.local);
    EXPECT_EQ(found.send, wanted.send);
    EXPECT_EQ(found.receive, wanted.receive);
  }
}

/// A quarter of a million ranks: looking at each of them for each would take minutes.
TEST(ArrayDistribution, LooksOnlyAtRanksThatABoxMeets) {
  const std::vector<Index> shape{1024, 1024, 1024};
  const int ranks = 512 * 512;
  const ArrayDistribution from(shape, {512, 512, 1}, ranks), to(shape, {512, 1, 512}, ranks);
  EXPECT_EQ(to.ranks_meeting(from[0]).size(), 512u);  // the pencils of one row of the grid
  EXPECT_EQ(outgoing_counts(from, to, ranks - 1).size(), 512u);
  std::vector<int> nodes(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    nodes[static_cast<std::size_t>(rank)] = rank / (ranks / 2);
  // Half the ranks, estimated from 16 of them: their rows lie on the node.
  const NodeMemory memory =
      node_aware_bytes(nodes, {.from = from, .to = to, .element_bytes = 16}, 0, 16);
  EXPECT_EQ(memory.local, Index{16} << 29);
  EXPECT_EQ(memory.send, 0);
}

}  // namespace
}  // namespace weft::reshape
