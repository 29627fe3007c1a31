// SPDX-License-Identifier: BSD-3-Clause
#include "formula/global_fft.hpp"

#include "formula/identities.hpp"
#include "formula/print.hpp"
#include "formula/rules/rules.hpp"

namespace weft::formula {
namespace {

const std::vector<Formula>& factors(const Formula& product) {
  return product.as<Compose>()->factors;
}

/// L . (I x DFT(m)) . L . T . (I x DFT(n)) . L, with L(mn,m) outermost.
std::optional<Formula> six_steps(Index m, Index n) {
  for (const Formula& choice : six_step({m * n}))
    if (factors(choice)[0] == stride_permutation(m * n, m)) return choice;
  return std::nullopt;
}

/// A transposition over p processors: local, all-to-all, local. What is the identity is left out.
struct Transposition {
  std::vector<Formula> left;
  Formula exchange;
  std::vector<Formula> right;
};
std::optional<Transposition> in_three(const std::optional<Formula>& product, Index n, Index p) {
  if (!product) return std::nullopt;
  Transposition parts{{}, tensor({stride_permutation(p * p, p), identity(n / (p * p))}), {}};
  const auto* several = product->as<Compose>();
  bool found = false;
  for (const Formula& factor : several ? several->factors : std::vector<Formula>{*product}) {
    if (factor == parts.exchange)
      found = true;
    else
      (found ? parts.right : parts.left).push_back(factor);
  }
  return found ? std::optional(std::move(parts)) : std::nullopt;
}

std::vector<Formula> joined(std::vector<Formula> a, const Formula& b,
                            const std::vector<Formula>& c) {
  a.push_back(b);
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

/// I(p) x (...) from factors of that shape.
std::optional<Formula> on_processors(const std::vector<Formula>& factors, Index p) {
  return factors.size() == 1 ? std::optional(factors[0]) : group_parallel(compose(factors), p);
}

/// I(p) x (L . (I(k) x DFT(m)) . L) as I(p) x (DFT(m) x I(k)), identity (9); k = 1 has it already.
std::optional<Formula> strided_columns(const Formula& library, Index p) {
  const auto* product = library.as<Tensor>()->factors.back().as<Compose>();
  if (product == nullptr) return library;
  if (product->factors.size() != 3) return std::nullopt;
  const auto swapped =
      unswap_factors(product->factors[0], product->factors[1], product->factors[2]);
  return swapped ? std::optional(tensor({identity(p), *swapped})) : std::nullopt;
}

}  // namespace

std::optional<std::vector<GlobalStep>> global_fft(Index m, Index n, Index p) {
  if (p < 2 || m < 2 || n < 2) return std::nullopt;
  const auto steps = six_steps(m, n);
  const auto last = in_three(block_transposition_transposed({m * n, m}, p), m * n, p);
  const auto middle = in_three(block_transposition({m * n, n}, p), m * n, p);
  const auto first = in_three(block_transposition({m * n, m}, p), m * n, p);
  if (!steps || !last || !middle || !first) return std::nullopt;
  const auto& step = factors(*steps);
  const auto columns = on_processors(joined(last->right, step[1], middle->left), p);
  const auto rows = on_processors(joined({}, step[4], first->left), p);
  if (!columns || !rows) return std::nullopt;
  const auto strided = strided_columns(*columns, p);
  if (!strided) return std::nullopt;
  using enum GlobalStep::Kind;
  std::vector<GlobalStep> result;
  for (const Formula& local : last->left) result.push_back({local_transposition, local});
  result.push_back({all_to_all, last->exchange});
  result.push_back({columns_library, *strided});
  result.push_back({all_to_all, middle->exchange});
  result.push_back({rows_library, compose(joined(middle->right, step[3], {*rows}))});
  result.push_back({all_to_all, first->exchange});
  for (const Formula& local : first->right) result.push_back({local_transposition, local});
  return result;
}

const char* to_string(GlobalStep::Kind kind) {
  switch (kind) {
    case GlobalStep::Kind::local_transposition: return "local transpose";
    case GlobalStep::Kind::all_to_all: return "all-to-all";
    case GlobalStep::Kind::rows_library: return "out-of-place scaled FFT library call";
    case GlobalStep::Kind::columns_library: return "in-place FFT library call";
  }
  return "";
}

std::string print_latex(const std::vector<GlobalStep>& steps) {
  std::string text;
  for (const GlobalStep& step : steps)
    text += (text.empty() ? "" : " ") + ("\\underbrace{\\left(" + print_latex(step.formula)) +
            "\\right)}_{\\text{" + to_string(step.kind) + "}}";
  return text;
}

}  // namespace weft::formula
