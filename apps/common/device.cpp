// SPDX-License-Identifier: BSD-3-Clause
#include "common/device.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace weft::apps {

void add_device_option(Options& options, std::string& word) {
  options.add("--device", word, {"cpu", "cuda"},
              "where: cpu, or cuda for the first GPU (CUDA_VISIBLE_DEVICES chooses)");
}

Where checked_device(const Team& team, const std::string& word) {
  if (word != "cuda") return Where::cpu;
  if (team.size() > 1)
    refuse(
        fmt::format("--device cuda runs on one GPU, {} ranks were started; leave --ranks and "
                    "mpiexec out",
                    team.size()));
  try {
    cuda::device_name(0);
  } catch (const Error& error) {
    // The library's advice is for programmers.
    const std::string text = error.what();
    refuse(fmt::format("--device cuda: {}; leave --device out to run on CPUs",
                       text.substr(0, text.find(';'))));
  }
  if (!cuda::is_available())
    refuse(
        "--device cuda: there is no NVRTC (libnvrtc.so of CUDA 12 or later) on this machine; "
        "install it, or leave --device out to run on CPUs");
  return Where::cuda;
}

std::string place_text(const Team& team, Where where) {
  if (where == Where::cuda) return "a GPU";
  return fmt::format("{} rank{}", team.size(), team.size() == 1 ? "" : "s");
}

std::string device_memory_text() {
  const cuda::MemoryUse use = cuda::memory_use();
  const auto total = static_cast<double>(use.total_bytes);
  const double used = total - static_cast<double>(use.free_bytes);
  return fmt::format("{}, {:.1f} % of the {} that {} has", tool::bytes_text(used),
                     100 * used / total, tool::bytes_text(total), cuda::device_name());
}

}  // namespace weft::apps
