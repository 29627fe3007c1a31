// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/schedule/order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace weft::codelet::ir {
namespace {

/// Our own random number generator: the distributions of the standard library differ between
/// implementations, but the emitted text must not.
class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed * 2654435761u + 12345u) {}
  int below(int bound) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<int>((state_ >> 8) % static_cast<std::uint32_t>(bound));
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (int i = static_cast<int>(values.size()) - 1; i > 0; --i)
      std::swap(values[i], values[below(i + 1)]);
  }

 private:
  std::uint32_t state_;
};

class DemandOrder {
 public:
  DemandOrder(std::span<const Task> tasks, int value_count, const DemandOptions& options)
      : tasks_(tasks),
        options_(options),
        random_(options.seed),
        producer_(value_count, -1),
        readers_(value_count),
        readers_left_(value_count, 0),
        missing_(tasks.size(), 0),
        done_(tasks.size(), false),
        cluster_of_(tasks.size(), -1) {
    for (int t = 0; t < static_cast<int>(tasks.size()); ++t) {
      for (Value v : tasks[t].defines) producer_[v] = t;
      for (Value v : tasks[t].reads) {
        readers_[v].push_back(t);
        ++readers_left_[v];
      }
      missing_[t] = static_cast<int>(tasks[t].reads.size());
      if (is_load(t)) loads_.push_back(t);
    }
    form_clusters();
  }

  std::vector<int> run() {
    std::vector<int> stores;
    for (int t = 0; t < static_cast<int>(tasks_.size()); ++t)
      if (is_store(t)) stores.push_back(t);
    if (options_.seed != 0) random_.shuffle(stores);
    // A kernel may run in place: no store before the last load.
    loads_left_ = static_cast<int>(loads_.size());
    for (int t : stores) demand(t);
    for (int t : stores) demand(t);  // stores that had to wait
    return std::move(order_);
  }

 private:
  bool is_load(int t) const { return tasks_[t].statement.kind == Statement::Kind::load; }
  bool is_store(int t) const { return tasks_[t].statement.kind == Statement::Kind::store; }

  void form_clusters() {
    std::map<std::vector<Value>, int> by_reads;
    for (int t = 0; t < static_cast<int>(tasks_.size()); ++t) {
      if (tasks_[t].statement.kind != Statement::Kind::compute || tasks_[t].reads.empty()) continue;
      std::vector<Value> reads = tasks_[t].reads;
      std::ranges::sort(reads);
      const auto [it, is_new] = by_reads.try_emplace(reads, static_cast<int>(clusters_.size()));
      if (is_new) clusters_.emplace_back();
      clusters_[it->second].push_back(t);
      cluster_of_[t] = it->second;
    }
  }

  void demand(int t) {
    if (done_[t]) return;
    std::vector<Value> reads = tasks_[t].reads;
    if (options_.seed != 0 && random_.below(2) == 1) std::ranges::reverse(reads);
    for (Value v : reads) demand(producer_[v]);
    if (done_[t]) return;  // already done, because its operands were in registers
    if (is_store(t) && loads_left_ > 0) return;  // it must wait for the last load
    execute(t);
    run_free_tasks();
  }

  void execute(int t) {
    done_[t] = true;
    order_.push_back(t);
    loads_left_ -= is_load(t);
    for (Value v : tasks_[t].reads) {
      --readers_left_[v];
      touch(v);
    }
    for (Value v : tasks_[t].defines) touch(v);
    for (Value v : tasks_[t].defines)
      for (int reader : readers_[v])
        if (--missing_[reader] == 0) ready_.push_back(reader);
  }

  /// Moves the value to the front of the list of recently used values; removes it if it is dead.
  void touch(Value v) {
    if (const auto it = std::ranges::find(recent_, v); it != recent_.end()) recent_.erase(it);
    if (readers_left_[v] > 0) recent_.insert(recent_.begin(), v);
  }
  bool is_near(int t) const {
    const auto end =
        recent_.begin() + std::min<std::ptrdiff_t>(options_.horizon, std::ssize(recent_));
    return std::ranges::all_of(tasks_[t].reads,
                               [&](Value v) { return std::find(recent_.begin(), end, v) != end; });
  }

  void run_free_tasks() {
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t i = 0; i < ready_.size(); ++i) {
        const int t = ready_[i];
        if (done_[t]) {
          ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i--));
          continue;
        }
        if (growth(t) > 0 || (is_store(t) && loads_left_ > 0) || !is_near(t)) continue;
        run_cluster(t);
        progress = true;
        break;
      }
    }
  }

  /// The change in the number of live values if the task and its cluster run.
  int growth(int t) const {
    if (cluster_of_[t] < 0) {
      int freed = 0;
      for (Value v : tasks_[t].reads) freed += readers_left_[v] == 1;
      return static_cast<int>(tasks_[t].defines.size()) - freed;
    }
    int results = 0;
    for (int member : clusters_[cluster_of_[t]]) results += !done_[member];
    int freed = 0;
    for (Value v : tasks_[t].reads) freed += readers_left_[v] == results;
    return results - freed;
  }

  void run_cluster(int t) {
    if (cluster_of_[t] < 0) return execute(t);
    for (int member : clusters_[cluster_of_[t]])
      if (!done_[member]) execute(member);
  }

  std::span<const Task> tasks_;
  DemandOptions options_;
  Random random_;
  std::vector<int> producer_;
  std::vector<std::vector<int>> readers_;
  std::vector<int> readers_left_, missing_;
  std::vector<bool> done_;
  std::vector<int> cluster_of_;
  std::vector<std::vector<int>> clusters_;
  std::vector<int> ready_;
  std::vector<Value> recent_;
  std::vector<int> loads_;
  int loads_left_ = 0;
  std::vector<int> order_;
};

/// Tasks per cycle and cycles until a result can be used, for spread_order.
constexpr int width = 4;
int latency_of(const Task& task) { return task.statement.kind == Statement::Kind::load ? 6 : 3; }

}  // namespace

std::vector<int> spread_order(std::span<const Task> tasks, int value_count,
                              std::span<const int> order, int window) {
  constexpr int not_yet = 1 << 30;
  std::vector<int> ready(value_count, not_yet);  // in units of 1/width cycle
  std::vector<int> waiting(order.begin(), order.end());
  std::vector<int> result;
  int loads_left = static_cast<int>(std::ranges::count_if(
      tasks, [](const Task& task) { return task.statement.kind == Statement::Kind::load; }));
  const auto can_run = [&](int t, int now) {
    if (tasks[t].statement.kind == Statement::Kind::store && loads_left > 0) return false;
    return std::ranges::all_of(tasks[t].reads, [&](Value v) { return ready[v] <= now; });
  };
  for (int now = 0; !waiting.empty(); ++now) {
    const auto end = waiting.begin() + std::min<std::ptrdiff_t>(window, std::ssize(waiting));
    auto chosen = std::find_if(waiting.begin(), end, [&](int t) { return can_run(t, now); });
    if (chosen == end)
      chosen = waiting.begin();  // the next task of the given order is always possible
    const int t = *chosen;
    waiting.erase(chosen);
    loads_left -= tasks[t].statement.kind == Statement::Kind::load;
    for (Value v : tasks[t].defines) ready[v] = now + width * latency_of(tasks[t]);
    result.push_back(t);
  }
  return result;
}

std::vector<int> demand_order(std::span<const Task> tasks, int value_count,
                              const DemandOptions& options) {
  return DemandOrder(tasks, value_count, options).run();
}

}  // namespace weft::codelet::ir
