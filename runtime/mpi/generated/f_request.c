/* Made by tools/generate_mpi.py from schema/mpi_calls.toml and pympistandard; do not edit. */
/* clang-format off */
#include "jst_wrappers.h"

static void jst_body_Send_init(unsigned id, jst_mpi_call *call, void *buf, void *count, void
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
    jst_begin(call, "MPI_Send_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Send_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISEND, .peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm),
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Send_init, jst_body_Send_init)
JST_ENTRY_8_0(JST_PF_Send_init, jst_body_Send_init)
JST_ENTRY_8_0(JST_F08_Send_init, jst_body_Send_init)
JST_ENTRY_8_0(JST_PF08_Send_init, jst_body_Send_init)
JST_ENTRY_8_0(JST_F08TS_Send_init, jst_body_Send_init)
JST_ENTRY_8_0(JST_PF08TS_Send_init_r, jst_body_Send_init)

static void jst_body_Send_init_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
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
    jst_begin(call, "MPI_Send_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Send_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISEND, .peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm),
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Send_init_c, jst_body_Send_init_c)
JST_ENTRY_8_0(JST_PF08TS_Send_init_c_r, jst_body_Send_init_c)

static void jst_body_Bsend_init(unsigned id, jst_mpi_call *call, void *buf, void *count, void
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
    jst_begin(call, "MPI_Bsend_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Bsend_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISEND, .peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm),
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Bsend_init, jst_body_Bsend_init)
JST_ENTRY_8_0(JST_PF_Bsend_init, jst_body_Bsend_init)
JST_ENTRY_8_0(JST_F08_Bsend_init, jst_body_Bsend_init)
JST_ENTRY_8_0(JST_PF08_Bsend_init, jst_body_Bsend_init)
JST_ENTRY_8_0(JST_F08TS_Bsend_init, jst_body_Bsend_init)
JST_ENTRY_8_0(JST_PF08TS_Bsend_init_r, jst_body_Bsend_init)

static void jst_body_Bsend_init_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
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
    jst_begin(call, "MPI_Bsend_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Bsend_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISEND, .peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm),
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Bsend_init_c, jst_body_Bsend_init_c)
JST_ENTRY_8_0(JST_PF08TS_Bsend_init_c_r, jst_body_Bsend_init_c)

static void jst_body_Ssend_init(unsigned id, jst_mpi_call *call, void *buf, void *count, void
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
    jst_begin(call, "MPI_Ssend_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Ssend_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISEND, .peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm),
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Ssend_init, jst_body_Ssend_init)
JST_ENTRY_8_0(JST_PF_Ssend_init, jst_body_Ssend_init)
JST_ENTRY_8_0(JST_F08_Ssend_init, jst_body_Ssend_init)
JST_ENTRY_8_0(JST_PF08_Ssend_init, jst_body_Ssend_init)
JST_ENTRY_8_0(JST_F08TS_Ssend_init, jst_body_Ssend_init)
JST_ENTRY_8_0(JST_PF08TS_Ssend_init_r, jst_body_Ssend_init)

static void jst_body_Ssend_init_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
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
    jst_begin(call, "MPI_Ssend_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Ssend_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISEND, .peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm),
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Ssend_init_c, jst_body_Ssend_init_c)
JST_ENTRY_8_0(JST_PF08TS_Ssend_init_c_r, jst_body_Ssend_init_c)

static void jst_body_Rsend_init(unsigned id, jst_mpi_call *call, void *buf, void *count, void
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
    jst_begin(call, "MPI_Rsend_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Rsend_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISEND, .peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm),
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Rsend_init, jst_body_Rsend_init)
JST_ENTRY_8_0(JST_PF_Rsend_init, jst_body_Rsend_init)
JST_ENTRY_8_0(JST_F08_Rsend_init, jst_body_Rsend_init)
JST_ENTRY_8_0(JST_PF08_Rsend_init, jst_body_Rsend_init)
JST_ENTRY_8_0(JST_F08TS_Rsend_init, jst_body_Rsend_init)
JST_ENTRY_8_0(JST_PF08TS_Rsend_init_r, jst_body_Rsend_init)

static void jst_body_Rsend_init_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
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
    jst_begin(call, "MPI_Rsend_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, dest, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Rsend_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISEND, .peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm),
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Rsend_init_c, jst_body_Rsend_init_c)
JST_ENTRY_8_0(JST_PF08TS_Rsend_init_c_r, jst_body_Rsend_init_c)

static void jst_body_Recv_init(unsigned id, jst_mpi_call *call, void *buf, void *count, void
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
    jst_begin(call, "MPI_Recv_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, source, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Recv_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IRECV, .peer = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm),
                .ranks = *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL,
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Recv_init, jst_body_Recv_init)
JST_ENTRY_8_0(JST_PF_Recv_init, jst_body_Recv_init)
JST_ENTRY_8_0(JST_F08_Recv_init, jst_body_Recv_init)
JST_ENTRY_8_0(JST_PF08_Recv_init, jst_body_Recv_init)
JST_ENTRY_8_0(JST_F08TS_Recv_init, jst_body_Recv_init)
JST_ENTRY_8_0(JST_PF08TS_Recv_init_r, jst_body_Recv_init)

static void jst_body_Recv_init_c(unsigned id, jst_mpi_call *call, void *buf, void *count, void
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
    jst_begin(call, "MPI_Recv_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, count, datatype, source, tag, comm, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Recv_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IRECV, .peer = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm),
                .ranks = *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL,
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Recv_init_c, jst_body_Recv_init_c)
JST_ENTRY_8_0(JST_PF08TS_Recv_init_c_r, jst_body_Recv_init_c)

static void jst_body_Psend_init(unsigned id, jst_mpi_call *call, void *buf, void *partitions, void
                                *count, void *datatype, void *dest, void *tag, void *comm, void
                                *info, void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, partitions, count, datatype, dest, tag, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Psend_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, partitions, count, datatype, dest, tag, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Fint *)partitions * (uint64_t)*(const
                MPI_Count *)count * jst_size_f(*(const MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Psend_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISEND, .peer = jst_peer_f(*(const MPI_Fint *)dest, *(const MPI_Fint *)comm),
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Psend_init, jst_body_Psend_init)
JST_ENTRY_10_0(JST_PF_Psend_init, jst_body_Psend_init)
JST_ENTRY_10_0(JST_F08_Psend_init, jst_body_Psend_init)
JST_ENTRY_10_0(JST_PF08_Psend_init, jst_body_Psend_init)
JST_ENTRY_10_0(JST_F08TS_Psend_init, jst_body_Psend_init)
JST_ENTRY_10_0(JST_PF08TS_Psend_init_r, jst_body_Psend_init)

static void jst_body_Precv_init(unsigned id, jst_mpi_call *call, void *buf, void *partitions, void
                                *count, void *datatype, void *source, void *tag, void *comm, void
                                *info, void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buf, partitions, count, datatype, source, tag, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Precv_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buf, partitions, count, datatype, source, tag, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Fint *)partitions * (uint64_t)*(const
                MPI_Count *)count * jst_size_f(*(const MPI_Fint *)datatype);
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Precv_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IRECV, .peer = jst_peer_f(*(const MPI_Fint *)source, *(const MPI_Fint *)comm),
                .ranks = *(const MPI_Fint *)source < 0 && jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL,
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Precv_init, jst_body_Precv_init)
JST_ENTRY_10_0(JST_PF_Precv_init, jst_body_Precv_init)
JST_ENTRY_10_0(JST_F08_Precv_init, jst_body_Precv_init)
JST_ENTRY_10_0(JST_PF08_Precv_init, jst_body_Precv_init)
JST_ENTRY_10_0(JST_F08TS_Precv_init, jst_body_Precv_init)
JST_ENTRY_10_0(JST_PF08TS_Precv_init_r, jst_body_Precv_init)

static void jst_body_Start(unsigned id, jst_mpi_call *call, void *request, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Start", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            jst_started(call, 1, request, true);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Start, jst_body_Start)
JST_ENTRY_2_0(JST_PF_Start, jst_body_Start)
JST_ENTRY_2_0(JST_F08_Start, jst_body_Start)
JST_ENTRY_2_0(JST_PF08_Start, jst_body_Start)
JST_ENTRY_2_0(JST_PF08_Start_r, jst_body_Start)

static void jst_body_Startall(unsigned id, jst_mpi_call *call, void *count, void *array_of_requests,
                              void *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(count, array_of_requests, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Startall", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(count, array_of_requests, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            jst_started(call, *(const MPI_Fint *)count, array_of_requests, true);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Startall, jst_body_Startall)
JST_ENTRY_3_0(JST_PF_Startall, jst_body_Startall)
JST_ENTRY_3_0(JST_F08_Startall, jst_body_Startall)
JST_ENTRY_3_0(JST_PF08_Startall, jst_body_Startall)
JST_ENTRY_3_0(JST_PF08_Startall_r, jst_body_Startall)

static void jst_body_Request_free(unsigned id, jst_mpi_call *call, void *request, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Request_free", JST_MPI_REQUEST, 0);
    if (request) {
        jst_forget(jst_c_request(*(const MPI_Fint *)request));
    }
    const bool counted = jst_host.enter(call);
    real(request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Request_free, jst_body_Request_free)
JST_ENTRY_2_0(JST_PF_Request_free, jst_body_Request_free)
JST_ENTRY_2_0(JST_F08_Request_free, jst_body_Request_free)
JST_ENTRY_2_0(JST_PF08_Request_free, jst_body_Request_free)
JST_ENTRY_2_0(JST_PF08_Request_free_r, jst_body_Request_free)

static void jst_body_Cancel(unsigned id, jst_mpi_call *call, void *request, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Cancel", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Cancel, jst_body_Cancel)
JST_ENTRY_2_0(JST_PF_Cancel, jst_body_Cancel)
JST_ENTRY_2_0(JST_F08_Cancel, jst_body_Cancel)
JST_ENTRY_2_0(JST_PF08_Cancel, jst_body_Cancel)
JST_ENTRY_2_0(JST_PF08_Cancel_r, jst_body_Cancel)

static void jst_body_Pready(unsigned id, jst_mpi_call *call, void *partition, void *request, void
                            *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(partition, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Pready", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(partition, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Pready, jst_body_Pready)
JST_ENTRY_3_0(JST_PF_Pready, jst_body_Pready)
JST_ENTRY_3_0(JST_F08_Pready, jst_body_Pready)
JST_ENTRY_3_0(JST_PF08_Pready, jst_body_Pready)
JST_ENTRY_3_0(JST_PF08_Pready_r, jst_body_Pready)

static void jst_body_Pready_range(unsigned id, jst_mpi_call *call, void *partition_low, void
                                  *partition_high, void *request, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(partition_low, partition_high, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Pready_range", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(partition_low, partition_high, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Pready_range, jst_body_Pready_range)
JST_ENTRY_4_0(JST_PF_Pready_range, jst_body_Pready_range)
JST_ENTRY_4_0(JST_F08_Pready_range, jst_body_Pready_range)
JST_ENTRY_4_0(JST_PF08_Pready_range, jst_body_Pready_range)
JST_ENTRY_4_0(JST_PF08_Pready_range_r, jst_body_Pready_range)

static void jst_body_Pready_list(unsigned id, jst_mpi_call *call, void *length, void
                                 *array_of_partitions, void *request, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(length, array_of_partitions, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Pready_list", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(length, array_of_partitions, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Pready_list, jst_body_Pready_list)
JST_ENTRY_4_0(JST_PF_Pready_list, jst_body_Pready_list)
JST_ENTRY_4_0(JST_F08_Pready_list, jst_body_Pready_list)
JST_ENTRY_4_0(JST_PF08_Pready_list, jst_body_Pready_list)
JST_ENTRY_4_0(JST_PF08_Pready_list_r, jst_body_Pready_list)

static void jst_body_Bcast_init(unsigned id, jst_mpi_call *call, void *buffer, void *count, void
                                *datatype, void *root, void *comm, void *info, void *request, void
                                *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buffer, count, datatype, root, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Bcast_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buffer, count, datatype, root, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) || jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const
                MPI_Fint *)datatype)
                : 0;
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Bcast_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IONE_TO_ALL, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Bcast",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Bcast_init, jst_body_Bcast_init)
JST_ENTRY_8_0(JST_PF_Bcast_init, jst_body_Bcast_init)
JST_ENTRY_8_0(JST_F08_Bcast_init, jst_body_Bcast_init)
JST_ENTRY_8_0(JST_PF08_Bcast_init, jst_body_Bcast_init)
JST_ENTRY_8_0(JST_F08TS_Bcast_init, jst_body_Bcast_init)
JST_ENTRY_8_0(JST_PF08TS_Bcast_init_r, jst_body_Bcast_init)

static void jst_body_Bcast_init_c(unsigned id, jst_mpi_call *call, void *buffer, void *count, void
                                  *datatype, void *root, void *comm, void *info, void *request, void
                                  *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(buffer, count, datatype, root, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Bcast_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(buffer, count, datatype, root, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) || jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const
                MPI_Fint *)datatype)
                : 0;
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Bcast_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IONE_TO_ALL, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Bcast",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F08TS_Bcast_init_c, jst_body_Bcast_init_c)
JST_ENTRY_8_0(JST_PF08TS_Bcast_init_c_r, jst_body_Bcast_init_c)

static void jst_body_Scatter_init(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcount,
                                  void *sendtype, void *recvbuf, void *recvcount, void *recvtype,
                                  void *root, void *comm, void *info, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scatter_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) *
                (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype)
                : jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) ?
                    (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : 0;
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Scatter_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IONE_TO_ALL, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Scatter",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_11_0(JST_F_Scatter_init, jst_body_Scatter_init)
JST_ENTRY_11_0(JST_PF_Scatter_init, jst_body_Scatter_init)
JST_ENTRY_11_0(JST_F08_Scatter_init, jst_body_Scatter_init)
JST_ENTRY_11_0(JST_PF08_Scatter_init, jst_body_Scatter_init)
JST_ENTRY_11_0(JST_F08TS_Scatter_init, jst_body_Scatter_init)
JST_ENTRY_11_0(JST_PF08TS_Scatter_init_r, jst_body_Scatter_init)

static void jst_body_Scatter_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcount,
                                    void *sendtype, void *recvbuf, void *recvcount, void *recvtype,
                                    void *root, void *comm, void *info, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scatter_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) *
                (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype)
                : jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) ?
                    (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : 0;
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Scatter_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IONE_TO_ALL, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Scatter",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_11_0(JST_F08TS_Scatter_init_c, jst_body_Scatter_init_c)
JST_ENTRY_11_0(JST_PF08TS_Scatter_init_c_r, jst_body_Scatter_init_c)

static void jst_body_Scatterv_init(unsigned id, jst_mpi_call *call, void *sendbuf, void *sendcounts,
                                   void *displs, void *sendtype, void *recvbuf, void *recvcount,
                                   void *recvtype, void *root, void *comm, void *info, void
                                   *request, void *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scatterv_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? jst_sum(sendcounts, 4, jst_ranks(jst_c_comm(*(const MPI_Fint
                *)comm))) * jst_size_f(*(const MPI_Fint *)sendtype)
                : jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) ?
                    (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : 0;
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Scatterv_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IONE_TO_ALL, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Scatterv",
                .flags = (uint8_t)(JST_MPI_VARYING)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_12_0(JST_F_Scatterv_init, jst_body_Scatterv_init)
JST_ENTRY_12_0(JST_PF_Scatterv_init, jst_body_Scatterv_init)
JST_ENTRY_12_0(JST_F08_Scatterv_init, jst_body_Scatterv_init)
JST_ENTRY_12_0(JST_PF08_Scatterv_init, jst_body_Scatterv_init)
JST_ENTRY_12_0(JST_F08TS_Scatterv_init, jst_body_Scatterv_init)
JST_ENTRY_12_0(JST_PF08TS_Scatterv_init_r, jst_body_Scatterv_init)

static void jst_body_Scatterv_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                     *sendcounts, void *displs, void *sendtype, void *recvbuf, void
                                     *recvcount, void *recvtype, void *root, void *comm, void *info,
                                     void *request, void *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scatterv_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? jst_sum(sendcounts, 8, jst_ranks(jst_c_comm(*(const MPI_Fint
                *)comm))) * jst_size_f(*(const MPI_Fint *)sendtype)
                : jst_is_leaf(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) ?
                    (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : 0;
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Scatterv_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IONE_TO_ALL, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Scatterv",
                .flags = (uint8_t)(JST_MPI_VARYING)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_12_0(JST_F08TS_Scatterv_init_c, jst_body_Scatterv_init_c)
JST_ENTRY_12_0(JST_PF08TS_Scatterv_init_c_r, jst_body_Scatterv_init_c)

static void jst_body_Reduce_init(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                                 *count, void *datatype, void *op, void *root, void *comm, void
                                 *info, void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, root, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, root, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const
                MPI_Fint *)datatype)
                : 0;
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Reduce_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ONE, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Reduce",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Reduce_init, jst_body_Reduce_init)
JST_ENTRY_10_0(JST_PF_Reduce_init, jst_body_Reduce_init)
JST_ENTRY_10_0(JST_F08_Reduce_init, jst_body_Reduce_init)
JST_ENTRY_10_0(JST_PF08_Reduce_init, jst_body_Reduce_init)
JST_ENTRY_10_0(JST_F08TS_Reduce_init, jst_body_Reduce_init)
JST_ENTRY_10_0(JST_PF08TS_Reduce_init_r, jst_body_Reduce_init)

static void jst_body_Reduce_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf,
                                   void *count, void *datatype, void *op, void *root, void *comm,
                                   void *info, void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, root, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, root, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const
                MPI_Fint *)datatype)
                : 0;
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Reduce_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ONE, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Reduce",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Reduce_init_c, jst_body_Reduce_init_c)
JST_ENTRY_10_0(JST_PF08TS_Reduce_init_c_r, jst_body_Reduce_init_c)

static void jst_body_Gather_init(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                 void *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                 void *recvtype, void *root, void *comm, void *info, void *request,
                                 void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Gather_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = !jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? 0
                : jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) &&
                    jst_in_place_f(sendbuf, described) ? (uint64_t)*(const MPI_Fint *)recvcount *
                    jst_size_f(*(const MPI_Fint *)recvtype)
                : (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Gather_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ONE, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Gather",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_11_0(JST_F_Gather_init, jst_body_Gather_init, false)
JST_ENTRY_IN_PLACE_11_0(JST_PF_Gather_init, jst_body_Gather_init, false)
JST_ENTRY_IN_PLACE_11_0(JST_F08_Gather_init, jst_body_Gather_init, false)
JST_ENTRY_IN_PLACE_11_0(JST_PF08_Gather_init, jst_body_Gather_init, false)
JST_ENTRY_IN_PLACE_11_0(JST_F08TS_Gather_init, jst_body_Gather_init, true)
JST_ENTRY_IN_PLACE_11_0(JST_PF08TS_Gather_init_r, jst_body_Gather_init, true)

static void jst_body_Gather_init_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                   void *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                   void *recvtype, void *root, void *comm, void *info, void
                                   *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Gather_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = !jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? 0
                : jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) &&
                    jst_in_place_f(sendbuf, described) ? (uint64_t)*(const MPI_Count *)recvcount *
                    jst_size_f(*(const MPI_Fint *)recvtype)
                : (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                    *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Gather_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ONE, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Gather",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_11_0(JST_F08TS_Gather_init_c, jst_body_Gather_init_c, true)
JST_ENTRY_IN_PLACE_11_0(JST_PF08TS_Gather_init_c_r, jst_body_Gather_init_c, true)

static void jst_body_Gatherv_init(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                  void *sendcount, void *sendtype, void *recvbuf, void *recvcounts,
                                  void *displs, void *recvtype, void *root, void *comm, void *info,
                                  void *request, void *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Gatherv_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = !jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? 0
                : jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) &&
                    jst_in_place_f(sendbuf, described) ? jst_at(recvcounts, 4,
                    jst_rank(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Gatherv_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ONE, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Gatherv",
                .flags = (uint8_t)(JST_MPI_VARYING)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_12_0(JST_F_Gatherv_init, jst_body_Gatherv_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_PF_Gatherv_init, jst_body_Gatherv_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_F08_Gatherv_init, jst_body_Gatherv_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_PF08_Gatherv_init, jst_body_Gatherv_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_F08TS_Gatherv_init, jst_body_Gatherv_init, true)
JST_ENTRY_IN_PLACE_12_0(JST_PF08TS_Gatherv_init_r, jst_body_Gatherv_init, true)

static void jst_body_Gatherv_init_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                    void *sendcount, void *sendtype, void *recvbuf, void
                                    *recvcounts, void *displs, void *recvtype, void *root, void
                                    *comm, void *info, void *request, void *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Gatherv_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = !jst_contributes(*(const MPI_Fint *)root, jst_c_comm(*(const
                MPI_Fint *)comm)) ? 0
                : jst_is_root(*(const MPI_Fint *)root, jst_c_comm(*(const MPI_Fint *)comm)) &&
                    jst_in_place_f(sendbuf, described) ? jst_at(recvcounts, 8,
                    jst_rank(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                    *)recvtype)
                : (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                    *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Gatherv_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ONE, .peer = jst_world_rank(ranks, *(const MPI_Fint *)root),
                .ranks = jst_pass(ranks), .collective = "MPI_Gatherv",
                .flags = (uint8_t)(JST_MPI_VARYING)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_12_0(JST_F08TS_Gatherv_init_c, jst_body_Gatherv_init_c, true)
JST_ENTRY_IN_PLACE_12_0(JST_PF08TS_Gatherv_init_c_r, jst_body_Gatherv_init_c, true)

static void jst_body_Allreduce_init(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf,
                                    void *count, void *datatype, void *op, void *comm, void *info,
                                    void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allreduce_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Allreduce_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Allreduce",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F_Allreduce_init, jst_body_Allreduce_init)
JST_ENTRY_9_0(JST_PF_Allreduce_init, jst_body_Allreduce_init)
JST_ENTRY_9_0(JST_F08_Allreduce_init, jst_body_Allreduce_init)
JST_ENTRY_9_0(JST_PF08_Allreduce_init, jst_body_Allreduce_init)
JST_ENTRY_9_0(JST_F08TS_Allreduce_init, jst_body_Allreduce_init)
JST_ENTRY_9_0(JST_PF08TS_Allreduce_init_r, jst_body_Allreduce_init)

static void jst_body_Allreduce_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf,
                                      void *count, void *datatype, void *op, void *comm, void *info,
                                      void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allreduce_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Allreduce_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Allreduce",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F08TS_Allreduce_init_c, jst_body_Allreduce_init_c)
JST_ENTRY_9_0(JST_PF08TS_Allreduce_init_c_r, jst_body_Allreduce_init_c)

static void jst_body_Allgather_init(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                    void *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                    void *recvtype, void *comm, void *info, void *request, void
                                    *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allgather_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_in_place_f(sendbuf, described) ? (uint64_t)*(const MPI_Fint
                *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype)
                : (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Allgather_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Allgather",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F_Allgather_init, jst_body_Allgather_init, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF_Allgather_init, jst_body_Allgather_init, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08_Allgather_init, jst_body_Allgather_init, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF08_Allgather_init, jst_body_Allgather_init, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Allgather_init, jst_body_Allgather_init, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Allgather_init_r, jst_body_Allgather_init, true)

static void jst_body_Allgather_init_c(unsigned id, jst_mpi_call *call, bool described, void
                                      *sendbuf, void *sendcount, void *sendtype, void *recvbuf, void
                                      *recvcount, void *recvtype, void *comm, void *info, void
                                      *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allgather_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_in_place_f(sendbuf, described) ? (uint64_t)*(const
                MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype)
                : (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                    *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Allgather_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Allgather",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Allgather_init_c, jst_body_Allgather_init_c, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Allgather_init_c_r, jst_body_Allgather_init_c, true)

static void jst_body_Allgatherv_init(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                     void *sendcount, void *sendtype, void *recvbuf, void
                                     *recvcounts, void *displs, void *recvtype, void *comm, void
                                     *info, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allgatherv_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_in_place_f(sendbuf, described) ? jst_at(recvcounts, 4,
                jst_rank(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Allgatherv_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Allgatherv",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_11_0(JST_F_Allgatherv_init, jst_body_Allgatherv_init, false)
JST_ENTRY_IN_PLACE_11_0(JST_PF_Allgatherv_init, jst_body_Allgatherv_init, false)
JST_ENTRY_IN_PLACE_11_0(JST_F08_Allgatherv_init, jst_body_Allgatherv_init, false)
JST_ENTRY_IN_PLACE_11_0(JST_PF08_Allgatherv_init, jst_body_Allgatherv_init, false)
JST_ENTRY_IN_PLACE_11_0(JST_F08TS_Allgatherv_init, jst_body_Allgatherv_init, true)
JST_ENTRY_IN_PLACE_11_0(JST_PF08TS_Allgatherv_init_r, jst_body_Allgatherv_init, true)

static void jst_body_Allgatherv_init_c(unsigned id, jst_mpi_call *call, bool described, void
                                       *sendbuf, void *sendcount, void *sendtype, void *recvbuf,
                                       void *recvcounts, void *displs, void *recvtype, void *comm,
                                       void *info, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Allgatherv_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_in_place_f(sendbuf, described) ? jst_at(recvcounts, 8,
                jst_rank(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint
                    *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Allgatherv_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Allgatherv",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_11_0(JST_F08TS_Allgatherv_init_c, jst_body_Allgatherv_init_c, true)
JST_ENTRY_IN_PLACE_11_0(JST_PF08TS_Allgatherv_init_c_r, jst_body_Allgatherv_init_c, true)

static void jst_body_Alltoall_init(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                   void *sendcount, void *sendtype, void *recvbuf, void *recvcount,
                                   void *recvtype, void *comm, void *info, void *request, void
                                   *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoall_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_in_place_f(sendbuf, described) ?
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const MPI_Fint
                *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype)
                : jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const MPI_Fint
                    *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Alltoall_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Alltoall",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F_Alltoall_init, jst_body_Alltoall_init, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF_Alltoall_init, jst_body_Alltoall_init, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08_Alltoall_init, jst_body_Alltoall_init, false)
JST_ENTRY_IN_PLACE_10_0(JST_PF08_Alltoall_init, jst_body_Alltoall_init, false)
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Alltoall_init, jst_body_Alltoall_init, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Alltoall_init_r, jst_body_Alltoall_init, true)

static void jst_body_Alltoall_init_c(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                     void *sendcount, void *sendtype, void *recvbuf, void
                                     *recvcount, void *recvtype, void *comm, void *info, void
                                     *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoall_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_in_place_f(sendbuf, described) ?
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const MPI_Count
                *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype)
                : jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)) * (uint64_t)*(const MPI_Count
                    *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Alltoall_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Alltoall",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_10_0(JST_F08TS_Alltoall_init_c, jst_body_Alltoall_init_c, true)
JST_ENTRY_IN_PLACE_10_0(JST_PF08TS_Alltoall_init_c_r, jst_body_Alltoall_init_c, true)

static void jst_body_Alltoallv_init(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                    void *sendcounts, void *sdispls, void *sendtype, void *recvbuf,
                                    void *recvcounts, void *rdispls, void *recvtype, void *comm,
                                    void *info, void *request, void *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoallv_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_in_place_f(sendbuf, described) ? jst_sum(recvcounts, 4,
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : jst_sum(sendcounts, 4, jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) *
                    jst_size_f(*(const MPI_Fint *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Alltoallv_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Alltoallv",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_12_0(JST_F_Alltoallv_init, jst_body_Alltoallv_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_PF_Alltoallv_init, jst_body_Alltoallv_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_F08_Alltoallv_init, jst_body_Alltoallv_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_PF08_Alltoallv_init, jst_body_Alltoallv_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_F08TS_Alltoallv_init, jst_body_Alltoallv_init, true)
JST_ENTRY_IN_PLACE_12_0(JST_PF08TS_Alltoallv_init_r, jst_body_Alltoallv_init, true)

static void jst_body_Alltoallv_init_c(unsigned id, jst_mpi_call *call, bool described, void
                                      *sendbuf, void *sendcounts, void *sdispls, void *sendtype,
                                      void *recvbuf, void *recvcounts, void *rdispls, void
                                      *recvtype, void *comm, void *info, void *request, void
                                      *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoallv_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_in_place_f(sendbuf, described) ? jst_sum(recvcounts, 8,
                jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) * jst_size_f(*(const MPI_Fint
                *)recvtype)
                : jst_sum(sendcounts, 8, jst_ranks(jst_c_comm(*(const MPI_Fint *)comm))) *
                    jst_size_f(*(const MPI_Fint *)sendtype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Alltoallv_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Alltoallv",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_12_0(JST_F08TS_Alltoallv_init_c, jst_body_Alltoallv_init_c, true)
JST_ENTRY_IN_PLACE_12_0(JST_PF08TS_Alltoallv_init_c_r, jst_body_Alltoallv_init_c, true)

static void jst_body_Alltoallw_init(unsigned id, jst_mpi_call *call, bool described, void *sendbuf,
                                    void *sendcounts, void *sdispls, void *sendtypes, void *recvbuf,
                                    void *recvcounts, void *rdispls, void *recvtypes, void *comm,
                                    void *info, void *request, void *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoallw_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_in_place_f(sendbuf, described) ? jst_dot_f(recvcounts, 4,
                recvtypes, jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)))
                : jst_dot_f(sendcounts, 4, sendtypes, jst_ranks(jst_c_comm(*(const MPI_Fint
                    *)comm)));
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Alltoallw_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Alltoallw",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_12_0(JST_F_Alltoallw_init, jst_body_Alltoallw_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_PF_Alltoallw_init, jst_body_Alltoallw_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_F08_Alltoallw_init, jst_body_Alltoallw_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_PF08_Alltoallw_init, jst_body_Alltoallw_init, false)
JST_ENTRY_IN_PLACE_12_0(JST_F08TS_Alltoallw_init, jst_body_Alltoallw_init, true)
JST_ENTRY_IN_PLACE_12_0(JST_PF08TS_Alltoallw_init_r, jst_body_Alltoallw_init, true)

static void jst_body_Alltoallw_init_c(unsigned id, jst_mpi_call *call, bool described, void
                                      *sendbuf, void *sendcounts, void *sdispls, void *sendtypes,
                                      void *recvbuf, void *recvcounts, void *rdispls, void
                                      *recvtypes, void *comm, void *info, void *request, void
                                      *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Alltoallw_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_in_place_f(sendbuf, described) ? jst_dot_f(recvcounts, 8,
                recvtypes, jst_ranks(jst_c_comm(*(const MPI_Fint *)comm)))
                : jst_dot_f(sendcounts, 8, sendtypes, jst_ranks(jst_c_comm(*(const MPI_Fint
                    *)comm)));
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Alltoallw_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Alltoallw",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm) | JST_MPI_VARYING)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_IN_PLACE_12_0(JST_F08TS_Alltoallw_init_c, jst_body_Alltoallw_init_c, true)
JST_ENTRY_IN_PLACE_12_0(JST_PF08TS_Alltoallw_init_c_r, jst_body_Alltoallw_init_c, true)

static void jst_body_Reduce_scatter_init(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                         *recvbuf, void *recvcounts, void *datatype, void *op, void
                                         *comm, void *info, void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_scatter_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_sum(recvcounts, 4, jst_members(jst_c_comm(*(const MPI_Fint
                *)comm))) * jst_size_f(*(const MPI_Fint *)datatype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Reduce_scatter_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Reduce_scatter",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F_Reduce_scatter_init, jst_body_Reduce_scatter_init)
JST_ENTRY_9_0(JST_PF_Reduce_scatter_init, jst_body_Reduce_scatter_init)
JST_ENTRY_9_0(JST_F08_Reduce_scatter_init, jst_body_Reduce_scatter_init)
JST_ENTRY_9_0(JST_PF08_Reduce_scatter_init, jst_body_Reduce_scatter_init)
JST_ENTRY_9_0(JST_F08TS_Reduce_scatter_init, jst_body_Reduce_scatter_init)
JST_ENTRY_9_0(JST_PF08TS_Reduce_scatter_init_r, jst_body_Reduce_scatter_init)

static void jst_body_Reduce_scatter_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                           *recvbuf, void *recvcounts, void *datatype, void *op,
                                           void *comm, void *info, void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_scatter_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_sum(recvcounts, 8, jst_members(jst_c_comm(*(const MPI_Fint
                *)comm))) * jst_size_f(*(const MPI_Fint *)datatype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Reduce_scatter_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Reduce_scatter",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F08TS_Reduce_scatter_init_c, jst_body_Reduce_scatter_init_c)
JST_ENTRY_9_0(JST_PF08TS_Reduce_scatter_init_c_r, jst_body_Reduce_scatter_init_c)

static void jst_body_Reduce_scatter_block_init(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                               *recvbuf, void *recvcount, void *datatype, void *op,
                                               void *comm, void *info, void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_scatter_block_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_members(jst_c_comm(*(const MPI_Fint *)comm)) *
                (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint *)datatype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Reduce_scatter_block_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Reduce_scatter_block",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F_Reduce_scatter_block_init, jst_body_Reduce_scatter_block_init)
JST_ENTRY_9_0(JST_PF_Reduce_scatter_block_init, jst_body_Reduce_scatter_block_init)
JST_ENTRY_9_0(JST_F08_Reduce_scatter_block_init, jst_body_Reduce_scatter_block_init)
JST_ENTRY_9_0(JST_PF08_Reduce_scatter_block_init, jst_body_Reduce_scatter_block_init)
JST_ENTRY_9_0(JST_F08TS_Reduce_scatter_block_init, jst_body_Reduce_scatter_block_init)
JST_ENTRY_9_0(JST_PF08TS_Reduce_scatter_block_init_r, jst_body_Reduce_scatter_block_init)

static void jst_body_Reduce_scatter_block_init_c(unsigned id, jst_mpi_call *call, void *sendbuf,
                                                 void *recvbuf, void *recvcount, void *datatype,
                                                 void *op, void *comm, void *info, void *request,
                                                 void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Reduce_scatter_block_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_members(jst_c_comm(*(const MPI_Fint *)comm)) *
                (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint *)datatype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Reduce_scatter_block_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IALL_TO_ALL, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Reduce_scatter_block",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F08TS_Reduce_scatter_block_init_c, jst_body_Reduce_scatter_block_init_c)
JST_ENTRY_9_0(JST_PF08TS_Reduce_scatter_block_init_c_r, jst_body_Reduce_scatter_block_init_c)

static void jst_body_Barrier_init(unsigned id, jst_mpi_call *call, void *comm, void *info, void
                                  *request, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Barrier_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = 0;
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Barrier_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_IBARRIER, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Barrier",
                .flags = (uint8_t)(jst_global_f(*(const MPI_Fint *)comm))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Barrier_init, jst_body_Barrier_init)
JST_ENTRY_4_0(JST_PF_Barrier_init, jst_body_Barrier_init)
JST_ENTRY_4_0(JST_F08_Barrier_init, jst_body_Barrier_init)
JST_ENTRY_4_0(JST_PF08_Barrier_init, jst_body_Barrier_init)
JST_ENTRY_4_0(JST_PF08_Barrier_init_r, jst_body_Barrier_init)

static void jst_body_Scan_init(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                               *count, void *datatype, void *op, void *comm, void *info, void
                               *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scan_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Scan_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISCAN, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Scan",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F_Scan_init, jst_body_Scan_init)
JST_ENTRY_9_0(JST_PF_Scan_init, jst_body_Scan_init)
JST_ENTRY_9_0(JST_F08_Scan_init, jst_body_Scan_init)
JST_ENTRY_9_0(JST_PF08_Scan_init, jst_body_Scan_init)
JST_ENTRY_9_0(JST_F08TS_Scan_init, jst_body_Scan_init)
JST_ENTRY_9_0(JST_PF08TS_Scan_init_r, jst_body_Scan_init)

static void jst_body_Scan_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                                 *count, void *datatype, void *op, void *comm, void *info, void
                                 *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Scan_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Scan_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISCAN, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Scan",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F08TS_Scan_init_c, jst_body_Scan_init_c)
JST_ENTRY_9_0(JST_PF08TS_Scan_init_c_r, jst_body_Scan_init_c)

static void jst_body_Exscan_init(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf, void
                                 *count, void *datatype, void *op, void *comm, void *info, void
                                 *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Exscan_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Exscan_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISCAN, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Exscan",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F_Exscan_init, jst_body_Exscan_init)
JST_ENTRY_9_0(JST_PF_Exscan_init, jst_body_Exscan_init)
JST_ENTRY_9_0(JST_F08_Exscan_init, jst_body_Exscan_init)
JST_ENTRY_9_0(JST_PF08_Exscan_init, jst_body_Exscan_init)
JST_ENTRY_9_0(JST_F08TS_Exscan_init, jst_body_Exscan_init)
JST_ENTRY_9_0(JST_PF08TS_Exscan_init_r, jst_body_Exscan_init)

static void jst_body_Exscan_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void *recvbuf,
                                   void *count, void *datatype, void *op, void *comm, void *info,
                                   void *request, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Exscan_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const
                MPI_Fint *)datatype);
            jst_roster *const ranks = jst_host.peers ? jst_roster_of_f(*(const MPI_Fint *)comm) : NULL;
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Exscan_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_ISCAN, .peer = jst_world_rank(ranks, -1),
                .ranks = jst_pass(ranks), .collective = "MPI_Exscan",
                .flags = (uint8_t)(0)});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F08TS_Exscan_init_c, jst_body_Exscan_init_c)
JST_ENTRY_9_0(JST_PF08TS_Exscan_init_c_r, jst_body_Exscan_init_c)

static void jst_body_Neighbor_allgather_init(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                             *sendcount, void *sendtype, void *recvbuf, void
                                             *recvcount, void *recvtype, void *comm, void *info,
                                             void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_allgather_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) *
                (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            void *chain = NULL;
            jst_messages *passed = jst_host.peers
                ? jst_messages_of(jst_c_comm(*(const MPI_Fint *)comm), &chain) : NULL;
            for (uint32_t i = 0; passed && i < passed->out; i++) {
                passed->each[i].bytes = (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            }
            for (uint32_t i = 0; passed && i < passed->in; i++) {
                passed->each[passed->out + i].bytes = (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype);
            }
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Neighbor_allgather_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_INEIGHBOR, .peer = JST_MPI_NO_PEER,
                .kept = chain,
                .flags = (uint8_t)((0) | (passed ? JST_PASSES : 0))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Neighbor_allgather_init, jst_body_Neighbor_allgather_init)
JST_ENTRY_10_0(JST_PF_Neighbor_allgather_init, jst_body_Neighbor_allgather_init)
JST_ENTRY_10_0(JST_F08_Neighbor_allgather_init, jst_body_Neighbor_allgather_init)
JST_ENTRY_10_0(JST_PF08_Neighbor_allgather_init, jst_body_Neighbor_allgather_init)
JST_ENTRY_10_0(JST_F08TS_Neighbor_allgather_init, jst_body_Neighbor_allgather_init)
JST_ENTRY_10_0(JST_PF08TS_Neighbor_allgather_init_r, jst_body_Neighbor_allgather_init)

static void jst_body_Neighbor_allgather_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                               *sendcount, void *sendtype, void *recvbuf, void
                                               *recvcount, void *recvtype, void *comm, void *info,
                                               void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_allgather_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) *
                (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            void *chain = NULL;
            jst_messages *passed = jst_host.peers
                ? jst_messages_of(jst_c_comm(*(const MPI_Fint *)comm), &chain) : NULL;
            for (uint32_t i = 0; passed && i < passed->out; i++) {
                passed->each[i].bytes = (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            }
            for (uint32_t i = 0; passed && i < passed->in; i++) {
                passed->each[passed->out + i].bytes = (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype);
            }
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Neighbor_allgather_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_INEIGHBOR, .peer = JST_MPI_NO_PEER,
                .kept = chain,
                .flags = (uint8_t)((0) | (passed ? JST_PASSES : 0))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Neighbor_allgather_init_c, jst_body_Neighbor_allgather_init_c)
JST_ENTRY_10_0(JST_PF08TS_Neighbor_allgather_init_c_r, jst_body_Neighbor_allgather_init_c)

static void jst_body_Neighbor_alltoall_init(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                            *sendcount, void *sendtype, void *recvbuf, void
                                            *recvcount, void *recvtype, void *comm, void *info, void
                                            *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoall_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) *
                (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            void *chain = NULL;
            jst_messages *passed = jst_host.peers
                ? jst_messages_of(jst_c_comm(*(const MPI_Fint *)comm), &chain) : NULL;
            for (uint32_t i = 0; passed && i < passed->out; i++) {
                passed->each[i].bytes = (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            }
            for (uint32_t i = 0; passed && i < passed->in; i++) {
                passed->each[passed->out + i].bytes = (uint64_t)*(const MPI_Fint *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype);
            }
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Neighbor_alltoall_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_INEIGHBOR, .peer = JST_MPI_NO_PEER,
                .kept = chain,
                .flags = (uint8_t)((0) | (passed ? JST_PASSES : 0))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Neighbor_alltoall_init, jst_body_Neighbor_alltoall_init)
JST_ENTRY_10_0(JST_PF_Neighbor_alltoall_init, jst_body_Neighbor_alltoall_init)
JST_ENTRY_10_0(JST_F08_Neighbor_alltoall_init, jst_body_Neighbor_alltoall_init)
JST_ENTRY_10_0(JST_PF08_Neighbor_alltoall_init, jst_body_Neighbor_alltoall_init)
JST_ENTRY_10_0(JST_F08TS_Neighbor_alltoall_init, jst_body_Neighbor_alltoall_init)
JST_ENTRY_10_0(JST_PF08TS_Neighbor_alltoall_init_r, jst_body_Neighbor_alltoall_init)

static void jst_body_Neighbor_alltoall_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                              *sendcount, void *sendtype, void *recvbuf, void
                                              *recvcount, void *recvtype, void *comm, void *info,
                                              void *request, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoall_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) *
                (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            void *chain = NULL;
            jst_messages *passed = jst_host.peers
                ? jst_messages_of(jst_c_comm(*(const MPI_Fint *)comm), &chain) : NULL;
            for (uint32_t i = 0; passed && i < passed->out; i++) {
                passed->each[i].bytes = (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            }
            for (uint32_t i = 0; passed && i < passed->in; i++) {
                passed->each[passed->out + i].bytes = (uint64_t)*(const MPI_Count *)recvcount * jst_size_f(*(const MPI_Fint *)recvtype);
            }
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Neighbor_alltoall_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_INEIGHBOR, .peer = JST_MPI_NO_PEER,
                .kept = chain,
                .flags = (uint8_t)((0) | (passed ? JST_PASSES : 0))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Neighbor_alltoall_init_c, jst_body_Neighbor_alltoall_init_c)
JST_ENTRY_10_0(JST_PF08TS_Neighbor_alltoall_init_c_r, jst_body_Neighbor_alltoall_init_c)

static void jst_body_Neighbor_allgatherv_init(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                              *sendcount, void *sendtype, void *recvbuf, void
                                              *recvcounts, void *displs, void *recvtype, void *comm,
                                              void *info, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_allgatherv_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) *
                (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            void *chain = NULL;
            jst_messages *passed = jst_host.peers
                ? jst_messages_of(jst_c_comm(*(const MPI_Fint *)comm), &chain) : NULL;
            for (uint32_t i = 0; passed && i < passed->out; i++) {
                passed->each[i].bytes = (uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            }
            for (uint32_t i = 0; passed && i < passed->in; i++) {
                passed->each[passed->out + i].bytes = jst_at(recvcounts, 4, i) * jst_size_f(*(const MPI_Fint *)recvtype);
            }
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Neighbor_allgatherv_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_INEIGHBOR, .peer = JST_MPI_NO_PEER,
                .kept = chain,
                .flags = (uint8_t)((JST_MPI_VARYING) | (passed ? JST_PASSES : 0))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_11_0(JST_F_Neighbor_allgatherv_init, jst_body_Neighbor_allgatherv_init)
JST_ENTRY_11_0(JST_PF_Neighbor_allgatherv_init, jst_body_Neighbor_allgatherv_init)
JST_ENTRY_11_0(JST_F08_Neighbor_allgatherv_init, jst_body_Neighbor_allgatherv_init)
JST_ENTRY_11_0(JST_PF08_Neighbor_allgatherv_init, jst_body_Neighbor_allgatherv_init)
JST_ENTRY_11_0(JST_F08TS_Neighbor_allgatherv_init, jst_body_Neighbor_allgatherv_init)
JST_ENTRY_11_0(JST_PF08TS_Neighbor_allgatherv_init_r, jst_body_Neighbor_allgatherv_init)

static void jst_body_Neighbor_allgatherv_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                                *sendcount, void *sendtype, void *recvbuf, void
                                                *recvcounts, void *displs, void *recvtype, void
                                                *comm, void *info, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
             request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_allgatherv_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request,
         ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_out(jst_c_comm(*(const MPI_Fint *)comm)) *
                (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            void *chain = NULL;
            jst_messages *passed = jst_host.peers
                ? jst_messages_of(jst_c_comm(*(const MPI_Fint *)comm), &chain) : NULL;
            for (uint32_t i = 0; passed && i < passed->out; i++) {
                passed->each[i].bytes = (uint64_t)*(const MPI_Count *)sendcount * jst_size_f(*(const MPI_Fint *)sendtype);
            }
            for (uint32_t i = 0; passed && i < passed->in; i++) {
                passed->each[passed->out + i].bytes = jst_at(recvcounts, 8, i) * jst_size_f(*(const MPI_Fint *)recvtype);
            }
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Neighbor_allgatherv_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_INEIGHBOR, .peer = JST_MPI_NO_PEER,
                .kept = chain,
                .flags = (uint8_t)((JST_MPI_VARYING) | (passed ? JST_PASSES : 0))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_11_0(JST_F08TS_Neighbor_allgatherv_init_c, jst_body_Neighbor_allgatherv_init_c)
JST_ENTRY_11_0(JST_PF08TS_Neighbor_allgatherv_init_c_r, jst_body_Neighbor_allgatherv_init_c)

static void jst_body_Neighbor_alltoallv_init(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                             *sendcounts, void *sdispls, void *sendtype, void
                                             *recvbuf, void *recvcounts, void *rdispls, void
                                             *recvtype, void *comm, void *info, void *request, void
                                             *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoallv_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_sum(sendcounts, 4, jst_out(jst_c_comm(*(const MPI_Fint
                *)comm))) * jst_size_f(*(const MPI_Fint *)sendtype);
            void *chain = NULL;
            jst_messages *passed = jst_host.peers
                ? jst_messages_of(jst_c_comm(*(const MPI_Fint *)comm), &chain) : NULL;
            for (uint32_t i = 0; passed && i < passed->out; i++) {
                passed->each[i].bytes = jst_at(sendcounts, 4, i) * jst_size_f(*(const MPI_Fint *)sendtype);
            }
            for (uint32_t i = 0; passed && i < passed->in; i++) {
                passed->each[passed->out + i].bytes = jst_at(recvcounts, 4, i) * jst_size_f(*(const MPI_Fint *)recvtype);
            }
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Neighbor_alltoallv_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_INEIGHBOR, .peer = JST_MPI_NO_PEER,
                .kept = chain,
                .flags = (uint8_t)((JST_MPI_VARYING) | (passed ? JST_PASSES : 0))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_12_0(JST_F_Neighbor_alltoallv_init, jst_body_Neighbor_alltoallv_init)
JST_ENTRY_12_0(JST_PF_Neighbor_alltoallv_init, jst_body_Neighbor_alltoallv_init)
JST_ENTRY_12_0(JST_F08_Neighbor_alltoallv_init, jst_body_Neighbor_alltoallv_init)
JST_ENTRY_12_0(JST_PF08_Neighbor_alltoallv_init, jst_body_Neighbor_alltoallv_init)
JST_ENTRY_12_0(JST_F08TS_Neighbor_alltoallv_init, jst_body_Neighbor_alltoallv_init)
JST_ENTRY_12_0(JST_PF08TS_Neighbor_alltoallv_init_r, jst_body_Neighbor_alltoallv_init)

static void jst_body_Neighbor_alltoallv_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                               *sendcounts, void *sdispls, void *sendtype, void
                                               *recvbuf, void *recvcounts, void *rdispls, void
                                               *recvtype, void *comm, void *info, void *request,
                                               void *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
             info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoallv_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info,
         request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_sum(sendcounts, 8, jst_out(jst_c_comm(*(const MPI_Fint
                *)comm))) * jst_size_f(*(const MPI_Fint *)sendtype);
            void *chain = NULL;
            jst_messages *passed = jst_host.peers
                ? jst_messages_of(jst_c_comm(*(const MPI_Fint *)comm), &chain) : NULL;
            for (uint32_t i = 0; passed && i < passed->out; i++) {
                passed->each[i].bytes = jst_at(sendcounts, 8, i) * jst_size_f(*(const MPI_Fint *)sendtype);
            }
            for (uint32_t i = 0; passed && i < passed->in; i++) {
                passed->each[passed->out + i].bytes = jst_at(recvcounts, 8, i) * jst_size_f(*(const MPI_Fint *)recvtype);
            }
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Neighbor_alltoallv_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_INEIGHBOR, .peer = JST_MPI_NO_PEER,
                .kept = chain,
                .flags = (uint8_t)((JST_MPI_VARYING) | (passed ? JST_PASSES : 0))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_12_0(JST_F08TS_Neighbor_alltoallv_init_c, jst_body_Neighbor_alltoallv_init_c)
JST_ENTRY_12_0(JST_PF08TS_Neighbor_alltoallv_init_c_r, jst_body_Neighbor_alltoallv_init_c)

static void jst_body_Neighbor_alltoallw_init(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                             *sendcounts, void *sdispls, void *sendtypes, void
                                             *recvbuf, void *recvcounts, void *rdispls, void
                                             *recvtypes, void *comm, void *info, void *request, void
                                             *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoallw_init", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_dot_f(sendcounts, 4, sendtypes, jst_out(jst_c_comm(*(const
                MPI_Fint *)comm)));
            void *chain = NULL;
            jst_messages *passed = jst_host.peers
                ? jst_messages_of(jst_c_comm(*(const MPI_Fint *)comm), &chain) : NULL;
            for (uint32_t i = 0; passed && i < passed->out; i++) {
                passed->each[i].bytes = jst_at(sendcounts, 4, i) * jst_size_f(((const MPI_Fint *)sendtypes)[i]);
            }
            for (uint32_t i = 0; passed && i < passed->in; i++) {
                passed->each[passed->out + i].bytes = jst_at(recvcounts, 4, i) * jst_size_f(((const MPI_Fint *)recvtypes)[i]);
            }
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Neighbor_alltoallw_init", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_INEIGHBOR, .peer = JST_MPI_NO_PEER,
                .kept = chain,
                .flags = (uint8_t)((JST_MPI_VARYING) | (passed ? JST_PASSES : 0))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_12_0(JST_F_Neighbor_alltoallw_init, jst_body_Neighbor_alltoallw_init)
JST_ENTRY_12_0(JST_PF_Neighbor_alltoallw_init, jst_body_Neighbor_alltoallw_init)
JST_ENTRY_12_0(JST_F08_Neighbor_alltoallw_init, jst_body_Neighbor_alltoallw_init)
JST_ENTRY_12_0(JST_PF08_Neighbor_alltoallw_init, jst_body_Neighbor_alltoallw_init)
JST_ENTRY_12_0(JST_F08TS_Neighbor_alltoallw_init, jst_body_Neighbor_alltoallw_init)
JST_ENTRY_12_0(JST_PF08TS_Neighbor_alltoallw_init_r, jst_body_Neighbor_alltoallw_init)

static void jst_body_Neighbor_alltoallw_init_c(unsigned id, jst_mpi_call *call, void *sendbuf, void
                                               *sendcounts, void *sdispls, void *sendtypes, void
                                               *recvbuf, void *recvcounts, void *rdispls, void
                                               *recvtypes, void *comm, void *info, void *request,
                                               void *ierror)
{
    jst_sub_12_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
             info, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Neighbor_alltoallw_init_c", JST_MPI_REQUEST, 0);
    const bool counted = jst_host.enter(call);
    real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
         info, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            const uint64_t bytes = jst_dot_f(sendcounts, 8, sendtypes, jst_out(jst_c_comm(*(const
                MPI_Fint *)comm)));
            void *chain = NULL;
            jst_messages *passed = jst_host.peers
                ? jst_messages_of(jst_c_comm(*(const MPI_Fint *)comm), &chain) : NULL;
            for (uint32_t i = 0; passed && i < passed->out; i++) {
                passed->each[i].bytes = jst_at(sendcounts, 8, i) * jst_size_f(((const MPI_Fint *)sendtypes)[i]);
            }
            for (uint32_t i = 0; passed && i < passed->in; i++) {
                passed->each[passed->out + i].bytes = jst_at(recvcounts, 8, i) * jst_size_f(((const MPI_Fint *)recvtypes)[i]);
            }
            jst_remember(jst_c_request(*(const MPI_Fint *)request), &(const jst_request){
                .func = "MPI_Neighbor_alltoallw_init_c", .bytes = bytes, .persistent = true,
                .klass = JST_MPI_INEIGHBOR, .peer = JST_MPI_NO_PEER,
                .kept = chain,
                .flags = (uint8_t)((JST_MPI_VARYING) | (passed ? JST_PASSES : 0))});
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_12_0(JST_F08TS_Neighbor_alltoallw_init_c, jst_body_Neighbor_alltoallw_init_c)
JST_ENTRY_12_0(JST_PF08TS_Neighbor_alltoallw_init_c_r, jst_body_Neighbor_alltoallw_init_c)

const jst_function jst_functions_f_request[] = {
    {JST_F_Send_init, (void *)JST_F_Send_init_entry},
    {JST_PF_Send_init, (void *)JST_PF_Send_init_entry},
    {JST_F08_Send_init, (void *)JST_F08_Send_init_entry},
    {JST_PF08_Send_init, (void *)JST_PF08_Send_init_entry},
    {JST_F08TS_Send_init, (void *)JST_F08TS_Send_init_entry},
    {JST_PF08TS_Send_init_r, (void *)JST_PF08TS_Send_init_r_entry},
    {JST_F08TS_Send_init_c, (void *)JST_F08TS_Send_init_c_entry},
    {JST_PF08TS_Send_init_c_r, (void *)JST_PF08TS_Send_init_c_r_entry},
    {JST_F_Bsend_init, (void *)JST_F_Bsend_init_entry},
    {JST_PF_Bsend_init, (void *)JST_PF_Bsend_init_entry},
    {JST_F08_Bsend_init, (void *)JST_F08_Bsend_init_entry},
    {JST_PF08_Bsend_init, (void *)JST_PF08_Bsend_init_entry},
    {JST_F08TS_Bsend_init, (void *)JST_F08TS_Bsend_init_entry},
    {JST_PF08TS_Bsend_init_r, (void *)JST_PF08TS_Bsend_init_r_entry},
    {JST_F08TS_Bsend_init_c, (void *)JST_F08TS_Bsend_init_c_entry},
    {JST_PF08TS_Bsend_init_c_r, (void *)JST_PF08TS_Bsend_init_c_r_entry},
    {JST_F_Ssend_init, (void *)JST_F_Ssend_init_entry},
    {JST_PF_Ssend_init, (void *)JST_PF_Ssend_init_entry},
    {JST_F08_Ssend_init, (void *)JST_F08_Ssend_init_entry},
    {JST_PF08_Ssend_init, (void *)JST_PF08_Ssend_init_entry},
    {JST_F08TS_Ssend_init, (void *)JST_F08TS_Ssend_init_entry},
    {JST_PF08TS_Ssend_init_r, (void *)JST_PF08TS_Ssend_init_r_entry},
    {JST_F08TS_Ssend_init_c, (void *)JST_F08TS_Ssend_init_c_entry},
    {JST_PF08TS_Ssend_init_c_r, (void *)JST_PF08TS_Ssend_init_c_r_entry},
    {JST_F_Rsend_init, (void *)JST_F_Rsend_init_entry},
    {JST_PF_Rsend_init, (void *)JST_PF_Rsend_init_entry},
    {JST_F08_Rsend_init, (void *)JST_F08_Rsend_init_entry},
    {JST_PF08_Rsend_init, (void *)JST_PF08_Rsend_init_entry},
    {JST_F08TS_Rsend_init, (void *)JST_F08TS_Rsend_init_entry},
    {JST_PF08TS_Rsend_init_r, (void *)JST_PF08TS_Rsend_init_r_entry},
    {JST_F08TS_Rsend_init_c, (void *)JST_F08TS_Rsend_init_c_entry},
    {JST_PF08TS_Rsend_init_c_r, (void *)JST_PF08TS_Rsend_init_c_r_entry},
    {JST_F_Recv_init, (void *)JST_F_Recv_init_entry},
    {JST_PF_Recv_init, (void *)JST_PF_Recv_init_entry},
    {JST_F08_Recv_init, (void *)JST_F08_Recv_init_entry},
    {JST_PF08_Recv_init, (void *)JST_PF08_Recv_init_entry},
    {JST_F08TS_Recv_init, (void *)JST_F08TS_Recv_init_entry},
    {JST_PF08TS_Recv_init_r, (void *)JST_PF08TS_Recv_init_r_entry},
    {JST_F08TS_Recv_init_c, (void *)JST_F08TS_Recv_init_c_entry},
    {JST_PF08TS_Recv_init_c_r, (void *)JST_PF08TS_Recv_init_c_r_entry},
    {JST_F_Psend_init, (void *)JST_F_Psend_init_entry},
    {JST_PF_Psend_init, (void *)JST_PF_Psend_init_entry},
    {JST_F08_Psend_init, (void *)JST_F08_Psend_init_entry},
    {JST_PF08_Psend_init, (void *)JST_PF08_Psend_init_entry},
    {JST_F08TS_Psend_init, (void *)JST_F08TS_Psend_init_entry},
    {JST_PF08TS_Psend_init_r, (void *)JST_PF08TS_Psend_init_r_entry},
    {JST_F_Precv_init, (void *)JST_F_Precv_init_entry},
    {JST_PF_Precv_init, (void *)JST_PF_Precv_init_entry},
    {JST_F08_Precv_init, (void *)JST_F08_Precv_init_entry},
    {JST_PF08_Precv_init, (void *)JST_PF08_Precv_init_entry},
    {JST_F08TS_Precv_init, (void *)JST_F08TS_Precv_init_entry},
    {JST_PF08TS_Precv_init_r, (void *)JST_PF08TS_Precv_init_r_entry},
    {JST_F_Start, (void *)JST_F_Start_entry},
    {JST_PF_Start, (void *)JST_PF_Start_entry},
    {JST_F08_Start, (void *)JST_F08_Start_entry},
    {JST_PF08_Start, (void *)JST_PF08_Start_entry},
    {JST_PF08_Start_r, (void *)JST_PF08_Start_r_entry},
    {JST_F_Startall, (void *)JST_F_Startall_entry},
    {JST_PF_Startall, (void *)JST_PF_Startall_entry},
    {JST_F08_Startall, (void *)JST_F08_Startall_entry},
    {JST_PF08_Startall, (void *)JST_PF08_Startall_entry},
    {JST_PF08_Startall_r, (void *)JST_PF08_Startall_r_entry},
    {JST_F_Request_free, (void *)JST_F_Request_free_entry},
    {JST_PF_Request_free, (void *)JST_PF_Request_free_entry},
    {JST_F08_Request_free, (void *)JST_F08_Request_free_entry},
    {JST_PF08_Request_free, (void *)JST_PF08_Request_free_entry},
    {JST_PF08_Request_free_r, (void *)JST_PF08_Request_free_r_entry},
    {JST_F_Cancel, (void *)JST_F_Cancel_entry},
    {JST_PF_Cancel, (void *)JST_PF_Cancel_entry},
    {JST_F08_Cancel, (void *)JST_F08_Cancel_entry},
    {JST_PF08_Cancel, (void *)JST_PF08_Cancel_entry},
    {JST_PF08_Cancel_r, (void *)JST_PF08_Cancel_r_entry},
    {JST_F_Pready, (void *)JST_F_Pready_entry},
    {JST_PF_Pready, (void *)JST_PF_Pready_entry},
    {JST_F08_Pready, (void *)JST_F08_Pready_entry},
    {JST_PF08_Pready, (void *)JST_PF08_Pready_entry},
    {JST_PF08_Pready_r, (void *)JST_PF08_Pready_r_entry},
    {JST_F_Pready_range, (void *)JST_F_Pready_range_entry},
    {JST_PF_Pready_range, (void *)JST_PF_Pready_range_entry},
    {JST_F08_Pready_range, (void *)JST_F08_Pready_range_entry},
    {JST_PF08_Pready_range, (void *)JST_PF08_Pready_range_entry},
    {JST_PF08_Pready_range_r, (void *)JST_PF08_Pready_range_r_entry},
    {JST_F_Pready_list, (void *)JST_F_Pready_list_entry},
    {JST_PF_Pready_list, (void *)JST_PF_Pready_list_entry},
    {JST_F08_Pready_list, (void *)JST_F08_Pready_list_entry},
    {JST_PF08_Pready_list, (void *)JST_PF08_Pready_list_entry},
    {JST_PF08_Pready_list_r, (void *)JST_PF08_Pready_list_r_entry},
    {JST_F_Bcast_init, (void *)JST_F_Bcast_init_entry},
    {JST_PF_Bcast_init, (void *)JST_PF_Bcast_init_entry},
    {JST_F08_Bcast_init, (void *)JST_F08_Bcast_init_entry},
    {JST_PF08_Bcast_init, (void *)JST_PF08_Bcast_init_entry},
    {JST_F08TS_Bcast_init, (void *)JST_F08TS_Bcast_init_entry},
    {JST_PF08TS_Bcast_init_r, (void *)JST_PF08TS_Bcast_init_r_entry},
    {JST_F08TS_Bcast_init_c, (void *)JST_F08TS_Bcast_init_c_entry},
    {JST_PF08TS_Bcast_init_c_r, (void *)JST_PF08TS_Bcast_init_c_r_entry},
    {JST_F_Scatter_init, (void *)JST_F_Scatter_init_entry},
    {JST_PF_Scatter_init, (void *)JST_PF_Scatter_init_entry},
    {JST_F08_Scatter_init, (void *)JST_F08_Scatter_init_entry},
    {JST_PF08_Scatter_init, (void *)JST_PF08_Scatter_init_entry},
    {JST_F08TS_Scatter_init, (void *)JST_F08TS_Scatter_init_entry},
    {JST_PF08TS_Scatter_init_r, (void *)JST_PF08TS_Scatter_init_r_entry},
    {JST_F08TS_Scatter_init_c, (void *)JST_F08TS_Scatter_init_c_entry},
    {JST_PF08TS_Scatter_init_c_r, (void *)JST_PF08TS_Scatter_init_c_r_entry},
    {JST_F_Scatterv_init, (void *)JST_F_Scatterv_init_entry},
    {JST_PF_Scatterv_init, (void *)JST_PF_Scatterv_init_entry},
    {JST_F08_Scatterv_init, (void *)JST_F08_Scatterv_init_entry},
    {JST_PF08_Scatterv_init, (void *)JST_PF08_Scatterv_init_entry},
    {JST_F08TS_Scatterv_init, (void *)JST_F08TS_Scatterv_init_entry},
    {JST_PF08TS_Scatterv_init_r, (void *)JST_PF08TS_Scatterv_init_r_entry},
    {JST_F08TS_Scatterv_init_c, (void *)JST_F08TS_Scatterv_init_c_entry},
    {JST_PF08TS_Scatterv_init_c_r, (void *)JST_PF08TS_Scatterv_init_c_r_entry},
    {JST_F_Reduce_init, (void *)JST_F_Reduce_init_entry},
    {JST_PF_Reduce_init, (void *)JST_PF_Reduce_init_entry},
    {JST_F08_Reduce_init, (void *)JST_F08_Reduce_init_entry},
    {JST_PF08_Reduce_init, (void *)JST_PF08_Reduce_init_entry},
    {JST_F08TS_Reduce_init, (void *)JST_F08TS_Reduce_init_entry},
    {JST_PF08TS_Reduce_init_r, (void *)JST_PF08TS_Reduce_init_r_entry},
    {JST_F08TS_Reduce_init_c, (void *)JST_F08TS_Reduce_init_c_entry},
    {JST_PF08TS_Reduce_init_c_r, (void *)JST_PF08TS_Reduce_init_c_r_entry},
    {JST_F_Gather_init, (void *)JST_F_Gather_init_entry},
    {JST_PF_Gather_init, (void *)JST_PF_Gather_init_entry},
    {JST_F08_Gather_init, (void *)JST_F08_Gather_init_entry},
    {JST_PF08_Gather_init, (void *)JST_PF08_Gather_init_entry},
    {JST_F08TS_Gather_init, (void *)JST_F08TS_Gather_init_entry},
    {JST_PF08TS_Gather_init_r, (void *)JST_PF08TS_Gather_init_r_entry},
    {JST_F08TS_Gather_init_c, (void *)JST_F08TS_Gather_init_c_entry},
    {JST_PF08TS_Gather_init_c_r, (void *)JST_PF08TS_Gather_init_c_r_entry},
    {JST_F_Gatherv_init, (void *)JST_F_Gatherv_init_entry},
    {JST_PF_Gatherv_init, (void *)JST_PF_Gatherv_init_entry},
    {JST_F08_Gatherv_init, (void *)JST_F08_Gatherv_init_entry},
    {JST_PF08_Gatherv_init, (void *)JST_PF08_Gatherv_init_entry},
    {JST_F08TS_Gatherv_init, (void *)JST_F08TS_Gatherv_init_entry},
    {JST_PF08TS_Gatherv_init_r, (void *)JST_PF08TS_Gatherv_init_r_entry},
    {JST_F08TS_Gatherv_init_c, (void *)JST_F08TS_Gatherv_init_c_entry},
    {JST_PF08TS_Gatherv_init_c_r, (void *)JST_PF08TS_Gatherv_init_c_r_entry},
    {JST_F_Allreduce_init, (void *)JST_F_Allreduce_init_entry},
    {JST_PF_Allreduce_init, (void *)JST_PF_Allreduce_init_entry},
    {JST_F08_Allreduce_init, (void *)JST_F08_Allreduce_init_entry},
    {JST_PF08_Allreduce_init, (void *)JST_PF08_Allreduce_init_entry},
    {JST_F08TS_Allreduce_init, (void *)JST_F08TS_Allreduce_init_entry},
    {JST_PF08TS_Allreduce_init_r, (void *)JST_PF08TS_Allreduce_init_r_entry},
    {JST_F08TS_Allreduce_init_c, (void *)JST_F08TS_Allreduce_init_c_entry},
    {JST_PF08TS_Allreduce_init_c_r, (void *)JST_PF08TS_Allreduce_init_c_r_entry},
    {JST_F_Allgather_init, (void *)JST_F_Allgather_init_entry},
    {JST_PF_Allgather_init, (void *)JST_PF_Allgather_init_entry},
    {JST_F08_Allgather_init, (void *)JST_F08_Allgather_init_entry},
    {JST_PF08_Allgather_init, (void *)JST_PF08_Allgather_init_entry},
    {JST_F08TS_Allgather_init, (void *)JST_F08TS_Allgather_init_entry},
    {JST_PF08TS_Allgather_init_r, (void *)JST_PF08TS_Allgather_init_r_entry},
    {JST_F08TS_Allgather_init_c, (void *)JST_F08TS_Allgather_init_c_entry},
    {JST_PF08TS_Allgather_init_c_r, (void *)JST_PF08TS_Allgather_init_c_r_entry},
    {JST_F_Allgatherv_init, (void *)JST_F_Allgatherv_init_entry},
    {JST_PF_Allgatherv_init, (void *)JST_PF_Allgatherv_init_entry},
    {JST_F08_Allgatherv_init, (void *)JST_F08_Allgatherv_init_entry},
    {JST_PF08_Allgatherv_init, (void *)JST_PF08_Allgatherv_init_entry},
    {JST_F08TS_Allgatherv_init, (void *)JST_F08TS_Allgatherv_init_entry},
    {JST_PF08TS_Allgatherv_init_r, (void *)JST_PF08TS_Allgatherv_init_r_entry},
    {JST_F08TS_Allgatherv_init_c, (void *)JST_F08TS_Allgatherv_init_c_entry},
    {JST_PF08TS_Allgatherv_init_c_r, (void *)JST_PF08TS_Allgatherv_init_c_r_entry},
    {JST_F_Alltoall_init, (void *)JST_F_Alltoall_init_entry},
    {JST_PF_Alltoall_init, (void *)JST_PF_Alltoall_init_entry},
    {JST_F08_Alltoall_init, (void *)JST_F08_Alltoall_init_entry},
    {JST_PF08_Alltoall_init, (void *)JST_PF08_Alltoall_init_entry},
    {JST_F08TS_Alltoall_init, (void *)JST_F08TS_Alltoall_init_entry},
    {JST_PF08TS_Alltoall_init_r, (void *)JST_PF08TS_Alltoall_init_r_entry},
    {JST_F08TS_Alltoall_init_c, (void *)JST_F08TS_Alltoall_init_c_entry},
    {JST_PF08TS_Alltoall_init_c_r, (void *)JST_PF08TS_Alltoall_init_c_r_entry},
    {JST_F_Alltoallv_init, (void *)JST_F_Alltoallv_init_entry},
    {JST_PF_Alltoallv_init, (void *)JST_PF_Alltoallv_init_entry},
    {JST_F08_Alltoallv_init, (void *)JST_F08_Alltoallv_init_entry},
    {JST_PF08_Alltoallv_init, (void *)JST_PF08_Alltoallv_init_entry},
    {JST_F08TS_Alltoallv_init, (void *)JST_F08TS_Alltoallv_init_entry},
    {JST_PF08TS_Alltoallv_init_r, (void *)JST_PF08TS_Alltoallv_init_r_entry},
    {JST_F08TS_Alltoallv_init_c, (void *)JST_F08TS_Alltoallv_init_c_entry},
    {JST_PF08TS_Alltoallv_init_c_r, (void *)JST_PF08TS_Alltoallv_init_c_r_entry},
    {JST_F_Alltoallw_init, (void *)JST_F_Alltoallw_init_entry},
    {JST_PF_Alltoallw_init, (void *)JST_PF_Alltoallw_init_entry},
    {JST_F08_Alltoallw_init, (void *)JST_F08_Alltoallw_init_entry},
    {JST_PF08_Alltoallw_init, (void *)JST_PF08_Alltoallw_init_entry},
    {JST_F08TS_Alltoallw_init, (void *)JST_F08TS_Alltoallw_init_entry},
    {JST_PF08TS_Alltoallw_init_r, (void *)JST_PF08TS_Alltoallw_init_r_entry},
    {JST_F08TS_Alltoallw_init_c, (void *)JST_F08TS_Alltoallw_init_c_entry},
    {JST_PF08TS_Alltoallw_init_c_r, (void *)JST_PF08TS_Alltoallw_init_c_r_entry},
    {JST_F_Reduce_scatter_init, (void *)JST_F_Reduce_scatter_init_entry},
    {JST_PF_Reduce_scatter_init, (void *)JST_PF_Reduce_scatter_init_entry},
    {JST_F08_Reduce_scatter_init, (void *)JST_F08_Reduce_scatter_init_entry},
    {JST_PF08_Reduce_scatter_init, (void *)JST_PF08_Reduce_scatter_init_entry},
    {JST_F08TS_Reduce_scatter_init, (void *)JST_F08TS_Reduce_scatter_init_entry},
    {JST_PF08TS_Reduce_scatter_init_r, (void *)JST_PF08TS_Reduce_scatter_init_r_entry},
    {JST_F08TS_Reduce_scatter_init_c, (void *)JST_F08TS_Reduce_scatter_init_c_entry},
    {JST_PF08TS_Reduce_scatter_init_c_r, (void *)JST_PF08TS_Reduce_scatter_init_c_r_entry},
    {JST_F_Reduce_scatter_block_init, (void *)JST_F_Reduce_scatter_block_init_entry},
    {JST_PF_Reduce_scatter_block_init, (void *)JST_PF_Reduce_scatter_block_init_entry},
    {JST_F08_Reduce_scatter_block_init, (void *)JST_F08_Reduce_scatter_block_init_entry},
    {JST_PF08_Reduce_scatter_block_init, (void *)JST_PF08_Reduce_scatter_block_init_entry},
    {JST_F08TS_Reduce_scatter_block_init, (void *)JST_F08TS_Reduce_scatter_block_init_entry},
    {JST_PF08TS_Reduce_scatter_block_init_r, (void *)JST_PF08TS_Reduce_scatter_block_init_r_entry},
    {JST_F08TS_Reduce_scatter_block_init_c, (void *)JST_F08TS_Reduce_scatter_block_init_c_entry},
    {JST_PF08TS_Reduce_scatter_block_init_c_r, (void *)JST_PF08TS_Reduce_scatter_block_init_c_r_entry},
    {JST_F_Barrier_init, (void *)JST_F_Barrier_init_entry},
    {JST_PF_Barrier_init, (void *)JST_PF_Barrier_init_entry},
    {JST_F08_Barrier_init, (void *)JST_F08_Barrier_init_entry},
    {JST_PF08_Barrier_init, (void *)JST_PF08_Barrier_init_entry},
    {JST_PF08_Barrier_init_r, (void *)JST_PF08_Barrier_init_r_entry},
    {JST_F_Scan_init, (void *)JST_F_Scan_init_entry},
    {JST_PF_Scan_init, (void *)JST_PF_Scan_init_entry},
    {JST_F08_Scan_init, (void *)JST_F08_Scan_init_entry},
    {JST_PF08_Scan_init, (void *)JST_PF08_Scan_init_entry},
    {JST_F08TS_Scan_init, (void *)JST_F08TS_Scan_init_entry},
    {JST_PF08TS_Scan_init_r, (void *)JST_PF08TS_Scan_init_r_entry},
    {JST_F08TS_Scan_init_c, (void *)JST_F08TS_Scan_init_c_entry},
    {JST_PF08TS_Scan_init_c_r, (void *)JST_PF08TS_Scan_init_c_r_entry},
    {JST_F_Exscan_init, (void *)JST_F_Exscan_init_entry},
    {JST_PF_Exscan_init, (void *)JST_PF_Exscan_init_entry},
    {JST_F08_Exscan_init, (void *)JST_F08_Exscan_init_entry},
    {JST_PF08_Exscan_init, (void *)JST_PF08_Exscan_init_entry},
    {JST_F08TS_Exscan_init, (void *)JST_F08TS_Exscan_init_entry},
    {JST_PF08TS_Exscan_init_r, (void *)JST_PF08TS_Exscan_init_r_entry},
    {JST_F08TS_Exscan_init_c, (void *)JST_F08TS_Exscan_init_c_entry},
    {JST_PF08TS_Exscan_init_c_r, (void *)JST_PF08TS_Exscan_init_c_r_entry},
    {JST_F_Neighbor_allgather_init, (void *)JST_F_Neighbor_allgather_init_entry},
    {JST_PF_Neighbor_allgather_init, (void *)JST_PF_Neighbor_allgather_init_entry},
    {JST_F08_Neighbor_allgather_init, (void *)JST_F08_Neighbor_allgather_init_entry},
    {JST_PF08_Neighbor_allgather_init, (void *)JST_PF08_Neighbor_allgather_init_entry},
    {JST_F08TS_Neighbor_allgather_init, (void *)JST_F08TS_Neighbor_allgather_init_entry},
    {JST_PF08TS_Neighbor_allgather_init_r, (void *)JST_PF08TS_Neighbor_allgather_init_r_entry},
    {JST_F08TS_Neighbor_allgather_init_c, (void *)JST_F08TS_Neighbor_allgather_init_c_entry},
    {JST_PF08TS_Neighbor_allgather_init_c_r, (void *)JST_PF08TS_Neighbor_allgather_init_c_r_entry},
    {JST_F_Neighbor_alltoall_init, (void *)JST_F_Neighbor_alltoall_init_entry},
    {JST_PF_Neighbor_alltoall_init, (void *)JST_PF_Neighbor_alltoall_init_entry},
    {JST_F08_Neighbor_alltoall_init, (void *)JST_F08_Neighbor_alltoall_init_entry},
    {JST_PF08_Neighbor_alltoall_init, (void *)JST_PF08_Neighbor_alltoall_init_entry},
    {JST_F08TS_Neighbor_alltoall_init, (void *)JST_F08TS_Neighbor_alltoall_init_entry},
    {JST_PF08TS_Neighbor_alltoall_init_r, (void *)JST_PF08TS_Neighbor_alltoall_init_r_entry},
    {JST_F08TS_Neighbor_alltoall_init_c, (void *)JST_F08TS_Neighbor_alltoall_init_c_entry},
    {JST_PF08TS_Neighbor_alltoall_init_c_r, (void *)JST_PF08TS_Neighbor_alltoall_init_c_r_entry},
    {JST_F_Neighbor_allgatherv_init, (void *)JST_F_Neighbor_allgatherv_init_entry},
    {JST_PF_Neighbor_allgatherv_init, (void *)JST_PF_Neighbor_allgatherv_init_entry},
    {JST_F08_Neighbor_allgatherv_init, (void *)JST_F08_Neighbor_allgatherv_init_entry},
    {JST_PF08_Neighbor_allgatherv_init, (void *)JST_PF08_Neighbor_allgatherv_init_entry},
    {JST_F08TS_Neighbor_allgatherv_init, (void *)JST_F08TS_Neighbor_allgatherv_init_entry},
    {JST_PF08TS_Neighbor_allgatherv_init_r, (void *)JST_PF08TS_Neighbor_allgatherv_init_r_entry},
    {JST_F08TS_Neighbor_allgatherv_init_c, (void *)JST_F08TS_Neighbor_allgatherv_init_c_entry},
    {JST_PF08TS_Neighbor_allgatherv_init_c_r, (void *)JST_PF08TS_Neighbor_allgatherv_init_c_r_entry},
    {JST_F_Neighbor_alltoallv_init, (void *)JST_F_Neighbor_alltoallv_init_entry},
    {JST_PF_Neighbor_alltoallv_init, (void *)JST_PF_Neighbor_alltoallv_init_entry},
    {JST_F08_Neighbor_alltoallv_init, (void *)JST_F08_Neighbor_alltoallv_init_entry},
    {JST_PF08_Neighbor_alltoallv_init, (void *)JST_PF08_Neighbor_alltoallv_init_entry},
    {JST_F08TS_Neighbor_alltoallv_init, (void *)JST_F08TS_Neighbor_alltoallv_init_entry},
    {JST_PF08TS_Neighbor_alltoallv_init_r, (void *)JST_PF08TS_Neighbor_alltoallv_init_r_entry},
    {JST_F08TS_Neighbor_alltoallv_init_c, (void *)JST_F08TS_Neighbor_alltoallv_init_c_entry},
    {JST_PF08TS_Neighbor_alltoallv_init_c_r, (void *)JST_PF08TS_Neighbor_alltoallv_init_c_r_entry},
    {JST_F_Neighbor_alltoallw_init, (void *)JST_F_Neighbor_alltoallw_init_entry},
    {JST_PF_Neighbor_alltoallw_init, (void *)JST_PF_Neighbor_alltoallw_init_entry},
    {JST_F08_Neighbor_alltoallw_init, (void *)JST_F08_Neighbor_alltoallw_init_entry},
    {JST_PF08_Neighbor_alltoallw_init, (void *)JST_PF08_Neighbor_alltoallw_init_entry},
    {JST_F08TS_Neighbor_alltoallw_init, (void *)JST_F08TS_Neighbor_alltoallw_init_entry},
    {JST_PF08TS_Neighbor_alltoallw_init_r, (void *)JST_PF08TS_Neighbor_alltoallw_init_r_entry},
    {JST_F08TS_Neighbor_alltoallw_init_c, (void *)JST_F08TS_Neighbor_alltoallw_init_c_entry},
    {JST_PF08TS_Neighbor_alltoallw_init_c_r, (void *)JST_PF08TS_Neighbor_alltoallw_init_c_r_entry},
};
const size_t jst_count_f_request = 260;
