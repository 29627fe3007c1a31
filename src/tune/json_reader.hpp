// SPDX-License-Identifier: BSD-3-Clause
// Reads JSON as a sequence of events, and writes strings as JSON: what wisdom files need.
#pragma once

#include <string>
#include <string_view>

namespace weft::tune {

/// Receives the events of read_json(). A function that returns false ends the reading. Every
/// open bracket makes the calls one level deeper, so the receiver must limit how many are open.
class JsonReceiver {
 public:
  virtual ~JsonReceiver() = default;
  virtual bool text(std::string text) = 0;
  /// A number, true, false or null, as it was written.
  virtual bool literal(std::string_view text) = 0;
  virtual bool key(std::string name) = 0;
  virtual bool open(char bracket) = 0;   ///< { or [
  virtual bool close(char bracket) = 0;  ///< } or ]
};

/// True if all of `text` is one JSON value (RFC 8259, in UTF-8) and was received.
bool read_json(std::string_view text, JsonReceiver& receiver);

/// The text as a JSON string, with quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace weft::tune
