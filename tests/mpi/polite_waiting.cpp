// SPDX-License-Identifier: BSD-3-Clause
// Preloaded for tests under MPICH, which spins while it waits: with more ranks than cores, every
// wait then lasts until the scheduler stops the other spinning ranks. MPICH polls UCX; this library
// replaces that call and sleeps for a moment after polls that found nothing.
#include <dlfcn.h>
#include <time.h>

extern "C" unsigned ucp_worker_progress(void* worker) {
  using Poll = unsigned (*)(void*);
  static const Poll poll = reinterpret_cast<Poll>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  static thread_local int idle_polls = 0;
  const unsigned found = poll(worker);
  if (found == 0 && ++idle_polls == 20) {
    idle_polls = 0;
    const timespec moment{.tv_sec = 0, .tv_nsec = 1000};
    nanosleep(&moment, nullptr);
  }
  return found;
}

/// MPI_Finalize waits for every connection to be taken down by both ends, but an end that is done
/// waits for the process manager and answers no more: over TCP that is a deadlock. Connections end
/// with the process; the pointer says "done".
extern "C" void* ucp_disconnect_nb(void* /*endpoint*/) { return nullptr; }
