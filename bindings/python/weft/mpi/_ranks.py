# SPDX-License-Identifier: BSD-3-Clause
"""What weft needs of a communicator of mpi4py: src/python_comm.cpp calls it."""

import os

from mpi4py import MPI

# Longer messages are sent in pieces, so that counts fit in MPI's int.
_PIECE = 1 << 30


def usable(comm):
    """The communicator, if ranks can meet in it."""
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm is of type {type(comm).__name__}; pass a communicator of mpi4py, such as "
                        "MPI.COMM_WORLD")
    if comm == MPI.COMM_NULL:
        raise ValueError("comm is MPI.COMM_NULL: it was freed, or is for other ranks than this one")
    if comm.Is_inter():
        raise ValueError("comm connects two groups of ranks; pass a communicator of one group")
    return comm


class _Requests:
    def __init__(self, requests):
        self.requests = requests

    def test(self):
        return MPI.Request.Testall(self.requests)

    def wait(self):
        # MPICH spins in Waitall: with more ranks than cores, ranks wait for each other's time slices.
        tries = 0
        while not MPI.Request.Testall(self.requests):
            tries += 1
            if tries > 20:
                os.sched_yield()


class Ranks:
    """What weft needs of a communicator. It is a duplicate, so that messages do not mix."""

    def __init__(self, comm):
        self.comm = comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self.transport = "mpi4py, " + MPI.Get_library_version().partition("\n")[0].strip("\0 ")

    def __del__(self):
        if self.is_open() and self.comm != MPI.COMM_NULL:
            self.comm.Free()

    def is_open(self):
        return not MPI.Is_finalized()

    def duplicate(self):
        return Ranks(self.comm.Dup())

    def split(self, color):
        return Ranks(self.comm.Split(color, self.rank))

    def _pieces(self, address, count, start):
        return _Requests([
            start([MPI.memory.fromaddress(address + first, min(_PIECE, count - first)), MPI.BYTE])
            for first in range(0, max(count, 1), _PIECE)
        ])

    def send(self, address, count, to, tag):
        return self._pieces(address, count, lambda buffer: self.comm.Isend(buffer, to, tag))

    def receive(self, address, count, source, tag):
        return self._pieces(address, count, lambda buffer: self.comm.Irecv(buffer, source, tag))

    def barrier(self):
        return _Requests([self.comm.Ibarrier()])
