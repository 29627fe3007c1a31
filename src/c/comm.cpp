// SPDX-License-Identifier: BSD-3-Clause
// Ranks, for C.
#include "c/bridge.hpp"
#include "c/support.hpp"

namespace weft::c {

weft_status make_comm(weft_comm** comm, MakeComm make, const void* argument) noexcept {
  return create(comm, [&] {
    auto handle = std::make_unique<weft_comm>();
    handle->owned = make(argument);
    handle->comm = handle->owned.get();
    return handle;
  });
}

}  // namespace weft::c

using namespace weft::c;

weft_status weft_comm_rank(const weft_comm* comm, int* rank) {
  return guarded([&] { given(rank, "rank") = given(comm, "the communicator").comm->rank(); });
}
weft_status weft_comm_size(const weft_comm* comm, int* size) {
  return guarded([&] { given(size, "size") = given(comm, "the communicator").comm->size(); });
}
void weft_comm_destroy(weft_comm* comm) {
  if (comm != nullptr && comm->owned != nullptr) delete comm;
}
weft_status weft_run_as_threads(int ranks, void (*body)(weft_comm* comm, void* context),
                                void* context) {
  return guarded([&] {
    if (body == nullptr) refuse("the function for the ranks is NULL; pass one");
    weft::run_as_threads(ranks, [&](const weft::Comm& comm) {
      weft_comm handle{nullptr, &comm};
      body(&handle, context);
    });
  });
}
