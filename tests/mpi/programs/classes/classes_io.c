/* MPI-IO on one shared file: every class of access. */
#include "parts.h"

#define N 8 /* ints per access; rank i owns the bytes from i * BLOCK on */
#define BLOCK 4096

static int out[64], in[64];
static MPI_File file;

static void done(MPI_Request *r)
{
    OK(MPI_Wait(r, IGNORE)), DID(mpi_wait, 1, 0);
}

static void open_file(const char *name)
{
    const char *folder = getenv("DATA");
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "/tmp", name);
    OK(MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    DID(mpiio_open, 1, 0);
}

static void close_file(void)
{
    OK(MPI_File_close(&file)), DID(mpiio_close, 1, 0);
}

static void meta(void)
{
    MPI_Info info;
    MPI_Offset n;
    MPI_Info_create(&info);
    MPI_Info_set(info, "access_style", "write_mostly");
    OK(MPI_File_preallocate(file, (MPI_Offset)size * BLOCK));
    OK(MPI_File_set_size(file, (MPI_Offset)size * BLOCK));
    OK(MPI_File_get_size(file, &n));
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_seek(file, (MPI_Offset)rank * BLOCK, MPI_SEEK_SET));
    OK(MPI_File_set_info(file, info));
    OK(MPI_File_set_atomicity(file, 0));
    DID(mpiio_meta, 7, 0);
    MPI_Info_free(&info);
}

static void independent(void)
{
    MPI_Offset at = (MPI_Offset)rank * BLOCK;
    MPI_Request r;
    OK(MPI_File_write(file, out, N, MPI_INT, IGNORE));
    OK(MPI_File_write_at(file, at, out, N, MPI_INT, IGNORE));
    OK(MPI_File_iwrite(file, out, N, MPI_INT, &r)), done(&r);
    OK(MPI_File_iwrite_at(file, at, out, N, MPI_INT, &r)), done(&r);
    DID(mpiio_write, 4, 4 * INTS(N));
    OK(MPI_File_sync(file)), DID(mpiio_sync, 1, 0);
    OK(MPI_File_seek(file, at, MPI_SEEK_SET)), DID(mpiio_meta, 1, 0);
    OK(MPI_File_read(file, in, 2, MPI_INT, IGNORE));
    OK(MPI_File_read_at(file, at, in, 2, MPI_INT, IGNORE));
    OK(MPI_File_iread(file, in, 2, MPI_INT, &r)), done(&r);
    OK(MPI_File_iread_at(file, at, in, 2, MPI_INT, &r)), done(&r);
    DID(mpiio_read, 4, 4 * INTS(2));
}

static void collective(void)
{
    MPI_Offset at = (MPI_Offset)rank * BLOCK;
    MPI_Request r;
    OK(MPI_File_write_all(file, out, 3, MPI_INT, IGNORE));
    OK(MPI_File_write_at_all(file, at, out, 3, MPI_INT, IGNORE));
    OK(MPI_File_iwrite_all(file, out, 3, MPI_INT, &r)), done(&r);
    OK(MPI_File_iwrite_at_all(file, at, out, 3, MPI_INT, &r)), done(&r);
    DID(mpiio_write_all, 4, 4 * INTS(3));
    OK(MPI_File_read_all(file, in, 4, MPI_INT, IGNORE));
    OK(MPI_File_read_at_all(file, at, in, 4, MPI_INT, IGNORE));
    OK(MPI_File_iread_all(file, in, 4, MPI_INT, &r)), done(&r);
    OK(MPI_File_iread_at_all(file, at, in, 4, MPI_INT, &r)), done(&r);
    DID(mpiio_read_all, 4, 4 * INTS(4));
}

static void split(void)
{
    MPI_Offset at = (MPI_Offset)rank * BLOCK;
    OK(MPI_File_write_all_begin(file, out, 5, MPI_INT));
    OK(MPI_File_write_all_end(file, out, IGNORE));
    OK(MPI_File_write_at_all_begin(file, at, out, 5, MPI_INT));
    OK(MPI_File_write_at_all_end(file, out, IGNORE));
    DID(mpiio_write_split, 2, 2 * INTS(5));
    OK(MPI_File_read_all_begin(file, in, 6, MPI_INT));
    OK(MPI_File_read_all_end(file, in, IGNORE));
    OK(MPI_File_read_at_all_begin(file, at, in, 6, MPI_INT));
    OK(MPI_File_read_at_all_end(file, in, IGNORE));
    DID(mpiio_read_split, 2, 2 * INTS(6));
}

void part_io(void)
{
    char path[512];
    open_file("shared");
    meta();
    independent();
    collective();
    split();
    close_file();
    OK(MPI_Barrier(WORLD)), DID(mpi_barrier, 1, 0);
    if (rank == 0) {
        snprintf(path, sizeof path, "%s/shared", getenv("DATA") ? getenv("DATA") : "/tmp");
        OK(MPI_File_delete(path, MPI_INFO_NULL)), DID(mpiio_meta, 1, 0);
    }
}

void part_io_shared(void)
{
    MPI_Request r;
    open_file("pointer");
    OK(MPI_File_write_shared(file, out, N, MPI_INT, IGNORE));
    OK(MPI_File_iwrite_shared(file, out, N, MPI_INT, &r)), done(&r);
    OK(MPI_File_write_ordered(file, out, N, MPI_INT, IGNORE));
    DID(mpiio_write_shared, 3, 3 * INTS(N));
    OK(MPI_File_write_ordered_begin(file, out, 5, MPI_INT));
    OK(MPI_File_write_ordered_end(file, out, IGNORE));
    DID(mpiio_write_split, 1, INTS(5));
    OK(MPI_File_sync(file)), DID(mpiio_sync, 1, 0);
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET)), DID(mpiio_meta, 1, 0);
    OK(MPI_File_read_shared(file, in, 2, MPI_INT, IGNORE));
    OK(MPI_File_iread_shared(file, in, 2, MPI_INT, &r)), done(&r);
    OK(MPI_File_read_ordered(file, in, 2, MPI_INT, IGNORE));
    DID(mpiio_read_shared, 3, 3 * INTS(2));
    OK(MPI_File_read_ordered_begin(file, in, 3, MPI_INT));
    OK(MPI_File_read_ordered_end(file, in, IGNORE));
    DID(mpiio_read_split, 1, INTS(3));
    close_file();
}
