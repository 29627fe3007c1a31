// SPDX-License-Identifier: BSD-3-Clause
// Reads machine files: JSON with limits on size, depth and every value, and errors of one line that
// name the file and the key. Private to machine.cpp.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace weft::fabric {

/// A machine file is a few kilobytes of objects within objects.
inline constexpr std::size_t machine_file_bytes = std::size_t{1} << 20;

/// Parses a machine file. Throws weft::Error, with `origin` in its message, for text that is too
/// long, not JSON, nested too deeply, or that names a key twice.
nlohmann::json parse_machine_text(const std::string& text, const std::string& origin);

/// One object of a machine file. Every key must be read before finish(), which refuses the others.
class MachineReader {
 public:
  MachineReader(const nlohmann::json& json, std::string origin, std::string path = "");

  MachineReader object(const char* key) const { return {at(key), origin_, name(key)}; }
  double number(const char* key, double low, double high) const;
  int integer(const char* key, int low, int high) const;
  bool boolean(const char* key) const;
  /// At most `longest` characters, none of them a control character.
  std::string text(const char* key, std::size_t longest) const;
  /// Names of other keys, such as "kernels.*.pencil"; none if the key is missing.
  std::vector<std::string> key_names(const char* key) const;
  /// `count` numbers from 1 to `high`.
  std::vector<int> integers(const char* key, std::size_t count, int high) const;
  /// The same in every entry of a list of at most `longest` entries, and at least one.
  std::vector<std::vector<int>> lists(const char* key, std::size_t longest, std::size_t count,
                                      int high) const;
  void finish() const;

  /// The key with the objects that it is in: "routers.colors".
  std::string name(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
  const nlohmann::json& at(const char* key) const;
  std::vector<int> integers(const nlohmann::json& list, const std::string& key, std::size_t count,
                            int high) const;

  const nlohmann::json& json_;
  std::string origin_, path_;
  mutable std::set<std::string> read_;
};

}  // namespace weft::fabric
