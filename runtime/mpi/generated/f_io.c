/* Made by tools/generate_mpi.py from schema/mpi_calls.toml and pympistandard; do not edit. */
/* clang-format off */
#include "jst_wrappers.h"

static void jst_body_File_open(unsigned id, jst_mpi_call *call, void *comm, void *filename, void
                               *amode, void *info, void *fh, void *ierror, size_t length0)
{
    jst_sub_6_1 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(comm, filename, amode, info, fh, ierror, length0);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_open", JST_MPI_IO_OPEN, 0);
    const bool counted = jst_host.enter(call);
    real(comm, filename, amode, info, fh, ierror, length0);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_6_1(JST_F_File_open, jst_body_File_open)
JST_ENTRY_6_1(JST_PF_File_open, jst_body_File_open)
JST_ENTRY_6_1(JST_F08_File_open, jst_body_File_open)
JST_ENTRY_6_1(JST_PF08_File_open, jst_body_File_open)
JST_ENTRY_6_1(JST_PF08_File_open_r, jst_body_File_open)

static void jst_body_File_close(unsigned id, jst_mpi_call *call, void *fh, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_close", JST_MPI_IO_CLOSE, 0);
    const bool counted = jst_host.enter(call);
    real(fh, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_File_close, jst_body_File_close)
JST_ENTRY_2_0(JST_PF_File_close, jst_body_File_close)
JST_ENTRY_2_0(JST_F08_File_close, jst_body_File_close)
JST_ENTRY_2_0(JST_PF08_File_close, jst_body_File_close)
JST_ENTRY_2_0(JST_PF08_File_close_r, jst_body_File_close)

static void jst_body_File_sync(unsigned id, jst_mpi_call *call, void *fh, void *ierror)
{
    jst_sub_2_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_sync", JST_MPI_IO_SYNC, 0);
    const bool counted = jst_host.enter(call);
    real(fh, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_2_0(JST_F_File_sync, jst_body_File_sync)
JST_ENTRY_2_0(JST_PF_File_sync, jst_body_File_sync)
JST_ENTRY_2_0(JST_F08_File_sync, jst_body_File_sync)
JST_ENTRY_2_0(JST_PF08_File_sync, jst_body_File_sync)
JST_ENTRY_2_0(JST_PF08_File_sync_r, jst_body_File_sync)

static void jst_body_File_set_view(unsigned id, jst_mpi_call *call, void *fh, void *disp, void
                                   *etype, void *filetype, void *datarep, void *info, void *ierror,
                                   size_t length0)
{
    jst_sub_7_1 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, disp, etype, filetype, datarep, info, ierror, length0);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_set_view", JST_MPI_IO_META, 0);
    const bool counted = jst_host.enter(call);
    real(fh, disp, etype, filetype, datarep, info, ierror, length0);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_7_1(JST_F_File_set_view, jst_body_File_set_view)
JST_ENTRY_7_1(JST_PF_File_set_view, jst_body_File_set_view)
JST_ENTRY_7_1(JST_F08_File_set_view, jst_body_File_set_view)
JST_ENTRY_7_1(JST_PF08_File_set_view, jst_body_File_set_view)
JST_ENTRY_7_1(JST_PF08_File_set_view_r, jst_body_File_set_view)

static void jst_body_File_seek(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                               *whence, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, whence, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_seek", JST_MPI_IO_META, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, whence, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_File_seek, jst_body_File_seek)
JST_ENTRY_4_0(JST_PF_File_seek, jst_body_File_seek)
JST_ENTRY_4_0(JST_F08_File_seek, jst_body_File_seek)
JST_ENTRY_4_0(JST_PF08_File_seek, jst_body_File_seek)
JST_ENTRY_4_0(JST_PF08_File_seek_r, jst_body_File_seek)

static void jst_body_File_seek_shared(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                      *whence, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, whence, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_seek_shared", JST_MPI_IO_META, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, whence, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_File_seek_shared, jst_body_File_seek_shared)
JST_ENTRY_4_0(JST_PF_File_seek_shared, jst_body_File_seek_shared)
JST_ENTRY_4_0(JST_F08_File_seek_shared, jst_body_File_seek_shared)
JST_ENTRY_4_0(JST_PF08_File_seek_shared, jst_body_File_seek_shared)
JST_ENTRY_4_0(JST_PF08_File_seek_shared_r, jst_body_File_seek_shared)

static void jst_body_File_set_size(unsigned id, jst_mpi_call *call, void *fh, void *size, void
                                   *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, size, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_set_size", JST_MPI_IO_META, 0);
    const bool counted = jst_host.enter(call);
    real(fh, size, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_File_set_size, jst_body_File_set_size)
JST_ENTRY_3_0(JST_PF_File_set_size, jst_body_File_set_size)
JST_ENTRY_3_0(JST_F08_File_set_size, jst_body_File_set_size)
JST_ENTRY_3_0(JST_PF08_File_set_size, jst_body_File_set_size)
JST_ENTRY_3_0(JST_PF08_File_set_size_r, jst_body_File_set_size)

static void jst_body_File_get_size(unsigned id, jst_mpi_call *call, void *fh, void *size, void
                                   *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, size, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_get_size", JST_MPI_IO_META, 0);
    const bool counted = jst_host.enter(call);
    real(fh, size, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_File_get_size, jst_body_File_get_size)
JST_ENTRY_3_0(JST_PF_File_get_size, jst_body_File_get_size)
JST_ENTRY_3_0(JST_F08_File_get_size, jst_body_File_get_size)
JST_ENTRY_3_0(JST_PF08_File_get_size, jst_body_File_get_size)
JST_ENTRY_3_0(JST_PF08_File_get_size_r, jst_body_File_get_size)

static void jst_body_File_preallocate(unsigned id, jst_mpi_call *call, void *fh, void *size, void
                                      *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, size, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_preallocate", JST_MPI_IO_META, 0);
    const bool counted = jst_host.enter(call);
    real(fh, size, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_File_preallocate, jst_body_File_preallocate)
JST_ENTRY_3_0(JST_PF_File_preallocate, jst_body_File_preallocate)
JST_ENTRY_3_0(JST_F08_File_preallocate, jst_body_File_preallocate)
JST_ENTRY_3_0(JST_PF08_File_preallocate, jst_body_File_preallocate)
JST_ENTRY_3_0(JST_PF08_File_preallocate_r, jst_body_File_preallocate)

static void jst_body_File_delete(unsigned id, jst_mpi_call *call, void *filename, void *info, void
                                 *ierror, size_t length0)
{
    jst_sub_3_1 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(filename, info, ierror, length0);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_delete", JST_MPI_IO_META, 0);
    const bool counted = jst_host.enter(call);
    real(filename, info, ierror, length0);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_1(JST_F_File_delete, jst_body_File_delete)
JST_ENTRY_3_1(JST_PF_File_delete, jst_body_File_delete)
JST_ENTRY_3_1(JST_F08_File_delete, jst_body_File_delete)
JST_ENTRY_3_1(JST_PF08_File_delete, jst_body_File_delete)
JST_ENTRY_3_1(JST_PF08_File_delete_r, jst_body_File_delete)

static void jst_body_File_set_info(unsigned id, jst_mpi_call *call, void *fh, void *info, void
                                   *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, info, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_set_info", JST_MPI_IO_META, 0);
    const bool counted = jst_host.enter(call);
    real(fh, info, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_File_set_info, jst_body_File_set_info)
JST_ENTRY_3_0(JST_PF_File_set_info, jst_body_File_set_info)
JST_ENTRY_3_0(JST_F08_File_set_info, jst_body_File_set_info)
JST_ENTRY_3_0(JST_PF08_File_set_info, jst_body_File_set_info)
JST_ENTRY_3_0(JST_PF08_File_set_info_r, jst_body_File_set_info)

static void jst_body_File_set_atomicity(unsigned id, jst_mpi_call *call, void *fh, void *flag, void
                                        *ierror)
{
    jst_sub_3_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, flag, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_set_atomicity", JST_MPI_IO_META, 0);
    const bool counted = jst_host.enter(call);
    real(fh, flag, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        jst_leave(call, r);
    }
}
JST_ENTRY_3_0(JST_F_File_set_atomicity, jst_body_File_set_atomicity)
JST_ENTRY_3_0(JST_PF_File_set_atomicity, jst_body_File_set_atomicity)
JST_ENTRY_3_0(JST_F08_File_set_atomicity, jst_body_File_set_atomicity)
JST_ENTRY_3_0(JST_PF08_File_set_atomicity, jst_body_File_set_atomicity)
JST_ENTRY_3_0(JST_PF08_File_set_atomicity_r, jst_body_File_set_atomicity)

static void jst_body_File_read(unsigned id, jst_mpi_call *call, void *fh, void *buf, void *count,
                               void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read", JST_MPI_IO_READ, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_read, jst_body_File_read)
JST_ENTRY_6_0(JST_PF_File_read, jst_body_File_read)
JST_ENTRY_6_0(JST_F08_File_read, jst_body_File_read)
JST_ENTRY_6_0(JST_PF08_File_read, jst_body_File_read)
JST_ENTRY_6_0(JST_F08TS_File_read, jst_body_File_read)
JST_ENTRY_6_0(JST_PF08TS_File_read_r, jst_body_File_read)

static void jst_body_File_read_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void *count,
                                 void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_c", JST_MPI_IO_READ, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_read_c, jst_body_File_read_c)
JST_ENTRY_6_0(JST_PF08TS_File_read_c_r, jst_body_File_read_c)

static void jst_body_File_read_at(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                  *buf, void *count, void *datatype, void *status, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_at", JST_MPI_IO_READ, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_File_read_at, jst_body_File_read_at)
JST_ENTRY_7_0(JST_PF_File_read_at, jst_body_File_read_at)
JST_ENTRY_7_0(JST_F08_File_read_at, jst_body_File_read_at)
JST_ENTRY_7_0(JST_PF08_File_read_at, jst_body_File_read_at)
JST_ENTRY_7_0(JST_F08TS_File_read_at, jst_body_File_read_at)
JST_ENTRY_7_0(JST_PF08TS_File_read_at_r, jst_body_File_read_at)

static void jst_body_File_read_at_c(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                    *buf, void *count, void *datatype, void *status, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_at_c", JST_MPI_IO_READ, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_File_read_at_c, jst_body_File_read_at_c)
JST_ENTRY_7_0(JST_PF08TS_File_read_at_c_r, jst_body_File_read_at_c)

static void jst_body_File_iread(unsigned id, jst_mpi_call *call, void *fh, void *buf, void *count,
                                void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iread", JST_MPI_IO_READ, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_iread, jst_body_File_iread)
JST_ENTRY_6_0(JST_PF_File_iread, jst_body_File_iread)
JST_ENTRY_6_0(JST_F08_File_iread, jst_body_File_iread)
JST_ENTRY_6_0(JST_PF08_File_iread, jst_body_File_iread)
JST_ENTRY_6_0(JST_F08TS_File_iread, jst_body_File_iread)
JST_ENTRY_6_0(JST_PF08TS_File_iread_r, jst_body_File_iread)

static void jst_body_File_iread_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void *count,
                                  void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iread_c", JST_MPI_IO_READ, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_iread_c, jst_body_File_iread_c)
JST_ENTRY_6_0(JST_PF08TS_File_iread_c_r, jst_body_File_iread_c)

static void jst_body_File_iread_at(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                   *buf, void *count, void *datatype, void *request, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iread_at", JST_MPI_IO_READ, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_File_iread_at, jst_body_File_iread_at)
JST_ENTRY_7_0(JST_PF_File_iread_at, jst_body_File_iread_at)
JST_ENTRY_7_0(JST_F08_File_iread_at, jst_body_File_iread_at)
JST_ENTRY_7_0(JST_PF08_File_iread_at, jst_body_File_iread_at)
JST_ENTRY_7_0(JST_F08TS_File_iread_at, jst_body_File_iread_at)
JST_ENTRY_7_0(JST_PF08TS_File_iread_at_r, jst_body_File_iread_at)

static void jst_body_File_iread_at_c(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                     *buf, void *count, void *datatype, void *request, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iread_at_c", JST_MPI_IO_READ, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_File_iread_at_c, jst_body_File_iread_at_c)
JST_ENTRY_7_0(JST_PF08TS_File_iread_at_c_r, jst_body_File_iread_at_c)

static void jst_body_File_write(unsigned id, jst_mpi_call *call, void *fh, void *buf, void *count,
                                void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write", JST_MPI_IO_WRITE, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_write, jst_body_File_write)
JST_ENTRY_6_0(JST_PF_File_write, jst_body_File_write)
JST_ENTRY_6_0(JST_F08_File_write, jst_body_File_write)
JST_ENTRY_6_0(JST_PF08_File_write, jst_body_File_write)
JST_ENTRY_6_0(JST_F08TS_File_write, jst_body_File_write)
JST_ENTRY_6_0(JST_PF08TS_File_write_r, jst_body_File_write)

static void jst_body_File_write_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void *count,
                                  void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_c", JST_MPI_IO_WRITE, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_write_c, jst_body_File_write_c)
JST_ENTRY_6_0(JST_PF08TS_File_write_c_r, jst_body_File_write_c)

static void jst_body_File_write_at(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                   *buf, void *count, void *datatype, void *status, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_at", JST_MPI_IO_WRITE, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_File_write_at, jst_body_File_write_at)
JST_ENTRY_7_0(JST_PF_File_write_at, jst_body_File_write_at)
JST_ENTRY_7_0(JST_F08_File_write_at, jst_body_File_write_at)
JST_ENTRY_7_0(JST_PF08_File_write_at, jst_body_File_write_at)
JST_ENTRY_7_0(JST_F08TS_File_write_at, jst_body_File_write_at)
JST_ENTRY_7_0(JST_PF08TS_File_write_at_r, jst_body_File_write_at)

static void jst_body_File_write_at_c(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                     *buf, void *count, void *datatype, void *status, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_at_c", JST_MPI_IO_WRITE, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_File_write_at_c, jst_body_File_write_at_c)
JST_ENTRY_7_0(JST_PF08TS_File_write_at_c_r, jst_body_File_write_at_c)

static void jst_body_File_iwrite(unsigned id, jst_mpi_call *call, void *fh, void *buf, void *count,
                                 void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iwrite", JST_MPI_IO_WRITE, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_iwrite, jst_body_File_iwrite)
JST_ENTRY_6_0(JST_PF_File_iwrite, jst_body_File_iwrite)
JST_ENTRY_6_0(JST_F08_File_iwrite, jst_body_File_iwrite)
JST_ENTRY_6_0(JST_PF08_File_iwrite, jst_body_File_iwrite)
JST_ENTRY_6_0(JST_F08TS_File_iwrite, jst_body_File_iwrite)
JST_ENTRY_6_0(JST_PF08TS_File_iwrite_r, jst_body_File_iwrite)

static void jst_body_File_iwrite_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                   *count, void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iwrite_c", JST_MPI_IO_WRITE, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_iwrite_c, jst_body_File_iwrite_c)
JST_ENTRY_6_0(JST_PF08TS_File_iwrite_c_r, jst_body_File_iwrite_c)

static void jst_body_File_iwrite_at(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                    *buf, void *count, void *datatype, void *request, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iwrite_at", JST_MPI_IO_WRITE, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_File_iwrite_at, jst_body_File_iwrite_at)
JST_ENTRY_7_0(JST_PF_File_iwrite_at, jst_body_File_iwrite_at)
JST_ENTRY_7_0(JST_F08_File_iwrite_at, jst_body_File_iwrite_at)
JST_ENTRY_7_0(JST_PF08_File_iwrite_at, jst_body_File_iwrite_at)
JST_ENTRY_7_0(JST_F08TS_File_iwrite_at, jst_body_File_iwrite_at)
JST_ENTRY_7_0(JST_PF08TS_File_iwrite_at_r, jst_body_File_iwrite_at)

static void jst_body_File_iwrite_at_c(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                      *buf, void *count, void *datatype, void *request, void
                                      *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iwrite_at_c", JST_MPI_IO_WRITE, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_File_iwrite_at_c, jst_body_File_iwrite_at_c)
JST_ENTRY_7_0(JST_PF08TS_File_iwrite_at_c_r, jst_body_File_iwrite_at_c)

static void jst_body_File_read_all(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                   *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_all", JST_MPI_IO_READ_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_read_all, jst_body_File_read_all)
JST_ENTRY_6_0(JST_PF_File_read_all, jst_body_File_read_all)
JST_ENTRY_6_0(JST_F08_File_read_all, jst_body_File_read_all)
JST_ENTRY_6_0(JST_PF08_File_read_all, jst_body_File_read_all)
JST_ENTRY_6_0(JST_F08TS_File_read_all, jst_body_File_read_all)
JST_ENTRY_6_0(JST_PF08TS_File_read_all_r, jst_body_File_read_all)

static void jst_body_File_read_all_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                     *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_all_c", JST_MPI_IO_READ_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_read_all_c, jst_body_File_read_all_c)
JST_ENTRY_6_0(JST_PF08TS_File_read_all_c_r, jst_body_File_read_all_c)

static void jst_body_File_read_at_all(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                      *buf, void *count, void *datatype, void *status, void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_at_all", JST_MPI_IO_READ_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_File_read_at_all, jst_body_File_read_at_all)
JST_ENTRY_7_0(JST_PF_File_read_at_all, jst_body_File_read_at_all)
JST_ENTRY_7_0(JST_F08_File_read_at_all, jst_body_File_read_at_all)
JST_ENTRY_7_0(JST_PF08_File_read_at_all, jst_body_File_read_at_all)
JST_ENTRY_7_0(JST_F08TS_File_read_at_all, jst_body_File_read_at_all)
JST_ENTRY_7_0(JST_PF08TS_File_read_at_all_r, jst_body_File_read_at_all)

static void jst_body_File_read_at_all_c(unsigned id, jst_mpi_call *call, void *fh, void *offset,
                                        void *buf, void *count, void *datatype, void *status, void
                                        *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_at_all_c", JST_MPI_IO_READ_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_File_read_at_all_c, jst_body_File_read_at_all_c)
JST_ENTRY_7_0(JST_PF08TS_File_read_at_all_c_r, jst_body_File_read_at_all_c)

static void jst_body_File_iread_all(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                    *count, void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iread_all", JST_MPI_IO_READ_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_iread_all, jst_body_File_iread_all)
JST_ENTRY_6_0(JST_PF_File_iread_all, jst_body_File_iread_all)
JST_ENTRY_6_0(JST_F08_File_iread_all, jst_body_File_iread_all)
JST_ENTRY_6_0(JST_PF08_File_iread_all, jst_body_File_iread_all)
JST_ENTRY_6_0(JST_F08TS_File_iread_all, jst_body_File_iread_all)
JST_ENTRY_6_0(JST_PF08TS_File_iread_all_r, jst_body_File_iread_all)

static void jst_body_File_iread_all_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                      *count, void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iread_all_c", JST_MPI_IO_READ_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_iread_all_c, jst_body_File_iread_all_c)
JST_ENTRY_6_0(JST_PF08TS_File_iread_all_c_r, jst_body_File_iread_all_c)

static void jst_body_File_iread_at_all(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                       *buf, void *count, void *datatype, void *request, void
                                       *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iread_at_all", JST_MPI_IO_READ_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_File_iread_at_all, jst_body_File_iread_at_all)
JST_ENTRY_7_0(JST_PF_File_iread_at_all, jst_body_File_iread_at_all)
JST_ENTRY_7_0(JST_F08_File_iread_at_all, jst_body_File_iread_at_all)
JST_ENTRY_7_0(JST_PF08_File_iread_at_all, jst_body_File_iread_at_all)
JST_ENTRY_7_0(JST_F08TS_File_iread_at_all, jst_body_File_iread_at_all)
JST_ENTRY_7_0(JST_PF08TS_File_iread_at_all_r, jst_body_File_iread_at_all)

static void jst_body_File_iread_at_all_c(unsigned id, jst_mpi_call *call, void *fh, void *offset,
                                         void *buf, void *count, void *datatype, void *request, void
                                         *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iread_at_all_c", JST_MPI_IO_READ_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_File_iread_at_all_c, jst_body_File_iread_at_all_c)
JST_ENTRY_7_0(JST_PF08TS_File_iread_at_all_c_r, jst_body_File_iread_at_all_c)

static void jst_body_File_write_all(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                    *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_all", JST_MPI_IO_WRITE_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_write_all, jst_body_File_write_all)
JST_ENTRY_6_0(JST_PF_File_write_all, jst_body_File_write_all)
JST_ENTRY_6_0(JST_F08_File_write_all, jst_body_File_write_all)
JST_ENTRY_6_0(JST_PF08_File_write_all, jst_body_File_write_all)
JST_ENTRY_6_0(JST_F08TS_File_write_all, jst_body_File_write_all)
JST_ENTRY_6_0(JST_PF08TS_File_write_all_r, jst_body_File_write_all)

static void jst_body_File_write_all_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                      *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_all_c", JST_MPI_IO_WRITE_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_write_all_c, jst_body_File_write_all_c)
JST_ENTRY_6_0(JST_PF08TS_File_write_all_c_r, jst_body_File_write_all_c)

static void jst_body_File_write_at_all(unsigned id, jst_mpi_call *call, void *fh, void *offset, void
                                       *buf, void *count, void *datatype, void *status, void
                                       *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_at_all", JST_MPI_IO_WRITE_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_File_write_at_all, jst_body_File_write_at_all)
JST_ENTRY_7_0(JST_PF_File_write_at_all, jst_body_File_write_at_all)
JST_ENTRY_7_0(JST_F08_File_write_at_all, jst_body_File_write_at_all)
JST_ENTRY_7_0(JST_PF08_File_write_at_all, jst_body_File_write_at_all)
JST_ENTRY_7_0(JST_F08TS_File_write_at_all, jst_body_File_write_at_all)
JST_ENTRY_7_0(JST_PF08TS_File_write_at_all_r, jst_body_File_write_at_all)

static void jst_body_File_write_at_all_c(unsigned id, jst_mpi_call *call, void *fh, void *offset,
                                         void *buf, void *count, void *datatype, void *status, void
                                         *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_at_all_c", JST_MPI_IO_WRITE_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_File_write_at_all_c, jst_body_File_write_at_all_c)
JST_ENTRY_7_0(JST_PF08TS_File_write_at_all_c_r, jst_body_File_write_at_all_c)

static void jst_body_File_iwrite_all(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                     *count, void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iwrite_all", JST_MPI_IO_WRITE_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_iwrite_all, jst_body_File_iwrite_all)
JST_ENTRY_6_0(JST_PF_File_iwrite_all, jst_body_File_iwrite_all)
JST_ENTRY_6_0(JST_F08_File_iwrite_all, jst_body_File_iwrite_all)
JST_ENTRY_6_0(JST_PF08_File_iwrite_all, jst_body_File_iwrite_all)
JST_ENTRY_6_0(JST_F08TS_File_iwrite_all, jst_body_File_iwrite_all)
JST_ENTRY_6_0(JST_PF08TS_File_iwrite_all_r, jst_body_File_iwrite_all)

static void jst_body_File_iwrite_all_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                       *count, void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iwrite_all_c", JST_MPI_IO_WRITE_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_iwrite_all_c, jst_body_File_iwrite_all_c)
JST_ENTRY_6_0(JST_PF08TS_File_iwrite_all_c_r, jst_body_File_iwrite_all_c)

static void jst_body_File_iwrite_at_all(unsigned id, jst_mpi_call *call, void *fh, void *offset,
                                        void *buf, void *count, void *datatype, void *request, void
                                        *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iwrite_at_all", JST_MPI_IO_WRITE_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F_File_iwrite_at_all, jst_body_File_iwrite_at_all)
JST_ENTRY_7_0(JST_PF_File_iwrite_at_all, jst_body_File_iwrite_at_all)
JST_ENTRY_7_0(JST_F08_File_iwrite_at_all, jst_body_File_iwrite_at_all)
JST_ENTRY_7_0(JST_PF08_File_iwrite_at_all, jst_body_File_iwrite_at_all)
JST_ENTRY_7_0(JST_F08TS_File_iwrite_at_all, jst_body_File_iwrite_at_all)
JST_ENTRY_7_0(JST_PF08TS_File_iwrite_at_all_r, jst_body_File_iwrite_at_all)

static void jst_body_File_iwrite_at_all_c(unsigned id, jst_mpi_call *call, void *fh, void *offset,
                                          void *buf, void *count, void *datatype, void *request,
                                          void *ierror)
{
    jst_sub_7_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iwrite_at_all_c", JST_MPI_IO_WRITE_ALL, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_7_0(JST_F08TS_File_iwrite_at_all_c, jst_body_File_iwrite_at_all_c)
JST_ENTRY_7_0(JST_PF08TS_File_iwrite_at_all_c_r, jst_body_File_iwrite_at_all_c)

static void jst_body_File_read_shared(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                      *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_shared", JST_MPI_IO_READ_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_read_shared, jst_body_File_read_shared)
JST_ENTRY_6_0(JST_PF_File_read_shared, jst_body_File_read_shared)
JST_ENTRY_6_0(JST_F08_File_read_shared, jst_body_File_read_shared)
JST_ENTRY_6_0(JST_PF08_File_read_shared, jst_body_File_read_shared)
JST_ENTRY_6_0(JST_F08TS_File_read_shared, jst_body_File_read_shared)
JST_ENTRY_6_0(JST_PF08TS_File_read_shared_r, jst_body_File_read_shared)

static void jst_body_File_read_shared_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                        *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_shared_c", JST_MPI_IO_READ_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_read_shared_c, jst_body_File_read_shared_c)
JST_ENTRY_6_0(JST_PF08TS_File_read_shared_c_r, jst_body_File_read_shared_c)

static void jst_body_File_read_ordered(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                       *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_ordered", JST_MPI_IO_READ_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_read_ordered, jst_body_File_read_ordered)
JST_ENTRY_6_0(JST_PF_File_read_ordered, jst_body_File_read_ordered)
JST_ENTRY_6_0(JST_F08_File_read_ordered, jst_body_File_read_ordered)
JST_ENTRY_6_0(JST_PF08_File_read_ordered, jst_body_File_read_ordered)
JST_ENTRY_6_0(JST_F08TS_File_read_ordered, jst_body_File_read_ordered)
JST_ENTRY_6_0(JST_PF08TS_File_read_ordered_r, jst_body_File_read_ordered)

static void jst_body_File_read_ordered_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                         *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_ordered_c", JST_MPI_IO_READ_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_read_ordered_c, jst_body_File_read_ordered_c)
JST_ENTRY_6_0(JST_PF08TS_File_read_ordered_c_r, jst_body_File_read_ordered_c)

static void jst_body_File_iread_shared(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                       *count, void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iread_shared", JST_MPI_IO_READ_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_iread_shared, jst_body_File_iread_shared)
JST_ENTRY_6_0(JST_PF_File_iread_shared, jst_body_File_iread_shared)
JST_ENTRY_6_0(JST_F08_File_iread_shared, jst_body_File_iread_shared)
JST_ENTRY_6_0(JST_PF08_File_iread_shared, jst_body_File_iread_shared)
JST_ENTRY_6_0(JST_F08TS_File_iread_shared, jst_body_File_iread_shared)
JST_ENTRY_6_0(JST_PF08TS_File_iread_shared_r, jst_body_File_iread_shared)

static void jst_body_File_iread_shared_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                         *count, void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iread_shared_c", JST_MPI_IO_READ_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_iread_shared_c, jst_body_File_iread_shared_c)
JST_ENTRY_6_0(JST_PF08TS_File_iread_shared_c_r, jst_body_File_iread_shared_c)

static void jst_body_File_write_shared(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                       *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_shared", JST_MPI_IO_WRITE_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_write_shared, jst_body_File_write_shared)
JST_ENTRY_6_0(JST_PF_File_write_shared, jst_body_File_write_shared)
JST_ENTRY_6_0(JST_F08_File_write_shared, jst_body_File_write_shared)
JST_ENTRY_6_0(JST_PF08_File_write_shared, jst_body_File_write_shared)
JST_ENTRY_6_0(JST_F08TS_File_write_shared, jst_body_File_write_shared)
JST_ENTRY_6_0(JST_PF08TS_File_write_shared_r, jst_body_File_write_shared)

static void jst_body_File_write_shared_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                         *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_shared_c", JST_MPI_IO_WRITE_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_write_shared_c, jst_body_File_write_shared_c)
JST_ENTRY_6_0(JST_PF08TS_File_write_shared_c_r, jst_body_File_write_shared_c)

static void jst_body_File_write_ordered(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                        *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_ordered", JST_MPI_IO_WRITE_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_write_ordered, jst_body_File_write_ordered)
JST_ENTRY_6_0(JST_PF_File_write_ordered, jst_body_File_write_ordered)
JST_ENTRY_6_0(JST_F08_File_write_ordered, jst_body_File_write_ordered)
JST_ENTRY_6_0(JST_PF08_File_write_ordered, jst_body_File_write_ordered)
JST_ENTRY_6_0(JST_F08TS_File_write_ordered, jst_body_File_write_ordered)
JST_ENTRY_6_0(JST_PF08TS_File_write_ordered_r, jst_body_File_write_ordered)

static void jst_body_File_write_ordered_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                          *count, void *datatype, void *status, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_ordered_c", JST_MPI_IO_WRITE_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_write_ordered_c, jst_body_File_write_ordered_c)
JST_ENTRY_6_0(JST_PF08TS_File_write_ordered_c_r, jst_body_File_write_ordered_c)

static void jst_body_File_iwrite_shared(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                        *count, void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iwrite_shared", JST_MPI_IO_WRITE_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_iwrite_shared, jst_body_File_iwrite_shared)
JST_ENTRY_6_0(JST_PF_File_iwrite_shared, jst_body_File_iwrite_shared)
JST_ENTRY_6_0(JST_F08_File_iwrite_shared, jst_body_File_iwrite_shared)
JST_ENTRY_6_0(JST_PF08_File_iwrite_shared, jst_body_File_iwrite_shared)
JST_ENTRY_6_0(JST_F08TS_File_iwrite_shared, jst_body_File_iwrite_shared)
JST_ENTRY_6_0(JST_PF08TS_File_iwrite_shared_r, jst_body_File_iwrite_shared)

static void jst_body_File_iwrite_shared_c(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                          *count, void *datatype, void *request, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, request, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_iwrite_shared_c", JST_MPI_IO_WRITE_SHARED, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, request, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_iwrite_shared_c, jst_body_File_iwrite_shared_c)
JST_ENTRY_6_0(JST_PF08TS_File_iwrite_shared_c_r, jst_body_File_iwrite_shared_c)

static void jst_body_File_read_all_begin(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                         *count, void *datatype, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_all_begin", JST_MPI_IO_READ_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_File_read_all_begin, jst_body_File_read_all_begin)
JST_ENTRY_5_0(JST_PF_File_read_all_begin, jst_body_File_read_all_begin)
JST_ENTRY_5_0(JST_F08_File_read_all_begin, jst_body_File_read_all_begin)
JST_ENTRY_5_0(JST_PF08_File_read_all_begin, jst_body_File_read_all_begin)
JST_ENTRY_5_0(JST_F08TS_File_read_all_begin, jst_body_File_read_all_begin)
JST_ENTRY_5_0(JST_PF08TS_File_read_all_begin_r, jst_body_File_read_all_begin)

static void jst_body_File_read_all_begin_c(unsigned id, jst_mpi_call *call, void *fh, void *buf,
                                           void *count, void *datatype, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_all_begin_c", JST_MPI_IO_READ_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F08TS_File_read_all_begin_c, jst_body_File_read_all_begin_c)
JST_ENTRY_5_0(JST_PF08TS_File_read_all_begin_c_r, jst_body_File_read_all_begin_c)

static void jst_body_File_read_at_all_begin(unsigned id, jst_mpi_call *call, void *fh, void *offset,
                                            void *buf, void *count, void *datatype, void *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_at_all_begin", JST_MPI_IO_READ_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_read_at_all_begin, jst_body_File_read_at_all_begin)
JST_ENTRY_6_0(JST_PF_File_read_at_all_begin, jst_body_File_read_at_all_begin)
JST_ENTRY_6_0(JST_F08_File_read_at_all_begin, jst_body_File_read_at_all_begin)
JST_ENTRY_6_0(JST_PF08_File_read_at_all_begin, jst_body_File_read_at_all_begin)
JST_ENTRY_6_0(JST_F08TS_File_read_at_all_begin, jst_body_File_read_at_all_begin)
JST_ENTRY_6_0(JST_PF08TS_File_read_at_all_begin_r, jst_body_File_read_at_all_begin)

static void jst_body_File_read_at_all_begin_c(unsigned id, jst_mpi_call *call, void *fh, void
                                              *offset, void *buf, void *count, void *datatype, void
                                              *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_at_all_begin_c", JST_MPI_IO_READ_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_read_at_all_begin_c, jst_body_File_read_at_all_begin_c)
JST_ENTRY_6_0(JST_PF08TS_File_read_at_all_begin_c_r, jst_body_File_read_at_all_begin_c)

static void jst_body_File_read_ordered_begin(unsigned id, jst_mpi_call *call, void *fh, void *buf,
                                             void *count, void *datatype, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_ordered_begin", JST_MPI_IO_READ_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_File_read_ordered_begin, jst_body_File_read_ordered_begin)
JST_ENTRY_5_0(JST_PF_File_read_ordered_begin, jst_body_File_read_ordered_begin)
JST_ENTRY_5_0(JST_F08_File_read_ordered_begin, jst_body_File_read_ordered_begin)
JST_ENTRY_5_0(JST_PF08_File_read_ordered_begin, jst_body_File_read_ordered_begin)
JST_ENTRY_5_0(JST_F08TS_File_read_ordered_begin, jst_body_File_read_ordered_begin)
JST_ENTRY_5_0(JST_PF08TS_File_read_ordered_begin_r, jst_body_File_read_ordered_begin)

static void jst_body_File_read_ordered_begin_c(unsigned id, jst_mpi_call *call, void *fh, void *buf,
                                               void *count, void *datatype, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_ordered_begin_c", JST_MPI_IO_READ_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F08TS_File_read_ordered_begin_c, jst_body_File_read_ordered_begin_c)
JST_ENTRY_5_0(JST_PF08TS_File_read_ordered_begin_c_r, jst_body_File_read_ordered_begin_c)

static void jst_body_File_write_all_begin(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                          *count, void *datatype, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_all_begin", JST_MPI_IO_WRITE_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_File_write_all_begin, jst_body_File_write_all_begin)
JST_ENTRY_5_0(JST_PF_File_write_all_begin, jst_body_File_write_all_begin)
JST_ENTRY_5_0(JST_F08_File_write_all_begin, jst_body_File_write_all_begin)
JST_ENTRY_5_0(JST_PF08_File_write_all_begin, jst_body_File_write_all_begin)
JST_ENTRY_5_0(JST_F08TS_File_write_all_begin, jst_body_File_write_all_begin)
JST_ENTRY_5_0(JST_PF08TS_File_write_all_begin_r, jst_body_File_write_all_begin)

static void jst_body_File_write_all_begin_c(unsigned id, jst_mpi_call *call, void *fh, void *buf,
                                            void *count, void *datatype, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_all_begin_c", JST_MPI_IO_WRITE_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F08TS_File_write_all_begin_c, jst_body_File_write_all_begin_c)
JST_ENTRY_5_0(JST_PF08TS_File_write_all_begin_c_r, jst_body_File_write_all_begin_c)

static void jst_body_File_write_at_all_begin(unsigned id, jst_mpi_call *call, void *fh, void
                                             *offset, void *buf, void *count, void *datatype, void
                                             *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_at_all_begin", JST_MPI_IO_WRITE_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F_File_write_at_all_begin, jst_body_File_write_at_all_begin)
JST_ENTRY_6_0(JST_PF_File_write_at_all_begin, jst_body_File_write_at_all_begin)
JST_ENTRY_6_0(JST_F08_File_write_at_all_begin, jst_body_File_write_at_all_begin)
JST_ENTRY_6_0(JST_PF08_File_write_at_all_begin, jst_body_File_write_at_all_begin)
JST_ENTRY_6_0(JST_F08TS_File_write_at_all_begin, jst_body_File_write_at_all_begin)
JST_ENTRY_6_0(JST_PF08TS_File_write_at_all_begin_r, jst_body_File_write_at_all_begin)

static void jst_body_File_write_at_all_begin_c(unsigned id, jst_mpi_call *call, void *fh, void
                                               *offset, void *buf, void *count, void *datatype, void
                                               *ierror)
{
    jst_sub_6_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, offset, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_at_all_begin_c", JST_MPI_IO_WRITE_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, offset, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_6_0(JST_F08TS_File_write_at_all_begin_c, jst_body_File_write_at_all_begin_c)
JST_ENTRY_6_0(JST_PF08TS_File_write_at_all_begin_c_r, jst_body_File_write_at_all_begin_c)

static void jst_body_File_write_ordered_begin(unsigned id, jst_mpi_call *call, void *fh, void *buf,
                                              void *count, void *datatype, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_ordered_begin", JST_MPI_IO_WRITE_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Fint *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F_File_write_ordered_begin, jst_body_File_write_ordered_begin)
JST_ENTRY_5_0(JST_PF_File_write_ordered_begin, jst_body_File_write_ordered_begin)
JST_ENTRY_5_0(JST_F08_File_write_ordered_begin, jst_body_File_write_ordered_begin)
JST_ENTRY_5_0(JST_PF08_File_write_ordered_begin, jst_body_File_write_ordered_begin)
JST_ENTRY_5_0(JST_F08TS_File_write_ordered_begin, jst_body_File_write_ordered_begin)
JST_ENTRY_5_0(JST_PF08TS_File_write_ordered_begin_r, jst_body_File_write_ordered_begin)

static void jst_body_File_write_ordered_begin_c(unsigned id, jst_mpi_call *call, void *fh, void
                                                *buf, void *count, void *datatype, void *ierror)
{
    jst_sub_5_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, count, datatype, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_ordered_begin_c", JST_MPI_IO_WRITE_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, count, datatype, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        if (r == MPI_SUCCESS) {
            call->bytes = (uint64_t)*(const MPI_Count *)count * jst_size_f(*(const MPI_Fint
                *)datatype);
        }
        jst_leave(call, r);
    }
}
JST_ENTRY_5_0(JST_F08TS_File_write_ordered_begin_c, jst_body_File_write_ordered_begin_c)
JST_ENTRY_5_0(JST_PF08TS_File_write_ordered_begin_c_r, jst_body_File_write_ordered_begin_c)

static void jst_body_File_read_all_end(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                       *status, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_all_end", JST_MPI_IO_READ_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        call->flags = JST_MPI_SILENT;
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_File_read_all_end, jst_body_File_read_all_end)
JST_ENTRY_4_0(JST_PF_File_read_all_end, jst_body_File_read_all_end)
JST_ENTRY_4_0(JST_F08_File_read_all_end, jst_body_File_read_all_end)
JST_ENTRY_4_0(JST_PF08_File_read_all_end, jst_body_File_read_all_end)
JST_ENTRY_4_0(JST_F08TS_File_read_all_end, jst_body_File_read_all_end)
JST_ENTRY_4_0(JST_PF08TS_File_read_all_end_r, jst_body_File_read_all_end)

static void jst_body_File_read_at_all_end(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                          *status, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_at_all_end", JST_MPI_IO_READ_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        call->flags = JST_MPI_SILENT;
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_File_read_at_all_end, jst_body_File_read_at_all_end)
JST_ENTRY_4_0(JST_PF_File_read_at_all_end, jst_body_File_read_at_all_end)
JST_ENTRY_4_0(JST_F08_File_read_at_all_end, jst_body_File_read_at_all_end)
JST_ENTRY_4_0(JST_PF08_File_read_at_all_end, jst_body_File_read_at_all_end)
JST_ENTRY_4_0(JST_F08TS_File_read_at_all_end, jst_body_File_read_at_all_end)
JST_ENTRY_4_0(JST_PF08TS_File_read_at_all_end_r, jst_body_File_read_at_all_end)

static void jst_body_File_read_ordered_end(unsigned id, jst_mpi_call *call, void *fh, void *buf,
                                           void *status, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_read_ordered_end", JST_MPI_IO_READ_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        call->flags = JST_MPI_SILENT;
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_File_read_ordered_end, jst_body_File_read_ordered_end)
JST_ENTRY_4_0(JST_PF_File_read_ordered_end, jst_body_File_read_ordered_end)
JST_ENTRY_4_0(JST_F08_File_read_ordered_end, jst_body_File_read_ordered_end)
JST_ENTRY_4_0(JST_PF08_File_read_ordered_end, jst_body_File_read_ordered_end)
JST_ENTRY_4_0(JST_F08TS_File_read_ordered_end, jst_body_File_read_ordered_end)
JST_ENTRY_4_0(JST_PF08TS_File_read_ordered_end_r, jst_body_File_read_ordered_end)

static void jst_body_File_write_all_end(unsigned id, jst_mpi_call *call, void *fh, void *buf, void
                                        *status, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_all_end", JST_MPI_IO_WRITE_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        call->flags = JST_MPI_SILENT;
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_File_write_all_end, jst_body_File_write_all_end)
JST_ENTRY_4_0(JST_PF_File_write_all_end, jst_body_File_write_all_end)
JST_ENTRY_4_0(JST_F08_File_write_all_end, jst_body_File_write_all_end)
JST_ENTRY_4_0(JST_PF08_File_write_all_end, jst_body_File_write_all_end)
JST_ENTRY_4_0(JST_F08TS_File_write_all_end, jst_body_File_write_all_end)
JST_ENTRY_4_0(JST_PF08TS_File_write_all_end_r, jst_body_File_write_all_end)

static void jst_body_File_write_at_all_end(unsigned id, jst_mpi_call *call, void *fh, void *buf,
                                           void *status, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_at_all_end", JST_MPI_IO_WRITE_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        call->flags = JST_MPI_SILENT;
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_File_write_at_all_end, jst_body_File_write_at_all_end)
JST_ENTRY_4_0(JST_PF_File_write_at_all_end, jst_body_File_write_at_all_end)
JST_ENTRY_4_0(JST_F08_File_write_at_all_end, jst_body_File_write_at_all_end)
JST_ENTRY_4_0(JST_PF08_File_write_at_all_end, jst_body_File_write_at_all_end)
JST_ENTRY_4_0(JST_F08TS_File_write_at_all_end, jst_body_File_write_at_all_end)
JST_ENTRY_4_0(JST_PF08TS_File_write_at_all_end_r, jst_body_File_write_at_all_end)

static void jst_body_File_write_ordered_end(unsigned id, jst_mpi_call *call, void *fh, void *buf,
                                            void *status, void *ierror)
{
    jst_sub_4_0 *const real = jst_real_of(id);
    if (jst_is_inner(call->frame)) {
        real(fh, buf, status, ierror);
        return;
    }
    MPI_Fint own = MPI_SUCCESS;
    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */
    jst_begin(call, "MPI_File_write_ordered_end", JST_MPI_IO_WRITE_SPLIT, 0);
    const bool counted = jst_host.enter(call);
    real(fh, buf, status, ierror);
    if (counted) {
        const int r = jst_result(ierror);
        call->flags = JST_MPI_SILENT;
        jst_leave(call, r);
    }
}
JST_ENTRY_4_0(JST_F_File_write_ordered_end, jst_body_File_write_ordered_end)
JST_ENTRY_4_0(JST_PF_File_write_ordered_end, jst_body_File_write_ordered_end)
JST_ENTRY_4_0(JST_F08_File_write_ordered_end, jst_body_File_write_ordered_end)
JST_ENTRY_4_0(JST_PF08_File_write_ordered_end, jst_body_File_write_ordered_end)
JST_ENTRY_4_0(JST_F08TS_File_write_ordered_end, jst_body_File_write_ordered_end)
JST_ENTRY_4_0(JST_PF08TS_File_write_ordered_end_r, jst_body_File_write_ordered_end)

const jst_function jst_functions_f_io[] = {
    {JST_F_File_open, (void *)JST_F_File_open_entry},
    {JST_PF_File_open, (void *)JST_PF_File_open_entry},
    {JST_F08_File_open, (void *)JST_F08_File_open_entry},
    {JST_PF08_File_open, (void *)JST_PF08_File_open_entry},
    {JST_PF08_File_open_r, (void *)JST_PF08_File_open_r_entry},
    {JST_F_File_close, (void *)JST_F_File_close_entry},
    {JST_PF_File_close, (void *)JST_PF_File_close_entry},
    {JST_F08_File_close, (void *)JST_F08_File_close_entry},
    {JST_PF08_File_close, (void *)JST_PF08_File_close_entry},
    {JST_PF08_File_close_r, (void *)JST_PF08_File_close_r_entry},
    {JST_F_File_sync, (void *)JST_F_File_sync_entry},
    {JST_PF_File_sync, (void *)JST_PF_File_sync_entry},
    {JST_F08_File_sync, (void *)JST_F08_File_sync_entry},
    {JST_PF08_File_sync, (void *)JST_PF08_File_sync_entry},
    {JST_PF08_File_sync_r, (void *)JST_PF08_File_sync_r_entry},
    {JST_F_File_set_view, (void *)JST_F_File_set_view_entry},
    {JST_PF_File_set_view, (void *)JST_PF_File_set_view_entry},
    {JST_F08_File_set_view, (void *)JST_F08_File_set_view_entry},
    {JST_PF08_File_set_view, (void *)JST_PF08_File_set_view_entry},
    {JST_PF08_File_set_view_r, (void *)JST_PF08_File_set_view_r_entry},
    {JST_F_File_seek, (void *)JST_F_File_seek_entry},
    {JST_PF_File_seek, (void *)JST_PF_File_seek_entry},
    {JST_F08_File_seek, (void *)JST_F08_File_seek_entry},
    {JST_PF08_File_seek, (void *)JST_PF08_File_seek_entry},
    {JST_PF08_File_seek_r, (void *)JST_PF08_File_seek_r_entry},
    {JST_F_File_seek_shared, (void *)JST_F_File_seek_shared_entry},
    {JST_PF_File_seek_shared, (void *)JST_PF_File_seek_shared_entry},
    {JST_F08_File_seek_shared, (void *)JST_F08_File_seek_shared_entry},
    {JST_PF08_File_seek_shared, (void *)JST_PF08_File_seek_shared_entry},
    {JST_PF08_File_seek_shared_r, (void *)JST_PF08_File_seek_shared_r_entry},
    {JST_F_File_set_size, (void *)JST_F_File_set_size_entry},
    {JST_PF_File_set_size, (void *)JST_PF_File_set_size_entry},
    {JST_F08_File_set_size, (void *)JST_F08_File_set_size_entry},
    {JST_PF08_File_set_size, (void *)JST_PF08_File_set_size_entry},
    {JST_PF08_File_set_size_r, (void *)JST_PF08_File_set_size_r_entry},
    {JST_F_File_get_size, (void *)JST_F_File_get_size_entry},
    {JST_PF_File_get_size, (void *)JST_PF_File_get_size_entry},
    {JST_F08_File_get_size, (void *)JST_F08_File_get_size_entry},
    {JST_PF08_File_get_size, (void *)JST_PF08_File_get_size_entry},
    {JST_PF08_File_get_size_r, (void *)JST_PF08_File_get_size_r_entry},
    {JST_F_File_preallocate, (void *)JST_F_File_preallocate_entry},
    {JST_PF_File_preallocate, (void *)JST_PF_File_preallocate_entry},
    {JST_F08_File_preallocate, (void *)JST_F08_File_preallocate_entry},
    {JST_PF08_File_preallocate, (void *)JST_PF08_File_preallocate_entry},
    {JST_PF08_File_preallocate_r, (void *)JST_PF08_File_preallocate_r_entry},
    {JST_F_File_delete, (void *)JST_F_File_delete_entry},
    {JST_PF_File_delete, (void *)JST_PF_File_delete_entry},
    {JST_F08_File_delete, (void *)JST_F08_File_delete_entry},
    {JST_PF08_File_delete, (void *)JST_PF08_File_delete_entry},
    {JST_PF08_File_delete_r, (void *)JST_PF08_File_delete_r_entry},
    {JST_F_File_set_info, (void *)JST_F_File_set_info_entry},
    {JST_PF_File_set_info, (void *)JST_PF_File_set_info_entry},
    {JST_F08_File_set_info, (void *)JST_F08_File_set_info_entry},
    {JST_PF08_File_set_info, (void *)JST_PF08_File_set_info_entry},
    {JST_PF08_File_set_info_r, (void *)JST_PF08_File_set_info_r_entry},
    {JST_F_File_set_atomicity, (void *)JST_F_File_set_atomicity_entry},
    {JST_PF_File_set_atomicity, (void *)JST_PF_File_set_atomicity_entry},
    {JST_F08_File_set_atomicity, (void *)JST_F08_File_set_atomicity_entry},
    {JST_PF08_File_set_atomicity, (void *)JST_PF08_File_set_atomicity_entry},
    {JST_PF08_File_set_atomicity_r, (void *)JST_PF08_File_set_atomicity_r_entry},
    {JST_F_File_read, (void *)JST_F_File_read_entry},
    {JST_PF_File_read, (void *)JST_PF_File_read_entry},
    {JST_F08_File_read, (void *)JST_F08_File_read_entry},
    {JST_PF08_File_read, (void *)JST_PF08_File_read_entry},
    {JST_F08TS_File_read, (void *)JST_F08TS_File_read_entry},
    {JST_PF08TS_File_read_r, (void *)JST_PF08TS_File_read_r_entry},
    {JST_F08TS_File_read_c, (void *)JST_F08TS_File_read_c_entry},
    {JST_PF08TS_File_read_c_r, (void *)JST_PF08TS_File_read_c_r_entry},
    {JST_F_File_read_at, (void *)JST_F_File_read_at_entry},
    {JST_PF_File_read_at, (void *)JST_PF_File_read_at_entry},
    {JST_F08_File_read_at, (void *)JST_F08_File_read_at_entry},
    {JST_PF08_File_read_at, (void *)JST_PF08_File_read_at_entry},
    {JST_F08TS_File_read_at, (void *)JST_F08TS_File_read_at_entry},
    {JST_PF08TS_File_read_at_r, (void *)JST_PF08TS_File_read_at_r_entry},
    {JST_F08TS_File_read_at_c, (void *)JST_F08TS_File_read_at_c_entry},
    {JST_PF08TS_File_read_at_c_r, (void *)JST_PF08TS_File_read_at_c_r_entry},
    {JST_F_File_iread, (void *)JST_F_File_iread_entry},
    {JST_PF_File_iread, (void *)JST_PF_File_iread_entry},
    {JST_F08_File_iread, (void *)JST_F08_File_iread_entry},
    {JST_PF08_File_iread, (void *)JST_PF08_File_iread_entry},
    {JST_F08TS_File_iread, (void *)JST_F08TS_File_iread_entry},
    {JST_PF08TS_File_iread_r, (void *)JST_PF08TS_File_iread_r_entry},
    {JST_F08TS_File_iread_c, (void *)JST_F08TS_File_iread_c_entry},
    {JST_PF08TS_File_iread_c_r, (void *)JST_PF08TS_File_iread_c_r_entry},
    {JST_F_File_iread_at, (void *)JST_F_File_iread_at_entry},
    {JST_PF_File_iread_at, (void *)JST_PF_File_iread_at_entry},
    {JST_F08_File_iread_at, (void *)JST_F08_File_iread_at_entry},
    {JST_PF08_File_iread_at, (void *)JST_PF08_File_iread_at_entry},
    {JST_F08TS_File_iread_at, (void *)JST_F08TS_File_iread_at_entry},
    {JST_PF08TS_File_iread_at_r, (void *)JST_PF08TS_File_iread_at_r_entry},
    {JST_F08TS_File_iread_at_c, (void *)JST_F08TS_File_iread_at_c_entry},
    {JST_PF08TS_File_iread_at_c_r, (void *)JST_PF08TS_File_iread_at_c_r_entry},
    {JST_F_File_write, (void *)JST_F_File_write_entry},
    {JST_PF_File_write, (void *)JST_PF_File_write_entry},
    {JST_F08_File_write, (void *)JST_F08_File_write_entry},
    {JST_PF08_File_write, (void *)JST_PF08_File_write_entry},
    {JST_F08TS_File_write, (void *)JST_F08TS_File_write_entry},
    {JST_PF08TS_File_write_r, (void *)JST_PF08TS_File_write_r_entry},
    {JST_F08TS_File_write_c, (void *)JST_F08TS_File_write_c_entry},
    {JST_PF08TS_File_write_c_r, (void *)JST_PF08TS_File_write_c_r_entry},
    {JST_F_File_write_at, (void *)JST_F_File_write_at_entry},
    {JST_PF_File_write_at, (void *)JST_PF_File_write_at_entry},
    {JST_F08_File_write_at, (void *)JST_F08_File_write_at_entry},
    {JST_PF08_File_write_at, (void *)JST_PF08_File_write_at_entry},
    {JST_F08TS_File_write_at, (void *)JST_F08TS_File_write_at_entry},
    {JST_PF08TS_File_write_at_r, (void *)JST_PF08TS_File_write_at_r_entry},
    {JST_F08TS_File_write_at_c, (void *)JST_F08TS_File_write_at_c_entry},
    {JST_PF08TS_File_write_at_c_r, (void *)JST_PF08TS_File_write_at_c_r_entry},
    {JST_F_File_iwrite, (void *)JST_F_File_iwrite_entry},
    {JST_PF_File_iwrite, (void *)JST_PF_File_iwrite_entry},
    {JST_F08_File_iwrite, (void *)JST_F08_File_iwrite_entry},
    {JST_PF08_File_iwrite, (void *)JST_PF08_File_iwrite_entry},
    {JST_F08TS_File_iwrite, (void *)JST_F08TS_File_iwrite_entry},
    {JST_PF08TS_File_iwrite_r, (void *)JST_PF08TS_File_iwrite_r_entry},
    {JST_F08TS_File_iwrite_c, (void *)JST_F08TS_File_iwrite_c_entry},
    {JST_PF08TS_File_iwrite_c_r, (void *)JST_PF08TS_File_iwrite_c_r_entry},
    {JST_F_File_iwrite_at, (void *)JST_F_File_iwrite_at_entry},
    {JST_PF_File_iwrite_at, (void *)JST_PF_File_iwrite_at_entry},
    {JST_F08_File_iwrite_at, (void *)JST_F08_File_iwrite_at_entry},
    {JST_PF08_File_iwrite_at, (void *)JST_PF08_File_iwrite_at_entry},
    {JST_F08TS_File_iwrite_at, (void *)JST_F08TS_File_iwrite_at_entry},
    {JST_PF08TS_File_iwrite_at_r, (void *)JST_PF08TS_File_iwrite_at_r_entry},
    {JST_F08TS_File_iwrite_at_c, (void *)JST_F08TS_File_iwrite_at_c_entry},
    {JST_PF08TS_File_iwrite_at_c_r, (void *)JST_PF08TS_File_iwrite_at_c_r_entry},
    {JST_F_File_read_all, (void *)JST_F_File_read_all_entry},
    {JST_PF_File_read_all, (void *)JST_PF_File_read_all_entry},
    {JST_F08_File_read_all, (void *)JST_F08_File_read_all_entry},
    {JST_PF08_File_read_all, (void *)JST_PF08_File_read_all_entry},
    {JST_F08TS_File_read_all, (void *)JST_F08TS_File_read_all_entry},
    {JST_PF08TS_File_read_all_r, (void *)JST_PF08TS_File_read_all_r_entry},
    {JST_F08TS_File_read_all_c, (void *)JST_F08TS_File_read_all_c_entry},
    {JST_PF08TS_File_read_all_c_r, (void *)JST_PF08TS_File_read_all_c_r_entry},
    {JST_F_File_read_at_all, (void *)JST_F_File_read_at_all_entry},
    {JST_PF_File_read_at_all, (void *)JST_PF_File_read_at_all_entry},
    {JST_F08_File_read_at_all, (void *)JST_F08_File_read_at_all_entry},
    {JST_PF08_File_read_at_all, (void *)JST_PF08_File_read_at_all_entry},
    {JST_F08TS_File_read_at_all, (void *)JST_F08TS_File_read_at_all_entry},
    {JST_PF08TS_File_read_at_all_r, (void *)JST_PF08TS_File_read_at_all_r_entry},
    {JST_F08TS_File_read_at_all_c, (void *)JST_F08TS_File_read_at_all_c_entry},
    {JST_PF08TS_File_read_at_all_c_r, (void *)JST_PF08TS_File_read_at_all_c_r_entry},
    {JST_F_File_iread_all, (void *)JST_F_File_iread_all_entry},
    {JST_PF_File_iread_all, (void *)JST_PF_File_iread_all_entry},
    {JST_F08_File_iread_all, (void *)JST_F08_File_iread_all_entry},
    {JST_PF08_File_iread_all, (void *)JST_PF08_File_iread_all_entry},
    {JST_F08TS_File_iread_all, (void *)JST_F08TS_File_iread_all_entry},
    {JST_PF08TS_File_iread_all_r, (void *)JST_PF08TS_File_iread_all_r_entry},
    {JST_F08TS_File_iread_all_c, (void *)JST_F08TS_File_iread_all_c_entry},
    {JST_PF08TS_File_iread_all_c_r, (void *)JST_PF08TS_File_iread_all_c_r_entry},
    {JST_F_File_iread_at_all, (void *)JST_F_File_iread_at_all_entry},
    {JST_PF_File_iread_at_all, (void *)JST_PF_File_iread_at_all_entry},
    {JST_F08_File_iread_at_all, (void *)JST_F08_File_iread_at_all_entry},
    {JST_PF08_File_iread_at_all, (void *)JST_PF08_File_iread_at_all_entry},
    {JST_F08TS_File_iread_at_all, (void *)JST_F08TS_File_iread_at_all_entry},
    {JST_PF08TS_File_iread_at_all_r, (void *)JST_PF08TS_File_iread_at_all_r_entry},
    {JST_F08TS_File_iread_at_all_c, (void *)JST_F08TS_File_iread_at_all_c_entry},
    {JST_PF08TS_File_iread_at_all_c_r, (void *)JST_PF08TS_File_iread_at_all_c_r_entry},
    {JST_F_File_write_all, (void *)JST_F_File_write_all_entry},
    {JST_PF_File_write_all, (void *)JST_PF_File_write_all_entry},
    {JST_F08_File_write_all, (void *)JST_F08_File_write_all_entry},
    {JST_PF08_File_write_all, (void *)JST_PF08_File_write_all_entry},
    {JST_F08TS_File_write_all, (void *)JST_F08TS_File_write_all_entry},
    {JST_PF08TS_File_write_all_r, (void *)JST_PF08TS_File_write_all_r_entry},
    {JST_F08TS_File_write_all_c, (void *)JST_F08TS_File_write_all_c_entry},
    {JST_PF08TS_File_write_all_c_r, (void *)JST_PF08TS_File_write_all_c_r_entry},
    {JST_F_File_write_at_all, (void *)JST_F_File_write_at_all_entry},
    {JST_PF_File_write_at_all, (void *)JST_PF_File_write_at_all_entry},
    {JST_F08_File_write_at_all, (void *)JST_F08_File_write_at_all_entry},
    {JST_PF08_File_write_at_all, (void *)JST_PF08_File_write_at_all_entry},
    {JST_F08TS_File_write_at_all, (void *)JST_F08TS_File_write_at_all_entry},
    {JST_PF08TS_File_write_at_all_r, (void *)JST_PF08TS_File_write_at_all_r_entry},
    {JST_F08TS_File_write_at_all_c, (void *)JST_F08TS_File_write_at_all_c_entry},
    {JST_PF08TS_File_write_at_all_c_r, (void *)JST_PF08TS_File_write_at_all_c_r_entry},
    {JST_F_File_iwrite_all, (void *)JST_F_File_iwrite_all_entry},
    {JST_PF_File_iwrite_all, (void *)JST_PF_File_iwrite_all_entry},
    {JST_F08_File_iwrite_all, (void *)JST_F08_File_iwrite_all_entry},
    {JST_PF08_File_iwrite_all, (void *)JST_PF08_File_iwrite_all_entry},
    {JST_F08TS_File_iwrite_all, (void *)JST_F08TS_File_iwrite_all_entry},
    {JST_PF08TS_File_iwrite_all_r, (void *)JST_PF08TS_File_iwrite_all_r_entry},
    {JST_F08TS_File_iwrite_all_c, (void *)JST_F08TS_File_iwrite_all_c_entry},
    {JST_PF08TS_File_iwrite_all_c_r, (void *)JST_PF08TS_File_iwrite_all_c_r_entry},
    {JST_F_File_iwrite_at_all, (void *)JST_F_File_iwrite_at_all_entry},
    {JST_PF_File_iwrite_at_all, (void *)JST_PF_File_iwrite_at_all_entry},
    {JST_F08_File_iwrite_at_all, (void *)JST_F08_File_iwrite_at_all_entry},
    {JST_PF08_File_iwrite_at_all, (void *)JST_PF08_File_iwrite_at_all_entry},
    {JST_F08TS_File_iwrite_at_all, (void *)JST_F08TS_File_iwrite_at_all_entry},
    {JST_PF08TS_File_iwrite_at_all_r, (void *)JST_PF08TS_File_iwrite_at_all_r_entry},
    {JST_F08TS_File_iwrite_at_all_c, (void *)JST_F08TS_File_iwrite_at_all_c_entry},
    {JST_PF08TS_File_iwrite_at_all_c_r, (void *)JST_PF08TS_File_iwrite_at_all_c_r_entry},
    {JST_F_File_read_shared, (void *)JST_F_File_read_shared_entry},
    {JST_PF_File_read_shared, (void *)JST_PF_File_read_shared_entry},
    {JST_F08_File_read_shared, (void *)JST_F08_File_read_shared_entry},
    {JST_PF08_File_read_shared, (void *)JST_PF08_File_read_shared_entry},
    {JST_F08TS_File_read_shared, (void *)JST_F08TS_File_read_shared_entry},
    {JST_PF08TS_File_read_shared_r, (void *)JST_PF08TS_File_read_shared_r_entry},
    {JST_F08TS_File_read_shared_c, (void *)JST_F08TS_File_read_shared_c_entry},
    {JST_PF08TS_File_read_shared_c_r, (void *)JST_PF08TS_File_read_shared_c_r_entry},
    {JST_F_File_read_ordered, (void *)JST_F_File_read_ordered_entry},
    {JST_PF_File_read_ordered, (void *)JST_PF_File_read_ordered_entry},
    {JST_F08_File_read_ordered, (void *)JST_F08_File_read_ordered_entry},
    {JST_PF08_File_read_ordered, (void *)JST_PF08_File_read_ordered_entry},
    {JST_F08TS_File_read_ordered, (void *)JST_F08TS_File_read_ordered_entry},
    {JST_PF08TS_File_read_ordered_r, (void *)JST_PF08TS_File_read_ordered_r_entry},
    {JST_F08TS_File_read_ordered_c, (void *)JST_F08TS_File_read_ordered_c_entry},
    {JST_PF08TS_File_read_ordered_c_r, (void *)JST_PF08TS_File_read_ordered_c_r_entry},
    {JST_F_File_iread_shared, (void *)JST_F_File_iread_shared_entry},
    {JST_PF_File_iread_shared, (void *)JST_PF_File_iread_shared_entry},
    {JST_F08_File_iread_shared, (void *)JST_F08_File_iread_shared_entry},
    {JST_PF08_File_iread_shared, (void *)JST_PF08_File_iread_shared_entry},
    {JST_F08TS_File_iread_shared, (void *)JST_F08TS_File_iread_shared_entry},
    {JST_PF08TS_File_iread_shared_r, (void *)JST_PF08TS_File_iread_shared_r_entry},
    {JST_F08TS_File_iread_shared_c, (void *)JST_F08TS_File_iread_shared_c_entry},
    {JST_PF08TS_File_iread_shared_c_r, (void *)JST_PF08TS_File_iread_shared_c_r_entry},
    {JST_F_File_write_shared, (void *)JST_F_File_write_shared_entry},
    {JST_PF_File_write_shared, (void *)JST_PF_File_write_shared_entry},
    {JST_F08_File_write_shared, (void *)JST_F08_File_write_shared_entry},
    {JST_PF08_File_write_shared, (void *)JST_PF08_File_write_shared_entry},
    {JST_F08TS_File_write_shared, (void *)JST_F08TS_File_write_shared_entry},
    {JST_PF08TS_File_write_shared_r, (void *)JST_PF08TS_File_write_shared_r_entry},
    {JST_F08TS_File_write_shared_c, (void *)JST_F08TS_File_write_shared_c_entry},
    {JST_PF08TS_File_write_shared_c_r, (void *)JST_PF08TS_File_write_shared_c_r_entry},
    {JST_F_File_write_ordered, (void *)JST_F_File_write_ordered_entry},
    {JST_PF_File_write_ordered, (void *)JST_PF_File_write_ordered_entry},
    {JST_F08_File_write_ordered, (void *)JST_F08_File_write_ordered_entry},
    {JST_PF08_File_write_ordered, (void *)JST_PF08_File_write_ordered_entry},
    {JST_F08TS_File_write_ordered, (void *)JST_F08TS_File_write_ordered_entry},
    {JST_PF08TS_File_write_ordered_r, (void *)JST_PF08TS_File_write_ordered_r_entry},
    {JST_F08TS_File_write_ordered_c, (void *)JST_F08TS_File_write_ordered_c_entry},
    {JST_PF08TS_File_write_ordered_c_r, (void *)JST_PF08TS_File_write_ordered_c_r_entry},
    {JST_F_File_iwrite_shared, (void *)JST_F_File_iwrite_shared_entry},
    {JST_PF_File_iwrite_shared, (void *)JST_PF_File_iwrite_shared_entry},
    {JST_F08_File_iwrite_shared, (void *)JST_F08_File_iwrite_shared_entry},
    {JST_PF08_File_iwrite_shared, (void *)JST_PF08_File_iwrite_shared_entry},
    {JST_F08TS_File_iwrite_shared, (void *)JST_F08TS_File_iwrite_shared_entry},
    {JST_PF08TS_File_iwrite_shared_r, (void *)JST_PF08TS_File_iwrite_shared_r_entry},
    {JST_F08TS_File_iwrite_shared_c, (void *)JST_F08TS_File_iwrite_shared_c_entry},
    {JST_PF08TS_File_iwrite_shared_c_r, (void *)JST_PF08TS_File_iwrite_shared_c_r_entry},
    {JST_F_File_read_all_begin, (void *)JST_F_File_read_all_begin_entry},
    {JST_PF_File_read_all_begin, (void *)JST_PF_File_read_all_begin_entry},
    {JST_F08_File_read_all_begin, (void *)JST_F08_File_read_all_begin_entry},
    {JST_PF08_File_read_all_begin, (void *)JST_PF08_File_read_all_begin_entry},
    {JST_F08TS_File_read_all_begin, (void *)JST_F08TS_File_read_all_begin_entry},
    {JST_PF08TS_File_read_all_begin_r, (void *)JST_PF08TS_File_read_all_begin_r_entry},
    {JST_F08TS_File_read_all_begin_c, (void *)JST_F08TS_File_read_all_begin_c_entry},
    {JST_PF08TS_File_read_all_begin_c_r, (void *)JST_PF08TS_File_read_all_begin_c_r_entry},
    {JST_F_File_read_at_all_begin, (void *)JST_F_File_read_at_all_begin_entry},
    {JST_PF_File_read_at_all_begin, (void *)JST_PF_File_read_at_all_begin_entry},
    {JST_F08_File_read_at_all_begin, (void *)JST_F08_File_read_at_all_begin_entry},
    {JST_PF08_File_read_at_all_begin, (void *)JST_PF08_File_read_at_all_begin_entry},
    {JST_F08TS_File_read_at_all_begin, (void *)JST_F08TS_File_read_at_all_begin_entry},
    {JST_PF08TS_File_read_at_all_begin_r, (void *)JST_PF08TS_File_read_at_all_begin_r_entry},
    {JST_F08TS_File_read_at_all_begin_c, (void *)JST_F08TS_File_read_at_all_begin_c_entry},
    {JST_PF08TS_File_read_at_all_begin_c_r, (void *)JST_PF08TS_File_read_at_all_begin_c_r_entry},
    {JST_F_File_read_ordered_begin, (void *)JST_F_File_read_ordered_begin_entry},
    {JST_PF_File_read_ordered_begin, (void *)JST_PF_File_read_ordered_begin_entry},
    {JST_F08_File_read_ordered_begin, (void *)JST_F08_File_read_ordered_begin_entry},
    {JST_PF08_File_read_ordered_begin, (void *)JST_PF08_File_read_ordered_begin_entry},
    {JST_F08TS_File_read_ordered_begin, (void *)JST_F08TS_File_read_ordered_begin_entry},
    {JST_PF08TS_File_read_ordered_begin_r, (void *)JST_PF08TS_File_read_ordered_begin_r_entry},
    {JST_F08TS_File_read_ordered_begin_c, (void *)JST_F08TS_File_read_ordered_begin_c_entry},
    {JST_PF08TS_File_read_ordered_begin_c_r, (void *)JST_PF08TS_File_read_ordered_begin_c_r_entry},
    {JST_F_File_write_all_begin, (void *)JST_F_File_write_all_begin_entry},
    {JST_PF_File_write_all_begin, (void *)JST_PF_File_write_all_begin_entry},
    {JST_F08_File_write_all_begin, (void *)JST_F08_File_write_all_begin_entry},
    {JST_PF08_File_write_all_begin, (void *)JST_PF08_File_write_all_begin_entry},
    {JST_F08TS_File_write_all_begin, (void *)JST_F08TS_File_write_all_begin_entry},
    {JST_PF08TS_File_write_all_begin_r, (void *)JST_PF08TS_File_write_all_begin_r_entry},
    {JST_F08TS_File_write_all_begin_c, (void *)JST_F08TS_File_write_all_begin_c_entry},
    {JST_PF08TS_File_write_all_begin_c_r, (void *)JST_PF08TS_File_write_all_begin_c_r_entry},
    {JST_F_File_write_at_all_begin, (void *)JST_F_File_write_at_all_begin_entry},
    {JST_PF_File_write_at_all_begin, (void *)JST_PF_File_write_at_all_begin_entry},
    {JST_F08_File_write_at_all_begin, (void *)JST_F08_File_write_at_all_begin_entry},
    {JST_PF08_File_write_at_all_begin, (void *)JST_PF08_File_write_at_all_begin_entry},
    {JST_F08TS_File_write_at_all_begin, (void *)JST_F08TS_File_write_at_all_begin_entry},
    {JST_PF08TS_File_write_at_all_begin_r, (void *)JST_PF08TS_File_write_at_all_begin_r_entry},
    {JST_F08TS_File_write_at_all_begin_c, (void *)JST_F08TS_File_write_at_all_begin_c_entry},
    {JST_PF08TS_File_write_at_all_begin_c_r, (void *)JST_PF08TS_File_write_at_all_begin_c_r_entry},
    {JST_F_File_write_ordered_begin, (void *)JST_F_File_write_ordered_begin_entry},
    {JST_PF_File_write_ordered_begin, (void *)JST_PF_File_write_ordered_begin_entry},
    {JST_F08_File_write_ordered_begin, (void *)JST_F08_File_write_ordered_begin_entry},
    {JST_PF08_File_write_ordered_begin, (void *)JST_PF08_File_write_ordered_begin_entry},
    {JST_F08TS_File_write_ordered_begin, (void *)JST_F08TS_File_write_ordered_begin_entry},
    {JST_PF08TS_File_write_ordered_begin_r, (void *)JST_PF08TS_File_write_ordered_begin_r_entry},
    {JST_F08TS_File_write_ordered_begin_c, (void *)JST_F08TS_File_write_ordered_begin_c_entry},
    {JST_PF08TS_File_write_ordered_begin_c_r, (void *)JST_PF08TS_File_write_ordered_begin_c_r_entry},
    {JST_F_File_read_all_end, (void *)JST_F_File_read_all_end_entry},
    {JST_PF_File_read_all_end, (void *)JST_PF_File_read_all_end_entry},
    {JST_F08_File_read_all_end, (void *)JST_F08_File_read_all_end_entry},
    {JST_PF08_File_read_all_end, (void *)JST_PF08_File_read_all_end_entry},
    {JST_F08TS_File_read_all_end, (void *)JST_F08TS_File_read_all_end_entry},
    {JST_PF08TS_File_read_all_end_r, (void *)JST_PF08TS_File_read_all_end_r_entry},
    {JST_F_File_read_at_all_end, (void *)JST_F_File_read_at_all_end_entry},
    {JST_PF_File_read_at_all_end, (void *)JST_PF_File_read_at_all_end_entry},
    {JST_F08_File_read_at_all_end, (void *)JST_F08_File_read_at_all_end_entry},
    {JST_PF08_File_read_at_all_end, (void *)JST_PF08_File_read_at_all_end_entry},
    {JST_F08TS_File_read_at_all_end, (void *)JST_F08TS_File_read_at_all_end_entry},
    {JST_PF08TS_File_read_at_all_end_r, (void *)JST_PF08TS_File_read_at_all_end_r_entry},
    {JST_F_File_read_ordered_end, (void *)JST_F_File_read_ordered_end_entry},
    {JST_PF_File_read_ordered_end, (void *)JST_PF_File_read_ordered_end_entry},
    {JST_F08_File_read_ordered_end, (void *)JST_F08_File_read_ordered_end_entry},
    {JST_PF08_File_read_ordered_end, (void *)JST_PF08_File_read_ordered_end_entry},
    {JST_F08TS_File_read_ordered_end, (void *)JST_F08TS_File_read_ordered_end_entry},
    {JST_PF08TS_File_read_ordered_end_r, (void *)JST_PF08TS_File_read_ordered_end_r_entry},
    {JST_F_File_write_all_end, (void *)JST_F_File_write_all_end_entry},
    {JST_PF_File_write_all_end, (void *)JST_PF_File_write_all_end_entry},
    {JST_F08_File_write_all_end, (void *)JST_F08_File_write_all_end_entry},
    {JST_PF08_File_write_all_end, (void *)JST_PF08_File_write_all_end_entry},
    {JST_F08TS_File_write_all_end, (void *)JST_F08TS_File_write_all_end_entry},
    {JST_PF08TS_File_write_all_end_r, (void *)JST_PF08TS_File_write_all_end_r_entry},
    {JST_F_File_write_at_all_end, (void *)JST_F_File_write_at_all_end_entry},
    {JST_PF_File_write_at_all_end, (void *)JST_PF_File_write_at_all_end_entry},
    {JST_F08_File_write_at_all_end, (void *)JST_F08_File_write_at_all_end_entry},
    {JST_PF08_File_write_at_all_end, (void *)JST_PF08_File_write_at_all_end_entry},
    {JST_F08TS_File_write_at_all_end, (void *)JST_F08TS_File_write_at_all_end_entry},
    {JST_PF08TS_File_write_at_all_end_r, (void *)JST_PF08TS_File_write_at_all_end_r_entry},
    {JST_F_File_write_ordered_end, (void *)JST_F_File_write_ordered_end_entry},
    {JST_PF_File_write_ordered_end, (void *)JST_PF_File_write_ordered_end_entry},
    {JST_F08_File_write_ordered_end, (void *)JST_F08_File_write_ordered_end_entry},
    {JST_PF08_File_write_ordered_end, (void *)JST_PF08_File_write_ordered_end_entry},
    {JST_F08TS_File_write_ordered_end, (void *)JST_F08TS_File_write_ordered_end_entry},
    {JST_PF08TS_File_write_ordered_end_r, (void *)JST_PF08TS_File_write_ordered_end_r_entry},
};
const size_t jst_count_f_io = 320;
