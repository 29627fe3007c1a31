# SPDX-License-Identifier: BSD-3-Clause
if(PROJECT_IS_TOP_LEVEL)
  option(BUILD_SHARED_LIBS "Build libweft.so instead of libweft.a" OFF)
endif()
option(WEFT_TESTS "Build tests and examples" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_TOOL "Build the tool weft, which needs fmt, nlohmann-json and CLI11" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_APPS "Build the programs of apps/, which need the tool (docs/applications.md)" ${WEFT_TOOL})
option(WEFT_DROPINS "Build libraries with the interfaces of FFTW, heFFTe and cuFFT (docs/dropins.md)" ${WEFT_TESTS})
option(WEFT_CUDA "Plans for NVIDIA GPUs; needs nothing of CUDA to build" ON)
option(WEFT_OPENMP "Run plans on OpenMP's threads by default where the compiler has OpenMP" ON)
option(WEFT_INSTALL "Let `cmake --install` install weft" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_WERROR "Treat warnings as errors" OFF)
option(WEFT_CCACHE "Compile through ccache where it is installed" ON)
option(WEFT_FUZZ "Build the programs of tests/fuzz for libFuzzer, which needs clang" OFF)
set(WEFT_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")

if(WEFT_TOOL AND NOT WEFT_CUDA)
  message(FATAL_ERROR "The tool has commands for GPUs: WEFT_TOOL needs WEFT_CUDA; set one of them")
endif()
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)  # what is exported says so: include/weft/export.h
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # weft::weft links what its folders have found

find_program(WEFT_CCACHE_PROGRAM ccache)
if(WEFT_CCACHE AND WEFT_CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WEFT_CCACHE_PROGRAM})
endif()

# Usage requirements of every target of this repository, never of its clients. GCC 12 warns of
# overlaps in plain std::string concatenation (-Wrestrict) where there are none; clang of what its
# std::stable_sort uses.
add_library(weft_build_flags INTERFACE)
set(is_gnu $<CXX_COMPILER_ID:GNU>)
target_compile_options(weft_build_flags INTERFACE -Wall -Wextra -Wno-psabi
                       $<${is_gnu}:-Wno-restrict>
                       "$<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations;-Wno-unknown-warning-option>"
                       $<$<AND:${is_gnu},$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
                       $<$<BOOL:${WEFT_WERROR}>:-Werror>)
if(WEFT_FUZZ)
  target_compile_options(weft_build_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(WEFT_SANITIZE)
  target_compile_options(weft_build_flags INTERFACE
                         -fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  target_link_options(weft_build_flags INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()

# weft_precompile(TARGET HEADERS...): reads heavy headers once, where there is no ccache: that does
# as well for a second build, and does not go with precompiled headers.
function(weft_precompile target)
  if(NOT WEFT_CCACHE OR NOT WEFT_CCACHE_PROGRAM)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# weft_share_precompiled(TARGET GROUP FLAGS HEADERS...): the same for many targets that are compiled
# with the same FLAGS: the first of a GROUP reads the headers for all.
function(weft_share_precompiled target group flags)
  if(WEFT_CCACHE AND WEFT_CCACHE_PROGRAM)
    return()
  endif()
  if(NOT TARGET weft_headers_${group})
    set(source ${PROJECT_BINARY_DIR}/weft_headers_${group}.cpp)
    file(WRITE ${source} "int main() {}\n")
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")  # a test; position independent in another way than libraries
      add_executable(weft_headers_${group} ${source})
      target_link_libraries(weft_headers_${group} PRIVATE GTest::gtest)  # for its definitions
    else()
      add_library(weft_headers_${group} STATIC ${source})
    endif()
    target_compile_options(weft_headers_${group} PRIVATE ${flags})
    target_link_libraries(weft_headers_${group} PRIVATE weft_build_flags)
    target_precompile_headers(weft_headers_${group} PRIVATE ${ARGN})
  endif()
  target_precompile_headers(${target} REUSE_FROM weft_headers_${group})
endfunction()
set(weft_standard_headers <algorithm> <array> <cmath> <complex> <cstring> <functional> <map> <memory>
    <mutex> <optional> <set> <span> <sstream> <string> <string_view> <utility> <variant> <vector>)

# weft_library(NAME [NOT_IN_LIBWEFT] [OPTIMISE LEVEL] SOURCES... [LINK targets...]): one folder of src/
# as one static target. Together they become the library weft::weft (src/CMakeLists.txt), but for
# those that only the tool and the tests need. OPTIMISE lowers -O3 of Release for folders that decide
# or write text and leave the numbers to others: it takes up to half of the time to compile them.
# OWN_FLAGS: has flags of its own, and so no precompiled headers.
function(weft_library name)
  cmake_parse_arguments(arg "NOT_IN_LIBWEFT;OWN_FLAGS" "OPTIMISE" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  if(NOT arg_NOT_IN_LIBWEFT AND CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/src/")
    set_property(GLOBAL APPEND PROPERTY WEFT_PARTS ${name})
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(${name} PUBLIC ${arg_LINK}
                        PRIVATE $<BUILD_INTERFACE:weft_build_flags> ${arg_PRIVATE_LINK})
  set(flags "")
  if(arg_OPTIMISE)
    # At -O1 GCC 12 also sees overflows in std::string concatenation where there are none.
    set(flags $<$<CONFIG:Release>:${arg_OPTIMISE}> $<${is_gnu}:-Wno-stringop-overflow>)
    target_compile_options(${name} PRIVATE ${flags})
  endif()
  if(NOT arg_OWN_FLAGS)
    weft_share_precompiled(${name} library${arg_OPTIMISE} "${flags}" ${weft_standard_headers})
  endif()
endfunction()

# weft_test(NAME [SECONDS about] SOURCES... LINK targets...): one GoogleTest binary, one ctest entry.
# What tests call is optimised, they themselves are not. SECONDS: long tests start first. Threads that
# wait leave the core to the test beside them.
function(weft_test name)
  cmake_parse_arguments(arg "" "SECONDS" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  set(flags "")
  if(NOT WEFT_SANITIZE)
    set(flags $<$<CONFIG:RelWithDebInfo>:-O0>)
  endif()
  target_compile_options(${name} PRIVATE ${flags})
  weft_share_precompiled(${name} test "${flags}" <gtest/gtest.h> ${weft_standard_headers})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LINK} weft_build_flags GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT OMP_WAIT_POLICY=passive)
  if(arg_SECONDS)
    set_tests_properties(${name} PROPERTIES COST ${arg_SECONDS})
  endif()
endfunction()
