// SPDX-License-Identifier: BSD-3-Clause
// The extension module weft._core: what weft/fft.py and weft/__init__.py stand on.
#define WEFT_IMPORTS_NUMPY

#include <new>
#include <string>

#include "call.hpp"
#include "device.hpp"
#include "distributed.hpp"
#include "errors.hpp"
#include "operator_object.hpp"
#include "plan_object.hpp"
#include "weft/version.hpp"
#include "weft/wisdom.hpp"

namespace weft::python {
namespace {

void bind_functions(nb::module_& module) {
  const auto any = nb::arg().none();
  for (const Function& function : functions) {
    const Function* const f = &function;
    if (f->kind == Kind::r2r) {
      module.def(
          f->name,
          [f](nb::handle x, nb::handle type, nb::handle lengths, nb::handle axes, nb::handle norm,
              nb::handle overwrite_x, nb::handle workers, nb::handle orthogonalize, nb::handle plan,
              nb::handle out) {
            return call(
                *f, {x, lengths, axes, norm, overwrite_x, workers, plan, out, type, orthogonalize});
          },
          any, any, any, any, any, any, any, any, any, any);
    } else {
      module.def(
          f->name,
          [f](nb::handle x, nb::handle lengths, nb::handle axes, nb::handle norm,
              nb::handle overwrite_x, nb::handle workers, nb::handle plan, nb::handle out) {
            return call(*f, {x, lengths, axes, norm, overwrite_x, workers, plan, out});
          },
          any, any, any, any, any, any, any, any);
    }
  }
}

void bind_settings(nb::module_& module) {
  module.def("cache_info", [] {
    const CacheInfo info = cache_info();
    return nb::make_tuple(info.hits, info.misses, info.limit, info.size);
  });
  module.def("set_cache_limit", [](nb::handle limit) {
    const Py_ssize_t plans = PyNumber_AsSsize_t(limit.ptr(), PyExc_OverflowError);
    if (plans == -1 && PyErr_Occurred()) nb::raise_python_error();
    if (plans < 0) throw nb::value_error("the cache cannot hold fewer than 0 plans");
    set_cache_limit(static_cast<std::size_t>(plans));
  });
  module.def("clear_cache", &clear_cache);
  module.def("default_workers", &default_workers);
  module.def(
      "set_default_workers", [](nb::handle workers) { set_default_workers(threads_of(workers)); },
      nb::arg().none());
  module.def("count_workers", &threads_of, nb::arg().none());
  module.def("version", &version);
}

void bind_wisdom(nb::module_& module) {
  module.def("wisdom_load", &wisdom::load);
  module.def("wisdom_save", &wisdom::save);
  module.def("wisdom_to_string", &wisdom::to_string);
  module.def("wisdom_from_string", &wisdom::from_string);
  module.def("wisdom_forget", &wisdom::forget);
  module.def("wisdom_size", &wisdom::size);
  module.def("wisdom_default_path", &wisdom::default_path);
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    set_python_error(error);
  }
}

int import_numpy() {
  import_array1(-1);
  return 0;
}

}  // namespace
}  // namespace weft::python

NB_MODULE(_core, module) {
  using namespace weft::python;
  if (import_numpy() != 0) nb::raise_python_error();
  nb::register_exception_translator(&translate);
  bind_plan(module);
  bind_operator(module);
  bind_functions(module);
  bind_settings(module);
  bind_wisdom(module);
  bind_device(module);
  bind_distributed(module);
}
