// SPDX-License-Identifier: BSD-3-Clause
#include "comm/shared_segment.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "support/in_child.hpp"

namespace weft {
namespace {

TEST(SharedSegment, IsOneMemoryForAllRanks) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{3}, std::size_t{3 << 20}})
    run_as_threads(3, [&](const Comm& comm) {
      const auto memory = make_shared_segment(comm, bytes);
      ASSERT_NE(memory, nullptr);
      const auto rank = static_cast<std::size_t>(comm.rank());
      if (rank < bytes) memory->data()[rank] = static_cast<std::byte>(10 + rank);
      comm.barrier();
      for (std::size_t r = 0; r < 3 && r < bytes; ++r)
        EXPECT_EQ(memory->data()[r], static_cast<std::byte>(10 + r));
      comm.barrier();
    });
}

TEST(SharedSegment, IsNullOnAllRanksWhereThereIsNotAsMuch) {
  if (test::is_sanitized) GTEST_SKIP() << "not under sanitizers";
  EXPECT_EQ(test::in_child([] {
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit small{1 << 20, 1 << 20};  // of any file
              setrlimit(RLIMIT_FSIZE, &small);
              bool is_good = true;
              run_as_threads(2, [&](const Comm& comm) {
                const bool is_null = make_shared_segment(comm, 1 << 21) == nullptr;
                const bool fits = make_shared_segment(comm, 1 << 19) != nullptr;
                if (comm.minimum(is_null && fits ? 1 : 0) == 0 && comm.rank() == 0) is_good = false;
              });
              return is_good;
            }),
            "good");
}

}  // namespace
}  // namespace weft
