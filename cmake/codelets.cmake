# SPDX-License-Identifier: BSD-3-Clause
# Build rule of the generated kernels: weft_codegen writes a few files per instruction set and
# precision; each is compiled with the flags of its instruction set. Sets weft_codelet_sources.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(weft_codelet_isas scalar neon)
else()
  set(weft_codelet_isas scalar avx2 avx512)
endif()
# A build for this machine alone spares itself kernels that it could not run.
set(WEFT_KERNELS "all" CACHE STRING "Kernels to build: all; this_cpu, what this CPU can run; widest, \
its widest instruction set and scalar, for a short build; or a list such as scalar;avx2")
if(WEFT_KERNELS STREQUAL "best")  # what plans choose from: short lines are fastest in AVX2
  set(WEFT_KERNELS this_cpu)
endif()
if(WEFT_KERNELS MATCHES "^(this_cpu|widest)$")
  if(EXISTS /proc/cpuinfo AND NOT CMAKE_CROSSCOMPILING)
    file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags" LIMIT_COUNT 1)
    if(cpu_flags AND NOT cpu_flags MATCHES " avx512vl( |$)")
      list(REMOVE_ITEM weft_codelet_isas avx512)
    endif()
    if(cpu_flags AND NOT cpu_flags MATCHES " avx2( |$)")
      list(REMOVE_ITEM weft_codelet_isas avx2)
    endif()
  endif()
  if(WEFT_KERNELS STREQUAL "widest")
    list(GET weft_codelet_isas -1 widest)
    set(weft_codelet_isas scalar ${widest})
    list(REMOVE_DUPLICATES weft_codelet_isas)
  endif()
elseif(NOT WEFT_KERNELS STREQUAL "all")
  foreach(isa ${WEFT_KERNELS})
    if(NOT isa IN_LIST weft_codelet_isas)
      message(FATAL_ERROR "WEFT_KERNELS names ${isa}; this target has ${weft_codelet_isas}")
    endif()
  endforeach()
  set(weft_codelet_isas ${WEFT_KERNELS})
endif()
set(weft_codelet_flags_scalar "")
set(weft_codelet_flags_neon "")
set(weft_codelet_flags_avx2 -mavx2 -mfma)
set(weft_codelet_flags_avx512 -mavx512f -mavx512dq -mavx512vl -mavx2 -mfma
    -mprefer-vector-width=512)
# The generator has fused and ordered everything: the compiler must neither contract nor move
# constants out of the loop, where they would occupy registers. Without its analysis of pointers
# (tree-pta) GCC makes the same code in four fifths of the time, and nearly the same in nine tenths of
# that if it joins instructions in pairs only.
# Debug information would double the time to compile and make the library thirty times as large.
set(weft_codelet_flags -O1 -g0 -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND weft_codelet_flags -fno-tree-vectorize -fno-tree-ter -fno-tree-pre -fno-tree-pta
       -fno-tree-loop-im -fno-ivopts -fno-gcse -fno-move-loop-invariants
       --param=max-combine-insns=2)
else()
  list(APPEND weft_codelet_flags -fno-vectorize -fno-slp-vectorize)
endif()
if(WEFT_FUZZ)  # fuzzing is after the code that reads text; the preset asan replays all of it
  list(APPEND weft_codelet_flags -fno-sanitize=all -fno-sanitize-coverage=trace-pc-guard)
elseif(WEFT_SANITIZE)  # what a kernel can do wrong is touch memory; the rest would quadruple the build
  list(APPEND weft_codelet_flags -O1 -fno-sanitize=undefined)
endif()

# The files of kernels are a line of the catalogue, those of line kernels another one.
set(catalogue ${PROJECT_SOURCE_DIR}/src/codelet/catalogue.cpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${catalogue})
foreach(list radix_files line_files)
  file(STRINGS ${catalogue} text REGEX "^constexpr int ${list}")
  string(REGEX REPLACE ".*{(.*)}.*" "\\1" text "${text}")
  string(REGEX MATCHALL "[0-9]+" ${list} "${text}")
  if(NOT ${list})
    message(FATAL_ERROR "${catalogue} has no line 'constexpr int ${list}[] = {...};'")
  endif()
endforeach()

set(folder ${CMAKE_CURRENT_BINARY_DIR}/generated)
string(REPLACE ";" "," isa_list "${weft_codelet_isas}")
set(weft_codelet_sources ${folder}/registry_table.cpp)
add_custom_command(OUTPUT ${folder}/registry_table.cpp
  COMMAND weft_codegen --registry ${isa_list} --output ${folder}/registry_table.cpp
  DEPENDS weft_codegen VERBATIM COMMENT "Generating the table of kernels")
foreach(isa ${weft_codelet_isas})
  foreach(precision f32 f64)
    set(files "")
    foreach(radix ${radix_files})
      list(APPEND files ${folder}/${isa}_${precision}_radix${radix}.cpp)
    endforeach()
    if(NOT isa STREQUAL scalar)
      foreach(longest ${line_files})
        list(APPEND files ${folder}/${isa}_${precision}_line${longest}.cpp)
      endforeach()
    endif()
    add_custom_command(OUTPUT ${files}
      COMMAND weft_codegen --isa ${isa} --precision ${precision} --folder ${folder}
      DEPENDS weft_codegen VERBATIM COMMENT "Generating ${isa} ${precision} kernels")
    set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS
      "${weft_codelet_flags};${weft_codelet_flags_${isa}}")
    list(APPEND weft_codelet_sources ${files})
  endforeach()
endforeach()
