// SPDX-License-Identifier: BSD-3-Clause
// Programs that load cuFFT at run time, or some of its functions (CuPy those for callbacks), ask
// dlsym for them. A handle of this library would mean nothing to cuFFT's function, so they get this
// library's.
#include <dlfcn.h>

#include <string_view>

#include "dropins/cufft/real_cufft.hpp"

namespace weft::cufft {
namespace {

/// The next one's after this library: that of libc, whose version depends on the machine.
FindSymbol find_next_dlsym() noexcept {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"})
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version))
      return reinterpret_cast<FindSymbol>(found);
  return nullptr;
}

/// This library's function of that name.
void* find_here(const char* name) noexcept {
  static void* const here = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(&find_here), &info);
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return here == nullptr ? nullptr : next_dlsym()(here, name);
}

void* find_cufft(void* library, const char* name) noexcept {
  void* const theirs = next_dlsym()(library, name);
  void* const ours = theirs == nullptr ? nullptr : find_here(name);
  return ours == nullptr ? theirs : ours;
}

}  // namespace

FindSymbol next_dlsym() noexcept {
  static const FindSymbol next = find_next_dlsym();
  return next;
}

}  // namespace weft::cufft

/// What dlsym jumps to, below.
extern "C" __attribute__((visibility("hidden"))) weft::cufft::FindSymbol weft_cufft_dlsym(
    void* library, const char* name) {
  using namespace weft::cufft;
  const bool is_cufft = library != RTLD_NEXT && std::string_view(name).starts_with("cufft");
  return is_cufft ? find_cufft : next_dlsym();
}

// A jump, not a call: to libc's dlsym RTLD_NEXT means the library after the one that called.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// The sanitizers call dlsym before code that they watch may run.
#elif defined(__x86_64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call weft_cufft_dlsym
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, %function
dlsym:
  .cfi_startproc
  stp x0, x1, [sp, -32]!
  .cfi_adjust_cfa_offset 32
  str x30, [sp, 16]
  .cfi_rel_offset x30, 16
  bl weft_cufft_dlsym
  mov x16, x0
  ldr x30, [sp, 16]
  .cfi_restore x30
  ldp x0, x1, [sp], 32
  .cfi_adjust_cfa_offset -32
  br x16
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#endif
