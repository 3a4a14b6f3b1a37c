/*
 * Calls that count themselves as they are made, for the programs that model codes of the papers
 * (see code.h). The counts have the names of jostle's metrics. A call that fails ends all ranks.
 */
#ifndef JST_CODE_CALLS_H
#define JST_CODE_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CODE_COUNTS(X)                                                                             \
    X(posix_read_ops)                                                                              \
    X(posix_read_bytes)                                                                            \
    X(posix_write_ops)                                                                             \
    X(posix_write_bytes)                                                                           \
    X(posix_seek_ops)                                                                              \
    X(posix_sync_ops)                                                                              \
    X(mpiio_open_ops)                                                                              \
    X(mpiio_close_ops)                                                                             \
    X(mpiio_sync_ops)                                                                              \
    X(mpiio_meta_ops)                                                                              \
    X(mpiio_read_ops)                                                                              \
    X(mpiio_read_bytes)                                                                            \
    X(mpiio_write_ops)                                                                             \
    X(mpiio_write_bytes)                                                                           \
    X(mpiio_read_all_ops)                                                                          \
    X(mpiio_read_all_bytes)                                                                        \
    X(mpiio_write_all_ops)                                                                         \
    X(mpiio_write_all_bytes)                                                                       \
    X(mpi_send_ops)                                                                                \
    X(mpi_send_bytes)                                                                              \
    X(mpi_recv_ops)                                                                                \
    X(mpi_recv_arrived_bytes)                                                                      \
    X(mpi_isend_ops)                                                                               \
    X(mpi_isend_bytes)                                                                             \
    X(mpi_irecv_ops)                                                                               \
    X(mpi_irecv_arrived_bytes)                                                                     \
    X(mpi_wait_ops)                                                                                \
    X(mpi_all_to_all_ops)                                                                          \
    X(mpi_all_to_all_bytes)                                                                        \
    X(mpi_all_to_one_ops)                                                                          \
    X(mpi_all_to_one_bytes)                                                                        \
    X(mpi_barrier_ops)                                                                             \
    X(mpi_comm_ops)

#define CODE_ENUM(name) CODE_##name,
#define CODE_NAME(name) #name,
#define COUNT(name, n) (code_count[CODE_##name] += (n))

enum { CODE_COUNTS(CODE_ENUM) CODE_COUNT, CODE_REQUESTS = 16 };

static const char *code_name;
static int code_rank, code_size;
static int64_t code_count[CODE_COUNT];

static inline void code_fail(const char *what)
{
    fprintf(stderr, "%s: rank %d: %s: %s\n", code_name, code_rank, what,
            errno ? strerror(errno) : "it failed");
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline void *code_get(size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory)
        code_fail("memory");
    return memory;
}

/* MPI counts in `int`. */
static inline int code_int(size_t bytes)
{
    if (bytes > INT_MAX)
        errno = EOVERFLOW, code_fail("a transfer by MPI of 2 GiB or more");
    return (int)bytes;
}

static inline void code_barrier(void)
{
    COUNT(mpi_barrier_ops, 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline double code_all(double own, MPI_Op op)
{
    double all;
    COUNT(mpi_all_to_all_ops, 1);
    COUNT(mpi_all_to_all_bytes, sizeof own);
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return all;
}

static inline void code_send(const void *data, size_t bytes, int to, int tag, MPI_Comm comm)
{
    COUNT(mpi_send_ops, 1);
    COUNT(mpi_send_bytes, (int64_t)bytes);
    MPI_Send(data, code_int(bytes), MPI_BYTE, to, tag, comm);
}

static inline void code_recv(void *data, size_t bytes, int from, int tag, MPI_Comm comm)
{
    COUNT(mpi_recv_ops, 1);
    COUNT(mpi_recv_arrived_bytes, (int64_t)bytes);
    MPI_Recv(data, code_int(bytes), MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
}

static inline void code_isend(const void *data, size_t bytes, int to, int tag, MPI_Comm comm,
                              MPI_Request *request)
{
    COUNT(mpi_isend_ops, 1);
    COUNT(mpi_isend_bytes, (int64_t)bytes);
    MPI_Isend(data, code_int(bytes), MPI_BYTE, to, tag, comm, request);
}

static inline void code_irecv(void *data, size_t bytes, int from, int tag, MPI_Comm comm,
                              MPI_Request *request)
{
    COUNT(mpi_irecv_ops, 1);
    COUNT(mpi_irecv_arrived_bytes, (int64_t)bytes);
    MPI_Irecv(data, code_int(bytes), MPI_BYTE, from, tag, comm, request);
}

/* At most CODE_REQUESTS of them. */
static inline void code_wait(int requests, MPI_Request *request)
{
    MPI_Status statuses[CODE_REQUESTS];
    COUNT(mpi_wait_ops, 1);
    MPI_Waitall(requests, request, statuses);
}

/* Writes all, from `at` on, or from the file's position (at < 0). */
static inline void code_write(int fd, const char *data, size_t bytes, off_t at)
{
    while (bytes) {
        ssize_t n = at < 0 ? write(fd, data, bytes) : pwrite(fd, data, bytes, at);
        if (n <= 0)
            code_fail("write");
        COUNT(posix_write_ops, 1);
        COUNT(posix_write_bytes, n);
        data += n, bytes -= (size_t)n, at += at < 0 ? 0 : n;
    }
}

static inline void code_read(int fd, char *data, size_t bytes, off_t at)
{
    while (bytes) {
        ssize_t n = at < 0 ? read(fd, data, bytes) : pread(fd, data, bytes, at);
        if (n <= 0)
            code_fail("read");
        COUNT(posix_read_ops, 1);
        COUNT(posix_read_bytes, n);
        data += n, bytes -= (size_t)n, at += at < 0 ? 0 : n;
    }
}

static inline void code_seek(int fd, off_t at)
{
    COUNT(posix_seek_ops, 1);
    if (lseek(fd, at, SEEK_SET) != at)
        code_fail("lseek");
}

static inline void code_sync(int fd)
{
    COUNT(posix_sync_ops, 1);
    if (fsync(fd))
        code_fail("fsync");
}

static inline int code_open(const char *path, int flags)
{
    int fd = open(path, flags, 0644);
    if (fd < 0)
        code_fail(path);
    return fd;
}

/* Ends the program if a call of MPI-IO failed; such calls do not by themselves. */
static inline void code_io(int status, const char *what)
{
    if (status != MPI_SUCCESS)
        errno = 0, code_fail(what);
}

static inline MPI_File code_file_open(MPI_Comm comm, const char *path, int mode)
{
    MPI_File file;
    COUNT(mpiio_open_ops, 1);
    code_io(MPI_File_open(comm, path, mode, MPI_INFO_NULL, &file), path);
    return file;
}

static inline void code_file_close(MPI_File *file)
{
    COUNT(mpiio_close_ops, 1);
    code_io(MPI_File_close(file), "MPI_File_close");
}

static inline void code_file_sync(MPI_File file)
{
    COUNT(mpiio_sync_ops, 1);
    code_io(MPI_File_sync(file), "MPI_File_sync");
}

/* Writes at `at`, or at the file pointer of this rank (at < 0). */
static inline void code_file_write(MPI_File file, const void *data, size_t bytes, MPI_Offset at)
{
    int n = code_int(bytes);
    COUNT(mpiio_write_ops, 1);
    COUNT(mpiio_write_bytes, n);
    code_io(at < 0 ? MPI_File_write(file, data, n, MPI_BYTE, MPI_STATUS_IGNORE)
                   : MPI_File_write_at(file, at, data, n, MPI_BYTE, MPI_STATUS_IGNORE),
            "MPI_File_write");
}

static inline void code_file_read(MPI_File file, void *data, size_t bytes, MPI_Offset at)
{
    int n = code_int(bytes);
    COUNT(mpiio_read_ops, 1);
    COUNT(mpiio_read_bytes, n);
    code_io(at < 0 ? MPI_File_read(file, data, n, MPI_BYTE, MPI_STATUS_IGNORE)
                   : MPI_File_read_at(file, at, data, n, MPI_BYTE, MPI_STATUS_IGNORE),
            "MPI_File_read");
}

/* The same, by all ranks together. */
static inline void code_file_write_all(MPI_File file, const void *data, size_t bytes, MPI_Offset at)
{
    int n = code_int(bytes);
    COUNT(mpiio_write_all_ops, 1);
    COUNT(mpiio_write_all_bytes, n);
    code_io(at < 0 ? MPI_File_write_all(file, data, n, MPI_BYTE, MPI_STATUS_IGNORE)
                   : MPI_File_write_at_all(file, at, data, n, MPI_BYTE, MPI_STATUS_IGNORE),
            "MPI_File_write_all");
}

static inline void code_file_read_all(MPI_File file, void *data, size_t bytes, MPI_Offset at)
{
    int n = code_int(bytes);
    COUNT(mpiio_read_all_ops, 1);
    COUNT(mpiio_read_all_bytes, n);
    code_io(at < 0 ? MPI_File_read_all(file, data, n, MPI_BYTE, MPI_STATUS_IGNORE)
                   : MPI_File_read_at_all(file, at, data, n, MPI_BYTE, MPI_STATUS_IGNORE),
            "MPI_File_read_all");
}

/* What this rank sees of a file: from `at` on, one `type` after the other. */
static inline void code_file_view(MPI_File file, MPI_Offset at, MPI_Datatype type)
{
    COUNT(mpiio_meta_ops, 1);
    code_io(MPI_File_set_view(file, at, MPI_BYTE, type, "native", MPI_INFO_NULL),
            "MPI_File_set_view");
}

static inline void code_file_seek(MPI_File file, MPI_Offset at)
{
    COUNT(mpiio_meta_ops, 1);
    code_io(MPI_File_seek(file, at, MPI_SEEK_SET), "MPI_File_seek");
}

#endif
