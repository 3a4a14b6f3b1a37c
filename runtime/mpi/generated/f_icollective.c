/* Made by tools/generate_mpi.py from schema/mpi_calls.toml and pympistandard; do not edit. */
/* clang-format off */
#include "jst_wrappers.h"

static void jst_body_Ibcast(unsigned id, jst_mpi_call *call, void *buffer, void *count, void
                            *datatype, void *root, void *comm, void *request, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buffer, count, datatype, root, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ibcast", JST_MPI_IONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(buffer, count, datatype, root, comm, request, ierror);
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
JST_ENTRY_7_0(JST_F_Ibcast, jst_body_Ibcast)
JST_ENTRY_7_0(JST_PF_Ibcast, jst_body_Ibcast)
JST_ENTRY_7_0(JST_F08_Ibcast, jst_body_Ibcast)
JST_ENTRY_7_0(JST_PF08_Ibcast, jst_body_Ibcast)
JST_ENTRY_7_0(JST_F08TS_Ibcast, jst_body_Ibcast)
JST_ENTRY_7_0(JST_PF08TS_Ibcast_r, jst_body_Ibcast)

static void jst_body_Ibcast_c(unsigned id, jst_mpi_call *call, void *buffer, void *count, void
                              *datatype, void *root, void *comm, void *request, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buffer, count, datatype, root, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ibcast_c", JST_MPI_IONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(buffer, count, datatype, root, comm, request, ierror);
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
JST_ENTRY_7_0(JST_F08TS_Ibcast_c, jst_body_Ibcast_c)
JST_ENTRY_7_0(JST_PF08TS_Ibcast_c_r, jst_body_Ibcast_c)

static void jst_body_Iscatter(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcount, void
                              *sendtype, void *recvbuf, void *recvcount, void *recvtype, void *root,
                              void *comm, void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iscatter", JST_MPI_IONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror);
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
JST_ENTRY_10_0(JST_F_Iscatter, jst_body_Iscatter)
JST_ENTRY_10_0(JST_PF_Iscatter, jst_body_Iscatter)
JST_ENTRY_10_0(JST_F08_Iscatter, jst_body_Iscatter)
JST_ENTRY_10_0(JST_PF08_Iscatter, jst_body_Iscatter)
JST_ENTRY_10_0(JST_F08TS_Iscatter, jst_body_Iscatter)
JST_ENTRY_10_0(JST_PF08TS_Iscatter_r, jst_body_Iscatter)

static void jst_body_Iscatter_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcount,
                                void *sendtype, void *recvbuf, void *recvcount, void *recvtype, void
                                *root, void *comm, void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iscatter_c", JST_MPI_IONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror);
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
JST_ENTRY_10_0(JST_F08TS_Iscatter_c, jst_body_Iscatter_c)
JST_ENTRY_10_0(JST_PF08TS_Iscatter_c_r, jst_body_Iscatter_c)

static void jst_body_Iscatterv(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcounts,
                               void *displs, void *sendtype, void *recvbuf, void *recvcount, void
                               *recvtype, void *root, void *comm, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iscatterv", JST_MPI_IONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
         ierror);
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
JST_ENTRY_11_0(JST_F_Iscatterv, jst_body_Iscatterv)
JST_ENTRY_11_0(JST_PF_Iscatterv, jst_body_Iscatterv)
JST_ENTRY_11_0(JST_F08_Iscatterv, jst_body_Iscatterv)
JST_ENTRY_11_0(JST_PF08_Iscatterv, jst_body_Iscatterv)
JST_ENTRY_11_0(JST_F08TS_Iscatterv, jst_body_Iscatterv)
JST_ENTRY_11_0(JST_PF08TS_Iscatterv_r, jst_body_Iscatterv)

static void jst_body_Iscatterv_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcounts,
                                 void *displs, void *sendtype, void *recvbuf, void *recvcount, void
                                 *recvtype, void *root, void *comm, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iscatterv_c", JST_MPI_IONE_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
         ierror);
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
JST_ENTRY_11_0(JST_F08TS_Iscatterv_c, jst_body_Iscatterv_c)
JST_ENTRY_11_0(JST_PF08TS_Iscatterv_c_r, jst_body_Iscatterv_c)

static void jst_body_Ireduce(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                             *count, void *datatype, void *op, void *root, void *comm, void
                             *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ireduce", JST_MPI_IALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror);
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
JST_ENTRY_9_0(JST_F_Ireduce, jst_body_Ireduce)
JST_ENTRY_9_0(JST_PF_Ireduce, jst_body_Ireduce)
JST_ENTRY_9_0(JST_F08_Ireduce, jst_body_Ireduce)
JST_ENTRY_9_0(JST_PF08_Ireduce, jst_body_Ireduce)
JST_ENTRY_9_0(JST_F08TS_Ireduce, jst_body_Ireduce)
JST_ENTRY_9_0(JST_PF08TS_Ireduce_r, jst_body_Ireduce)

static void jst_body_Ireduce_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                               *count, void *datatype, void *op, void *root, void *comm, void
                               *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ireduce_c", JST_MPI_IALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror);
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
JST_ENTRY_9_0(JST_F08TS_Ireduce_c, jst_body_Ireduce_c)
JST_ENTRY_9_0(JST_PF08TS_Ireduce_c_r, jst_body_Ireduce_c)

static void jst_body_Igather(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                             *sendcount, void *sendtype, void *recvbuf, void *recvcount, void
                             *recvtype, void *root, void *comm, void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Igather", JST_MPI_IALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror);
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
JST_ENTRY_IN_PLACE_10_0(JST_F_Igather, jst_body_Igather, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF_Igather, jst_body_Igather, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08_Igather, jst_body_Igather, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF08_Igather, jst_body_Igather, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Igather, jst_body_Igather, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Igather_r, jst_body_Igather, true)

static void jst_body_Igather_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                               *sendcount, void *sendtype, void *recvbuf, void *recvcount, void
                               *recvtype, void *root, void *comm, void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Igather_c", JST_MPI_IALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror);
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
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Igather_c, jst_body_Igather_c, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Igather_c_r, jst_body_Igather_c, true)

static void jst_body_Igatherv(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                              *sendcount, void *sendtype, void *recvbuf, void *recvcounts, void
                              *displs, void *recvtype, void *root, void *comm, void *request, void
                              *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Igatherv", JST_MPI_IALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request,
         ierror);
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
JST_ENTRY_IN_PLACE_11_0(JST_F_Igatherv, jst_body_Igatherv, false)
JST_ENTRY_IN_PLACE_11_0(JST_PF_Igatherv, jst_body_Igatherv, false)
JST_ENTRY_IN_PLACE_11_0(JST_F08_Igatherv, jst_body_Igatherv, false)
JST_ENTRY_IN_PLACE_11_0(JST_PF08_Igatherv, jst_body_Igatherv, false)
JST_ENTRY_IN_PLACE_11_0(JST_F08TS_Igatherv, jst_body_Igatherv, true)
JST_ENTRY_IN_PLACE_11_0(JST_PF08TS_Igatherv_r, jst_body_Igatherv, true)

static void jst_body_Igatherv_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                                *sendcount, void *sendtype, void *recvbuf, void *recvcounts, void
                                *displs, void *recvtype, void *root, void *comm, void *request, void
                                *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Igatherv_c", JST_MPI_IALL_TO_ONE, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request,
         ierror);
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
JST_ENTRY_IN_PLACE_11_0(JST_F08TS_Igatherv_c, jst_body_Igatherv_c, true)
JST_ENTRY_IN_PLACE_11_0(JST_PF08TS_Igatherv_c_r, jst_body_Igatherv_c, true)

static void jst_body_Iallreduce(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                                *count, void *datatype, void *op, void *comm, void *request, void
                                *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iallreduce", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allreduce", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Iallreduce", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Iallreduce, jst_body_Iallreduce)
JST_ENTRY_8_0(JST_PF_Iallreduce, jst_body_Iallreduce)
JST_ENTRY_8_0(JST_F08_Iallreduce, jst_body_Iallreduce)
JST_ENTRY_8_0(JST_PF08_Iallreduce, jst_body_Iallreduce)
JST_ENTRY_8_0(JST_F08TS_Iallreduce, jst_body_Iallreduce)
JST_ENTRY_8_0(JST_PF08TS_Iallreduce_r, jst_body_Iallreduce)

static void jst_body_Iallreduce_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf,
                                  void *count, void *datatype, void *op, void *comm, void *request,
                                  void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iallreduce_c", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allreduce", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Iallreduce_c", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Iallreduce_c, jst_body_Iallreduce_c)
JST_ENTRY_8_0(JST_PF08TS_Iallreduce_c_r, jst_body_Iallreduce_c)

static void jst_body_Iallgather(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                                *sendcount, void *sendtype, void *recvbuf, void *recvcount, void
                                *recvtype, void *comm, void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iallgather", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? (uint64_t)*(const MPI_Fint
                *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype)
                : (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allgather", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Iallgather", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_9_0(JST_F_Iallgather, jst_body_Iallgather, false)
JST_ENTRY_IN_PLACE_9_0(JST_PF_Iallgather, jst_body_Iallgather, false)
JST_ENTRY_IN_PLACE_9_0(JST_F08_Iallgather, jst_body_Iallgather, false)
JST_ENTRY_IN_PLACE_9_0(JST_PF08_Iallgather, jst_body_Iallgather, false)
JST_ENTRY_IN_PLACE_9_0(JST_F08TS_Iallgather, jst_body_Iallgather, true)
JST_ENTRY_IN_PLACE_9_0(JST_PF08TS_Iallgather_r, jst_body_Iallgather, true)

static void jst_body_Iallgather_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                  void *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                  void *recvtype, void *comm, void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iallgather_c", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? (uint64_t)*(const MPI_Count
                *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype)
                : (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                    *)sendtype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allgather", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Iallgather_c", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_9_0(JST_F08TS_Iallgather_c, jst_body_Iallgather_c, true)
JST_ENTRY_IN_PLACE_9_0(JST_PF08TS_Iallgather_c_r, jst_body_Iallgather_c, true)

static void jst_body_Iallgatherv(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                 void *sendcount, void *sendtype, void *recvbuf, void *recvcounts,
                                 void *displs, void *recvtype, void *comm, void *request, void
                                 *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iallgatherv", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_at(recvcounts, 4,
                jst_rank(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = JST_MPI_VARYING;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allgatherv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Iallgatherv", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL | JST_MPI_VARYING, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F_Iallgatherv, jst_body_Iallgatherv, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF_Iallgatherv, jst_body_Iallgatherv, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08_Iallgatherv, jst_body_Iallgatherv, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF08_Iallgatherv, jst_body_Iallgatherv, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Iallgatherv, jst_body_Iallgatherv, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Iallgatherv_r, jst_body_Iallgatherv, true)

static void jst_body_Iallgatherv_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                   void *sendcount, void *sendtype, void *recvbuf, void *recvcounts,
                                   void *displs, void *recvtype, void *comm, void *request, void
                                   *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iallgatherv_c", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_at(recvcounts, 8,
                jst_rank(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                    *)sendtype);
            call->flags = JST_MPI_VARYING;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Allgatherv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Iallgatherv_c", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL | JST_MPI_VARYING, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Iallgatherv_c, jst_body_Iallgatherv_c, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Iallgatherv_c_r, jst_body_Iallgatherv_c, true)

static void jst_body_Ialltoall(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                               *sendcount, void *sendtype, void *recvbuf, void *recvcount, void
                               *recvtype, void *comm, void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ialltoall", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_ranks(jst_c_comm(*(const
                MPI_Fint *)comm)) * (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const
                MPI_Fint *)recvtype)
                : jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const MPI_Fint
                    *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoall", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ialltoall", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_9_0(JST_F_Ialltoall, jst_body_Ialltoall, false)
JST_ENTRY_IN_PLACE_9_0(JST_PF_Ialltoall, jst_body_Ialltoall, false)
JST_ENTRY_IN_PLACE_9_0(JST_F08_Ialltoall, jst_body_Ialltoall, false)
JST_ENTRY_IN_PLACE_9_0(JST_PF08_Ialltoall, jst_body_Ialltoall, false)
JST_ENTRY_IN_PLACE_9_0(JST_F08TS_Ialltoall, jst_body_Ialltoall, true)
JST_ENTRY_IN_PLACE_9_0(JST_PF08TS_Ialltoall_r, jst_body_Ialltoall, true)

static void jst_body_Ialltoall_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                 void *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                 void *recvtype, void *comm, void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ialltoall_c", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_ranks(jst_c_comm(*(const
                MPI_Fint *)comm)) * (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const
                MPI_Fint *)recvtype)
                : jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const MPI_Count
                    *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoall", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ialltoall_c", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_9_0(JST_F08TS_Ialltoall_c, jst_body_Ialltoall_c, true)
JST_ENTRY_IN_PLACE_9_0(JST_PF08TS_Ialltoall_c_r, jst_body_Ialltoall_c, true)

static void jst_body_Ialltoallv(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                                *sendcounts, void *sdispls, void *sendtype, void *recvbuf, void
                                *recvcounts, void *rdispls, void *recvtype, void *comm, void
                                *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ialltoallv", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_sum(recvcounts, 4,
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : jst_sum(sendcounts, 4, jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) *
                    jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = JST_MPI_VARYING;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoallv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ialltoallv", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL | JST_MPI_VARYING, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_11_0(JST_F_Ialltoallv, jst_body_Ialltoallv, false)
JST_ENTRY_IN_PLACE_11_0(JST_PF_Ialltoallv, jst_body_Ialltoallv, false)
JST_ENTRY_IN_PLACE_11_0(JST_F08_Ialltoallv, jst_body_Ialltoallv, false)
JST_ENTRY_IN_PLACE_11_0(JST_PF08_Ialltoallv, jst_body_Ialltoallv, false)
JST_ENTRY_IN_PLACE_11_0(JST_F08TS_Ialltoallv, jst_body_Ialltoallv, true)
JST_ENTRY_IN_PLACE_11_0(JST_PF08TS_Ialltoallv_r, jst_body_Ialltoallv, true)

static void jst_body_Ialltoallv_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                  void *sendcounts, void *sdispls, void *sendtype, void *recvbuf,
                                  void *recvcounts, void *rdispls, void *recvtype, void *comm, void
                                  *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ialltoallv_c", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_sum(recvcounts, 8,
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : jst_sum(sendcounts, 8, jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) *
                    jst_size_f(*(const MPI_Fint *)sendtype);
            call->flags = JST_MPI_VARYING;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoallv", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ialltoallv_c", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL | JST_MPI_VARYING, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_11_0(JST_F08TS_Ialltoallv_c, jst_body_Ialltoallv_c, true)
JST_ENTRY_IN_PLACE_11_0(JST_PF08TS_Ialltoallv_c_r, jst_body_Ialltoallv_c, true)

static void jst_body_Ialltoallw(unsigned id, jst_mpi_call *call, bool described, void *sendbuf, void
                                *sendcounts, void *sdispls, void *sendtypes, void *recvbuf, void
                                *recvcounts, void *rdispls, void *recvtypes, void *comm, void
                                *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ialltoallw", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_dot_f(recvcounts, 4, recvtypes,
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)))
                : jst_dot_f(sendcounts, 4, sendtypes, jst_ranks(jst_c_comm(*(const MPI_Fint
                    *)comm)));
            call->flags = JST_MPI_VARYING;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoallw", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ialltoallw", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL | JST_MPI_VARYING, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_11_0(JST_F_Ialltoallw, jst_body_Ialltoallw, false)
JST_ENTRY_IN_PLACE_11_0(JST_PF_Ialltoallw, jst_body_Ialltoallw, false)
JST_ENTRY_IN_PLACE_11_0(JST_F08_Ialltoallw, jst_body_Ialltoallw, false)
JST_ENTRY_IN_PLACE_11_0(JST_PF08_Ialltoallw, jst_body_Ialltoallw, false)
JST_ENTRY_IN_PLACE_11_0(JST_F08TS_Ialltoallw, jst_body_Ialltoallw, true)
JST_ENTRY_IN_PLACE_11_0(JST_PF08TS_Ialltoallw_r, jst_body_Ialltoallw, true)

static void jst_body_Ialltoallw_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                  void *sendcounts, void *sdispls, void *sendtypes, void *recvbuf,
                                  void *recvcounts, void *rdispls, void *recvtypes, void *comm, void
                                  *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ialltoallw_c", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_in_place_f(sendbuf, described) ? jst_dot_f(recvcounts, 8, recvtypes,
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)))
                : jst_dot_f(sendcounts, 8, sendtypes, jst_ranks(jst_c_comm(*(const MPI_Fint
                    *)comm)));
            call->flags = JST_MPI_VARYING;
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Alltoallw", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ialltoallw_c", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL | JST_MPI_VARYING, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_11_0(JST_F08TS_Ialltoallw_c, jst_body_Ialltoallw_c, true)
JST_ENTRY_IN_PLACE_11_0(JST_PF08TS_Ialltoallw_c_r, jst_body_Ialltoallw_c, true)

static void jst_body_Ireduce_scatter(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf,
                                     void *recvcounts, void *datatype, void *op, void *comm, void
                                     *request, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ireduce_scatter", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_sum(recvcounts, 4, jst_members(jst_c_comm(*(const MPI_Fint *)comm)))
                * jst_size_f(*(const MPI_Fint *)datatype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Reduce_scatter", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ireduce_scatter", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Ireduce_scatter, jst_body_Ireduce_scatter)
JST_ENTRY_8_0(JST_PF_Ireduce_scatter, jst_body_Ireduce_scatter)
JST_ENTRY_8_0(JST_F08_Ireduce_scatter, jst_body_Ireduce_scatter)
JST_ENTRY_8_0(JST_PF08_Ireduce_scatter, jst_body_Ireduce_scatter)
JST_ENTRY_8_0(JST_F08TS_Ireduce_scatter, jst_body_Ireduce_scatter)
JST_ENTRY_8_0(JST_PF08TS_Ireduce_scatter_r, jst_body_Ireduce_scatter)

static void jst_body_Ireduce_scatter_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                       *recvbuf, void *recvcounts, void *datatype, void *op, void
                                       *comm, void *request, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ireduce_scatter_c", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_sum(recvcounts, 8, jst_members(jst_c_comm(*(const MPI_Fint *)comm)))
                * jst_size_f(*(const MPI_Fint *)datatype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Reduce_scatter", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ireduce_scatter_c", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Ireduce_scatter_c, jst_body_Ireduce_scatter_c)
JST_ENTRY_8_0(JST_PF08TS_Ireduce_scatter_c_r, jst_body_Ireduce_scatter_c)

static void jst_body_Ireduce_scatter_block(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                           *recvbuf, void *recvcount, void *datatype, void *op, void
                                           *comm, void *request, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ireduce_scatter_block", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_members(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint *)datatype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Reduce_scatter_block", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ireduce_scatter_block", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Ireduce_scatter_block, jst_body_Ireduce_scatter_block)
JST_ENTRY_8_0(JST_PF_Ireduce_scatter_block, jst_body_Ireduce_scatter_block)
JST_ENTRY_8_0(JST_F08_Ireduce_scatter_block, jst_body_Ireduce_scatter_block)
JST_ENTRY_8_0(JST_PF08_Ireduce_scatter_block, jst_body_Ireduce_scatter_block)
JST_ENTRY_8_0(JST_F08TS_Ireduce_scatter_block, jst_body_Ireduce_scatter_block)
JST_ENTRY_8_0(JST_PF08TS_Ireduce_scatter_block_r, jst_body_Ireduce_scatter_block)

static void jst_body_Ireduce_scatter_block_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                             *recvbuf, void *recvcount, void *datatype, void *op,
                                             void *comm, void *request, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ireduce_scatter_block_c", JST_MPI_IALL_TO_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_members(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const
                MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint *)datatype);
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Reduce_scatter_block", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ireduce_scatter_block_c", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Ireduce_scatter_block_c, jst_body_Ireduce_scatter_block_c)
JST_ENTRY_8_0(JST_PF08TS_Ireduce_scatter_block_c_r, jst_body_Ireduce_scatter_block_c)

static void jst_body_Ibarrier(unsigned id, jst_mpi_call *call, void *comm, void *request, void
                              *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ibarrier", JST_MPI_IBARRIER, 0);
    const bool counted = jst_host.enter(call);
    real(comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            if (jst_host.peers) {
                jst_set_collective(call, "MPI_Barrier", jst_roster_of_f(*(const MPI_Fint *)comm),
                    -1);
            }
            if (jst_global_f(*(const MPI_Fint *)comm)) {
                jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                    .func = "MPI_Ibarrier", .bytes = call->bytes,
                    .flags = JST_MPI_GLOBAL, .active = true});
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Ibarrier, jst_body_Ibarrier)
JST_ENTRY_3_0(JST_PF_Ibarrier, jst_body_Ibarrier)
JST_ENTRY_3_0(JST_F08_Ibarrier, jst_body_Ibarrier)
JST_ENTRY_3_0(JST_PF08_Ibarrier, jst_body_Ibarrier)
JST_ENTRY_3_0(JST_PF08_Ibarrier_r, jst_body_Ibarrier)

static void jst_body_Iscan(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                           *count, void *datatype, void *op, void *comm, void *request, void
                           *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iscan", JST_MPI_ISCAN, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
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
JST_ENTRY_8_0(JST_F_Iscan, jst_body_Iscan)
JST_ENTRY_8_0(JST_PF_Iscan, jst_body_Iscan)
JST_ENTRY_8_0(JST_F08_Iscan, jst_body_Iscan)
JST_ENTRY_8_0(JST_PF08_Iscan, jst_body_Iscan)
JST_ENTRY_8_0(JST_F08TS_Iscan, jst_body_Iscan)
JST_ENTRY_8_0(JST_PF08TS_Iscan_r, jst_body_Iscan)

static void jst_body_Iscan_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                             *count, void *datatype, void *op, void *comm, void *request, void
                             *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iscan_c", JST_MPI_ISCAN, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
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
JST_ENTRY_8_0(JST_F08TS_Iscan_c, jst_body_Iscan_c)
JST_ENTRY_8_0(JST_PF08TS_Iscan_c_r, jst_body_Iscan_c)

static void jst_body_Iexscan(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                             *count, void *datatype, void *op, void *comm, void *request, void
                             *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iexscan", JST_MPI_ISCAN, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
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
JST_ENTRY_8_0(JST_F_Iexscan, jst_body_Iexscan)
JST_ENTRY_8_0(JST_PF_Iexscan, jst_body_Iexscan)
JST_ENTRY_8_0(JST_F08_Iexscan, jst_body_Iexscan)
JST_ENTRY_8_0(JST_PF08_Iexscan, jst_body_Iexscan)
JST_ENTRY_8_0(JST_F08TS_Iexscan, jst_body_Iexscan)
JST_ENTRY_8_0(JST_PF08TS_Iexscan_r, jst_body_Iexscan)

static void jst_body_Iexscan_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                               *count, void *datatype, void *op, void *comm, void *request, void
                               *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iexscan_c", JST_MPI_ISCAN, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, request, ierror);
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
JST_ENTRY_8_0(JST_F08TS_Iexscan_c, jst_body_Iexscan_c)
JST_ENTRY_8_0(JST_PF08TS_Iexscan_c_r, jst_body_Iexscan_c)

static void jst_body_Ineighbor_allgather(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                         *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                         void *recvtype, void *comm, void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ineighbor_allgather", JST_MPI_INEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
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
JST_ENTRY_9_0(JST_F_Ineighbor_allgather, jst_body_Ineighbor_allgather)
JST_ENTRY_9_0(JST_PF_Ineighbor_allgather, jst_body_Ineighbor_allgather)
JST_ENTRY_9_0(JST_F08_Ineighbor_allgather, jst_body_Ineighbor_allgather)
JST_ENTRY_9_0(JST_PF08_Ineighbor_allgather, jst_body_Ineighbor_allgather)
JST_ENTRY_9_0(JST_F08TS_Ineighbor_allgather, jst_body_Ineighbor_allgather)
JST_ENTRY_9_0(JST_PF08TS_Ineighbor_allgather_r, jst_body_Ineighbor_allgather)

static void jst_body_Ineighbor_allgather_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                           *sendcount, void *sendtype, void *recvbuf, void
                                           *recvcount, void *recvtype, void *comm, void *request,
                                           void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ineighbor_allgather_c", JST_MPI_INEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
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
JST_ENTRY_9_0(JST_F08TS_Ineighbor_allgather_c, jst_body_Ineighbor_allgather_c)
JST_ENTRY_9_0(JST_PF08TS_Ineighbor_allgather_c_r, jst_body_Ineighbor_allgather_c)

static void jst_body_Ineighbor_alltoall(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                        *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                        void *recvtype, void *comm, void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ineighbor_alltoall", JST_MPI_INEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
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
JST_ENTRY_9_0(JST_F_Ineighbor_alltoall, jst_body_Ineighbor_alltoall)
JST_ENTRY_9_0(JST_PF_Ineighbor_alltoall, jst_body_Ineighbor_alltoall)
JST_ENTRY_9_0(JST_F08_Ineighbor_alltoall, jst_body_Ineighbor_alltoall)
JST_ENTRY_9_0(JST_PF08_Ineighbor_alltoall, jst_body_Ineighbor_alltoall)
JST_ENTRY_9_0(JST_F08TS_Ineighbor_alltoall, jst_body_Ineighbor_alltoall)
JST_ENTRY_9_0(JST_PF08TS_Ineighbor_alltoall_r, jst_body_Ineighbor_alltoall)

static void jst_body_Ineighbor_alltoall_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                          *sendcount, void *sendtype, void *recvbuf, void
                                          *recvcount, void *recvtype, void *comm, void *request,
                                          void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ineighbor_alltoall_c", JST_MPI_INEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror);
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
JST_ENTRY_9_0(JST_F08TS_Ineighbor_alltoall_c, jst_body_Ineighbor_alltoall_c)
JST_ENTRY_9_0(JST_PF08TS_Ineighbor_alltoall_c_r, jst_body_Ineighbor_alltoall_c)

static void jst_body_Ineighbor_allgatherv(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                          *sendcount, void *sendtype, void *recvbuf, void
                                          *recvcounts, void *displs, void *recvtype, void *comm,
                                          void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ineighbor_allgatherv", JST_MPI_INEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
         ierror);
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
JST_ENTRY_10_0(JST_F_Ineighbor_allgatherv, jst_body_Ineighbor_allgatherv)
JST_ENTRY_10_0(JST_PF_Ineighbor_allgatherv, jst_body_Ineighbor_allgatherv)
JST_ENTRY_10_0(JST_F08_Ineighbor_allgatherv, jst_body_Ineighbor_allgatherv)
JST_ENTRY_10_0(JST_PF08_Ineighbor_allgatherv, jst_body_Ineighbor_allgatherv)
JST_ENTRY_10_0(JST_F08TS_Ineighbor_allgatherv, jst_body_Ineighbor_allgatherv)
JST_ENTRY_10_0(JST_PF08TS_Ineighbor_allgatherv_r, jst_body_Ineighbor_allgatherv)

static void jst_body_Ineighbor_allgatherv_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                            *sendcount, void *sendtype, void *recvbuf, void
                                            *recvcounts, void *displs, void *recvtype, void *comm,
                                            void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ineighbor_allgatherv_c", JST_MPI_INEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
         ierror);
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
JST_ENTRY_10_0(JST_F08TS_Ineighbor_allgatherv_c, jst_body_Ineighbor_allgatherv_c)
JST_ENTRY_10_0(JST_PF08TS_Ineighbor_allgatherv_c_r, jst_body_Ineighbor_allgatherv_c)

static void jst_body_Ineighbor_alltoallv(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                         *sendcounts, void *sdispls, void *sendtype, void *recvbuf,
                                         void *recvcounts, void *rdispls, void *recvtype, void
                                         *comm, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ineighbor_alltoallv", JST_MPI_INEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         request, ierror);
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
JST_ENTRY_11_0(JST_F_Ineighbor_alltoallv, jst_body_Ineighbor_alltoallv)
JST_ENTRY_11_0(JST_PF_Ineighbor_alltoallv, jst_body_Ineighbor_alltoallv)
JST_ENTRY_11_0(JST_F08_Ineighbor_alltoallv, jst_body_Ineighbor_alltoallv)
JST_ENTRY_11_0(JST_PF08_Ineighbor_alltoallv, jst_body_Ineighbor_alltoallv)
JST_ENTRY_11_0(JST_F08TS_Ineighbor_alltoallv, jst_body_Ineighbor_alltoallv)
JST_ENTRY_11_0(JST_PF08TS_Ineighbor_alltoallv_r, jst_body_Ineighbor_alltoallv)

static void jst_body_Ineighbor_alltoallv_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                           *sendcounts, void *sdispls, void *sendtype, void
                                           *recvbuf, void *recvcounts, void *rdispls, void
                                           *recvtype, void *comm, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ineighbor_alltoallv_c", JST_MPI_INEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
         request, ierror);
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
JST_ENTRY_11_0(JST_F08TS_Ineighbor_alltoallv_c, jst_body_Ineighbor_alltoallv_c)
JST_ENTRY_11_0(JST_PF08TS_Ineighbor_alltoallv_c_r, jst_body_Ineighbor_alltoallv_c)

static void jst_body_Ineighbor_alltoallw(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                         *sendcounts, void *sdispls, void *sendtypes, void *recvbuf,
                                         void *recvcounts, void *rdispls, void *recvtypes, void
                                         *comm, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ineighbor_alltoallw", JST_MPI_INEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         request, ierror);
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
JST_ENTRY_11_0(JST_F_Ineighbor_alltoallw, jst_body_Ineighbor_alltoallw)
JST_ENTRY_11_0(JST_PF_Ineighbor_alltoallw, jst_body_Ineighbor_alltoallw)
JST_ENTRY_11_0(JST_F08_Ineighbor_alltoallw, jst_body_Ineighbor_alltoallw)
JST_ENTRY_11_0(JST_PF08_Ineighbor_alltoallw, jst_body_Ineighbor_alltoallw)
JST_ENTRY_11_0(JST_F08TS_Ineighbor_alltoallw, jst_body_Ineighbor_alltoallw)
JST_ENTRY_11_0(JST_PF08TS_Ineighbor_alltoallw_r, jst_body_Ineighbor_alltoallw)

static void jst_body_Ineighbor_alltoallw_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                           *sendcounts, void *sdispls, void *sendtypes, void
                                           *recvbuf, void *recvcounts, void *rdispls, void
                                           *recvtypes, void *comm, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ineighbor_alltoallw_c", JST_MPI_INEIGHBOR, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         request, ierror);
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
JST_ENTRY_11_0(JST_F08TS_Ineighbor_alltoallw_c, jst_body_Ineighbor_alltoallw_c)
JST_ENTRY_11_0(JST_PF08TS_Ineighbor_alltoallw_c_r, jst_body_Ineighbor_alltoallw_c)

const jst_function jst_functions_f_icollective[] = {
    {JST_F_Ibcast, (void *)JST_F_Ibcast_entry},
    {JST_PF_Ibcast, (void *)JST_PF_Ibcast_entry},
    {JST_F08_Ibcast, (void *)JST_F08_Ibcast_entry},
    {JST_PF08_Ibcast, (void *)JST_PF08_Ibcast_entry},
    {JST_F08TS_Ibcast, (void *)JST_F08TS_Ibcast_entry},
    {JST_PF08TS_Ibcast_r, (void *)JST_PF08TS_Ibcast_r_entry},
    {JST_F08TS_Ibcast_c, (void *)JST_F08TS_Ibcast_c_entry},
    {JST_PF08TS_Ibcast_c_r, (void *)JST_PF08TS_Ibcast_c_r_entry},
    {JST_F_Iscatter, (void *)JST_F_Iscatter_entry},
    {JST_PF_Iscatter, (void *)JST_PF_Iscatter_entry},
    {JST_F08_Iscatter, (void *)JST_F08_Iscatter_entry},
    {JST_PF08_Iscatter, (void *)JST_PF08_Iscatter_entry},
    {JST_F08TS_Iscatter, (void *)JST_F08TS_Iscatter_entry},
    {JST_PF08TS_Iscatter_r, (void *)JST_PF08TS_Iscatter_r_entry},
    {JST_F08TS_Iscatter_c, (void *)JST_F08TS_Iscatter_c_entry},
    {JST_PF08TS_Iscatter_c_r, (void *)JST_PF08TS_Iscatter_c_r_entry},
    {JST_F_Iscatterv, (void *)JST_F_Iscatterv_entry},
    {JST_PF_Iscatterv, (void *)JST_PF_Iscatterv_entry},
    {JST_F08_Iscatterv, (void *)JST_F08_Iscatterv_entry},
    {JST_PF08_Iscatterv, (void *)JST_PF08_Iscatterv_entry},
    {JST_F08TS_Iscatterv, (void *)JST_F08TS_Iscatterv_entry},
    {JST_PF08TS_Iscatterv_r, (void *)JST_PF08TS_Iscatterv_r_entry},
    {JST_F08TS_Iscatterv_c, (void *)JST_F08TS_Iscatterv_c_entry},
    {JST_PF08TS_Iscatterv_c_r, (void *)JST_PF08TS_Iscatterv_c_r_entry},
    {JST_F_Ireduce, (void *)JST_F_Ireduce_entry},
    {JST_PF_Ireduce, (void *)JST_PF_Ireduce_entry},
    {JST_F08_Ireduce, (void *)JST_F08_Ireduce_entry},
    {JST_PF08_Ireduce, (void *)JST_PF08_Ireduce_entry},
    {JST_F08TS_Ireduce, (void *)JST_F08TS_Ireduce_entry},
    {JST_PF08TS_Ireduce_r, (void *)JST_PF08TS_Ireduce_r_entry},
    {JST_F08TS_Ireduce_c, (void *)JST_F08TS_Ireduce_c_entry},
    {JST_PF08TS_Ireduce_c_r, (void *)JST_PF08TS_Ireduce_c_r_entry},
    {JST_F_Igather, (void *)JST_F_Igather_entry},
    {JST_PF_Igather, (void *)JST_PF_Igather_entry},
    {JST_F08_Igather, (void *)JST_F08_Igather_entry},
    {JST_PF08_Igather, (void *)JST_PF08_Igather_entry},
    {JST_F08TS_Igather, (void *)JST_F08TS_Igather_entry},
    {JST_PF08TS_Igather_r, (void *)JST_PF08TS_Igather_r_entry},
    {JST_F08TS_Igather_c, (void *)JST_F08TS_Igather_c_entry},
    {JST_PF08TS_Igather_c_r, (void *)JST_PF08TS_Igather_c_r_entry},
    {JST_F_Igatherv, (void *)JST_F_Igatherv_entry},
    {JST_PF_Igatherv, (void *)JST_PF_Igatherv_entry},
    {JST_F08_Igatherv, (void *)JST_F08_Igatherv_entry},
    {JST_PF08_Igatherv, (void *)JST_PF08_Igatherv_entry},
    {JST_F08TS_Igatherv, (void *)JST_F08TS_Igatherv_entry},
    {JST_PF08TS_Igatherv_r, (void *)JST_PF08TS_Igatherv_r_entry},
    {JST_F08TS_Igatherv_c, (void *)JST_F08TS_Igatherv_c_entry},
    {JST_PF08TS_Igatherv_c_r, (void *)JST_PF08TS_Igatherv_c_r_entry},
    {JST_F_Iallreduce, (void *)JST_F_Iallreduce_entry},
    {JST_PF_Iallreduce, (void *)JST_PF_Iallreduce_entry},
    {JST_F08_Iallreduce, (void *)JST_F08_Iallreduce_entry},
    {JST_PF08_Iallreduce, (void *)JST_PF08_Iallreduce_entry},
    {JST_F08TS_Iallreduce, (void *)JST_F08TS_Iallreduce_entry},
    {JST_PF08TS_Iallreduce_r, (void *)JST_PF08TS_Iallreduce_r_entry},
    {JST_F08TS_Iallreduce_c, (void *)JST_F08TS_Iallreduce_c_entry},
    {JST_PF08TS_Iallreduce_c_r, (void *)JST_PF08TS_Iallreduce_c_r_entry},
    {JST_F_Iallgather, (void *)JST_F_Iallgather_entry},
    {JST_PF_Iallgather, (void *)JST_PF_Iallgather_entry},
    {JST_F08_Iallgather, (void *)JST_F08_Iallgather_entry},
    {JST_PF08_Iallgather, (void *)JST_PF08_Iallgather_entry},
    {JST_F08TS_Iallgather, (void *)JST_F08TS_Iallgather_entry},
    {JST_PF08TS_Iallgather_r, (void *)JST_PF08TS_Iallgather_r_entry},
    {JST_F08TS_Iallgather_c, (void *)JST_F08TS_Iallgather_c_entry},
    {JST_PF08TS_Iallgather_c_r, (void *)JST_PF08TS_Iallgather_c_r_entry},
    {JST_F_Iallgatherv, (void *)JST_F_Iallgatherv_entry},
    {JST_PF_Iallgatherv, (void *)JST_PF_Iallgatherv_entry},
    {JST_F08_Iallgatherv, (void *)JST_F08_Iallgatherv_entry},
    {JST_PF08_Iallgatherv, (void *)JST_PF08_Iallgatherv_entry},
    {JST_F08TS_Iallgatherv, (void *)JST_F08TS_Iallgatherv_entry},
    {JST_PF08TS_Iallgatherv_r, (void *)JST_PF08TS_Iallgatherv_r_entry},
    {JST_F08TS_Iallgatherv_c, (void *)JST_F08TS_Iallgatherv_c_entry},
    {JST_PF08TS_Iallgatherv_c_r, (void *)JST_PF08TS_Iallgatherv_c_r_entry},
    {JST_F_Ialltoall, (void *)JST_F_Ialltoall_entry},
    {JST_PF_Ialltoall, (void *)JST_PF_Ialltoall_entry},
    {JST_F08_Ialltoall, (void *)JST_F08_Ialltoall_entry},
    {JST_PF08_Ialltoall, (void *)JST_PF08_Ialltoall_entry},
    {JST_F08TS_Ialltoall, (void *)JST_F08TS_Ialltoall_entry},
    {JST_PF08TS_Ialltoall_r, (void *)JST_PF08TS_Ialltoall_r_entry},
    {JST_F08TS_Ialltoall_c, (void *)JST_F08TS_Ialltoall_c_entry},
    {JST_PF08TS_Ialltoall_c_r, (void *)JST_PF08TS_Ialltoall_c_r_entry},
    {JST_F_Ialltoallv, (void *)JST_F_Ialltoallv_entry},
    {JST_PF_Ialltoallv, (void *)JST_PF_Ialltoallv_entry},
    {JST_F08_Ialltoallv, (void *)JST_F08_Ialltoallv_entry},
    {JST_PF08_Ialltoallv, (void *)JST_PF08_Ialltoallv_entry},
    {JST_F08TS_Ialltoallv, (void *)JST_F08TS_Ialltoallv_entry},
    {JST_PF08TS_Ialltoallv_r, (void *)JST_PF08TS_Ialltoallv_r_entry},
    {JST_F08TS_Ialltoallv_c, (void *)JST_F08TS_Ialltoallv_c_entry},
    {JST_PF08TS_Ialltoallv_c_r, (void *)JST_PF08TS_Ialltoallv_c_r_entry},
    {JST_F_Ialltoallw, (void *)JST_F_Ialltoallw_entry},
    {JST_PF_Ialltoallw, (void *)JST_PF_Ialltoallw_entry},
    {JST_F08_Ialltoallw, (void *)JST_F08_Ialltoallw_entry},
    {JST_PF08_Ialltoallw, (void *)JST_PF08_Ialltoallw_entry},
    {JST_F08TS_Ialltoallw, (void *)JST_F08TS_Ialltoallw_entry},
    {JST_PF08TS_Ialltoallw_r, (void *)JST_PF08TS_Ialltoallw_r_entry},
    {JST_F08TS_Ialltoallw_c, (void *)JST_F08TS_Ialltoallw_c_entry},
    {JST_PF08TS_Ialltoallw_c_r, (void *)JST_PF08TS_Ialltoallw_c_r_entry},
    {JST_F_Ireduce_scatter, (void *)JST_F_Ireduce_scatter_entry},
    {JST_PF_Ireduce_scatter, (void *)JST_PF_Ireduce_scatter_entry},
    {JST_F08_Ireduce_scatter, (void *)JST_F08_Ireduce_scatter_entry},
    {JST_PF08_Ireduce_scatter, (void *)JST_PF08_Ireduce_scatter_entry},
    {JST_F08TS_Ireduce_scatter, (void *)JST_F08TS_Ireduce_scatter_entry},
    {JST_PF08TS_Ireduce_scatter_r, (void *)JST_PF08TS_Ireduce_scatter_r_entry},
    {JST_F08TS_Ireduce_scatter_c, (void *)JST_F08TS_Ireduce_scatter_c_entry},
    {JST_PF08TS_Ireduce_scatter_c_r, (void *)JST_PF08TS_Ireduce_scatter_c_r_entry},
    {JST_F_Ireduce_scatter_block, (void *)JST_F_Ireduce_scatter_block_entry},
    {JST_PF_Ireduce_scatter_block, (void *)JST_PF_Ireduce_scatter_block_entry},
    {JST_F08_Ireduce_scatter_block, (void *)JST_F08_Ireduce_scatter_block_entry},
    {JST_PF08_Ireduce_scatter_block, (void *)JST_PF08_Ireduce_scatter_block_entry},
    {JST_F08TS_Ireduce_scatter_block, (void *)JST_F08TS_Ireduce_scatter_block_entry},
    {JST_PF08TS_Ireduce_scatter_block_r, (void *)JST_PF08TS_Ireduce_scatter_block_r_entry},
    {JST_F08TS_Ireduce_scatter_block_c, (void *)JST_F08TS_Ireduce_scatter_block_c_entry},
    {JST_PF08TS_Ireduce_scatter_block_c_r, (void *)JST_PF08TS_Ireduce_scatter_block_c_r_entry},
    {JST_F_Ibarrier, (void *)JST_F_Ibarrier_entry},
    {JST_PF_Ibarrier, (void *)JST_PF_Ibarrier_entry},
    {JST_F08_Ibarrier, (void *)JST_F08_Ibarrier_entry},
    {JST_PF08_Ibarrier, (void *)JST_PF08_Ibarrier_entry},
    {JST_PF08_Ibarrier_r, (void *)JST_PF08_Ibarrier_r_entry},
    {JST_F_Iscan, (void *)JST_F_Iscan_entry},
    {JST_PF_Iscan, (void *)JST_PF_Iscan_entry},
    {JST_F08_Iscan, (void *)JST_F08_Iscan_entry},
    {JST_PF08_Iscan, (void *)JST_PF08_Iscan_entry},
    {JST_F08TS_Iscan, (void *)JST_F08TS_Iscan_entry},
    {JST_PF08TS_Iscan_r, (void *)JST_PF08TS_Iscan_r_entry},
    {JST_F08TS_Iscan_c, (void *)JST_F08TS_Iscan_c_entry},
    {JST_PF08TS_Iscan_c_r, (void *)JST_PF08TS_Iscan_c_r_entry},
    {JST_F_Iexscan, (void *)JST_F_Iexscan_entry},
    {JST_PF_Iexscan, (void *)JST_PF_Iexscan_entry},
    {JST_F08_Iexscan, (void *)JST_F08_Iexscan_entry},
    {JST_PF08_Iexscan, (void *)JST_PF08_Iexscan_entry},
    {JST_F08TS_Iexscan, (void *)JST_F08TS_Iexscan_entry},
    {JST_PF08TS_Iexscan_r, (void *)JST_PF08TS_Iexscan_r_entry},
    {JST_F08TS_Iexscan_c, (void *)JST_F08TS_Iexscan_c_entry},
    {JST_PF08TS_Iexscan_c_r, (void *)JST_PF08TS_Iexscan_c_r_entry},
    {JST_F_Ineighbor_allgather, (void *)JST_F_Ineighbor_allgather_entry},
    {JST_PF_Ineighbor_allgather, (void *)JST_PF_Ineighbor_allgather_entry},
    {JST_F08_Ineighbor_allgather, (void *)JST_F08_Ineighbor_allgather_entry},
    {JST_PF08_Ineighbor_allgather, (void *)JST_PF08_Ineighbor_allgather_entry},
    {JST_F08TS_Ineighbor_allgather, (void *)JST_F08TS_Ineighbor_allgather_entry},
    {JST_PF08TS_Ineighbor_allgather_r, (void *)JST_PF08TS_Ineighbor_allgather_r_entry},
    {JST_F08TS_Ineighbor_allgather_c, (void *)JST_F08TS_Ineighbor_allgather_c_entry},
    {JST_PF08TS_Ineighbor_allgather_c_r, (void *)JST_PF08TS_Ineighbor_allgather_c_r_entry},
    {JST_F_Ineighbor_alltoall, (void *)JST_F_Ineighbor_alltoall_entry},
    {JST_PF_Ineighbor_alltoall, (void *)JST_PF_Ineighbor_alltoall_entry},
    {JST_F08_Ineighbor_alltoall, (void *)JST_F08_Ineighbor_alltoall_entry},
    {JST_PF08_Ineighbor_alltoall, (void *)JST_PF08_Ineighbor_alltoall_entry},
    {JST_F08TS_Ineighbor_alltoall, (void *)JST_F08TS_Ineighbor_alltoall_entry},
    {JST_PF08TS_Ineighbor_alltoall_r, (void *)JST_PF08TS_Ineighbor_alltoall_r_entry},
    {JST_F08TS_Ineighbor_alltoall_c, (void *)JST_F08TS_Ineighbor_alltoall_c_entry},
    {JST_PF08TS_Ineighbor_alltoall_c_r, (void *)JST_PF08TS_Ineighbor_alltoall_c_r_entry},
    {JST_F_Ineighbor_allgatherv, (void *)JST_F_Ineighbor_allgatherv_entry},
    {JST_PF_Ineighbor_allgatherv, (void *)JST_PF_Ineighbor_allgatherv_entry},
    {JST_F08_Ineighbor_allgatherv, (void *)JST_F08_Ineighbor_allgatherv_entry},
    {JST_PF08_Ineighbor_allgatherv, (void *)JST_PF08_Ineighbor_allgatherv_entry},
    {JST_F08TS_Ineighbor_allgatherv, (void *)JST_F08TS_Ineighbor_allgatherv_entry},
    {JST_PF08TS_Ineighbor_allgatherv_r, (void *)JST_PF08TS_Ineighbor_allgatherv_r_entry},
    {JST_F08TS_Ineighbor_allgatherv_c, (void *)JST_F08TS_Ineighbor_allgatherv_c_entry},
    {JST_PF08TS_Ineighbor_allgatherv_c_r, (void *)JST_PF08TS_Ineighbor_allgatherv_c_r_entry},
    {JST_F_Ineighbor_alltoallv, (void *)JST_F_Ineighbor_alltoallv_entry},
    {JST_PF_Ineighbor_alltoallv, (void *)JST_PF_Ineighbor_alltoallv_entry},
    {JST_F08_Ineighbor_alltoallv, (void *)JST_F08_Ineighbor_alltoallv_entry},
    {JST_PF08_Ineighbor_alltoallv, (void *)JST_PF08_Ineighbor_alltoallv_entry},
    {JST_F08TS_Ineighbor_alltoallv, (void *)JST_F08TS_Ineighbor_alltoallv_entry},
    {JST_PF08TS_Ineighbor_alltoallv_r, (void *)JST_PF08TS_Ineighbor_alltoallv_r_entry},
    {JST_F08TS_Ineighbor_alltoallv_c, (void *)JST_F08TS_Ineighbor_alltoallv_c_entry},
    {JST_PF08TS_Ineighbor_alltoallv_c_r, (void *)JST_PF08TS_Ineighbor_alltoallv_c_r_entry},
    {JST_F_Ineighbor_alltoallw, (void *)JST_F_Ineighbor_alltoallw_entry},
    {JST_PF_Ineighbor_alltoallw, (void *)JST_PF_Ineighbor_alltoallw_entry},
    {JST_F08_Ineighbor_alltoallw, (void *)JST_F08_Ineighbor_alltoallw_entry},
    {JST_PF08_Ineighbor_alltoallw, (void *)JST_PF08_Ineighbor_alltoallw_entry},
    {JST_F08TS_Ineighbor_alltoallw, (void *)JST_F08TS_Ineighbor_alltoallw_entry},
    {JST_PF08TS_Ineighbor_alltoallw_r, (void *)JST_PF08TS_Ineighbor_alltoallw_r_entry},
    {JST_F08TS_Ineighbor_alltoallw_c, (void *)JST_F08TS_Ineighbor_alltoallw_c_entry},
    {JST_PF08TS_Ineighbor_alltoallw_c_r, (void *)JST_PF08TS_Ineighbor_alltoallw_c_r_entry},
};
const size_t jst_count_f_icollective = 173;
