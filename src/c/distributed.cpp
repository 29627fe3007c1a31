// SPDX-License-Identifier: BSD-3-Clause
// Plans over ranks, for C.
#include <algorithm>
#include <cstddef>

#include "c/support.hpp"
#include "c/transform.hpp"

using namespace weft;
using namespace weft::c;

struct weft_distributed_plan {
  Transform transform;
  std::optional<DistributedPlan> plan;
};

namespace {

static_assert(WEFT_NCCL == static_cast<int>(ExchangeAlgorithm::nccl));
static_assert(WEFT_LINE == static_cast<int>(Strategy::line));
static_assert(WEFT_CUDA == static_cast<int>(Device::Type::cuda));

/// Callers that were compiled before the structure had memories know less of it.
constexpr std::size_t first_version = offsetof(weft_distributed_options, input_memory);

constexpr weft_distributed_options default_options = {.struct_size = 0,
                                                      .device = WEFT_CPU,
                                                      .device_number = 0,
                                                      .stream = nullptr,
                                                      .effort = WEFT_ESTIMATE,
                                                      .exchange = WEFT_EXCHANGE_AUTOMATIC,
                                                      .strategy = WEFT_STRATEGY_AUTOMATIC,
                                                      .chunks = 4,
                                                      .in_place = 0,
                                                      .reproducible = 0,
                                                      .threads = 1,
                                                      .threading = WEFT_THREADS_DEFAULT,
                                                      .run_tasks = nullptr,
                                                      .run_context = nullptr,
                                                      .time_limit_s = 10.0,
                                                      .max_bytes_per_rank = 0,
                                                      .workspace = nullptr,
                                                      .use_wisdom = 1,
                                                      .recipe = nullptr,
                                                      .split = nullptr,
                                                      .input_memory = nullptr,
                                                      .output_memory = nullptr};

DistributedOptions options_of(const weft_distributed_options* structure) {
  if (structure == nullptr) return {};
  const weft_distributed_options o =
      known_members(*structure, default_options, "weft_distributed_options", first_version);
  DistributedOptions options;
  options.device = {enumerator(o.device, Device::Type::cuda, "device"), o.device_number, o.stream};
  options.effort = effort_of(o.effort);
  options.exchange = enumerator(o.exchange, ExchangeAlgorithm::nccl, "exchange");
  options.strategy = enumerator(o.strategy, Strategy::line, "strategy");
  options.chunks = o.chunks;
  options.in_place = o.in_place != 0;
  options.reproducible = o.reproducible != 0;
  options.threads = o.threads;
  options.executor = executor_of(o.threading, o.threads, o.run_tasks, o.run_context);
  options.time_limit_s = o.time_limit_s;
  options.max_bytes_per_rank = o.max_bytes_per_rank;
  if (o.workspace != nullptr) options.workspace = o.workspace->workspace;
  options.use_wisdom = o.use_wisdom != 0;
  if (o.recipe != nullptr) options.recipe = o.recipe;
  if (o.split != nullptr) options.split = LineSplit{o.split->axis, o.split->rows, o.split->columns};
  if (o.input_memory != nullptr) options.input_memory = o.input_memory->memory;
  if (o.output_memory != nullptr) options.output_memory = o.output_memory->memory;
  return options;
}

/// Collective. Runs `work`, which is not; if it throws on any rank, all ranks throw the error of
/// the lowest of those ranks.
template <class Work>
void together(const Comm& comm, const Work& work) {
  struct Word {
    Index code = 0;
    char text[1024] = "";
  } word;
  bool failed = true;
  const auto note = [&](ErrorCode code, const char* text) {
    word.code = static_cast<Index>(code);
    std::strncpy(word.text, text, sizeof word.text - 1);
  };
  try {
    work();
    failed = false;
  } catch (const Error& error) {
    note(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    note(ErrorCode::out_of_memory, "out of memory");
  } catch (const std::exception& error) {
    note(ErrorCode::internal, error.what());
  }
  const Index first = comm.minimum(failed ? comm.rank() : comm.size());
  if (first == comm.size()) return;
  comm.broadcast(&word, sizeof word, static_cast<int>(first));
  throw Error(static_cast<ErrorCode>(word.code),
              "rank " + std::to_string(first) + ": " + word.text);
}

const DistributedPlan& plan_of(const weft_distributed_plan* plan) {
  return *given(plan, "the plan").plan;
}
DistributedPlan& plan_of(weft_distributed_plan* plan) { return *given(plan, "the plan").plan; }

bool is_input(weft_side side) { return enumerator(side, WEFT_OUTPUT, "weft_side") == WEFT_INPUT; }

std::string text_of(const DistributedPlan& plan, weft_text which) {
  switch (enumerator(which, WEFT_TEXT_EXPLAIN, "weft_text")) {
    case WEFT_TEXT_RECIPE: return plan.recipe();
    case WEFT_TEXT_EXPLAIN: return plan.explain();
    default:
      throw Error(
          ErrorCode::unsupported,
          "this text is only there for local plans; ask for WEFT_TEXT_RECIPE or WEFT_TEXT_EXPLAIN");
  }
}

}  // namespace

weft_status weft_distributed_options_init(weft_distributed_options* options, size_t struct_size) {
  return initialize(options, struct_size, default_options, "weft_distributed_options",
                    first_version);
}

weft_status weft_distributed_memory_create(weft_distributed_memory** memory,
                                           const weft_boxes* boxes, int64_t element_bytes,
                                           const weft_comm* communicator) {
  return create(memory, [&] {
    const Comm& comm = *given(communicator, "the communicator").comm;
    std::unique_ptr<weft_distributed_memory> handle;
    together(comm, [&] {
      handle = std::make_unique<weft_distributed_memory>();
      given(boxes, "the boxes of the memory");
      if (element_bytes < 1) refuse("element_bytes is less than 1; give the size of an element");
    });
    handle->memory = place_boxes(boxes->boxes, element_bytes, comm).memory;
    return handle;
  });
}
weft_status weft_distributed_memory_get(const weft_distributed_memory* memory, void** data,
                                        int64_t* bytes) {
  return guarded([&] {
    const DistributedMemory& known = *given(memory, "the memory").memory;
    if (data != nullptr) *data = known.data();
    if (bytes != nullptr) *bytes = known.bytes();
  });
}
void weft_distributed_memory_destroy(weft_distributed_memory* memory) { delete memory; }

weft_status weft_distributed_plan_create(weft_distributed_plan** plan,
                                         const weft_transform* transform, const weft_boxes* input,
                                         const weft_boxes* output, const weft_comm* communicator,
                                         const weft_distributed_options* structure) {
  return create(plan, [&] {
    const Comm& comm = *given(communicator, "the communicator").comm;
    std::unique_ptr<weft_distributed_plan> handle;
    DistributedOptions options;
    together(comm, [&] {
      handle = std::make_unique<weft_distributed_plan>();
      handle->transform = transform_of(transform);
      options = options_of(structure);
      given(input, "the boxes of the input");
    });
    const Index any_order = output == nullptr ? 1 : 0;
    const bool some = comm.minimum(-any_order) != 0, all = comm.minimum(any_order) != 0;
    if (some && !all)
      refuse(
          "the boxes of the output are NULL on some ranks and not on others; pass NULL on all or "
          "none");
    if (all)
      handle->plan.emplace(handle->transform, input->boxes, weft::any_order, comm, options);
    else
      handle->plan.emplace(handle->transform, input->boxes, output->boxes, comm, options);
    return handle;
  });
}
void weft_distributed_plan_destroy(weft_distributed_plan* plan) { delete plan; }

weft_status weft_distributed_execute(weft_distributed_plan* handle, const void* in, void* out) {
  return guarded([&] {
    DistributedPlan& plan = plan_of(handle);
    with_elements(handle->transform, in, out,
                  [&](const auto* from, auto* to) { plan.execute(from, to); });
  });
}
weft_status weft_distributed_start(weft_distributed_plan* handle, const void* in, void* out) {
  return guarded([&] {
    DistributedPlan& plan = plan_of(handle);
    with_elements(handle->transform, in, out,
                  [&](const auto* from, auto* to) { plan.start(from, to); });
  });
}
weft_status weft_distributed_test(weft_distributed_plan* plan, int* is_done) {
  return guarded([&] { given(is_done, "is_done") = plan_of(plan).test() ? 1 : 0; });
}
weft_status weft_distributed_wait(weft_distributed_plan* plan) {
  return guarded([&] { plan_of(plan).wait(); });
}

weft_status weft_distributed_plan_count(const weft_distributed_plan* plan, weft_side side,
                                        int64_t* count) {
  return guarded([&] {
    const DistributedPlan& own = plan_of(plan);
    given(count, "count") = is_input(side) ? own.input_count() : own.output_count();
  });
}
weft_status weft_distributed_plan_boxes(const weft_distributed_plan* plan, weft_side side,
                                        weft_boxes** boxes) {
  return create(boxes, [&] {
    const DistributedPlan& own = plan_of(plan);
    return std::make_unique<weft_boxes>(
        weft_boxes{is_input(side) ? own.input_boxes() : own.output_boxes()});
  });
}
weft_status weft_distributed_plan_split(const weft_distributed_plan* plan, int* has_split,
                                        weft_line_split* split) {
  return guarded([&] {
    const std::optional<LineSplit> own = plan_of(plan).split();
    given(has_split, "has_split") = own ? 1 : 0;
    if (own) given(split, "split") = {own->axis, own->rows, own->columns};
  });
}
weft_status weft_distributed_plan_text(const weft_distributed_plan* plan, weft_text which,
                                       char** text) {
  return guarded([&] { put_text(text, text_of(plan_of(plan), which)); });
}
weft_status weft_distributed_plan_get_cost(const weft_distributed_plan* plan,
                                           weft_distributed_cost* cost) {
  return guarded([&] {
    const DistributedCost own = plan_of(plan).cost();
    given(cost, "cost") = {own.messages, own.message_bytes, own.workspace_bytes, own.flops,
                           own.predicted_s};
  });
}
weft_status weft_distributed_plan_copied_sides(const weft_distributed_plan* plan, int* copies) {
  return guarded([&] { given(copies, "copies") = plan_of(plan).copied_sides(); });
}

weft_status weft_distributed_plan_workspace(const weft_distributed_plan* plan,
                                            weft_distributed_workspace** workspace) {
  return create(workspace, [&] {
    return std::make_unique<weft_distributed_workspace>(
        weft_distributed_workspace{plan_of(plan).workspace()});
  });
}
weft_status weft_distributed_workspace_bytes(const weft_distributed_workspace* workspace,
                                             int64_t* bytes) {
  return guarded(
      [&] { given(bytes, "bytes") = given(workspace, "the workspace").workspace->bytes(); });
}
void weft_distributed_workspace_destroy(weft_distributed_workspace* workspace) { delete workspace; }

weft_status weft_distributed_plan_trace(const weft_distributed_plan* plan, int64_t room,
                                        weft_trace_event* events, int64_t* count) {
  return guarded([&] {
    const std::vector<TraceEvent> own = plan_of(plan).trace();
    given(count, "count") = static_cast<int64_t>(own.size());
    const int64_t shown = std::clamp<int64_t>(room, 0, static_cast<int64_t>(own.size()));
    if (shown > 0) given(events, "events");
    for (int64_t i = 0; i < shown; ++i) {
      const TraceEvent& from = own[static_cast<std::size_t>(i)];
      weft_trace_event& to = events[i];
      const std::size_t length = from.name.copy(to.name, sizeof to.name - 1);
      to.name[length] = '\0';
      to.begin_s = from.begin_s;
      to.end_s = from.end_s;
    }
  });
}
