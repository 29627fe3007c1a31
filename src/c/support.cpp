// SPDX-License-Identifier: BSD-3-Clause
#include "c/support.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace weft::c {
namespace {

/// Fixed, so that keeping a message cannot fail.
thread_local char last_error[2048] = "";

weft_status fail(weft_status status, const char* message) noexcept {
  const std::size_t length = std::min(std::strlen(message), sizeof last_error - 1);
  std::memmove(last_error, message, length);
  last_error[length] = '\0';
  return status;
}

/// Larger structures than this are no structures of weft.
constexpr std::size_t most_unknown_bytes = 4096;

static_assert(WEFT_INVALID_ARGUMENT == static_cast<int>(ErrorCode::invalid_argument) + 1);
static_assert(WEFT_INTERNAL == static_cast<int>(ErrorCode::internal) + 1);

}  // namespace

weft_status caught() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return fail(static_cast<weft_status>(static_cast<int>(error.code()) + 1), error.what());
  } catch (const std::bad_alloc&) {
    return fail(WEFT_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(WEFT_INTERNAL, error.what());
  } catch (...) {
    return fail(WEFT_INTERNAL, "unknown error");
  }
}

void refuse(const std::string& message) { throw Error(ErrorCode::invalid_argument, message); }

void put_text(char** result, const std::string& text) {
  given(result, "the pointer to the text") = nullptr;
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *result = copy;
}

void check_ndim(int ndim) {
  if (ndim < 0 || ndim > max_ndim)
    refuse("an array of " + std::to_string(ndim) + " dimensions; use 0 to " +
           std::to_string(max_ndim));
}

void check_size(std::size_t size, std::size_t smallest, std::size_t known, const char* name) {
  if (size >= smallest && size <= known + most_unknown_bytes) return;
  refuse(std::string(name) + ".struct_size is " + std::to_string(size) + ", at least " +
         std::to_string(smallest) + " is needed; call " + name + "_init(&it, sizeof it) first");
}

void check_unknown_members(const void* structure, std::size_t size, std::size_t known,
                           const char* name) {
  const char* bytes = static_cast<const char*>(structure);
  if (size > known && std::any_of(bytes + known, bytes + size, [](char b) { return b != 0; }))
    throw Error(ErrorCode::unsupported, std::string(name) +
                                            " has members set that this weft (" WEFT_VERSION
                                            ") does not know; run with a newer library");
}

}  // namespace weft::c

extern "C" {

const char* weft_last_error(void) { return weft::c::last_error; }

weft_status weft_set_last_error(weft_status status, const char* message) {
  return weft::c::fail(status, message == nullptr ? "" : message);
}

const char* weft_status_text(weft_status status) {
  switch (status) {
    case WEFT_SUCCESS: return "success";
    case WEFT_INVALID_ARGUMENT: return "invalid argument";
    case WEFT_UNSUPPORTED: return "unsupported";
    case WEFT_OUT_OF_MEMORY: return "out of memory";
    case WEFT_IO: return "file error";
    case WEFT_WISDOM: return "damaged wisdom";
    case WEFT_MPI: return "MPI error";
    case WEFT_INTERNAL: return "internal error";
  }
  return "unknown status";
}

const char* weft_version(void) { return WEFT_VERSION; }
int weft_version_number(void) { return WEFT_VERSION_NUMBER; }

void* weft_alloc(std::int64_t bytes) {
  constexpr std::int64_t boundary = 64;
  if (bytes < 0 || bytes > PTRDIFF_MAX - boundary) return nullptr;
  const std::int64_t blocks = std::max<std::int64_t>((bytes + boundary - 1) / boundary, 1);
  return std::aligned_alloc(boundary, static_cast<std::size_t>(blocks * boundary));
}
void weft_free(void* memory) { std::free(memory); }

}  // extern "C"
