"""A program of mpi4py, and its account in the form of account.h."""

import os
import struct
import sys
import time
from pathlib import Path

time.sleep(0.15)
Path(__file__).read_text()  # there is a profile, and no MPI yet
from mpi4py import MPI  # noqa: E402

BYTES = {"mpi_irecv": "_arrived_bytes", "mpi_sendrecv": "_sent_bytes"}
got = 0  # in sendrecv
account = {"mpi_init": [1, 0], "mpi_finalize": [1, 0]}


def did(name, n):
    entry = account.setdefault(name, [0, 0])
    entry[0] += 1
    entry[1] += n


comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
left, right = (rank - 1) % size, (rank + 1) % size
out, room = bytearray(80), bytearray(80)
for _ in range(5):
    comm.Allreduce([out, 10, MPI.DOUBLE], [room, 10, MPI.DOUBLE])
    did("mpi_all_to_all", 80)
    comm.Sendrecv([out, 10, MPI.INT], right, 1, [room, 12, MPI.INT], left, 1)
    did("mpi_sendrecv", 40)
    got += 40
    comm.Bcast([room, 7, MPI.BYTE], 0)
    did("mpi_one_to_all", 7)
    request = comm.Irecv([room, 20, MPI.BYTE], left)
    did("mpi_irecv", 20)
    comm.Send([out, 20, MPI.BYTE], right)
    did("mpi_send", 20)
    request.Wait()
    did("mpi_wait", 0)
    comm.Barrier()
    did("mpi_barrier", 0)
with (Path(os.environ["TRUTH"]) / f"{os.getpid()}.0").open("wb") as f:
    for name, (ops, count) in account.items():
        f.write(struct.pack("<40sq", f"{name}_ops".encode(), ops))
        if count:
            f.write(struct.pack("<40sq", f"{name}{BYTES.get(name, '_bytes')}".encode(), count))
    f.write(struct.pack("<40sq", b"mpi_sendrecv_arrived_bytes", got))
sys.stdout.write(f"rank {rank} of {size}\n")
