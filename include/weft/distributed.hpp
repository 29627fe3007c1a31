// SPDX-License-Identifier: BSD-3-Clause
// DistributedPlan: a transform of one array that is spread over many ranks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/comm.hpp"
#include "weft/distributed_array.hpp"
#include "weft/distribution.hpp"
#include "weft/export.h"
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
  // Between GPUs; automatic is the first of ipc, nccl, direct and staged that works.
  staged,  ///< through page-locked host memory and the communicator's messages
  direct,  ///< messages that lie in device memory, by an MPI that knows GPUs
  ipc,     ///< within a node: ranks fetch from each other's memory, on one GPU or several
  nccl,    ///< NCCL, where it is installed and every rank has a GPU of its own
};

/// Where the ranks' arrays lie and their transforms run.
struct Device {
  enum class Type { cpu, cuda };
  Type type = Type::cpu;
  int number = 0;          ///< of this rank's GPU; ranks may share one
  void* stream = nullptr;  ///< a cudaStream_t or CUstream; null: the default stream
  static Device cpu() { return {}; }
  static Device cuda(int number = 0, void* stream = nullptr) {
    return {Type::cuda, number, stream};
  }
};

/// How the transform is divided into stages. `line` is for transforms along one axis that no rank
/// holds whole: the axis itself is distributed.
enum class Strategy { automatic, slab, pencil, brick, mixed, line };

/// One axis of an array seen as two. Point i * columns + j of the axis is element (i, j) before the
/// transform; point p + rows * q of the result is element (p, q) after it. A transform along an
/// axis that no rank has whole leaves its result in the order of (p, q), and another one can start
/// from there: two exchanges between the ranks instead of three.
struct LineSplit {
  int axis = 0;
  Index rows = 0, columns = 0;
  friend bool operator==(const LineSplit&, const LineSplit&) = default;
};

/// Memory that distributed plans work in: buffers of this rank and, for some exchanges, memory that
/// the ranks of a node share. Several plans may use one workspace, one at a time: wait for a
/// plan before you start the next. Destroying the last plan or pointer is collective.
class WEFT_API DistributedWorkspace {
 public:
  virtual ~DistributedWorkspace() = default;
  virtual Index bytes() const = 0;  ///< this rank's, with its share of what is shared

 protected:
  DistributedWorkspace() = default;
};

struct DistributedOptions {
  /// On GPUs execute() takes device pointers. The host waits for the stream only where the exchange
  /// needs it; the last stage is still on the stream when it returns.
  Device device = {};
  Effort effort = Effort::estimate;
  ExchangeAlgorithm exchange = ExchangeAlgorithm::automatic;
  Strategy strategy = Strategy::automatic;
  int chunks = 4;         ///< into which pipelined exchanges divide the data
  bool in_place = false;  ///< execute() gets the same pointer twice
  /// The same numbers to the last bit for every number of ranks, layout, storage order and
  /// exchange, on CPUs of one kind; slower.
  bool reproducible = false;
  int threads = 1;                                     ///< per rank; 0: all cores
  std::shared_ptr<const Executor> executor = nullptr;  ///< the caller's own threads
  /// Time limit of planning with measure or patient. A timing that would probably exceed it is not
  /// started; one that has started is finished, and so is the final build.
  double time_limit_s = 10.0;
  /// Limit on extra memory per rank, excluding the input and output arrays; 0: all memory
  /// of the machine.
  Index max_bytes_per_rank = 0;
  /// Use the workspace of another plan with the same ranks and device
  /// (DistributedPlan::workspace()); it is enlarged if this plan needs more (on GPUs: make the plan
  /// that needs most first). Null: the plan makes its own.
  std::shared_ptr<DistributedWorkspace> workspace = nullptr;
  /// Memory of distributed arrays (allocate_distributed(), DistributedArray::memory()) that
  /// execute() will get as input and output, on all ranks: the ranks of a node then work in it, and
  /// no data are copied into memory that they share or out of it. In place: the same for both.
  std::shared_ptr<DistributedMemory> input_memory = nullptr, output_memory = nullptr;
  bool use_wisdom = true;
  /// Use this recipe, as DistributedPlan::recipe() prints it. Local transforms that it does not
  /// name are the cost model's first choice at its default speeds; nothing is timed or taken from
  /// wisdom. Refused if it does not fit the transform, the boxes or the other options.
  std::string recipe = {};
  /// Boxes with one dimension more than the array are in split order (p, q), see LineSplit. For r2c
  /// and c2r, p ends at rows / 2.
  std::optional<LineSplit> split = {};
};

/// Lets the planner choose the output boxes. output_boxes() and split() return them; use them as
/// the input of the inverse plan.
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
  Index workspace_bytes = 0;  ///< this rank's, excluding input and output
  double flops = 0;           ///< this rank's
  double predicted_s = 0;     ///< by the model
};

class WEFT_API DistributedPlan {
 public:
  /// Collective: all ranks pass the same transform and options, each its own boxes. Together the
  /// input boxes make up the array (of Transform::input_extents, if they are given), every element
  /// once; output boxes may overlap. If anything is
  /// wrong on any rank, every rank throws the same weft::Error.
  DistributedPlan(const Transform& transform, const LocalBoxes& input, const LocalBoxes& output,
                  const Comm& comm, const DistributedOptions& options = {});
  DistributedPlan(const Transform& transform, const LocalBoxes& input, AnyOrder, const Comm& comm,
                  const DistributedOptions& options = {});
  /// For these arrays and no others; in place if they have the same memory.
  template <Scalar In, Scalar Out>
  DistributedPlan(const Transform& transform, const DistributedArray<In>& input,
                  const DistributedArray<Out>& output, const Comm& comm,
                  const DistributedOptions& options = {})
      : DistributedPlan(transform, input.boxes(), output.boxes(), comm,
                        with_memory(options, input.memory(), output.memory())) {}
  /// Collective: destroy plans in the same order on all ranks, before MPI_Finalize. A plan that is
  /// still under way is finished first.
  ~DistributedPlan();
  /// A plan that was moved from can be destroyed and assigned to; all else throws weft::Error.
  DistributedPlan(DistributedPlan&&) noexcept;
  DistributedPlan& operator=(DistributedPlan&&) noexcept;

  /// Collective. The boxes' offsets count from these pointers; a rank that holds nothing passes
  /// null. Bad arguments on one rank throw the same error on all ranks; the error is sent along
  /// with the data. With nccl, or if the exchanges do not connect all ranks, the ranks exchange
  /// errors while the first stage runs. If the caller's own executor throws, all ranks throw too;
  /// with such an executor they exchange errors at the end. A failure on a GPU is thrown on its
  /// rank and on the ranks that receive data from it. Out of place the input is left unchanged.
  /// Nothing is allocated.
  template <Scalar In, Scalar Out>
  void execute(const In* in, Out* out) {
    run(element<In>(), in, element<Out>(), out, true);
  }
  template <Scalar In, Scalar Out>
  void execute(const DistributedArray<In>& in, const DistributedArray<Out>& out) {
    execute(in.data(), out.data());
  }
  /// The same without waiting: the caller may do other work, and run other plans, until wait()
  /// returns or test() returns true. The arrays belong to the plan until then. start() itself waits
  /// for nobody. On CPUs it computes nothing: test() and wait() run the stages and send the
  /// messages. On GPUs it puts the first stage on the stream.
  /// test() and wait() also throw the errors, on all ranks: the rank at fault throws the error
  /// itself, the others one that says that another rank has failed. A second start() or execute()
  /// before the end, of this plan or of one that shares its workspace, waits for the end and then
  /// throws such an error. With several plans under way, call start() and wait() in the same order
  /// on all ranks; test() may be called in any order.
  template <Scalar In, Scalar Out>
  void start(const In* in, Out* out) {
    run(element<In>(), in, element<Out>(), out, false);
  }
  template <Scalar In, Scalar Out>
  void start(const DistributedArray<In>& in, const DistributedArray<Out>& out) {
    start(in.data(), out.data());
  }
  bool test();
  void wait();

  const LocalBoxes& input_boxes() const;
  const LocalBoxes& output_boxes() const;
  /// Row/column split used by boxes that have an extra axis; nullopt if no box has one.
  std::optional<LineSplit> split() const;
  /// Elements that the pointers given to execute() must reach.
  Index input_count() const;
  Index output_count() const;

  /// The recipe as text, the same on all ranks: "pencil: input[2] > 2x1x4[1] > output[0] by
  /// shared". Local transforms that differ from the cost model's first choice at its default speeds
  /// follow as " with {PROBLEM = RECIPE}", or as {PROBLEM on 0,3 = RECIPE} if they differ on ranks
  /// 0 and 3 only. A plan with this text as DistributedOptions::recipe is the same plan.
  std::string recipe() const;
  /// The recipe, and in parentheses what kept the planner from a better one: "(shared memory too
  /// small: messages instead)".
  std::string explain() const;
  DistributedCost cost() const;
  /// The plan's workspace; pass it to the plan of the inverse transform to share it.
  std::shared_ptr<DistributedWorkspace> workspace() const;
  Index workspace_bytes() const;  ///< size of workspace()
  /// GPUs: number of extra pack and unpack copies on this rank; 0 is best.
  int copied_sides() const;
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
  static DistributedOptions with_memory(DistributedOptions options,
                                        std::shared_ptr<DistributedMemory> input,
                                        std::shared_ptr<DistributedMemory> output) {
    options.in_place = input == output;
    options.input_memory = std::move(input);
    options.output_memory = std::move(output);
    return options;
  }
  void run(Element in_type, const void* in, Element out_type, void* out, bool blocking);

  struct Impl;
  static std::unique_ptr<Impl> make_impl(const Comm& comm);
  PlanPointer<Impl> impl_;
};

}  // namespace weft
