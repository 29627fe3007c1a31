// SPDX-License-Identifier: BSD-3-Clause
// Preloaded under MPICH, which spins while it waits: with more ranks than cores every wait then
// lasts as long as the scheduler lets the others spin. MPICH's progress engine polls UCX; this
// stands before that call and sleeps a moment after polls that found nothing.
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
