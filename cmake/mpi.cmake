# SPDX-License-Identifier: BSD-3-Clause
# MPI libraries of this machine. Each one that is found gets a target weft_mpi_interface_NAME; only
# src/mpi and what includes weft/mpi.hpp is compiled once per MPI.
set(WEFT_MPI "AUTO" CACHE STRING "MPI libraries to build for: AUTO, OFF, or a list of openmpi;mpich")
set(weft_mpis "")

# weft_find_mpi(NAME WRAPPERS... COMPILE flag LINK flag RUN...): asks a compiler wrapper what it would pass to the compiler.
function(weft_find_mpi name)
  cmake_parse_arguments(arg "" "" "WRAPPERS;COMPILE;LINK;RUN" ${ARGN})
  find_program(WEFT_${name}_CXX NAMES ${arg_WRAPPERS})
  find_program(WEFT_${name}_RUN NAMES ${arg_RUN})
  mark_as_advanced(WEFT_${name}_CXX WEFT_${name}_RUN)
  if(NOT WEFT_${name}_CXX OR NOT WEFT_${name}_RUN)
    return()
  endif()
  execute_process(COMMAND ${WEFT_${name}_CXX} ${arg_COMPILE} OUTPUT_VARIABLE compile
                  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  execute_process(COMMAND ${WEFT_${name}_CXX} ${arg_LINK} OUTPUT_VARIABLE link
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed)
    return()
  endif()
  separate_arguments(includes UNIX_COMMAND "${compile}")
  list(FILTER includes INCLUDE REGEX "^-I")
  list(TRANSFORM includes REPLACE "^-I" "")
  separate_arguments(libraries UNIX_COMMAND "${link}")
  list(FILTER libraries INCLUDE REGEX "^-[lL]")
  list(FILTER libraries EXCLUDE REGEX "^-lmpi_cxx$|^-lmpichcxx$")  # MPI's old C++ interface
  add_library(weft_mpi_interface_${name} INTERFACE)
  target_include_directories(weft_mpi_interface_${name} SYSTEM INTERFACE ${includes})
  target_compile_definitions(weft_mpi_interface_${name} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(weft_mpi_interface_${name} INTERFACE ${libraries})
  set(weft_mpis ${weft_mpis} ${name} PARENT_SCOPE)
endfunction()

if(NOT WEFT_MPI STREQUAL "OFF" AND NOT CMAKE_CROSSCOMPILING)
  if(WEFT_MPI STREQUAL "AUTO" OR "openmpi" IN_LIST WEFT_MPI)
    weft_find_mpi(openmpi WRAPPERS mpicxx.openmpi mpicxx COMPILE --showme:compile LINK --showme:link
                  RUN mpiexec.openmpi mpiexec)
  endif()
  if(WEFT_MPI STREQUAL "AUTO" OR "mpich" IN_LIST WEFT_MPI)
    weft_find_mpi(mpich WRAPPERS mpicxx.mpich mpicxx COMPILE -compile_info LINK -link_info
                  RUN mpiexec.mpich mpiexec)
  endif()
  message(STATUS "MPI libraries: ${weft_mpis}")
endif()

# The environment of tests on more ranks than there are cores.
function(weft_mpi_environment mpi result)
  set(environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive)
  if(WEFT_SANITIZE)  # MPI libraries leak; what weft leaks shows with ranks that are threads
    list(APPEND environment ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0)
  endif()
  if(mpi STREQUAL "mpich" AND TARGET weft_polite_waiting)
    list(APPEND environment LD_PRELOAD=$<TARGET_FILE:weft_polite_waiting>)
  endif()
  set(${result} "${environment}" PARENT_SCOPE)
endfunction()

# weft_mpi_test(NAME MPI RANKS COMMAND...): a test on many ranks. The timeout turns a hang into a
# failure.
function(weft_mpi_test name mpi ranks)
  set(oversubscribe "")
  if(mpi STREQUAL "openmpi")
    set(oversubscribe --oversubscribe)
  endif()
  weft_mpi_environment(${mpi} environment)
  add_test(NAME ${name} COMMAND ${WEFT_${mpi}_RUN} -n ${ranks} ${oversubscribe} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 PROCESSORS 2 ENVIRONMENT "${environment}")
endfunction()
