// SPDX-License-Identifier: BSD-3-Clause
// The few functions of the CUDA driver that weft calls, loaded at run time: the library builds
// without CUDA, and a plan for a GPU on a machine without one throws an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

namespace weft::gpu {

using DevicePointer = std::uint64_t;
using Stream = void*;

/// Names another process's memory.
struct IpcHandle {
  char bytes[64];
};

/// CUlaunchAttribute, and CUlaunchConfig.
struct LaunchAttribute {
  int id;
  int padding = 0;
  int value[16] = {};
};
inline constexpr LaunchAttribute may_start_early{6, 0, {1}};  ///< programmatic serialization
inline constexpr LaunchAttribute in_clusters_of(int blocks) { return {4, 0, {blocks, 1, 1}}; }
struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

/// Names, signatures and handles as in cuda.h; all handles are pointers, results 0 for success.
struct Driver {
  int (*init)(unsigned);
  int (*get_error_string)(int, const char**);
  int (*driver_version)(int*);
  int (*device_count)(int*);
  int (*device_name)(char*, int, int);
  int (*device_attribute)(int*, int, int);
  int (*context_retain)(void**, int);
  int (*context_push)(void*);
  int (*context_pop)(void**);
  int (*context_get)(void**);
  int (*context_synchronize)();
  int (*module_load)(void**, const void*);
  int (*module_unload)(void*);
  int (*module_function)(void**, void*, const char*);
  int (*function_set)(void*, int, int);
  int (*function_get)(int*, int, void*);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,
                void**, void**);
  int (*launch_with)(const LaunchConfig*, void*, void**, void**);
  int (*clusters_at_once)(int*, void*, const LaunchConfig*);
  int (*stream_is_capturing)(Stream, int*);
  int (*memory_allocate)(DevicePointer*, std::size_t);
  int (*memory_free)(DevicePointer);
  int (*memory_info)(std::size_t*, std::size_t*);
  int (*copy_to_device)(DevicePointer, const void*, std::size_t);
  int (*copy_to_device_on)(DevicePointer, const void*, std::size_t, Stream);
  int (*copy_to_host)(void*, DevicePointer, std::size_t);
  int (*copy_on_device)(DevicePointer, DevicePointer, std::size_t, Stream);
  int (*copy)(DevicePointer, DevicePointer, std::size_t, Stream);  ///< between any memories
  int (*set_bytes)(DevicePointer, unsigned char, std::size_t);
  int (*host_allocate)(void**, std::size_t, unsigned);
  int (*host_free)(void*);
  int (*ipc_get)(IpcHandle*, DevicePointer);
  int (*ipc_open)(DevicePointer*, IpcHandle, unsigned);
  int (*ipc_close)(DevicePointer);
  int (*pointer_attribute)(void*, int, DevicePointer);
  int (*stream_create)(Stream*, unsigned);
  int (*stream_destroy)(Stream);
  int (*stream_synchronize)(Stream);
  int (*event_create)(void**, unsigned);
  int (*event_record)(void*, Stream);
  int (*event_synchronize)(void*);
  int (*event_elapsed)(float*, void*, void*);
  int (*event_destroy)(void*);
};

/// Loaded on first use. Throws weft::Error (unsupported) where there is no driver.
const Driver& driver();

/// Throws weft::Error that says what was tried and what the driver answered.
[[noreturn]] void throw_driver_error(int result, const std::string& what);
inline void require(int result, const std::string& what) {
  if (result != 0) throw_driver_error(result, what);
}
/// Allocates nothing where all is well.
inline void require(int result, const char* what) {
  if (result != 0) throw_driver_error(result, what);
}

struct GpuDevice {
  int number = 0;
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::size_t shared_bytes = 0;  ///< that one block may have
  std::size_t multiprocessor_shared_bytes = 0;
  int multiprocessor_registers = 0, multiprocessor_threads = 0, multiprocessor_blocks = 0;
  double memory_bytes_per_s = 0;  ///< by the memory's clock and bus; 0: unknown
  std::size_t memory_bytes = 0, l2_bytes = 0;
  void* context = nullptr;  ///< the primary one, kept for the life of the process
};

/// Throws weft::Error when there is no such device or it is older than compute capability 7.0.
const GpuDevice& device(int number);
int device_count();  ///< 0 without a driver; throws nothing

/// Makes the device's context current while it lives.
class UseDevice {
 public:
  explicit UseDevice(const GpuDevice& device);
  /// For destructors. At the end of a process the driver may be gone before its users: then the
  /// device is not current, calls of the driver fail, and there is nothing left to free.
  UseDevice(const GpuDevice& device, std::nothrow_t) noexcept;
  ~UseDevice();
  UseDevice(const UseDevice&) = delete;
  UseDevice& operator=(const UseDevice&) = delete;

 private:
  bool is_current_ = true;
};

/// Memory of the device that is current when it is made.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  DevicePointer address() const { return address_; }
  void* data() const { return reinterpret_cast<void*>(address_); }
  std::size_t bytes() const { return bytes_; }

 private:
  DevicePointer address_ = 0;
  std::size_t bytes_ = 0;
  void* context_ = nullptr;
};

/// Copies to the current device and waits, on a stream of its own that the default stream does not
/// wait for: so plans can be made while another stream is captured into a graph.
void upload(DevicePointer to, const void* from, std::size_t bytes, const char* what);

/// Page-locked memory of the host, which the GPU copies to and from by itself.
class HostMemory {
 public:
  HostMemory() = default;
  explicit HostMemory(std::size_t bytes);
  ~HostMemory();
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace weft::gpu
