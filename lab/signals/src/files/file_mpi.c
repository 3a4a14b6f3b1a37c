/* file_mpi.c: the calls of the file patterns by MPI-IO, as in the thesis. */
#ifdef JST_MPI

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../signal.h"

MPI_Comm *jst_team_communicator(void);

static bool failed(struct jst_run *run, const struct jst_file *file, const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0, class = 0;

    MPI_Error_string(code, text, &length);
    MPI_Error_class(code, &class);
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    const char *full = class == MPI_ERR_IO ? jst_file_fix_of_full(run) : NULL;
    if (class == MPI_ERR_NO_SPACE || class == MPI_ERR_QUOTA)
        full = "free space there, choose another --dir, or lower --volume or --max-disk";
    return jst_fail(run, "%s: %s failed: %.300s; %s", file->path, call, text,
                    full ? full : "does every node have --dir, with free space for you?");
}

static MPI_File handle_of(const struct jst_file *file)
{
    return *(MPI_File *)file->handle;
}

bool jst_mpi_file_open(struct jst_run *run, struct jst_file *file, int how)
{
    int mode = MPI_MODE_CREATE | (how & JST_OPEN_READ ? MPI_MODE_RDWR : MPI_MODE_WRONLY);

    if (!file->handle && !(file->handle = malloc(sizeof(MPI_File))))
        return jst_fail(run, "out of memory; nothing can be done with less than this");
    int code = MPI_File_open(file->shared ? *jst_team_communicator() : MPI_COMM_SELF, file->path,
                             mode, MPI_INFO_NULL, file->handle);
    if (code != MPI_SUCCESS)
        return failed(run, file, "MPI_File_open", code);
    file->open = true;
    run->counts.opens++;
    return true;
}

bool jst_mpi_file_write(struct jst_run *run, struct jst_file *file, const void *data, size_t size)
{
    MPI_Status status;
    int count = 0;
    int code = MPI_File_write(handle_of(file), data, (int)size, MPI_BYTE, &status);

    if (code != MPI_SUCCESS)
        return failed(run, file, "MPI_File_write", code);
    run->counts.writes++;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (count != (int)size)
        return jst_fail(run,
                        "%s: MPI_File_write wrote %d of %zu bytes; free space there, choose "
                        "another --dir, or lower --volume or --max-disk",
                        file->path, count, size);
    return true;
}

bool jst_mpi_file_read(struct jst_run *run, struct jst_file *file, void *data, size_t size)
{
    MPI_Status status;
    int count = 0;
    int code = MPI_File_read(handle_of(file), data, (int)size, MPI_BYTE, &status);

    if (code != MPI_SUCCESS)
        return failed(run, file, "MPI_File_read", code);
    run->counts.reads++;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (count != (int)size)
        return jst_fail(run,
                        "%s ends before it should: another program has truncated it; leave its "
                        "folder alone while a signal runs",
                        file->path);
    return true;
}

bool jst_mpi_file_seek(struct jst_run *run, struct jst_file *file, int64_t offset)
{
    int code = MPI_File_seek(handle_of(file), offset, MPI_SEEK_SET);
    if (code != MPI_SUCCESS)
        return failed(run, file, "MPI_File_seek", code);
    run->counts.seeks++;
    return true;
}

bool jst_mpi_file_sync(struct jst_run *run, struct jst_file *file)
{
    int code = MPI_File_sync(handle_of(file));
    if (code != MPI_SUCCESS)
        return failed(run, file, "MPI_File_sync", code);
    run->counts.syncs++;
    return true;
}

bool jst_mpi_file_close(struct jst_run *run, struct jst_file *file)
{
    int code = MPI_File_close(file->handle);
    run->counts.closes++;
    return code == MPI_SUCCESS || failed(run, file, "MPI_File_close", code);
}

#endif
