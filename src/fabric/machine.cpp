// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/machine.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/format.hpp"
#include "fabric/machine_texts.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

using Json = nlohmann::json;

/// Reads an object of a machine file; knows where it is, for messages.
class Reader {
 public:
  Reader(const Json& json, std::string origin, std::string path = "")
      : json_(json), origin_(std::move(origin)), path_(std::move(path)) {
    if (!json.is_object()) fail(path_.empty() ? "file" : path_, "must be an object");
  }

  Reader object(const char* key) const { return {at(key), origin_, name(key)}; }
  double number(const char* key, double low, double high) const {
    const Json& value = at(key);
    if (!value.is_number()) fail(name(key), "must be a number");
    const double result = value.get<double>();
    if (!(result >= low && result <= high))
      fail(name(key), weft::format("is {}, but must lie between {} and {}", result, low, high));
    return result;
  }
  int integer(const char* key, int low, int high) const {
    const double value = number(key, low, high);
    if (value != static_cast<double>(static_cast<int>(value)))
      fail(name(key), weft::format("is {}, but must be a whole number", value));
    return static_cast<int>(value);
  }
  double positive(const char* key) const { return number(key, 1e-300, 1e300); }
  bool boolean(const char* key) const {
    if (!at(key).is_boolean()) fail(name(key), "must be true or false");
    return at(key).get<bool>();
  }
  std::string text(const char* key) const {
    if (!at(key).is_string()) fail(name(key), "must be text");
    return at(key).get<std::string>();
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> result;
    if (!json_.contains(key)) return result;
    if (!json_[key].is_array()) fail(name(key), "must be a list of keys");
    for (const Json& entry : json_[key]) {
      if (!entry.is_string()) fail(name(key), "must be a list of keys");
      result.push_back(entry.get<std::string>());
    }
    return result;
  }
  std::vector<int> integers(const Json& list, const std::string& what, std::size_t count) const {
    std::vector<int> result;
    if (!list.is_array() || list.size() != count)
      fail(what, weft::format("must be a list of {} whole numbers", count));
    for (const Json& entry : list) {
      if (!entry.is_number_integer() || entry.get<std::int64_t>() < 1 ||
          entry.get<std::int64_t>() > 1 << 20)
        fail(what, "must hold whole numbers from 1 to 2^20");
      result.push_back(entry.get<int>());
    }
    return result;
  }
  std::vector<int> integers(const char* key, std::size_t count) const {
    return integers(at(key), name(key), count);
  }
  const Json& at(const char* key) const {
    if (!json_.contains(key)) fail(name(key), "is missing");
    return json_[key];
  }
  std::string name(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw Error(ErrorCode::invalid_argument,
                weft::format("machine file {}: `{}` {}", origin_, key, what));
  }

 private:
  const Json& json_;
  std::string origin_, path_;
};

WaferMachine::Kernel read_kernel(const Reader& reader) {
  WaferMachine::Kernel kernel;
  const Reader pencil = reader.object("pencil");
  kernel.pencil = {.n_log2_n = pencil.number("n_log2_n", 0, 1e6),
                   .n = pencil.number("n", 0, 1e6),
                   .log2_n = pencil.number("log2_n", 0, 1e6)};
  const Reader rates = reader.object("rates");
  const auto rate = [&](const char* key) { return rates.number(key, 1e-3, 1e6); };
  kernel.rates = {.multiply = rate("multiply"),
                  .multiply_strided = rate("multiply_strided"),
                  .accumulate = rate("accumulate"),
                  .accumulate_strided = rate("accumulate_strided"),
                  .add = rate("add"),
                  .add_strided = rate("add_strided"),
                  .move = rate("move"),
                  .move_block = rate("move_block"),
                  .pack = rates.integer("pack", 1, 64),
                  .issue = rates.number("issue", 0, 1e6),
                  .descriptor = rates.number("descriptor", 0, 1e6),
                  .scalar = rates.number("scalar", 0, 1e6)};
  return kernel;
}

WaferRules read_rules(const Reader& reader) {
  const auto cycles = [&](const char* key) {
    return static_cast<Cycle>(reader.integer(key, 1, 1 << 15));
  };
  WaferRules rules{.colors = reader.integer("colors", 1, 32),
                   .filters = reader.integer("filters", 0, 32),
                   .switch_positions = reader.integer("switch_positions", 1, 4),
                   .output_queues = reader.integer("output_queues", 1, 32),
                   .input_queues = reader.integer("input_queues", 1, 32),
                   .buffer_words = reader.integer("buffer_words", 1, 4),
                   .ramp_cycles = cycles("ramp_cycles"),
                   .rewrite_cycles = cycles("rewrite_cycles"),
                   .signal_cycles = cycles("signal_cycles")};
  if (rules.rewrite_cycles >= rules.signal_cycles)
    reader.fail(reader.name("rewrite_cycles"),
                "must be below signal_cycles: filters change before the next block comes");
  if (rules.ramp_cycles >= rules.signal_cycles)
    reader.fail(reader.name("ramp_cycles"), "must be below signal_cycles, which contains it");
  return rules;
}

WaferMachine read_wafer(const Reader& reader) {
  WaferMachine wafer;
  wafer.clock_hz = reader.positive("clock_hz");
  const std::vector<int> mesh = reader.integers("mesh", 2);
  wafer.width = mesh[0];
  wafer.height = mesh[1];
  wafer.memory_bytes = static_cast<std::int64_t>(reader.number("memory_bytes", 1, 1e15));
  wafer.code_bytes = static_cast<std::int64_t>(reader.number("code_bytes", 0, 1e15));
  const Reader routers = reader.object("routers");
  wafer.rules = read_rules(routers);
  wafer.block_setup_cycles = static_cast<Cycle>(routers.integer("block_setup_cycles", 0, 1 << 15));
  const Reader exchange = reader.object("exchange");
  wafer.extra_cycles_per_word = exchange.number("extra_cycles_per_word", 0, 1e6);
  wafer.slow_from_width = exchange.integer("slow_from_width", 0, 1 << 20);
  wafer.slow_factor = exchange.number("slow_factor", 1, 1e3);
  wafer.f32 = read_kernel(reader.object("kernels").object("f32"));
  wafer.f16 = read_kernel(reader.object("kernels").object("f16"));
  return wafer;
}

std::array<int, 3> three(const std::vector<int>& values) {
  return {values[0], values[1], values[2]};
}

SystolicMachine read_systolic(const Reader& reader) {
  return {.clock_hz = reader.positive("clock_hz"),
          .torus = three(reader.integers("torus", 3)),
          .flops_per_cycle = reader.positive("flops_per_cycle"),
          .word_bytes = reader.integer("word_bytes", 1, 1024),
          .hop_cycles_per_word = reader.positive("hop_cycles_per_word"),
          .shift_setup_cycles = reader.number("shift_setup_cycles", 0, 1e9),
          .skew_cycles_per_word = reader.number("skew_cycles_per_word", 0, 1e9),
          .masked_move_setup_cycles = reader.number("masked_move_setup_cycles", 0, 1e9),
          .local_addressing = reader.boolean("local_addressing"),
          .local_fft_share_of_peak = reader.number("local_fft_share_of_peak", 1e-9, 1)};
}

TorusMachine read_torus(const Reader& reader) {
  TorusMachine torus{.cores_per_node = reader.integer("cores_per_node", 1, 1 << 20),
                     .peak_flops_per_node = reader.positive("peak_flops_per_node"),
                     .node_flops = reader.positive("node_flops"),
                     .link_bytes_per_s = reader.positive("link_bytes_per_s"),
                     .payload_bytes_per_s = reader.positive("payload_bytes_per_s"),
                     .link_efficiency = reader.number("link_efficiency", 1e-9, 1),
                     .message_s = reader.number("message_s", 0, 1e9),
                     .memory_bytes_per_s = reader.positive("memory_bytes_per_s"),
                     .memory_bytes_per_node = reader.positive("memory_bytes_per_node"),
                     .local_passes = reader.number("local_passes", 0, 1e9),
                     .explicit_reorder_passes = reader.number("explicit_reorder_passes", 0, 1e9),
                     .torus_from_nodes = reader.integer("torus_from_nodes", 0, 1 << 30),
                     .shapes = {}};
  const Json& shapes = reader.at("shapes");
  if (!shapes.is_array() || shapes.empty()) reader.fail("shapes", "must list at least one torus");
  for (const Json& shape : shapes)
    torus.shapes.push_back(three(reader.integers(shape, "shapes", 3)));
  return torus;
}

ClusterMachine read_cluster(const Reader& reader) {
  return {.max_nodes = reader.integer("max_nodes", 1, 1 << 30),
          .ranks_per_node = reader.integer("ranks_per_node", 1, 1 << 20),
          .radix = reader.integer("radix", 2, 1 << 20),
          .node_bytes_per_s = reader.positive("node_bytes_per_s"),
          .taper = reader.number("taper", 1e-3, 1),
          .bandwidth_efficiency = reader.number("bandwidth_efficiency", 1e-9, 1),
          .message_s = reader.number("message_s", 0, 1e9),
          .node_flops = reader.positive("node_flops"),
          .memory_bytes_per_node = reader.positive("memory_bytes_per_node"),
          .shared_memory_bytes_per_s = reader.positive("shared_memory_bytes_per_s")};
}

template <class Kind>
const Kind& as(const Machine& machine, const char* wanted) {
  const Kind* result = std::get_if<Kind>(&machine.what);
  if (result == nullptr)
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("machine {} is a {}, but a {} is needed here; `weft predict --machines` "
                     "lists all",
                     machine.name, kind_name(machine), wanted));
  return *result;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream)
    throw Error(ErrorCode::io,
                weft::format("machine file {}: cannot be read; is the path right?", path.string()));
  return text.str();
}

}  // namespace

Machine parse_machine(const std::string& text, const std::string& origin) {
  Json json;
  try {
    json = Json::parse(text, nullptr, true, /*ignore_comments=*/true);
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::io, weft::format("machine file {}: not JSON: {}", origin, error.what()));
  }
  const Reader reader(json, origin);
  Machine machine{.name = reader.text("name"),
                  .description = reader.text("description"),
                  .fitted = reader.texts("fitted"),
                  .assumed = reader.texts("assumed"),
                  .what = {}};
  const std::string kind = reader.text("kind");
  if (kind == "wafer")
    machine.what = read_wafer(reader);
  else if (kind == "systolic")
    machine.what = read_systolic(reader);
  else if (kind == "torus")
    machine.what = read_torus(reader);
  else if (kind == "cluster")
    machine.what = read_cluster(reader);
  else
    reader.fail("kind", weft::format("is {}, but must be wafer, systolic, torus or cluster", kind));
  return machine;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const MachineText& machine : machine_texts) names.emplace_back(machine.name);
  return names;
}

std::string machine_file(const std::string& name) {
  for (const MachineText& machine : machine_texts)
    if (name == machine.name) return machine.text;
  throw Error(ErrorCode::invalid_argument,
              weft::format("machine {}: not known; one of {}, or the path of a .json file", name,
                           joined(machine_names(), ", ")));
}

Machine load_machine(const std::string& name_or_path) {
  if (name_or_path.ends_with(".json")) return parse_machine(read_file(name_or_path), name_or_path);
  if (const char* folder = std::getenv("WEFT_MACHINES")) {
    const std::filesystem::path path = std::filesystem::path(folder) / (name_or_path + ".json");
    if (std::filesystem::exists(path)) return parse_machine(read_file(path), path.string());
  }
  return parse_machine(machine_file(name_or_path), name_or_path);
}

const char* kind_name(const Machine& machine) {
  constexpr std::array<const char*, 4> names = {"wafer", "systolic torus", "torus", "cluster"};
  return names[machine.what.index()];
}
const WaferMachine& wafer_of(const Machine& machine) { return as<WaferMachine>(machine, "wafer"); }
const SystolicMachine& systolic_of(const Machine& machine) {
  return as<SystolicMachine>(machine, "systolic torus");
}
const TorusMachine& torus_of(const Machine& machine) { return as<TorusMachine>(machine, "torus"); }
const ClusterMachine& cluster_of(const Machine& machine) {
  return as<ClusterMachine>(machine, "cluster");
}

}  // namespace weft::fabric
