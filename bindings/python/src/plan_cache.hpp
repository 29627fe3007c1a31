// SPDX-License-Identifier: BSD-3-Clause
// A small cache of plans, in which calls find the plans of earlier ones.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "request.hpp"

namespace weft::python {

struct CacheInfo {
  std::size_t hits, misses, limit, size;
};

/// The last used plans by the numbers of their requests. Threads may share it.
template <class Plan>
class PlanCache {
 public:
  std::shared_ptr<Plan> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(key.hash);
    if (found == places_.end() || !key.equals(found->second->key)) {
      ++misses_;
      return nullptr;
    }
    ++hits_;
    if (found->second != entries_.begin())
      entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->plan;
  }

  void add(const Key& key, std::shared_ptr<Plan> plan) {
    const std::lock_guard lock(mutex_);
    if (limit_ == 0) return;
    const auto found = places_.find(key.hash);
    if (found != places_.end()) entries_.erase(found->second);
    entries_.push_front(
        {{key.numbers.begin(), key.numbers.begin() + key.count}, key.hash, std::move(plan)});
    places_[key.hash] = entries_.begin();
    shrink(limit_);
  }

  CacheInfo info() {
    const std::lock_guard lock(mutex_);
    return {hits_, misses_, limit_, entries_.size()};
  }

  void set_limit(std::size_t limit) {
    const std::lock_guard lock(mutex_);
    limit_ = limit;
    shrink(limit);
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    shrink(0);
    hits_ = misses_ = 0;
  }

 private:
  struct Entry {
    std::vector<npy_intp> key;
    std::size_t hash;
    std::shared_ptr<Plan> plan;
  };

  void shrink(std::size_t size) {
    while (entries_.size() > size) {
      places_.erase(entries_.back().hash);
      entries_.pop_back();
    }
  }

  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
  std::unordered_map<std::size_t, typename std::list<Entry>::iterator> places_;
  std::size_t limit_ = 128, hits_ = 0, misses_ = 0;
};

}  // namespace weft::python
