// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_interpreter.hpp"

#include <cmath>

#include "codelet/ir/groups.hpp"
#include "codelet/ir/line_kernel.hpp"

namespace weft::codelet::ir {

int width_of(const KernelKey& key) { return is_line(key) ? register_reals(key) : 1; }

namespace {

class Interpreter {
 public:
  Interpreter(const Kernel& kernel, const std::map<Position, Vector>& input)
      : kernel_(kernel),
        width_(width_of(kernel.key)),
        input_(input),
        inputs_(input_groups(kernel.key)),
        values_(kernel.operations.size()) {}

  Vector run() {
    if (kernel_.statements.empty())
      for (Value v = 0; v < static_cast<Value>(values_.size()); ++v) values_[v] = compute(v);
    else
      for (const Statement& statement : kernel_.statements) execute(statement);
    Vector result;
    for (const Output& output : kernel_.outputs) {
      const Vector value = argument(output.value);
      result.insert(result.end(), value.begin(), value.end());
    }
    return result;
  }

 private:
  /// A value that leaves its register is forgotten, so a missing reload shows.
  void execute(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::load:
        for (const Member& member : inputs_[statement.index].members)
          for (Value v = 0; v < static_cast<Value>(values_.size()); ++v)
            if (const Operation& o = kernel_.operations[v];
                o.op == Op::load && o.row == member.row && o.part == member.part)
              values_[v] = compute(v);
        break;
      case Statement::Kind::compute: values_[statement.index] = compute(statement.index); break;
      case Statement::Kind::store: break;
      case Statement::Kind::spill: slots_[statement.slot] = values_[statement.index]; break;
      case Statement::Kind::reload: values_[statement.index] = slots_.at(statement.slot); break;
    }
  }

  Vector argument(Value v) {
    return is_memory_operand(kernel_.operations[v].op) ? compute(v) : values_[v];
  }

  Vector compute(Value v) {
    const Operation& o = kernel_.operations[v];
    if (o.op == Op::load) return input_.at({o.row, o.part});
    std::vector<Vector> arguments;
    for (int i = 0; i < arity(o.op); ++i) arguments.push_back(argument(o.arguments[i]));
    Vector result;
    for (int slot = 0; slot < width_; ++slot) result.push_back(compute(o, arguments, slot));
    return result;
  }

  long double compute(const Operation& o, const std::vector<Vector>& arguments, int slot) const {
    const auto a = [&](int i) { return arguments[i].at(slot); };
    switch (o.op) {
      case Op::load: break;
      case Op::twiddle: return o.part == Part::re ? std::cos(1.0L * o.row) : std::sin(1.0L * o.row);
      case Op::scale: return 0.375L;
      case Op::constant: return o.imaginary && slot % 2 == 0 ? -o.constant : o.constant;
      case Op::lane_constant: return lane_constant(kernel_.key, o, slot);
      case Op::negate: return -a(0);
      case Op::add: return a(0) + a(1);
      case Op::subtract: return a(0) - a(1);
      case Op::multiply: return a(0) * a(1);
      case Op::fma: return a(0) * a(1) + a(2);
      case Op::fms: return a(0) * a(1) - a(2);
      case Op::fnma: return a(2) - a(0) * a(1);
      case Op::times_i: return slot % 2 == 0 ? -arguments[0][slot + 1] : arguments[0][slot - 1];
      case Op::swap: return arguments[0][slot ^ 1];
      case Op::conjugate: return slot % 2 == 0 ? a(0) : -a(0);
      case Op::real_first: return slot == 1 ? 0 : a(0);
      case Op::pick: return picked(o, arguments, slot);
      default: return shuffled(o.op, arguments, slot);
    }
    return 0;
  }

  /// Where each result of a shuffle comes from, as the instructions define it.
  long double shuffled(Op op, const std::vector<Vector>& arguments, int slot) const {
    const int quarter = kernel_.key.precision == Precision::f64 ? 2 : 4;  // reals in 128 bits
    if (op == Op::pair_low || op == Op::pair_high) {
      const int place = slot / quarter * quarter + slot % 2 + (op == Op::pair_high ? 2 : 0);
      return arguments[slot % quarter / 2][place];
    }
    const int part = width_ / line_shape(kernel_.key).lines, half = part / 2;  // of each line
    const int block = 2 * (slot % half / quarter) + (op == Op::odd ? 1 : 0);
    return arguments[slot % part / half][slot / part * part + block * quarter + slot % quarter];
  }

  static long double picked(const Operation& o, const std::vector<Vector>& arguments, int slot) {
    const int numbers = static_cast<int>(arguments[0].size()) / 2;
    const int number = static_cast<int>(static_cast<unsigned>(o.row) >> (slot / 2 * 4)) & 15;
    return arguments.at(number / numbers).at(number % numbers * 2 + slot % 2);
  }

  const Kernel& kernel_;
  int width_;
  const std::map<Position, Vector>& input_;
  std::vector<Group> inputs_;
  std::vector<Vector> values_;
  std::map<int, Vector> slots_;
};

}  // namespace

Vector interpret(const Kernel& kernel, const std::map<Position, Vector>& input) {
  return Interpreter(kernel, input).run();
}

}  // namespace weft::codelet::ir
