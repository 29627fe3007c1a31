// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/cufft/real_cufft.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>

namespace weft::cufft {
namespace {

void* load() noexcept {
#ifdef __SANITIZE_ADDRESS__  // which does not go with RTLD_DEEPBIND
  constexpr int flags = RTLD_LAZY | RTLD_LOCAL;
#else
  // Its own symbols first: calls within cuFFT do not come back here.
  constexpr int flags = RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND;
#endif
  if (const char* path = std::getenv("WEFT_CUFFT_LIBRARY"); path != nullptr && *path != '\0')
    return dlopen(path, flags);
  for (const char* name : {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"})
    if (void* library = dlopen(name, flags)) return library;
  return nullptr;
}

void* library() noexcept {
  static void* const loaded = load();
  return loaded;
}

}  // namespace

bool has_cufft() noexcept { return library() != nullptr; }

void* find_in_cufft(const char* name) noexcept {
  return has_cufft() ? next_dlsym()(library(), name) : nullptr;
}

}  // namespace weft::cufft
