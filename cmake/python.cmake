# SPDX-License-Identifier: BSD-3-Clause
# Whether the Python module is built: it needs Python's headers, NumPy and nanobind. `make test` puts
# the latter two into the environment build/venv (scripts/setup_python), which is looked at first.
set(WEFT_PYTHON "AUTO" CACHE STRING "The Python module: AUTO, where nanobind is found; ON; OFF")
set(WEFT_PYTHON_FOLDER "" CACHE STRING "Where `cmake --install` puts the Python package, such as \
lib/python3/dist-packages; empty: it does not")
set(venv_python ${PROJECT_SOURCE_DIR}/build/venv/bin/python)
if(EXISTS ${venv_python} AND NOT DEFINED Python_EXECUTABLE AND NOT SKBUILD)
  set(Python_EXECUTABLE ${venv_python})
endif()

set(with_python ${WEFT_PYTHON})
if(WEFT_PYTHON STREQUAL "AUTO")
  set(with_python OFF)
  if(PROJECT_IS_TOP_LEVEL AND WEFT_TESTS AND NOT CMAKE_CROSSCOMPILING AND NOT WEFT_SANITIZE)
    set(with_python QUIET)
  endif()
endif()
if(with_python)
  set(is_required REQUIRED)
  if(with_python STREQUAL "QUIET")
    set(is_required QUIET)
  endif()
  find_package(Python 3.9 COMPONENTS Interpreter Development.Module NumPy ${is_required})
  if(Python_Development.Module_FOUND AND Python_NumPy_FOUND)
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    find_package(nanobind CONFIG ${is_required})
    if(nanobind_FOUND)
      add_subdirectory(bindings/python)
    endif()
  endif()
endif()
