// SPDX-License-Identifier: BSD-3-Clause
#include "formula/print.hpp"

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "formula/formula.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

/// Explicit matrices of more entries than this are not written out.
constexpr std::size_t most_values = 8;
/// Direct sums of more terms than this are shortened.
constexpr std::ptrdiff_t most_terms = 16;

std::string number(long double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4Lg", value);
  return text;
}

std::string number(Complex value) {
  if (value.imag() == 0) return number(value.real());
  std::string imaginary = value.imag() == 1    ? "i"
                          : value.imag() == -1 ? "-i"
                                               : number(value.imag()) + "i";
  if (value.real() == 0) return imaginary;
  return number(value.real()) + (value.imag() > 0 ? "+" : "") + imaginary;
}

template <class Values, class Write>
std::string join(const Values& values, std::string_view separator, Write write) {
  std::string text;
  for (const auto& value : values) {
    if (!text.empty()) text += separator;
    text += write(value);
  }
  return text;
}

const char* name_of(TrigonometricKind kind) {
  constexpr const char* names[] = {"DCT1", "DCT2", "DCT3", "DCT4", "DST1", "DST2", "DST3", "DST4"};
  return names[static_cast<int>(kind)];
}

bool is_sum_or_product(const Formula& formula) {
  return formula.as<Compose>() || formula.as<Tensor>() || formula.as<DirectSum>();
}

/// The rows of a small dense matrix, "1 1; 1 -1" with the separators given.
std::string rows_of(const Dense& m, std::string_view in_row, std::string_view between_rows) {
  std::string text;
  for (Index i = 0; i < m.rows; ++i) {
    if (i > 0) text += between_rows;
    const auto begin = m.values.begin() + i * m.columns;
    text += join(std::vector<Complex>(begin, begin + m.columns), in_row,
                 [](Complex value) { return number(value); });
  }
  return text;
}

std::string shape(Index rows, Index columns, std::string_view times) {
  return std::to_string(rows) + std::string(times) + std::to_string(columns);
}

/// Both notations: `Notation` says how names, sub- and superscripts and operators look.
template <class Notation>
class Printer {
 public:
  std::string write(const Formula& formula) const {
    return std::visit([&](const auto& node) { return text(node); }, formula.node());
  }

 private:
  std::string text(const Dft& t) const { return notation_.named("DFT", t.n); }
  std::string text(const ScaledDft& t) const { return notation_.named("SDFT", t.n, t.level); }
  std::string text(const RealDft& t) const { return notation_.named("RDFT", t.n); }
  std::string text(const InverseRealDft& t) const { return notation_.named("IRDFT", t.n); }
  std::string text(const HalfDft& t) const { return notation_.named("HDFT", t.n); }
  std::string text(const InverseHalfDft& t) const { return notation_.named("IHDFT", t.n); }
  std::string text(const Trigonometric& t) const { return notation_.named(name_of(t.kind), t.n); }
  std::string text(const Dht& t) const { return notation_.named("DHT", t.n); }
  std::string text(const Identity& t) const { return notation_.named("I", t.n); }
  std::string text(const StridePermutation& t) const { return notation_.named("L", t.n, t.stride); }
  std::string text(const CyclicReversal& t) const { return notation_.named("J", t.n); }
  std::string text(const Twiddles& t) const { return notation_.named("T", t.n, t.s); }

  std::string text(const Permutation& t) const {
    if (t.source.size() > most_values) return notation_.named("P", std::ssize(t.source));
    return notation_.permutation(join(t.source, " ", [](Index i) { return std::to_string(i); }));
  }
  std::string text(const Diagonal& t) const {
    if (t.values.size() > most_values) return notation_.named("D", std::ssize(t.values));
    return notation_.diagonal(join(t.values, ", ", [](Complex value) { return number(value); }));
  }
  std::string text(const Dense& t) const {
    if (t.values.size() > most_values) return notation_.rectangular("M", t.rows, t.columns);
    return notation_.matrix(t);
  }
  std::string text(const Sparse& t) const {
    return notation_.rectangular("S", std::ssize(t.rows), t.columns);
  }

  std::string text(const Gather& t) const { return notation_.rule(*t.rule); }

  std::string text(const Tensor& t) const { return joined(t.factors, notation_.tensor()); }
  std::string text(const Compose& t) const { return joined(t.factors, notation_.compose()); }
  /// Of a long sum the first terms and the last.
  std::string text(const DirectSum& t) const {
    if (std::ssize(t.terms) <= most_terms) return joined(t.terms, notation_.direct_sum());
    const std::vector<Formula> first(t.terms.begin(), t.terms.begin() + most_terms / 2);
    const std::string plus = notation_.direct_sum();
    return joined(first, plus) + plus + notation_.dots() + plus + joined({t.terms.back()}, plus);
  }

  /// Nested operators are always in parentheses: nobody has to know their precedence.
  std::string joined(const std::vector<Formula>& parts, std::string_view separator) const {
    return join(parts, separator, [&](const Formula& part) {
      return is_sum_or_product(part) ? notation_.parentheses(write(part)) : write(part);
    });
  }

  Notation notation_;
};

struct TextNotation {
  std::string named(const std::string& name, Index n) const {
    return name + "(" + std::to_string(n) + ")";
  }
  std::string named(const std::string& name, Index n, Index second) const {
    return name + "(" + std::to_string(n) + "," + std::to_string(second) + ")";
  }
  std::string rectangular(const std::string& name, Index rows, Index columns) const {
    return name + "(" + shape(rows, columns, "x") + ")";
  }
  std::string permutation(const std::string& values) const { return "P(" + values + ")"; }
  std::string diagonal(const std::string& values) const { return "diag(" + values + ")"; }
  std::string matrix(const Dense& m) const { return "[" + rows_of(m, " ", "; ") + "]"; }
  std::string rule(const GatherRule& rule) const { return rule.text(); }
  std::string dots() const { return "..."; }
  std::string parentheses(const std::string& inner) const { return "(" + inner + ")"; }
  const char* tensor() const { return " x "; }
  const char* compose() const { return " . "; }
  const char* direct_sum() const { return " + "; }
};

struct LatexNotation {
  static std::string roman(const std::string& name) { return "\\mathrm{" + name + "}"; }

  std::string named(const std::string& name, Index n) const {
    return roman(name) + "_{" + std::to_string(n) + "}";
  }
  /// As in the Spiral paper: the size above, the stride below.
  std::string named(const std::string& name, Index n, Index second) const {
    return roman(name) + "^{" + std::to_string(n) + "}_{" + std::to_string(second) + "}";
  }
  std::string rectangular(const std::string& name, Index rows, Index columns) const {
    return roman(name) + "_{" + shape(rows, columns, " \\times ") + "}";
  }
  std::string permutation(const std::string& values) const { return "\\mathrm{P}(" + values + ")"; }
  std::string diagonal(const std::string& values) const {
    return "\\operatorname{diag}(" + values + ")";
  }
  std::string matrix(const Dense& m) const {
    return "\\begin{bmatrix} " + rows_of(m, " & ", " \\\\ ") + " \\end{bmatrix}";
  }
  std::string rule(const GatherRule& rule) const { return rule.latex(); }
  std::string dots() const { return "\\cdots"; }
  std::string parentheses(const std::string& inner) const { return "\\left(" + inner + "\\right)"; }
  const char* tensor() const { return " \\otimes "; }
  const char* compose() const { return " \\, "; }
  const char* direct_sum() const { return " \\oplus "; }
};

}  // namespace

std::string print(const Formula& formula) { return Printer<TextNotation>().write(formula); }

std::string print_latex(const Formula& formula) { return Printer<LatexNotation>().write(formula); }

}  // namespace weft::formula
