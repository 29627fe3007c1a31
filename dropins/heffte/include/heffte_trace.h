// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's list of events. Programs compiled with Heffte_ENABLE_TRACING get a file per rank with
// the name, the begin and the duration of each transform; others get functions that do nothing.
#ifndef HEFFTE_TRACE_H
#define HEFFTE_TRACE_H

#include "heffte_utils.h"

namespace heffte {

#ifdef Heffte_ENABLE_TRACING

struct event {
  std::string name;
  double start_time, duration;
};

namespace weft_detail {

struct event_list {
  std::string file;
  std::deque<event> events;
};
inline event_list& all_events() {
  static event_list list;
  return list;
}

}  // namespace weft_detail

/// From its construction to its destruction.
struct add_trace {
  explicit add_trace(std::string what) : name(std::move(what)), start_time(MPI_Wtime()) {}
  ~add_trace() {
    weft_detail::all_events().events.push_back(
        {std::move(name), start_time, MPI_Wtime() - start_time});
  }
  std::string name;
  double start_time;
};

inline void init_tracing(std::string root) {
  weft_detail::all_events().events.clear();
  weft_detail::all_events().file = root + "_" + std::to_string(mpi::world_rank()) + ".log";
}
inline void finalize_tracing() {
  std::ofstream file(weft_detail::all_events().file);
  file << std::setprecision(12);
  for (const event& e : weft_detail::all_events().events)
    file << std::setw(40) << e.name << std::setw(20) << e.start_time << std::setw(20) << e.duration
         << '\n';
}

#else

struct add_trace {
  explicit add_trace(const std::string&) {}
  explicit add_trace(const char*) {}
};
inline void init_tracing(const std::string&) {}
inline void finalize_tracing() {}

#endif

}  // namespace heffte

#endif
