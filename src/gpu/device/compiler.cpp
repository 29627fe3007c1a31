// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/compiler.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/format.hpp"
#include "gpu/device/library.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

struct Nvrtc {
  int (*version)(int*, int*);
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile)(void*, int, const char* const*);
  int (*code_size)(void*, std::size_t*);
  int (*code)(void*, char*);
  int (*log_size)(void*, std::size_t*);
  int (*log)(void*, char*);
  int (*destroy)(void**);
};

Library open_nvrtc() {
  if (const char* path = std::getenv("WEFT_NVRTC"); path != nullptr && *path != 0)
    return Library({path});
  return Library({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                  "/usr/local/cuda/lib64/libnvrtc.so", "/opt/cuda/lib64/libnvrtc.so"});
}

Nvrtc load_nvrtc() {
  const Library library = open_nvrtc();
  if (!library.is_open())
    throw Error(ErrorCode::unsupported,
                "GPU kernels are compiled by NVRTC, which was not found; install the CUDA toolkit "
                "12 or later, or set WEFT_NVRTC to the path of libnvrtc.so");
  Nvrtc n{};
  const auto load = [&](auto& function, const char* name) {
    if (!library.load(function, name))
      throw Error(ErrorCode::unsupported,
                  weft::format("the NVRTC found lacks {}; install CUDA 12 or later", name));
  };
  load(n.version, "nvrtcVersion");
  load(n.create, "nvrtcCreateProgram");
  load(n.compile, "nvrtcCompileProgram");
  load(n.code_size, "nvrtcGetCUBINSize");
  load(n.code, "nvrtcGetCUBIN");
  load(n.log_size, "nvrtcGetProgramLogSize");
  load(n.log, "nvrtcGetProgramLog");
  load(n.destroy, "nvrtcDestroyProgram");
  return n;
}

const Nvrtc& nvrtc() {
  static const Nvrtc loaded = load_nvrtc();
  return loaded;
}

/// FNV-1a: names a file, protects nothing.
std::uint64_t hash(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

std::vector<char> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Beside the target, then renamed: readers see all of it or nothing. A cache that cannot be
/// written is no error.
void write_file(const std::filesystem::path& path, const std::vector<char>& bytes) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  const std::filesystem::path temporary =
      path.string() +
      weft::format(".{}.{}", ::getpid(), std::hash<std::thread::id>()(std::this_thread::get_id()));
  {
    std::ofstream file(temporary, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
      std::filesystem::remove(temporary, ignored);
      return;
    }
  }
  std::filesystem::rename(temporary, path, ignored);
}

}  // namespace

bool has_nvrtc() {
  try {
    nvrtc();
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string cache_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  if (const std::string folder = variable("WEFT_CUDA_CACHE"); !folder.empty())
    return folder == "off" ? "" : folder;
  if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty())
    return folder + "/weft/cuda";
  if (const std::string folder = variable("HOME"); !folder.empty())
    return folder + "/.cache/weft/cuda";
  return "";
}

std::vector<char> compile_cuda_anew(const std::string& text, int capability) {
  const Nvrtc& n = nvrtc();
  void* program = nullptr;
  if (n.create(&program, text.c_str(), "weft_pass.cu", 0, nullptr, nullptr) != 0)
    throw Error(ErrorCode::internal, "NVRTC cannot create a program");
  const std::string architecture = weft::format("--gpu-architecture=sm_{}", capability);
  // The text says where multiplications and additions are fused.
  const char* const options[] = {architecture.c_str(), "--std=c++17", "--fmad=false",
                                 "--device-as-default-execution-space"};
  const int result = n.compile(program, static_cast<int>(std::size(options)), options);
  std::size_t size = 0;
  if (result != 0) {
    n.log_size(program, &size);
    std::string log(size, ' ');
    n.log(program, log.data());
    n.destroy(&program);
    throw Error(ErrorCode::internal, weft::format("NVRTC refuses a generated kernel for sm_{}:\n{}",
                                                  capability, log.substr(0, 2000)));
  }
  n.code_size(program, &size);
  std::vector<char> code(size);
  n.code(program, code.data());
  n.destroy(&program);
  return code;
}

std::vector<char> compile_cuda(const std::string& text, int capability) {
  const std::string folder = cache_folder();
  if (folder.empty()) return compile_cuda_anew(text, capability);
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
  const std::string key = weft::format("sm_{} nvrtc {}.{}\n{}", capability, major, minor, text);
  const auto path = std::filesystem::path(folder) / weft::format("{:016x}.cubin", hash(key));
  // The text stands beside the code: a collision of names must not give another kernel.
  const std::vector<char> stored = read_file(path);
  if (stored.size() > key.size() && std::equal(key.begin(), key.end(), stored.begin()))
    return {stored.begin() + static_cast<std::ptrdiff_t>(key.size()), stored.end()};
  const std::vector<char> code = compile_cuda_anew(text, capability);
  std::vector<char> file(key.begin(), key.end());
  file.insert(file.end(), code.begin(), code.end());
  write_file(path, file);
  return code;
}

}  // namespace weft::gpu
