// SPDX-License-Identifier: BSD-3-Clause
#include "comm/agree.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "weft/error.hpp"

namespace weft {
namespace {

/// The error of a rank, in a fixed buffer so that nothing is allocated. Longer messages are
/// truncated.
struct Failure {
  int code = -1;  // of ErrorCode; -1: none
  std::array<char, 2044> message{};

  void set(ErrorCode error, const char* text) {
    code = static_cast<int>(error);
    std::strncpy(message.data(), text, message.size() - 1);
  }
};

Failure run(WorkRef work) {
  Failure failure;
  try {
    work();
  } catch (const Error& error) {
    failure.set(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    failure.set(ErrorCode::out_of_memory, "out of memory; use more ranks or a smaller array");
  } catch (const std::exception& error) {
    failure.set(ErrorCode::internal, error.what());
  } catch (...) {
    failure.set(ErrorCode::internal, "unknown exception (not a std::exception)");
  }
  return failure;
}

/// Always a weft::Error: where callers catch it and go on, all ranks go on.
[[noreturn]] void throw_failure(const Failure& failure, int rank) {
  const auto code = static_cast<ErrorCode>(failure.code);
  try {
    throw Error(code, "rank " + std::to_string(rank) + ": " + failure.message.data());
  } catch (const std::bad_alloc&) {
    throw Error(code, {});  // no memory for the text
  }
}

}  // namespace

void agree(const Comm& comm, WorkRef work) {
  Failure failure = run(work);
  const bool is_good = failure.code < 0;
  const auto first = static_cast<int>(comm.minimum(is_good ? comm.size() : comm.rank()));
  if (first == comm.size()) return;
  comm.broadcast(&failure, sizeof failure, first);
  throw_failure(failure, first);
}

std::string broadcast_text(const Comm& comm, const std::string& text) {
  Index length = static_cast<Index>(text.size());
  comm.broadcast(&length, sizeof length, 0);
  std::string copy;
  agree(comm, [&] {
    copy = text;
    copy.resize(static_cast<std::size_t>(length));
  });
  if (length > 0) comm.broadcast(copy.data(), length, 0);
  return copy;
}

std::vector<std::string> gather_texts(const Comm& comm, const std::string& mine) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const Index length = static_cast<Index>(mine.size()), longest = -comm.minimum(-length);
  // A text is sent as its length, its characters, and padding up to the longest text.
  const auto bytes = sizeof length + static_cast<std::size_t>(longest);
  std::string padded, all;
  agree(comm, [&] {
    padded.assign(reinterpret_cast<const char*>(&length), sizeof length).append(mine);
    padded.resize(bytes);
    all.resize(ranks * bytes);
  });
  comm.all_gather(padded.data(), static_cast<Index>(bytes), all.data());
  std::vector<std::string> texts;
  agree(comm, [&] {
    for (std::size_t r = 0; r < ranks; ++r) {
      Index count = 0;
      std::memcpy(&count, all.data() + r * bytes, sizeof count);
      texts.push_back(all.substr(r * bytes + sizeof count, static_cast<std::size_t>(count)));
    }
  });
  return texts;
}

void require_equal(const Comm& comm, const std::string& mine, const char* what) {
  const auto texts = gather_texts(comm, mine);
  for (std::size_t rank = 1; rank < texts.size(); ++rank)
    if (texts[rank] != texts[0])
      throw Error(ErrorCode::invalid_argument, std::string("the ranks disagree on the ") + what +
                                                   ": rank 0 has '" + texts[0] + "', rank " +
                                                   std::to_string(rank) + " has '" + texts[rank] +
                                                   "'; pass the same on all ranks");
}

}  // namespace weft
