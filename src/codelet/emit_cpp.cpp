// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/emit_cpp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "codelet/groups.hpp"
#include "codelet/registry.hpp"

namespace weft::codelet::ir {
namespace {

const char* suffix(Part part) { return part == Part::re ? "re" : "im"; }

class Emitter {
 public:
  explicit Emitter(const Kernel& kernel)
      : kernel_(kernel),
        key_(kernel.key),
        inputs_(input_groups(key_)),
        outputs_(output_groups(key_)),
        names_(kernel.operations.size()) {}

  std::string run() {
    name_inputs();
    name_constants();
    line("/// {}; {} additions, {} multiplications, {} fused.", to_string(key_),
         count(kernel_).additions, count(kernel_).multiplications, count(kernel_).fused);
    line("void {}([[maybe_unused]] const void* in_bytes, void* out_bytes,", function_name(key_));
    line("    [[maybe_unused]] const void* twiddle_bytes, const KernelArguments& a) {{");
    emit_setup();
    line("  for (Index t = 0; t < a.count; ++t) {{");
    emit_bases("in", "const Real", key_.in);
    emit_bases("out", "Real", key_.out);
    for (const Step& step : kernel_.steps) emit_step(step);
    line("    in += a.in_step;");
    line("    out += a.out_step;");
    if (key_.twiddle != Twiddle::none) line("    twiddles += a.twiddle_step;");
    line("  }}");
    line("}}");
    return text_;
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  int rows() const { return key_.radix; }

  void name_inputs() {
    std::map<std::pair<int, Part>, std::string> name_of;
    for (const Group& group : inputs_)
      for (const Member& member : group.members)
        name_of[{member.row, member.part}] = input_name(group, member);
    for (std::size_t v = 0; v < names_.size(); ++v) {
      const Operation& o = kernel_.operations[v];
      if (o.op == Op::load) names_[v] = name_of[{o.row, o.part}];
      if (o.op == Op::scale) names_[v] = "S::load(scale)";
      if (o.op == Op::twiddle) names_[v] = fmt::format("w{}_{}", o.row, suffix(o.part));
    }
  }
  std::string input_name(const Group& group, const Member& member) const {
    switch (group.layout) {
      case Layout::planar: return fmt::format("x{}_{}", member.row, suffix(member.part));
      case Layout::tile:
        return fmt::format("x{}.row[{}].{}", group.first_row, member.row - group.first_row,
                           suffix(member.part));
      default: return fmt::format("x{}.{}", member.row, suffix(member.part));
    }
  }
  void name_constants() {
    int next = 0;
    for (std::size_t v = 0; v < names_.size(); ++v)
      if (kernel_.operations[v].op == Op::constant) names_[v] = fmt::format("c{}", next++);
  }

  void emit_setup() {
    line("  const Real* in = static_cast<const Real*>(in_bytes);");
    line("  Real* out = static_cast<Real*>(out_bytes);");
    if (key_.twiddle != Twiddle::none)
      line("  const Real* twiddles = static_cast<const Real*>(twiddle_bytes);");
    emit_strides("in", key_.in);
    emit_strides("out", key_.out);
    if (key_.scaled) {
      line("  alignas(64) Real scale_lanes[S::lanes];");
      line("  S::store(scale_lanes, S::set(static_cast<Real>(a.scale)));");
      line("  const Real* scale = opaque(&scale_lanes[0]);");
    }
    for (std::size_t v = 0; v < names_.size(); ++v)
      if (kernel_.operations[v].op == Op::constant)
        line("  const Vec {} = S::set(Real({:.21g}L));", names_[v], kernel_.operations[v].constant);
  }
  void emit_strides(const char* side, Layout layout) {
    if (!key_.indexed && has_runtime_rows(layout))
      line("  const Stride {0}_row = Stride::of<Real>(a.{0}_row);", side);
    if (layout == Layout::strided || layout == Layout::tile)
      line("  const Stride {0}_lane = Stride::of<Real>(a.{0}_lane);", side);
  }
  static bool has_runtime_rows(Layout layout) { return layout != Layout::tile; }

  void emit_bases(const char* side, const char* type, Layout layout) {
    const bool first = side == std::string("out") && !key_.indexed && has_runtime_rows(layout);
    if (first) line("    Real* const out_zero = out + a.out_first;");
    if (key_.indexed || !has_runtime_rows(layout)) return;
    for (int base = 0; base < rows(); base += 8) {
      if (base == 0)
        line("    {1}* const {0}0 = {0};", side, type);
      else
        line("    {1}* const {0}{2} = next_base({0}{3}, {0}_row);", side, type, base, base - 8);
    }
  }

  std::string address(const char* side, Layout layout, int row) const {
    if (key_.indexed) return fmt::format("{0} + a.{0}_map[{1}]", side, row);
    if (!has_runtime_rows(layout)) return fmt::format("{} + {}", side, 2 * row);
    if (row == 0 && side == std::string("out")) return "out_zero";
    return fmt::format("neighbour({0}{1}, {0}_row, {2})", side, row / 8 * 8, row % 8);
  }

  void emit_step(const Step& step) {
    switch (step.kind) {
      case Step::Kind::load: emit_load(inputs_[step.index]); break;
      case Step::Kind::compute: emit_compute(step.index); break;
      case Step::Kind::store: emit_store(outputs_[step.index]); break;
      case Step::Kind::spill:
        line("    S::store(spill_out + {} * S::lanes, {});", step.slot, names_[step.index]);
        break;
      case Step::Kind::reload:
        names_[step.index] = fmt::format("r{}", next_reload_++);
        line("    const Vec {} = S::load(spill_in + {} * S::lanes);", names_[step.index],
             step.slot);
        break;
    }
  }

  void emit_load(const Group& group) {
    const std::string from = address("in", key_.in, group.first_row);
    switch (group.layout) {
      case Layout::unit:
        line("    const Row x{} = S::load_unit({});", group.first_row, from);
        break;
      case Layout::strided:
        line("    const Row x{} = S::load_strided({}, in_lane);", group.first_row, from);
        break;
      case Layout::tile:
        line("    const Tile x{} = S::load_tile({}, in_lane);", group.first_row, from);
        break;
      case Layout::planar: {
        const Member& member = group.members.front();
        line("    const Vec {} = S::load({}{});", input_name(group, member), from,
             member.part == Part::im ? " + S::lanes" : "");
        break;
      }
    }
  }

  void emit_compute(Value v) {
    const Operation& o = kernel_.operations[v];
    if (o.op == Op::twiddle) return emit_twiddle(v);
    names_[v] = fmt::format("t{}", next_name_++);
    const auto name = [&](int i) -> const std::string& { return names_[o.arguments[i]]; };
    switch (o.op) {
      case Op::negate: line("    const Vec {} = -{};", names_[v], name(0)); break;
      case Op::add: line("    const Vec {} = {} + {};", names_[v], name(0), name(1)); break;
      case Op::subtract: line("    const Vec {} = {} - {};", names_[v], name(0), name(1)); break;
      case Op::multiply: line("    const Vec {} = {} * {};", names_[v], name(0), name(1)); break;
      default: {
        const char* function = o.op == Op::fma ? "fma" : o.op == Op::fms ? "fms" : "fnma";
        line("    const Vec {} = S::{}({}, {}, {});", names_[v], function, name(0), name(1),
             name(2));
      }
    }
  }
  void emit_twiddle(Value v) {
    const Operation& o = kernel_.operations[v];
    const int position = 2 * (o.row - 1) + (o.part == Part::im ? 1 : 0);
    if (key_.twiddle == Twiddle::vector_in)
      line("    const Vec {} = S::load(twiddles + {} * S::lanes);", names_[v], position);
    else
      line("    const Vec {} = S::broadcast(twiddles + {});", names_[v], position);
  }

  const std::string& output(int row, Part part) const {
    const auto it = std::ranges::find_if(kernel_.outputs, [&](const Output& output) {
      return output.row == row && output.part == part;
    });
    return names_[it->value];
  }

  void emit_store(const Group& group) {
    const int row = group.first_row;
    const std::string to = address("out", key_.out, row);
    const auto pair = [&](int r) {
      return fmt::format("{{{}, {}}}", output(r, Part::re), output(r, Part::im));
    };
    switch (group.layout) {
      case Layout::unit: line("    S::store_unit({}, {});", to, pair(row)); break;
      case Layout::strided: line("    S::store_strided({}, out_lane, {});", to, pair(row)); break;
      case Layout::tile: {
        std::string rows;
        for (int k = 0; k < group.rows; ++k) rows += (k ? ", " : "") + pair(row + k);
        line("    S::store_tile({}, out_lane, {{{{{}}}}});", to, rows);
        break;
      }
      case Layout::planar: {
        const Part part = group.members.front().part;
        line("    S::store({}{}, {});", to, part == Part::im ? " + S::lanes" : "",
             output(row, part));
        break;
      }
    }
  }

  const Kernel& kernel_;
  const KernelKey& key_;
  std::vector<Group> inputs_, outputs_;
  std::vector<std::string> names_;
  std::string text_;
  int next_name_ = 0, next_reload_ = 0;
};

}  // namespace

std::string function_name(const KernelKey& key) {
  std::string name = key.transform == KernelTransform::dft ? "dft" : to_string(key.transform);
  name += fmt::format("{}_{}_{}", key.radix, to_string(key.in), to_string(key.out));
  if (key.twiddle != Twiddle::none) name += fmt::format("_{}", to_string(key.twiddle));
  if (key.scaled) name += "_scaled";
  if (key.backward) name += "_backward";
  if (key.indexed) name += "_indexed";
  return name;
}

std::string emit_function(const Kernel& kernel) { return Emitter(kernel).run(); }

}  // namespace weft::codelet::ir
