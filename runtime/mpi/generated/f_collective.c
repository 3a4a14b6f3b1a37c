/* Made by tools/generate_mpi.py from schema/mpi_calls.toml and pympistandard; do not edit. */
/* clang-format off */
#include "jst_wrappers.h"

static JST_INLINE void jst_body_Bcast(unsigned id, jst_mpi_call *call, void *buffer, void *count,
                                      void *datatype, void *root, void *comm, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buffer, count, datatype, root, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Bcast", JST_MPI_ONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(buffer, count, datatype, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) || jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype)
                : 0;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Bcast", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Bcast, jst_body_Bcast)
JST_ENTRY_6_0(JST_PF_Bcast, jst_body_Bcast)
JST_ENTRY_6_0(JST_F08_Bcast, jst_body_Bcast)
JST_ENTRY_6_0(JST_PF08_Bcast, jst_body_Bcast)
JST_ENTRY_6_0(JST_F08TS_Bcast, jst_body_Bcast)
JST_ENTRY_6_0(JST_PF08TS_Bcast_r, jst_body_Bcast)

static void jst_body_Bcast_c(unsigned id, jst_mpi_call *call, void *buffer, void *count, void
                             *datatype, void *root, void *comm, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buffer, count, datatype, root, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Bcast_c", JST_MPI_ONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(buffer, count, datatype, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) || jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype)
                : 0;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Bcast", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_Bcast_c, jst_body_Bcast_c)
JST_ENTRY_6_0(JST_PF08TS_Bcast_c_r, jst_body_Bcast_c)

static void jst_body_Scatter(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcount, void
                             *sendtype, void *recvbuf, void *recvcount, void *recvtype, void *root,
                             void *comm, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scatter", JST_MPI_ONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype)
                : jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) ?
                    (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : 0;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Scatter", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F_Scatter, jst_body_Scatter)
JST_ENTRY_9_0(JST_PF_Scatter, jst_body_Scatter)
JST_ENTRY_9_0(JST_F08_Scatter, jst_body_Scatter)
JST_ENTRY_9_0(JST_PF08_Scatter, jst_body_Scatter)
JST_ENTRY_9_0(JST_F08TS_Scatter, jst_body_Scatter)
JST_ENTRY_9_0(JST_PF08TS_Scatter_r, jst_body_Scatter)

static void jst_body_Scatter_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcount, void
                               *sendtype, void *recvbuf, void *recvcount, void *recvtype, void
                               *root, void *comm, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scatter_c", JST_MPI_ONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype)
                : jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) ?
                    (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : 0;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Scatter", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F08TS_Scatter_c, jst_body_Scatter_c)
JST_ENTRY_9_0(JST_PF08TS_Scatter_c_r, jst_body_Scatter_c)

static void jst_body_Scatterv(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcounts, void
                              *displs, void *sendtype, void *recvbuf, void *recvcount, void
                              *recvtype, void *root, void *comm, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scatterv", JST_MPI_ONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? jst_sum(sendcounts, 4, jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)))
                * jst_size_f(*(const MPI_Fint *)sendtype)
                : jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) ?
                    (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : 0;
            call->flags = JST_MPI_VARYING;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Scatterv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Scatterv, jst_body_Scatterv)
JST_ENTRY_10_0(JST_PF_Scatterv, jst_body_Scatterv)
JST_ENTRY_10_0(JST_F08_Scatterv, jst_body_Scatterv)
JST_ENTRY_10_0(JST_PF08_Scatterv, jst_body_Scatterv)
JST_ENTRY_10_0(JST_F08TS_Scatterv, jst_body_Scatterv)
JST_ENTRY_10_0(JST_PF08TS_Scatterv_r, jst_body_Scatterv)

static void jst_body_Scatterv_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcounts,
                                void *displs, void *sendtype, void *recvbuf, void *recvcount, void
                                *recvtype, void *root, void *comm, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scatterv_c", JST_MPI_ONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? jst_sum(sendcounts, 8, jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)))
                * jst_size_f(*(const MPI_Fint *)sendtype)
                : jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) ?
                    (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : 0;
            call->flags = JST_MPI_VARYING;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Scatterv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Scatterv_c, jst_body_Scatterv_c)
JST_ENTRY_10_0(JST_PF08TS_Scatterv_c_r, jst_body_Scatterv_c)

static void jst_body_Reduce(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                            *count, void *datatype, void *op, void *root, void *comm, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, root, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce", JST_MPI_ALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype)
                : 0;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Reduce", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Reduce, jst_body_Reduce)
JST_ENTRY_8_0(JST_PF_Reduce, jst_body_Reduce)
JST_ENTRY_8_0(JST_F08_Reduce, jst_body_Reduce)
JST_ENTRY_8_0(JST_PF08_Reduce, jst_body_Reduce)
JST_ENTRY_8_0(JST_F08TS_Reduce, jst_body_Reduce)
JST_ENTRY_8_0(JST_PF08TS_Reduce_r, jst_body_Reduce)

static void jst_body_Reduce_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                              *count, void *datatype, void *op, void *root, void *comm, void
                              *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, root, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_c", JST_MPI_ALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype)
                : 0;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Reduce", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Reduce_c, jst_body_Reduce_c)
JST_ENTRY_8_0(JST_PF08TS_Reduce_c_r, jst_body_Reduce_c)

static void jst_body_Gather(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                            *sendcount, void *sendtype, void *recvbuf, void *recvcount, void
                            *recvtype, void *root, void *comm, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Gather", JST_MPI_ALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = !jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? 0
                : jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) &&
                    jst_in_place_f(sendbuf, described) ? (uint64_t)*(const MPI_Fint *)recvcount *
                    jst_size_f(*(const MPI_Fint *)recvtype)
                : (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Gather", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_9_0(JST_F_Gather, jst_body_Gather, false)
JST_ENTRY_IN_PLACE_9_0(JST_PF_Gather, jst_body_Gather, false)
JST_ENTRY_IN_PLACE_9_0(JST_F08_Gather, jst_body_Gather, false)
JST_ENTRY_IN_PLACE_9_0(JST_PF08_Gather, jst_body_Gather, false)
JST_ENTRY_IN_PLACE_9_0(JST_F08TS_Gather, jst_body_Gather, true)
JST_ENTRY_IN_PLACE_9_0(JST_PF08TS_Gather_r, jst_body_Gather, true)

static void jst_body_Gather_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                              *sendcount, void *sendtype, void *recvbuf, void *recvcount, void
                              *recvtype, void *root, void *comm, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Gather_c", JST_MPI_ALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = !jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? 0
                : jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) &&
                    jst_in_place_f(sendbuf, described) ? (uint64_t)*(const MPI_Count *)recvcount *
                    jst_size_f(*(const MPI_Fint *)recvtype)
                : (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                    *)sendtype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Gather", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_9_0(JST_F08TS_Gather_c, jst_body_Gather_c, true)
JST_ENTRY_IN_PLACE_9_0(JST_PF08TS_Gather_c_r, jst_body_Gather_c, true)

static void jst_body_Gatherv(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                             *sendcount, void *sendtype, void *recvbuf, void *recvcounts, void
                             *displs, void *recvtype, void *root, void *comm, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Gatherv", JST_MPI_ALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = !jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? 0
                : jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) &&
                    jst_in_place_f(sendbuf, described) ? jst_at(recvcounts, 4,
                    jst_rank(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = JST_MPI_VARYING;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Gatherv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F_Gatherv, jst_body_Gatherv, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF_Gatherv, jst_body_Gatherv, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08_Gatherv, jst_body_Gatherv, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF08_Gatherv, jst_body_Gatherv, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Gatherv, jst_body_Gatherv, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Gatherv_r, jst_body_Gatherv, true)

static void jst_body_Gatherv_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                               *sendcount, void *sendtype, void *recvbuf, void *recvcounts, void
                               *displs, void *recvtype, void *root, void *comm, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Gatherv_c", JST_MPI_ALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = !jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint
                *)comm)) ? 0
                : jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) &&
                    jst_in_place_f(sendbuf, described) ? jst_at(recvcounts, 8,
                    jst_rank(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                    *)sendtype);
            call->flags = JST_MPI_VARYING;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Gatherv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    *(const MPI_Fint *)root);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Gatherv_c, jst_body_Gatherv_c, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Gatherv_c_r, jst_body_Gatherv_c, true)

static JST_INLINE void jst_body_Allreduce(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                          *recvbuf, void *count, void *datatype, void *op, void
                                          *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allreduce", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allreduce", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Allreduce, jst_body_Allreduce)
JST_ENTRY_7_0(JST_PF_Allreduce, jst_body_Allreduce)
JST_ENTRY_7_0(JST_F08_Allreduce, jst_body_Allreduce)
JST_ENTRY_7_0(JST_PF08_Allreduce, jst_body_Allreduce)
JST_ENTRY_7_0(JST_F08TS_Allreduce, jst_body_Allreduce)
JST_ENTRY_7_0(JST_PF08TS_Allreduce_r, jst_body_Allreduce)

static void jst_body_Allreduce_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                                 *count, void *datatype, void *op, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allreduce_c", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allreduce", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_Allreduce_c, jst_body_Allreduce_c)
JST_ENTRY_7_0(JST_PF08TS_Allreduce_c_r, jst_body_Allreduce_c)

static void jst_body_Allgather(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                               *sendcount, void *sendtype, void *recvbuf, void *recvcount, void
                               *recvtype, void *comm, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allgather", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? (uint64_t)*(const MPI_Fint
                *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype)
                : (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allgather", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_8_0(JST_F_Allgather, jst_body_Allgather, false)
JST_ENTRY_IN_PLACE_8_0(JST_PF_Allgather, jst_body_Allgather, false)
JST_ENTRY_IN_PLACE_8_0(JST_F08_Allgather, jst_body_Allgather, false)
JST_ENTRY_IN_PLACE_8_0(JST_PF08_Allgather, jst_body_Allgather, false)
JST_ENTRY_IN_PLACE_8_0(JST_F08TS_Allgather, jst_body_Allgather, true)
JST_ENTRY_IN_PLACE_8_0(JST_PF08TS_Allgather_r, jst_body_Allgather, true)

static void jst_body_Allgather_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                 void *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                 void *recvtype, void *comm, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allgather_c", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? (uint64_t)*(const MPI_Count
                *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype)
                : (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                    *)sendtype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allgather", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_8_0(JST_F08TS_Allgather_c, jst_body_Allgather_c, true)
JST_ENTRY_IN_PLACE_8_0(JST_PF08TS_Allgather_c_r, jst_body_Allgather_c, true)

static void jst_body_Allgatherv(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                                *sendcount, void *sendtype, void *recvbuf, void *recvcounts, void
                                *displs, void *recvtype, void *comm, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allgatherv", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_at(recvcounts, 4,
                jst_rank(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allgatherv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_9_0(JST_F_Allgatherv, jst_body_Allgatherv, false)
JST_ENTRY_IN_PLACE_9_0(JST_PF_Allgatherv, jst_body_Allgatherv, false)
JST_ENTRY_IN_PLACE_9_0(JST_F08_Allgatherv, jst_body_Allgatherv, false)
JST_ENTRY_IN_PLACE_9_0(JST_PF08_Allgatherv, jst_body_Allgatherv, false)
JST_ENTRY_IN_PLACE_9_0(JST_F08TS_Allgatherv, jst_body_Allgatherv, true)
JST_ENTRY_IN_PLACE_9_0(JST_PF08TS_Allgatherv_r, jst_body_Allgatherv, true)

static void jst_body_Allgatherv_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                  void *sendcount, void *sendtype, void *recvbuf, void *recvcounts,
                                  void *displs, void *recvtype, void *comm, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allgatherv_c", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_at(recvcounts, 8,
                jst_rank(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                    *)sendtype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allgatherv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_9_0(JST_F08TS_Allgatherv_c, jst_body_Allgatherv_c, true)
JST_ENTRY_IN_PLACE_9_0(JST_PF08TS_Allgatherv_c_r, jst_body_Allgatherv_c, true)

static void jst_body_Alltoall(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                              *sendcount, void *sendtype, void *recvbuf, void *recvcount, void
                              *recvtype, void *comm, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoall", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_ranks(jst_c_comm(*(const
                MPI_Fint *)comm)) * (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const
                MPI_Fint *)recvtype)
                : jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const MPI_Fint
                    *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoall", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_8_0(JST_F_Alltoall, jst_body_Alltoall, false)
JST_ENTRY_IN_PLACE_8_0(JST_PF_Alltoall, jst_body_Alltoall, false)
JST_ENTRY_IN_PLACE_8_0(JST_F08_Alltoall, jst_body_Alltoall, false)
JST_ENTRY_IN_PLACE_8_0(JST_PF08_Alltoall, jst_body_Alltoall, false)
JST_ENTRY_IN_PLACE_8_0(JST_F08TS_Alltoall, jst_body_Alltoall, true)
JST_ENTRY_IN_PLACE_8_0(JST_PF08TS_Alltoall_r, jst_body_Alltoall, true)

static void jst_body_Alltoall_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                                *sendcount, void *sendtype, void *recvbuf, void *recvcount, void
                                *recvtype, void *comm, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoall_c", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_ranks(jst_c_comm(*(const
                MPI_Fint *)comm)) * (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const
                MPI_Fint *)recvtype)
                : jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const MPI_Count
                    *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoall", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_8_0(JST_F08TS_Alltoall_c, jst_body_Alltoall_c, true)
JST_ENTRY_IN_PLACE_8_0(JST_PF08TS_Alltoall_c_r, jst_body_Alltoall_c, true)

static void jst_body_Alltoallv(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                               *sendcounts, void *sdispls, void *sendtype, void *recvbuf, void
                               *recvcounts, void *rdispls, void *recvtype, void *comm, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoallv", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_sum(recvcounts, 4,
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : jst_sum(sendcounts, 4, jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) *
                    jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoallv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F_Alltoallv, jst_body_Alltoallv, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF_Alltoallv, jst_body_Alltoallv, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08_Alltoallv, jst_body_Alltoallv, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF08_Alltoallv, jst_body_Alltoallv, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Alltoallv, jst_body_Alltoallv, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Alltoallv_r, jst_body_Alltoallv, true)

static void jst_body_Alltoallv_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                 void *sendcounts, void *sdispls, void *sendtype, void *recvbuf,
                                 void *recvcounts, void *rdispls, void *recvtype, void *comm, void
                                 *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoallv_c", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_sum(recvcounts, 8,
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : jst_sum(sendcounts, 8, jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) *
                    jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoallv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Alltoallv_c, jst_body_Alltoallv_c, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Alltoallv_c_r, jst_body_Alltoallv_c, true)

static void jst_body_Alltoallw(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                               *sendcounts, void *sdispls, void *sendtypes, void *recvbuf, void
                               *recvcounts, void *rdispls, void *recvtypes, void *comm, void
                               *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoallw", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_dot_f(recvcounts, 4, recvtypes,
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)))
                : jst_dot_f(sendcounts, 4, sendtypes, jst_ranks(jst_c_comm(*(const MPI_Fint
                    *)comm)));
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoallw", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F_Alltoallw, jst_body_Alltoallw, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF_Alltoallw, jst_body_Alltoallw, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08_Alltoallw, jst_body_Alltoallw, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF08_Alltoallw, jst_body_Alltoallw, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Alltoallw, jst_body_Alltoallw, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Alltoallw_r, jst_body_Alltoallw, true)

static void jst_body_Alltoallw_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                 void *sendcounts, void *sdispls, void *sendtypes, void *recvbuf,
                                 void *recvcounts, void *rdispls, void *recvtypes, void *comm, void
                                 *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoallw_c", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_dot_f(recvcounts, 8, recvtypes,
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)))
                : jst_dot_f(sendcounts, 8, sendtypes, jst_ranks(jst_c_comm(*(const MPI_Fint
                    *)comm)));
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoallw", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Alltoallw_c, jst_body_Alltoallw_c, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Alltoallw_c_r, jst_body_Alltoallw_c, true)

static void jst_body_Reduce_scatter(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf,
                                    void *recvcounts, void *datatype, void *op, void *comm, void
                                    *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_scatter", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_sum(recvcounts, 4, jst_members(jst_c_comm(*(const MPI_Fint *)comm)))
                * jst_size_f(*(const MPI_Fint *)datatype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Reduce_scatter", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Reduce_scatter, jst_body_Reduce_scatter)
JST_ENTRY_7_0(JST_PF_Reduce_scatter, jst_body_Reduce_scatter)
JST_ENTRY_7_0(JST_F08_Reduce_scatter, jst_body_Reduce_scatter)
JST_ENTRY_7_0(JST_PF08_Reduce_scatter, jst_body_Reduce_scatter)
JST_ENTRY_7_0(JST_F08TS_Reduce_scatter, jst_body_Reduce_scatter)
JST_ENTRY_7_0(JST_PF08TS_Reduce_scatter_r, jst_body_Reduce_scatter)

static void jst_body_Reduce_scatter_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf,
                                      void *recvcounts, void *datatype, void *op, void *comm, void
                                      *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_scatter_c", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_sum(recvcounts, 8, jst_members(jst_c_comm(*(const MPI_Fint *)comm)))
                * jst_size_f(*(const MPI_Fint *)datatype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Reduce_scatter", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_Reduce_scatter_c, jst_body_Reduce_scatter_c)
JST_ENTRY_7_0(JST_PF08TS_Reduce_scatter_c_r, jst_body_Reduce_scatter_c)

static void jst_body_Reduce_scatter_block(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                          *recvbuf, void *recvcount, void *datatype, void *op, void
                                          *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_scatter_block", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_members(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint *)datatype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Reduce_scatter_block", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Reduce_scatter_block, jst_body_Reduce_scatter_block)
JST_ENTRY_7_0(JST_PF_Reduce_scatter_block, jst_body_Reduce_scatter_block)
JST_ENTRY_7_0(JST_F08_Reduce_scatter_block, jst_body_Reduce_scatter_block)
JST_ENTRY_7_0(JST_PF08_Reduce_scatter_block, jst_body_Reduce_scatter_block)
JST_ENTRY_7_0(JST_F08TS_Reduce_scatter_block, jst_body_Reduce_scatter_block)
JST_ENTRY_7_0(JST_PF08TS_Reduce_scatter_block_r, jst_body_Reduce_scatter_block)

static void jst_body_Reduce_scatter_block_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                            *recvbuf, void *recvcount, void *datatype, void *op,
                                            void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_scatter_block_c", JST_MPI_ALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_members(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint *)datatype);
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Reduce_scatter_block", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_Reduce_scatter_block_c, jst_body_Reduce_scatter_block_c)
JST_ENTRY_7_0(JST_PF08TS_Reduce_scatter_block_c_r, jst_body_Reduce_scatter_block_c)

static JST_INLINE void jst_body_Barrier(unsigned id, jst_mpi_call *call, void *comm, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Barrier", JST_MPI_BARRIER, 0);
    const bool counted = jst_host.enter(call);
    real(comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm));
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Barrier", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Barrier, jst_body_Barrier)
JST_ENTRY_2_0(JST_PF_Barrier, jst_body_Barrier)
JST_ENTRY_2_0(JST_F08_Barrier, jst_body_Barrier)
JST_ENTRY_2_0(JST_PF08_Barrier, jst_body_Barrier)
JST_ENTRY_2_0(JST_PF08_Barrier_r, jst_body_Barrier)

static void jst_body_Scan(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                          *count, void *datatype, void *op, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scan", JST_MPI_SCAN, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Scan", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Scan, jst_body_Scan)
JST_ENTRY_7_0(JST_PF_Scan, jst_body_Scan)
JST_ENTRY_7_0(JST_F08_Scan, jst_body_Scan)
JST_ENTRY_7_0(JST_PF08_Scan, jst_body_Scan)
JST_ENTRY_7_0(JST_F08TS_Scan, jst_body_Scan)
JST_ENTRY_7_0(JST_PF08TS_Scan_r, jst_body_Scan)

static void jst_body_Scan_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                            *count, void *datatype, void *op, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scan_c", JST_MPI_SCAN, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Scan", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_Scan_c, jst_body_Scan_c)
JST_ENTRY_7_0(JST_PF08TS_Scan_c_r, jst_body_Scan_c)

static void jst_body_Exscan(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                            *count, void *datatype, void *op, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Exscan", JST_MPI_SCAN, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Exscan", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Exscan, jst_body_Exscan)
JST_ENTRY_7_0(JST_PF_Exscan, jst_body_Exscan)
JST_ENTRY_7_0(JST_F08_Exscan, jst_body_Exscan)
JST_ENTRY_7_0(JST_PF08_Exscan, jst_body_Exscan)
JST_ENTRY_7_0(JST_F08TS_Exscan, jst_body_Exscan)
JST_ENTRY_7_0(JST_PF08TS_Exscan_r, jst_body_Exscan)

static void jst_body_Exscan_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                              *count, void *datatype, void *op, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Exscan_c", JST_MPI_SCAN, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Exscan", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_Exscan_c, jst_body_Exscan_c)
JST_ENTRY_7_0(JST_PF08TS_Exscan_c_r, jst_body_Exscan_c)

static void jst_body_Neighbor_allgather(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                        *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                        void *recvtype, void *comm, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_allgather", JST_MPI_NEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            const jst_neighbours *around = jst_host.peers ? jst_neighbours_of(jst_c_comm(*(const MPI_Fint *)comm))
                : NULL;
            for (uint32_t i = 0; around && i < around->out; i++) {
                jst_pass_sent(around->ranks[around->in + i], (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype));
            }
            for (uint32_t i = 0; around && i < around->in; i++) {
                jst_pass_received(around->ranks[i], (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Neighbor_allgather, jst_body_Neighbor_allgather)
JST_ENTRY_8_0(JST_PF_Neighbor_allgather, jst_body_Neighbor_allgather)
JST_ENTRY_8_0(JST_F08_Neighbor_allgather, jst_body_Neighbor_allgather)
JST_ENTRY_8_0(JST_PF08_Neighbor_allgather, jst_body_Neighbor_allgather)
JST_ENTRY_8_0(JST_F08TS_Neighbor_allgather, jst_body_Neighbor_allgather)
JST_ENTRY_8_0(JST_PF08TS_Neighbor_allgather_r, jst_body_Neighbor_allgather)

static void jst_body_Neighbor_allgather_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                          *sendcount, void *sendtype, void *recvbuf, void
                                          *recvcount, void *recvtype, void *comm, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_allgather_c", JST_MPI_NEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            const jst_neighbours *around = jst_host.peers ? jst_neighbours_of(jst_c_comm(*(const MPI_Fint *)comm))
                : NULL;
            for (uint32_t i = 0; around && i < around->out; i++) {
                jst_pass_sent(around->ranks[around->in + i], (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype));
            }
            for (uint32_t i = 0; around && i < around->in; i++) {
                jst_pass_received(around->ranks[i], (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Neighbor_allgather_c, jst_body_Neighbor_allgather_c)
JST_ENTRY_8_0(JST_PF08TS_Neighbor_allgather_c_r, jst_body_Neighbor_allgather_c)

static void jst_body_Neighbor_alltoall(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                       *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                       void *recvtype, void *comm, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoall", JST_MPI_NEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            const jst_neighbours *around = jst_host.peers ? jst_neighbours_of(jst_c_comm(*(const MPI_Fint *)comm))
                : NULL;
            for (uint32_t i = 0; around && i < around->out; i++) {
                jst_pass_sent(around->ranks[around->in + i], (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype));
            }
            for (uint32_t i = 0; around && i < around->in; i++) {
                jst_pass_received(around->ranks[i], (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Neighbor_alltoall, jst_body_Neighbor_alltoall)
JST_ENTRY_8_0(JST_PF_Neighbor_alltoall, jst_body_Neighbor_alltoall)
JST_ENTRY_8_0(JST_F08_Neighbor_alltoall, jst_body_Neighbor_alltoall)
JST_ENTRY_8_0(JST_PF08_Neighbor_alltoall, jst_body_Neighbor_alltoall)
JST_ENTRY_8_0(JST_F08TS_Neighbor_alltoall, jst_body_Neighbor_alltoall)
JST_ENTRY_8_0(JST_PF08TS_Neighbor_alltoall_r, jst_body_Neighbor_alltoall)

static void jst_body_Neighbor_alltoall_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                         *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                         void *recvtype, void *comm, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoall_c", JST_MPI_NEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            const jst_neighbours *around = jst_host.peers ? jst_neighbours_of(jst_c_comm(*(const MPI_Fint *)comm))
                : NULL;
            for (uint32_t i = 0; around && i < around->out; i++) {
                jst_pass_sent(around->ranks[around->in + i], (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype));
            }
            for (uint32_t i = 0; around && i < around->in; i++) {
                jst_pass_received(around->ranks[i], (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Neighbor_alltoall_c, jst_body_Neighbor_alltoall_c)
JST_ENTRY_8_0(JST_PF08TS_Neighbor_alltoall_c_r, jst_body_Neighbor_alltoall_c)

static void jst_body_Neighbor_allgatherv(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                         *sendcount, void *sendtype, void *recvbuf, void
                                         *recvcounts, void *displs, void *recvtype, void *comm, void
                                         *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_allgatherv", JST_MPI_NEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = JST_MPI_VARYING;
            const jst_neighbours *around = jst_host.peers ? jst_neighbours_of(jst_c_comm(*(const MPI_Fint *)comm))
                : NULL;
            for (uint32_t i = 0; around && i < around->out; i++) {
                jst_pass_sent(around->ranks[around->in + i], (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype));
            }
            for (uint32_t i = 0; around && i < around->in; i++) {
                jst_pass_received(around->ranks[i], jst_at(recvcounts, 4, i) * jst_size_f(*(const MPI_Fint *)recvtype));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F_Neighbor_allgatherv, jst_body_Neighbor_allgatherv)
JST_ENTRY_9_0(JST_PF_Neighbor_allgatherv, jst_body_Neighbor_allgatherv)
JST_ENTRY_9_0(JST_F08_Neighbor_allgatherv, jst_body_Neighbor_allgatherv)
JST_ENTRY_9_0(JST_PF08_Neighbor_allgatherv, jst_body_Neighbor_allgatherv)
JST_ENTRY_9_0(JST_F08TS_Neighbor_allgatherv, jst_body_Neighbor_allgatherv)
JST_ENTRY_9_0(JST_PF08TS_Neighbor_allgatherv_r, jst_body_Neighbor_allgatherv)

static void jst_body_Neighbor_allgatherv_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                           *sendcount, void *sendtype, void *recvbuf, void
                                           *recvcounts, void *displs, void *recvtype, void *comm,
                                           void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_allgatherv_c", JST_MPI_NEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = JST_MPI_VARYING;
            const jst_neighbours *around = jst_host.peers ? jst_neighbours_of(jst_c_comm(*(const MPI_Fint *)comm))
                : NULL;
            for (uint32_t i = 0; around && i < around->out; i++) {
                jst_pass_sent(around->ranks[around->in + i], (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype));
            }
            for (uint32_t i = 0; around && i < around->in; i++) {
                jst_pass_received(around->ranks[i], jst_at(recvcounts, 8, i) * jst_size_f(*(const MPI_Fint *)recvtype));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F08TS_Neighbor_allgatherv_c, jst_body_Neighbor_allgatherv_c)
JST_ENTRY_9_0(JST_PF08TS_Neighbor_allgatherv_c_r, jst_body_Neighbor_allgatherv_c)

static void jst_body_Neighbor_alltoallv(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                        *sendcounts, void *sdispls, void *sendtype, void *recvbuf,
                                        void *recvcounts, void *rdispls, void *recvtype, void *comm,
                                        void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoallv", JST_MPI_NEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_sum(sendcounts, 4, jst_out(jst_c_comm(*(const MPI_Fint *)comm))) *
                jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = JST_MPI_VARYING;
            const jst_neighbours *around = jst_host.peers ? jst_neighbours_of(jst_c_comm(*(const MPI_Fint *)comm))
                : NULL;
            for (uint32_t i = 0; around && i < around->out; i++) {
                jst_pass_sent(around->ranks[around->in + i], jst_at(sendcounts, 4, i) * jst_size_f(*(const MPI_Fint *)sendtype));
            }
            for (uint32_t i = 0; around && i < around->in; i++) {
                jst_pass_received(around->ranks[i], jst_at(recvcounts, 4, i) * jst_size_f(*(const MPI_Fint *)recvtype));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Neighbor_alltoallv, jst_body_Neighbor_alltoallv)
JST_ENTRY_10_0(JST_PF_Neighbor_alltoallv, jst_body_Neighbor_alltoallv)
JST_ENTRY_10_0(JST_F08_Neighbor_alltoallv, jst_body_Neighbor_alltoallv)
JST_ENTRY_10_0(JST_PF08_Neighbor_alltoallv, jst_body_Neighbor_alltoallv)
JST_ENTRY_10_0(JST_F08TS_Neighbor_alltoallv, jst_body_Neighbor_alltoallv)
JST_ENTRY_10_0(JST_PF08TS_Neighbor_alltoallv_r, jst_body_Neighbor_alltoallv)

static void jst_body_Neighbor_alltoallv_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                          *sendcounts, void *sdispls, void *sendtype, void *recvbuf,
                                          void *recvcounts, void *rdispls, void *recvtype, void
                                          *comm, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoallv_c", JST_MPI_NEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_sum(sendcounts, 8, jst_out(jst_c_comm(*(const MPI_Fint *)comm))) *
                jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = JST_MPI_VARYING;
            const jst_neighbours *around = jst_host.peers ? jst_neighbours_of(jst_c_comm(*(const MPI_Fint *)comm))
                : NULL;
            for (uint32_t i = 0; around && i < around->out; i++) {
                jst_pass_sent(around->ranks[around->in + i], jst_at(sendcounts, 8, i) * jst_size_f(*(const MPI_Fint *)sendtype));
            }
            for (uint32_t i = 0; around && i < around->in; i++) {
                jst_pass_received(around->ranks[i], jst_at(recvcounts, 8, i) * jst_size_f(*(const MPI_Fint *)recvtype));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Neighbor_alltoallv_c, jst_body_Neighbor_alltoallv_c)
JST_ENTRY_10_0(JST_PF08TS_Neighbor_alltoallv_c_r, jst_body_Neighbor_alltoallv_c)

static void jst_body_Neighbor_alltoallw(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                        *sendcounts, void *sdispls, void *sendtypes, void *recvbuf,
                                        void *recvcounts, void *rdispls, void *recvtypes, void
                                        *comm, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoallw", JST_MPI_NEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_dot_f(sendcounts, 4, sendtypes, jst_out(jst_c_comm(*(const MPI_Fint
                *)comm)));
            call->flags = JST_MPI_VARYING;
            const jst_neighbours *around = jst_host.peers ? jst_neighbours_of(jst_c_comm(*(const MPI_Fint *)comm))
                : NULL;
            for (uint32_t i = 0; around && i < around->out; i++) {
                jst_pass_sent(around->ranks[around->in + i], jst_at(sendcounts, 4, i) * jst_size_f(((const MPI_Fint *)sendtypes)[i]));
            }
            for (uint32_t i = 0; around && i < around->in; i++) {
                jst_pass_received(around->ranks[i], jst_at(recvcounts, 4, i) * jst_size_f(((const MPI_Fint *)recvtypes)[i]));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Neighbor_alltoallw, jst_body_Neighbor_alltoallw)
JST_ENTRY_10_0(JST_PF_Neighbor_alltoallw, jst_body_Neighbor_alltoallw)
JST_ENTRY_10_0(JST_F08_Neighbor_alltoallw, jst_body_Neighbor_alltoallw)
JST_ENTRY_10_0(JST_PF08_Neighbor_alltoallw, jst_body_Neighbor_alltoallw)
JST_ENTRY_10_0(JST_F08TS_Neighbor_alltoallw, jst_body_Neighbor_alltoallw)
JST_ENTRY_10_0(JST_PF08TS_Neighbor_alltoallw_r, jst_body_Neighbor_alltoallw)

static void jst_body_Neighbor_alltoallw_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                          *sendcounts, void *sdispls, void *sendtypes, void
                                          *recvbuf, void *recvcounts, void *rdispls, void
                                          *recvtypes, void *comm, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoallw_c", JST_MPI_NEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_dot_f(sendcounts, 8, sendtypes, jst_out(jst_c_comm(*(const MPI_Fint
                *)comm)));
            call->flags = JST_MPI_VARYING;
            const jst_neighbours *around = jst_host.peers ? jst_neighbours_of(jst_c_comm(*(const MPI_Fint *)comm))
                : NULL;
            for (uint32_t i = 0; around && i < around->out; i++) {
                jst_pass_sent(around->ranks[around->in + i], jst_at(sendcounts, 8, i) * jst_size_f(((const MPI_Fint *)sendtypes)[i]));
            }
            for (uint32_t i = 0; around && i < around->in; i++) {
                jst_pass_received(around->ranks[i], jst_at(recvcounts, 8, i) * jst_size_f(((const MPI_Fint *)recvtypes)[i]));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Neighbor_alltoallw_c, jst_body_Neighbor_alltoallw_c)
JST_ENTRY_10_0(JST_PF08TS_Neighbor_alltoallw_c_r, jst_body_Neighbor_alltoallw_c)

const jst_function jst_functions_f_collective[] = {
    {JST_F_Bcast, (void *)JST_F_Bcast_entry},
    {JST_PF_Bcast, (void *)JST_PF_Bcast_entry},
    {JST_F08_Bcast, (void *)JST_F08_Bcast_entry},
    {JST_PF08_Bcast, (void *)JST_PF08_Bcast_entry},
    {JST_F08TS_Bcast, (void *)JST_F08TS_Bcast_entry},
    {JST_PF08TS_Bcast_r, (void *)JST_PF08TS_Bcast_r_entry},
    {JST_F08TS_Bcast_c, (void *)JST_F08TS_Bcast_c_entry},
    {JST_PF08TS_Bcast_c_r, (void *)JST_PF08TS_Bcast_c_r_entry},
    {JST_F_Scatter, (void *)JST_F_Scatter_entry},
    {JST_PF_Scatter, (void *)JST_PF_Scatter_entry},
    {JST_F08_Scatter, (void *)JST_F08_Scatter_entry},
    {JST_PF08_Scatter, (void *)JST_PF08_Scatter_entry},
    {JST_F08TS_Scatter, (void *)JST_F08TS_Scatter_entry},
    {JST_PF08TS_Scatter_r, (void *)JST_PF08TS_Scatter_r_entry},
    {JST_F08TS_Scatter_c, (void *)JST_F08TS_Scatter_c_entry},
    {JST_PF08TS_Scatter_c_r, (void *)JST_PF08TS_Scatter_c_r_entry},
    {JST_F_Scatterv, (void *)JST_F_Scatterv_entry},
    {JST_PF_Scatterv, (void *)JST_PF_Scatterv_entry},
    {JST_F08_Scatterv, (void *)JST_F08_Scatterv_entry},
    {JST_PF08_Scatterv, (void *)JST_PF08_Scatterv_entry},
    {JST_F08TS_Scatterv, (void *)JST_F08TS_Scatterv_entry},
    {JST_PF08TS_Scatterv_r, (void *)JST_PF08TS_Scatterv_r_entry},
    {JST_F08TS_Scatterv_c, (void *)JST_F08TS_Scatterv_c_entry},
    {JST_PF08TS_Scatterv_c_r, (void *)JST_PF08TS_Scatterv_c_r_entry},
    {JST_F_Reduce, (void *)JST_F_Reduce_entry},
    {JST_PF_Reduce, (void *)JST_PF_Reduce_entry},
    {JST_F08_Reduce, (void *)JST_F08_Reduce_entry},
    {JST_PF08_Reduce, (void *)JST_PF08_Reduce_entry},
    {JST_F08TS_Reduce, (void *)JST_F08TS_Reduce_entry},
    {JST_PF08TS_Reduce_r, (void *)JST_PF08TS_Reduce_r_entry},
    {JST_F08TS_Reduce_c, (void *)JST_F08TS_Reduce_c_entry},
    {JST_PF08TS_Reduce_c_r, (void *)JST_PF08TS_Reduce_c_r_entry},
    {JST_F_Gather, (void *)JST_F_Gather_entry},
    {JST_PF_Gather, (void *)JST_PF_Gather_entry},
    {JST_F08_Gather, (void *)JST_F08_Gather_entry},
    {JST_PF08_Gather, (void *)JST_PF08_Gather_entry},
    {JST_F08TS_Gather, (void *)JST_F08TS_Gather_entry},
    {JST_PF08TS_Gather_r, (void *)JST_PF08TS_Gather_r_entry},
    {JST_F08TS_Gather_c, (void *)JST_F08TS_Gather_c_entry},
    {JST_PF08TS_Gather_c_r, (void *)JST_PF08TS_Gather_c_r_entry},
    {JST_F_Gatherv, (void *)JST_F_Gatherv_entry},
    {JST_PF_Gatherv, (void *)JST_PF_Gatherv_entry},
    {JST_F08_Gatherv, (void *)JST_F08_Gatherv_entry},
    {JST_PF08_Gatherv, (void *)JST_PF08_Gatherv_entry},
    {JST_F08TS_Gatherv, (void *)JST_F08TS_Gatherv_entry},
    {JST_PF08TS_Gatherv_r, (void *)JST_PF08TS_Gatherv_r_entry},
    {JST_F08TS_Gatherv_c, (void *)JST_F08TS_Gatherv_c_entry},
    {JST_PF08TS_Gatherv_c_r, (void *)JST_PF08TS_Gatherv_c_r_entry},
    {JST_F_Allreduce, (void *)JST_F_Allreduce_entry},
    {JST_PF_Allreduce, (void *)JST_PF_Allreduce_entry},
    {JST_F08_Allreduce, (void *)JST_F08_Allreduce_entry},
    {JST_PF08_Allreduce, (void *)JST_PF08_Allreduce_entry},
    {JST_F08TS_Allreduce, (void *)JST_F08TS_Allreduce_entry},
    {JST_PF08TS_Allreduce_r, (void *)JST_PF08TS_Allreduce_r_entry},
    {JST_F08TS_Allreduce_c, (void *)JST_F08TS_Allreduce_c_entry},
    {JST_PF08TS_Allreduce_c_r, (void *)JST_PF08TS_Allreduce_c_r_entry},
    {JST_F_Allgather, (void *)JST_F_Allgather_entry},
    {JST_PF_Allgather, (void *)JST_PF_Allgather_entry},
    {JST_F08_Allgather, (void *)JST_F08_Allgather_entry},
    {JST_PF08_Allgather, (void *)JST_PF08_Allgather_entry},
    {JST_F08TS_Allgather, (void *)JST_F08TS_Allgather_entry},
    {JST_PF08TS_Allgather_r, (void *)JST_PF08TS_Allgather_r_entry},
    {JST_F08TS_Allgather_c, (void *)JST_F08TS_Allgather_c_entry},
    {JST_PF08TS_Allgather_c_r, (void *)JST_PF08TS_Allgather_c_r_entry},
    {JST_F_Allgatherv, (void *)JST_F_Allgatherv_entry},
    {JST_PF_Allgatherv, (void *)JST_PF_Allgatherv_entry},
    {JST_F08_Allgatherv, (void *)JST_F08_Allgatherv_entry},
    {JST_PF08_Allgatherv, (void *)JST_PF08_Allgatherv_entry},
    {JST_F08TS_Allgatherv, (void *)JST_F08TS_Allgatherv_entry},
    {JST_PF08TS_Allgatherv_r, (void *)JST_PF08TS_Allgatherv_r_entry},
    {JST_F08TS_Allgatherv_c, (void *)JST_F08TS_Allgatherv_c_entry},
    {JST_PF08TS_Allgatherv_c_r, (void *)JST_PF08TS_Allgatherv_c_r_entry},
    {JST_F_Alltoall, (void *)JST_F_Alltoall_entry},
    {JST_PF_Alltoall, (void *)JST_PF_Alltoall_entry},
    {JST_F08_Alltoall, (void *)JST_F08_Alltoall_entry},
    {JST_PF08_Alltoall, (void *)JST_PF08_Alltoall_entry},
    {JST_F08TS_Alltoall, (void *)JST_F08TS_Alltoall_entry},
    {JST_PF08TS_Alltoall_r, (void *)JST_PF08TS_Alltoall_r_entry},
    {JST_F08TS_Alltoall_c, (void *)JST_F08TS_Alltoall_c_entry},
    {JST_PF08TS_Alltoall_c_r, (void *)JST_PF08TS_Alltoall_c_r_entry},
    {JST_F_Alltoallv, (void *)JST_F_Alltoallv_entry},
    {JST_PF_Alltoallv, (void *)JST_PF_Alltoallv_entry},
    {JST_F08_Alltoallv, (void *)JST_F08_Alltoallv_entry},
    {JST_PF08_Alltoallv, (void *)JST_PF08_Alltoallv_entry},
    {JST_F08TS_Alltoallv, (void *)JST_F08TS_Alltoallv_entry},
    {JST_PF08TS_Alltoallv_r, (void *)JST_PF08TS_Alltoallv_r_entry},
    {JST_F08TS_Alltoallv_c, (void *)JST_F08TS_Alltoallv_c_entry},
    {JST_PF08TS_Alltoallv_c_r, (void *)JST_PF08TS_Alltoallv_c_r_entry},
    {JST_F_Alltoallw, (void *)JST_F_Alltoallw_entry},
    {JST_PF_Alltoallw, (void *)JST_PF_Alltoallw_entry},
    {JST_F08_Alltoallw, (void *)JST_F08_Alltoallw_entry},
    {JST_PF08_Alltoallw, (void *)JST_PF08_Alltoallw_entry},
    {JST_F08TS_Alltoallw, (void *)JST_F08TS_Alltoallw_entry},
    {JST_PF08TS_Alltoallw_r, (void *)JST_PF08TS_Alltoallw_r_entry},
    {JST_F08TS_Alltoallw_c, (void *)JST_F08TS_Alltoallw_c_entry},
    {JST_PF08TS_Alltoallw_c_r, (void *)JST_PF08TS_Alltoallw_c_r_entry},
    {JST_F_Reduce_scatter, (void *)JST_F_Reduce_scatter_entry},
    {JST_PF_Reduce_scatter, (void *)JST_PF_Reduce_scatter_entry},
    {JST_F08_Reduce_scatter, (void *)JST_F08_Reduce_scatter_entry},
    {JST_PF08_Reduce_scatter, (void *)JST_PF08_Reduce_scatter_entry},
    {JST_F08TS_Reduce_scatter, (void *)JST_F08TS_Reduce_scatter_entry},
    {JST_PF08TS_Reduce_scatter_r, (void *)JST_PF08TS_Reduce_scatter_r_entry},
    {JST_F08TS_Reduce_scatter_c, (void *)JST_F08TS_Reduce_scatter_c_entry},
    {JST_PF08TS_Reduce_scatter_c_r, (void *)JST_PF08TS_Reduce_scatter_c_r_entry},
    {JST_F_Reduce_scatter_block, (void *)JST_F_Reduce_scatter_block_entry},
    {JST_PF_Reduce_scatter_block, (void *)JST_PF_Reduce_scatter_block_entry},
    {JST_F08_Reduce_scatter_block, (void *)JST_F08_Reduce_scatter_block_entry},
    {JST_PF08_Reduce_scatter_block, (void *)JST_PF08_Reduce_scatter_block_entry},
    {JST_F08TS_Reduce_scatter_block, (void *)JST_F08TS_Reduce_scatter_block_entry},
    {JST_PF08TS_Reduce_scatter_block_r, (void *)JST_PF08TS_Reduce_scatter_block_r_entry},
    {JST_F08TS_Reduce_scatter_block_c, (void *)JST_F08TS_Reduce_scatter_block_c_entry},
    {JST_PF08TS_Reduce_scatter_block_c_r, (void *)JST_PF08TS_Reduce_scatter_block_c_r_entry},
    {JST_F_Barrier, (void *)JST_F_Barrier_entry},
    {JST_PF_Barrier, (void *)JST_PF_Barrier_entry},
    {JST_F08_Barrier, (void *)JST_F08_Barrier_entry},
    {JST_PF08_Barrier, (void *)JST_PF08_Barrier_entry},
    {JST_PF08_Barrier_r, (void *)JST_PF08_Barrier_r_entry},
    {JST_F_Scan, (void *)JST_F_Scan_entry},
    {JST_PF_Scan, (void *)JST_PF_Scan_entry},
    {JST_F08_Scan, (void *)JST_F08_Scan_entry},
    {JST_PF08_Scan, (void *)JST_PF08_Scan_entry},
    {JST_F08TS_Scan, (void *)JST_F08TS_Scan_entry},
    {JST_PF08TS_Scan_r, (void *)JST_PF08TS_Scan_r_entry},
    {JST_F08TS_Scan_c, (void *)JST_F08TS_Scan_c_entry},
    {JST_PF08TS_Scan_c_r, (void *)JST_PF08TS_Scan_c_r_entry},
    {JST_F_Exscan, (void *)JST_F_Exscan_entry},
    {JST_PF_Exscan, (void *)JST_PF_Exscan_entry},
    {JST_F08_Exscan, (void *)JST_F08_Exscan_entry},
    {JST_PF08_Exscan, (void *)JST_PF08_Exscan_entry},
    {JST_F08TS_Exscan, (void *)JST_F08TS_Exscan_entry},
    {JST_PF08TS_Exscan_r, (void *)JST_PF08TS_Exscan_r_entry},
    {JST_F08TS_Exscan_c, (void *)JST_F08TS_Exscan_c_entry},
    {JST_PF08TS_Exscan_c_r, (void *)JST_PF08TS_Exscan_c_r_entry},
    {JST_F_Neighbor_allgather, (void *)JST_F_Neighbor_allgather_entry},
    {JST_PF_Neighbor_allgather, (void *)JST_PF_Neighbor_allgather_entry},
    {JST_F08_Neighbor_allgather, (void *)JST_F08_Neighbor_allgather_entry},
    {JST_PF08_Neighbor_allgather, (void *)JST_PF08_Neighbor_allgather_entry},
    {JST_F08TS_Neighbor_allgather, (void *)JST_F08TS_Neighbor_allgather_entry},
    {JST_PF08TS_Neighbor_allgather_r, (void *)JST_PF08TS_Neighbor_allgather_r_entry},
    {JST_F08TS_Neighbor_allgather_c, (void *)JST_F08TS_Neighbor_allgather_c_entry},
    {JST_PF08TS_Neighbor_allgather_c_r, (void *)JST_PF08TS_Neighbor_allgather_c_r_entry},
    {JST_F_Neighbor_alltoall, (void *)JST_F_Neighbor_alltoall_entry},
    {JST_PF_Neighbor_alltoall, (void *)JST_PF_Neighbor_alltoall_entry},
    {JST_F08_Neighbor_alltoall, (void *)JST_F08_Neighbor_alltoall_entry},
    {JST_PF08_Neighbor_alltoall, (void *)JST_PF08_Neighbor_alltoall_entry},
    {JST_F08TS_Neighbor_alltoall, (void *)JST_F08TS_Neighbor_alltoall_entry},
    {JST_PF08TS_Neighbor_alltoall_r, (void *)JST_PF08TS_Neighbor_alltoall_r_entry},
    {JST_F08TS_Neighbor_alltoall_c, (void *)JST_F08TS_Neighbor_alltoall_c_entry},
    {JST_PF08TS_Neighbor_alltoall_c_r, (void *)JST_PF08TS_Neighbor_alltoall_c_r_entry},
    {JST_F_Neighbor_allgatherv, (void *)JST_F_Neighbor_allgatherv_entry},
    {JST_PF_Neighbor_allgatherv, (void *)JST_PF_Neighbor_allgatherv_entry},
    {JST_F08_Neighbor_allgatherv, (void *)JST_F08_Neighbor_allgatherv_entry},
    {JST_PF08_Neighbor_allgatherv, (void *)JST_PF08_Neighbor_allgatherv_entry},
    {JST_F08TS_Neighbor_allgatherv, (void *)JST_F08TS_Neighbor_allgatherv_entry},
    {JST_PF08TS_Neighbor_allgatherv_r, (void *)JST_PF08TS_Neighbor_allgatherv_r_entry},
    {JST_F08TS_Neighbor_allgatherv_c, (void *)JST_F08TS_Neighbor_allgatherv_c_entry},
    {JST_PF08TS_Neighbor_allgatherv_c_r, (void *)JST_PF08TS_Neighbor_allgatherv_c_r_entry},
    {JST_F_Neighbor_alltoallv, (void *)JST_F_Neighbor_alltoallv_entry},
    {JST_PF_Neighbor_alltoallv, (void *)JST_PF_Neighbor_alltoallv_entry},
    {JST_F08_Neighbor_alltoallv, (void *)JST_F08_Neighbor_alltoallv_entry},
    {JST_PF08_Neighbor_alltoallv, (void *)JST_PF08_Neighbor_alltoallv_entry},
    {JST_F08TS_Neighbor_alltoallv, (void *)JST_F08TS_Neighbor_alltoallv_entry},
    {JST_PF08TS_Neighbor_alltoallv_r, (void *)JST_PF08TS_Neighbor_alltoallv_r_entry},
    {JST_F08TS_Neighbor_alltoallv_c, (void *)JST_F08TS_Neighbor_alltoallv_c_entry},
    {JST_PF08TS_Neighbor_alltoallv_c_r, (void *)JST_PF08TS_Neighbor_alltoallv_c_r_entry},
    {JST_F_Neighbor_alltoallw, (void *)JST_F_Neighbor_alltoallw_entry},
    {JST_PF_Neighbor_alltoallw, (void *)JST_PF_Neighbor_alltoallw_entry},
    {JST_F08_Neighbor_alltoallw, (void *)JST_F08_Neighbor_alltoallw_entry},
    {JST_PF08_Neighbor_alltoallw, (void *)JST_PF08_Neighbor_alltoallw_entry},
    {JST_F08TS_Neighbor_alltoallw, (void *)JST_F08TS_Neighbor_alltoallw_entry},
    {JST_PF08TS_Neighbor_alltoallw_r, (void *)JST_PF08TS_Neighbor_alltoallw_r_entry},
    {JST_F08TS_Neighbor_alltoallw_c, (void *)JST_F08TS_Neighbor_alltoallw_c_entry},
    {JST_PF08TS_Neighbor_alltoallw_c_r, (void *)JST_PF08TS_Neighbor_alltoallw_c_r_entry},
};
const size_t jst_count_f_collective = 173;
