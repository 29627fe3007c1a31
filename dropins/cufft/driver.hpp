// SPDX-License-Identifier: BSD-3-Clause
// The few functions of the CUDA driver that this library calls itself. It exists wherever a program
// has a GPU; without it they answer that there is nothing.
#pragma once

namespace weft::cufft {

/// The device of the current context; 0 if none is current yet.
int current_device() noexcept;

/// Whether the stream is being captured into a graph.
bool is_captured(void* stream) noexcept;

/// While it lives, this thread may allocate memory, load kernels and ask events although a stream
/// is being captured (cuThreadExchangeStreamCaptureMode, relaxed). None of that becomes part of a
/// graph.
class BesideCapture {
 public:
  BesideCapture() noexcept;
  ~BesideCapture();
  BesideCapture(const BesideCapture&) = delete;
  BesideCapture& operator=(const BesideCapture&) = delete;

 private:
  int mode_ = 2;  ///< what the thread had, in turn with relaxed
};

/// An event that is recorded on streams of the context that was current when it was made.
class Event {
 public:
  static void* current_context() noexcept;

  Event() noexcept;  ///< !is_made() where there is no driver, or no context
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  bool is_made() const { return event_ != nullptr; }
  bool record(void* stream) noexcept;
  bool has_happened() const noexcept;
  bool wait() const noexcept;
  /// Negative where it cannot be known.
  double seconds_since(const Event& start) const noexcept;

 private:
  void* event_ = nullptr;
};

}  // namespace weft::cufft
