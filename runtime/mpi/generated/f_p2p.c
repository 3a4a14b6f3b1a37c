/* Made by tools/generate_mpi.py from schema/mpi_calls.toml and pympistandard; do not edit. */
/* clang-format off */
#include "jst_wrappers.h"

static JST_INLINE void jst_body_Send(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                                     *datatype, void *dest, void *tag, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Send", JST_MPI_SEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Send, jst_body_Send)
JST_ENTRY_7_0(JST_PF_Send, jst_body_Send)
JST_ENTRY_7_0(JST_F08_Send, jst_body_Send)
JST_ENTRY_7_0(JST_PF08_Send, jst_body_Send)
JST_ENTRY_7_0(JST_F08TS_Send, jst_body_Send)
JST_ENTRY_7_0(JST_PF08TS_Send_r, jst_body_Send)

static void jst_body_Send_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void *datatype,
                            void *dest, void *tag, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Send_c", JST_MPI_SEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_Send_c, jst_body_Send_c)
JST_ENTRY_7_0(JST_PF08TS_Send_c_r, jst_body_Send_c)

static void jst_body_Bsend(unsigned id, jst_mpi_call *call, void *buf, void *count, void *datatype,
                           void *dest, void *tag, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Bsend", JST_MPI_SEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Bsend, jst_body_Bsend)
JST_ENTRY_7_0(JST_PF_Bsend, jst_body_Bsend)
JST_ENTRY_7_0(JST_F08_Bsend, jst_body_Bsend)
JST_ENTRY_7_0(JST_PF08_Bsend, jst_body_Bsend)
JST_ENTRY_7_0(JST_F08TS_Bsend, jst_body_Bsend)
JST_ENTRY_7_0(JST_PF08TS_Bsend_r, jst_body_Bsend)

static void jst_body_Bsend_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                             *datatype, void *dest, void *tag, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Bsend_c", JST_MPI_SEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_Bsend_c, jst_body_Bsend_c)
JST_ENTRY_7_0(JST_PF08TS_Bsend_c_r, jst_body_Bsend_c)

static void jst_body_Ssend(unsigned id, jst_mpi_call *call, void *buf, void *count, void *datatype,
                           void *dest, void *tag, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ssend", JST_MPI_SEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Ssend, jst_body_Ssend)
JST_ENTRY_7_0(JST_PF_Ssend, jst_body_Ssend)
JST_ENTRY_7_0(JST_F08_Ssend, jst_body_Ssend)
JST_ENTRY_7_0(JST_PF08_Ssend, jst_body_Ssend)
JST_ENTRY_7_0(JST_F08TS_Ssend, jst_body_Ssend)
JST_ENTRY_7_0(JST_PF08TS_Ssend_r, jst_body_Ssend)

static void jst_body_Ssend_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                             *datatype, void *dest, void *tag, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ssend_c", JST_MPI_SEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_Ssend_c, jst_body_Ssend_c)
JST_ENTRY_7_0(JST_PF08TS_Ssend_c_r, jst_body_Ssend_c)

static void jst_body_Rsend(unsigned id, jst_mpi_call *call, void *buf, void *count, void *datatype,
                           void *dest, void *tag, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Rsend", JST_MPI_SEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Rsend, jst_body_Rsend)
JST_ENTRY_7_0(JST_PF_Rsend, jst_body_Rsend)
JST_ENTRY_7_0(JST_F08_Rsend, jst_body_Rsend)
JST_ENTRY_7_0(JST_PF08_Rsend, jst_body_Rsend)
JST_ENTRY_7_0(JST_F08TS_Rsend, jst_body_Rsend)
JST_ENTRY_7_0(JST_PF08TS_Rsend_r, jst_body_Rsend)

static void jst_body_Rsend_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                             *datatype, void *dest, void *tag, void *comm, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Rsend_c", JST_MPI_SEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_Rsend_c, jst_body_Rsend_c)
JST_ENTRY_7_0(JST_PF08TS_Rsend_c_r, jst_body_Rsend_c)

static JST_INLINE void jst_body_Recv(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                                     *datatype, void *source, void *tag, void *comm, void *status,
                                     void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, source, tag, comm, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Recv", JST_MPI_RECV, 0);
    MPI_Status own_status;
    void *seen = NULL;
    const bool counted = jst_host.enter(call);
    if (counted) {
        seen = jst_status_f(status, &own_status);
        status = seen ? seen : status;
    }
    real(buf, count, datatype, source, tag, comm, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm);
            jst_set_arrived(call, seen, &call->peer,
                *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Recv, jst_body_Recv)
JST_ENTRY_8_0(JST_PF_Recv, jst_body_Recv)
JST_ENTRY_8_0(JST_F08_Recv, jst_body_Recv)
JST_ENTRY_8_0(JST_PF08_Recv, jst_body_Recv)
JST_ENTRY_8_0(JST_F08TS_Recv, jst_body_Recv)
JST_ENTRY_8_0(JST_PF08TS_Recv_r, jst_body_Recv)

static void jst_body_Recv_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void *datatype,
                            void *source, void *tag, void *comm, void *status, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, source, tag, comm, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Recv_c", JST_MPI_RECV, 0);
    MPI_Status own_status;
    void *seen = NULL;
    const bool counted = jst_host.enter(call);
    if (counted) {
        seen = jst_status_f(status, &own_status);
        status = seen ? seen : status;
    }
    real(buf, count, datatype, source, tag, comm, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm);
            jst_set_arrived(call, seen, &call->peer,
                *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Recv_c, jst_body_Recv_c)
JST_ENTRY_8_0(JST_PF08TS_Recv_c_r, jst_body_Recv_c)

static void jst_body_Mrecv(unsigned id, jst_mpi_call *call, void *buf, void *count, void *datatype,
                           void *message, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, message, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Mrecv", JST_MPI_RECV, 0);
    MPI_Status own_status;
    void *seen = NULL;
    jst_roster *matched = NULL;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_host.peers) {
            matched = jst_matched_ranks(jst_c_message(*(const MPI_Fint *)message));
        }
        seen = jst_status_f(status, &own_status);
        status = seen ? seen : status;
    }
    real(buf, count, datatype, message, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            jst_set_arrived(call, seen, &call->peer,
                matched);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Mrecv, jst_body_Mrecv)
JST_ENTRY_6_0(JST_PF_Mrecv, jst_body_Mrecv)
JST_ENTRY_6_0(JST_F08_Mrecv, jst_body_Mrecv)
JST_ENTRY_6_0(JST_PF08_Mrecv, jst_body_Mrecv)
JST_ENTRY_6_0(JST_F08TS_Mrecv, jst_body_Mrecv)
JST_ENTRY_6_0(JST_PF08TS_Mrecv_r, jst_body_Mrecv)

static void jst_body_Mrecv_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                             *datatype, void *message, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, message, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Mrecv_c", JST_MPI_RECV, 0);
    MPI_Status own_status;
    void *seen = NULL;
    jst_roster *matched = NULL;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_host.peers) {
            matched = jst_matched_ranks(jst_c_message(*(const MPI_Fint *)message));
        }
        seen = jst_status_f(status, &own_status);
        status = seen ? seen : status;
    }
    real(buf, count, datatype, message, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            jst_set_arrived(call, seen, &call->peer,
                matched);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_Mrecv_c, jst_body_Mrecv_c)
JST_ENTRY_6_0(JST_PF08TS_Mrecv_c_r, jst_body_Mrecv_c)

static JST_INLINE void jst_body_Sendrecv(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                         *sendcount, void *sendtype, void *dest, void *sendtag, void
                                         *recvbuf, void *recvcount, void *recvtype, void *source,
                                         void *recvtag, void *comm, void *status, void *ierror)
{
    jst_sub_13_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
             recvtag, comm, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Sendrecv", JST_MPI_SENDRECV, 0);
    MPI_Status own_status;
    void *seen = NULL;
    const bool counted = jst_host.enter(call);
    if (counted) {
        seen = jst_status_f(status, &own_status);
        status = seen ? seen : status;
    }
    real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
         comm, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint
                *)sendtype) + (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint
                *)recvtype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
            call->room = (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint
                *)recvtype);
            call->source = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm);
            jst_set_arrived(call, seen, &call->source,
                *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_13_0(JST_F_Sendrecv, jst_body_Sendrecv)
JST_ENTRY_13_0(JST_PF_Sendrecv, jst_body_Sendrecv)
JST_ENTRY_13_0(JST_F08_Sendrecv, jst_body_Sendrecv)
JST_ENTRY_13_0(JST_PF08_Sendrecv, jst_body_Sendrecv)
JST_ENTRY_13_0(JST_F08TS_Sendrecv, jst_body_Sendrecv)
JST_ENTRY_13_0(JST_PF08TS_Sendrecv_r, jst_body_Sendrecv)

static void jst_body_Sendrecv_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcount,
                                void *sendtype, void *dest, void *sendtag, void *recvbuf, void
                                *recvcount, void *recvtype, void *source, void *recvtag, void *comm,
                                void *status, void *ierror)
{
    jst_sub_13_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
             recvtag, comm, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Sendrecv_c", JST_MPI_SENDRECV, 0);
    MPI_Status own_status;
    void *seen = NULL;
    const bool counted = jst_host.enter(call);
    if (counted) {
        seen = jst_status_f(status, &own_status);
        status = seen ? seen : status;
    }
    real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
         comm, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                *)sendtype) + (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const
                MPI_Fint *)recvtype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
            call->room = (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint
                *)recvtype);
            call->source = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm);
            jst_set_arrived(call, seen, &call->source,
                *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_13_0(JST_F08TS_Sendrecv_c, jst_body_Sendrecv_c)
JST_ENTRY_13_0(JST_PF08TS_Sendrecv_c_r, jst_body_Sendrecv_c)

static void jst_body_Sendrecv_replace(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                                      *datatype, void *dest, void *sendtag, void *source, void
                                      *recvtag, void *comm, void *status, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, sendtag, source, recvtag, comm, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Sendrecv_replace", JST_MPI_SENDRECV, 0);
    MPI_Status own_status;
    void *seen = NULL;
    const bool counted = jst_host.enter(call);
    if (counted) {
        seen = jst_status_f(status, &own_status);
        status = seen ? seen : status;
    }
    real(buf, count, datatype, dest, sendtag, source, recvtag, comm, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = 2 * ((uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype));
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
            call->room = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->source = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm);
            jst_set_arrived(call, seen, &call->source,
                *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Sendrecv_replace, jst_body_Sendrecv_replace)
JST_ENTRY_10_0(JST_PF_Sendrecv_replace, jst_body_Sendrecv_replace)
JST_ENTRY_10_0(JST_F08_Sendrecv_replace, jst_body_Sendrecv_replace)
JST_ENTRY_10_0(JST_PF08_Sendrecv_replace, jst_body_Sendrecv_replace)
JST_ENTRY_10_0(JST_F08TS_Sendrecv_replace, jst_body_Sendrecv_replace)
JST_ENTRY_10_0(JST_PF08TS_Sendrecv_replace_r, jst_body_Sendrecv_replace)

static void jst_body_Sendrecv_replace_c(unsigned id, jst_mpi_call *call, void *buf, void *count,
                                        void *datatype, void *dest, void *sendtag, void *source,
                                        void *recvtag, void *comm, void *status, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, sendtag, source, recvtag, comm, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Sendrecv_replace_c", JST_MPI_SENDRECV, 0);
    MPI_Status own_status;
    void *seen = NULL;
    const bool counted = jst_host.enter(call);
    if (counted) {
        seen = jst_status_f(status, &own_status);
        status = seen ? seen : status;
    }
    real(buf, count, datatype, dest, sendtag, source, recvtag, comm, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = 2 * ((uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype));
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
            call->room = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->source = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm);
            jst_set_arrived(call, seen, &call->source,
                *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Sendrecv_replace_c, jst_body_Sendrecv_replace_c)
JST_ENTRY_10_0(JST_PF08TS_Sendrecv_replace_c_r, jst_body_Sendrecv_replace_c)

static JST_INLINE void jst_body_Isend(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                                      *datatype, void *dest, void *tag, void *comm, void *request,
                                      void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Isend", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Isend, jst_body_Isend)
JST_ENTRY_8_0(JST_PF_Isend, jst_body_Isend)
JST_ENTRY_8_0(JST_F08_Isend, jst_body_Isend)
JST_ENTRY_8_0(JST_PF08_Isend, jst_body_Isend)
JST_ENTRY_8_0(JST_F08TS_Isend, jst_body_Isend)
JST_ENTRY_8_0(JST_PF08TS_Isend_r, jst_body_Isend)

static void jst_body_Isend_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                             *datatype, void *dest, void *tag, void *comm, void *request, void
                             *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Isend_c", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Isend_c, jst_body_Isend_c)
JST_ENTRY_8_0(JST_PF08TS_Isend_c_r, jst_body_Isend_c)

static void jst_body_Ibsend(unsigned id, jst_mpi_call *call, void *buf, void *count, void *datatype,
                            void *dest, void *tag, void *comm, void *request, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ibsend", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Ibsend, jst_body_Ibsend)
JST_ENTRY_8_0(JST_PF_Ibsend, jst_body_Ibsend)
JST_ENTRY_8_0(JST_F08_Ibsend, jst_body_Ibsend)
JST_ENTRY_8_0(JST_PF08_Ibsend, jst_body_Ibsend)
JST_ENTRY_8_0(JST_F08TS_Ibsend, jst_body_Ibsend)
JST_ENTRY_8_0(JST_PF08TS_Ibsend_r, jst_body_Ibsend)

static void jst_body_Ibsend_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                              *datatype, void *dest, void *tag, void *comm, void *request, void
                              *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Ibsend_c", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Ibsend_c, jst_body_Ibsend_c)
JST_ENTRY_8_0(JST_PF08TS_Ibsend_c_r, jst_body_Ibsend_c)

static void jst_body_Issend(unsigned id, jst_mpi_call *call, void *buf, void *count, void *datatype,
                            void *dest, void *tag, void *comm, void *request, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Issend", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Issend, jst_body_Issend)
JST_ENTRY_8_0(JST_PF_Issend, jst_body_Issend)
JST_ENTRY_8_0(JST_F08_Issend, jst_body_Issend)
JST_ENTRY_8_0(JST_PF08_Issend, jst_body_Issend)
JST_ENTRY_8_0(JST_F08TS_Issend, jst_body_Issend)
JST_ENTRY_8_0(JST_PF08TS_Issend_r, jst_body_Issend)

static void jst_body_Issend_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                              *datatype, void *dest, void *tag, void *comm, void *request, void
                              *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Issend_c", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Issend_c, jst_body_Issend_c)
JST_ENTRY_8_0(JST_PF08TS_Issend_c_r, jst_body_Issend_c)

static void jst_body_Irsend(unsigned id, jst_mpi_call *call, void *buf, void *count, void *datatype,
                            void *dest, void *tag, void *comm, void *request, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Irsend", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Irsend, jst_body_Irsend)
JST_ENTRY_8_0(JST_PF_Irsend, jst_body_Irsend)
JST_ENTRY_8_0(JST_F08_Irsend, jst_body_Irsend)
JST_ENTRY_8_0(JST_PF08_Irsend, jst_body_Irsend)
JST_ENTRY_8_0(JST_F08TS_Irsend, jst_body_Irsend)
JST_ENTRY_8_0(JST_PF08TS_Irsend_r, jst_body_Irsend)

static void jst_body_Irsend_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                              *datatype, void *dest, void *tag, void *comm, void *request, void
                              *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, tag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Irsend_c", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Irsend_c, jst_body_Irsend_c)
JST_ENTRY_8_0(JST_PF08TS_Irsend_c_r, jst_body_Irsend_c)

static JST_INLINE void jst_body_Irecv(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                                      *datatype, void *source, void *tag, void *comm, void *request,
                                      void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, source, tag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Irecv", JST_MPI_IRECV, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, source, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm);
            call->later = jst_receive(jst_c_request(*(const MPI_Fint *)request), call->bytes, call->peer,
                *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Irecv, jst_body_Irecv)
JST_ENTRY_8_0(JST_PF_Irecv, jst_body_Irecv)
JST_ENTRY_8_0(JST_F08_Irecv, jst_body_Irecv)
JST_ENTRY_8_0(JST_PF08_Irecv, jst_body_Irecv)
JST_ENTRY_8_0(JST_F08TS_Irecv, jst_body_Irecv)
JST_ENTRY_8_0(JST_PF08TS_Irecv_r, jst_body_Irecv)

static void jst_body_Irecv_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                             *datatype, void *source, void *tag, void *comm, void *request, void
                             *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, source, tag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Irecv_c", JST_MPI_IRECV, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, source, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm);
            call->later = jst_receive(jst_c_request(*(const MPI_Fint *)request), call->bytes, call->peer,
                *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Irecv_c, jst_body_Irecv_c)
JST_ENTRY_8_0(JST_PF08TS_Irecv_c_r, jst_body_Irecv_c)

static void jst_body_Imrecv(unsigned id, jst_mpi_call *call, void *buf, void *count, void *datatype,
                            void *message, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, message, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Imrecv", JST_MPI_IRECV, 0);
    jst_roster *matched = NULL;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_host.peers) {
            matched = jst_matched_ranks(jst_c_message(*(const MPI_Fint *)message));
        }
    }
    real(buf, count, datatype, message, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->later = jst_receive(jst_c_request(*(const MPI_Fint *)request), call->bytes, call->peer,
                matched);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Imrecv, jst_body_Imrecv)
JST_ENTRY_6_0(JST_PF_Imrecv, jst_body_Imrecv)
JST_ENTRY_6_0(JST_F08_Imrecv, jst_body_Imrecv)
JST_ENTRY_6_0(JST_PF08_Imrecv, jst_body_Imrecv)
JST_ENTRY_6_0(JST_F08TS_Imrecv, jst_body_Imrecv)
JST_ENTRY_6_0(JST_PF08TS_Imrecv_r, jst_body_Imrecv)

static void jst_body_Imrecv_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                              *datatype, void *message, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, message, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Imrecv_c", JST_MPI_IRECV, 0);
    jst_roster *matched = NULL;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_host.peers) {
            matched = jst_matched_ranks(jst_c_message(*(const MPI_Fint *)message));
        }
    }
    real(buf, count, datatype, message, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->later = jst_receive(jst_c_request(*(const MPI_Fint *)request), call->bytes, call->peer,
                matched);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_Imrecv_c, jst_body_Imrecv_c)
JST_ENTRY_6_0(JST_PF08TS_Imrecv_c_r, jst_body_Imrecv_c)

static void jst_body_Isendrecv(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcount, void
                               *sendtype, void *dest, void *sendtag, void *recvbuf, void *recvcount,
                               void *recvtype, void *source, void *recvtag, void *comm, void
                               *request, void *ierror)
{
    jst_sub_13_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
             recvtag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Isendrecv", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
         comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint
                *)sendtype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
            jst_host.count(call, JST_MPI_IRECV, 0, JST_MPI_NO_PEER);
            jst_host.arrived(call, jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm),
                           (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype), true);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_13_0(JST_F_Isendrecv, jst_body_Isendrecv)
JST_ENTRY_13_0(JST_PF_Isendrecv, jst_body_Isendrecv)
JST_ENTRY_13_0(JST_F08_Isendrecv, jst_body_Isendrecv)
JST_ENTRY_13_0(JST_PF08_Isendrecv, jst_body_Isendrecv)
JST_ENTRY_13_0(JST_F08TS_Isendrecv, jst_body_Isendrecv)
JST_ENTRY_13_0(JST_PF08TS_Isendrecv_r, jst_body_Isendrecv)

static void jst_body_Isendrecv_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcount,
                                 void *sendtype, void *dest, void *sendtag, void *recvbuf, void
                                 *recvcount, void *recvtype, void *source, void *recvtag, void
                                 *comm, void *request, void *ierror)
{
    jst_sub_13_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
             recvtag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Isendrecv_c", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
         comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                *)sendtype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
            jst_host.count(call, JST_MPI_IRECV, 0, JST_MPI_NO_PEER);
            jst_host.arrived(call, jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm),
                           (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype), true);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_13_0(JST_F08TS_Isendrecv_c, jst_body_Isendrecv_c)
JST_ENTRY_13_0(JST_PF08TS_Isendrecv_c_r, jst_body_Isendrecv_c)

static void jst_body_Isendrecv_replace(unsigned id, jst_mpi_call *call, void *buf, void *count, void
                                       *datatype, void *dest, void *sendtag, void *source, void
                                       *recvtag, void *comm, void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Isendrecv_replace", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
            jst_host.count(call, JST_MPI_IRECV, 0, JST_MPI_NO_PEER);
            jst_host.arrived(call, jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm),
                           (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint *)datatype), true);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Isendrecv_replace, jst_body_Isendrecv_replace)
JST_ENTRY_10_0(JST_PF_Isendrecv_replace, jst_body_Isendrecv_replace)
JST_ENTRY_10_0(JST_F08_Isendrecv_replace, jst_body_Isendrecv_replace)
JST_ENTRY_10_0(JST_PF08_Isendrecv_replace, jst_body_Isendrecv_replace)
JST_ENTRY_10_0(JST_F08TS_Isendrecv_replace, jst_body_Isendrecv_replace)
JST_ENTRY_10_0(JST_PF08TS_Isendrecv_replace_r, jst_body_Isendrecv_replace)

static void jst_body_Isendrecv_replace_c(unsigned id, jst_mpi_call *call, void *buf, void *count,
                                         void *datatype, void *dest, void *sendtag, void *source,
                                         void *recvtag, void *comm, void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Isendrecv_replace_c", JST_MPI_ISEND, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
            call->peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm);
            jst_host.count(call, JST_MPI_IRECV, 0, JST_MPI_NO_PEER);
            jst_host.arrived(call, jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm),
                           (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint *)datatype), true);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Isendrecv_replace_c, jst_body_Isendrecv_replace_c)
JST_ENTRY_10_0(JST_PF08TS_Isendrecv_replace_c_r, jst_body_Isendrecv_replace_c)

static void jst_body_Probe(unsigned id, jst_mpi_call *call, void *source, void *tag, void *comm,
                           void *status, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(source, tag, comm, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Probe", JST_MPI_PROBE, 0);
    const bool counted = jst_host.enter(call);
    real(source, tag, comm, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_Probe, jst_body_Probe)
JST_ENTRY_5_0(JST_PF_Probe, jst_body_Probe)
JST_ENTRY_5_0(JST_F08_Probe, jst_body_Probe)
JST_ENTRY_5_0(JST_PF08_Probe, jst_body_Probe)
JST_ENTRY_5_0(JST_PF08_Probe_r, jst_body_Probe)

static JST_INLINE void jst_body_Iprobe(unsigned id, jst_mpi_call *call, void *source, void *tag,
                                       void *comm, void *flag, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(source, tag, comm, flag, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Iprobe", JST_MPI_PROBE, JST_MPI_POLL);
    const bool counted = jst_host.enter(call);
    real(source, tag, comm, flag, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Iprobe, jst_body_Iprobe)
JST_ENTRY_6_0(JST_PF_Iprobe, jst_body_Iprobe)
JST_ENTRY_6_0(JST_F08_Iprobe, jst_body_Iprobe)
JST_ENTRY_6_0(JST_PF08_Iprobe, jst_body_Iprobe)
JST_ENTRY_6_0(JST_PF08_Iprobe_r, jst_body_Iprobe)

static void jst_body_Mprobe(unsigned id, jst_mpi_call *call, void *source, void *tag, void *comm,
                            void *message, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(source, tag, comm, message, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Mprobe", JST_MPI_PROBE, 0);
    const bool counted = jst_host.enter(call);
    real(source, tag, comm, message, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            if (jst_host.peers && *(const MPI_Fint *)source != MPI_PROC_NULL) {
                jst_matched(jst_c_message(*(const MPI_Fint *)message),
                    jst_roster_of_f(*(const MPI_Fint *)comm));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Mprobe, jst_body_Mprobe)
JST_ENTRY_6_0(JST_PF_Mprobe, jst_body_Mprobe)
JST_ENTRY_6_0(JST_F08_Mprobe, jst_body_Mprobe)
JST_ENTRY_6_0(JST_PF08_Mprobe, jst_body_Mprobe)
JST_ENTRY_6_0(JST_PF08_Mprobe_r, jst_body_Mprobe)

static void jst_body_Improbe(unsigned id, jst_mpi_call *call, void *source, void *tag, void *comm,
                             void *flag, void *message, void *status, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(source, tag, comm, flag, message, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Improbe", JST_MPI_PROBE, JST_MPI_POLL);
    const bool counted = jst_host.enter(call);
    real(source, tag, comm, flag, message, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            if (*(const MPI_Fint *)flag && jst_host.peers && *(const MPI_Fint *)source != MPI_PROC_NULL) {
                jst_matched(jst_c_message(*(const MPI_Fint *)message),
                    jst_roster_of_f(*(const MPI_Fint *)comm));
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Improbe, jst_body_Improbe)
JST_ENTRY_7_0(JST_PF_Improbe, jst_body_Improbe)
JST_ENTRY_7_0(JST_F08_Improbe, jst_body_Improbe)
JST_ENTRY_7_0(JST_PF08_Improbe, jst_body_Improbe)
JST_ENTRY_7_0(JST_PF08_Improbe_r, jst_body_Improbe)

static JST_INLINE void jst_body_Wait(unsigned id, jst_mpi_call *call, void *request, void *status,
                                     void *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(request, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Wait", JST_MPI_WAIT, 0);
    jst_pending pending;
    pending.count = 0;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_any_outstanding()) {
            status = jst_take(&pending, 1, request, status, true);
        }
    }
    real(request, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (pending.count) {
            const int done = r != MPI_SUCCESS && r != MPI_ERR_IN_STATUS ? -1 : -1;
            if (done || pending.memory) {
                jst_settle(call, &pending, r, done, NULL, 1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Wait, jst_body_Wait)
JST_ENTRY_3_0(JST_PF_Wait, jst_body_Wait)
JST_ENTRY_3_0(JST_F08_Wait, jst_body_Wait)
JST_ENTRY_3_0(JST_PF08_Wait, jst_body_Wait)
JST_ENTRY_3_0(JST_PF08_Wait_r, jst_body_Wait)

static JST_INLINE void jst_body_Waitall(unsigned id, jst_mpi_call *call, void *count, void
                                        *array_of_requests, void *array_of_statuses, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(count, array_of_requests, array_of_statuses, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Waitall", JST_MPI_WAIT, 0);
    jst_pending pending;
    pending.count = 0;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_any_outstanding()) {
            array_of_statuses = jst_take(&pending, *(const MPI_Fint *)count, array_of_requests, array_of_statuses, true);
        }
    }
    real(count, array_of_requests, array_of_statuses, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (pending.count) {
            const int done = r != MPI_SUCCESS && r != MPI_ERR_IN_STATUS ? -1 : -1;
            if (done || pending.memory) {
                jst_settle(call, &pending, r, done, NULL, 1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Waitall, jst_body_Waitall)
JST_ENTRY_4_0(JST_PF_Waitall, jst_body_Waitall)
JST_ENTRY_4_0(JST_F08_Waitall, jst_body_Waitall)
JST_ENTRY_4_0(JST_PF08_Waitall, jst_body_Waitall)
JST_ENTRY_4_0(JST_PF08_Waitall_r, jst_body_Waitall)

static void jst_body_Waitany(unsigned id, jst_mpi_call *call, void *count, void *array_of_requests,
                             void *index, void *status, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(count, array_of_requests, index, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Waitany", JST_MPI_WAIT, 0);
    jst_pending pending;
    pending.count = 0;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_any_outstanding()) {
            status = jst_take(&pending, *(const MPI_Fint *)count, array_of_requests, status, true);
        }
    }
    real(count, array_of_requests, index, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (pending.count) {
            const int done = r != MPI_SUCCESS && r != MPI_ERR_IN_STATUS ? -1 : 1;
            if (done || pending.memory) {
                jst_settle(call, &pending, r, done, index, 1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_Waitany, jst_body_Waitany)
JST_ENTRY_5_0(JST_PF_Waitany, jst_body_Waitany)
JST_ENTRY_5_0(JST_F08_Waitany, jst_body_Waitany)
JST_ENTRY_5_0(JST_PF08_Waitany, jst_body_Waitany)
JST_ENTRY_5_0(JST_PF08_Waitany_r, jst_body_Waitany)

static void jst_body_Waitsome(unsigned id, jst_mpi_call *call, void *incount, void
                              *array_of_requests, void *outcount, void *array_of_indices, void
                              *array_of_statuses, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Waitsome", JST_MPI_WAIT, 0);
    jst_pending pending;
    pending.count = 0;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_any_outstanding()) {
            array_of_statuses = jst_take(&pending, *(const MPI_Fint *)incount, array_of_requests, array_of_statuses, true);
        }
    }
    real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (pending.count) {
            const int done = r != MPI_SUCCESS && r != MPI_ERR_IN_STATUS ? -1 : *(const MPI_Fint *)outcount < 0 ? 0 : *(const MPI_Fint *)outcount;
            if (done || pending.memory) {
                jst_settle(call, &pending, r, done, array_of_indices, 1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Waitsome, jst_body_Waitsome)
JST_ENTRY_6_0(JST_PF_Waitsome, jst_body_Waitsome)
JST_ENTRY_6_0(JST_F08_Waitsome, jst_body_Waitsome)
JST_ENTRY_6_0(JST_PF08_Waitsome, jst_body_Waitsome)
JST_ENTRY_6_0(JST_PF08_Waitsome_r, jst_body_Waitsome)

static JST_INLINE void jst_body_Test(unsigned id, jst_mpi_call *call, void *request, void *flag,
                                     void *status, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(request, flag, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Test", JST_MPI_TEST, JST_MPI_POLL);
    jst_pending pending;
    pending.count = 0;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_any_outstanding()) {
            status = jst_take(&pending, 1, request, status, true);
        }
    }
    real(request, flag, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (pending.count) {
            const int done = r != MPI_SUCCESS && r != MPI_ERR_IN_STATUS ? -1 : *(const MPI_Fint *)flag ? -1 : 0;
            if (done || pending.memory) {
                jst_settle(call, &pending, r, done, NULL, 1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Test, jst_body_Test)
JST_ENTRY_4_0(JST_PF_Test, jst_body_Test)
JST_ENTRY_4_0(JST_F08_Test, jst_body_Test)
JST_ENTRY_4_0(JST_PF08_Test, jst_body_Test)
JST_ENTRY_4_0(JST_PF08_Test_r, jst_body_Test)

static void jst_body_Testall(unsigned id, jst_mpi_call *call, void *count, void *array_of_requests,
                             void *flag, void *array_of_statuses, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(count, array_of_requests, flag, array_of_statuses, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Testall", JST_MPI_TEST, JST_MPI_POLL);
    jst_pending pending;
    pending.count = 0;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_any_outstanding()) {
            array_of_statuses = jst_take(&pending, *(const MPI_Fint *)count, array_of_requests, array_of_statuses, true);
        }
    }
    real(count, array_of_requests, flag, array_of_statuses, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (pending.count) {
            const int done = r != MPI_SUCCESS && r != MPI_ERR_IN_STATUS ? -1 : *(const MPI_Fint *)flag ? -1 : 0;
            if (done || pending.memory) {
                jst_settle(call, &pending, r, done, NULL, 1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_Testall, jst_body_Testall)
JST_ENTRY_5_0(JST_PF_Testall, jst_body_Testall)
JST_ENTRY_5_0(JST_F08_Testall, jst_body_Testall)
JST_ENTRY_5_0(JST_PF08_Testall, jst_body_Testall)
JST_ENTRY_5_0(JST_PF08_Testall_r, jst_body_Testall)

static void jst_body_Testany(unsigned id, jst_mpi_call *call, void *count, void *array_of_requests,
                             void *index, void *flag, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(count, array_of_requests, index, flag, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Testany", JST_MPI_TEST, JST_MPI_POLL);
    jst_pending pending;
    pending.count = 0;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_any_outstanding()) {
            status = jst_take(&pending, *(const MPI_Fint *)count, array_of_requests, status, true);
        }
    }
    real(count, array_of_requests, index, flag, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (pending.count) {
            const int done = r != MPI_SUCCESS && r != MPI_ERR_IN_STATUS ? -1 : *(const MPI_Fint *)flag ? 1 : 0;
            if (done || pending.memory) {
                jst_settle(call, &pending, r, done, index, 1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Testany, jst_body_Testany)
JST_ENTRY_6_0(JST_PF_Testany, jst_body_Testany)
JST_ENTRY_6_0(JST_F08_Testany, jst_body_Testany)
JST_ENTRY_6_0(JST_PF08_Testany, jst_body_Testany)
JST_ENTRY_6_0(JST_PF08_Testany_r, jst_body_Testany)

static void jst_body_Testsome(unsigned id, jst_mpi_call *call, void *incount, void
                              *array_of_requests, void *outcount, void *array_of_indices, void
                              *array_of_statuses, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Testsome", JST_MPI_TEST, JST_MPI_POLL);
    jst_pending pending;
    pending.count = 0;
    const bool counted = jst_host.enter(call);
    if (counted) {
        if (jst_any_outstanding()) {
            array_of_statuses = jst_take(&pending, *(const MPI_Fint *)incount, array_of_requests, array_of_statuses, true);
        }
    }
    real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (pending.count) {
            const int done = r != MPI_SUCCESS && r != MPI_ERR_IN_STATUS ? -1 : *(const MPI_Fint *)outcount < 0 ? 0 : *(const MPI_Fint *)outcount;
            if (done || pending.memory) {
                jst_settle(call, &pending, r, done, array_of_indices, 1);
            }
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Testsome, jst_body_Testsome)
JST_ENTRY_6_0(JST_PF_Testsome, jst_body_Testsome)
JST_ENTRY_6_0(JST_F08_Testsome, jst_body_Testsome)
JST_ENTRY_6_0(JST_PF08_Testsome, jst_body_Testsome)
JST_ENTRY_6_0(JST_PF08_Testsome_r, jst_body_Testsome)

static void jst_body_Request_get_status(unsigned id, jst_mpi_call *call, void *request, void *flag,
                                        void *status, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(request, flag, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Request_get_status", JST_MPI_TEST, JST_MPI_POLL);
    const bool counted = jst_host.enter(call);
    real(request, flag, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Request_get_status, jst_body_Request_get_status)
JST_ENTRY_4_0(JST_PF_Request_get_status, jst_body_Request_get_status)
JST_ENTRY_4_0(JST_F08_Request_get_status, jst_body_Request_get_status)
JST_ENTRY_4_0(JST_PF08_Request_get_status, jst_body_Request_get_status)
JST_ENTRY_4_0(JST_PF08_Request_get_status_r, jst_body_Request_get_status)

static void jst_body_Request_get_status_all(unsigned id, jst_mpi_call *call, void *count, void
                                            *array_of_requests, void *flag, void *array_of_statuses,
                                            void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(count, array_of_requests, flag, array_of_statuses, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Request_get_status_all", JST_MPI_TEST, JST_MPI_POLL);
    const bool counted = jst_host.enter(call);
    real(count, array_of_requests, flag, array_of_statuses, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_Request_get_status_all, jst_body_Request_get_status_all)
JST_ENTRY_5_0(JST_PF_Request_get_status_all, jst_body_Request_get_status_all)
JST_ENTRY_5_0(JST_F08_Request_get_status_all, jst_body_Request_get_status_all)
JST_ENTRY_5_0(JST_PF08_Request_get_status_all, jst_body_Request_get_status_all)
JST_ENTRY_5_0(JST_PF08_Request_get_status_all_r, jst_body_Request_get_status_all)

static void jst_body_Request_get_status_any(unsigned id, jst_mpi_call *call, void *count, void
                                            *array_of_requests, void *index, void *flag, void
                                            *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(count, array_of_requests, index, flag, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Request_get_status_any", JST_MPI_TEST, JST_MPI_POLL);
    const bool counted = jst_host.enter(call);
    real(count, array_of_requests, index, flag, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Request_get_status_any, jst_body_Request_get_status_any)
JST_ENTRY_6_0(JST_PF_Request_get_status_any, jst_body_Request_get_status_any)
JST_ENTRY_6_0(JST_F08_Request_get_status_any, jst_body_Request_get_status_any)
JST_ENTRY_6_0(JST_PF08_Request_get_status_any, jst_body_Request_get_status_any)
JST_ENTRY_6_0(JST_PF08_Request_get_status_any_r, jst_body_Request_get_status_any)

static void jst_body_Request_get_status_some(unsigned id, jst_mpi_call *call, void *incount, void
                                             *array_of_requests, void *outcount, void
                                             *array_of_indices, void *array_of_statuses, void
                                             *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Request_get_status_some", JST_MPI_TEST, JST_MPI_POLL);
    const bool counted = jst_host.enter(call);
    real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_Request_get_status_some, jst_body_Request_get_status_some)
JST_ENTRY_6_0(JST_PF_Request_get_status_some, jst_body_Request_get_status_some)
JST_ENTRY_6_0(JST_F08_Request_get_status_some, jst_body_Request_get_status_some)
JST_ENTRY_6_0(JST_PF08_Request_get_status_some, jst_body_Request_get_status_some)
JST_ENTRY_6_0(JST_PF08_Request_get_status_some_r, jst_body_Request_get_status_some)

static void jst_body_Parrived(unsigned id, jst_mpi_call *call, void *request, void *partition, void
                              *flag, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(request, partition, flag, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Parrived", JST_MPI_TEST, JST_MPI_POLL);
    const bool counted = jst_host.enter(call);
    real(request, partition, flag, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Parrived, jst_body_Parrived)
JST_ENTRY_4_0(JST_PF_Parrived, jst_body_Parrived)
JST_ENTRY_4_0(JST_F08_Parrived, jst_body_Parrived)
JST_ENTRY_4_0(JST_PF08_Parrived, jst_body_Parrived)
JST_ENTRY_4_0(JST_PF08_Parrived_r, jst_body_Parrived)

const jst_function jst_functions_f_p2p[] = {
    {JST_F_Send, (void *)JST_F_Send_entry},
    {JST_PF_Send, (void *)JST_PF_Send_entry},
    {JST_F08_Send, (void *)JST_F08_Send_entry},
    {JST_PF08_Send, (void *)JST_PF08_Send_entry},
    {JST_F08TS_Send, (void *)JST_F08TS_Send_entry},
    {JST_PF08TS_Send_r, (void *)JST_PF08TS_Send_r_entry},
    {JST_F08TS_Send_c, (void *)JST_F08TS_Send_c_entry},
    {JST_PF08TS_Send_c_r, (void *)JST_PF08TS_Send_c_r_entry},
    {JST_F_Bsend, (void *)JST_F_Bsend_entry},
    {JST_PF_Bsend, (void *)JST_PF_Bsend_entry},
    {JST_F08_Bsend, (void *)JST_F08_Bsend_entry},
    {JST_PF08_Bsend, (void *)JST_PF08_Bsend_entry},
    {JST_F08TS_Bsend, (void *)JST_F08TS_Bsend_entry},
    {JST_PF08TS_Bsend_r, (void *)JST_PF08TS_Bsend_r_entry},
    {JST_F08TS_Bsend_c, (void *)JST_F08TS_Bsend_c_entry},
    {JST_PF08TS_Bsend_c_r, (void *)JST_PF08TS_Bsend_c_r_entry},
    {JST_F_Ssend, (void *)JST_F_Ssend_entry},
    {JST_PF_Ssend, (void *)JST_PF_Ssend_entry},
    {JST_F08_Ssend, (void *)JST_F08_Ssend_entry},
    {JST_PF08_Ssend, (void *)JST_PF08_Ssend_entry},
    {JST_F08TS_Ssend, (void *)JST_F08TS_Ssend_entry},
    {JST_PF08TS_Ssend_r, (void *)JST_PF08TS_Ssend_r_entry},
    {JST_F08TS_Ssend_c, (void *)JST_F08TS_Ssend_c_entry},
    {JST_PF08TS_Ssend_c_r, (void *)JST_PF08TS_Ssend_c_r_entry},
    {JST_F_Rsend, (void *)JST_F_Rsend_entry},
    {JST_PF_Rsend, (void *)JST_PF_Rsend_entry},
    {JST_F08_Rsend, (void *)JST_F08_Rsend_entry},
    {JST_PF08_Rsend, (void *)JST_PF08_Rsend_entry},
    {JST_F08TS_Rsend, (void *)JST_F08TS_Rsend_entry},
    {JST_PF08TS_Rsend_r, (void *)JST_PF08TS_Rsend_r_entry},
    {JST_F08TS_Rsend_c, (void *)JST_F08TS_Rsend_c_entry},
    {JST_PF08TS_Rsend_c_r, (void *)JST_PF08TS_Rsend_c_r_entry},
    {JST_F_Recv, (void *)JST_F_Recv_entry},
    {JST_PF_Recv, (void *)JST_PF_Recv_entry},
    {JST_F08_Recv, (void *)JST_F08_Recv_entry},
    {JST_PF08_Recv, (void *)JST_PF08_Recv_entry},
    {JST_F08TS_Recv, (void *)JST_F08TS_Recv_entry},
    {JST_PF08TS_Recv_r, (void *)JST_PF08TS_Recv_r_entry},
    {JST_F08TS_Recv_c, (void *)JST_F08TS_Recv_c_entry},
    {JST_PF08TS_Recv_c_r, (void *)JST_PF08TS_Recv_c_r_entry},
    {JST_F_Mrecv, (void *)JST_F_Mrecv_entry},
    {JST_PF_Mrecv, (void *)JST_PF_Mrecv_entry},
    {JST_F08_Mrecv, (void *)JST_F08_Mrecv_entry},
    {JST_PF08_Mrecv, (void *)JST_PF08_Mrecv_entry},
    {JST_F08TS_Mrecv, (void *)JST_F08TS_Mrecv_entry},
    {JST_PF08TS_Mrecv_r, (void *)JST_PF08TS_Mrecv_r_entry},
    {JST_F08TS_Mrecv_c, (void *)JST_F08TS_Mrecv_c_entry},
    {JST_PF08TS_Mrecv_c_r, (void *)JST_PF08TS_Mrecv_c_r_entry},
    {JST_F_Sendrecv, (void *)JST_F_Sendrecv_entry},
    {JST_PF_Sendrecv, (void *)JST_PF_Sendrecv_entry},
    {JST_F08_Sendrecv, (void *)JST_F08_Sendrecv_entry},
    {JST_PF08_Sendrecv, (void *)JST_PF08_Sendrecv_entry},
    {JST_F08TS_Sendrecv, (void *)JST_F08TS_Sendrecv_entry},
    {JST_PF08TS_Sendrecv_r, (void *)JST_PF08TS_Sendrecv_r_entry},
    {JST_F08TS_Sendrecv_c, (void *)JST_F08TS_Sendrecv_c_entry},
    {JST_PF08TS_Sendrecv_c_r, (void *)JST_PF08TS_Sendrecv_c_r_entry},
    {JST_F_Sendrecv_replace, (void *)JST_F_Sendrecv_replace_entry},
    {JST_PF_Sendrecv_replace, (void *)JST_PF_Sendrecv_replace_entry},
    {JST_F08_Sendrecv_replace, (void *)JST_F08_Sendrecv_replace_entry},
    {JST_PF08_Sendrecv_replace, (void *)JST_PF08_Sendrecv_replace_entry},
    {JST_F08TS_Sendrecv_replace, (void *)JST_F08TS_Sendrecv_replace_entry},
    {JST_PF08TS_Sendrecv_replace_r, (void *)JST_PF08TS_Sendrecv_replace_r_entry},
    {JST_F08TS_Sendrecv_replace_c, (void *)JST_F08TS_Sendrecv_replace_c_entry},
    {JST_PF08TS_Sendrecv_replace_c_r, (void *)JST_PF08TS_Sendrecv_replace_c_r_entry},
    {JST_F_Isend, (void *)JST_F_Isend_entry},
    {JST_PF_Isend, (void *)JST_PF_Isend_entry},
    {JST_F08_Isend, (void *)JST_F08_Isend_entry},
    {JST_PF08_Isend, (void *)JST_PF08_Isend_entry},
    {JST_F08TS_Isend, (void *)JST_F08TS_Isend_entry},
    {JST_PF08TS_Isend_r, (void *)JST_PF08TS_Isend_r_entry},
    {JST_F08TS_Isend_c, (void *)JST_F08TS_Isend_c_entry},
    {JST_PF08TS_Isend_c_r, (void *)JST_PF08TS_Isend_c_r_entry},
    {JST_F_Ibsend, (void *)JST_F_Ibsend_entry},
    {JST_PF_Ibsend, (void *)JST_PF_Ibsend_entry},
    {JST_F08_Ibsend, (void *)JST_F08_Ibsend_entry},
    {JST_PF08_Ibsend, (void *)JST_PF08_Ibsend_entry},
    {JST_F08TS_Ibsend, (void *)JST_F08TS_Ibsend_entry},
    {JST_PF08TS_Ibsend_r, (void *)JST_PF08TS_Ibsend_r_entry},
    {JST_F08TS_Ibsend_c, (void *)JST_F08TS_Ibsend_c_entry},
    {JST_PF08TS_Ibsend_c_r, (void *)JST_PF08TS_Ibsend_c_r_entry},
    {JST_F_Issend, (void *)JST_F_Issend_entry},
    {JST_PF_Issend, (void *)JST_PF_Issend_entry},
    {JST_F08_Issend, (void *)JST_F08_Issend_entry},
    {JST_PF08_Issend, (void *)JST_PF08_Issend_entry},
    {JST_F08TS_Issend, (void *)JST_F08TS_Issend_entry},
    {JST_PF08TS_Issend_r, (void *)JST_PF08TS_Issend_r_entry},
    {JST_F08TS_Issend_c, (void *)JST_F08TS_Issend_c_entry},
    {JST_PF08TS_Issend_c_r, (void *)JST_PF08TS_Issend_c_r_entry},
    {JST_F_Irsend, (void *)JST_F_Irsend_entry},
    {JST_PF_Irsend, (void *)JST_PF_Irsend_entry},
    {JST_F08_Irsend, (void *)JST_F08_Irsend_entry},
    {JST_PF08_Irsend, (void *)JST_PF08_Irsend_entry},
    {JST_F08TS_Irsend, (void *)JST_F08TS_Irsend_entry},
    {JST_PF08TS_Irsend_r, (void *)JST_PF08TS_Irsend_r_entry},
    {JST_F08TS_Irsend_c, (void *)JST_F08TS_Irsend_c_entry},
    {JST_PF08TS_Irsend_c_r, (void *)JST_PF08TS_Irsend_c_r_entry},
    {JST_F_Irecv, (void *)JST_F_Irecv_entry},
    {JST_PF_Irecv, (void *)JST_PF_Irecv_entry},
    {JST_F08_Irecv, (void *)JST_F08_Irecv_entry},
    {JST_PF08_Irecv, (void *)JST_PF08_Irecv_entry},
    {JST_F08TS_Irecv, (void *)JST_F08TS_Irecv_entry},
    {JST_PF08TS_Irecv_r, (void *)JST_PF08TS_Irecv_r_entry},
    {JST_F08TS_Irecv_c, (void *)JST_F08TS_Irecv_c_entry},
    {JST_PF08TS_Irecv_c_r, (void *)JST_PF08TS_Irecv_c_r_entry},
    {JST_F_Imrecv, (void *)JST_F_Imrecv_entry},
    {JST_PF_Imrecv, (void *)JST_PF_Imrecv_entry},
    {JST_F08_Imrecv, (void *)JST_F08_Imrecv_entry},
    {JST_PF08_Imrecv, (void *)JST_PF08_Imrecv_entry},
    {JST_F08TS_Imrecv, (void *)JST_F08TS_Imrecv_entry},
    {JST_PF08TS_Imrecv_r, (void *)JST_PF08TS_Imrecv_r_entry},
    {JST_F08TS_Imrecv_c, (void *)JST_F08TS_Imrecv_c_entry},
    {JST_PF08TS_Imrecv_c_r, (void *)JST_PF08TS_Imrecv_c_r_entry},
    {JST_F_Isendrecv, (void *)JST_F_Isendrecv_entry},
    {JST_PF_Isendrecv, (void *)JST_PF_Isendrecv_entry},
    {JST_F08_Isendrecv, (void *)JST_F08_Isendrecv_entry},
    {JST_PF08_Isendrecv, (void *)JST_PF08_Isendrecv_entry},
    {JST_F08TS_Isendrecv, (void *)JST_F08TS_Isendrecv_entry},
    {JST_PF08TS_Isendrecv_r, (void *)JST_PF08TS_Isendrecv_r_entry},
    {JST_F08TS_Isendrecv_c, (void *)JST_F08TS_Isendrecv_c_entry},
    {JST_PF08TS_Isendrecv_c_r, (void *)JST_PF08TS_Isendrecv_c_r_entry},
    {JST_F_Isendrecv_replace, (void *)JST_F_Isendrecv_replace_entry},
    {JST_PF_Isendrecv_replace, (void *)JST_PF_Isendrecv_replace_entry},
    {JST_F08_Isendrecv_replace, (void *)JST_F08_Isendrecv_replace_entry},
    {JST_PF08_Isendrecv_replace, (void *)JST_PF08_Isendrecv_replace_entry},
    {JST_F08TS_Isendrecv_replace, (void *)JST_F08TS_Isendrecv_replace_entry},
    {JST_PF08TS_Isendrecv_replace_r, (void *)JST_PF08TS_Isendrecv_replace_r_entry},
    {JST_F08TS_Isendrecv_replace_c, (void *)JST_F08TS_Isendrecv_replace_c_entry},
    {JST_PF08TS_Isendrecv_replace_c_r, (void *)JST_PF08TS_Isendrecv_replace_c_r_entry},
    {JST_F_Probe, (void *)JST_F_Probe_entry},
    {JST_PF_Probe, (void *)JST_PF_Probe_entry},
    {JST_F08_Probe, (void *)JST_F08_Probe_entry},
    {JST_PF08_Probe, (void *)JST_PF08_Probe_entry},
    {JST_PF08_Probe_r, (void *)JST_PF08_Probe_r_entry},
    {JST_F_Iprobe, (void *)JST_F_Iprobe_entry},
    {JST_PF_Iprobe, (void *)JST_PF_Iprobe_entry},
    {JST_F08_Iprobe, (void *)JST_F08_Iprobe_entry},
    {JST_PF08_Iprobe, (void *)JST_PF08_Iprobe_entry},
    {JST_PF08_Iprobe_r, (void *)JST_PF08_Iprobe_r_entry},
    {JST_F_Mprobe, (void *)JST_F_Mprobe_entry},
    {JST_PF_Mprobe, (void *)JST_PF_Mprobe_entry},
    {JST_F08_Mprobe, (void *)JST_F08_Mprobe_entry},
    {JST_PF08_Mprobe, (void *)JST_PF08_Mprobe_entry},
    {JST_PF08_Mprobe_r, (void *)JST_PF08_Mprobe_r_entry},
    {JST_F_Improbe, (void *)JST_F_Improbe_entry},
    {JST_PF_Improbe, (void *)JST_PF_Improbe_entry},
    {JST_F08_Improbe, (void *)JST_F08_Improbe_entry},
    {JST_PF08_Improbe, (void *)JST_PF08_Improbe_entry},
    {JST_PF08_Improbe_r, (void *)JST_PF08_Improbe_r_entry},
    {JST_F_Wait, (void *)JST_F_Wait_entry},
    {JST_PF_Wait, (void *)JST_PF_Wait_entry},
    {JST_F08_Wait, (void *)JST_F08_Wait_entry},
    {JST_PF08_Wait, (void *)JST_PF08_Wait_entry},
    {JST_PF08_Wait_r, (void *)JST_PF08_Wait_r_entry},
    {JST_F_Waitall, (void *)JST_F_Waitall_entry},
    {JST_PF_Waitall, (void *)JST_PF_Waitall_entry},
    {JST_F08_Waitall, (void *)JST_F08_Waitall_entry},
    {JST_PF08_Waitall, (void *)JST_PF08_Waitall_entry},
    {JST_PF08_Waitall_r, (void *)JST_PF08_Waitall_r_entry},
    {JST_F_Waitany, (void *)JST_F_Waitany_entry},
    {JST_PF_Waitany, (void *)JST_PF_Waitany_entry},
    {JST_F08_Waitany, (void *)JST_F08_Waitany_entry},
    {JST_PF08_Waitany, (void *)JST_PF08_Waitany_entry},
    {JST_PF08_Waitany_r, (void *)JST_PF08_Waitany_r_entry},
    {JST_F_Waitsome, (void *)JST_F_Waitsome_entry},
    {JST_PF_Waitsome, (void *)JST_PF_Waitsome_entry},
    {JST_F08_Waitsome, (void *)JST_F08_Waitsome_entry},
    {JST_PF08_Waitsome, (void *)JST_PF08_Waitsome_entry},
    {JST_PF08_Waitsome_r, (void *)JST_PF08_Waitsome_r_entry},
    {JST_F_Test, (void *)JST_F_Test_entry},
    {JST_PF_Test, (void *)JST_PF_Test_entry},
    {JST_F08_Test, (void *)JST_F08_Test_entry},
    {JST_PF08_Test, (void *)JST_PF08_Test_entry},
    {JST_PF08_Test_r, (void *)JST_PF08_Test_r_entry},
    {JST_F_Testall, (void *)JST_F_Testall_entry},
    {JST_PF_Testall, (void *)JST_PF_Testall_entry},
    {JST_F08_Testall, (void *)JST_F08_Testall_entry},
    {JST_PF08_Testall, (void *)JST_PF08_Testall_entry},
    {JST_PF08_Testall_r, (void *)JST_PF08_Testall_r_entry},
    {JST_F_Testany, (void *)JST_F_Testany_entry},
    {JST_PF_Testany, (void *)JST_PF_Testany_entry},
    {JST_F08_Testany, (void *)JST_F08_Testany_entry},
    {JST_PF08_Testany, (void *)JST_PF08_Testany_entry},
    {JST_PF08_Testany_r, (void *)JST_PF08_Testany_r_entry},
    {JST_F_Testsome, (void *)JST_F_Testsome_entry},
    {JST_PF_Testsome, (void *)JST_PF_Testsome_entry},
    {JST_F08_Testsome, (void *)JST_F08_Testsome_entry},
    {JST_PF08_Testsome, (void *)JST_PF08_Testsome_entry},
    {JST_PF08_Testsome_r, (void *)JST_PF08_Testsome_r_entry},
    {JST_F_Request_get_status, (void *)JST_F_Request_get_status_entry},
    {JST_PF_Request_get_status, (void *)JST_PF_Request_get_status_entry},
    {JST_F08_Request_get_status, (void *)JST_F08_Request_get_status_entry},
    {JST_PF08_Request_get_status, (void *)JST_PF08_Request_get_status_entry},
    {JST_PF08_Request_get_status_r, (void *)JST_PF08_Request_get_status_r_entry},
    {JST_F_Request_get_status_all, (void *)JST_F_Request_get_status_all_entry},
    {JST_PF_Request_get_status_all, (void *)JST_PF_Request_get_status_all_entry},
    {JST_F08_Request_get_status_all, (void *)JST_F08_Request_get_status_all_entry},
    {JST_PF08_Request_get_status_all, (void *)JST_PF08_Request_get_status_all_entry},
    {JST_PF08_Request_get_status_all_r, (void *)JST_PF08_Request_get_status_all_r_entry},
    {JST_F_Request_get_status_any, (void *)JST_F_Request_get_status_any_entry},
    {JST_PF_Request_get_status_any, (void *)JST_PF_Request_get_status_any_entry},
    {JST_F08_Request_get_status_any, (void *)JST_F08_Request_get_status_any_entry},
    {JST_PF08_Request_get_status_any, (void *)JST_PF08_Request_get_status_any_entry},
    {JST_PF08_Request_get_status_any_r, (void *)JST_PF08_Request_get_status_any_r_entry},
    {JST_F_Request_get_status_some, (void *)JST_F_Request_get_status_some_entry},
    {JST_PF_Request_get_status_some, (void *)JST_PF_Request_get_status_some_entry},
    {JST_F08_Request_get_status_some, (void *)JST_F08_Request_get_status_some_entry},
    {JST_PF08_Request_get_status_some, (void *)JST_PF08_Request_get_status_some_entry},
    {JST_PF08_Request_get_status_some_r, (void *)JST_PF08_Request_get_status_some_r_entry},
    {JST_F_Parrived, (void *)JST_F_Parrived_entry},
    {JST_PF_Parrived, (void *)JST_PF_Parrived_entry},
    {JST_F08_Parrived, (void *)JST_F08_Parrived_entry},
    {JST_PF08_Parrived, (void *)JST_PF08_Parrived_entry},
    {JST_PF08_Parrived_r, (void *)JST_PF08_Parrived_r_entry},
};
const size_t jst_count_f_p2p = 213;
