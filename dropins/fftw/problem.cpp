// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/problem.hpp"

#include <algorithm>
#include <cstdint>

namespace weft::fftw {
namespace {

/// The addresses of one array: from its first to after its last real.
struct Range {
  std::intptr_t begin, end;
};

bool is_complex_side(const Problem& problem, bool input) {
  return problem.kind == Kind::c2c || problem.kind == (input ? Kind::c2r : Kind::r2c);
}

Range range_of(const Problem& problem, bool input) {
  const bool is_split = input ? problem.in_split() : problem.out_split();
  const bool is_complex = is_complex_side(problem, input);
  const std::intptr_t element = (is_complex && !is_split ? 2 : 1) * sizeof(Real);
  std::intptr_t low = 0, high = 0;
  const auto reach = [&](const Dimension& d, Index n) {
    const std::intptr_t last = (n - 1) * (input ? d.in : d.out) * element;
    (last < 0 ? low : high) += last;
  };
  for (const Dimension& d : problem.batch) reach(d, d.n);
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const Dimension& d = problem.axes[i];
    const bool halved = is_complex && problem.kind != Kind::c2c && i + 1 == problem.axes.size();
    reach(d, halved ? d.n / 2 + 1 : d.n);
  }
  const auto first = [&](const Real* memory) { return reinterpret_cast<std::intptr_t>(memory); };
  const Arrays& a = problem.arrays;
  Range range{first(input ? a.in : a.out), first(input ? a.in : a.out)};
  if (is_split) {
    const std::intptr_t imag = first(input ? a.in_imag : a.out_imag);
    range = {std::min(range.begin, imag), std::max(range.end, imag)};
  }
  return {range.begin + low, range.end + high + element};
}

std::string text_of(const std::vector<Dimension>& dimensions) {
  std::string text;
  for (const Dimension& d : dimensions)
    text += (text.empty() ? "" : "x") + std::to_string(d.n) + ":" + std::to_string(d.in) + ":" +
            std::to_string(d.out);
  return text;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::c2c: return "c2c";
    case Kind::r2c: return "r2c";
    case Kind::c2r: return "c2r";
    case Kind::r2r: return "r2r";
  }
  return "";
}
const char* name_of(R2r kind) {
  constexpr const char* names[] = {"dct1", "dct2", "dct3", "dct4", "dst1", "dst2",
                                   "dst3", "dst4", "dht",  "r2hc", "hc2r"};
  return names[static_cast<int>(kind)];
}

}  // namespace

bool is_sensible(const Problem& problem) {
  return std::ranges::all_of(problem.axes, [](const Dimension& d) { return d.n >= 1; }) &&
         std::ranges::all_of(problem.batch, [](const Dimension& d) { return d.n >= 0; });
}

bool shares_memory(const Problem& problem) {
  if (problem.arrays.in == problem.arrays.out) return true;
  if (std::ranges::any_of(problem.batch, [](const Dimension& d) { return d.n == 0; })) return false;
  const Range in = range_of(problem, true), out = range_of(problem, false);
  return in.begin < out.end && out.begin < in.end;
}

Request request_of(const Problem& problem) {
  Request request;
  Transform& t = request.transform;
  t.kind = problem.kind;
  t.direction = problem.kind == Kind::c2r ? Direction::backward : problem.direction;
  t.precision = ScalarTraits<Real>::precision;
  t.empty_axes = EmptyAxes::none;
  t.r2r = problem.r2r;
  request.input.storage = problem.in_split() ? ComplexStorage::split : ComplexStorage::interleaved;
  request.output.storage =
      problem.out_split() ? ComplexStorage::split : ComplexStorage::interleaved;
  const auto add = [&](const Dimension& d) {
    t.shape.push_back(d.n);
    request.input.strides.push_back(d.in);
    request.output.strides.push_back(d.out);
  };
  for (const Dimension& d : problem.batch) add(d);
  std::vector<Dimension> axes = problem.axes;
  // A transform of no dimensions is a copy; between reals and complex numbers it is one of 1 point.
  if (axes.empty() && (problem.kind == Kind::r2c || problem.kind == Kind::c2r))
    axes.push_back({1, 1, 1});
  for (const Dimension& d : axes) {
    t.axes.push_back(static_cast<int>(t.shape.size()));
    add(d);
  }
  return request;
}

std::string text_of(const Problem& problem) {
  std::string text = name_of(problem.kind);
  if (problem.kind == Kind::c2c)
    text += problem.direction == Direction::forward ? " forward" : " backward";
  for (const R2r kind : problem.r2r) text += std::string(" ") + name_of(kind);
  if (!problem.axes.empty()) text += " " + text_of(problem.axes);
  if (!problem.batch.empty()) text += " of " + text_of(problem.batch);
  if (problem.in_split()) text += " split input";
  if (problem.out_split()) text += " split output";
  if (shares_memory(problem)) text += " in place";
  return text;
}

std::optional<Direction> direction_of(int sign) {
  if (sign == FFTW_FORWARD) return Direction::forward;
  if (sign == FFTW_BACKWARD) return Direction::backward;
  return {};
}

std::optional<R2r> kind_of(R2rKind kind) {
  switch (kind) {
    case FFTW_R2HC: return R2r::r2hc;
    case FFTW_HC2R: return R2r::hc2r;
    case FFTW_DHT: return R2r::dht;
    case FFTW_REDFT00: return R2r::dct1;
    case FFTW_REDFT01: return R2r::dct3;
    case FFTW_REDFT10: return R2r::dct2;
    case FFTW_REDFT11: return R2r::dct4;
    case FFTW_RODFT00: return R2r::dst1;
    case FFTW_RODFT01: return R2r::dst3;
    case FFTW_RODFT10: return R2r::dst2;
    case FFTW_RODFT11: return R2r::dst4;
  }
  return {};
}

}  // namespace weft::fftw
