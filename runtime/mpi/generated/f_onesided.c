/* Made by tools/generate_mpi.py from schema/mpi_calls.toml and pympistandard; do not edit. */
/* clang-format off */
#include "jst_wrappers.h"

static void jst_body_Put(unsigned id, jst_mpi_call *call, void *origin_addr, void *origin_count,
                         void *origin_datatype, void *target_rank, void *target_disp, void
                         *target_count, void *target_datatype, void *win, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Put", JST_MPI_PUT, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F_Put, jst_body_Put)
JST_ENTRY_9_0(JST_PF_Put, jst_body_Put)
JST_ENTRY_9_0(JST_F08_Put, jst_body_Put)
JST_ENTRY_9_0(JST_PF08_Put, jst_body_Put)
JST_ENTRY_9_0(JST_F08TS_Put, jst_body_Put)
JST_ENTRY_9_0(JST_PF08TS_Put_r, jst_body_Put)

static void jst_body_Put_c(unsigned id, jst_mpi_call *call, void *origin_addr, void *origin_count,
                           void *origin_datatype, void *target_rank, void *target_disp, void
                           *target_count, void *target_datatype, void *win, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Put_c", JST_MPI_PUT, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F08TS_Put_c, jst_body_Put_c)
JST_ENTRY_9_0(JST_PF08TS_Put_c_r, jst_body_Put_c)

static void jst_body_Rput(unsigned id, jst_mpi_call *call, void *origin_addr, void *origin_count,
                          void *origin_datatype, void *target_rank, void *target_disp, void
                          *target_count, void *target_datatype, void *win, void *request, void
                          *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Rput", JST_MPI_PUT, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Rput, jst_body_Rput)
JST_ENTRY_10_0(JST_PF_Rput, jst_body_Rput)
JST_ENTRY_10_0(JST_F08_Rput, jst_body_Rput)
JST_ENTRY_10_0(JST_PF08_Rput, jst_body_Rput)
JST_ENTRY_10_0(JST_F08TS_Rput, jst_body_Rput)
JST_ENTRY_10_0(JST_PF08TS_Rput_r, jst_body_Rput)

static void jst_body_Rput_c(unsigned id, jst_mpi_call *call, void *origin_addr, void *origin_count,
                            void *origin_datatype, void *target_rank, void *target_disp, void
                            *target_count, void *target_datatype, void *win, void *request, void
                            *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Rput_c", JST_MPI_PUT, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Rput_c, jst_body_Rput_c)
JST_ENTRY_10_0(JST_PF08TS_Rput_c_r, jst_body_Rput_c)

static void jst_body_Get(unsigned id, jst_mpi_call *call, void *origin_addr, void *origin_count,
                         void *origin_datatype, void *target_rank, void *target_disp, void
                         *target_count, void *target_datatype, void *win, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Get", JST_MPI_GET, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F_Get, jst_body_Get)
JST_ENTRY_9_0(JST_PF_Get, jst_body_Get)
JST_ENTRY_9_0(JST_F08_Get, jst_body_Get)
JST_ENTRY_9_0(JST_PF08_Get, jst_body_Get)
JST_ENTRY_9_0(JST_F08TS_Get, jst_body_Get)
JST_ENTRY_9_0(JST_PF08TS_Get_r, jst_body_Get)

static void jst_body_Get_c(unsigned id, jst_mpi_call *call, void *origin_addr, void *origin_count,
                           void *origin_datatype, void *target_rank, void *target_disp, void
                           *target_count, void *target_datatype, void *win, void *ierror)
{
    jst_sub_9_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Get_c", JST_MPI_GET, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_9_0(JST_F08TS_Get_c, jst_body_Get_c)
JST_ENTRY_9_0(JST_PF08TS_Get_c_r, jst_body_Get_c)

static void jst_body_Rget(unsigned id, jst_mpi_call *call, void *origin_addr, void *origin_count,
                          void *origin_datatype, void *target_rank, void *target_disp, void
                          *target_count, void *target_datatype, void *win, void *request, void
                          *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Rget", JST_MPI_GET, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Rget, jst_body_Rget)
JST_ENTRY_10_0(JST_PF_Rget, jst_body_Rget)
JST_ENTRY_10_0(JST_F08_Rget, jst_body_Rget)
JST_ENTRY_10_0(JST_PF08_Rget, jst_body_Rget)
JST_ENTRY_10_0(JST_F08TS_Rget, jst_body_Rget)
JST_ENTRY_10_0(JST_PF08TS_Rget_r, jst_body_Rget)

static void jst_body_Rget_c(unsigned id, jst_mpi_call *call, void *origin_addr, void *origin_count,
                            void *origin_datatype, void *target_rank, void *target_disp, void
                            *target_count, void *target_datatype, void *win, void *request, void
                            *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Rget_c", JST_MPI_GET, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Rget_c, jst_body_Rget_c)
JST_ENTRY_10_0(JST_PF08TS_Rget_c_r, jst_body_Rget_c)

static void jst_body_Accumulate(unsigned id, jst_mpi_call *call, void *origin_addr, void
                                *origin_count, void *origin_datatype, void *target_rank, void
                                *target_disp, void *target_count, void *target_datatype, void *op,
                                void *win, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, op, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Accumulate", JST_MPI_ACCUMULATE, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, op, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F_Accumulate, jst_body_Accumulate)
JST_ENTRY_10_0(JST_PF_Accumulate, jst_body_Accumulate)
JST_ENTRY_10_0(JST_F08_Accumulate, jst_body_Accumulate)
JST_ENTRY_10_0(JST_PF08_Accumulate, jst_body_Accumulate)
JST_ENTRY_10_0(JST_F08TS_Accumulate, jst_body_Accumulate)
JST_ENTRY_10_0(JST_PF08TS_Accumulate_r, jst_body_Accumulate)

static void jst_body_Accumulate_c(unsigned id, jst_mpi_call *call, void *origin_addr, void
                                  *origin_count, void *origin_datatype, void *target_rank, void
                                  *target_disp, void *target_count, void *target_datatype, void *op,
                                  void *win, void *ierror)
{
    jst_sub_10_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, op, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Accumulate_c", JST_MPI_ACCUMULATE, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, op, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_10_0(JST_F08TS_Accumulate_c, jst_body_Accumulate_c)
JST_ENTRY_10_0(JST_PF08TS_Accumulate_c_r, jst_body_Accumulate_c)

static void jst_body_Raccumulate(unsigned id, jst_mpi_call *call, void *origin_addr, void
                                 *origin_count, void *origin_datatype, void *target_rank, void
                                 *target_disp, void *target_count, void *target_datatype, void *op,
                                 void *win, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, op, win, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Raccumulate", JST_MPI_ACCUMULATE, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, op, win, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_11_0(JST_F_Raccumulate, jst_body_Raccumulate)
JST_ENTRY_11_0(JST_PF_Raccumulate, jst_body_Raccumulate)
JST_ENTRY_11_0(JST_F08_Raccumulate, jst_body_Raccumulate)
JST_ENTRY_11_0(JST_PF08_Raccumulate, jst_body_Raccumulate)
JST_ENTRY_11_0(JST_F08TS_Raccumulate, jst_body_Raccumulate)
JST_ENTRY_11_0(JST_PF08TS_Raccumulate_r, jst_body_Raccumulate)

static void jst_body_Raccumulate_c(unsigned id, jst_mpi_call *call, void *origin_addr, void
                                   *origin_count, void *origin_datatype, void *target_rank, void
                                   *target_disp, void *target_count, void *target_datatype, void
                                   *op, void *win, void *request, void *ierror)
{
    jst_sub_11_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, op, win, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Raccumulate_c", JST_MPI_ACCUMULATE, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, op, win, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_11_0(JST_F08TS_Raccumulate_c, jst_body_Raccumulate_c)
JST_ENTRY_11_0(JST_PF08TS_Raccumulate_c_r, jst_body_Raccumulate_c)

static void jst_body_Get_accumulate(unsigned id, jst_mpi_call *call, void *origin_addr, void
                                    *origin_count, void *origin_datatype, void *result_addr, void
                                    *result_count, void *result_datatype, void *target_rank, void
                                    *target_disp, void *target_count, void *target_datatype, void
                                    *op, void *win, void *ierror)
{
    jst_sub_13_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
             target_rank, target_disp, target_count, target_datatype, op, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Get_accumulate", JST_MPI_ACCUMULATE, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
         target_rank, target_disp, target_count, target_datatype, op, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
            call->arrived = (uint64_t)*(const MPI_Fint *)result_count * jst_size_f(*(const
                MPI_Fint *)result_datatype);
            call->sized = true;
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_13_0(JST_F_Get_accumulate, jst_body_Get_accumulate)
JST_ENTRY_13_0(JST_PF_Get_accumulate, jst_body_Get_accumulate)
JST_ENTRY_13_0(JST_F08_Get_accumulate, jst_body_Get_accumulate)
JST_ENTRY_13_0(JST_PF08_Get_accumulate, jst_body_Get_accumulate)
JST_ENTRY_13_0(JST_F08TS_Get_accumulate, jst_body_Get_accumulate)
JST_ENTRY_13_0(JST_PF08TS_Get_accumulate_r, jst_body_Get_accumulate)

static void jst_body_Get_accumulate_c(unsigned id, jst_mpi_call *call, void *origin_addr, void
                                      *origin_count, void *origin_datatype, void *result_addr, void
                                      *result_count, void *result_datatype, void *target_rank, void
                                      *target_disp, void *target_count, void *target_datatype, void
                                      *op, void *win, void *ierror)
{
    jst_sub_13_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
             target_rank, target_disp, target_count, target_datatype, op, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Get_accumulate_c", JST_MPI_ACCUMULATE, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
         target_rank, target_disp, target_count, target_datatype, op, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
            call->arrived = (uint64_t)*(const MPI_Count *)result_count * jst_size_f(*(const
                MPI_Fint *)result_datatype);
            call->sized = true;
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_13_0(JST_F08TS_Get_accumulate_c, jst_body_Get_accumulate_c)
JST_ENTRY_13_0(JST_PF08TS_Get_accumulate_c_r, jst_body_Get_accumulate_c)

static void jst_body_Rget_accumulate(unsigned id, jst_mpi_call *call, void *origin_addr, void
                                     *origin_count, void *origin_datatype, void *result_addr, void
                                     *result_count, void *result_datatype, void *target_rank, void
                                     *target_disp, void *target_count, void *target_datatype, void
                                     *op, void *win, void *request, void *ierror)
{
    jst_sub_14_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
             target_rank, target_disp, target_count, target_datatype, op, win, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Rget_accumulate", JST_MPI_ACCUMULATE, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
         target_rank, target_disp, target_count, target_datatype, op, win, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
            call->arrived = (uint64_t)*(const MPI_Fint *)result_count * jst_size_f(*(const
                MPI_Fint *)result_datatype);
            call->sized = true;
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_14_0(JST_F_Rget_accumulate, jst_body_Rget_accumulate)
JST_ENTRY_14_0(JST_PF_Rget_accumulate, jst_body_Rget_accumulate)
JST_ENTRY_14_0(JST_F08_Rget_accumulate, jst_body_Rget_accumulate)
JST_ENTRY_14_0(JST_PF08_Rget_accumulate, jst_body_Rget_accumulate)
JST_ENTRY_14_0(JST_F08TS_Rget_accumulate, jst_body_Rget_accumulate)
JST_ENTRY_14_0(JST_PF08TS_Rget_accumulate_r, jst_body_Rget_accumulate)

static void jst_body_Rget_accumulate_c(unsigned id, jst_mpi_call *call, void *origin_addr, void
                                       *origin_count, void *origin_datatype, void *result_addr, void
                                       *result_count, void *result_datatype, void *target_rank, void
                                       *target_disp, void *target_count, void *target_datatype, void
                                       *op, void *win, void *request, void *ierror)
{
    jst_sub_14_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
             target_rank, target_disp, target_count, target_datatype, op, win, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Rget_accumulate_c", JST_MPI_ACCUMULATE, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
         target_rank, target_disp, target_count, target_datatype, op, win, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)origin_count * jst_size_f(*(const MPI_Fint
                *)origin_datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
            call->arrived = (uint64_t)*(const MPI_Count *)result_count * jst_size_f(*(const
                MPI_Fint *)result_datatype);
            call->sized = true;
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_14_0(JST_F08TS_Rget_accumulate_c, jst_body_Rget_accumulate_c)
JST_ENTRY_14_0(JST_PF08TS_Rget_accumulate_c_r, jst_body_Rget_accumulate_c)

static void jst_body_Fetch_and_op(unsigned id, jst_mpi_call *call, void *origin_addr, void
                                  *result_addr, void *datatype, void *target_rank, void
                                  *target_disp, void *op, void *win, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, result_addr, datatype, target_rank, target_disp, op, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Fetch_and_op", JST_MPI_ACCUMULATE, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, result_addr, datatype, target_rank, target_disp, op, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_size_f(*(const MPI_Fint *)datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
            call->arrived = jst_size_f(*(const MPI_Fint *)datatype);
            call->sized = true;
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Fetch_and_op, jst_body_Fetch_and_op)
JST_ENTRY_8_0(JST_PF_Fetch_and_op, jst_body_Fetch_and_op)
JST_ENTRY_8_0(JST_F08_Fetch_and_op, jst_body_Fetch_and_op)
JST_ENTRY_8_0(JST_PF08_Fetch_and_op, jst_body_Fetch_and_op)
JST_ENTRY_8_0(JST_F08TS_Fetch_and_op, jst_body_Fetch_and_op)
JST_ENTRY_8_0(JST_PF08TS_Fetch_and_op_r, jst_body_Fetch_and_op)

static void jst_body_Compare_and_swap(unsigned id, jst_mpi_call *call, void *origin_addr, void
                                      *compare_addr, void *result_addr, void *datatype, void
                                      *target_rank, void *target_disp, void *win, void *ierror)
{
    jst_sub_8_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win,
             ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Compare_and_swap", JST_MPI_ACCUMULATE, 0);
    const bool counted = jst_host.enter(call);
    real(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = jst_size_f(*(const MPI_Fint *)datatype);
            call->peer = jst_target(*(const MPI_Fint *)target_rank, jst_c_win(*(const MPI_Fint *)win));
            call->arrived = jst_size_f(*(const MPI_Fint *)datatype);
            call->sized = true;
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_8_0(JST_F_Compare_and_swap, jst_body_Compare_and_swap)
JST_ENTRY_8_0(JST_PF_Compare_and_swap, jst_body_Compare_and_swap)
JST_ENTRY_8_0(JST_F08_Compare_and_swap, jst_body_Compare_and_swap)
JST_ENTRY_8_0(JST_PF08_Compare_and_swap, jst_body_Compare_and_swap)
JST_ENTRY_8_0(JST_F08TS_Compare_and_swap, jst_body_Compare_and_swap)
JST_ENTRY_8_0(JST_PF08TS_Compare_and_swap_r, jst_body_Compare_and_swap)

static void jst_body_Win_fence(unsigned id, jst_mpi_call *call, void *assert, void *win, void
                               *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(assert, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_fence", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(assert, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Win_fence, jst_body_Win_fence)
JST_ENTRY_3_0(JST_PF_Win_fence, jst_body_Win_fence)
JST_ENTRY_3_0(JST_F08_Win_fence, jst_body_Win_fence)
JST_ENTRY_3_0(JST_PF08_Win_fence, jst_body_Win_fence)
JST_ENTRY_3_0(JST_PF08_Win_fence_r, jst_body_Win_fence)

static void jst_body_Win_post(unsigned id, jst_mpi_call *call, void *group, void *assert, void *win,
                              void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(group, assert, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_post", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(group, assert, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Win_post, jst_body_Win_post)
JST_ENTRY_4_0(JST_PF_Win_post, jst_body_Win_post)
JST_ENTRY_4_0(JST_F08_Win_post, jst_body_Win_post)
JST_ENTRY_4_0(JST_PF08_Win_post, jst_body_Win_post)
JST_ENTRY_4_0(JST_PF08_Win_post_r, jst_body_Win_post)

static void jst_body_Win_start(unsigned id, jst_mpi_call *call, void *group, void *assert, void
                               *win, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(group, assert, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_start", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(group, assert, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Win_start, jst_body_Win_start)
JST_ENTRY_4_0(JST_PF_Win_start, jst_body_Win_start)
JST_ENTRY_4_0(JST_F08_Win_start, jst_body_Win_start)
JST_ENTRY_4_0(JST_PF08_Win_start, jst_body_Win_start)
JST_ENTRY_4_0(JST_PF08_Win_start_r, jst_body_Win_start)

static void jst_body_Win_complete(unsigned id, jst_mpi_call *call, void *win, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_complete", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Win_complete, jst_body_Win_complete)
JST_ENTRY_2_0(JST_PF_Win_complete, jst_body_Win_complete)
JST_ENTRY_2_0(JST_F08_Win_complete, jst_body_Win_complete)
JST_ENTRY_2_0(JST_PF08_Win_complete, jst_body_Win_complete)
JST_ENTRY_2_0(JST_PF08_Win_complete_r, jst_body_Win_complete)

static void jst_body_Win_wait(unsigned id, jst_mpi_call *call, void *win, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_wait", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Win_wait, jst_body_Win_wait)
JST_ENTRY_2_0(JST_PF_Win_wait, jst_body_Win_wait)
JST_ENTRY_2_0(JST_F08_Win_wait, jst_body_Win_wait)
JST_ENTRY_2_0(JST_PF08_Win_wait, jst_body_Win_wait)
JST_ENTRY_2_0(JST_PF08_Win_wait_r, jst_body_Win_wait)

static void jst_body_Win_test(unsigned id, jst_mpi_call *call, void *win, void *flag, void *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(win, flag, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_test", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(win, flag, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Win_test, jst_body_Win_test)
JST_ENTRY_3_0(JST_PF_Win_test, jst_body_Win_test)
JST_ENTRY_3_0(JST_F08_Win_test, jst_body_Win_test)
JST_ENTRY_3_0(JST_PF08_Win_test, jst_body_Win_test)
JST_ENTRY_3_0(JST_PF08_Win_test_r, jst_body_Win_test)

static void jst_body_Win_lock(unsigned id, jst_mpi_call *call, void *lock_type, void *rank, void
                              *assert, void *win, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(lock_type, rank, assert, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_lock", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(lock_type, rank, assert, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_Win_lock, jst_body_Win_lock)
JST_ENTRY_5_0(JST_PF_Win_lock, jst_body_Win_lock)
JST_ENTRY_5_0(JST_F08_Win_lock, jst_body_Win_lock)
JST_ENTRY_5_0(JST_PF08_Win_lock, jst_body_Win_lock)
JST_ENTRY_5_0(JST_PF08_Win_lock_r, jst_body_Win_lock)

static void jst_body_Win_lock_all(unsigned id, jst_mpi_call *call, void *assert, void *win, void
                                  *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(assert, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_lock_all", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(assert, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Win_lock_all, jst_body_Win_lock_all)
JST_ENTRY_3_0(JST_PF_Win_lock_all, jst_body_Win_lock_all)
JST_ENTRY_3_0(JST_F08_Win_lock_all, jst_body_Win_lock_all)
JST_ENTRY_3_0(JST_PF08_Win_lock_all, jst_body_Win_lock_all)
JST_ENTRY_3_0(JST_PF08_Win_lock_all_r, jst_body_Win_lock_all)

static void jst_body_Win_unlock(unsigned id, jst_mpi_call *call, void *rank, void *win, void
                                *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(rank, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_unlock", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(rank, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Win_unlock, jst_body_Win_unlock)
JST_ENTRY_3_0(JST_PF_Win_unlock, jst_body_Win_unlock)
JST_ENTRY_3_0(JST_F08_Win_unlock, jst_body_Win_unlock)
JST_ENTRY_3_0(JST_PF08_Win_unlock, jst_body_Win_unlock)
JST_ENTRY_3_0(JST_PF08_Win_unlock_r, jst_body_Win_unlock)

static void jst_body_Win_unlock_all(unsigned id, jst_mpi_call *call, void *win, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_unlock_all", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Win_unlock_all, jst_body_Win_unlock_all)
JST_ENTRY_2_0(JST_PF_Win_unlock_all, jst_body_Win_unlock_all)
JST_ENTRY_2_0(JST_F08_Win_unlock_all, jst_body_Win_unlock_all)
JST_ENTRY_2_0(JST_PF08_Win_unlock_all, jst_body_Win_unlock_all)
JST_ENTRY_2_0(JST_PF08_Win_unlock_all_r, jst_body_Win_unlock_all)

static void jst_body_Win_flush(unsigned id, jst_mpi_call *call, void *rank, void *win, void *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(rank, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_flush", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(rank, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Win_flush, jst_body_Win_flush)
JST_ENTRY_3_0(JST_PF_Win_flush, jst_body_Win_flush)
JST_ENTRY_3_0(JST_F08_Win_flush, jst_body_Win_flush)
JST_ENTRY_3_0(JST_PF08_Win_flush, jst_body_Win_flush)
JST_ENTRY_3_0(JST_PF08_Win_flush_r, jst_body_Win_flush)

static void jst_body_Win_flush_all(unsigned id, jst_mpi_call *call, void *win, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_flush_all", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Win_flush_all, jst_body_Win_flush_all)
JST_ENTRY_2_0(JST_PF_Win_flush_all, jst_body_Win_flush_all)
JST_ENTRY_2_0(JST_F08_Win_flush_all, jst_body_Win_flush_all)
JST_ENTRY_2_0(JST_PF08_Win_flush_all, jst_body_Win_flush_all)
JST_ENTRY_2_0(JST_PF08_Win_flush_all_r, jst_body_Win_flush_all)

static void jst_body_Win_flush_local(unsigned id, jst_mpi_call *call, void *rank, void *win, void
                                     *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(rank, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_flush_local", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(rank, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Win_flush_local, jst_body_Win_flush_local)
JST_ENTRY_3_0(JST_PF_Win_flush_local, jst_body_Win_flush_local)
JST_ENTRY_3_0(JST_F08_Win_flush_local, jst_body_Win_flush_local)
JST_ENTRY_3_0(JST_PF08_Win_flush_local, jst_body_Win_flush_local)
JST_ENTRY_3_0(JST_PF08_Win_flush_local_r, jst_body_Win_flush_local)

static void jst_body_Win_flush_local_all(unsigned id, jst_mpi_call *call, void *win, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_flush_local_all", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Win_flush_local_all, jst_body_Win_flush_local_all)
JST_ENTRY_2_0(JST_PF_Win_flush_local_all, jst_body_Win_flush_local_all)
JST_ENTRY_2_0(JST_F08_Win_flush_local_all, jst_body_Win_flush_local_all)
JST_ENTRY_2_0(JST_PF08_Win_flush_local_all, jst_body_Win_flush_local_all)
JST_ENTRY_2_0(JST_PF08_Win_flush_local_all_r, jst_body_Win_flush_local_all)

static void jst_body_Win_sync(unsigned id, jst_mpi_call *call, void *win, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_sync", JST_MPI_RMA_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Win_sync, jst_body_Win_sync)
JST_ENTRY_2_0(JST_PF_Win_sync, jst_body_Win_sync)
JST_ENTRY_2_0(JST_F08_Win_sync, jst_body_Win_sync)
JST_ENTRY_2_0(JST_PF08_Win_sync, jst_body_Win_sync)
JST_ENTRY_2_0(JST_PF08_Win_sync_r, jst_body_Win_sync)

static void jst_body_Win_create(unsigned id, jst_mpi_call *call, void *base, void *size, void
                                *disp_unit, void *info, void *comm, void *win, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(base, size, disp_unit, info, comm, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_create", JST_MPI_WINDOW, 0);
    const bool counted = jst_host.enter(call);
    real(base, size, disp_unit, info, comm, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Win_create, jst_body_Win_create)
JST_ENTRY_7_0(JST_PF_Win_create, jst_body_Win_create)
JST_ENTRY_7_0(JST_F08_Win_create, jst_body_Win_create)
JST_ENTRY_7_0(JST_PF08_Win_create, jst_body_Win_create)
JST_ENTRY_7_0(JST_F08TS_Win_create, jst_body_Win_create)
JST_ENTRY_7_0(JST_PF08TS_Win_create_r, jst_body_Win_create)

static void jst_body_Win_create_c(unsigned id, jst_mpi_call *call, void *base, void *size, void
                                  *disp_unit, void *info, void *comm, void *win, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(base, size, disp_unit, info, comm, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_create_c", JST_MPI_WINDOW, 0);
    const bool counted = jst_host.enter(call);
    real(base, size, disp_unit, info, comm, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_Win_create_c, jst_body_Win_create_c)
JST_ENTRY_7_0(JST_PF08TS_Win_create_c_r, jst_body_Win_create_c)

static void jst_body_Win_create_dynamic(unsigned id, jst_mpi_call *call, void *info, void *comm,
                                        void *win, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(info, comm, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_create_dynamic", JST_MPI_WINDOW, 0);
    const bool counted = jst_host.enter(call);
    real(info, comm, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Win_create_dynamic, jst_body_Win_create_dynamic)
JST_ENTRY_4_0(JST_PF_Win_create_dynamic, jst_body_Win_create_dynamic)
JST_ENTRY_4_0(JST_F08_Win_create_dynamic, jst_body_Win_create_dynamic)
JST_ENTRY_4_0(JST_PF08_Win_create_dynamic, jst_body_Win_create_dynamic)
JST_ENTRY_4_0(JST_PF08_Win_create_dynamic_r, jst_body_Win_create_dynamic)

static void jst_body_Win_allocate(unsigned id, jst_mpi_call *call, void *size, void *disp_unit, void
                                  *info, void *comm, void *baseptr, void *win, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(size, disp_unit, info, comm, baseptr, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_allocate", JST_MPI_WINDOW, 0);
    const bool counted = jst_host.enter(call);
    real(size, disp_unit, info, comm, baseptr, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Win_allocate, jst_body_Win_allocate)
JST_ENTRY_7_0(JST_PF_Win_allocate, jst_body_Win_allocate)
JST_ENTRY_7_0(JST_F_Win_allocate_cptr, jst_body_Win_allocate)
JST_ENTRY_7_0(JST_PF_Win_allocate_cptr, jst_body_Win_allocate)
JST_ENTRY_7_0(JST_F08_Win_allocate, jst_body_Win_allocate)
JST_ENTRY_7_0(JST_PF08_Win_allocate, jst_body_Win_allocate)
JST_ENTRY_7_0(JST_PF08_Win_allocate_r, jst_body_Win_allocate)

static void jst_body_Win_allocate_c(unsigned id, jst_mpi_call *call, void *size, void *disp_unit,
                                    void *info, void *comm, void *baseptr, void *win, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(size, disp_unit, info, comm, baseptr, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_allocate_c", JST_MPI_WINDOW, 0);
    const bool counted = jst_host.enter(call);
    real(size, disp_unit, info, comm, baseptr, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08_Win_allocate_c, jst_body_Win_allocate_c)
JST_ENTRY_7_0(JST_PF08_Win_allocate_c_r, jst_body_Win_allocate_c)

static void jst_body_Win_allocate_shared(unsigned id, jst_mpi_call *call, void *size, void
                                         *disp_unit, void *info, void *comm, void *baseptr, void
                                         *win, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(size, disp_unit, info, comm, baseptr, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_allocate_shared", JST_MPI_WINDOW, 0);
    const bool counted = jst_host.enter(call);
    real(size, disp_unit, info, comm, baseptr, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_Win_allocate_shared, jst_body_Win_allocate_shared)
JST_ENTRY_7_0(JST_PF_Win_allocate_shared, jst_body_Win_allocate_shared)
JST_ENTRY_7_0(JST_F_Win_allocate_shared_cptr, jst_body_Win_allocate_shared)
JST_ENTRY_7_0(JST_PF_Win_allocate_shared_cptr, jst_body_Win_allocate_shared)
JST_ENTRY_7_0(JST_F08_Win_allocate_shared, jst_body_Win_allocate_shared)
JST_ENTRY_7_0(JST_PF08_Win_allocate_shared, jst_body_Win_allocate_shared)
JST_ENTRY_7_0(JST_PF08_Win_allocate_shared_r, jst_body_Win_allocate_shared)

static void jst_body_Win_allocate_shared_c(unsigned id, jst_mpi_call *call, void *size, void
                                           *disp_unit, void *info, void *comm, void *baseptr, void
                                           *win, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(size, disp_unit, info, comm, baseptr, win, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_allocate_shared_c", JST_MPI_WINDOW, 0);
    const bool counted = jst_host.enter(call);
    real(size, disp_unit, info, comm, baseptr, win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08_Win_allocate_shared_c, jst_body_Win_allocate_shared_c)
JST_ENTRY_7_0(JST_PF08_Win_allocate_shared_c_r, jst_body_Win_allocate_shared_c)

static void jst_body_Win_attach(unsigned id, jst_mpi_call *call, void *win, void *base, void *size,
                                void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(win, base, size, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_attach", JST_MPI_WINDOW, 0);
    const bool counted = jst_host.enter(call);
    real(win, base, size, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_Win_attach, jst_body_Win_attach)
JST_ENTRY_4_0(JST_PF_Win_attach, jst_body_Win_attach)
JST_ENTRY_4_0(JST_F08_Win_attach, jst_body_Win_attach)
JST_ENTRY_4_0(JST_PF08_Win_attach, jst_body_Win_attach)
JST_ENTRY_4_0(JST_F08TS_Win_attach, jst_body_Win_attach)
JST_ENTRY_4_0(JST_PF08TS_Win_attach_r, jst_body_Win_attach)

static void jst_body_Win_detach(unsigned id, jst_mpi_call *call, void *win, void *base, void
                                *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(win, base, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_detach", JST_MPI_WINDOW, 0);
    const bool counted = jst_host.enter(call);
    real(win, base, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_Win_detach, jst_body_Win_detach)
JST_ENTRY_3_0(JST_PF_Win_detach, jst_body_Win_detach)
JST_ENTRY_3_0(JST_F08_Win_detach, jst_body_Win_detach)
JST_ENTRY_3_0(JST_PF08_Win_detach, jst_body_Win_detach)
JST_ENTRY_3_0(JST_F08TS_Win_detach, jst_body_Win_detach)
JST_ENTRY_3_0(JST_PF08TS_Win_detach_r, jst_body_Win_detach)

static void jst_body_Win_free(unsigned id, jst_mpi_call *call, void *win, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_Win_free", JST_MPI_WINDOW, 0);
    if (win) {
        jst_roster_drop(jst_key((uintptr_t)jst_c_win(*(const MPI_Fint *)win)));
    }
    const bool counted = jst_host.enter(call);
    real(win, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_Win_free, jst_body_Win_free)
JST_ENTRY_2_0(JST_PF_Win_free, jst_body_Win_free)
JST_ENTRY_2_0(JST_F08_Win_free, jst_body_Win_free)
JST_ENTRY_2_0(JST_PF08_Win_free, jst_body_Win_free)
JST_ENTRY_2_0(JST_PF08_Win_free_r, jst_body_Win_free)

const jst_function jst_functions_f_onesided[] = {
    {JST_F_Put, (void *)JST_F_Put_entry},
    {JST_PF_Put, (void *)JST_PF_Put_entry},
    {JST_F08_Put, (void *)JST_F08_Put_entry},
    {JST_PF08_Put, (void *)JST_PF08_Put_entry},
    {JST_F08TS_Put, (void *)JST_F08TS_Put_entry},
    {JST_PF08TS_Put_r, (void *)JST_PF08TS_Put_r_entry},
    {JST_F08TS_Put_c, (void *)JST_F08TS_Put_c_entry},
    {JST_PF08TS_Put_c_r, (void *)JST_PF08TS_Put_c_r_entry},
    {JST_F_Rput, (void *)JST_F_Rput_entry},
    {JST_PF_Rput, (void *)JST_PF_Rput_entry},
    {JST_F08_Rput, (void *)JST_F08_Rput_entry},
    {JST_PF08_Rput, (void *)JST_PF08_Rput_entry},
    {JST_F08TS_Rput, (void *)JST_F08TS_Rput_entry},
    {JST_PF08TS_Rput_r, (void *)JST_PF08TS_Rput_r_entry},
    {JST_F08TS_Rput_c, (void *)JST_F08TS_Rput_c_entry},
    {JST_PF08TS_Rput_c_r, (void *)JST_PF08TS_Rput_c_r_entry},
    {JST_F_Get, (void *)JST_F_Get_entry},
    {JST_PF_Get, (void *)JST_PF_Get_entry},
    {JST_F08_Get, (void *)JST_F08_Get_entry},
    {JST_PF08_Get, (void *)JST_PF08_Get_entry},
    {JST_F08TS_Get, (void *)JST_F08TS_Get_entry},
    {JST_PF08TS_Get_r, (void *)JST_PF08TS_Get_r_entry},
    {JST_F08TS_Get_c, (void *)JST_F08TS_Get_c_entry},
    {JST_PF08TS_Get_c_r, (void *)JST_PF08TS_Get_c_r_entry},
    {JST_F_Rget, (void *)JST_F_Rget_entry},
    {JST_PF_Rget, (void *)JST_PF_Rget_entry},
    {JST_F08_Rget, (void *)JST_F08_Rget_entry},
    {JST_PF08_Rget, (void *)JST_PF08_Rget_entry},
    {JST_F08TS_Rget, (void *)JST_F08TS_Rget_entry},
    {JST_PF08TS_Rget_r, (void *)JST_PF08TS_Rget_r_entry},
    {JST_F08TS_Rget_c, (void *)JST_F08TS_Rget_c_entry},
    {JST_PF08TS_Rget_c_r, (void *)JST_PF08TS_Rget_c_r_entry},
    {JST_F_Accumulate, (void *)JST_F_Accumulate_entry},
    {JST_PF_Accumulate, (void *)JST_PF_Accumulate_entry},
    {JST_F08_Accumulate, (void *)JST_F08_Accumulate_entry},
    {JST_PF08_Accumulate, (void *)JST_PF08_Accumulate_entry},
    {JST_F08TS_Accumulate, (void *)JST_F08TS_Accumulate_entry},
    {JST_PF08TS_Accumulate_r, (void *)JST_PF08TS_Accumulate_r_entry},
    {JST_F08TS_Accumulate_c, (void *)JST_F08TS_Accumulate_c_entry},
    {JST_PF08TS_Accumulate_c_r, (void *)JST_PF08TS_Accumulate_c_r_entry},
    {JST_F_Raccumulate, (void *)JST_F_Raccumulate_entry},
    {JST_PF_Raccumulate, (void *)JST_PF_Raccumulate_entry},
    {JST_F08_Raccumulate, (void *)JST_F08_Raccumulate_entry},
    {JST_PF08_Raccumulate, (void *)JST_PF08_Raccumulate_entry},
    {JST_F08TS_Raccumulate, (void *)JST_F08TS_Raccumulate_entry},
    {JST_PF08TS_Raccumulate_r, (void *)JST_PF08TS_Raccumulate_r_entry},
    {JST_F08TS_Raccumulate_c, (void *)JST_F08TS_Raccumulate_c_entry},
    {JST_PF08TS_Raccumulate_c_r, (void *)JST_PF08TS_Raccumulate_c_r_entry},
    {JST_F_Get_accumulate, (void *)JST_F_Get_accumulate_entry},
    {JST_PF_Get_accumulate, (void *)JST_PF_Get_accumulate_entry},
    {JST_F08_Get_accumulate, (void *)JST_F08_Get_accumulate_entry},
    {JST_PF08_Get_accumulate, (void *)JST_PF08_Get_accumulate_entry},
    {JST_F08TS_Get_accumulate, (void *)JST_F08TS_Get_accumulate_entry},
    {JST_PF08TS_Get_accumulate_r, (void *)JST_PF08TS_Get_accumulate_r_entry},
    {JST_F08TS_Get_accumulate_c, (void *)JST_F08TS_Get_accumulate_c_entry},
    {JST_PF08TS_Get_accumulate_c_r, (void *)JST_PF08TS_Get_accumulate_c_r_entry},
    {JST_F_Rget_accumulate, (void *)JST_F_Rget_accumulate_entry},
    {JST_PF_Rget_accumulate, (void *)JST_PF_Rget_accumulate_entry},
    {JST_F08_Rget_accumulate, (void *)JST_F08_Rget_accumulate_entry},
    {JST_PF08_Rget_accumulate, (void *)JST_PF08_Rget_accumulate_entry},
    {JST_F08TS_Rget_accumulate, (void *)JST_F08TS_Rget_accumulate_entry},
    {JST_PF08TS_Rget_accumulate_r, (void *)JST_PF08TS_Rget_accumulate_r_entry},
    {JST_F08TS_Rget_accumulate_c, (void *)JST_F08TS_Rget_accumulate_c_entry},
    {JST_PF08TS_Rget_accumulate_c_r, (void *)JST_PF08TS_Rget_accumulate_c_r_entry},
    {JST_F_Fetch_and_op, (void *)JST_F_Fetch_and_op_entry},
    {JST_PF_Fetch_and_op, (void *)JST_PF_Fetch_and_op_entry},
    {JST_F08_Fetch_and_op, (void *)JST_F08_Fetch_and_op_entry},
    {JST_PF08_Fetch_and_op, (void *)JST_PF08_Fetch_and_op_entry},
    {JST_F08TS_Fetch_and_op, (void *)JST_F08TS_Fetch_and_op_entry},
    {JST_PF08TS_Fetch_and_op_r, (void *)JST_PF08TS_Fetch_and_op_r_entry},
    {JST_F_Compare_and_swap, (void *)JST_F_Compare_and_swap_entry},
    {JST_PF_Compare_and_swap, (void *)JST_PF_Compare_and_swap_entry},
    {JST_F08_Compare_and_swap, (void *)JST_F08_Compare_and_swap_entry},
    {JST_PF08_Compare_and_swap, (void *)JST_PF08_Compare_and_swap_entry},
    {JST_F08TS_Compare_and_swap, (void *)JST_F08TS_Compare_and_swap_entry},
    {JST_PF08TS_Compare_and_swap_r, (void *)JST_PF08TS_Compare_and_swap_r_entry},
    {JST_F_Win_fence, (void *)JST_F_Win_fence_entry},
    {JST_PF_Win_fence, (void *)JST_PF_Win_fence_entry},
    {JST_F08_Win_fence, (void *)JST_F08_Win_fence_entry},
    {JST_PF08_Win_fence, (void *)JST_PF08_Win_fence_entry},
    {JST_PF08_Win_fence_r, (void *)JST_PF08_Win_fence_r_entry},
    {JST_F_Win_post, (void *)JST_F_Win_post_entry},
    {JST_PF_Win_post, (void *)JST_PF_Win_post_entry},
    {JST_F08_Win_post, (void *)JST_F08_Win_post_entry},
    {JST_PF08_Win_post, (void *)JST_PF08_Win_post_entry},
    {JST_PF08_Win_post_r, (void *)JST_PF08_Win_post_r_entry},
    {JST_F_Win_start, (void *)JST_F_Win_start_entry},
    {JST_PF_Win_start, (void *)JST_PF_Win_start_entry},
    {JST_F08_Win_start, (void *)JST_F08_Win_start_entry},
    {JST_PF08_Win_start, (void *)JST_PF08_Win_start_entry},
    {JST_PF08_Win_start_r, (void *)JST_PF08_Win_start_r_entry},
    {JST_F_Win_complete, (void *)JST_F_Win_complete_entry},
    {JST_PF_Win_complete, (void *)JST_PF_Win_complete_entry},
    {JST_F08_Win_complete, (void *)JST_F08_Win_complete_entry},
    {JST_PF08_Win_complete, (void *)JST_PF08_Win_complete_entry},
    {JST_PF08_Win_complete_r, (void *)JST_PF08_Win_complete_r_entry},
    {JST_F_Win_wait, (void *)JST_F_Win_wait_entry},
    {JST_PF_Win_wait, (void *)JST_PF_Win_wait_entry},
    {JST_F08_Win_wait, (void *)JST_F08_Win_wait_entry},
    {JST_PF08_Win_wait, (void *)JST_PF08_Win_wait_entry},
    {JST_PF08_Win_wait_r, (void *)JST_PF08_Win_wait_r_entry},
    {JST_F_Win_test, (void *)JST_F_Win_test_entry},
    {JST_PF_Win_test, (void *)JST_PF_Win_test_entry},
    {JST_F08_Win_test, (void *)JST_F08_Win_test_entry},
    {JST_PF08_Win_test, (void *)JST_PF08_Win_test_entry},
    {JST_PF08_Win_test_r, (void *)JST_PF08_Win_test_r_entry},
    {JST_F_Win_lock, (void *)JST_F_Win_lock_entry},
    {JST_PF_Win_lock, (void *)JST_PF_Win_lock_entry},
    {JST_F08_Win_lock, (void *)JST_F08_Win_lock_entry},
    {JST_PF08_Win_lock, (void *)JST_PF08_Win_lock_entry},
    {JST_PF08_Win_lock_r, (void *)JST_PF08_Win_lock_r_entry},
    {JST_F_Win_lock_all, (void *)JST_F_Win_lock_all_entry},
    {JST_PF_Win_lock_all, (void *)JST_PF_Win_lock_all_entry},
    {JST_F08_Win_lock_all, (void *)JST_F08_Win_lock_all_entry},
    {JST_PF08_Win_lock_all, (void *)JST_PF08_Win_lock_all_entry},
    {JST_PF08_Win_lock_all_r, (void *)JST_PF08_Win_lock_all_r_entry},
    {JST_F_Win_unlock, (void *)JST_F_Win_unlock_entry},
    {JST_PF_Win_unlock, (void *)JST_PF_Win_unlock_entry},
    {JST_F08_Win_unlock, (void *)JST_F08_Win_unlock_entry},
    {JST_PF08_Win_unlock, (void *)JST_PF08_Win_unlock_entry},
    {JST_PF08_Win_unlock_r, (void *)JST_PF08_Win_unlock_r_entry},
    {JST_F_Win_unlock_all, (void *)JST_F_Win_unlock_all_entry},
    {JST_PF_Win_unlock_all, (void *)JST_PF_Win_unlock_all_entry},
    {JST_F08_Win_unlock_all, (void *)JST_F08_Win_unlock_all_entry},
    {JST_PF08_Win_unlock_all, (void *)JST_PF08_Win_unlock_all_entry},
    {JST_PF08_Win_unlock_all_r, (void *)JST_PF08_Win_unlock_all_r_entry},
    {JST_F_Win_flush, (void *)JST_F_Win_flush_entry},
    {JST_PF_Win_flush, (void *)JST_PF_Win_flush_entry},
    {JST_F08_Win_flush, (void *)JST_F08_Win_flush_entry},
    {JST_PF08_Win_flush, (void *)JST_PF08_Win_flush_entry},
    {JST_PF08_Win_flush_r, (void *)JST_PF08_Win_flush_r_entry},
    {JST_F_Win_flush_all, (void *)JST_F_Win_flush_all_entry},
    {JST_PF_Win_flush_all, (void *)JST_PF_Win_flush_all_entry},
    {JST_F08_Win_flush_all, (void *)JST_F08_Win_flush_all_entry},
    {JST_PF08_Win_flush_all, (void *)JST_PF08_Win_flush_all_entry},
    {JST_PF08_Win_flush_all_r, (void *)JST_PF08_Win_flush_all_r_entry},
    {JST_F_Win_flush_local, (void *)JST_F_Win_flush_local_entry},
    {JST_PF_Win_flush_local, (void *)JST_PF_Win_flush_local_entry},
    {JST_F08_Win_flush_local, (void *)JST_F08_Win_flush_local_entry},
    {JST_PF08_Win_flush_local, (void *)JST_PF08_Win_flush_local_entry},
    {JST_PF08_Win_flush_local_r, (void *)JST_PF08_Win_flush_local_r_entry},
    {JST_F_Win_flush_local_all, (void *)JST_F_Win_flush_local_all_entry},
    {JST_PF_Win_flush_local_all, (void *)JST_PF_Win_flush_local_all_entry},
    {JST_F08_Win_flush_local_all, (void *)JST_F08_Win_flush_local_all_entry},
    {JST_PF08_Win_flush_local_all, (void *)JST_PF08_Win_flush_local_all_entry},
    {JST_PF08_Win_flush_local_all_r, (void *)JST_PF08_Win_flush_local_all_r_entry},
    {JST_F_Win_sync, (void *)JST_F_Win_sync_entry},
    {JST_PF_Win_sync, (void *)JST_PF_Win_sync_entry},
    {JST_F08_Win_sync, (void *)JST_F08_Win_sync_entry},
    {JST_PF08_Win_sync, (void *)JST_PF08_Win_sync_entry},
    {JST_PF08_Win_sync_r, (void *)JST_PF08_Win_sync_r_entry},
    {JST_F_Win_create, (void *)JST_F_Win_create_entry},
    {JST_PF_Win_create, (void *)JST_PF_Win_create_entry},
    {JST_F08_Win_create, (void *)JST_F08_Win_create_entry},
    {JST_PF08_Win_create, (void *)JST_PF08_Win_create_entry},
    {JST_F08TS_Win_create, (void *)JST_F08TS_Win_create_entry},
    {JST_PF08TS_Win_create_r, (void *)JST_PF08TS_Win_create_r_entry},
    {JST_F08TS_Win_create_c, (void *)JST_F08TS_Win_create_c_entry},
    {JST_PF08TS_Win_create_c_r, (void *)JST_PF08TS_Win_create_c_r_entry},
    {JST_F_Win_create_dynamic, (void *)JST_F_Win_create_dynamic_entry},
    {JST_PF_Win_create_dynamic, (void *)JST_PF_Win_create_dynamic_entry},
    {JST_F08_Win_create_dynamic, (void *)JST_F08_Win_create_dynamic_entry},
    {JST_PF08_Win_create_dynamic, (void *)JST_PF08_Win_create_dynamic_entry},
    {JST_PF08_Win_create_dynamic_r, (void *)JST_PF08_Win_create_dynamic_r_entry},
    {JST_F_Win_allocate, (void *)JST_F_Win_allocate_entry},
    {JST_PF_Win_allocate, (void *)JST_PF_Win_allocate_entry},
    {JST_F_Win_allocate_cptr, (void *)JST_F_Win_allocate_cptr_entry},
    {JST_PF_Win_allocate_cptr, (void *)JST_PF_Win_allocate_cptr_entry},
    {JST_F08_Win_allocate, (void *)JST_F08_Win_allocate_entry},
    {JST_PF08_Win_allocate, (void *)JST_PF08_Win_allocate_entry},
    {JST_PF08_Win_allocate_r, (void *)JST_PF08_Win_allocate_r_entry},
    {JST_F08_Win_allocate_c, (void *)JST_F08_Win_allocate_c_entry},
    {JST_PF08_Win_allocate_c_r, (void *)JST_PF08_Win_allocate_c_r_entry},
    {JST_F_Win_allocate_shared, (void *)JST_F_Win_allocate_shared_entry},
    {JST_PF_Win_allocate_shared, (void *)JST_PF_Win_allocate_shared_entry},
    {JST_F_Win_allocate_shared_cptr, (void *)JST_F_Win_allocate_shared_cptr_entry},
    {JST_PF_Win_allocate_shared_cptr, (void *)JST_PF_Win_allocate_shared_cptr_entry},
    {JST_F08_Win_allocate_shared, (void *)JST_F08_Win_allocate_shared_entry},
    {JST_PF08_Win_allocate_shared, (void *)JST_PF08_Win_allocate_shared_entry},
    {JST_PF08_Win_allocate_shared_r, (void *)JST_PF08_Win_allocate_shared_r_entry},
    {JST_F08_Win_allocate_shared_c, (void *)JST_F08_Win_allocate_shared_c_entry},
    {JST_PF08_Win_allocate_shared_c_r, (void *)JST_PF08_Win_allocate_shared_c_r_entry},
    {JST_F_Win_attach, (void *)JST_F_Win_attach_entry},
    {JST_PF_Win_attach, (void *)JST_PF_Win_attach_entry},
    {JST_F08_Win_attach, (void *)JST_F08_Win_attach_entry},
    {JST_PF08_Win_attach, (void *)JST_PF08_Win_attach_entry},
    {JST_F08TS_Win_attach, (void *)JST_F08TS_Win_attach_entry},
    {JST_PF08TS_Win_attach_r, (void *)JST_PF08TS_Win_attach_r_entry},
    {JST_F_Win_detach, (void *)JST_F_Win_detach_entry},
    {JST_PF_Win_detach, (void *)JST_PF_Win_detach_entry},
    {JST_F08_Win_detach, (void *)JST_F08_Win_detach_entry},
    {JST_PF08_Win_detach, (void *)JST_PF08_Win_detach_entry},
    {JST_F08TS_Win_detach, (void *)JST_F08TS_Win_detach_entry},
    {JST_PF08TS_Win_detach_r, (void *)JST_PF08TS_Win_detach_r_entry},
    {JST_F_Win_free, (void *)JST_F_Win_free_entry},
    {JST_PF_Win_free, (void *)JST_PF_Win_free_entry},
    {JST_F08_Win_free, (void *)JST_F08_Win_free_entry},
    {JST_PF08_Win_free, (void *)JST_PF08_Win_free_entry},
    {JST_PF08_Win_free_r, (void *)JST_PF08_Win_free_r_entry},
};
const size_t jst_count_f_onesided = 199;
