// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/driver.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "base/format.hpp"
#include "gpu/device/library.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

template <class Function>
void load(const Library& library, Function& function, const char* name) {
  if (!library.load(function, name))
    throw Error(
        ErrorCode::unsupported,
        weft::format("the CUDA driver lacks {}; install a driver for CUDA 12 or later", name));
}

void load_contexts(const Library& library, Driver& d) {
  load(library, d.init, "cuInit");
  load(library, d.get_error_string, "cuGetErrorString");
  load(library, d.driver_version, "cuDriverGetVersion");
  load(library, d.device_count, "cuDeviceGetCount");
  load(library, d.device_name, "cuDeviceGetName");
  load(library, d.device_attribute, "cuDeviceGetAttribute");
  load(library, d.context_retain, "cuDevicePrimaryCtxRetain");
  load(library, d.context_push, "cuCtxPushCurrent_v2");
  load(library, d.context_pop, "cuCtxPopCurrent_v2");
  load(library, d.context_get, "cuCtxGetCurrent");
  load(library, d.context_synchronize, "cuCtxSynchronize");
  load(library, d.module_load, "cuModuleLoadData");
  load(library, d.module_unload, "cuModuleUnload");
  load(library, d.module_function, "cuModuleGetFunction");
  load(library, d.function_set, "cuFuncSetAttribute");
  load(library, d.function_get, "cuFuncGetAttribute");
  load(library, d.launch, "cuLaunchKernel");
  load(library, d.launch_with, "cuLaunchKernelEx");
  load(library, d.clusters_at_once, "cuOccupancyMaxActiveClusters");
  load(library, d.stream_is_capturing, "cuStreamIsCapturing");
}

void load_memory_and_streams(const Library& library, Driver& d) {
  load(library, d.memory_allocate, "cuMemAlloc_v2");
  load(library, d.memory_free, "cuMemFree_v2");
  load(library, d.memory_info, "cuMemGetInfo_v2");
  load(library, d.copy_to_device, "cuMemcpyHtoD_v2");
  load(library, d.copy_to_device_on, "cuMemcpyHtoDAsync_v2");
  load(library, d.copy_to_host, "cuMemcpyDtoH_v2");
  load(library, d.copy_on_device, "cuMemcpyDtoDAsync_v2");
  load(library, d.copy, "cuMemcpyAsync");
  load(library, d.set_bytes, "cuMemsetD8_v2");
  load(library, d.host_allocate, "cuMemHostAlloc");
  load(library, d.host_free, "cuMemFreeHost");
  load(library, d.ipc_get, "cuIpcGetMemHandle");
  load(library, d.ipc_open, "cuIpcOpenMemHandle_v2");
  load(library, d.ipc_close, "cuIpcCloseMemHandle");
  load(library, d.pointer_attribute, "cuPointerGetAttribute");
  load(library, d.stream_create, "cuStreamCreate");
  load(library, d.stream_destroy, "cuStreamDestroy_v2");
  load(library, d.stream_synchronize, "cuStreamSynchronize");
  load(library, d.event_create, "cuEventCreate");
  load(library, d.event_record, "cuEventRecord");
  load(library, d.event_synchronize, "cuEventSynchronize");
  load(library, d.event_elapsed, "cuEventElapsedTime");
  load(library, d.event_destroy, "cuEventDestroy_v2");
}

/// The library stays loaded: the driver cannot be initialised twice.
Driver load_driver() {
  const Library library({"libcuda.so.1"});
  if (!library.is_open())
    throw Error(ErrorCode::unsupported,
                "a GPU transform was asked for, but there is no CUDA driver (libcuda.so.1) on this "
                "machine; run on a machine with an NVIDIA GPU, or use weft::Plan");
  Driver d{};
  load_contexts(library, d);
  load_memory_and_streams(library, d);
  if (const int result = d.init(0); result != 0) {
    const char* reason = nullptr;
    d.get_error_string(result, &reason);
    throw Error(
        ErrorCode::unsupported,
        weft::format("the CUDA driver does not start ({}); check that nvidia-smi shows a GPU, "
                     "or use weft::Plan",
                     reason != nullptr ? reason : "unknown error"));
  }
  return d;
}

// Numbers of CUdevice_attribute.
constexpr int attribute_multiprocessors = 16, attribute_memory_khz = 36, attribute_bus_bits = 37,
              attribute_l2_bytes = 38, attribute_multiprocessor_threads = 39, attribute_major = 75,
              attribute_minor = 76, attribute_multiprocessor_shared = 81,
              attribute_multiprocessor_registers = 82, attribute_shared_bytes = 97,
              attribute_multiprocessor_blocks = 106;

GpuDevice describe(int number) {
  const Driver& d = driver();
  GpuDevice device;
  device.number = number;
  char name[256] = {};
  require(d.device_name(name, sizeof(name), number), "cuDeviceGetName");
  device.name = name;
  const auto attribute = [&](int which) {
    int value = 0;
    require(d.device_attribute(&value, which, number), "cuDeviceGetAttribute");
    return value;
  };
  device.major = attribute(attribute_major);
  device.minor = attribute(attribute_minor);
  device.multiprocessors = attribute(attribute_multiprocessors);
  device.shared_bytes = static_cast<std::size_t>(attribute(attribute_shared_bytes));
  device.multiprocessor_shared_bytes =
      static_cast<std::size_t>(attribute(attribute_multiprocessor_shared));
  device.multiprocessor_registers = attribute(attribute_multiprocessor_registers);
  device.multiprocessor_threads = attribute(attribute_multiprocessor_threads);
  device.multiprocessor_blocks = attribute(attribute_multiprocessor_blocks);
  device.memory_bytes_per_s = 2e3 * attribute(attribute_memory_khz) *  // twice in a cycle
                              (attribute(attribute_bus_bits) / 8.0);
  device.l2_bytes = static_cast<std::size_t>(attribute(attribute_l2_bytes));
  if (device.major < 7)
    throw Error(ErrorCode::unsupported,
                weft::format("GPU {} ({}) has compute capability {}.{}; weft needs 7.0 or later",
                             number, device.name, device.major, device.minor));
  require(d.context_retain(&device.context, number), "cuDevicePrimaryCtxRetain");
  const UseDevice use(device);
  std::size_t free_bytes = 0;
  require(d.memory_info(&free_bytes, &device.memory_bytes), "cuMemGetInfo");
  return device;
}

}  // namespace

const Driver& driver() {
  static const Driver loaded = load_driver();
  return loaded;
}

void throw_driver_error(int result, const std::string& what) {
  const char* reason = nullptr;
  driver().get_error_string(result, &reason);
  throw Error(result == 2 ? ErrorCode::out_of_memory : ErrorCode::internal,
              weft::format("{}: the CUDA driver answers '{}' ({})", what,
                           reason != nullptr ? reason : "unknown error", result));
}

int device_count() {
  try {
    int count = 0;
    return driver().device_count(&count) == 0 ? count : 0;
  } catch (const Error&) {
    return 0;
  }
}

const GpuDevice& device(int number) {
  static std::mutex mutex;
  static std::map<int, GpuDevice> known;
  const std::lock_guard lock(mutex);
  int count = 0;
  require(driver().device_count(&count), "cuDeviceGetCount");
  if (number < 0 || number >= count)
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("GPU {} was asked for; this machine has {}, numbered from 0", number, count));
  auto found = known.find(number);
  if (found == known.end()) found = known.emplace(number, describe(number)).first;
  return found->second;
}

UseDevice::UseDevice(const GpuDevice& device) {
  require(driver().context_push(device.context), "cuCtxPushCurrent");
}
UseDevice::UseDevice(const GpuDevice& device, std::nothrow_t) noexcept
    : is_current_(driver().context_push(device.context) == 0) {}
UseDevice::~UseDevice() {
  if (!is_current_) return;
  void* popped = nullptr;
  driver().context_pop(&popped);
}

DeviceMemory::DeviceMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  require(driver().context_get(&context_), "cuCtxGetCurrent");
  if (driver().memory_allocate(&address_, bytes) == 0) return;
  std::size_t free_bytes = 0, total = 0;
  driver().memory_info(&free_bytes, &total);
  throw Error(ErrorCode::out_of_memory,
              weft::format("{} bytes of GPU memory are needed, {} of {} are free; free some, "
                           "transform in smaller batches, or plan with a smaller workspace_limit",
                           bytes, free_bytes, total));
}
DeviceMemory::~DeviceMemory() {
  if (address_ == 0 || driver().context_push(context_) != 0) return;
  driver().memory_free(address_);
  void* popped = nullptr;
  driver().context_pop(&popped);
}

void upload(DevicePointer to, const void* from, std::size_t bytes, const char* what) {
  if (bytes == 0) return;
  constexpr unsigned non_blocking = 1;
  Stream stream = nullptr;
  require(driver().stream_create(&stream, non_blocking), "cuStreamCreate");
  int result = driver().copy_to_device_on(to, from, bytes, stream);
  if (result == 0) result = driver().stream_synchronize(stream);
  driver().stream_destroy(stream);
  require(result, what);
}

HostMemory::HostMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  constexpr unsigned for_all_contexts = 1;
  if (driver().host_allocate(&data_, bytes, for_all_contexts) != 0)
    throw Error(
        ErrorCode::out_of_memory,
        weft::format("{} bytes of page-locked host memory are needed and cannot be had; raise "
                     "the limit of locked memory (ulimit -l), or use smaller boxes",
                     bytes));
}
HostMemory::~HostMemory() {
  if (data_ != nullptr) driver().host_free(data_);
}
HostMemory::HostMemory(HostMemory&& other) noexcept { *this = std::move(other); }
HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  std::swap(context_, other.context_);
  return *this;
}

}  // namespace weft::gpu
