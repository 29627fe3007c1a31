// SPDX-License-Identifier: BSD-3-Clause
// Recursive descent over the text. Equal instructions are kept once, and what depends on numbers
// alone is computed here.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>

#include "spectral/expression_program.hpp"
#include "weft/error.hpp"
#include "weft/spectral_expression.hpp"

namespace weft::spectral {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// A character as an error can show it.
std::string shown(char c) {
  if (c >= 32 && c < 127) return "'" + std::string(1, c) + "'";
  return "the byte " + std::to_string(static_cast<int>(static_cast<unsigned char>(c)));
}
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const ExpressionWords& words)
      : text_(text), words_(words) {}

  ExpressionProgram parse() {
    if (text_.size() > max_expression_length)
      refuse("it has " + std::to_string(text_.size()) + " characters, at most " +
                 std::to_string(max_expression_length) + " are read",
             0);
    do {
      program_.outputs.push_back(comparison());
      if (program_.outputs.size() > max_operator_fields)
        refuse("there are more than " + std::to_string(max_operator_fields) + " outputs", at_);
    } while (take(";"));
    skip_blanks();
    if (at_ < text_.size()) refuse(shown(text_[at_]) + " is not expected", at_);
    return std::move(program_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why, std::size_t place) const {
    constexpr std::size_t most = 60;
    std::string text(text_.substr(0, most));
    for (char& c : text)
      if (c < 32 || c == 127) c = c == '\n' || c == '\t' ? ' ' : '?';
    if (text_.size() > most) text += "...";
    throw Error(ErrorCode::invalid_argument,
                "expression '" + text + "': " + why + " at character " + std::to_string(place + 1));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) refuse("'" + std::string(token) + "' is missing", at_);
  }

  // ---- instructions ----

  const Instruction& of(int number) const {
    return program_.instructions[static_cast<std::size_t>(number)];
  }
  int add(const Instruction& instruction) {
    auto& all = program_.instructions;
    const auto known = std::ranges::find(all, instruction);
    if (known != all.end()) return static_cast<int>(known - all.begin());
    if (all.size() == max_expression_instructions)
      refuse("there are more than " + std::to_string(max_expression_instructions) + " operations",
             at_);
    all.push_back(instruction);
    return static_cast<int>(all.size()) - 1;
  }
  int constant(double re) { return add({.op = Op::constant, .re = re}); }
  int leaf(Op op, int number, bool is_complex) {
    return add({.op = op, .number = number, .is_complex = is_complex});
  }
  int unary(Op op, int a) {
    const bool to_real = op == Op::abs || op == Op::real || op == Op::imag;
    if (op == Op::conj && !of(a).is_complex) return a;
    return folded({.op = op, .a = a, .is_complex = of(a).is_complex && !to_real});
  }
  int binary(Op op, int a, int b) {
    return folded({.op = op, .a = a, .b = b, .is_complex = of(a).is_complex || of(b).is_complex});
  }
  int comparison_of(Op op, int a, int b, std::size_t place) {
    if (of(a).is_complex || of(b).is_complex)
      refuse("complex numbers have no order; compare real(), imag() or abs() of them", place);
    return folded({.op = op, .a = a, .b = b});
  }
  /// Real numbers are computed now where all that they depend on is known.
  int folded(const Instruction& instruction) {
    const auto value = [&](int number) { return number < 0 ? 0.0 : of(number).re; };
    for (int each : {instruction.a, instruction.b, instruction.c})
      if (each >= 0 && (of(each).op != Op::constant || of(each).is_complex))
        return add(instruction);
    const double a = value(instruction.a), b = value(instruction.b);
    switch (instruction.op) {
      case Op::add: return constant(a + b);
      case Op::subtract: return constant(a - b);
      case Op::multiply: return constant(a * b);
      case Op::divide: return constant(a / b);
      case Op::negate: return constant(-a);
      case Op::sqrt: return constant(std::sqrt(a));
      default: return add(instruction);
    }
  }

  // ---- grammar, loosest first ----

  /// Counts what is open: the text decides how deep this recursion goes.
  class Depth {
   public:
    explicit Depth(ExpressionParser& parser) : parser_(parser) {
      if (++parser_.depth_ > max_expression_depth)
        parser_.refuse("more than " + std::to_string(max_expression_depth) + " levels are open",
                       parser_.at_);
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    ExpressionParser& parser_;
  };

  int comparison() {
    const Depth depth(*this);
    const int left = sum();
    skip_blanks();
    const std::size_t place = at_;
    if (take("<=")) return comparison_of(Op::less_equal, left, sum(), place);
    if (take(">=")) return comparison_of(Op::less_equal, sum(), left, place);
    if (take("==")) return comparison_of(Op::equal, left, sum(), place);
    if (take("!="))
      return binary(Op::subtract, constant(1), comparison_of(Op::equal, left, sum(), place));
    if (take("<")) return comparison_of(Op::less, left, sum(), place);
    if (take(">")) return comparison_of(Op::less, sum(), left, place);
    return left;
  }

  int sum() {
    int left = term();
    for (;;)
      if (take("+"))
        left = binary(Op::add, left, term());
      else if (take("-"))
        left = binary(Op::subtract, left, term());
      else
        return left;
  }

  int term() {
    int left = factor();
    for (;;)
      if (take("*"))
        left = binary(Op::multiply, left, factor());
      else if (take("/"))
        left = binary(Op::divide, left, factor());
      else
        return left;
  }

  int factor() {
    const Depth depth(*this);
    if (take("-")) return unary(Op::negate, factor());
    if (take("+")) return factor();
    const int base = atom();
    skip_blanks();
    const std::size_t place = at_;
    if (!take("^")) return base;
    return power(base, factor(), place);
  }

  int power(int base, int exponent, std::size_t place) {
    const Instruction& e = of(exponent);
    constexpr double most = 64;
    if (e.op == Op::constant && !e.is_complex && e.re == std::floor(e.re) && std::abs(e.re) <= most)
      return whole_power(base, static_cast<int>(e.re));
    if (of(base).is_complex || e.is_complex)
      refuse("a complex number has powers from -64 to 64, written as whole numbers, only", place);
    return folded({.op = Op::power, .a = base, .b = exponent});
  }
  int whole_power(int base, int exponent) {
    if (exponent < 0) return binary(Op::divide, constant(1), whole_power(base, -exponent));
    if (exponent == 0) return constant(1);
    if (exponent == 1) return base;
    const int half = whole_power(base, exponent / 2), square = binary(Op::multiply, half, half);
    return exponent % 2 == 0 ? square : binary(Op::multiply, square, base);
  }

  int atom() {
    skip_blanks();
    const std::size_t place = at_;
    if (at_ == text_.size()) refuse("the text ends where a number or a name should be", place);
    if (take("(")) {
      const int inner = comparison();
      need(")");
      return inner;
    }
    if (is_digit(text_[at_]) || text_[at_] == '.') return number();
    if (!is_letter(text_[at_])) refuse(shown(text_[at_]) + " is not expected", place);
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return name(text_.substr(place, at_ - place), place);
  }

  int number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) refuse("this is not a number", at_);
    at_ = static_cast<std::size_t>(end - text_.data());
    return constant(value);
  }

  int name(std::string_view name, std::size_t place) {
    if (name == "pi") return constant(std::numbers::pi);
    if (name == "i") return add({.op = Op::constant, .im = 1, .is_complex = true});
    if (const int number = wave_name(name, place); number >= 0) return number;
    const bool is_numbered = name.size() > 1 && std::ranges::all_of(name.substr(1), is_digit);
    if (name[0] == 'u' && is_numbered) return field(name.substr(1), place);
    if (name[0] == 'p' && is_numbered && words_.parameters) return parameter(name.substr(1), place);
    if (words_.places && name.size() == 1 && std::string_view("xyzw").find(name[0]) < 4)
      return place_along(static_cast<int>(std::string_view("xyzw").find(name[0])));
    if (name == "where") return where();
    if (words_.parameters && name == "normal") return normal();
    if (words_.places && name == "spline") return spline();
    return call(name, place);
  }

  /// -1: the name is another one.
  int wave_name(std::string_view name, std::size_t place) {
    constexpr std::string_view letters = "xyzw";
    const bool has_axis = name.size() == 2 && (name[0] == 'k' || name[0] == 'd') &&
                          letters.find(name[1]) != letters.npos;
    if (name != "k2" && name != "k" && !has_axis) return -1;
    if (!words_.waves)
      refuse("'" + std::string(name) + "' is of modes; the function is applied at points", place);
    if (name == "k2") return leaf(Op::square, 0, false);
    if (name == "k") return unary(Op::sqrt, leaf(Op::square, 0, false));
    return wave(name[0] == 'd', static_cast<int>(letters.find(name[1])));
  }

  int wave(bool is_derivative, int axis) {
    program_.axes = std::max(program_.axes, axis + 1);
    if (!is_derivative) return leaf(Op::wave, axis, false);
    return add({.op = Op::complex,
                .a = constant(0),
                .b = leaf(Op::odd_wave, axis, false),
                .is_complex = true});
  }

  static int number_of(std::string_view digits) {
    int number = 0;
    std::from_chars(digits.data(), digits.data() + std::min<std::size_t>(digits.size(), 4), number);
    return number;
  }
  int field(std::string_view digits, std::size_t place) {
    const int number = number_of(digits);
    if (number >= static_cast<int>(max_operator_fields))
      refuse("fields are u0 to u" + std::to_string(max_operator_fields - 1), place);
    program_.inputs = std::max(program_.inputs, number + 1);
    return leaf(Op::field, number, !words_.real_fields);
  }
  int parameter(std::string_view digits, std::size_t place) {
    const int number = number_of(digits);
    if (number >= static_cast<int>(max_operator_fields))
      refuse("parameters are p0 to p" + std::to_string(max_operator_fields - 1), place);
    program_.parameters = std::max(program_.parameters, number + 1);
    return leaf(Op::parameter, number, false);
  }

  int where() {
    need("(");
    const std::size_t place = at_;
    const int condition = comparison();
    if (of(condition).is_complex) refuse("the condition is complex", place);
    need(",");
    const int yes = comparison();
    need(",");
    const int no = comparison();
    need(")");
    return add({.op = Op::where,
                .a = condition,
                .b = yes,
                .c = no,
                .is_complex = of(yes).is_complex || of(no).is_complex});
  }

  int place_along(int axis) {
    program_.axes = std::max(program_.axes, axis + 1);
    program_.reads_places = true;
    return leaf(Op::place, axis, false);
  }
  int real_argument(const char* what) {
    skip_blanks();
    const std::size_t place = at_;
    const int argument = comparison();
    if (of(argument).is_complex) refuse(std::string(what) + " is complex", place);
    return argument;
  }
  int normal() {
    need("(");
    const int a = real_argument("the argument");
    need(",");
    const int b = real_argument("the argument");
    need(",");
    const int c = real_argument("the argument");
    need(")");
    return add({.op = Op::normal, .a = a, .b = b, .c = c, .is_complex = true});
  }
  int spline() {
    need("(");
    skip_blanks();
    const std::size_t place = at_;
    const Instruction field = of(atom());
    if (field.op != Op::field || field.is_complex)
      refuse("a spline is of a real field: u0, u1, ...", place);
    std::array<int, 3> distances{-1, -1, -1};
    int axes = 0;
    while (take(",")) {
      if (axes == 3) refuse("a spline has one to three distances, one per dimension", at_);
      distances[static_cast<std::size_t>(axes++)] = real_argument("the distance");
    }
    need(")");
    if (axes == 0 || (program_.spline_axes > 0 && program_.spline_axes != axes))
      refuse("a spline has one to three distances, one per dimension", place);
    program_.spline_axes = axes;
    return add({.op = Op::spline,
                .a = distances[0],
                .b = distances[1],
                .c = distances[2],
                .number = field.number});
  }

  int call(std::string_view name, std::size_t place) {
    struct Function {
      std::string_view name;
      Op op;
    };
    static constexpr Function functions[] = {
        {"sqrt", Op::sqrt}, {"exp", Op::exp},   {"sin", Op::sin},   {"cos", Op::cos},
        {"abs", Op::abs},   {"real", Op::real}, {"imag", Op::imag}, {"conj", Op::conj}};
    const auto found = std::ranges::find(functions, name, &Function::name);
    if (found == std::end(functions))
      refuse("'" + std::string(name.substr(0, 20)) +
                 "' is not known; there are u0, kx ky kz kw, dx dy dz dw, k2, k, pi, i, where, "
                 "sqrt, exp, sin, cos, abs, real, imag, conj;",
             place);
    need("(");
    const int argument = comparison();
    need(")");
    return unary(found->op, argument);
  }

  std::string_view text_;
  ExpressionWords words_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  ExpressionProgram program_;
};

}  // namespace

ExpressionProgram parse_expression(std::string_view text, int reversed_axes,
                                   const ExpressionWords& words) {
  ExpressionProgram program = ExpressionParser(text, words).parse();
  if (program.axes <= reversed_axes)  // else the operator refuses it
    for (Instruction& instruction : program.instructions)
      if (instruction.op == Op::wave || instruction.op == Op::odd_wave)
        instruction.number = reversed_axes - 1 - instruction.number;
  return program;
}

ModeFunction expression(std::string_view text, const ExpressionOptions& options) {
  ExpressionProgram program = parse_expression(text, options.reversed_axes);
  const int inputs = options.inputs;
  if (inputs != 0 && inputs < program.inputs)
    throw Error(ErrorCode::invalid_argument,
                "the expression reads u" + std::to_string(program.inputs - 1) + ", there are " +
                    std::to_string(inputs) + " inputs");
  const int read = inputs == 0 ? program.inputs : inputs, needed = program.axes,
            written = static_cast<int>(program.outputs.size());
  ModeFunction function{[shared = std::make_shared<const ExpressionProgram>(std::move(program))](
                            const auto& tile) { run_expression(*shared, tile); },
                        read, written, needed};
  ModeForm form;
  form.text = text;
  form.reversed_axes = options.reversed_axes;
  return std::move(function).on_gpus(std::move(form));
}

}  // namespace weft::spectral
