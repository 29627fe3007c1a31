# SPDX-License-Identifier: BSD-3-Clause
"""The gallery: pictures that weft computes, each with the lines that drew it."""

import inspect

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "weft", "figure.figsize": (5.2, 3.6), "font.size": 9})

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import weft.fft  # noqa: E402


def chirp():
    """A signal whose frequency rises, and its spectrogram: sliding windows, read where they lie."""
    t = np.linspace(0, 1, 16384, endpoint=False)
    signal = np.cos(2 * np.pi * (200 * t + 1500 * t**2))
    windows = np.lib.stride_tricks.sliding_window_view(signal, 256)[::64]
    power = np.abs(weft.fft.rfft(windows * np.hanning(256))) ** 2
    plt.imshow(10 * np.log10(power.T + 1e-9), origin="lower", aspect="auto", vmin=-30,
               extent=(0, 1, 0, 8192), cmap="magma")
    plt.xlabel("time")
    plt.ylabel("frequency")


def turbulence():
    """A random field with the spectrum k^(-5/3), made by one inverse transform."""
    n = 256
    frequencies = weft.fft.fftfreq(n, 1 / n), weft.fft.rfftfreq(n, 1 / n)
    k = np.hypot(*np.meshgrid(*frequencies, indexing="ij"))
    amplitude = np.where(k > 0, np.maximum(k, 1) ** (-(5 / 3 + 1) / 2), 0)
    noise = weft.fft.rfft2(np.random.default_rng(5).standard_normal((n, n)))
    field = weft.fft.irfft2(noise * amplitude, s=(n, n))
    plt.imshow(field, cmap="RdBu_r")
    plt.axis("off")


def cosine_basis():
    """The sixty-four pictures of an 8 x 8 cosine transform."""
    tiles = np.zeros((8, 8, 8, 8))
    for i, j in np.ndindex(8, 8):
        unit = np.zeros((8, 8))
        unit[i, j] = 1
        tiles[i, :, j, :] = weft.fft.idctn(unit, norm="ortho")
    plt.imshow(np.pad(tiles, ((0, 0), (0, 1), (0, 0), (0, 1)), constant_values=0.25)
               .reshape(72, 72), cmap="gray")
    plt.axis("off")


def diffraction():
    """Light behind a hexagonal hole: the squared transform of the hole."""
    y, x = np.mgrid[-256:256, -256:256] / 24.0
    angles = np.arange(6) * np.pi / 3
    hole = np.all([x * np.cos(a) + y * np.sin(a) < 1 for a in angles], axis=0)
    light = np.abs(weft.fft.fftshift(weft.fft.fft2(hole.astype(np.float32))))
    plt.imshow(np.log(light + 1)[128:384, 128:384], cmap="inferno")
    plt.axis("off")


def heat():
    """Heat spreads in a ring: each mode decays by itself."""
    x = np.linspace(0, 1, 512, endpoint=False)
    start = ((x > 0.2) & (x < 0.35)) + 0.6 * ((x > 0.6) & (x < 0.65))
    decay = (2 * np.pi * weft.fft.rfftfreq(512, 1 / 512)) ** 2
    for time in (0, 1e-4, 1e-3, 5e-3, 2e-2):
        plt.plot(x, weft.fft.irfft(weft.fft.rfft(start) * np.exp(-decay * time), 512), label=f"t = {time:g}")
    plt.legend()


def machines():
    """What other machines would need: predictions, with the size of the machine."""
    from weft import fabric

    for name, nodes in [("summit", [16, 64, 256, 1024, 4096]), ("bluegene-p", [512, 1024, 2048, 4096])]:
        swept = fabric.sweep(name, "1024^3", nodes=nodes, value="seconds", closed_forms_only=True)
        for scheme, seconds in swept["series"].items():
            plt.loglog(swept["x"], seconds, "o-", label=f"{name}: {scheme[:28]}")
    plt.xlabel("nodes")
    plt.ylabel("seconds for 1024^3")
    plt.legend(fontsize=7)


PICTURES = [chirp, turbulence, cosine_basis, diffraction, heat, machines]


def write(folder):
    lines = ["# Gallery", "", "Pictures that were computed while this site was built.", ""]
    for picture in PICTURES:
        plt.figure()
        picture()
        plt.tight_layout()
        plt.savefig(folder / f"gallery_{picture.__name__}.svg", metadata={"Date": None}, dpi=110)
        plt.close()
        code = inspect.getsource(picture)
        body = inspect.cleandoc(code[code.index('"""', code.index('"""') + 3) + 3:].strip("\n"))
        lines += [f"## {picture.__name__.replace('_', ' ').capitalize()}", "", picture.__doc__, "",
                  f"![{picture.__doc__}](gallery_{picture.__name__}.svg)", "", "```python",
                  body, "```", ""]
    (folder / "gallery.md").write_text("\n".join(lines))
