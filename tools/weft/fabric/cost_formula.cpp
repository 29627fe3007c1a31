// SPDX-License-Identifier: BSD-3-Clause
#include "cost_formula.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>

#include "../text.hpp"

namespace weft::tool {
namespace cost_formula {

/// Recursive descent: sum of products of powers of values. Depth is limited by the text's length.
class Parser {
 public:
  Parser(const std::string& text, const std::map<std::string, double>& names)
      : text_(text), names_(names) {}

  double all() {
    const double value = sum();
    skip_blanks();
    if (at_ != text_.size()) fail("is not understood");
    if (!std::isfinite(value)) fail("has no finite value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    refuse(fmt::format("formula '{}', at character {}: {}", text_, at_ + 1, what));
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char wanted) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  double sum() {
    double value = product();
    while (true) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
    }
  }
  double product() {
    double value = power();
    while (true) {
      if (take('*'))
        value *= power();
      else if (take('/'))
        value /= power();
      else
        return value;
    }
  }
  double power() {
    const double base = atom();
    return take('^') ? std::pow(base, power()) : base;
  }
  double atom() {
    if (++depth_ > 200) fail("is nested too deeply");
    const double value = atom_inside();
    --depth_;
    return value;
  }
  double atom_inside() {
    if (take('-')) return -power();
    if (take('(')) return inside();
    if (at_ < text_.size() &&
        (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')) {
      char* end = nullptr;
      const double value = std::strtod(text_.c_str() + at_, &end);
      at_ = static_cast<std::size_t>(end - text_.c_str());
      return value;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (name.empty()) fail("a number, a name or a parenthesis is missing");
    if (take('(')) {
      const double argument = inside();
      if (name == "sqrt") return std::sqrt(argument);
      if (name == "log2") return std::log2(argument);
      fail(fmt::format("{}() is not known; sqrt and log2 are", name));
    }
    const auto found = names_.find(name);
    if (found == names_.end())
      fail(
          fmt::format("'{}' is neither `nodes` nor a number of the base machine; `weft predict "
                      "--show` prints these",
                      name));
    return found->second;
  }
  double inside() {
    const double value = sum();
    if (!take(')')) fail("a closing parenthesis is missing");
    return value;
  }

  const std::string& text_;
  const std::map<std::string, double>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace cost_formula

double value_of_formula(const std::string& formula, const std::map<std::string, double>& names) {
  return cost_formula::Parser(formula, names).all();
}

}  // namespace weft::tool
