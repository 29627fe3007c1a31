// SPDX-License-Identifier: BSD-3-Clause
// The functions that heffte.h calls: no exception leaves them.
#include <new>
#include <string>

#include "dropins/heffte/lines.hpp"
#include "dropins/heffte/transform.hpp"
#include "weft/error.hpp"

struct weft_heffte_plan {
  weft::heffte::DistributedTransform transform;
};
struct weft_heffte_lines {
  weft::heffte::Lines lines;
};

namespace weft::heffte {
namespace {

thread_local std::string last_error;

/// Runs a body and returns what became of it.
template <class Body>
int guarded(const Body& body) noexcept {
  try {
    try {
      body();
      return weft_heffte_ok;
    } catch (const Error& error) {
      last_error = error.what();
      if (error.code() == ErrorCode::out_of_memory) return weft_heffte_no_memory;
      return error.code() == ErrorCode::invalid_argument ? weft_heffte_invalid : weft_heffte_failed;
    } catch (const std::exception& error) {
      last_error = error.what();
      return weft_heffte_failed;
    }
  } catch (...) {  // no memory for the text either
    return weft_heffte_no_memory;
  }
}

[[noreturn]] void refuse_null(const char* what) {
  throw Error(ErrorCode::invalid_argument, std::string("heFFTe: no ") + what + " was given (NULL)");
}

}  // namespace
}  // namespace weft::heffte

using weft::heffte::guarded;
using weft::heffte::refuse_null;

#pragma GCC visibility push(default)
extern "C" {

const char* weft_heffte_error(void) { return weft::heffte::last_error.c_str(); }

int weft_heffte_create(weft_heffte_plan** plan, const weft_heffte_request* request, MPI_Comm comm) {
  *plan = nullptr;
  return guarded([&] {
    if (comm == MPI_COMM_NULL) refuse_null("communicator");
    *plan = new weft_heffte_plan{{*request, comm}};
  });
}

void weft_heffte_destroy(weft_heffte_plan* plan) { delete plan; }

int weft_heffte_execute(const weft_heffte_plan* plan, const weft_heffte_call* call) {
  return guarded([&] {
    if (plan == nullptr) refuse_null("plan");
    plan->transform.execute(*call);
  });
}

long long weft_heffte_workspace(const weft_heffte_plan* plan) {
  return plan == nullptr ? 0 : plan->transform.workspace();
}

long long weft_heffte_message_room(const weft_heffte_plan* plan) {
  return plan == nullptr ? 0 : plan->transform.message_room();
}

double weft_heffte_scale_factor(const weft_heffte_plan* plan) {
  return plan == nullptr ? 1 : plan->transform.scale_factor();
}

int weft_heffte_lines_create(weft_heffte_lines** lines, const weft_heffte_box* box, int kind,
                             int count, const int* directions, double backward_factor) {
  *lines = nullptr;
  return guarded([&] {
    *lines = new weft_heffte_lines{
        {*box, kind, std::vector<int>(directions, directions + count), backward_factor}};
  });
}

void weft_heffte_lines_destroy(weft_heffte_lines* lines) { delete lines; }

int weft_heffte_lines_execute(const weft_heffte_lines* lines, int backward, int is_double,
                              void* data) {
  return guarded([&] {
    lines->lines.execute(backward != 0 ? weft::Direction::backward : weft::Direction::forward,
                         is_double != 0 ? weft::Precision::f64 : weft::Precision::f32, data);
  });
}

}  // extern "C"
#pragma GCC visibility pop
