// SPDX-License-Identifier: BSD-3-Clause
// Messages against following every element from the rank that has it to the rank that wants it.
#include "reshape/messages.hpp"

#include <gtest/gtest.h>

#include <map>

#include "unit/reshape/distributions.hpp"

namespace weft::reshape {
namespace {

const std::vector<Index> plane{5, 6};
constexpr int plane_ranks = 4;

/// Rank of each element.
std::vector<int> owners(const ArrayDistribution& distribution) {
  std::vector<int> owner(30, -1);
  for (int rank = 0; rank < plane_ranks; ++rank)
    for (const Box& box : distribution[at(rank)])
      for_each_element(box, plane, {}, [&](Index e, Index) { owner[at(e)] = rank; });
  return owner;
}

/// The elements of a message in the order in which they travel.
using Message = std::vector<Index>;
std::map<std::pair<int, int>, Message> messages_of(const Traffic& traffic) {
  std::map<std::pair<int, int>, Message> messages;  // by chunk and peer
  for (const Part& part : traffic.parts) {
    Message& message = messages[{part.chunk, part.peer}];
    EXPECT_EQ(part.offset, static_cast<Index>(message.size())) << "parts lie one after another";
    for_each_element(part.box, plane, {}, [&](Index e, Index) { message.push_back(e); });
  }
  return messages;
}

TEST(Messages, BringEveryElementToItsRankInTheSameOrderOnBothSides) {
  Random random(17);
  for (int i = 0; i < 1000; ++i) {
    const ArrayDistribution from = random_partition(random, plane, plane_ranks);
    const ArrayDistribution to = random_partition(random, plane, plane_ranks);
    const Chunking chunking{static_cast<int>(pick(random, 0, 1)),
                            static_cast<int>(pick(random, 1, 3))};
    const std::vector<int> sender = owners(from), receiver = owners(to);
    std::vector<int> arrived(sender.size(), 0);
    for (int me = 0; me < plane_ranks; ++me) {
      const Traffic out = outgoing(from, to, me, chunking);
      Index sent = 0;
      for (const auto& [name, message] : messages_of(out)) {
        const auto [chunk, peer] = name;
        ASSERT_EQ(out.counts[at(chunk)][at(peer)], static_cast<Index>(message.size()));
        for (Index e : message) {
          ASSERT_EQ(sender[at(e)], me);
          ASSERT_EQ(receiver[at(e)], peer);
          ++arrived[at(e)];
        }
        sent += peer != me;
        const Traffic in = incoming(from, to, peer, chunking);
        ASSERT_EQ(messages_of(in).at({chunk, me}), message) << "the receiver reads it otherwise";
      }
      ASSERT_EQ(out.messages(me), sent);
    }
    for (int times : arrived) ASSERT_EQ(times, 1) << i;
  }
}

TEST(Messages, AreCountedWithoutThoseToOneself) {
  const ArrayDistribution rows(plane, {plane_ranks, 1}, plane_ranks);
  const ArrayDistribution columns(plane, {1, plane_ranks}, plane_ranks);
  for (int me = 0; me < plane_ranks; ++me) {
    EXPECT_EQ(outgoing(rows, columns, me).messages(me), plane_ranks - 1);
    EXPECT_EQ(outgoing(rows, rows, me).messages(me), 0);
    EXPECT_EQ(outgoing(rows, columns, me).count(), count_between(rows, rows, me, me));
  }
}

TEST(Messages, CountBetweenTwoRanksIsTheirCommonElements) {
  const ArrayDistribution rows(plane, {2, 1}, 2), columns(plane, {1, 2}, 2);
  EXPECT_EQ(count_between(rows, columns, 0, 1), 3 * 3);  // rows 0 to 2, columns 3 to 5
  EXPECT_EQ(count_between(rows, columns, 1, 0), 2 * 3);
}

TEST(Messages, ChunksOfABoxFollowEachOtherAlongTheirAxis) {
  const Box box({2, 1}, {9, 4});
  Index next = 2;
  for (int chunk = 0; chunk < 3; ++chunk) {
    const Box slice = chunk_of(box, chunk, {0, 3});
    EXPECT_EQ(slice.begin[0], next);
    EXPECT_EQ(slice.begin[1], 1);
    EXPECT_EQ(slice.end[1], 4);
    next = slice.end[0];
  }
  EXPECT_EQ(next, 9);
}

TEST(Messages, GroupsAreTheRanksThatReachEachOther) {
  // Two halves of the array that never meet: ranks 0 and 2 swap theirs, 1 and 3 theirs.
  const Box a({0, 0}, {2, 6}), b({2, 0}, {3, 6}), c({3, 0}, {4, 6}), d({4, 0}, {5, 6});
  using List = ArrayDistribution::List;
  const ArrayDistribution from(List{{a}, {c}, {b}, {d}}), to(List{{b}, {d}, {a}, {c}});
  EXPECT_EQ(groups(from, to), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(groups(from, from), (std::vector<int>{0, 1, 2, 3}));
  // A chain: 0 gives to 1, 1 to 2, 2 to 3.
  EXPECT_EQ(groups(List{{a}, {b}, {c}, {d}}, List{{}, {a}, {b}, {c, d}}),
            (std::vector<int>{0, 0, 0, 0}));
}

TEST(Messages, AnAxisIsWholeWhereNoBoxCutsIt) {
  const ArrayDistribution rows(plane, {plane_ranks, 1}, plane_ranks);
  EXPECT_FALSE(is_whole(rows, plane, 0));
  EXPECT_TRUE(is_whole(rows, plane, 1));
}

}  // namespace
}  // namespace weft::reshape
