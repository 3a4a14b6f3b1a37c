/* file.c: the calls of the file patterns by POSIX, and the dispatch to those by MPI-IO. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../signal.h"
#include "folder.h"

const char *jst_file_fix_of_full(const struct jst_run *run)
{
    uint64_t space;

    if (jst_folder_space(run->folder, &space) != 0)
        return NULL;
    if (space >= run->options.piece && space >= run->disk_reserve / 2)
        return NULL;
    return "its file system is nearly full: free space there, choose another --dir, or lower "
           "--volume or --max-disk";
}

static const char *fix_of(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "free space there, choose another --dir, or lower --volume or --max-disk";
    case EINVAL:
        return "does its file system take --direct, and whole blocks as --chunk and --piece?";
    case EFBIG:
        return "raise the limit (ulimit -f), or lower --volume or --chunk";
    case EMFILE:
    case ENFILE:
        return "raise the limit of open files (ulimit -n)";
    case EACCES:
    case EPERM:
    case EROFS:
        return "choose a --dir that you may write to";
    case EIO:
    case ENOTCONN:
    case ESTALE:
        return "is its server still there? see dmesg";
    default:
        return "is --dir still there?";
    }
}

static bool failed(struct jst_run *run, const struct jst_file *file, const char *call, int error)
{
    /* NOTE: SFTP has no error code for a full disk, and sshfs returns EIO. */
    const char *full = error == EIO ? jst_file_fix_of_full(run) : NULL;

    return jst_fail(run, "%s: %s failed: %s (errno %d); %s", file->path, call, strerror(error),
                    error, full ? full : fix_of(error));
}

bool jst_file_open(struct jst_run *run, struct jst_file *file, const char *path, int how)
{
    snprintf(file->path, sizeof file->path, "%s", path);
    file->api = run->options.api;
    file->shared = run->options.shared;
#ifdef JST_MPI
    if (file->api == JST_MPIIO)
        return jst_mpi_file_open(run, file, how);
#endif
    int flags = (how & JST_OPEN_READ ? O_RDWR : O_WRONLY) | O_CREAT;
    /* A shared file must not lose what another has written already; it is new by its name. */
    if ((how & JST_OPEN_NEW) && !file->shared)
        flags |= O_TRUNC;
    if (run->options.direct)
        flags |= O_DIRECT;
    file->fd = open(path, flags | O_CLOEXEC, 0600);
    if (file->fd < 0)
        return failed(run, file, "open", errno);
    file->open = true;
    run->counts.opens++;
    return true;
}

static bool write_piece(struct jst_run *run, struct jst_file *file, const char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(file->fd, data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed(run, file, "write", errno);
        run->counts.writes++;
        done += (size_t)n;
        if (n == 0)
            return failed(run, file, "write", ENOSPC);
    }
    return true;
}

static bool read_piece(struct jst_run *run, struct jst_file *file, char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(file->fd, data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed(run, file, "read", errno);
        run->counts.reads++;
        done += (size_t)n;
        if (n == 0)
            return jst_fail(run,
                            "%s ends before it should: another program has truncated it; leave "
                            "its folder alone while a signal runs",
                            file->path);
    }
    return true;
}

bool jst_file_write(struct jst_run *run, struct jst_file *file, const void *data, size_t size)
{
    const size_t piece = run->options.piece;

    for (size_t done = 0; done < size; done += piece) {
        size_t part = size - done < piece ? size - done : piece;
#ifdef JST_MPI
        if (file->api == JST_MPIIO) {
            if (!jst_mpi_file_write(run, file, data, part))
                return false;
            continue;
        }
#endif
        if (!write_piece(run, file, data, part))
            return false;
    }
    return true;
}

bool jst_file_read(struct jst_run *run, struct jst_file *file, void *data, size_t size)
{
    const size_t piece = run->options.piece;

    for (size_t done = 0; done < size; done += piece) {
        size_t part = size - done < piece ? size - done : piece;
#ifdef JST_MPI
        if (file->api == JST_MPIIO) {
            if (!jst_mpi_file_read(run, file, data, part))
                return false;
            continue;
        }
#endif
        if (!read_piece(run, file, data, part))
            return false;
    }
    return true;
}

bool jst_file_seek(struct jst_run *run, struct jst_file *file, int64_t offset)
{
#ifdef JST_MPI
    if (file->api == JST_MPIIO)
        return jst_mpi_file_seek(run, file, offset);
#endif
    if (lseek(file->fd, offset, SEEK_SET) < 0)
        return failed(run, file, "lseek", errno);
    run->counts.seeks++;
    return true;
}

bool jst_file_sync(struct jst_run *run, struct jst_file *file)
{
#ifdef JST_MPI
    if (file->api == JST_MPIIO)
        return jst_mpi_file_sync(run, file);
#endif
    while (fsync(file->fd) != 0)
        if (errno != EINTR)
            return failed(run, file, "fsync", errno);
    run->counts.syncs++;
    return true;
}

bool jst_file_close(struct jst_run *run, struct jst_file *file)
{
    if (!file->open)
        return true;
    file->open = false;
#ifdef JST_MPI
    if (file->api == JST_MPIIO)
        return jst_mpi_file_close(run, file);
#endif
    run->counts.closes++;
    if (close(file->fd) != 0 && errno != EINTR)
        return failed(run, file, "close", errno);
    return true;
}
