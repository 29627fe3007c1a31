// SPDX-License-Identifier: BSD-3-Clause
// Several transfers, started and waited for together.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "weft/comm.hpp"

namespace weft {

class Transfers final : public Transfer {
 public:
  /// `offset`: in bytes; added to both pointers that start() receives.
  void add(std::unique_ptr<Transfer> transfer, Index offset) {
    parts_.push_back({std::move(transfer), offset});
  }

  void start(const void* send, void* receive) override {
    const auto* from = static_cast<const std::byte*>(send);
    auto* to = static_cast<std::byte*>(receive);
    for (Part& part : parts_) part.transfer->start(from + part.offset, to + part.offset);
    pending_ = parts_.size();
  }
  void start_void() override {
    for (Part& part : parts_) part.transfer->start_void();
    pending_ = parts_.size();
  }
  bool is_void() const override {
    return std::ranges::any_of(parts_, [](const Part& part) { return part.transfer->is_void(); });
  }
  bool test() override {
    while (pending_ > 0 && parts_[pending_ - 1].transfer->test()) --pending_;
    return pending_ == 0;
  }
  void wait() override {
    for (; pending_ > 0; --pending_) parts_[pending_ - 1].transfer->wait();
  }

 private:
  struct Part {
    std::unique_ptr<Transfer> transfer;
    Index offset;
  };
  std::vector<Part> parts_;
  std::size_t pending_ = 0;  ///< the first `pending_` parts may not be finished yet
};

}  // namespace weft
