// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/mode_function_text.hpp"

#include <cstring>

#include "base/format.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "spectral/wave_numbers.hpp"

namespace weft::spectral {
namespace {

constexpr const char* change_head =
    "__device__ __forceinline__ void change(const Mode& mode, const StoredComplex* numbers, "
    "Complex* u) {\n";

/// Writes each instruction as a constant v<number>, real or complex.
class ProgramText {
 public:
  ProgramText(const ExpressionProgram& program, int axes) : program_(program), axes_(axes) {}

  gpu::ModeFunctionText run() {
    gpu::ModeFunctionText result;
    result.inputs = program_.inputs;
    result.is_of_fields =
        program_.parameters > 0 || program_.reads_places || program_.spline_axes > 0;
    result.reads_places = program_.reads_places;
    result.spline_axes = program_.spline_axes;
    result.outputs = static_cast<int>(program_.outputs.size());
    std::string& text = result.definition;
    text = change_head;
    text += "  (void)mode, (void)numbers;\n";
    for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
      const Instruction& each = program_.instructions[i];
      if (each.op == Op::wave || each.op == Op::odd_wave || each.op == Op::square)
        result.reads_waves = true;
      text += weft::format("  const {} v{} = {};\n", each.is_complex ? "Complex" : "Real", i,
                           value(each));
    }
    for (std::size_t o = 0; o < program_.outputs.size(); ++o)
      text += weft::format("  u[{}] = {};\n", o, complex(program_.outputs[o]));
    text += "}\n";
    return result;
  }

 private:
  const Instruction& of(int number) const { return program_.instructions[at(number)]; }
  static std::string name(int number) { return weft::format("v{}", number); }
  std::string complex(int number) const {
    return of(number).is_complex ? name(number) : weft::format("Complex{{v{}, Real(0)}}", number);
  }

  std::string value(const Instruction& each) const {
    const std::string a = each.a < 0 ? "" : name(each.a), b = each.b < 0 ? "" : name(each.b);
    switch (each.op) {
      case Op::constant:
        return each.is_complex ? weft::format("{{{}, {}}}", gpu::number_text(each.re),
                                              gpu::number_text(each.im))
                               : gpu::number_text(each.re);
      case Op::wave: return weft::format("mode.k[{}]", each.number);
      case Op::odd_wave: return weft::format("mode.odd[{}]", each.number);
      case Op::square: return square();
      case Op::field: return weft::format("u[{}]{}", each.number, each.is_complex ? "" : ".re");
      case Op::place: return weft::format("mode.x[{}]", each.number);
      case Op::normal: return weft::format("normal_of({}, {}, {})", a, b, name(each.c));
      case Op::spline:
        return weft::format("spline_of(mode, {}, {}{}{}{}{})", each.number, a,
                            each.b < 0 ? "" : ", ", b, each.c < 0 ? "" : ", ",
                            each.c < 0 ? std::string() : name(each.c));
      case Op::parameter: return weft::format("Real(mode.parameters[{}])", each.number);
      case Op::complex: return weft::format("{{{}, {}}}", a, b);
      case Op::add: return parts(each, "+");
      case Op::subtract: return parts(each, "-");
      case Op::multiply: return product(each);
      case Op::divide: return quotient(each);
      case Op::power: return weft::format("WEFT_MATH(pow)({}, {})", a, b);
      case Op::less: return weft::format("Real({} < {})", a, b);
      case Op::less_equal: return weft::format("Real({} <= {})", a, b);
      case Op::equal: return weft::format("Real({} == {})", a, b);
      case Op::where:
        return each.is_complex
                   ? weft::format("{} != 0 ? {} : {}", a, complex(each.b), complex(each.c))
                   : weft::format("{} != 0 ? {} : {}", a, b, name(each.c));
      case Op::negate: return each.is_complex ? weft::format("{{-{0}.re, -{0}.im}}", a) : "-" + a;
      case Op::abs:
        return of(each.a).is_complex ? weft::format("WEFT_MATH(hypot)({0}.re, {0}.im)", a)
                                     : weft::format("WEFT_MATH(fabs)({})", a);
      case Op::real: return of(each.a).is_complex ? a + ".re" : a;
      case Op::imag: return of(each.a).is_complex ? a + ".im" : "Real(0)";
      case Op::conj: return weft::format("{{{0}.re, -{0}.im}}", a);
      case Op::sqrt: return call(each, "sqrt");
      case Op::exp: return call(each, "exp");
      case Op::sin: return call(each, "sin");
      case Op::cos: return call(each, "cos");
    }
    return "0";
  }

  std::string square() const {
    std::string text;
    for (int a = 0; a < axes_; ++a)
      text += weft::format("{}mode.k[{}] * mode.k[{}]", a > 0 ? " + " : "", a, a);
    return text;
  }
  /// Sums and differences, real and imaginary parts by themselves.
  std::string parts(const Instruction& each, const char* sign) const {
    if (!each.is_complex) return weft::format("v{} {} v{}", each.a, sign, each.b);
    const auto part = [&](int number, const char* which) {
      if (of(number).is_complex) return name(number) + which;
      return std::string(which) == ".re" ? name(number) : std::string("Real(0)");
    };
    return weft::format("{{{0} {4} {1}, {2} {4} {3}}}", part(each.a, ".re"), part(each.b, ".re"),
                        part(each.a, ".im"), part(each.b, ".im"), sign);
  }
  std::string product(const Instruction& each) const {
    const bool first = of(each.a).is_complex, second = of(each.b).is_complex;
    if (first == second) return weft::format("v{} * v{}", each.a, each.b);
    return weft::format("scaled(v{}, v{})", first ? each.a : each.b, first ? each.b : each.a);
  }
  std::string quotient(const Instruction& each) const {
    if (of(each.b).is_complex)
      return weft::format("divided({}, {})", complex(each.a), name(each.b));
    if (!each.is_complex) return weft::format("v{} / v{}", each.a, each.b);
    return weft::format("{{v{0}.re / v{1}, v{0}.im / v{1}}}", each.a, each.b);
  }
  std::string call(const Instruction& each, const char* function) const {
    return of(each.a).is_complex ? weft::format("{}_of(v{})", function, each.a)
                                 : weft::format("WEFT_MATH({})(v{})", function, each.a);
  }

  const ExpressionProgram& program_;
  const int axes_;
};

[[noreturn]] void refuse_form(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why);
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text;
  for (Index n : shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

void check_shape(const std::vector<Index>& given, const std::vector<Index>& spectrum) {
  if (given != spectrum)
    refuse_form("the multipliers are for a spectrum of " + shape_text(given) +
                " modes, the operator's has " + shape_text(spectrum) +
                "; see SpectralOperator::spectrum_shape()");
}

ModeFunctionOnGpu by_multipliers(const ModeForm& form, const OperatorProblem& problem) {
  check_shape(form.shape, problem.spectrum);
  if (form.precision != problem.forward.precision)
    refuse_form(std::string("the multipliers are ") + to_string(form.precision) +
                ", the transform is " + to_string(problem.forward.precision) +
                "; give them in the precision of the transform");
  if (form.multipliers == nullptr) refuse_form("a null pointer was passed as multipliers");
  ModeFunctionOnGpu result;
  result.text.reads_place = true;
  result.text.definition =
      std::string(change_head) +
      "  (void)mode;\n  const Complex m = load(numbers + mode.place);\n" +
      weft::format("  u[0] = u[0] * Complex{{m.re, {}m.im}};\n}}\n", form.is_conjugate ? "-" : "");
  if (form.is_on_device) {
    result.numbers.on_device = form.multipliers;
  } else {
    result.numbers.on_host = form.multipliers;
    result.numbers.host_bytes =
        static_cast<std::size_t>(mode_grid(problem).count() * 2 * real_bytes(form.precision));
  }
  return result;
}

using Factors = std::vector<std::vector<std::complex<double>>>;

/// The lists one after another in device memory.
ModeFunctionOnGpu by_factors(const Factors& factors, Precision precision) {
  ModeFunctionOnGpu result;
  result.text.reads_index = true;
  std::string& text = result.text.definition;
  text = change_head;
  text += "  (void)mode, (void)numbers;\n";
  const auto add = [&](auto value) {
    const auto* first = reinterpret_cast<const unsigned char*>(&value);
    result.numbers.bytes.insert(result.numbers.bytes.end(), first, first + sizeof value);
  };
  Index start = 0;
  for (std::size_t d = 0; d < factors.size(); ++d) {
    if (factors[d].empty()) continue;
    text += weft::format("  u[0] = u[0] * load(numbers + {} + mode.index[{}]);\n", start, d);
    start += static_cast<Index>(factors[d].size());
    for (const std::complex<double>& factor : factors[d])
      if (precision == Precision::f64)
        add(factor);
      else
        add(std::complex<float>(factor));
  }
  text += "}\n";
  return result;
}

Factors factors_of(const ModeForm& form, const OperatorProblem& problem) {
  if (!form.factor_of_axis) {
    check_shape(form.shape, problem.spectrum);
    return form.factors;
  }
  Factors factors(problem.spectrum.size());
  const WaveNumbers<double> waves(problem.forward, problem.spectrum, problem.lengths);
  for (std::size_t a = 0; a < problem.forward.axes.size(); ++a)
    for (const double odd : waves.odd[a])
      factors[at(problem.forward.axes[a])].push_back(form.factor_of_axis(static_cast<int>(a), odd));
  return factors;
}

}  // namespace

gpu::ModeFunctionText text_of(const ExpressionProgram& program, int axes) {
  return ProgramText(program, axes).run();
}

gpu::ModeGrid mode_grid(const OperatorProblem& problem) {
  gpu::ModeGrid grid{.extents = problem.spectrum, .axes = {}};
  for (std::size_t a = 0; a < problem.forward.axes.size(); ++a) {
    const int d = problem.forward.axes[a];
    grid.axes.push_back(
        {d, problem.forward.shape[at(d)], 2 * std::numbers::pi / problem.lengths[a]});
  }
  return grid;
}

ModeFunctionOnGpu mode_function_on_gpu(const ModeFunction& function,
                                       const OperatorProblem& problem) {
  const ModeForm* form = function.form();
  if (form == nullptr)
    throw Error(ErrorCode::unsupported,
                "the function is C++ code, which a GPU cannot call; give a text "
                "(weft::spectral::expression), an array of multipliers or a function of "
                "weft/spectral_functions.hpp");
  ModeFunctionOnGpu result;
  if (!form->text.empty()) {
    const ExpressionProgram program = parse_expression(form->text, form->reversed_axes);
    const int axes = static_cast<int>(problem.forward.axes.size());
    if (program.axes > axes)
      refuse_form("the function needs wave numbers along " + std::to_string(program.axes) +
                  " axes; the transform has " + std::to_string(axes));
    result.text = text_of(program, axes);
  } else if (form->multipliers != nullptr || (form->factors.empty() && !form->factor_of_axis)) {
    result = by_multipliers(*form, problem);
  } else {
    result = by_factors(factors_of(*form, problem), problem.forward.precision);
  }
  result.text.inputs = problem.inputs;
  result.text.outputs = problem.outputs;
  return result;
}

}  // namespace weft::spectral
