// SPDX-License-Identifier: BSD-3-Clause
#include "plan_object.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "arrays.hpp"
#include "call.hpp"
#include "transform_text.hpp"

namespace weft::python {
namespace {

std::vector<Index> contiguous_strides(const std::vector<Index>& shape) {
  std::vector<Index> strides(shape.size());
  Index stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<Index>(shape[d], 1);
  }
  return strides;
}

/// One side of a plan, as arrays must be to fit it.
struct Side {
  int type;
  std::vector<Index> shape, strides;
  bool is_contiguous() const { return strides == contiguous_strides(shape); }
};
Side input_side(const Plan& plan) {
  const Kind kind = plan.transform().kind;
  const bool is_complex = kind == Kind::c2c || kind == Kind::c2r;
  return {numpy_type(plan.transform().precision, is_complex), plan.input_shape(),
          plan.input_strides()};
}
Side output_side(const Plan& plan) {
  const Kind kind = plan.transform().kind;
  const bool is_complex = kind == Kind::c2c || kind == Kind::r2c;
  return {numpy_type(plan.transform().precision, is_complex), plan.output_shape(),
          plan.output_strides()};
}

nb::object dtype_of(const Side& side) {
  return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(side.type)));
}

void check_side(const Array& array, const Side& side, const char* name) {
  if (array.type() != side.type)
    throw nb::type_error((std::string(name) + " has another dtype than the plan, which is for " +
                          nb::cast<std::string>(nb::str(dtype_of(side))))
                             .c_str());
  bool fits = array.ndim() == static_cast<int>(side.shape.size());
  for (int d = 0; fits && d < array.ndim(); ++d) fits = array.extent(d) == side.shape[d];
  if (!fits) {
    const nb::tuple shape(nb::cast(side.shape));
    throw nb::value_error((std::string(name) + " has another shape than the plan, which is for " +
                           nb::cast<std::string>(nb::str(shape)))
                              .c_str());
  }
}

bool has_strides(const Array& array, const Side& side) {
  std::array<npy_intp, max_ndim> strides;
  set_strides(strides, array);
  for (int d = 0; d < array.ndim(); ++d)
    if (array.extent(d) > 1 && strides[d] != side.strides[d]) return false;
  return true;
}

Array planned_input(nb::handle x, const Side& side) {
  const Input input = as_input(x);
  if (input.source != Source::here)
    throw nb::type_error("plans run on arrays of float32, float64, complex64 or complex128");
  check_side(input.array, side, "x");
  if (has_strides(input.array, side)) return input.array;
  if (side.is_contiguous()) return cast(input.array, side.type);
  throw nb::value_error("x has other strides than the plan");
}

Array planned_output(nb::handle out, const Side& side) {
  std::vector<npy_intp> shape(side.shape.begin(), side.shape.end());
  const int ndim = static_cast<int>(shape.size());
  if (out.is_none()) {
    if (!side.is_contiguous())
      throw nb::value_error("the plan writes with strides of its own; pass an array as out");
    return Array::steal(PyArray_EMPTY(ndim, shape.data(), side.type, 0));
  }
  const Array array = as_output(out, ndim, shape.data());
  check_side(array, side, "out");
  if (!is_usable(array, true) || !has_strides(array, side))
    throw nb::value_error("out has other strides than the plan, or is not aligned");
  return array;
}

nb::object execute(PlanObject& self, nb::handle x, nb::handle out) {
  const Plan& plan = self.planned->plan();
  const Array input = planned_input(x, input_side(plan));
  const Array output = planned_output(out, output_side(plan));
  if (PyArray_SIZE(output.get()) > 0) self.planned->run(input.data(), output.data());
  return output.object();
}

std::string to_html(const PlanObject& self) {
  const Plan& plan = self.planned->plan();
  const auto escaped = [](const std::string& text) {
    return nb::cast<std::string>(nb::module_::import_("html").attr("escape")(text));
  };
  const PlanCost cost = plan.cost();
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, "%.3g flops, %.3g bytes, %.3g passes, %.3g s expected",
                cost.flops, cost.bytes, cost.passes, cost.predicted_s);
  return "<div><pre>" + escaped(plan.tree()) + "</pre><p>$" + escaped(plan.formula_latex()) +
         "$</p><p>" + numbers + "</p></div>";
}

nb::dict cost_dict(const PlanObject& self) {
  const PlanCost cost = self.planned->plan().cost();
  nb::dict result;
  result["flops"] = cost.flops;
  result["bytes"] = cost.bytes;
  result["passes"] = cost.passes;
  result["predicted_s"] = cost.predicted_s;
  return result;
}

void bind_constructor(nb::class_<PlanObject>& type) {
  using Indices = std::vector<Index>;
  type.def(
      "__init__",
      [](PlanObject* self, Indices shape, const std::string& kind, nb::handle dtype,
         std::optional<std::vector<int>> axes, const std::string& direction,
         const std::string& norm, std::vector<std::string> r2r, bool orthogonalize,
         const std::string& spectrum, const std::string& modes, Indices input_extents,
         Indices output_extents, Indices input_strides, Indices output_strides, bool in_place,
         nb::handle workers, const std::string& effort, double time_limit,
         const std::string& recipe) {
        Transform transform =
            transform_of(std::move(shape),
                         {kind, direction, norm, spectrum, modes, std::move(axes), std::move(r2r),
                          orthogonalize, std::move(input_extents), std::move(output_extents)});
        transform.precision = precision_of(dtype);
        PlanOptions options{.effort = effort_named(effort), .in_place = in_place, .recipe = recipe};
        options.executor = executor_for(threads_of(workers));
        options.time_limit_s = time_limit;
        const nb::gil_scoped_release released;
        new (self) PlanObject{
            std::make_shared<Planned>(transform, Layout{.strides = std::move(input_strides)},
                                      Layout{.strides = std::move(output_strides)}, options)};
      },
      nb::arg("shape"), nb::arg("kind") = "c2c", nb::arg("dtype") = "float64", nb::kw_only(),
      nb::arg("axes") = nb::none(), nb::arg("direction") = "forward", nb::arg("norm") = "backward",
      nb::arg("r2r") = std::vector<std::string>(), nb::arg("orthogonalize") = false,
      nb::arg("spectrum") = "half", nb::arg("modes") = "first",
      nb::arg("input_extents") = Indices(), nb::arg("output_extents") = Indices(),
      nb::arg("input_strides") = Indices(), nb::arg("output_strides") = Indices(),
      nb::arg("in_place") = false, nb::arg("workers") = nb::none(), nb::arg("effort") = "estimate",
      nb::arg("time_limit") = 10.0, nb::arg("recipe") = "");
}

}  // namespace

std::shared_ptr<Planned> given_plan(nb::handle object, const Request& request) {
  if (!nb::isinstance<PlanObject>(object)) throw nb::type_error("plan must be a weft.Plan or None");
  const std::shared_ptr<Planned>& planned = nb::cast<PlanObject&>(object).planned;
  const Plan& plan = planned->plan();
  Transform asked = request.transform(), has = plan.transform();
  has.empty_axes = asked.empty_axes;
  if (asked != has || plan.input_strides() != request.input_layout().strides ||
      plan.output_strides() != request.output_layout().strides)
    throw nb::value_error(
        "the plan is for another call: make one by weft.fft.plan() with the same arguments");
  return planned;
}

void bind_plan(nb::module_& module) {
  nb::class_<PlanObject> type(
      module, "Plan",
      "A transform that is planned once and run many times: ``plan(x)`` or ``plan(x, out=y)``.\n\n"
      "``kind`` is \"c2c\", \"r2c\", \"c2r\" or \"r2r\" (then ``r2r`` names one kind for each "
      "axis:\n"
      "\"dct1\" to \"dct4\", \"dst1\" to \"dst4\", \"dht\", \"r2hc\", \"hc2r\"). ``shape`` is that "
      "of the\n"
      "array, for r2c and c2r of its real side; ``dtype`` gives the precision. ``effort`` is\n"
      "\"estimate\", or \"measure\" and \"patient\", which time algorithms for at most "
      "``time_limit``\n"
      "seconds. The other arguments are those of the C++ interface.\n\n"
      ">>> plan = weft.Plan((4, 6), \"r2c\")\n"
      ">>> plan(np.ones((4, 6))).shape\n"
      "(4, 4)\n");
  bind_constructor(type);
  const auto text = [&](const char* name, std::string (Plan::*member)() const, const char* doc) {
    type.def_prop_ro(
        name, [member](const PlanObject& p) { return (p.planned->plan().*member)(); }, doc);
  };
  text("recipe", &Plan::recipe, "The plan as one line of text, which the argument recipe takes.");
  text("tree", &Plan::tree, "The plan as a tree in words.");
  text("formula", &Plan::formula, "The plan as a formula, in text.");
  text("formula_latex", &Plan::formula_latex, "The plan as a formula, in LaTeX.");
  type.def("__call__", &execute, nb::arg("x"), nb::arg("out") = nb::none());
  const auto shape = [](const Side& side) { return nb::tuple(nb::cast(side.shape)); };
  const auto strides = [](const Side& side) { return nb::tuple(nb::cast(side.strides)); };
  const auto side = [&](const char* name, Side (*of)(const Plan&), auto&& part) {
    const auto get = [of, part](const PlanObject& p) -> nb::object {
      return part(of(p.planned->plan()));
    };
    type.def_prop_ro(name, get, "Of the arrays that the plan is for; strides count elements.");
  };
  side("input_shape", &input_side, shape);
  side("output_shape", &output_side, shape);
  side("input_strides", &input_side, strides);
  side("output_strides", &output_side, strides);
  side("input_dtype", &input_side, &dtype_of);
  side("output_dtype", &output_side, &dtype_of);
  type.def_prop_ro("cost", &cost_dict, "Flops, bytes, passes and the predicted time in seconds.");
  type.def_prop_ro(
      "workspace_bytes", [](const PlanObject& p) { return p.planned->plan().workspace_bytes(); },
      "Memory that an execution needs beside the arrays.");
  type.def(
      "inverse",
      [](const PlanObject& p) {
        const nb::gil_scoped_release released;
        return PlanObject{p.planned->inverse()};
      },
      "The plan of the inverse transform, from arrays like the output to arrays like the input.\n"
      "It divides by N unless this plan does; with the norm \"none\" neither does.");
  type.def("_repr_html_", &to_html);
  type.def("__repr__",
           [](const PlanObject& p) { return "<weft.Plan " + p.planned->plan().recipe() + ">"; });
  const auto any = nb::arg().none();
  module.def(
      "plan_for",
      [](const std::string& function, nb::handle x, nb::handle lengths, nb::handle axes,
         nb::handle norm, nb::handle workers, nb::handle out, nb::handle transform_type,
         nb::handle orthogonalize, const std::string& effort) {
        const Arguments arguments{x,       lengths,    axes, norm,           nb::handle(Py_False),
                                  workers, nb::none(), out,  transform_type, orthogonalize};
        return PlanObject{plan_for(function_named(function), arguments, effort_named(effort))};
      },
      any, any, any, any, any, any, any, any, any, any);
}

}  // namespace weft::python
