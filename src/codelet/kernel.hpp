// SPDX-License-Identifier: BSD-3-Clause
// The intermediate form of a kernel: a graph of real operations on split complex values, later with
// an order in which to execute them. Each pass (compile.cpp lists them) takes such a value and
// returns another one that computes the same matrix.
#pragma once

#include <array>
#include <vector>

#include "codelet/abi.hpp"

namespace weft::codelet::ir {

enum class Part { re, im };

enum class Op {
  load,      ///< part of input row `row`
  twiddle,   ///< part of the factor of row `row`
  scale,     ///< the run-time factor of scaled kernels
  constant,  ///< `constant`
  negate,    ///< -a
  add,       ///< a + b
  subtract,  ///< a - b
  multiply,  ///< a * b; a constant is always a
  fma,       ///< a * b + c
  fms,       ///< a * b - c
  fnma,      ///< c - a * b
  // Line kernels only, whose registers hold adjacent complex numbers of one transform (line.hpp).
  lane_constant,  ///< a constant per complex number: part of the factor of register `row`
  times_i,        ///< i a; rotate.cpp leaves none
  swap,           ///< real and imaginary parts of a exchanged
  pair_low,       ///< of every two adjacent numbers the first one, a and b in turn
  pair_high,      ///< and the second one
  even,           ///< the even pieces of 128 bits of a, then those of b; of two lines by halves
  odd,            ///< and the odd ones
};

using Value = int;  ///< index of the operation that produces it

struct Operation {
  Op op;
  int row = 0;
  Part part = Part::re;
  long double constant = 0;
  bool imaginary = false;  ///< of a constant: (-c, c, -c, c, ...), which times swap(x) is c i x
  std::array<Value, 3> arguments{-1, -1, -1};

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// Number of arguments of an operation: 0 for loads and constants.
int arity(Op op);
/// Values that come from memory whenever they are wanted: no register need hold them.
bool is_memory_operand(Op op);
bool is_shuffle(Op op);

/// One stored real per lane.
struct Output {
  int row;
  Part part;
  Value value;
};

/// One statement of the scheduled kernel.
struct Step {
  enum class Kind {
    load,     ///< input group `index` (see groups.hpp): all its values at once
    compute,  ///< operation `index`
    store,    ///< output group `index`
    spill,    ///< value `index` to slot `slot` of the stack
    reload,   ///< and back
  };
  Kind kind;
  int index;
  int slot = -1;
};

struct Kernel {
  KernelKey key;
  std::vector<Operation> operations;  ///< arguments before their users
  std::vector<Output> outputs;
  std::vector<Step> steps;  ///< empty until scheduled
  int spill_slots = 0;
};

OperationCount count(const Kernel& kernel);

/// Operations that no output needs are dropped; the order of the others stays.
Kernel without_dead_operations(Kernel kernel);

/// How often each value is an argument or an output.
std::vector<int> use_counts(const Kernel& kernel);

}  // namespace weft::codelet::ir
