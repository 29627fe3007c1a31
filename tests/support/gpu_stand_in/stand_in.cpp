// SPDX-License-Identifier: BSD-3-Clause
// A CUDA driver and NVRTC without a GPU: the functions that weft loads from libcuda.so.1 and from
// NVRTC, with this host as the device. "Device code" is the kernel's text, which compiles as C++ as
// well; it is compiled when a module is loaded. Launches run at once. Device memory is memory of
// the host that is kept apart in a list, so that host pointers are recognised.
#include "stand_in.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace {

using Clock = std::chrono::steady_clock;
constexpr int failed = 999, out_of_memory = 2, bad_value = 1, launch_failed = 719;

thread_local long calls = 0, failing = -1;
thread_local const void* last_stream = nullptr;
/// Of what a stream does.
int do_work() { return calls++ == failing ? launch_failed : 0; }

std::mutex mutex;
std::map<std::uintptr_t, std::size_t> allocations;
std::size_t taken = 0;
constexpr std::size_t memory_bytes = std::size_t{4} << 30;
thread_local int contexts = 0;
bool is_shut_down = false;

bool is_capturing = false;
constexpr int relaxed_mode = 2;
thread_local int capture_mode = 0;  // global
/// Of calls that a thread may make beside a capture only if it says so.
bool is_refused_in_capture() { return is_capturing && capture_mode != relaxed_mode; }
constexpr int capture_unsupported = 900, capture_implicit = 906;

struct Program {
  std::string text;
};
struct Module {
  void (*pass)(const void*, void*, const void*, double) = nullptr;
  void (*turn)(const void*, const void*, double, const void*) = nullptr;
  void (*elements)(const void*, long long) = nullptr;
  bool is_double = false;
};
std::map<std::string, Module> modules;  // by text; stay loaded

bool compile(const std::string& text, Module& module) {
  static int count = 0;
  const std::string name =
      "/tmp/weft_stand_in_" + std::to_string(::getpid()) + "_" + std::to_string(count++);
  std::ofstream(name + ".cpp") << text;
  const std::string command = std::string(WEFT_TEST_COMPILER) + " -std=c++17 -O0 -w -fPIC " +
                              "-ffp-contract=off -nostdlib -shared -o " + name + ".so " + name +
                              ".cpp";
  void* handle = nullptr;
  if (std::system(command.c_str()) == 0) handle = dlopen((name + ".so").c_str(), RTLD_NOW);
  std::remove((name + ".cpp").c_str());
  std::remove((name + ".so").c_str());
  if (handle == nullptr) return false;
  module.pass = reinterpret_cast<decltype(module.pass)>(dlsym(handle, "weft_pass_on_host"));
  module.turn = reinterpret_cast<decltype(module.turn)>(dlsym(handle, "weft_turn_on_host"));
  module.elements =
      reinterpret_cast<decltype(module.elements)>(dlsym(handle, "weft_elements_on_host"));
  module.is_double = text.find("using Real = double;") != std::string::npos;
  return module.pass != nullptr || module.turn != nullptr || module.elements != nullptr;
}

struct Event {
  Clock::time_point time;
};

struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
};

int copy_bytes(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return 0;
}

}  // namespace

void stand_in_fail_at(long call) {
  calls = 0;
  failing = call;
}
long stand_in_calls() { return calls; }
const void* stand_in_last_stream() { return last_stream; }
void stand_in_shut_down(bool is_down) { is_shut_down = is_down; }
void stand_in_capture(bool is_on) { is_capturing = is_on; }

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 0;
  return 0;
}
int nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{text};
  return 0;
}
int nvrtcCompileProgram(Program*, int, const char* const*) { return 0; }
int nvrtcGetCUBINSize(Program* program, std::size_t* size) {
  *size = program->text.size() + 1;
  return 0;
}
int nvrtcGetCUBIN(Program* program, char* code) {
  std::memcpy(code, program->text.c_str(), program->text.size() + 1);
  return 0;
}
int nvrtcGetProgramLogSize(Program*, std::size_t* size) {
  *size = 0;
  return 0;
}
int nvrtcGetProgramLog(Program*, char*) { return 0; }
int nvrtcDestroyProgram(Program** program) {
  delete *program;
  return 0;
}

int cuInit(unsigned) { return 0; }
int cuGetErrorString(int, const char** text) {
  *text = "made to fail";
  return 0;
}
int cuDriverGetVersion(int* version) {
  *version = 12000;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<std::size_t>(length), "stand-in");
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  static const std::map<int, int> values{{16, 4},     {36, 1000000}, {37, 4096}, {38, 1 << 22},
                                         {39, 2048},  {75, 9},       {76, 0},    {81, 233472},
                                         {82, 65536}, {97, 232448},  {106, 32}};
  const auto found = values.find(attribute);
  if (found == values.end()) return bad_value;
  *value = found->second;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  static int primary;
  *context = &primary;
  return 0;
}
int cuCtxPushCurrent_v2(void*) {
  constexpr int deinitialized = 4;
  if (is_shut_down) return deinitialized;
  ++contexts;
  return 0;
}
int cuCtxPopCurrent_v2(void**) { return --contexts < 0 ? failed : 0; }
int cuCtxGetCurrent(void** context) { return cuDevicePrimaryCtxRetain(context, 0); }
int cuCtxSynchronize() { return contexts > 0 ? 0 : failed; }

int cuModuleLoadData(void** module, const void* code) {
  if (contexts == 0) return failed;
  if (is_refused_in_capture()) return capture_unsupported;
  const std::lock_guard lock(mutex);
  const std::string text(static_cast<const char*>(code));
  auto found = modules.find(text);
  if (found == modules.end()) {
    Module fresh;
    if (!compile(text, fresh)) return failed;
    found = modules.emplace(text, fresh).first;
  }
  *module = &found->second;
  return 0;
}
int cuModuleUnload(void*) { return 0; }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  const auto* m = static_cast<const Module*>(module);
  const bool has = std::strcmp(name, "weft_pass") == 0       ? m->pass != nullptr
                   : std::strcmp(name, "weft_turn") == 0     ? m->turn != nullptr
                   : std::strcmp(name, "weft_elements") == 0 ? m->elements != nullptr
                                                             : false;
  *function = module;
  return has ? 0 : failed;
}
int cuFuncSetAttribute(void*, int, int) { return 0; }
int cuFuncGetAttribute(int* value, int, void*) {
  *value = 32;
  return 0;
}
int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, void* stream, void** arguments, void**) {
  if (contexts == 0) return failed;
  last_stream = stream;
  const auto* module = static_cast<const Module*>(function);
  long long count = 0;
  std::memcpy(&count, arguments[1], sizeof count);
  module->elements(arguments[0], count);
  return 0;
}
int cuLaunchKernelEx(const LaunchConfig* config, void* function, void** arguments, void**) {
  if (contexts == 0) return failed;
  last_stream = config->stream;
  const auto* module = static_cast<const Module*>(function);
  const auto pointer = [&](int i) { return *static_cast<void**>(arguments[i]); };
  const auto scale = [&](int i) {
    return module->is_double ? *static_cast<double*>(arguments[i])
                             : *static_cast<float*>(arguments[i]);
  };
  const std::lock_guard lock(mutex);  // a pass keeps its tiles in static memory
  if (module->turn != nullptr)
    module->turn(arguments[0], pointer(1), scale(2), pointer(3));
  else
    module->pass(pointer(0), pointer(1), pointer(2), scale(3));
  return 0;
}
int cuOccupancyMaxActiveClusters(int* clusters, void*, const LaunchConfig*) {
  *clusters = 1;
  return 0;
}
int cuStreamIsCapturing(void*, int* is_captured) {
  *is_captured = is_capturing ? 1 : 0;
  return 0;
}
int cuThreadExchangeStreamCaptureMode(int* mode) {
  std::swap(*mode, capture_mode);
  return 0;
}

int cuMemAlloc_v2(std::uintptr_t* address, std::size_t bytes) {
  if (contexts == 0) return failed;
  if (is_refused_in_capture()) return capture_unsupported;
  constexpr std::size_t alignment = 256;
  const std::lock_guard lock(mutex);
  if (bytes > memory_bytes - taken) return out_of_memory;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) return out_of_memory;
  std::memset(memory, 0x5a, rounded);  // whoever reads what nobody wrote gets large numbers
  *address = reinterpret_cast<std::uintptr_t>(memory);
  allocations[*address] = bytes;
  taken += bytes;
  return 0;
}
int cuMemFree_v2(std::uintptr_t address) {
  if (is_refused_in_capture()) return capture_unsupported;
  const std::lock_guard lock(mutex);
  const auto found = allocations.find(address);
  if (found == allocations.end()) return bad_value;
  taken -= found->second;
  allocations.erase(found);
  std::free(reinterpret_cast<void*>(address));
  return 0;
}
int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
  const std::lock_guard lock(mutex);
  *free_bytes = memory_bytes - taken;
  *total = memory_bytes;
  return 0;
}
int cuPointerGetAttribute(void* value, int attribute, std::uintptr_t address) {
  constexpr int memory_type = 2, device_number = 9;
  const std::lock_guard lock(mutex);
  auto found = allocations.upper_bound(address);
  if (found == allocations.begin()) return bad_value;
  --found;
  if (address >= found->first + found->second) return bad_value;
  const unsigned device_memory = 2;
  const int device = 0;
  if (attribute == memory_type) std::memcpy(value, &device_memory, sizeof device_memory);
  if (attribute == device_number) std::memcpy(value, &device, sizeof device);
  return 0;
}
int cuMemcpyHtoD_v2(std::uintptr_t to, const void* from, std::size_t bytes) {
  if (is_capturing) return capture_implicit;  // the default stream waits for the captured one
  return copy_bytes(to, reinterpret_cast<std::uintptr_t>(from), bytes);
}
int cuMemcpyHtoDAsync_v2(std::uintptr_t to, const void* from, std::size_t bytes, void*) {
  return copy_bytes(to, reinterpret_cast<std::uintptr_t>(from), bytes);
}
int cuMemcpyDtoH_v2(void* to, std::uintptr_t from, std::size_t bytes) {
  if (is_capturing) return capture_implicit;
  return copy_bytes(reinterpret_cast<std::uintptr_t>(to), from, bytes);
}
int cuMemcpyDtoDAsync_v2(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, void*) {
  if (const int result = do_work(); result != 0) return result;
  return copy_bytes(to, from, bytes);
}
int cuMemcpyAsync(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, void*) {
  if (const int result = do_work(); result != 0) return result;
  return copy_bytes(to, from, bytes);
}
int cuMemsetD8_v2(std::uintptr_t to, unsigned char value, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return 0;
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::malloc(bytes);
  return *memory != nullptr ? 0 : out_of_memory;
}
int cuMemFreeHost(void* memory) {
  std::free(memory);
  return 0;
}
struct IpcHandle {
  char bytes[64];
};
int cuIpcGetMemHandle(IpcHandle*, std::uintptr_t) { return 0; }
int cuIpcOpenMemHandle_v2(std::uintptr_t*, IpcHandle, unsigned) { return failed; }
int cuIpcCloseMemHandle(std::uintptr_t) { return failed; }

int cuStreamCreate(void** stream, unsigned) {
  *stream = new char;
  return 0;
}
int cuStreamDestroy_v2(void* stream) {
  delete static_cast<char*>(stream);
  return 0;
}
int cuStreamSynchronize(void*) {
  if (is_refused_in_capture()) return capture_unsupported;
  return contexts > 0 ? do_work() : failed;
}
int cuEventCreate(void** event, unsigned) {
  *event = new Event{};
  return 0;
}
int cuEventRecord(void* event, void*) {
  static_cast<Event*>(event)->time = Clock::now();
  return do_work();
}
int cuEventQuery(void*) { return is_refused_in_capture() ? capture_unsupported : do_work(); }
int cuEventSynchronize(void*) { return do_work(); }
int cuEventElapsedTime(float* ms, void* from, void* to) {
  const auto time = static_cast<const Event*>(to)->time - static_cast<const Event*>(from)->time;
  *ms = std::chrono::duration<float, std::milli>(time).count();
  return 0;
}
int cuEventDestroy_v2(void* event) {
  delete static_cast<Event*>(event);
  return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
