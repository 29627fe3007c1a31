// SPDX-License-Identifier: BSD-3-Clause
// What tests of operators over ranks on several fields compare with: three separate steps on one
// rank, transforms of every field, a loop over the modes, transforms back.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "unit/spectral/count_of.hpp"
#include "weft/distribution.hpp"
#include "weft/plan.hpp"

namespace weft::mixed_fields {

using Fields = std::vector<std::vector<std::complex<double>>>;

/// What output `o` has of input `i` at a mode: different for all, along all axes, and the same for
/// a mode and its mirror but for an imaginary part that is odd.
template <class Real>
std::complex<Real> weight(int o, int i, const Real* k, const Real* odd, int axes) {
  Real even = Real(1 + o) / Real(2 + i), uneven = 0;
  for (int a = 0; a < axes; ++a) {
    even += std::cos(Real(0.3) * Real(a + 1 + i) * k[a]) / Real(2 + a);
    uneven += odd[a] * Real(1 + a + o) / 40;
  }
  return {even, uneven};
}

/// The same for outputs and inputs of one operator, as text.
inline std::string mixed_text(int inputs, int outputs, int axes) {
  const auto number = [](int value) { return std::to_string(value); };
  std::string text;
  for (int o = 0; o < outputs; ++o) {
    if (o > 0) text += "; ";
    for (int i = 0; i < inputs; ++i) {
      text += (i > 0 ? " + (" : "(") + number(1 + o) + "/" + number(2 + i);
      for (int a = 0; a < axes; ++a) {
        const std::string axis(1, "xyzw"[a]);
        text += " + cos(0.3*" + number(a + 1 + i) + "*k" + axis + ")/" + number(2 + a) + " + d" +
                axis + "*" + number(1 + a + o) + "/40";
      }
      text += ")*u" + number(i);
    }
  }
  return text;
}

/// The numbers of all fields, real where the transform is.
inline Fields random_fields(int count, Index points, bool is_real, std::mt19937& generator) {
  std::uniform_real_distribution<double> number(-1, 1);
  Fields fields(static_cast<std::size_t>(count));
  for (auto& field : fields)
    for (Index i = 0; i < points; ++i) {
      const double re = number(generator), im = number(generator);
      field.emplace_back(re, is_real ? 0 : im);
    }
  return fields;
}

/// Complex transforms in f64, whatever the operator's are.
inline Fields separate_steps(const Transform& forward, const Fields& in, int outputs) {
  std::vector<int> axes = forward.axes;
  for (int d = 0; forward.axes.empty() && d < static_cast<int>(forward.shape.size()); ++d)
    axes.push_back(d);
  const Plan there(c2c(forward.shape, {.axes = axes}));
  Transform inverted = inverse(there.transform());
  inverted.normalization = Normalization::backward;
  const Plan back(inverted);
  Fields spectra;
  for (const auto& field : in) {
    spectra.emplace_back(field.size());
    there.execute(field.data(), spectra.back().data());
  }
  Fields out(static_cast<std::size_t>(outputs), spectra[0]);
  std::vector<double> k(axes.size()), odd(axes.size());
  for (std::size_t mode = 0; mode < spectra[0].size(); ++mode) {
    std::vector<Index> index(forward.shape.size());
    auto rest = static_cast<Index>(mode);
    for (std::size_t d = index.size(); d-- > 0; rest /= forward.shape[d])
      index[d] = rest % forward.shape[d];
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const auto d = static_cast<std::size_t>(axes[a]);
      const Index n = forward.shape[d], m = 2 * index[d] < n ? index[d] : index[d] - n;
      k[a] = static_cast<double>(m);
      odd[a] = 2 * index[d] == n ? 0 : k[a];
    }
    for (int o = 0; o < outputs; ++o) {
      std::complex<double> sum = 0;
      for (std::size_t i = 0; i < spectra.size(); ++i)
        sum += weight(o, static_cast<int>(i), k.data(), odd.data(), static_cast<int>(axes.size())) *
               spectra[i][mode];
      out[static_cast<std::size_t>(o)][mode] = sum;
    }
  }
  for (auto& field : out) back.execute(field.data(), field.data());
  return out;
}

/// Elements of the boxes, row-major.
template <class T>
std::vector<T> part_of(const std::vector<std::complex<double>>& whole,
                       const std::vector<Index>& shape, const LocalBoxes& boxes) {
  std::vector<T> part;
  for (const LocalBox& local : boxes)
    for (Index i = 0; i < local.box.count(); ++i) {
      Index rest = i, place = 0, stride = 1;
      for (int d = local.box.ndim - 1; d >= 0; --d) {
        const auto e = static_cast<std::size_t>(d);
        place += (local.box.begin[e] + rest % local.box.extent(d)) * stride;
        rest /= local.box.extent(d);
        stride *= shape[e];
      }
      const std::complex<double> value = whole[static_cast<std::size_t>(place)];
      if constexpr (ScalarTraits<T>::is_complex)
        part.push_back(T(value));
      else
        part.push_back(static_cast<T>(value.real()));
    }
  return part;
}

using Cut = std::function<LocalBoxes(int ranks, int rank)>;

inline Cut slabs_along(const std::vector<Index>& shape, int axis) {
  return [=](int ranks, int rank) { return slabs(shape, axis, ranks, rank); };
}

}  // namespace weft::mixed_fields
