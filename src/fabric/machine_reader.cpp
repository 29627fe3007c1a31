// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/machine_reader.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

using Json = nlohmann::json;

constexpr int deepest = 8;  // machine files use 4

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// What stands in a file, short and on one line.
std::string shown(std::string text) {
  constexpr std::size_t longest = 160;
  std::ranges::replace_if(text, is_control, ' ');
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

[[noreturn]] void refuse_file(const std::string& origin, const std::string& what) {
  throw Error(ErrorCode::io, weft::format("machine file {}: {}", origin, what));
}

/// Whether `path`, such as "kernels.*.pencil", names something in the file.
bool names_a_key(const Json& json, const std::string& path) {
  if (!json.is_object()) return false;
  const std::size_t dot = path.find('.');
  const std::string first = path.substr(0, dot);
  const auto leads_on = [&](const Json& value) {
    return dot == std::string::npos || names_a_key(value, path.substr(dot + 1));
  };
  if (first == "*") return std::ranges::any_of(json, leads_on);
  return json.contains(first) && leads_on(json[first]);
}

}  // namespace

Json parse_machine_text(const std::string& text, const std::string& origin) {
  if (text.size() > machine_file_bytes)
    refuse_file(origin, weft::format("{} bytes; a machine file has at most {}", text.size(),
                                     machine_file_bytes));
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > deepest)
      refuse_file(origin, weft::format("nested more than {} levels deep", deepest));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      refuse_file(origin, weft::format("`{}` is given twice", shown(value.get<std::string>())));
    return true;
  };
  try {
    return Json::parse(text, watch, true, /*ignore_comments=*/true);
  } catch (const Json::exception& error) {
    refuse_file(origin, "not JSON: " + shown(error.what()));
  }
}

MachineReader::MachineReader(const Json& json, std::string origin, std::string path)
    : json_(json), origin_(std::move(origin)), path_(std::move(path)) {
  if (!json.is_object()) fail(path_.empty() ? "file" : path_, "must be an object");
}

void MachineReader::fail(const std::string& key, const std::string& what) const {
  throw Error(ErrorCode::invalid_argument,
              weft::format("machine file {}: `{}` {}", origin_, shown(key), what));
}

const Json& MachineReader::at(const char* key) const {
  if (!json_.contains(key)) fail(name(key), "is missing");
  read_.insert(key);
  return json_[key];
}

void MachineReader::finish() const {
  for (const auto& [key, value] : json_.items())
    if (!read_.contains(key))
      fail(name(key), path_.empty() ? "is no key of this kind of machine" : "is no key here");
}

double MachineReader::number(const char* key, double low, double high) const {
  const Json& value = at(key);
  if (!value.is_number()) fail(name(key), "must be a number");
  const double result = value.get<double>();
  if (!(result >= low && result <= high))
    fail(name(key), weft::format("is {}, but must lie between {} and {}", result, low, high));
  return result;
}

int MachineReader::integer(const char* key, int low, int high) const {
  const double value = number(key, low, high);
  if (value != static_cast<double>(static_cast<int>(value)))
    fail(name(key), weft::format("is {}, but must be a whole number", value));
  return static_cast<int>(value);
}

bool MachineReader::boolean(const char* key) const {
  if (!at(key).is_boolean()) fail(name(key), "must be true or false");
  return at(key).get<bool>();
}

std::string MachineReader::text(const char* key, std::size_t longest) const {
  if (!at(key).is_string()) fail(name(key), "must be text");
  const auto result = at(key).get<std::string>();
  if (result.size() > longest || std::ranges::any_of(result, is_control))
    fail(name(key), weft::format("must be one line of at most {} characters", longest));
  return result;
}

std::vector<std::string> MachineReader::key_names(const char* key) const {
  std::vector<std::string> result;
  if (!json_.contains(key)) return result;
  if (!at(key).is_array() || at(key).size() > 100)
    fail(name(key), "must be a list of at most 100 keys");
  for (const Json& entry : at(key)) {
    if (!entry.is_string()) fail(name(key), "must be a list of keys");
    result.push_back(entry.get<std::string>());
    if (!names_a_key(json_, result.back()))
      fail(name(key), weft::format("lists {}, which is no key of the file", shown(result.back())));
  }
  return result;
}

std::vector<int> MachineReader::integers(const Json& list, const std::string& key,
                                         std::size_t count, int high) const {
  std::vector<int> result;
  if (!list.is_array() || list.size() != count)
    fail(key, weft::format("must be a list of {} whole numbers", count));
  for (const Json& entry : list) {
    if (!entry.is_number_integer() || entry.get<std::int64_t>() < 1 ||
        entry.get<std::int64_t>() > high)
      fail(key, weft::format("must hold whole numbers from 1 to {}", high));
    result.push_back(entry.get<int>());
  }
  return result;
}

std::vector<int> MachineReader::integers(const char* key, std::size_t count, int high) const {
  return integers(at(key), name(key), count, high);
}

std::vector<std::vector<int>> MachineReader::lists(const char* key, std::size_t longest,
                                                   std::size_t count, int high) const {
  const Json& outer = at(key);
  if (!outer.is_array() || outer.empty() || outer.size() > longest)
    fail(name(key), weft::format("must be a list of 1 to {} lists", longest));
  std::vector<std::vector<int>> result;
  for (const Json& entry : outer) result.push_back(integers(entry, name(key), count, high));
  return result;
}

}  // namespace weft::fabric
