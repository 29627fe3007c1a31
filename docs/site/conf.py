# SPDX-License-Identifier: BSD-3-Clause
"""Settings of Sphinx for the site that `make docs` builds (scripts/build_docs)."""

project = "weft"
author = "the weft authors"
copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
html_theme = "furo"
html_title = "weft"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
# Documents are also read as they are, where links to files of the tree make sense.
suppress_warnings = ["myst.xref_missing", "myst.header", "misc.highlighting_failure"]
autodoc_member_order = "bysource"
exclude_patterns = ["requirements.txt"]
