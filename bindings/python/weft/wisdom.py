# SPDX-License-Identifier: BSD-3-Clause
"""The fastest measured recipes, per CPU and problem. One store per process.

Plans made with ``effort="measure"`` add to it, and every plan looks in it first.

>>> weft.wisdom.forget()
>>> len(weft.wisdom.to_string()) > 0 and weft.wisdom.size() == 0
True
"""

import os

from . import _core

__all__ = ["load", "save", "to_string", "from_string", "forget", "size", "default_path"]


def load(path=None):
    """Adds a file to the store; default: :func:`default_path`."""
    _core.wisdom_load(os.fspath(path if path is not None else default_path()))


def save(path=None):
    """Adds the store to a file, under a lock; default: :func:`default_path`."""
    _core.wisdom_save(os.fspath(path if path is not None else default_path()))


def to_string():
    """The store as the text of a wisdom file."""
    return _core.wisdom_to_string()


def from_string(text):
    """Adds such a text to the store."""
    _core.wisdom_from_string(text)


def forget():
    """Empties the store."""
    _core.wisdom_forget()


def size():
    """How many recipes the store has."""
    return _core.wisdom_size()


def default_path():
    """Where the tool weft keeps wisdom: $WEFT_WISDOM, or a file in the user's cache folder."""
    return _core.wisdom_default_path()
