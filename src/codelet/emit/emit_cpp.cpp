// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/emit/emit_cpp.hpp"

#include <map>
#include <vector>

#include "base/format.hpp"
#include "codelet/emit/emit_memory.hpp"
#include "codelet/emit/text_writer.hpp"
#include "codelet/ir/line_kernel.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"

namespace weft::codelet::ir {
namespace {

using Position = std::pair<int, Part>;

class Emitter : TextWriter {
 public:
  explicit Emitter(const Kernel& kernel)
      : kernel_(kernel),
        key_(kernel.key),
        inputs_(input_groups(key_)),
        outputs_(output_groups(key_)),
        in_(key_, input_side(key_), "in"),
        out_(key_, output_side(key_), "out"),
        names_(kernel.operations.size()) {
    for (const Output& output : kernel.outputs) stored_[{output.row, output.part}] = output.value;
  }

  std::string run() {
    const OperationCount operations = count(kernel_);
    name_inputs();
    line("/// {}; {} additions, {} multiplications, {} fused.", to_string(key_),
         operations.additions, operations.multiplications, operations.fused);
    line("[[gnu::flatten]] void {}(const void* in_bytes, void* out_bytes,", function_name(key_));
    line("    [[maybe_unused]] const void* twiddle_bytes, const KernelArguments& a) {{");
    const bool narrow = is_line(key_) && line_shape(key_).narrow;
    if (narrow) line("  using S = Avx2NarrowLine<Real>;\n  using Vec = S::Vec;");
    emit_setup();
    line("  for (Index t = 0; t < a.count; ++t) {{");
    text_ += in_.bases();
    for (const Statement& statement : kernel_.statements) emit_statement(statement);
    line("    in += a.in_step;");
    line("    out += a.out_step;");
    if (key_.twiddle != Twiddle::none) line("    twiddles += a.twiddle_step;");
    line("  }}");
    // The compiler adds this only at -O2 and above. Without it, every SSE instruction of the caller
    // would depend on the upper halves of the registers: 246 instead of 70 ns for 64 points.
    if (!narrow && (key_.isa == Isa::avx2 || key_.isa == Isa::avx512))
      line("  _mm256_zeroupper();");
    line("}}");
    return text_;
  }

 private:
  void name_inputs() {
    std::map<Position, std::string> name_of;
    for (const Group& group : inputs_)
      for (int i = 0; i < static_cast<int>(group.members.size()); ++i)
        name_of[{group.members[i].row, group.members[i].part}] = MemorySide::member_name(group, i);
    for (std::size_t v = 0; v < names_.size(); ++v) {
      const Operation& o = kernel_.operations[v];
      if (o.op == Op::load) names_[v] = name_of[{o.row, o.part}];
      if (o.op == Op::scale) names_[v] = "S::load(scale)";
      if (o.op == Op::twiddle)
        names_[v] = weft::format("w{}_{}", o.row, o.part == Part::re ? "re" : "im");
    }
  }

  void emit_setup() {
    line("  const Real* in = static_cast<const Real*>(in_bytes);");
    line("  Real* out = static_cast<Real*>(out_bytes);");
    if (key_.twiddle != Twiddle::none)
      line("  const Real* twiddles = static_cast<const Real*>(twiddle_bytes);");
    text_ += in_.strides() + out_.strides();
    if (key_.scaled) {
      line("  alignas(64) Real scale_lanes[S::lanes];");
      line("  S::store(scale_lanes, S::set(static_cast<Real>(a.scale)));");
      line("  const Real* scale = opaque(&scale_lanes[0]);");
    }
    if (kernel_.spill_slots > 0) {
      // Two pointers to one array, so that the compiler cannot keep a spilled value in a register.
      line("  alignas(64) Real spilled[{} * S::lanes];", kernel_.spill_slots);
      line("  Real* const spill_out = opaque(&spilled[0]);");
      line("  const Real* const spill_in = opaque(&spilled[0]);");
    }
    emit_constants();
  }

  /// Constants are memory operands: in a register they would take one from the other values.
  /// forget() tells the compiler that the table may have changed, so it reads a constant again at
  /// each use.
  void emit_constants() {
    std::string table;
    int position = 0;
    for (std::size_t v = 0; v < names_.size(); ++v) {
      const Operation& o = kernel_.operations[v];
      if (o.op != Op::constant && o.op != Op::lane_constant) continue;
      if (o.op == Op::constant && o.constant == 0) {
        names_[v] = "S::set(Real(0))";  // only stored, never multiplied
        continue;
      }
      names_[v] = weft::format("S::load(constants + {} * S::lanes)", position++);
      table += constant_lanes(o);
    }
    if (position > 0)
      line("  alignas(64) static Real constants[{} * S::lanes] = {{\n{}  }};", position, table);
  }

  std::string constant_lanes(const Operation& o) const {
    if (o.op == Op::constant && !o.imaginary &&
        register_reals(key_) == lanes(key_.isa, key_.precision))
      return weft::format("      WEFT_LANES({:.21g}L),\n", o.constant);
    std::string list = "     ";
    for (int slot = 0; slot < register_reals(key_); ++slot) {
      const long double value = o.imaginary && slot % 2 == 0 ? -o.constant : o.constant;
      list +=
          weft::format(" {:.21g}L,", o.op == Op::constant ? value : lane_constant(key_, o, slot));
    }
    return list + "\n";
  }

  void emit_statement(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::load: text_ += in_.load(inputs_[statement.index]); break;
      case Statement::Kind::compute: emit_compute(statement.index); break;
      case Statement::Kind::store: emit_store(outputs_[statement.index]); break;
      case Statement::Kind::spill:
        line("    S::store(spill_out + {} * S::lanes, {});", statement.slot,
             names_[statement.index]);
        break;
      case Statement::Kind::reload:
        names_[statement.index] = weft::format("r{}", next_reload_++);
        line("    const Vec {} = S::load(spill_in + {} * S::lanes);", names_[statement.index],
             statement.slot);
        break;
    }
  }

  void emit_compute(Value v) {
    const Operation& o = kernel_.operations[v];
    if (o.op == Op::twiddle) return emit_twiddle(v);
    if (const Op first = kernel_.operations[o.arguments[0]].op;
        arity(o.op) > 1 && (first == Op::constant || first == Op::lane_constant))
      line("    forget(constants);");
    names_[v] = weft::format("t{}", next_name_++);
    const auto name = [&](int i) -> const std::string& { return names_[o.arguments[i]]; };
    switch (o.op) {
      case Op::negate: line("    const Vec {} = -{};", names_[v], name(0)); break;
      case Op::add: line("    const Vec {} = {} + {};", names_[v], name(0), name(1)); break;
      case Op::subtract: line("    const Vec {} = {} - {};", names_[v], name(0), name(1)); break;
      case Op::multiply: line("    const Vec {} = {} * {};", names_[v], name(0), name(1)); break;
      case Op::swap: line("    const Vec {} = S::swap({});", names_[v], name(0)); break;
      case Op::conjugate: line("    const Vec {} = S::conjugate({});", names_[v], name(0)); break;
      case Op::real_first: line("    const Vec {} = S::real_first({});", names_[v], name(0)); break;
      case Op::pick:
        line("    const Vec {} = S::pick<0x{:x}u>({}, {});", names_[v],
             static_cast<unsigned>(o.row), name(0), name(1));
        break;
      case Op::pair_low:
      case Op::pair_high:
      case Op::even:
      case Op::odd:
        line("    const Vec {} = S::{}({}, {});", names_[v], shuffle_name(o.op), name(0), name(1));
        break;
      default: {
        const char* function = o.op == Op::fma ? "fma" : o.op == Op::fms ? "fms" : "fnma";
        line("    const Vec {} = S::{}({}, {}, {});", names_[v], function, name(0), name(1),
             name(2));
      }
    }
  }
  /// Registers with two lines are shuffled within each half; pair_low and pair_high always work
  /// that way.
  const char* shuffle_name(Op op) const {
    if (op == Op::pair_low) return "pair_low";
    if (op == Op::pair_high) return "pair_high";
    const bool by_halves = line_shape(key_).lines == 2;
    if (op == Op::even) return by_halves ? "even_of_halves" : "even";
    return by_halves ? "odd_of_halves" : "odd";
  }
  void emit_twiddle(Value v) {
    const Operation& o = kernel_.operations[v];
    const int position = 2 * (o.row - 1) + (o.part == Part::im ? 1 : 0);
    if (key_.twiddle == Twiddle::vector_in)
      line("    const Vec {} = S::load(twiddles + {} * S::lanes);", names_[v], position);
    else
      line("    const Vec {} = S::broadcast(twiddles + {});", names_[v], position);
  }

  void emit_store(const Group& group) {
    if (!has_stored_) text_ += out_.bases();  // the input's pointers are not needed any more
    has_stored_ = true;
    std::vector<std::string> values;
    for (const Member& member : group.members)
      values.push_back(names_[stored_.at({member.row, member.part})]);
    text_ += out_.store(group, values);
  }

  const Kernel& kernel_;
  const KernelKey& key_;
  std::vector<Group> inputs_, outputs_;
  MemorySide in_, out_;
  std::vector<std::string> names_;
  std::map<Position, Value> stored_;
  int next_name_ = 0, next_reload_ = 0;
  bool has_stored_ = false;
};

}  // namespace

std::string function_name(const KernelKey& key) {
  std::string name = to_string(key.transform);
  name += weft::format("{}_{}_{}", key.radix, to_string(key.in), to_string(key.out));
  if (key.twiddle != Twiddle::none) name += weft::format("_{}", to_string(key.twiddle));
  if (key.scaled) name += "_scaled";
  if (key.backward) name += "_backward";
  return name;
}

std::string emit_function(const Kernel& kernel) { return Emitter(kernel).run(); }

}  // namespace weft::codelet::ir
