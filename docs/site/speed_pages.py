# SPDX-License-Identifier: BSD-3-Clause
"""Pages with bars and curves from the recorded tables docs/speed_*.csv, as `weft bench local --html` writes them."""

import csv
import json
import math


def read(path):
    """The comment lines and the rows of a table that scripts/record_speed wrote."""
    lines = path.read_text().splitlines()
    about = [line[2:] for line in lines if line.startswith("# ")]
    return about, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def shape_of(name):
    """"columns 512*512" -> [512], 512; "256x256" -> [256, 256], 1"""
    text = name.split(" ")[-1]
    batch, _, shape = text.rpartition("*")
    return [int(n) for n in shape.split("x")], int(batch or 1)


def flops(row):
    shape, batch = shape_of(row["row"])
    points = math.prod(shape)
    return (2.5 if row["kind"] != "c2c" else 5) * points * math.log2(max(2, points)) * batch


def document(about, rows):
    """What bench.html draws."""
    machine, versions = about[0], about[1]
    cpu, _, libraries = versions.partition("; ")
    names = libraries.split(", ")
    def split(name):
        library, _, effort = name.partition(" (")
        return library, effort.rstrip(")")
    (weft, effort), (fftw, fftw_effort) = split(names[0]), split(names[1])
    out = []
    for row in rows:
        seconds = {library: float(row[library] or 0) * 1e-6 for library in ("weft", "FFTW", "MKL", "limit")}
        work = flops(row)
        out.append({"group": row["group"], "name": row["row"], "kind": row["kind"], "precision": row["precision"],
                    "place": row["place"], "threads": int(row["threads"]), "shape": shape_of(row["row"])[0],
                    "batch": shape_of(row["row"])[1], "weft_s": seconds["weft"], "limit_s": seconds["limit"],
                    "weft_gflops": work / seconds["weft"] * 1e-9, "fftw_gflops": work / seconds["FFTW"] * 1e-9,
                    "ratio": float(row["FFTW by weft"]), "recipe": "",
                    "mkl": {"mkl_s": seconds["MKL"], "ratio": float(row["MKL by weft"])} if row["MKL"] else None})
    return {"weft": weft.removeprefix("weft "), "fftw": fftw, "mkl": names[2] if len(names) > 2 else None,
            "effort": {"weft": effort, "fftw": fftw_effort}, "cpu": f"{cpu}, {machine}", "statistic": "medians",
            "rows": out}


def write(root, html):
    template = (root / "tools/weft/bench/bench.html").read_text()
    for table in sorted((root / "docs").glob("speed_*.csv")):
        text = json.dumps(document(*read(table)))
        (html / f"{table.stem}.html").write_text(template.replace("/*results*/", text.replace("<", "\\u003c")))
