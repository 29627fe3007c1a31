// SPDX-License-Identifier: BSD-3-Clause
// What one of heFFTe's objects does on weft: it holds the boxes, and a distributed plan for each
// kind of call that the program makes, planned when the first such call comes (heFFTe's objects
// transform either precision both ways, with any scale).
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "dropins/heffte/geometry.hpp"
#include "dropins/heffte/memory.hpp"
#include "weft/distributed.hpp"

namespace weft::heffte {

class DistributedTransform {
 public:
  /// Collective.
  DistributedTransform(const weft_heffte_request& request, MPI_Comm comm);

  /// Collective. Calls that differ between ranks are refused on all of them.
  void execute(const weft_heffte_call& call) const;

  Index inbox_count() const { return box_of(request_.in).count(); }
  Index outbox_count() const { return box_of(request_.out).count(); }
  /// Of each side, for what is sent and what is received.
  Index message_room() const { return 2 * std::max(inbox_count(), outbox_count()); }
  /// And the output, or an even share of the spectrum.
  Index workspace() const;
  double scale_factor() const;

 private:
  /// All that plans of one object differ in.
  struct Variant {
    Precision precision;
    bool is_backward;
    Normalization normalization;
    bool in_place;
    int batch;
    friend bool operator==(const Variant&, const Variant&) = default;
  };
  struct PlannedVariant {
    Variant variant;
    std::unique_ptr<DistributedPlan> plan;
  };
  Kind kind_of(const Variant& variant) const;
  Transform transform_of(const Variant& variant) const;
  DistributedPlan& plan_for(const Variant& variant) const;
  template <class Real>
  void execute_as(const weft_heffte_call& call) const;
  template <class Real>
  void run(const Variant& variant, const void* in, void* out) const;
  /// The caller's workspace or the plan's own; null if there is not enough memory.
  void* scratch(const weft_heffte_call& call, std::size_t bytes) const noexcept;

  weft_heffte_request request_;
  World world_;
  std::shared_ptr<const Comm> comm_;
  mutable std::mutex mutex_;
  mutable std::vector<PlannedVariant> plans_;
  mutable Memory memory_;
};

}  // namespace weft::heffte
