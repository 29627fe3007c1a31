# SPDX-License-Identifier: BSD-3-Clause
"""Pages of the reference: what the headers say, declaration by declaration, and the docstrings."""

import re
import textwrap

CPP = ["weft", "plan", "types", "view", "aligned", "executor", "wisdom", "error", "distribution",
       "distributed", "comm", "mpi", "cuda", "version"]
C = ["weft.h", "weft_mpi.h", "weft_cuda.h"]
PYTHON = ["weft", "weft.fft", "weft.wisdom", "weft.scipy", "weft.numpy", "weft.mpi",
          "weft.mpi.mpifft", "weft.mpi.distarray", "weft.mpi.pencil", "weft.mpi.libfft",
          "weft.mpi.fftw", "weft.fabric"]
INSIDE = {"WEFT_ANY_INT"}  # of use to the headers only


def _blocks(text):
    """Declarations with the comments before them: what blank lines separate outside of braces."""
    block, depth = [], 0
    for line in text.splitlines():
        if not line.strip() and depth == 0:
            if block:
                yield block
            block = []
            continue
        code = re.sub(r"//.*|\"[^\"]*\"|/\*.*?\*/", "", line)
        if not re.match(r"\s*(namespace\b.*\{|extern \"C\" \{|\}\s*(//.*namespace.*)?$)", line) or depth:
            depth = max(depth + code.count("{") - code.count("}"), 0)
            block.append(line)
    if block:
        yield block


def _split(block):
    """The comment, as text, and the code."""
    comment, code = [], list(block)
    while code and re.match(r"\s*(///?|/\*|\*/|\*( |$)| \*)", code[0]):
        line = code.pop(0)
        comment.append(re.sub(r"^\s*(///?<?|/\*\*?|\*/|\*)\s?|\s*\*/\s*$", "", line))
    return "\n".join(comment).strip(), "\n".join(code).rstrip()


def _name(code):
    for pattern in (r"\b(?:class|struct|enum class|enum|concept)\s+(?:WEFT_API\s+)?(\w+)",
                    r"(?:using)\s+(\w+)\s*=", r"#define\s+(\w+)", r"(\w+)\s*\("):
        found = re.search(pattern, code)
        if found:
            return found[1]
    return None


def _escaped(text):
    return re.sub(r"([<>*_\[\]{}$])", r"\\\1", text)


def _prose(comment):
    """A comment as text: indented paragraphs are code, `---- Plans: of one process ----` begins a
    section."""
    section = re.match(r"-{4} ([^:.,]*)[:.,]?\s*(.*?)\s*-{4}$", comment, re.S)
    if section:
        return "\n\n".join(filter(None, [f"## {section[1].strip()}", _escaped(section[2])]))
    return "\n\n".join(
        f"```c\n{textwrap.dedent(paragraph)}\n```" if paragraph.startswith("    ") else _escaped(paragraph)
        for paragraph in re.split(r"\n\s*\n", comment))


def _page(title, files, language, root):
    lines = [f"# {title}", ""]
    for heading, path in files:
        lines += [f"## `{heading}`", ""]
        is_first = True
        for block in _blocks(_as_lines((root / path).read_text())):
            comment, code = _split(block)
            code = "\n".join(line for line in code.splitlines()
                             if not re.match(r"\s*#\s*(pragma|include|if|else|endif|undef)", line)).strip()
            if "SPDX" in comment:
                comment = re.sub(r".*SPDX.*\n?", "", comment)
            code = re.sub(r"^#define \w+_H$", "", code, flags=re.M).strip()
            code = code.replace(" WEFT_ANY_INT {", " {")
            name = _name(code) if code else None
            if name in INSIDE or (not is_first and not comment and not name):
                continue
            if name:
                lines += [f"### {_escaped(name)}", ""]
            if comment:
                lines += [_prose(comment), ""]
            if code:
                lines += [f"```{language}", code, "```", ""]
            is_first = False
    return "\n".join(lines) + "\n"


def _as_lines(text):
    """Comments over several lines of C become comments of one line each."""
    def lines(found):
        first, _, rest = found[1].strip().partition("\n")
        inside = [first, *textwrap.dedent(rest).splitlines()]
        return "\n".join(f"/// {line}".rstrip() for line in inside) + "\n"
    return re.sub(r"^/\*+((?:(?!\*/).)*)\*/[ ]*\n", lines, text, flags=re.M | re.S)


def _fortran(root):
    """The constants, and the types with their public components and procedures, as the module declares them."""
    text = (root / "bindings/fortran/weft.f90.in").read_text()
    lines = ["# Fortran", "", "`use weft`, and `use weft_mpi` for ranks. [The guide](../bindings.md) explains both.", ""]
    head = re.match(r"((?:!.*\n)+)", text)
    if head:
        lines += [_escaped(re.sub(r"^! ?", "", re.sub(r".*SPDX.*\n", "", head[1]), flags=re.M)), ""]
    constants = re.findall(r"^ *integer\(c_int\), parameter, public ::[^&\n]*(?:&\n[^&\n]*)*", text, re.M)
    lines += ["## Constants", "", "```fortran", textwrap.dedent("\n".join(constants)), "```", ""]
    for comment, name, body in re.findall(
            r"((?:^  ![^\n]*\n)*)^  type, public :: (\w+)\n(.*?)^  end type", text, re.M | re.S):
        lines += [f"## {_escaped(name)}", "", _escaped(re.sub(r"^ *! ?", "", comment, flags=re.M)), ""]
        kept = body.splitlines()
        if "  contains\n" in body:  # else its components are public
            kept = [line for line in kept if re.match(r"\s*(!|generic|procedure, public)", line)
                    and "assignment" not in line]
        shown = [re.sub(r" => [\w, ]+?\s*(?=!|$)", "  ", line).rstrip() for line in kept]
        lines += ["```fortran", textwrap.dedent("\n".join(shown)), "```", ""]
    for name in ("one_dimension", "many_ranks"):
        lines += [f"## Example: {name.replace('_', ' ')}", "",
                  f"```{{literalinclude}} ../examples/fortran/{name}.f90", ":language: fortran",
                  ":lines: 2-", "```", ""]
    return "\n".join(lines) + "\n"


def write(root, folder):
    folder.mkdir(exist_ok=True)
    include = "include/weft"
    cpp = [(f"weft/{name}.hpp", f"{include}/{name}.hpp") for name in CPP
           if (root / include / f"{name}.hpp").exists()]
    (folder / "cpp.md").write_text(_page("C++", cpp, "cpp", root))
    (folder / "c.md").write_text(_page("C", [(f"weft/{n}", f"{include}/{n}") for n in C], "c", root))
    (folder / "fortran.md").write_text(_fortran(root))
    lines = ["# Python", ""]
    for module in PYTHON:
        lines += [f"## {module}", "", "```{eval-rst}", f".. automodule:: {module}"]
        if module == "weft":
            lines += ["", ".. autoclass:: weft.Plan", "   :members:"]
        elif module == "weft.numpy":  # the functions themselves are numpy.fft's
            lines += ["", ".. autofunction:: weft.numpy.patch"]
        elif module == "weft.mpi":
            lines += ["", ".. autoclass:: weft.mpi.Plan", "   :members:", "   :special-members: __call__",
                      "", ".. autofunction:: weft.mpi.slabs", ".. autofunction:: weft.mpi.pencils",
                      ".. autofunction:: weft.mpi.bricks"]
        else:
            lines += ["   :members:", "   :ignore-module-all:" if module.startswith("weft.mpi.") else ""]
        lines += ["```", ""]
    (folder / "python.md").write_text("\n".join(lines))
