# SPDX-License-Identifier: BSD-3-Clause
"""How long transforms take on other machines: by formulas, and simulated.

The machines are those of ``machines()``, or files in JSON (``machine_file`` gives one to edit): the
wafer of wsFFT, the systolic arrays of APE, the torus of BlueGene/P, clusters. What the tool prints
(``weft predict``, ``weft simulate``, ``weft sweep``) is returned here as dictionaries and arrays of
NumPy. The options of all functions are those of the tool, with underscores.

>>> [one["name"] for one in machines() if one["kind"] == "wafer"]
['wse2', 'wse2-measured']
>>> simulate("wse2", "512^3", level="closed-form")["cycles"] > 100_000
True
"""

import json

import numpy as np

try:
    from . import _fabric
except ImportError as error:
    raise ImportError("this build of weft has no weft.fabric, which needs fmt, nlohmann-json and "
                      "CLI11: build it with `make wheel`, or with "
                      "`pip install . -C cmake.define.WEFT_TOOL=ON`") from error

__all__ = ["machines", "machine_file", "predict", "simulate", "sweep"]

_COMMON = {"precision", "inverse"}
_WAFER = {"mesh", "schedule", "kernel", "sending", "groups", "one_line", "timed"}
_PREDICT = _COMMON | _WAFER | {"nodes", "recipe", "closed_forms_only"}
_SIMULATE = {"wafer": _COMMON | _WAFER | {"level", "threads"},
             "systolic": {"precision", "strides", "restored"},
             "network": _COMMON | {"real", "nodes", "ranks", "ranks_per_node", "recipe", "exchange"}}


def _size_text(size):
    """"512^3", or the text of a sequence of extents."""
    return size if isinstance(size, str) else "x".join(str(int(n)) for n in np.atleast_1d(size))


def _options(machine, size, given, known, what):
    unknown = set(given) - known
    if unknown:
        raise TypeError(f"{what} has no option {', '.join(sorted(unknown))}; it has "
                        f"{', '.join(sorted(known))}")
    return dict(given, machine=machine, size=_size_text(size))


def machines():
    """The machines that come with weft: name, kind, description, and which values of their files
    were fitted or assumed.

    >>> sorted({one["kind"] for one in machines()})
    ['cluster', 'systolic torus', 'torus', 'wafer']
    """
    return _fabric.machines()


def machine_file(name):
    """The text of a machine's file, to copy and edit; functions take the path of such a copy.

    >>> "clock" in machine_file("wse2")
    True
    """
    return _fabric.machine_file(name)


def predict(machine, size, **options):
    """The time of a transform by formulas: a list of dictionaries, one for each scheme.

    Each has ``scheme``, ``seconds``, ``exchange_s``, ``bound_s`` (what the network needs at least; 0:
    nothing leaves the node), ``tflops``, ``nodes``, ``limit``, ``memory``, ``fits`` and ``notes``.

    >>> best = min(predict("summit", "1024^3", nodes=128), key=lambda one: one["seconds"])
    >>> best["fits"], best["nodes"], best["bound_s"] <= best["seconds"]
    (True, 128.0, True)
    """
    return _fabric.predict(_options(machine, size, options, _PREDICT, "predict"))


def simulate(machine, size=None, x=None, **options):
    """Carries out a transform on a simulated machine; returns a dictionary.

    On a wafer it has ``cycles``, ``seconds``, ``exchange_cycles`` and ``steps`` (names and cycles). With
    an array ``x`` of three dimensions its numbers are transformed as the simulated routers and
    kernels do it, and the result is the entry ``numbers``; without one only cycles are counted.
    Systolic arrays, torus and clusters transform numbers of their own and check them; see
    ``weft simulate --help`` for their options.

    >>> x = np.arange(512.0).reshape(8, 8, 8)
    >>> run = simulate("wse2", x=x)
    >>> bool(np.allclose(run["numbers"], np.fft.fftn(x), atol=0.1)), sum(c for _, c in run["steps"]) == run["cycles"]
    (True, True)
    >>> run = simulate("cluster", "16^3", ranks=8)
    >>> run["machine"]
    'cluster'
    """
    kind = _fabric.machine_kind(machine)
    group = {"wafer": "wafer", "systolic torus": "systolic"}.get(kind, "network")
    if size is None and x is None:
        raise TypeError("pass a size, such as \"64^3\", or an array as x")
    if x is not None:
        if group != "wafer":
            raise ValueError(f"{machine} is a {kind}: only wafers take an array; pass a size")
        x = np.ascontiguousarray(x, np.complex64)
        if x.ndim != 3:
            raise ValueError(f"x has {x.ndim} dimensions; a wafer transforms three")
        if size is not None and _size_text(size) != _size_text(x.shape):
            raise ValueError(f"size is {size}, but x has the shape {x.shape}")
        size = x.shape
    named = _options(machine, size, options, _SIMULATE[group], f"simulate on a {kind}")
    if group != "wafer":
        return json.loads(_fabric.simulate(named))
    out = None if x is None else np.empty_like(x)
    record = _fabric.simulate_wafer(named, x, out)
    if out is not None:
        record["numbers"] = out
    return record


def sweep(machine, size="512^3", *, nodes=None, edges=None, groups=None, value="tflops", **options):
    """Predictions for several ``nodes``, ``edges`` (of a cube) or ``groups`` (of a wafer's lines).

    Nodes and edges together, as many of both, are weak scaling. Returns a dictionary: ``x`` is an
    array of what varies, ``series`` has an array of ``value`` ("tflops", "seconds",
    "exchange_share", "bound_share") for each scheme, NaN where it has none, and ``fits`` whether the
    array fits into the memory.

    >>> swept = sweep("summit", "1024^3", nodes=[32, 64, 128], closed_forms_only=True)
    >>> swept["x"]
    array([ 32,  64, 128])
    >>> all(len(values) == 3 for values in swept["series"].values())
    True
    """
    axes = {name: list(axis) for name, axis in
            [("nodes", nodes), ("edges", edges), ("groups", groups)] if axis is not None}
    if len(axes) != 1 and set(axes) != {"nodes", "edges"}:
        raise ValueError("pass one of nodes, edges and groups, or nodes and edges together")
    counts = {len(axis) for axis in axes.values()}
    if len(counts) != 1:
        raise ValueError("nodes and edges together must be as many")
    pick = {"tflops": lambda one: one["tflops"], "seconds": lambda one: one["seconds"],
            "exchange_share": lambda one: one["exchange_s"] / one["seconds"],
            "bound_share": lambda one: one["bound_s"] / one["seconds"]}
    if value not in pick:
        raise ValueError(f"value is {value!r}; it must be one of {', '.join(pick)}")
    count, series, fits = counts.pop(), {}, {}
    dimensions = len(_size_text(size).split("x")) if "^" not in _size_text(size) else \
        int(_size_text(size).partition("^")[2])
    is_wafer = _fabric.machine_kind(machine) == "wafer"
    for k in range(count):
        more = {name: axis[k] for name, axis in axes.items() if name != "edges"}
        cube = f"{int(edges[k])}^{dimensions}" if edges is not None else size
        for one in predict(machine, cube, **options, **more):
            name = options.get("schedule", "paper") if is_wafer else one["scheme"].partition(":")[0]
            series.setdefault(name, np.full(count, np.nan))[k] = pick[value](one)
            fits.setdefault(name, np.zeros(count, bool))[k] = one["fits"]
    return {"x": np.array(axes[next(iter(axes))]), "series": series, "fits": fits, "value": value}
