# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe: copy it to packages/weft/ of a repository of yours, and say where the source is."""
from spack.package import *


class Weft(CMakePackage):
    """Fast Fourier transforms across any fabric of processors: cores, MPI ranks, GPUs."""

    license("BSD-3-Clause")
    version("main", branch="main")

    variant("shared", default=True, description="Build a shared library")
    variant("mpi", default=True, description="Plans over MPI ranks")
    variant("cuda", default=True, description="Plans for NVIDIA GPUs; the driver is found at run time")
    variant("openmp", default=True, description="Run plans on OpenMP's threads")
    variant("fortran", default=False, description="Fortran modules")
    variant("tool", default=True, description="The command-line tool")
    variant(
        "kernels",
        default="all",
        values=("all", "this_cpu", "scalar"),
        multi=False,
        description="Instruction sets of the kernels; the library chooses at run time",
    )
    variant("dropins", default=False, description="Libraries with the interfaces of FFTW and heFFTe")
    variant("python", default=False, description="The Python package")

    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("fmt@9:", when="+tool")
    depends_on("nlohmann-json", when="+tool")
    depends_on("cli11", when="+tool")
    extends("python", when="+python")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy@2:", type=("build", "run"), when="+python")
    depends_on("py-nanobind@2.4:", type="build", when="+python")
    conflicts("%gcc@:11", msg="weft needs C++20")
    conflicts("%clang@:18", msg="weft needs C++20")
    conflicts("+tool~cuda", msg="the tool has commands for GPUs")

    def cmake_args(self):
        mpi = "OFF"
        if "+mpi" in self.spec:
            mpi = "openmpi" if self.spec["mpi"].name == "openmpi" else "mpich"
        arguments = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("WEFT_CUDA", "cuda"),
            self.define_from_variant("WEFT_OPENMP", "openmp"),
            self.define_from_variant("WEFT_FORTRAN", "fortran"),
            self.define_from_variant("WEFT_TOOL", "tool"),
            self.define_from_variant("WEFT_KERNELS", "kernels"),
            self.define("WEFT_MPI", mpi),
            self.define("WEFT_CCACHE", False),
            self.define("WEFT_TESTS", False),
            self.define_from_variant("WEFT_DROPINS", "dropins"),
            self.define_from_variant("WEFT_PYTHON", "python"),
        ]
        if "+python" in self.spec:
            arguments.append(self.define("WEFT_PYTHON_FOLDER", python_platlib))
            arguments.append(self.define("Python_EXECUTABLE", python.path))
        return arguments
