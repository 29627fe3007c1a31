// SPDX-License-Identifier: BSD-3-Clause
#include "transform_text.hpp"

namespace weft::python {
namespace {

template <class Value, std::size_t count>
Value choice(const char* what, const std::string& text,
             const std::pair<const char*, Value> (&choices)[count]) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names += (names.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  throw nb::value_error(
      (std::string(what) + " is \"" + text + "\"; it must be one of " + names).c_str());
}

R2r r2r_named(const std::string& text) {
  return choice<R2r>("r2r", text,
                     {{"dct1", R2r::dct1},
                      {"dct2", R2r::dct2},
                      {"dct3", R2r::dct3},
                      {"dct4", R2r::dct4},
                      {"dst1", R2r::dst1},
                      {"dst2", R2r::dst2},
                      {"dst3", R2r::dst3},
                      {"dst4", R2r::dst4},
                      {"dht", R2r::dht},
                      {"r2hc", R2r::r2hc},
                      {"hc2r", R2r::hc2r}});
}

}  // namespace

Effort effort_named(const std::string& text) {
  return choice<Effort>(
      "effort", text,
      {{"estimate", Effort::estimate}, {"measure", Effort::measure}, {"patient", Effort::patient}});
}

Precision precision_of(nb::handle dtype) {
  PyArray_Descr* descriptor = nullptr;
  if (PyArray_DescrConverter(dtype.ptr(), &descriptor) != NPY_SUCCEED) nb::raise_python_error();
  const int type = descriptor->type_num;
  Py_DECREF(descriptor);
  if (type == NPY_FLOAT || type == NPY_CFLOAT) return Precision::f32;
  if (type == NPY_DOUBLE || type == NPY_CDOUBLE) return Precision::f64;
  throw nb::type_error("dtype must be float32, float64, complex64 or complex128");
}

Transform transform_of(std::vector<Index> shape, const TransformText& text) {
  Transform t;
  t.shape = std::move(shape);
  t.kind = choice<Kind>(
      "kind", text.kind,
      {{"c2c", Kind::c2c}, {"r2c", Kind::r2c}, {"c2r", Kind::c2r}, {"r2r", Kind::r2r}});
  t.direction =
      choice<Direction>("direction", text.direction,
                        {{"forward", Direction::forward}, {"backward", Direction::backward}});
  if (t.kind == Kind::r2c) t.direction = Direction::forward;
  if (t.kind == Kind::c2r) t.direction = Direction::backward;
  t.normalization = choice<Normalization>("norm", text.norm,
                                          {{"backward", Normalization::backward},
                                           {"ortho", Normalization::ortho},
                                           {"forward", Normalization::forward},
                                           {"none", Normalization::none}});
  t.spectrum = choice<Spectrum>("spectrum", text.spectrum,
                                {{"half", Spectrum::half}, {"full", Spectrum::full}});
  t.modes = choice<Modes>("modes", text.modes,
                          {{"first", Modes::first}, {"around_zero", Modes::around_zero}});
  for (const std::string& name : text.r2r) t.r2r.push_back(r2r_named(name));
  t.orthogonalize = text.orthogonalize;
  t.input_extents = text.input_extents;
  t.output_extents = text.output_extents;
  t.empty_axes = EmptyAxes::none;
  if (text.axes) {
    t.axes = *text.axes;
  } else {
    for (std::size_t d = 0; d < t.shape.size(); ++d) t.axes.push_back(static_cast<int>(d));
  }
  return t;
}

}  // namespace weft::python
