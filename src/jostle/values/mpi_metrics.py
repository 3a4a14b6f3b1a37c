"""Metrics of an MPI program's point-to-point traffic, for every version of the runtime.

A runtime of version 0.7 and later counts the bytes that arrived and, apart from them, the buffer
sizes of receives whose length is not known. An older runtime knew only the buffer sizes, and had
one metric for both directions of a sendrecv.
"""

from __future__ import annotations

#: Metrics whose sum is what MPI_Sendrecv sent; in old profiles with the sizes of receive buffers.
SENDRECV_SENT = ("mpi_sendrecv_sent_bytes", "mpi_sendrecv_bytes")
#: Metrics whose sum is what was sent point to point, in old profiles with those buffer sizes.
SENT = ("mpi_send_bytes", "mpi_isend_bytes", *SENDRECV_SENT)
#: Metrics whose sum is what arrived in receives, without MPI_Sendrecv.
RECEIVES = ("mpi_recv_arrived_bytes", "mpi_irecv_arrived_bytes")
#: Metrics whose sum is what arrived point to point.
ARRIVED = (*RECEIVES, "mpi_sendrecv_arrived_bytes")
#: Metrics whose sum is the buffer sizes of receives whose length is not known; in old profiles of
#: all receives.
ROOM = ("mpi_recv_bytes", "mpi_irecv_bytes")
