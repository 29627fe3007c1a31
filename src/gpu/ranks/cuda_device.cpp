// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ranks/cuda_device.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/format.hpp"
#include "gpu/device/arguments.hpp"
#include "gpu/ranks/chirp_kernel.hpp"
#include "gpu/ranks/device_stage.hpp"
#include "gpu/ranks/gpu_speeds.hpp"
#include "gpu/ranks/transport.hpp"
#include "gpu/recipe/problem.hpp"
#include "reshape/blocks.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

using reshape::Bases;
using reshape::Exchange;
using reshape::ExchangeKind;
using reshape::Memory;

class CudaStage final : public global::RunnableStage {
 public:
  CudaStage(const global::StageProblem& problem, const global::StageOptions& options,
            const GpuDevice& device, Stream stream)
      : device_(device), stream_(stream), stage_(problem, options, device) {}
  void run(const Bases& bases, std::byte* scratch) const override {
    const UseDevice use(device_);
    stage_.run(bases, scratch, stream_);
  }
  Index scratch_bytes() const override { return stage_.scratch_bytes(); }
  double flops() const override { return stage_.flops(); }
  int copied_sides() const override { return stage_.copied_sides(); }

 private:
  const GpuDevice& device_;
  Stream stream_;
  DeviceStage stage_;
};

class CudaBuffer final : public global::DeviceBuffer {
 public:
  CudaBuffer(Index bytes, const GpuDevice& device) {
    const UseDevice use(device);
    memory_ = DeviceMemory(static_cast<std::size_t>(bytes));
    data_ = static_cast<std::byte*>(memory_.data());
    bytes_ = bytes;
  }

 private:
  DeviceMemory memory_;
};

/// Events on the stream.
class CudaStopwatch final : public global::Stopwatch {
 public:
  CudaStopwatch(std::size_t marks, const GpuDevice& device, Stream stream)
      : device_(device), stream_(stream), events_(marks) {
    const UseDevice use(device_);
    for (void*& event : events_) require(driver().event_create(&event, 0), "cuEventCreate");
  }
  ~CudaStopwatch() override {
    const UseDevice use(device_, std::nothrow);
    for (void* event : events_)
      if (event != nullptr) driver().event_destroy(event);
  }
  void note(std::size_t mark) override {
    try {
      const UseDevice use(device_);
      driver().event_record(events_[mark], stream_);
    } catch (const Error&) {  // where the device has failed its times are of no use
    }
  }
  double seconds(std::size_t from, std::size_t to) const override {
    const UseDevice use(device_);
    float ms = 0;
    require(driver().event_synchronize(events_[to]), "waiting for the GPU");
    require(driver().event_elapsed(&ms, events_[from], events_[to]), "cuEventElapsedTime");
    return 1e-3 * static_cast<double>(ms);
  }

 private:
  const GpuDevice& device_;
  Stream stream_;
  std::vector<void*> events_;
};

/// What the exchanges of a plan share: buffers, and the way between them.
struct Link {
  const Comm& comm;
  const GpuDevice& device;
  ExchangeKind kind;
  Stream stream;
  Index send_bytes = 0, receive_bytes = 0;
  ExchangeMemory memory = {};
  std::unique_ptr<Transport> transport = nullptr;

  /// Collective. Does nothing the second time.
  void open(const Bases& bases) {
    if (transport || comm.size() == 1) return;
    const auto range = [&](Memory place, Index bytes) {
      std::byte* const begin = bases[static_cast<std::size_t>(place)];
      return bytes == 0 ? DeviceRange{}
                        : DeviceRange{reinterpret_cast<DevicePointer>(begin),
                                      static_cast<std::size_t>(bytes)};
    };
    memory = {range(Memory::send, send_bytes), range(Memory::receive, receive_bytes)};
    transport = open_transport(kind, comm, memory);
  }
  ~Link() {
    if (!transport) return;
    const UseDevice use(device, std::nothrow);
    if (comm.is_open()) try {
        driver().context_synchronize();
        comm.barrier();                  // others may still read this rank's memory
      } catch (const std::exception&) {  // the communicator is broken; nothing is left to save
      }
    transport.reset();
  }
};

class CudaExchange final : public reshape::BlockExchange {
 public:
  CudaExchange(const Comm& comm, const reshape::ExchangeProblem& problem,
               std::shared_ptr<Link> link)
      : BlockExchange(comm, problem), link_(std::move(link)) {
    link_->send_bytes = std::max(link_->send_bytes, send_bytes());
    link_->receive_bytes = std::max(link_->receive_bytes, receive_bytes());
  }

  void connect(const std::shared_ptr<const Comm>&, const Bases& bases) override {
    std::optional<UseDevice> use;
    std::vector<Block> send, receive;
    agree(comm_, [&] {
      use.emplace(link_->device);
      send = send_[0];
      receive = receive_[0];
    });
    transfers_ = make_block_transfers(std::move(send), std::move(receive), comm_);
    link_->open(bases);
  }
  Tells tells() const override { return link_->transport ? link_->transport->tells() : Tells::all; }
  bool has_heard_void() const override {
    return link_->transport ? link_->transport->has_heard_void() : is_void_;
  }
  std::exception_ptr failure() const override { return failure_.first(); }

  void start(const Bases& bases) override {
    failure_ = {};
    std::optional<UseDevice> use;
    failure_.attempt([&] { use.emplace(link_->device); });
    if (link_->transport)
      link_->transport->start(transfers_, link_->stream, is_void_, failure_);
    else
      failure_.attempt([&] { keep_all(bases); });
  }
  bool test() override {
    std::optional<UseDevice> use;
    failure_.attempt([&] { use.emplace(link_->device); });
    return !link_->transport || link_->transport->test(failure_);
  }
  void complete(const Bases& bases) override {
    start(bases);
    while (!test()) std::this_thread::yield();
  }

 private:
  /// One rank alone.
  void keep_all(const Bases& bases) const {
    require(driver().copy(reinterpret_cast<DevicePointer>(base(bases, Memory::receive)),
                          reinterpret_cast<DevicePointer>(base(bases, Memory::send)),
                          static_cast<std::size_t>(transfers_.send[0].bytes), link_->stream),
            "copying a block on the GPU");
  }

  std::shared_ptr<Link> link_;
  BlockTransfers transfers_;
  DeviceFailure failure_;
};

class CudaDevice final : public global::RankDevice {
 public:
  CudaDevice(const gpu::GpuDevice& device, Stream stream, std::vector<ExchangeKind> kinds)
      : device_(device), stream_(stream), kinds_(std::move(kinds)) {}

  std::string name() const override { return device_.name; }
  Index memory_bytes() const override { return static_cast<Index>(device_.memory_bytes); }
  global::NetworkModel assumed_speeds() const override { return assumed_gpu_speeds(); }
  global::NetworkModel measure_speeds(const Comm& comm) const override {
    return measure_gpu_speeds(comm, device_, kinds_.front());
  }
  double point_flops(Index n, Precision precision) const override {
    return gpu_point_flops(n, precision, device_);
  }
  std::vector<ExchangeKind> exchange_kinds(const std::vector<int>&) const override {
    return kinds_;
  }
  void check_request(const ArrayProblem& problem, bool reproducible) const override {
    if (problem.axes.empty())
      throw Error(ErrorCode::unsupported,
                  "a transform without axes was asked of GPUs; plan for the CPU instead");
    if (reproducible)
      throw Error(ErrorCode::unsupported,
                  "reproducible = true was asked of GPUs; plan for the CPU instead");
    check_problem(problem);
  }
  std::string objection(const global::GlobalProblem&, const global::Recipe&) const override {
    return {};
  }

  std::unique_ptr<global::RunnableStage> make_stage(
      const global::StageProblem& problem, const global::StageOptions& options) const override {
    return std::make_unique<CudaStage>(problem, options, device_, stream_);
  }
  std::vector<std::unique_ptr<Exchange>> make_exchanges(
      ExchangeKind kind, const Comm& comm, const global::Placement& placement) const override {
    const auto link = std::make_shared<Link>(comm, device_, kind, stream_);
    std::vector<std::unique_ptr<Exchange>> exchanges;
    for (const auto& problem : placement.exchanges)
      exchanges.push_back(std::make_unique<CudaExchange>(comm, problem, link));
    return exchanges;
  }
  std::unique_ptr<global::DeviceBuffer> allocate(Index bytes) const override {
    return std::make_unique<CudaBuffer>(bytes, device_);
  }
  std::unique_ptr<global::Stopwatch> make_stopwatch(std::size_t marks) const override {
    return std::make_unique<CudaStopwatch>(marks, device_, stream_);
  }
  void fill_with_zeros(std::byte* data, Index bytes) const override {
    const UseDevice use(device_);
    if (bytes == 0) return;
    require(driver().set_bytes(reinterpret_cast<DevicePointer>(data), 0,
                               static_cast<std::size_t>(bytes)),
            "cuMemsetD8");
    require(driver().context_synchronize(), "cuMemsetD8");
  }
  void upload(std::byte* data, const std::byte* host, Index bytes) const override {
    const UseDevice use(device_);
    if (bytes == 0) return;
    require(driver().copy_to_device(reinterpret_cast<DevicePointer>(data), host,
                                    static_cast<std::size_t>(bytes)),
            "copying to the GPU");
    require(driver().context_synchronize(), "copying to the GPU");
  }
  std::unique_ptr<global::ChirpSteps> make_chirp_steps(
      const global::ChirpLine& line) const override {
    return make_cuda_chirp_steps(line, device_, stream_);
  }
  void check_array(const void* data, Index element_bytes, const char* side) const override {
    if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(element_bytes) != 0)
      throw Error(ErrorCode::invalid_argument,
                  weft::format("the {} array is not aligned to its elements; align it to {} bytes",
                               side, element_bytes));
    const UseDevice use(device_);
    check_on_device(data, device_.number, side);
  }

  void synchronize() const override {
    const UseDevice use(device_);
    require(driver().stream_synchronize(stream_), "waiting for the GPU");
  }
  bool is_asynchronous() const override { return true; }
  bool may_move_buffers() const override { return false; }

 private:
  const gpu::GpuDevice& device_;
  Stream stream_;
  std::vector<ExchangeKind> kinds_;
};

/// Trying the ways takes time: what was found holds for ranks on these nodes and this GPU.
class KnownTransports {
 public:
  std::vector<ExchangeKind> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    return found == known_.end() ? std::vector<ExchangeKind>() : found->second;
  }
  void keep(const std::string& key, const std::vector<ExchangeKind>& kinds) {
    const std::lock_guard lock(mutex_);
    known_[key] = kinds;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<ExchangeKind>> known_;
};

KnownTransports& known_transports() {
  static KnownTransports known;
  return known;
}

}  // namespace

std::shared_ptr<const global::RankDevice> open_device(const weft::Device& choice,
                                                      const Comm& comm) {
  const GpuDevice* mine = nullptr;
  std::string key;
  std::vector<ExchangeKind> kinds;
  std::optional<UseDevice> use;
  agree(comm, [&] {
    mine = &device(choice.number);
    use.emplace(*mine);
    key = weft::format("rank {} GPU {} {} nodes", comm.rank(), choice.number, comm.transport());
    for (int node : comm.nodes()) key += " " + std::to_string(node);
    using enum ExchangeKind;
    if (comm.size() == 1) kinds = {ipc, nccl, direct, staged};  // nothing travels
    if (kinds.empty()) kinds = known_transports().find(key);
  });
  if (comm.minimum(kinds.empty() ? 0 : 1) == 0) {
    kinds = working_transports(comm);
    agree(comm, [&] { known_transports().keep(key, kinds); });
  }
  std::shared_ptr<const global::RankDevice> result;
  agree(comm,
        [&] { result = std::make_shared<CudaDevice>(*mine, choice.stream, std::move(kinds)); });
  return result;
}

}  // namespace weft::gpu
