// SPDX-License-Identifier: BSD-3-Clause
#include "comm/agree.hpp"

#include <algorithm>
#include <new>

#include "weft/error.hpp"

namespace weft {
namespace {

struct Failure {
  int code = -1;  // of ErrorCode; -1: none
  std::string message;
};

Failure run(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const Error& error) {
    return {static_cast<int>(error.code()), error.what()};
  } catch (const std::bad_alloc&) {
    return {static_cast<int>(ErrorCode::out_of_memory),
            "out of memory; use more ranks or a smaller array"};
  } catch (const std::exception& error) {
    return {static_cast<int>(ErrorCode::internal), error.what()};
  }
}

}  // namespace

std::string broadcast_text(const Comm& comm, const std::string& text) {
  Index length = static_cast<Index>(text.size());
  comm.broadcast(&length, sizeof length, 0);
  std::string copy = text;
  copy.resize(static_cast<std::size_t>(length));
  if (length > 0) comm.broadcast(copy.data(), length, 0);
  return copy;
}

std::vector<std::string> gather_texts(const Comm& comm, const std::string& mine) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const Index length = static_cast<Index>(mine.size());
  std::vector<Index> lengths(ranks);
  comm.all_gather(&length, sizeof length, lengths.data());
  const Index longest = *std::ranges::max_element(lengths);
  std::string padded = mine;
  padded.resize(static_cast<std::size_t>(longest));
  std::string all(ranks * padded.size(), '\0');
  if (longest > 0) comm.all_gather(padded.data(), longest, all.data());
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < ranks; ++r)
    texts.push_back(all.substr(r * padded.size(), static_cast<std::size_t>(lengths[r])));
  return texts;
}

void agree(const Comm& comm, const std::function<void()>& work) {
  const Failure mine = run(work);
  std::vector<int> codes(static_cast<std::size_t>(comm.size()));
  comm.all_gather(&mine.code, sizeof mine.code, codes.data());
  const auto failed = std::ranges::find_if(codes, [](int code) { return code >= 0; });
  if (failed == codes.end()) return;
  const auto texts = gather_texts(comm, mine.message);
  const auto rank = failed - codes.begin();
  throw Error(static_cast<ErrorCode>(*failed),
              "rank " + std::to_string(rank) + ": " + texts[static_cast<std::size_t>(rank)]);
}

void require_equal(const Comm& comm, const std::string& mine, const std::string& what) {
  const auto texts = gather_texts(comm, mine);
  for (std::size_t rank = 1; rank < texts.size(); ++rank)
    if (texts[rank] != texts[0])
      throw Error(ErrorCode::invalid_argument,
                  "the ranks disagree on the " + what + ": rank 0 has '" + texts[0] + "', rank " +
                      std::to_string(rank) + " has '" + texts[rank] + "'; pass the same on all");
}

}  // namespace weft
