"""What an MPI program sent and received point to point, whichever runtime counted it.

A runtime of version 0.7 and later counts what arrived, and apart from it the room of receives of
which that is not known. An older one knew the room only; one metric had both ways of a sendrecv.
"""

from __future__ import annotations

#: Metrics whose sum is what MPI_Sendrecv sent; in old profiles with the room to receive.
SENDRECV_SENT = ("mpi_sendrecv_sent_bytes", "mpi_sendrecv_bytes")
#: Metrics whose sum is what was sent point to point, with that room in old profiles.
SENT = ("mpi_send_bytes", "mpi_isend_bytes", *SENDRECV_SENT)
#: Metrics whose sum is what arrived in receives alone.
RECEIVES = ("mpi_recv_arrived_bytes", "mpi_irecv_arrived_bytes")
#: Metrics whose sum is what arrived point to point.
ARRIVED = (*RECEIVES, "mpi_sendrecv_arrived_bytes")
#: Metrics whose sum is the room of receives of which only that is known: in old profiles of all.
ROOM = ("mpi_recv_bytes", "mpi_irecv_bytes")
