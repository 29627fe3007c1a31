// SPDX-License-Identifier: BSD-3-Clause
#include "turbulence/gpu_texts.hpp"

#include <fmt/format.h>

namespace weft::apps::flow_texts {
namespace {

using Vector = std::array<std::string, 3>;
constexpr std::array<const char*, 3> wave{"kx", "ky", "kz"};

/// The fields from `first` on.
Vector fields(int first) {
  Vector names;
  for (int c = 0; c < 3; ++c) names[as_size(c)] = fmt::format("u{}", first + c);
  return names;
}

/// function(component) three times.
template <class Function>
Vector each(const Function& function) {
  return {function(std::size_t{0}), function(std::size_t{1}), function(std::size_t{2})};
}

std::string joined(const Vector& v, const char* between = "; ") {
  return v[0] + between + v[1] + between + v[2];
}

Vector curl_of(const Vector& v) {
  return each([&](std::size_t c) {
    const std::size_t a = (c + 1) % 3, b = (c + 2) % 3;
    return fmt::format("i*({}*({}) - {}*({}))", wave[a], v[b], wave[b], v[a]);
  });
}

std::string along(const Vector& v) {
  return "(" + joined(each([&](std::size_t c) { return wave[c] + ("*" + v[c]); }), " + ") + ")";
}

/// Without its gradient part and without a mean, times a factor.
Vector projected(const Vector& v, const std::string& factor) {
  return each([&](std::size_t c) {
    return fmt::format("where(k2 == 0, 0, {0})*({1} - {2}*{3}*where(k2 == 0, 0, 1/k2))", factor,
                       v[c], wave[c], along(v));
  });
}

// A real field's mode counts twice: its mirror image is not stored.
constexpr const char* weight = "where(kz == 0, 1, 2)";

std::string squares(const Vector& v) {
  return "(" +
         joined(each([&](std::size_t c) { return fmt::format("real({0})^2 + imag({0})^2", v[c]); }),
                " + ") +
         ")";
}

std::string is_forced() { return fmt::format("k2 <= {}", force_radius * force_radius); }

}  // namespace

/// v = exp(nu k^2 t) u is advanced; e is exp(-nu k^2 h / 2), r the projected products.
std::string stage(int number, bool is_forced_flow) {
  const bool is_first = number == 0, is_last = number == stages - 1;
  const Vector u = fields(3), sum = fields(is_last ? 3 : 6);
  Vector r = projected(fields(0), "p2");
  if (is_forced_flow) {
    const Vector from = fields(is_first ? 3 : is_last ? 6 : 9);
    r = each([&](std::size_t c) {
      return fmt::format("({} + where({}, p3, 0)*{})", r[c], is_forced(), from[c]);
    });
  }
  constexpr const char *e = "exp(-p1*k2)", *sixth = "(1/6)*p0", *third = "(1/3)*p0",
                       *half = "0.5*p0";
  const Vector next_sum = each([&](std::size_t c) {
    if (is_first) return fmt::format("{0}*{0}*({1} + {2}*{3})", e, u[c], sixth, r[c]);
    return fmt::format("{} + {}*{}*{}", sum[c], third, e, r[c]);
  });
  const Vector next = each([&](std::size_t c) {
    if (is_last) return fmt::format("{} + {}*{}", sum[c], sixth, r[c]);
    if (is_first) return fmt::format("{}*({} + {}*{})", e, u[c], half, r[c]);
    if (number == 1) return fmt::format("{}*{} + {}*{}", e, u[c], half, r[c]);
    return fmt::format("{0}*({0}*{1} + p0*{2})", e, u[c], r[c]);
  });
  const std::string result = joined(next) + "; " + joined(curl_of(next));
  return is_last ? result : joined(next_sum) + "; " + result;
}

std::string curl() { return joined(curl_of(fields(0))); }

std::string product() { return "u1*u5 - u2*u4; u2*u3 - u0*u5; u0*u4 - u1*u3"; }

std::string random_start() { return joined(projected(fields(0), "p0*sqrt(k2)*exp((-1/9)*k2)")); }

std::string start(Start start) {
  // sin x cos y cos z, -cos x sin y cos z: eight modes each.
  constexpr const char* corner =
      "where((abs(kx) - 1)^2 + (abs(ky) - 1)^2 + (abs(kz) - 1)^2 == 0, 0.125, 0)";
  if (start == Start::taylor_green) return fmt::format("-i*kx*{0}; i*ky*{0}; 0*u0", corner);
  // sin 2y: the products vanish, and it decays as exp(-4 nu t).
  return fmt::format("where(kx^2 + kz^2 + (abs(ky) - {0})^2 == 0, -i*ky*(0.5/{0}), 0); 0*u0; 0*u0",
                     single_mode_number);
}

std::string energies() {
  return fmt::format("0.5*{0}*{1}; {0}*k2*{1}", weight, squares(fields(0)));
}

std::string forced_energy() {
  return fmt::format("where({}, {}, 0)*{}", is_forced(), weight, squares(fields(0)));
}

std::string divergence() { return "abs" + along(fields(0)); }

std::string single_mode_error() {
  return fmt::format(
      "abs(u0 - where(kx^2 + kz^2 + (abs(ky) - {0})^2 == 0, -i*p0*ky*(0.5/{0}), 0)); abs(u1); "
      "abs(u2)",
      single_mode_number);
}

}  // namespace weft::apps::flow_texts
