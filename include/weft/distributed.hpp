// SPDX-License-Identifier: BSD-3-Clause
// DistributedPlan: a transform of one array that is spread over many ranks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/comm.hpp"
#include "weft/distribution.hpp"
#include "weft/plan.hpp"

namespace weft {

/// How data travels between ranks.
enum class ExchangeAlgorithm {
  automatic,       ///< chosen by the model, or by timing
  all_to_all,      ///< MPI_Alltoall, messages padded to the longest
  all_to_all_v,    ///< MPI_Alltoallv
  point_to_point,  ///< one message per pair of ranks
  pipelined,       ///< the same in chunks, each sent while the next is being computed
  shared,          ///< one node: all ranks work on one array in shared memory
  node_aware,      ///< shared memory within a node, one message per pair of nodes
};

/// How the axes are taken. `line` is for transforms of one axis only: the axis itself is shared
/// out.
enum class Strategy { automatic, slab, pencil, brick, mixed, line };

/// One axis of an array seen as two. Point i * columns + j of the axis is element (i, j) before the
/// transform; point p + rows * q of the result is element (p, q) behind it. A transform along an
/// axis that no rank has whole leaves its result in the order of (p, q), and another one can start
/// from there: two exchanges between the ranks instead of three.
struct LineSplit {
  int axis = 0;
  Index rows = 0, columns = 0;
  friend bool operator==(const LineSplit&, const LineSplit&) = default;
};

struct DistributedOptions {
  Effort effort = Effort::estimate;
  ExchangeAlgorithm exchange = ExchangeAlgorithm::automatic;
  Strategy strategy = Strategy::automatic;
  int chunks = 4;         ///< of pipelined exchanges
  bool in_place = false;  ///< execute() gets the same pointer twice
  /// The same numbers to the last bit for every number of ranks, grid and exchange; slower.
  bool reproducible = false;
  int threads = 1;                                     ///< per rank; 0: all cores
  std::shared_ptr<const Executor> executor = nullptr;  ///< the caller's own threads
  double time_limit_s = 10.0;                          ///< for measure and patient
  Index max_bytes_per_rank = 0;                        ///< beside input and output; 0: no limit
  bool use_wisdom = true;
  std::string recipe = {};  ///< exactly this one, as DistributedPlan::recipe() prints it
  /// Boxes with one dimension more than the array are boxes of (p, q), see LineSplit. r2c and c2r
  /// have rows / 2 + 1 rows there.
  std::optional<LineSplit> split = {};
};

/// The output boxes are the planner's choice: ask output_boxes() and split(), and start the inverse
/// from there.
struct AnyOrder {};
inline constexpr AnyOrder any_order{};

/// One interval of an execution on this rank, seconds from its start.
struct TraceEvent {
  std::string name;
  double begin_s = 0, end_s = 0;
};

struct DistributedCost {
  Index messages = 0;         ///< from this rank to others, per execution
  Index message_bytes = 0;    ///< in those messages
  Index workspace_bytes = 0;  ///< this rank's, beside input and output
  double flops = 0;           ///< this rank's
  double predicted_s = 0;     ///< by the model
};

class DistributedPlan {
 public:
  /// Collective: all ranks pass the same transform and options, each its own boxes. Together the
  /// input boxes make up the array, every element once; output boxes may overlap. If anything is
  /// wrong on any rank, every rank throws the same weft::Error.
  DistributedPlan(const Transform& transform, const LocalBoxes& input, const LocalBoxes& output,
                  const Comm& comm, const DistributedOptions& options = {});
  DistributedPlan(const Transform& transform, const LocalBoxes& input, AnyOrder, const Comm& comm,
                  const DistributedOptions& options = {});
  ~DistributedPlan();
  DistributedPlan(DistributedPlan&&) noexcept;
  DistributedPlan& operator=(DistributedPlan&&) noexcept;

  /// Collective. Pointers as the boxes' offsets expect them; a rank that holds nothing passes null.
  /// Bad arguments on one rank throw on all. Out of place the input is left as it was.
  template <Scalar In, Scalar Out>
  void execute(const In* in, Out* out) {
    run(element<In>(), in, element<Out>(), out, true);
  }
  /// The same without waiting: other work, and other plans, may go on until wait(), or until test()
  /// is true. The arrays belong to the plan until then. Progress is made in test() and wait() only.
  template <Scalar In, Scalar Out>
  void start(const In* in, Out* out) {
    run(element<In>(), in, element<Out>(), out, false);
  }
  bool test();
  void wait();

  const LocalBoxes& input_boxes() const noexcept;
  const LocalBoxes& output_boxes() const noexcept;
  /// How the boxes that have one dimension more than the array are to be read; none have without.
  std::optional<LineSplit> split() const;
  /// Elements that the pointers given to execute() must reach.
  Index input_count() const noexcept;
  Index output_count() const noexcept;

  /// The recipe as text, the same on all ranks: "pencil: input[2] > 2x1x4[1] > output[0] by
  /// shared".
  std::string recipe() const;
  DistributedCost cost() const;
  /// Stages and exchanges of the last execution.
  std::vector<TraceEvent> trace() const;

 private:
  struct Element {
    Precision precision;
    bool is_complex;
  };
  template <Scalar T>
  static constexpr Element element() {
    return {ScalarTraits<T>::precision, ScalarTraits<T>::is_complex};
  }
  void run(Element in_type, const void* in, Element out_type, void* out, bool blocking);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft
