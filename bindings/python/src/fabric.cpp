// SPDX-License-Identifier: BSD-3-Clause
// The extension module weft._fabric, under weft/fabric.py: predictions and simulations as the tool
// makes them, as dictionaries, lists and text in JSON.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "errors.hpp"
#include "fabric/network_simulation.hpp"
#include "fabric/prediction.hpp"
#include "fabric/systolic_simulation.hpp"

namespace nb = nanobind;

namespace weft::python {
namespace {

using Cube = nb::ndarray<std::complex<float>, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class Value>
Value taken(const nb::dict& options, const char* name, const Value& otherwise) {
  Value value = otherwise;
  if (!options.contains(name) || nb::try_cast(options[name], value)) return value;
  const nb::handle type = nb::object(options[name]).type();
  throw nb::type_error(("the option " + std::string(name) + " cannot be of type " +
                        nb::cast<std::string>(nb::str(type.attr("__name__"))) +
                        "; the examples in the documentation show its values")
                           .c_str());
}

tool::WaferArguments wafer_of(const nb::dict& options) {
  tool::WaferArguments result;
  result.machine = taken(options, "machine", result.machine);
  result.size = taken(options, "size", result.size);
  result.mesh = taken(options, "mesh", result.mesh);
  result.precision = taken(options, "precision", result.precision);
  result.schedule = taken(options, "schedule", result.schedule);
  result.kernel = taken(options, "kernel", result.kernel);
  result.sending = taken(options, "sending", result.sending);
  result.groups = taken(options, "groups", result.groups);
  result.inverse = taken(options, "inverse", result.inverse);
  result.one_line = taken(options, "one_line", result.one_line);
  result.timed = taken(options, "timed", result.timed);
  return result;
}

nb::list machines() {
  nb::list result;
  for (const std::string& name : fabric::machine_names()) {
    const fabric::FabricMachine machine = fabric::load_machine(name);
    nb::dict one;
    one["name"] = name;
    one["kind"] = fabric::kind_name(machine);
    one["description"] = machine.description;
    one["fitted"] = machine.fitted;
    one["assumed"] = machine.assumed;
    result.append(one);
  }
  return result;
}

nb::list predict(const nb::dict& options) {
  tool::PredictionRequest request;
  request.wafer = wafer_of(options);
  request.nodes = taken(options, "nodes", 0);
  request.recipe = taken(options, "recipe", std::string());
  request.closed_forms_only = taken(options, "closed_forms_only", false);
  const fabric::FabricMachine machine = fabric::load_machine(request.wafer.machine);
  nb::list result;
  for (const tool::Prediction& prediction : tool::predict(machine, request)) {
    nb::dict one;
    one["scheme"] = prediction.scheme;
    one["seconds"] = prediction.seconds;
    one["exchange_s"] = prediction.exchange_s;
    one["bound_s"] = prediction.bound_s;
    one["tflops"] = prediction.tflops();
    one["nodes"] = prediction.nodes;
    one["limit"] = prediction.limit;
    one["memory"] = prediction.memory;
    one["fits"] = prediction.fits;
    one["notes"] = prediction.notes;
    result.append(one);
  }
  return result;
}

nb::dict record_of(const fabric::WaferTiming& timing, const fabric::WaferMachine& machine,
                   const fabric::WaferPlan& plan) {
  nb::dict result;
  nb::list steps;
  for (const fabric::WaferStep& step : timing.steps)
    steps.append(nb::make_tuple(step.name, step.cycles));
  result["plan"] = plan.describe();
  result["cycles"] = timing.cycles;
  result["seconds"] = timing.seconds(machine);
  result["exchange_cycles"] = timing.exchange;
  result["steps"] = steps;
  result["busiest_link"] = timing.busiest_link;
  result["busiest_link_words"] = timing.busiest_link_words;
  result["word_hops"] = timing.word_hops;
  return result;
}

/// One number per (x, y, z), between the caller's array and the elements' memories.
template <class Move>
void for_each_number(const fabric::WaferPlan& plan, Move move) {
  for (std::int64_t x = 0; x < plan.shape[0]; ++x)
    for (std::int64_t y = 0; y < plan.shape[1]; ++y)
      for (std::int64_t z = 0; z < plan.shape[2]; ++z)
        move(x, y, z, static_cast<std::size_t>((x * plan.shape[1] + y) * plan.shape[2] + z));
}

/// With numbers: from the array `in`, to the array `out`; without, both are None.
nb::dict simulate_wafer(const nb::dict& options, nb::object in, nb::object out) {
  const tool::WaferArguments arguments = wafer_of(options);
  const fabric::FabricMachine machine = fabric::load_machine(arguments.machine);
  const fabric::WaferMachine& wafer = fabric::wafer_of(machine);
  const fabric::WaferPlan plan = fabric::with_groups(tool::make_wafer_plan(arguments), wafer);
  fabric::RunOptions run{
      .fidelity = tool::parse_fidelity(taken(options, "level", std::string("wavelets"))),
      .threads = taken(options, "threads", 1)};
  if (in.is_none()) {
    fabric::WaferTiming timing;
    {
      const nb::gil_scoped_release released;
      timing = fabric::time_on_wafer(plan, wafer, run);
    }
    return record_of(timing, wafer, plan);
  }
  const Cube source = nb::cast<Cube>(in), target = nb::cast<Cube>(out);
  const fabric::WaferLayout layout = fabric::layout_of(plan, wafer);
  fabric::time_on_wafer(plan, wafer, {.fidelity = fabric::Fidelity::closed_form});
  fabric::WaferTiming timing;
  {
    const nb::gil_scoped_release released;
    std::vector<std::complex<float>> data(
        static_cast<std::size_t>(layout.nx * layout.ny * layout.nz));
    const auto at = [](std::int64_t position) { return static_cast<std::size_t>(position); };
    const auto spatial = [&](auto x, auto y, auto z) {
      return at(fabric::spatial_position(plan, layout, x, y, z));
    };
    const auto spectral = [&](auto x, auto y, auto z) {
      return at(fabric::spectral_position(plan, layout, x, y, z));
    };
    const bool is_forward = plan.direction == Direction::forward;
    for_each_number(plan, [&](auto x, auto y, auto z, std::size_t k) {
      data[is_forward ? spatial(x, y, z) : spectral(x, y, z)] = source.data()[k];
    });
    timing = fabric::run_on_wafer(plan, wafer, data, run);
    for_each_number(plan, [&](auto x, auto y, auto z, std::size_t k) {
      target.data()[k] = data[is_forward ? spectral(x, y, z) : spatial(x, y, z)];
    });
  }
  return record_of(timing, wafer, plan);
}

/// Torus, cluster and systolic arrays: with numbers of their own, which are checked.
std::string simulate(const nb::dict& options) {
  const auto name = taken(options, "machine", std::string());
  const fabric::FabricMachine machine = fabric::load_machine(name);
  const auto size = taken(options, "size", std::string("64^3"));
  const auto precision = taken(options, "precision", std::string());
  if (std::holds_alternative<fabric::SystolicMachine>(machine.what)) {
    const tool::SystolicRequest request{.size = size,
                                        .precision = precision,
                                        .strides = taken(options, "strides", std::vector<int>()),
                                        .restored = taken(options, "restored", false)};
    return tool::simulate_systolic(machine, request, true).dump();
  }
  tool::NetworkRequest request;
  request.size = size;
  request.precision = precision;
  request.inverse = taken(options, "inverse", false);
  request.real = taken(options, "real", false);
  request.nodes = taken(options, "nodes", 0);
  request.ranks = taken(options, "ranks", 0);
  request.ranks_per_node = taken(options, "ranks_per_node", 0);
  request.recipe = taken(options, "recipe", std::string());
  request.exchange = taken(options, "exchange", std::string());
  return tool::simulate_network(machine, request, true).dump();
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    set_python_error(error);
  } catch (const tool::Failed& failed) {
    PyErr_SetString(PyExc_RuntimeError, failed.reason.c_str());
  }
}

}  // namespace
}  // namespace weft::python

NB_MODULE(_fabric, module) {
  using namespace weft::python;
  nb::register_exception_translator(&translate);
  module.def("machines", &machines);
  module.def("machine_file", &weft::fabric::machine_file);
  module.def("machine_kind", [](const std::string& machine) {
    return std::string(weft::fabric::kind_name(weft::fabric::load_machine(machine)));
  });
  module.def("predict", &predict);
  module.def("simulate_wafer", &simulate_wafer, nb::arg(), nb::arg().none(), nb::arg().none());
  module.def("simulate", &simulate);
}
