// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/cufft/driver.hpp"

#include <dlfcn.h>

#include <utility>

namespace weft::cufft {
namespace {

/// Null functions where there is no driver.
struct Driver {
  int (*context_device)(int*);
  int (*context_get)(void**);
  int (*stream_is_capturing)(void*, int*);
  int (*exchange_capture_mode)(int*);
  int (*event_create)(void**, unsigned);
  int (*event_record)(void*, void*);
  int (*event_query)(void*);
  int (*event_synchronize)(void*);
  int (*event_elapsed)(float*, void*, void*);
  int (*event_destroy)(void*);
};

template <class Function>
void load(void* library, Function& function, const char* name) noexcept {
  function = library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

Driver load_driver() noexcept {
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  Driver d{};
  load(library, d.context_device, "cuCtxGetDevice");
  load(library, d.context_get, "cuCtxGetCurrent");
  load(library, d.stream_is_capturing, "cuStreamIsCapturing");
  load(library, d.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
  load(library, d.event_create, "cuEventCreate");
  load(library, d.event_record, "cuEventRecord");
  load(library, d.event_query, "cuEventQuery");
  load(library, d.event_synchronize, "cuEventSynchronize");
  load(library, d.event_elapsed, "cuEventElapsedTime");
  load(library, d.event_destroy, "cuEventDestroy_v2");
  return d;
}

const Driver& driver() noexcept {
  static const Driver loaded = load_driver();
  return loaded;
}

/// A function's answer; an error where there is no such function.
template <class... Parameters, class... Arguments>
int call(int (*function)(Parameters...), Arguments... arguments) noexcept {
  constexpr int not_found = 500;
  return function == nullptr ? not_found : function(arguments...);
}

}  // namespace

int current_device() noexcept {
  int device = 0;
  return call(driver().context_device, &device) == 0 ? device : 0;
}

bool is_captured(void* stream) noexcept {
  int status = 0;
  // An error, too, comes of a capture: of another stream, on which this one would depend.
  return call(driver().stream_is_capturing, stream, &status) != 0 || status != 0;
}

BesideCapture::BesideCapture() noexcept { call(driver().exchange_capture_mode, &mode_); }
BesideCapture::~BesideCapture() { call(driver().exchange_capture_mode, &mode_); }

void* Event::current_context() noexcept {
  void* context = nullptr;
  return call(driver().context_get, &context) == 0 ? context : nullptr;
}

Event::Event() noexcept {
  if (call(driver().event_create, &event_, 0u) != 0) event_ = nullptr;
}
Event::~Event() {
  if (event_ != nullptr) call(driver().event_destroy, event_);
}
Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  return *this;
}
bool Event::record(void* stream) noexcept {
  return call(driver().event_record, event_, stream) == 0;
}
bool Event::has_happened() const noexcept { return call(driver().event_query, event_) == 0; }
bool Event::wait() const noexcept { return call(driver().event_synchronize, event_) == 0; }
double Event::seconds_since(const Event& start) const noexcept {
  float ms = 0;
  return call(driver().event_elapsed, &ms, start.event_, event_) == 0 ? 1e-3 * ms : -1;
}

}  // namespace weft::cufft
