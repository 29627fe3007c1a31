#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Rules about the tree itself: check.sh RULE, in the root of the repository. Exit code 77: skipped.
set -euo pipefail

allowed_top_level=(
  .ci .clang-format .clang-tidy .editorconfig .gitignore
  ARCHITECTURE.md CHANGELOG.md CITATION.cff CMakeLists.txt CMakePresets.json CONTRIBUTING.md LICENSE Makefile
  README.md STYLE.md pyproject.toml apps bench bindings cmake debian docs dropins examples include packaging scripts src tests tools
)

# The files of the repository, new ones included, that are there and match the patterns.
tree_files() {
  local file
  git ls-files --cached --others --exclude-standard -- "$@" | sort -u |
    while read -r file; do if [[ -f $file ]]; then echo "$file"; fi; done
}

# Fails with the explanation when standard input names a file.
none() {
  local offenders
  offenders=$(cat)
  [[ -z $offenders ]] || { printf '%s\n%s\n' "$1" "$offenders" >&2; return 1; }
}

top_level_is_curated() {
  tree_files | cut -d/ -f1 | sort -u | grep -vxFf <(printf '%s\n' "${allowed_top_level[@]}") |
    none "not allowed at the top level; move it, or add it to allowed_top_level in $0:"
}

every_file_names_its_licence() {
  tree_files '*.cpp' '*.hpp' '*.c' '*.h' '*.f90' '*.f90.in' '*.sh' '*.cmake' '*CMakeLists.txt' '*.py' Makefile \
    scripts/ ':!tests/golden' |
    xargs grep -L 'SPDX-License-Identifier: BSD-3-Clause' |
    none "no SPDX-License-Identifier line:"
}

code_is_ascii() {
  tree_files '*.cpp' '*.hpp' '*.c' '*.h' '*.f90' '*.sh' '*.cmake' '*CMakeLists.txt' '*.py' |
    xargs grep -lP '[^\x00-\x7F]' |
    none "not ASCII:"
}

files_are_short() {
  tree_files '*.cpp' '*.hpp' '*.c' '*.h' ':!tests/golden' | xargs wc -l | awk '$2 != "total" && $1 > 500' |
    none "over 500 lines; cut it where the subject changes:"
}

# In the order of the data: a folder of src/ sees itself and the ones before it.
folders_look_back_only() {
  local later=(base problem formula codelet tune local comm reshape global gpu api spectral c fabric mpi)
  while [[ ${#later[@]} -gt 1 ]]; do
    local folder=${later[0]} pattern
    later=("${later[@]:1}")
    pattern=$(IFS='|'; echo "${later[*]}")
    tree_files "src/$folder/*.cpp" "src/$folder/*.hpp" |
      xargs -r grep -nHE "^#include \"($pattern)/" || true
  done | none "includes a folder that comes after its own:"
}

# A C++ compiler and CMake build the library; fabric is for the tool and the tests.
library_needs_nothing_else() {
  tree_files 'src/*.cpp' 'src/*.hpp' 'include/*' 'tools/codegen/*' ':!src/fabric' |
    xargs grep -nE '#include <(fmt|nlohmann|CLI)/' |
    none "a header that the library is not to need:"
}

# Programs of apps/ include weft's public headers and what they share, nothing of src/.
programs_use_the_public_headers() {
  tree_files 'apps/*.cpp' 'apps/*.hpp' ':!apps/common' |
    xargs grep -nE '^#include "' | grep -vE '#include "(weft|common|turbulence|kraichnan|pppm|gauge)/' |
    none "a header that is neither public nor of apps/:"
}

# Paths that the documents mention, and sources that they mention by name alone.
documents_name_real_files() {
  local document path name
  tree_files '*.md' | while read -r document; do
    grep -oE '(^|[ `(])(\.ci|apps|bench|bindings|cmake|docs|examples|include|scripts|src|tests|tools)/[A-Za-z0-9_./-]*' \
      "$document" | sed -E 's/^[ `(]//; s/[.,]+$//' | sort -u |
      while read -r path; do if [[ ! -e $path ]]; then echo "$document: $path"; fi; done
    grep -oE '`[a-z0-9_]+\.[ch]pp`' "$document" | tr -d '`' | sort -u |
      while read -r name; do
        [[ -n $(tree_files "*/$name") ]] || echo "$document: $name"
      done
  done | none "a document names a file that is not there:"
}

# Debian's, conda's and the citation's version are that of the header; every Debian package says what it
# holds.
packages_agree() {
  local version package
  version=$(sed -n 's/^#define WEFT_VERSION "\(.*\)"/\1/p' include/weft/version.h)
  {
    head -n 1 debian/changelog | grep -q "^weft ($version)" || echo "debian/changelog: not $version"
    grep -q "^  version: $version\$" packaging/conda/recipe.yaml || echo "recipe.yaml: not $version"
    grep -q "^version: $version$" CITATION.cff || echo "CITATION.cff: not $version"
    sed -n 's/^Package: //p' debian/control | while read -r package; do
      [[ -s debian/$package.install ]] || echo "debian/$package.install is missing"
    done
  } | none "the packages do not agree:"
}

# With -march=native in the user's flags the macros of the compiler are those of the CPU in every file, also
# in those that are for another instruction set.
code_asks_for_its_own_instruction_set() {
  tree_files 'src/*.cpp' 'src/*.hpp' | xargs grep -nE '#.*__(AVX|FMA|F16C)' |
    none "code depends on the compiler's instruction set; use WEFT_X86_REGISTER_BITS:"
}

code_is_formatted() {
  tree_files '*.cpp' '*.hpp' '*.c' '*.h' ':!tests/golden' | xargs clang-format-19 --dry-run --Werror ||
    { echo "run: make format" >&2; return 1; }
}

git rev-parse --git-dir > /dev/null 2>&1 || { echo "not a git checkout"; exit 77; }
set +o pipefail  # a grep that finds nothing is the good case
"$1"
