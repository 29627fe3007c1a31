// SPDX-License-Identifier: BSD-3-Clause
// Every exchange carries an array whose elements are their own numbers from one distribution to
// another.
#include "reshape/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "unit/reshape/distributions.hpp"
#include "weft/error.hpp"

namespace weft::reshape {
namespace {

const std::vector<Index> cube{6, 5, 4};
const std::vector<int> cube_nodes{0, 0, 1, 1, 1};
constexpr int cube_ranks = 5;
constexpr Index element_bytes = 8;
constexpr Index unwritten = -1;

struct Carried {
  std::unique_ptr<Exchange> exchange;
  std::shared_ptr<const Comm> node;
  std::unique_ptr<SharedMemory> shared;
  std::vector<Index> send, receive;
  Bases bases{};
};

std::byte* bytes_of(std::vector<Index>& memory) {
  return reinterpret_cast<std::byte*>(memory.data());
}

/// `shared` needs all ranks on one node.
Carried prepare(const Comm& comm, ExchangeKind kind, const ExchangeProblem& problem) {
  Carried carried;
  Index shared_bytes = 0;
  switch (kind) {
    case ExchangeKind::all_to_all: carried.exchange = make_all_to_all(comm, problem); break;
    case ExchangeKind::all_to_all_v: carried.exchange = make_all_to_all_v(comm, problem); break;
    case ExchangeKind::point_to_point: carried.exchange = make_point_to_point(comm, problem); break;
    case ExchangeKind::pipelined: carried.exchange = make_pipelined(comm, problem); break;
    case ExchangeKind::shared: {
      const Box whole = Box::of_shape(cube);
      const SharedArray array{{whole, Memory::shared, shared_head, dense_strides(whole)}};
      carried.exchange = make_shared(comm, problem, array);
      shared_bytes = 64 + 6 * 5 * 4 * element_bytes;
      break;
    }
    case ExchangeKind::node_aware: {
      const NodeMemory bytes = node_aware_bytes(comm.nodes(), problem, comm.rank());
      carried.exchange = make_node_aware(
          comm, problem, {.local = bytes.send + bytes.receive, .send = 0, .receive = bytes.send});
      shared_bytes = bytes.local + bytes.send + bytes.receive;
      break;
    }
    default: throw Error(ErrorCode::internal, "an exchange between GPUs");
  }
  if (kind == ExchangeKind::shared || kind == ExchangeKind::node_aware) {
    carried.node = comm.split(comm.nodes()[at(comm.rank())]);
    carried.shared =
        carried.node->allocate_shared(static_cast<std::size_t>(shared_head + shared_bytes + 64));
    carried.bases[static_cast<std::size_t>(Memory::shared)] = carried.shared->data() + shared_head;
  }
  carried.exchange->connect(carried.node, carried.bases);
  carried.send.assign(at(carried.exchange->send_bytes() / element_bytes), unwritten);
  carried.receive.assign(at(carried.exchange->receive_bytes() / element_bytes), unwritten);
  carried.bases[static_cast<std::size_t>(Memory::send)] = bytes_of(carried.send);
  carried.bases[static_cast<std::size_t>(Memory::receive)] = bytes_of(carried.receive);
  return carried;
}

/// Writes the elements of chunk `chunk` that belong to `boxes` into the exchange's pieces.
void write(const Carried& carried, const std::vector<Box>& boxes, const Chunking& chunking,
           int chunk, Index plus) {
  for (const Piece& piece : carried.exchange->outgoing())
    for (const Box& box : boxes) {
      const Box part = intersect(piece.box, chunk_of(box, chunk, chunking));
      if (part.empty()) continue;
      const Piece there = sub_piece(piece, part, element_bytes);
      for_each_element(part, cube, there.strides, [&](Index number, Index distance) {
        const Index value = number + plus;
        std::memcpy(there.data(carried.bases) + distance * element_bytes, &value, sizeof value);
      });
    }
}

/// Every element of `boxes` must have come, once.
void expect_arrived(const Carried& carried, const std::vector<Box>& boxes, Index plus) {
  Index wanted = 0, found = 0;
  for (const Box& box : boxes) wanted += box.count();
  for (const Piece& piece : carried.exchange->incoming())
    for_each_element(piece.box, cube, piece.strides, [&](Index number, Index distance) {
      Index value = 0;
      std::memcpy(&value, piece.data(carried.bases) + distance * element_bytes, sizeof value);
      EXPECT_EQ(value, number + plus);
      ++found;
    });
  EXPECT_EQ(found, wanted);
}

void carry(Carried& carried, const ExchangeProblem& problem, int me, bool in_parts, Index plus) {
  Exchange& exchange = *carried.exchange;
  exchange.begin(carried.bases);
  for (int chunk = 0; chunk < problem.chunking.count; ++chunk) {
    write(carried, problem.from[at(me)], problem.chunking, chunk, plus);
    exchange.chunk_ready(chunk, carried.bases);
  }
  if (!in_parts) return exchange.complete(carried.bases);
  exchange.start(carried.bases);
  while (!exchange.test()) std::this_thread::yield();
}

void expect_carried(ExchangeKind kind, const std::vector<int>& nodes_of_ranks, Chunking chunking) {
  Random random(37);
  for (int i = 0; i < 25; ++i) {
    const ExchangeProblem problem{.from = random_partition(random, cube, cube_ranks),
                                  .to = random_partition(random, cube, cube_ranks),
                                  .element_bytes = element_bytes,
                                  .chunking = chunking};
    run_as_threads(nodes_of_ranks, [&](const Comm& comm) {
      Carried carried = prepare(comm, kind, problem);
      for (const bool in_parts : {false, true}) {
        const Index plus = in_parts ? 1000 : 0;
        carried.exchange->enter(in_parts ? 2 : 1, false);
        carry(carried, problem, comm.rank(), in_parts, plus);
        expect_arrived(carried, problem.to[at(comm.rank())], plus);
        comm.barrier();  // nobody writes what another still reads
      }
    });
    if (testing::Test::HasFailure()) FAIL() << to_string(kind) << ", case " << i;
  }
}

TEST(Exchange, AllToAllCarriesEveryElement) {
  expect_carried(ExchangeKind::all_to_all, cube_nodes, {});
}
TEST(Exchange, AllToAllVCarriesEveryElement) {
  expect_carried(ExchangeKind::all_to_all_v, cube_nodes, {});
}
TEST(Exchange, PointToPointCarriesEveryElement) {
  expect_carried(ExchangeKind::point_to_point, cube_nodes, {});
}
TEST(Exchange, PipelinedCarriesEveryElementChunkByChunk) {
  expect_carried(ExchangeKind::pipelined, cube_nodes, {.axis = 1, .count = 3});
}
TEST(Exchange, SharedCarriesEveryElement) {
  expect_carried(ExchangeKind::shared, std::vector<int>(cube_ranks, 0), {});
}
TEST(Exchange, NodeAwareCarriesEveryElement) {
  expect_carried(ExchangeKind::node_aware, cube_nodes, {});
}

bool contains(const std::vector<int>& ranks, int rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

/// One rank after another is void: those that say that they hear of it do, and no other rank.
void expect_heard(ExchangeKind kind, const std::vector<int>& nodes_of_ranks) {
  Random random(41);
  for (int i = 0; i < 5; ++i) {
    const ExchangeProblem problem{.from = random_partition(random, cube, cube_ranks),
                                  .to = random_partition(random, cube, cube_ranks),
                                  .element_bytes = element_bytes};
    run_as_threads(nodes_of_ranks, [&](const Comm& comm) {
      Carried carried = prepare(comm, kind, problem);
      ASSERT_NE(carried.exchange->tells(), Exchange::Tells::nobody);
      const std::vector<int> peers = carried.exchange->heard_peers();
      const bool hears_all = carried.exchange->tells() == Exchange::Tells::all;
      for (int round = 0; round <= 2 * cube_ranks; ++round) {
        const int bad = round < 2 * cube_ranks ? round / 2 : -1;
        carried.exchange->enter(static_cast<std::uint64_t>(round + 1), comm.rank() == bad);
        carry(carried, problem, comm.rank(), round % 2 == 1, 0);
        if (comm.rank() != bad) {
          EXPECT_EQ(carried.exchange->has_heard_void(),
                    bad >= 0 && (hears_all || contains(peers, bad)));
        }
        comm.barrier();
      }
    });
    if (testing::Test::HasFailure()) FAIL() << to_string(kind) << ", case " << i;
  }
}

TEST(Exchange, PeersHearOfAVoidRank) {
  expect_heard(ExchangeKind::point_to_point, cube_nodes);
  expect_heard(ExchangeKind::shared, std::vector<int>(cube_ranks, 0));
  expect_heard(ExchangeKind::node_aware, cube_nodes);
  expect_heard(ExchangeKind::all_to_all, cube_nodes);
  expect_heard(ExchangeKind::all_to_all_v, cube_nodes);
}

TEST(Exchange, NodeAwareSendsOneMessagePerPairOfNodes) {
  const ExchangeProblem problem{.from = ArrayDistribution(cube, {cube_ranks, 1, 1}, cube_ranks),
                                .to = ArrayDistribution(cube, {1, cube_ranks, 1}, cube_ranks),
                                .element_bytes = element_bytes};
  run_as_threads(cube_nodes, [&](const Comm& comm) {
    const auto exchange = make_node_aware(comm, problem, {});
    std::vector<Index> messages(cube_ranks);
    const Index mine = exchange->messages();
    comm.all_gather(&mine, sizeof mine, messages.data());
    Index sum = 0;
    for (Index m : messages) sum += m;
    EXPECT_EQ(sum, 2);  // there and back
    EXPECT_EQ(make_point_to_point(comm, problem)->messages(), cube_ranks - 1);
  });
}

}  // namespace
}  // namespace weft::reshape
