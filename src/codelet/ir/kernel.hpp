// SPDX-License-Identifier: BSD-3-Clause
// The intermediate representation (IR) of a kernel: a graph of real operations on the real and
// imaginary parts of complex values; after scheduling also the order of execution. Each pass (see
// compile.cpp) takes a Kernel and returns another one that computes the same matrix.
#pragma once

#include <array>
#include <vector>

#include "codelet/runtime/abi.hpp"

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
  // Only in line kernels, whose registers hold adjacent complex numbers of one transform
  // (line_kernel.hpp).
  lane_constant,  ///< a constant per complex number: part of the factor of register `row`
  times_i,        ///< i a; removed by rotate.cpp
  swap,           ///< exchanges the real and imaginary parts of a
  pair_low,       ///< the first of every two adjacent numbers, alternately from a and b
  pair_high,      ///< the same for the second of every two
  even,  ///< the even 128-bit pieces of a, then those of b; with two lines per register within each
         ///< half
  odd,   ///< the same for the odd pieces
  pick,  ///< number j is number s_j of a and b together; s_j is digit j of `row` to base 16
  conjugate,   ///< of every number of a
  real_first,  ///< a with the imaginary part of its first number set to zero
};

using Value = int;  ///< index of the operation that produces it

struct Operation {
  Op op;
  int row = 0;
  Part part = Part::re;
  long double constant = 0;
  bool imaginary = false;  ///< for constants: (-c, c, -c, c, ...); times swap(x) this is c i x
  std::array<Value, 3> arguments{-1, -1, -1};

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// Number of arguments of an operation: 0 for loads and constants.
int arity(Op op);
/// Values that are read from memory at each use and need no register.
bool is_memory_operand(Op op);
bool is_shuffle(Op op);

/// One stored real per lane.
struct Output {
  int row;
  Part part;
  Value value;
};

/// One statement of the scheduled kernel.
struct Statement {
  enum class Kind {
    load,     ///< input group `index` (see groups.hpp): all its values at once
    compute,  ///< operation `index`
    store,    ///< output group `index`
    spill,    ///< value `index` to slot `slot` of the stack
    reload,   ///< slot `slot` back to value `index`
  };
  Kind kind;
  int index;
  int slot = -1;
};

struct Kernel {
  KernelKey key;
  std::vector<Operation> operations;  ///< arguments before their users
  std::vector<Output> outputs;
  std::vector<Statement> statements;  ///< empty until scheduled
  int spill_slots = 0;
};

OperationCount count(const Kernel& kernel);

/// Removes operations that no output needs; the others keep their order.
Kernel without_dead_operations(Kernel kernel);

/// How often each value is an argument or an output.
std::vector<int> use_counts(const Kernel& kernel);

}  // namespace weft::codelet::ir
