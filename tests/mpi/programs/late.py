"""Loads an MPI late, as a plug-in would, with its names kept local; then uses and leaves it."""

import ctypes
import sys

mpi = ctypes.CDLL(sys.argv[1], mode=2)  # RTLD_NOW; RTLD_LOCAL
world, kind, total = {
    "mpich": (0x44000000, 0x4C000405, 0x58000003),
    "openmpi": tuple(
        ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, name)))
        for name in ("ompi_mpi_comm_world", "ompi_mpi_int", "ompi_mpi_op_sum")
    )
    if sys.argv[2] == "openmpi"
    else (),
}[sys.argv[2]]
assert mpi.MPI_Init(None, None) == 0
rank, size, answer = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Comm_size(world, ctypes.byref(size))
one = ctypes.c_int(rank.value)
for _ in range(10):
    mpi.MPI_Allreduce(ctypes.byref(one), ctypes.byref(answer), 1, kind, total, world)
assert answer.value == size.value * (size.value - 1) // 2
mpi.MPI_Finalize()
sys.stdout.write(f"sum {answer.value}\n")
