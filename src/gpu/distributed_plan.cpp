// SPDX-License-Identifier: BSD-3-Clause
// Distributed transforms in device memory: the global recipes of weft::DistributedPlan, with stages
// on the GPU and exchanges by a Transport.
#include <algorithm>

#include "api/gather_boxes.hpp"
#include "api/problem.hpp"
#include "base/format.hpp"
#include "base/index.hpp"
#include "comm/agree.hpp"
#include "global/placement.hpp"
#include "global/planner.hpp"
#include "gpu/arrays.hpp"
#include "gpu/device_stage.hpp"
#include "gpu/transport.hpp"
#include "reshape/blocks.hpp"
#include "weft/cuda.hpp"

namespace weft::cuda {
namespace {

using global::GlobalProblem;
using global::Recipe;
using reshape::Memory;
using reshape::Piece;

/// Speeds of a rank with a GPU: only the order of recipes matters.
constexpr global::NetworkModel gpu_model{.latency_s = 1e-5,
                                         .bandwidth = 2e10,
                                         .node_latency_s = 1e-5,
                                         .node_bandwidth = 1e11,
                                         .memory_bandwidth = 4e12,
                                         .flops_per_s = 1e13};

constexpr const char* strategies[] = {"", "slab", "pencil", "brick", "mixed", "line"};

std::string text_of(const Transform& transform, const DistributedOptions& options) {
  return local::to_text(api::check_request(transform, {}, {}).problem) +
         weft::format(" strategy {} transport {}{}", strategies[static_cast<int>(options.strategy)],
                      gpu::to_string(options.transport), options.in_place ? " in place" : "");
}

/// The cheapest recipe by the model, of the strategies whose stages are plain transforms. The same
/// on all ranks.
Recipe best_recipe(const GlobalProblem& problem, const DistributedOptions& options,
                   const Comm& comm) {
  global::Wishes wishes;
  wishes.exchange = reshape::ExchangeKind::point_to_point;
  wishes.build.in_place = options.in_place;
  std::optional<Recipe> best;
  double least = 0;
  std::string failure;
  for (const Strategy strategy :
       {Strategy::slab, Strategy::pencil, Strategy::brick, Strategy::mixed}) {
    if (options.strategy != Strategy::automatic && options.strategy != strategy) continue;
    wishes.strategy = strategies[static_cast<int>(strategy)];
    try {
      const Recipe recipe = global::candidates(problem, wishes, comm.nodes(), gpu_model).front();
      const double seconds =
          global::predict(problem, recipe, comm.nodes(), options.in_place, gpu_model).total_s();
      if (best && seconds >= least) continue;
      best = recipe;
      least = seconds;
    } catch (const Error& error) {
      failure = error.what();
    }
  }
  if (!best)
    throw Error(ErrorCode::unsupported,
                failure.empty()
                    ? "transforms on GPUs do not share out a line; use another strategy, "
                      "or weft::DistributedPlan on the hosts"
                    : failure);
  return *best;
}

}  // namespace

struct DistributedPlan::Impl {
  struct Step {
    gpu::DeviceStage stage;
    std::optional<gpu::Route> route;  ///< behind the stage; none behind the last
  };

  std::shared_ptr<const Comm> comm;
  const gpu::Device* device = nullptr;
  GlobalProblem problem;
  std::vector<Piece> in_pieces, out_pieces;
  Index in_bytes = 0, out_bytes = 0, in_count = 0, out_count = 0;
  bool in_place;
  Recipe recipe;
  std::vector<Step> steps;
  gpu::ExchangeMemory memory;
  gpu::DeviceMemory scratch;
  Transport kind = Transport::automatic;
  std::unique_ptr<gpu::Transport> transport;

  Impl(const Transform& transform, const LocalBoxes& input, const LocalBoxes& output,
       const Comm& parent, const DistributedOptions& options)
      : comm(parent.duplicate()), in_place(options.in_place) {
    std::string text;
    agree(*comm, [&] {
      text = text_of(transform, options);
      if (transform.kind == Kind::r2r)
        throw Error(ErrorCode::unsupported,
                    "a real-to-real transform was asked of GPUs; they do c2c, r2c and c2r: use "
                    "weft::DistributedPlan on the hosts");
      device = &gpu::device(options.device);
    });
    require_equal(*comm, text, "transform or its options");
    const auto request = api::check_request(transform, {}, {});
    problem.transform = request.transform;
    problem.scale = request.problem.scale;
    set_boxes(input, output);
    agree(*comm, [&] { recipe = best_recipe(problem, options, *comm); });
    recipe = global::parse_recipe(broadcast_text(*comm, global::to_text(recipe)));
    build(options);
  }
  ~Impl() {
    if (device == nullptr) return;
    const gpu::UseDevice use(*device);
    if (transport) try {
        gpu::driver().context_synchronize();
        comm->barrier();                 // others may still read this rank's memory
      } catch (const std::exception&) {  // the communicator is broken; nothing is left to save
      }
    transport.reset();
  }

  void set_boxes(const LocalBoxes& input, const LocalBoxes& output) {
    const Transform& t = problem.transform;
    in_bytes = global::in_element_bytes(t.kind, t.precision);
    out_bytes = global::out_element_bytes(t.kind, t.precision);
    agree(*comm, [&] {
      if (problem.ndim() > max_box_ndim)
        throw Error(ErrorCode::unsupported,
                    weft::format("an array of {} dimensions; distributed arrays have at most {}, "
                                 "merge some",
                                 problem.ndim(), max_box_ndim));
      in_pieces = pieces_of(input, Memory::input, in_bytes);
      out_pieces = pieces_of(output, Memory::output, out_bytes);
    });
    problem.input = api::gather_boxes(*comm, input);
    problem.output = api::gather_boxes(*comm, output);
    agree(*comm, [&] {
      using reshape::Cover;
      reshape::check_cover(problem.input, problem.input_shape(), Cover::exact, "input");
      reshape::check_cover(problem.output, problem.output_shape(), Cover::at_least, "output");
    });
    in_count = reshape::footprint(in_pieces, in_bytes);
    out_count = reshape::footprint(out_pieces, out_bytes);
  }

  void build(const DistributedOptions& options) {
    const int me = comm->rank();
    const auto placement = global::place(problem, recipe, comm->nodes(), me);
    std::vector<std::vector<Piece>> outgoing, incoming;
    std::vector<gpu::Route> routes;
    Index send = 0, receive = 0;
    for (const auto& exchange : placement.exchanges) {
      const auto out = reshape::outgoing(exchange.from, exchange.to, me);
      const auto in = reshape::incoming(exchange.from, exchange.to, me);
      const auto out_blocks = reshape::dense_blocks(out, exchange.element_bytes);
      const auto in_blocks = reshape::dense_blocks(in, exchange.element_bytes);
      outgoing.push_back(pieces_in(out, out_blocks, Memory::send, exchange.element_bytes));
      incoming.push_back(pieces_in(in, in_blocks, Memory::receive, exchange.element_bytes));
      send = std::max(send, out.count() * exchange.element_bytes);
      receive = std::max(receive, in.count() * exchange.element_bytes);
      routes.push_back(gpu::make_route(out_blocks[0], in_blocks[0], *comm));
    }
    const gpu::UseDevice use(*device);
    agree(*comm, [&] {
      build_stages(outgoing, incoming, receive);
      for (std::size_t i = 0; i < routes.size(); ++i) steps[i].route = routes[i];
      allocate(send, receive);
    });
    if (routes.empty() || comm->size() == 1) return;
    auto chosen = gpu::choose_transport(options.transport, *comm, memory);
    kind = chosen.kind;
    transport = std::move(chosen.transport);
  }

  void build_stages(const std::vector<std::vector<Piece>>& outgoing,
                    const std::vector<std::vector<Piece>>& incoming, Index& receive) {
    const std::size_t stages = recipe.stages.size();
    const bool detour =
        stages == 1 && global::needs_detour(problem, in_pieces, out_pieces, in_place);
    const auto detoured = global::temporary_pieces(problem, comm->rank());
    for (std::size_t i = 0; i < stages; ++i) {
      global::StageProblem stage = global::stage_problem(problem, recipe, i);
      const auto layout = global::layout_of(problem, recipe.stages[i], stage.in_shape);
      stage.in_boxes = layout[static_cast<std::size_t>(comm->rank())];
      stage.sources = i == 0 ? in_pieces : incoming[i - 1];
      stage.targets = i + 1 < stages ? outgoing[i] : detour ? detoured : out_pieces;
      steps.push_back({gpu::DeviceStage(stage, *device), std::nullopt});
    }
    if (!detour) return;
    global::StageProblem copy = global::stage_problem(problem, recipe, 0);
    copy.kind = copy.kind == Kind::c2r ? Kind::r2r : Kind::c2c;
    copy.axes.clear();
    copy.in_shape = copy.out_shape;
    copy.sources = detoured;
    copy.targets = out_pieces;
    for (const Piece& piece : detoured) copy.in_boxes.push_back(piece.box);
    receive = std::max(receive, reshape::footprint(detoured, out_bytes) * out_bytes);
    steps.push_back({gpu::DeviceStage(copy, *device), std::nullopt});
  }

  void allocate(Index send, Index receive) {
    constexpr Index test_block = 256;  // room for the transports' test pattern
    const Index least = recipe.stages.size() > 1 ? comm->size() * test_block : 0;
    Index most = 0;
    for (const Step& step : steps) most = std::max(most, step.stage.scratch_bytes());
    memory.send = gpu::DeviceMemory(static_cast<std::size_t>(std::max(send, least)));
    memory.receive = gpu::DeviceMemory(static_cast<std::size_t>(std::max(receive, least)));
    scratch = gpu::DeviceMemory(static_cast<std::size_t>(most));
  }

  void check_arrays(const void* in, const void* out) const {
    const auto check = [&](const void* data, Index count, Index bytes, const char* side) {
      if (count == 0) return;
      if (data == nullptr)
        throw Error(
            ErrorCode::invalid_argument,
            weft::format("a null pointer was passed as the {} array; pass device memory for "
                         "{} elements",
                         side, count));
      if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(bytes) != 0)
        throw Error(
            ErrorCode::invalid_argument,
            weft::format("the {} array is not aligned to its elements of {} bytes", side, bytes));
      gpu::check_on_device(data, device->number, side);
    };
    check(in, in_count, in_bytes, "input");
    check(out, out_count, out_bytes, "output");
    const auto* a = static_cast<const std::byte*>(in);
    const auto* b = static_cast<const std::byte*>(out);
    if (in_count == 0 || out_count == 0) return;
    const bool share = a < b + out_count * out_bytes && b < a + in_count * in_bytes;
    if (share != in_place || (share && a != b))
      throw Error(ErrorCode::invalid_argument,
                  in_place ? "the plan is for one array in place; pass the same pointer twice, or "
                             "plan with in_place = false"
                           : "input and output share memory; plan with in_place = true");
  }

  void run(const void* in, void* out, Stream stream) {
    const gpu::UseDevice use(*device);
    reshape::Bases bases{};
    const auto base = [&](Memory place) -> std::byte*& {
      return bases[static_cast<std::size_t>(place)];
    };
    base(Memory::input) = static_cast<std::byte*>(const_cast<void*>(in));  // only ever read
    base(Memory::output) = static_cast<std::byte*>(out);
    base(Memory::send) = static_cast<std::byte*>(memory.send.data());
    base(Memory::receive) = static_cast<std::byte*>(memory.receive.data());
    for (const Step& step : steps) {
      step.stage.run(bases, static_cast<std::byte*>(scratch.data()), stream);
      if (!step.route) continue;
      if (transport)
        transport->exchange(*step.route, stream);
      else
        keep_all(*step.route, stream);
    }
  }

  /// One rank alone.
  void keep_all(const gpu::Route& route, Stream stream) const {
    gpu::require(gpu::driver().copy(memory.receive.address(), memory.send.address(),
                                    static_cast<std::size_t>(route.send[0].bytes), stream),
                 "copying a block on the GPU");
  }
};

DistributedPlan::DistributedPlan(const Transform& transform, const LocalBoxes& input,
                                 const LocalBoxes& output, const Comm& comm,
                                 const DistributedOptions& options)
    : impl_(std::make_unique<Impl>(transform, input, output, comm, options)) {}
DistributedPlan::~DistributedPlan() = default;
DistributedPlan::DistributedPlan(DistributedPlan&&) noexcept = default;
DistributedPlan& DistributedPlan::operator=(DistributedPlan&&) noexcept = default;

void DistributedPlan::run(Precision in_precision, bool in_complex, const void* in,
                          Precision out_precision, bool out_complex, void* out, Stream stream) {
  agree(*impl_->comm, [&] {
    const Transform& t = impl_->problem.transform;
    gpu::check_elements({t.precision, t.kind != Kind::r2c}, {in_precision, in_complex}, "input");
    gpu::check_elements({t.precision, t.kind != Kind::c2r}, {out_precision, out_complex}, "output");
    const gpu::UseDevice use(*impl_->device);
    impl_->check_arrays(in, out);
  });
  impl_->run(in, out, stream);
}

Index DistributedPlan::input_count() const noexcept { return impl_->in_count; }
Index DistributedPlan::output_count() const noexcept { return impl_->out_count; }
Transport DistributedPlan::transport() const noexcept { return impl_->kind; }
std::string DistributedPlan::recipe() const {
  const std::string text = global::to_text(impl_->recipe);
  return text.substr(0, text.rfind(" by ")) + " by " + gpu::to_string(impl_->kind);
}
int DistributedPlan::copied_sides() const noexcept {
  int count = 0;
  for (const Impl::Step& step : impl_->steps) count += step.stage.copied_sides();
  return count;
}
std::size_t DistributedPlan::workspace_bytes() const noexcept {
  return impl_->memory.send.bytes() + impl_->memory.receive.bytes() + impl_->scratch.bytes();
}

}  // namespace weft::cuda
