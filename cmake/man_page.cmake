# SPDX-License-Identifier: BSD-3-Clause
# Writes the man page from the help texts of the tool: cmake -DTOOL=weft -DOUTPUT=weft.1
# -DVERSION=0.1.0 -P man_page.cmake. A page per sub-command would say the same in more files.
cmake_minimum_required(VERSION 3.25)

# Text as roff: the backslash is special, and so are a dot, a quote and a minus.
function(as_roff text result)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(help_of command result)
  separate_arguments(words UNIX_COMMAND "${command}")
  execute_process(COMMAND ${TOOL} ${words} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# The names under "Subcommands:", up to the next empty line.
function(subcommands_of text result)
  set(names "")
  if(text MATCHES "\nSubcommands:\n([^\n]+\n)+")
    string(REGEX MATCHALL "\n  [a-z0-9-]+" lines "${CMAKE_MATCH_0}")
    foreach(line ${lines})
      string(STRIP "${line}" name)
      list(APPEND names ${name})
    endforeach()
  endif()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# Usage and options; the examples that every help ends with are said once, at the end of the page.
function(add_section command)
  help_of("${command}" text)
  string(REGEX REPLACE "\nExamples:\n  weft demo .*" "" body "${text}")
  as_roff("weft ${command}" title)
  as_roff("${body}" body)
  string(APPEND page ".SS ${title}\n.nf\n${body}\n.fi\n")
  subcommands_of("${text}" names)
  foreach(name ${names})
    add_section("${command} ${name}")
  endforeach()
  set(page "${page}" PARENT_SCOPE)
endfunction()

help_of("" whole)
string(REGEX MATCH "^weft: ([^\n]*)" first "${whole}")
as_roff("${CMAKE_MATCH_1}" summary)
set(page ".\\\" SPDX-License-Identifier: BSD-3-Clause\n")
string(APPEND page ".TH WEFT 1 \"\" \"weft ${VERSION}\" \"User Commands\"\n"
       ".SH NAME\nweft \\- ${summary}\n.SH SYNOPSIS\n.B weft\nCOMMAND [OPTIONS]\n"
       ".SH DESCRIPTION\n.nf\n")
as_roff("${whole}" body)
string(APPEND page "${body}.fi\n.SH COMMANDS\n")
subcommands_of("${whole}" commands)
if(NOT commands)
  message(FATAL_ERROR "the help of ${TOOL} lists no sub-commands")
endif()
foreach(command ${commands})
  add_section("${command}")
endforeach()
string(APPEND page ".SH SEE ALSO\nThe documents that are installed with weft, in share/doc/weft.\n")
file(WRITE ${OUTPUT} "${page}")
