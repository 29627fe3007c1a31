// SPDX-License-Identifier: BSD-3-Clause
#include "distributed.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <complex>

#include "arrays.hpp"
#include "planned.hpp"
#include "python_comm.hpp"
#include "transform_text.hpp"
#include "weft/distributed.hpp"

namespace weft::python {
namespace {

using Corners = std::pair<std::vector<Index>, std::vector<Index>>;

LocalBoxes boxes_of(const std::vector<Corners>& corners) {
  LocalBoxes result;
  for (const auto& [begin, end] : corners) result.push_back({.box = Box(begin, end)});
  return result;
}

std::vector<Corners> corners_of(const LocalBoxes& boxes) {
  std::vector<Corners> result;
  for (const LocalBox& local : boxes) {
    const auto n = local.box.ndim;
    result.push_back({{local.box.begin.begin(), local.box.begin.begin() + n},
                      {local.box.end.begin(), local.box.end.begin() + n}});
  }
  return result;
}

/// What one rank asks for. Making it sends no message: ranks whose arguments make no sense say so
/// to the others before the plan is made.
struct DistributedRequest {
  Transform transform;
  LocalBoxes input, output;
  DistributedOptions options;
};

class DistributedObject {
 public:
  DistributedObject(nb::object ranks, const DistributedRequest& request)
      : DistributedObject(python_comm(std::move(ranks)), request) {}

  /// The plan back, in the same workspace. Collective.
  DistributedObject* inverse() const {
    DistributedRequest back = request_;
    back.transform = weft::inverse(request_.transform);
    back.input = plan().output_boxes();
    back.output = plan().input_boxes();
    back.options.recipe.clear();
    back.options.workspace = plan().workspace();
    return new DistributedObject(comm_, back);
  }

  /// `x` and `out` are contiguous arrays of the planned types.
  void execute(nb::handle x, nb::handle out) {
    const auto [in, result] = checked_arrays(x, out);
    const nb::gil_scoped_release released;
    if (request_.transform.precision == Precision::f32)
      execute_as<float>(in.data(), result.data());
    else
      execute_as<double>(in.data(), result.data());
  }
  /// Takes the part of this rank in an execution whose arguments are wrong here, so that the other
  /// ranks, which are in execute(), raise an error as well.
  void refuse() {
    DistributedPlan& all = plan();
    const nb::gil_scoped_release released;
    try {
      all.execute(static_cast<const Half*>(nullptr), static_cast<Half*>(nullptr));
    } catch (const Error&) {  // of the type, which no plan here has; the caller knows better
    }
  }
  /// Collective.
  void destroy() {
    const nb::gil_scoped_release released;
    plan_.reset();
    comm_.reset();
  }
  DistributedPlan& plan() const {
    if (!plan_) throw nb::value_error("the plan was destroyed");
    return *plan_;
  }
  int input_type() const {
    return numpy_type(request_.transform.precision,
                      request_.transform.kind == Kind::c2c || request_.transform.kind == Kind::c2r);
  }
  int output_type() const {
    return numpy_type(request_.transform.precision,
                      request_.transform.kind == Kind::c2c || request_.transform.kind == Kind::r2c);
  }

 private:
  DistributedObject(std::shared_ptr<const Comm> comm, const DistributedRequest& request)
      : comm_(std::move(comm)), request_(request) {
    const nb::gil_scoped_release released;
    plan_ = std::make_unique<DistributedPlan>(request.transform, request.input, request.output,
                                              *comm_, request.options);
    request_.options.workspace = nullptr;  // kept by the plan
  }
  std::pair<Array, Array> checked_arrays(nb::handle x, nb::handle out) {
    const Index input_count = plan().input_count(), output_count = plan().output_count();
    try {
      const Array in = checked(x, input_type(), input_count, "x");
      const Array result = checked(out, output_type(), output_count, "out");
      if (!PyArray_ISWRITEABLE(result.get())) throw nb::value_error("out is read-only");
      return {in, result};
    } catch (...) {
      refuse();
      throw;
    }
  }
  static Array checked(nb::handle object, int type, Index count, const char* name) {
    if (!is_array(object)) throw nb::type_error((std::string(name) + " must be an array").c_str());
    const Array array = Array::borrow(object);
    if (array.type() != type || !is_usable(array, false))
      throw nb::type_error((std::string(name) + " has another dtype than the plan").c_str());
    if (!PyArray_IS_C_CONTIGUOUS(array.get()) || PyArray_SIZE(array.get()) != count)
      throw nb::value_error(
          (std::string(name) + " must be contiguous, with " + std::to_string(count) + " elements")
              .c_str());
    return array;
  }
  template <class Real>
  void execute_as(const void* input, void* output) {
    using Complex = std::complex<Real>;
    const auto go = [&](const auto* in, auto* out) { plan_->execute(in, out); };
    switch (request_.transform.kind) {
      case Kind::c2c: return go(static_cast<const Complex*>(input), static_cast<Complex*>(output));
      case Kind::r2c: return go(static_cast<const Real*>(input), static_cast<Complex*>(output));
      case Kind::c2r: return go(static_cast<const Complex*>(input), static_cast<Real*>(output));
      case Kind::r2r: return go(static_cast<const Real*>(input), static_cast<Real*>(output));
    }
  }

  std::shared_ptr<const Comm> comm_;
  DistributedRequest request_;
  std::unique_ptr<DistributedPlan> plan_;
};

nb::object type_object(int type) {
  return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type)));
}

}  // namespace

void bind_distributed(nb::module_& module) {
  nb::class_<DistributedRequest>(module, "DistributedRequest")
      .def(
          "__init__",
          [](DistributedRequest* self, std::vector<Index> shape, const std::string& kind,
             nb::handle dtype, std::optional<std::vector<int>> axes, const std::string& direction,
             const std::string& norm, std::vector<std::string> r2r, bool orthogonalize,
             const std::string& spectrum, const std::string& modes,
             std::vector<Index> input_extents, std::vector<Index> output_extents,
             const std::vector<Corners>& input, const std::vector<Corners>& output,
             nb::handle workers, const std::string& effort, const std::string& recipe) {
            Transform transform = transform_of(
                std::move(shape),
                {kind, direction, norm, spectrum, modes, std::move(axes), std::move(r2r),
                 orthogonalize, std::move(input_extents), std::move(output_extents)});
            transform.precision = precision_of(dtype);
            DistributedOptions options;
            options.effort = effort_named(effort);
            options.recipe = recipe;
            options.executor = executor_for(threads_of(workers));
            new (self) DistributedRequest{transform, boxes_of(input), boxes_of(output), options};
          },
          nb::arg("shape"), nb::arg("kind"), nb::arg("dtype"), nb::arg("axes").none(),
          nb::arg("direction"), nb::arg("norm"), nb::arg("r2r"), nb::arg("orthogonalize"),
          nb::arg("spectrum"), nb::arg("modes"), nb::arg("input_extents"),
          nb::arg("output_extents"), nb::arg("input"), nb::arg("output"), nb::arg("workers").none(),
          nb::arg("effort"), nb::arg("recipe"));
  nb::class_<DistributedObject>(module, "DistributedPlan")
      .def(nb::init<nb::object, const DistributedRequest&>())
      .def("execute", &DistributedObject::execute)
      .def("refuse", &DistributedObject::refuse)
      .def("inverse", &DistributedObject::inverse)
      .def("destroy", &DistributedObject::destroy)
      .def_prop_ro("input_boxes",
                   [](const DistributedObject& p) { return corners_of(p.plan().input_boxes()); })
      .def_prop_ro("output_boxes",
                   [](const DistributedObject& p) { return corners_of(p.plan().output_boxes()); })
      .def_prop_ro("input_dtype",
                   [](const DistributedObject& p) { return type_object(p.input_type()); })
      .def_prop_ro("output_dtype",
                   [](const DistributedObject& p) { return type_object(p.output_type()); })
      .def_prop_ro("recipe", [](const DistributedObject& p) { return p.plan().recipe(); })
      .def_prop_ro("explain", [](const DistributedObject& p) { return p.plan().explain(); })
      .def_prop_ro("trace", [](const DistributedObject& p) {
        nb::list events;
        for (const TraceEvent& event : p.plan().trace())
          events.append(nb::make_tuple(event.name, event.begin_s, event.end_s));
        return events;
      });
  module.def("slabs", [](std::vector<Index> shape, int axis, int ranks, int rank) {
    return corners_of(slabs(shape, axis, ranks, rank));
  });
  module.def("pencils", [](std::vector<Index> shape, int axis, int ranks, int rank) {
    return corners_of(pencils(shape, axis, ranks, rank));
  });
  module.def("bricks", [](std::vector<Index> shape, const std::vector<int>& grid, int rank) {
    return corners_of(bricks(shape, grid, rank));
  });
}

}  // namespace weft::python
