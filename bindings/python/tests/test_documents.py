# SPDX-License-Identifier: BSD-3-Clause
"""Code that the README and the tutorials show: Python is run, the rest is part of the examples, which
other tests compile and run."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TUTORIALS = sorted((ROOT / "docs" / "site" / "tutorials").glob("*.md"))


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)


def test_the_readme_runs():
    assert blocks("python")
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})


@pytest.mark.parametrize("language, example", [("c", "c/one_dimension.c"),
                                               ("fortran", "fortran/one_dimension.f90")])
def test_the_readme_shows_the_examples(language, example):
    assert blocks(language)
    for block in blocks(language):
        assert block in (ROOT / "examples" / example).read_text()


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorials_show_files_that_exist(page):
    text = page.read_text()
    shown = re.findall(r"^```\{literalinclude\} \.\./(.*)$", text, re.M)
    assert shown
    for file in shown:
        assert (ROOT / file).exists(), file
    # no code beside that of the examples, which are run
    assert not re.search(r"^```(cpp|c|python|fortran)$", text, re.M)
    for link in re.findall(r"\]\(\.\./([\w/]+)\.md\)", text):
        generated = link.startswith("api/")
        assert generated or (ROOT / "docs" / f"{link}.md").exists(), link


def test_the_plot_is_drawn_from_the_recorded_figures():
    subprocess.run([sys.executable, ROOT / "scripts" / "draw_speed", "--check"], check=True)
