# SPDX-License-Identifier: BSD-3-Clause
# Whether the Fortran modules are built. As a part of another project, or under sanitizers, which ask
# their clients for flags, only if that is asked for.
set(WEFT_FORTRAN "AUTO" CACHE STRING "The Fortran modules: AUTO, where there is a compiler; ON; OFF")
set(with_fortran ${WEFT_FORTRAN})
if(WEFT_FORTRAN STREQUAL "AUTO")
  set(with_fortran OFF)
  if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING AND NOT WEFT_SANITIZE)
    include(CheckLanguage)
    check_language(Fortran)
    if(CMAKE_Fortran_COMPILER)
      set(with_fortran ON)
    endif()
  endif()
endif()
if(with_fortran)
  add_subdirectory(bindings/fortran)
endif()
