// SPDX-License-Identifier: BSD-3-Clause
#include "tune/wisdom_text.hpp"

#include <utility>

#include "base/format.hpp"
#include "tune/json_reader.hpp"
#include "weft/error.hpp"

namespace weft::tune {
namespace {

constexpr const char* format_name = "weft wisdom";
constexpr const char* format_version = "1";

[[noreturn]] void unusable(const std::string& what) { throw Error(ErrorCode::wisdom, what); }
[[noreturn]] void damaged(const std::string& why) { unusable("is damaged (" + why + ")"); }

std::string json_of(const WisdomValue& value) {
  return value.is_recipe ? json_string(value.text) : value.text;
}

class WisdomReader final : public JsonReceiver {
 public:
  bool text(std::string text) override { return value({std::move(text), true}); }
  bool literal(std::string_view text) override { return value({std::string(text), false}); }
  bool key(std::string name) override {
    if (unknown_depth_ > 0)
      append(json_string(name) + ":");
    else
      key_[level_] = std::move(name);
    return true;
  }
  bool open(char bracket) override {
    const bool is_known =
        level_ == document || (level_ == members && key_[members] == "cpus") || level_ == cpus;
    if (bracket == '[' || unknown_depth_ > 0 || !is_known) return open_unknown(bracket);
    if (level_ == cpus) file_.cpus[key_[cpus]];
    level_ = static_cast<Level>(level_ + 1);
    return true;
  }
  bool close(char bracket) override {
    if (unknown_depth_ > 0) return close_unknown(bracket);
    level_ = static_cast<Level>(level_ - 1);
    return true;
  }

  /// `is_json`: the text was read to its end.
  WisdomFile finish(bool is_json) {
    if (!is_json) damaged(too_deep_ ? "nested too deeply" : "not JSON");
    if (format_ != WisdomValue{format_name, true}) unusable("is not a wisdom file of weft");
    if (version_.text.empty()) damaged("no version");
    if (json_of(version_) != format_version)
      unusable("has version " + json_of(version_).substr(0, 40) + ", but this weft reads version " +
               format_version);
    if (!problem_.empty()) damaged(problem_);
    return std::move(file_);
  }

 private:
  enum Level { document, members, cpus, entries };

  bool value(WisdomValue value) {
    if (unknown_depth_ > 0)
      append(json_of(value));
    else
      place(std::move(value));
    return true;
  }
  /// Stores a complete value at the place given by the current keys.
  void place(WisdomValue value) {
    const std::string& name = key_[level_];
    if (level_ == entries)
      file_.cpus[key_[cpus]][name] = std::move(value);
    else if (level_ == cpus)
      problem_ = "a CPU without entries";
    else if (level_ == members && name == "format")
      format_ = std::move(value);
    else if (level_ == members && name == "version")
      version_ = std::move(value);
    else if (level_ == members && name == "cpus")
      problem_ = "'cpus' is not an object";
    else if (level_ == members)
      file_.others[name] = std::move(value);
  }

  // Adds to the text of an object or array that this version does not know.
  void append(const std::string& text) {
    const char last = unknown_.empty() ? '[' : unknown_.back();
    if (last != '[' && last != '{' && last != ':') unknown_ += ',';
    unknown_ += text;
  }
  bool open_unknown(char bracket) {
    append(std::string(1, bracket));
    ++unknown_depth_;
    too_deep_ = level_ + unknown_depth_ > max_wisdom_depth;
    return !too_deep_;
  }
  bool close_unknown(char bracket) {
    unknown_ += bracket;
    if (--unknown_depth_ > 0) return true;
    place({std::exchange(unknown_, {}), false});
    return true;
  }

  Level level_ = document;
  std::string key_[entries + 1];
  std::string unknown_;
  int unknown_depth_ = 0;
  bool too_deep_ = false;
  std::string problem_;  // what is wrong with the file
  WisdomValue format_{"", false}, version_{"", false};
  WisdomFile file_;
};

}  // namespace

WisdomFile parse_wisdom(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > max_wisdom_bytes)
    unusable(weft::format("has more than {} MiB", max_wisdom_bytes >> 20));
  WisdomReader reader;
  const bool is_json = read_json(text, reader);
  return reader.finish(is_json);
}

std::string to_text(const WisdomFile& file) {
  std::string text = weft::format("{{\n \"format\": {},\n \"version\": {},\n",
                                  json_string(format_name), format_version);
  for (const auto& [name, value] : file.others)
    text += weft::format(" {}: {},\n", json_string(name), json_of(value));
  text += " \"cpus\": {";
  const char* between_cpus = "\n";
  for (const auto& [cpu, entries] : file.cpus) {
    text += weft::format("{}  {}: {{", std::exchange(between_cpus, ",\n"), json_string(cpu));
    const char* between = "\n";
    for (const auto& [problem, value] : entries)
      text += weft::format("{}   {}: {}", std::exchange(between, ",\n"), json_string(problem),
                           json_of(value));
    text += "\n  }";
  }
  return text + "\n }\n}\n";
}

}  // namespace weft::tune
