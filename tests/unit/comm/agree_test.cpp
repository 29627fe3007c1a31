// SPDX-License-Identifier: BSD-3-Clause
// What one rank finds wrong, every rank throws.
#include "comm/agree.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "weft/error.hpp"

namespace weft {
namespace {

constexpr int ranks = 4;

/// What each rank throws; the code of the first one.
struct Thrown {
  ErrorCode code = ErrorCode::io;
  std::vector<std::string> texts = std::vector<std::string>(ranks, "nothing");
};

template <class Body>
Thrown thrown(const Body& body) {
  Thrown thrown;
  run_as_threads(ranks, [&](const Comm& comm) {
    try {
      body(comm);
    } catch (const Error& error) {
      thrown.texts[static_cast<std::size_t>(comm.rank())] = error.what();
      if (comm.rank() == 0) thrown.code = error.code();
    }
  });
  return thrown;
}

TEST(Agree, IsQuietWhereNothingFails) {
  EXPECT_EQ(thrown([](const Comm& comm) { agree(comm, [] {}); }).texts,
            std::vector<std::string>(ranks, "nothing"));
}

TEST(Agree, EveryRankThrowsTheErrorOfTheLowestThatFails) {
  const Thrown result = thrown([](const Comm& comm) {
    agree(comm, [&] {
      if (comm.rank() == 3) throw Error(ErrorCode::internal, "three");
      if (comm.rank() == 1) throw Error(ErrorCode::unsupported, "one");
    });
  });
  EXPECT_EQ(result.texts, std::vector<std::string>(ranks, "rank 1: one"));
  EXPECT_EQ(result.code, ErrorCode::unsupported);
}

TEST(Agree, OtherExceptionsBecomeErrors) {
  const Thrown memory = thrown([](const Comm& comm) {
    agree(comm, [&] {
      if (comm.rank() == 2) throw std::bad_alloc();
    });
  });
  EXPECT_EQ(memory.code, ErrorCode::out_of_memory);
  EXPECT_EQ(memory.texts[0].find("rank 2: out of memory"), 0U);
  const Thrown other = thrown([](const Comm& comm) {
    agree(comm, [&] {
      if (comm.rank() == 2) throw std::runtime_error("odd");
    });
  });
  EXPECT_EQ(other.code, ErrorCode::internal);
  EXPECT_EQ(other.texts, std::vector<std::string>(ranks, "rank 2: odd"));
}

TEST(Agree, TheRanksGoOnTogetherAfterwards) {
  run_as_threads(ranks, [](const Comm& comm) {
    for (int round = 0; round < 20; ++round) {
      EXPECT_THROW(agree(comm,
                         [&] {
                           if (comm.rank() == round % ranks) throw Error(ErrorCode::io, "x");
                         }),
                   Error);
      EXPECT_EQ(comm.minimum(comm.rank() + round), round);
    }
  });
}

TEST(Agree, TextsOfAllRanksAreGatheredAndCompared) {
  run_as_threads(ranks, [](const Comm& comm) {
    const std::string mine(static_cast<std::size_t>(3 * comm.rank()), 'x');
    EXPECT_EQ(gather_texts(comm, mine),
              (std::vector<std::string>{"", "xxx", "xxxxxx", "xxxxxxxxx"}));
    EXPECT_EQ(broadcast_text(comm, mine + "rank " + std::to_string(comm.rank())), "rank 0");
    EXPECT_EQ(broadcast_text(comm, mine), "");
    require_equal(comm, "the same", "options");
  });
  const Thrown result = thrown([](const Comm& comm) {
    require_equal(comm, comm.rank() < 2 ? "forward" : "backward", "direction");
  });
  for (const std::string& text : result.texts)
    EXPECT_EQ(text,
              "the ranks disagree on the direction: rank 0 has 'forward', rank 2 has "
              "'backward'; pass the same on all ranks");
  EXPECT_EQ(result.code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace weft
