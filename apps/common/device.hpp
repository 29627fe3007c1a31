// SPDX-License-Identifier: BSD-3-Clause
// What the programs share where they run on a GPU.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "weft/cuda_fields.hpp"

namespace weft::apps {

enum class Where { cpu, cuda };

/// --device cpu or cuda.
void add_device_option(Options& options, std::string& word);
/// Throws weft::Error (invalid_argument) for cuda unless there is a GPU and one rank alone.
Where checked_device(const Team& team, const std::string& word);

/// "3 ranks", "a GPU"
std::string place_text(const Team& team, Where where);
/// "26.3 GiB, 18.8 % of the 139.8 GiB that NVIDIA H200 has"
std::string device_memory_text();

/// Fields of equal length one after another in device memory.
template <class T>
class DeviceFields {
 public:
  DeviceFields(Index fields, Index count) : memory_(fields * count), count_(count) {}
  T* operator[](Index field) { return memory_.data() + field * count_; }
  const T* operator[](Index field) const { return memory_.data() + field * count_; }
  Index count() const { return count_; }  ///< of one field
  void upload(Index field, std::span<const T> from) { memory_.upload(from, {}, field * count_); }
  void download(Index field, std::span<T> to) const { memory_.download(to, {}, field * count_); }

 private:
  cuda::Array<T> memory_;
  Index count_;
};

/// All fields of these, in their order.
template <class T>
std::vector<const T*> pointers_to(std::initializer_list<const DeviceFields<T>*> all, Index fields) {
  std::vector<const T*> pointers;
  for (const DeviceFields<T>* each : all)
    for (Index f = 0; f < fields; ++f) pointers.push_back((*each)[f]);
  return pointers;
}
template <class T>
std::vector<T*> pointers_into(std::initializer_list<DeviceFields<T>*> all, Index fields) {
  std::vector<T*> pointers;
  for (DeviceFields<T>* each : all)
    for (Index f = 0; f < fields; ++f) pointers.push_back((*each)[f]);
  return pointers;
}

/// A reduction with its workspace.
class DeviceReduction {
 public:
  DeviceReduction(const Transform& forward, cuda::Side side, const std::string& text,
                  cuda::Reduction reduction, const cuda::FieldOptions& options = {})
      : reduction_(forward, side, text, reduction, options),
        workspace_(reduction_.make_workspace()) {}
  template <class T>
  std::vector<double> operator()(const std::vector<const T*>& in,
                                 const std::vector<double>& parameters = {}) {
    std::vector<double> results(static_cast<std::size_t>(reduction_.outputs()));
    reduction_.execute<T>(in, results, parameters, workspace_, {});
    return results;
  }

 private:
  cuda::FieldReduction reduction_;
  cuda::Workspace workspace_;
};

}  // namespace weft::apps
