// SPDX-License-Identifier: BSD-3-Clause
// Preloaded where there are more ranks than cores: MPI libraries spin while they wait, and every
// wait then lasts until the scheduler stops the other spinning ranks. MPICH polls UCX; this library
// replaces that call and sleeps for a moment after polls that found nothing. Open MPI, when it is
// oversubscribed, calls sched_yield after such polls, which the scheduler hardly minds: that is a
// moment's sleep too.
#include <dlfcn.h>
#include <time.h>

namespace {
void sleep_for_a_moment() {
  const timespec moment{.tv_sec = 0, .tv_nsec = 1000};
  nanosleep(&moment, nullptr);
}
}  // namespace

extern "C" unsigned ucp_worker_progress(void* worker) {
  using Poll = unsigned (*)(void*);
  static const Poll poll = reinterpret_cast<Poll>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  static thread_local int idle_polls = 0;
  const unsigned found = poll(worker);
  if (found == 0 && ++idle_polls == 20) {
    idle_polls = 0;
    sleep_for_a_moment();
  }
  return found;
}

extern "C" int sched_yield() noexcept {
  sleep_for_a_moment();
  return 0;
}

/// MPI_Finalize waits for every connection to be taken down by both ends, but an end that is done
/// waits for the process manager and answers no more: over TCP that is a deadlock. Connections end
/// with the process; the pointer says "done".
extern "C" void* ucp_disconnect_nb(void* /*endpoint*/) { return nullptr; }
