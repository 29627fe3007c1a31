// SPDX-License-Identifier: BSD-3-Clause
// SharedCache: values that were made before and may be wanted again, by key. It keeps the entries
// that were used last, within its limits of number and size. Callers share the ownership of a
// value. Threads may share the cache.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace weft {

struct CacheLimits {
  std::size_t entries = 64;
  double bytes = 16.0 * 1024 * 1024;
};

template <class Key, class Value, class Hash = std::hash<Key>>
class SharedCache {
 public:
  using Pointer = std::shared_ptr<const Value>;

  explicit SharedCache(const CacheLimits& limits) : limits_(limits) {}

  /// Null if there is none.
  Pointer find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->value;
  }

  /// Returns what is kept under the key: the earlier one if another thread was faster. What fills
  /// more than a quarter of the cache is not kept.
  Pointer add(const Key& key, Pointer value, double bytes) {
    if (4 * bytes > limits_.bytes) return value;
    const std::lock_guard lock(mutex_);
    if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second->value;
    entries_.push_front({key, value, bytes});
    bytes_ += bytes;
    by_key_[key] = entries_.begin();
    while (entries_.size() > limits_.entries || bytes_ > limits_.bytes) {
      bytes_ -= entries_.back().bytes;
      by_key_.erase(entries_.back().key);
      entries_.pop_back();
    }
    return value;
  }

  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    by_key_.clear();
    entries_.clear();
    bytes_ = 0;
  }

 private:
  struct Entry {
    Key key;
    Pointer value;
    double bytes;
  };

  CacheLimits limits_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // used last first
  std::unordered_map<Key, typename std::list<Entry>::iterator, Hash> by_key_;
  double bytes_ = 0;
};

}  // namespace weft
