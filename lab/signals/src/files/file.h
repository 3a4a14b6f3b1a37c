/* file.h: one open file of a pattern, by POSIX calls or by MPI-IO.
 *
 * Every call of a pattern on a file goes through here and is counted here; nothing else in the
 * program makes a counted call. Calls return false after jst_fail(), which names file and cause. */
#ifndef JST_SIGNAL_FILE_H
#define JST_SIGNAL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jst_api { JST_POSIX, JST_MPIIO };

struct jst_run;

struct jst_file {
    enum jst_api api;
    bool open;
    bool shared; /* MPI-IO: opened by all ranks together */
    int fd;
    void *handle;
    char path[4096];
};

enum jst_open {
    JST_OPEN_NEW = 1,   /* O_CREAT | O_TRUNC; never O_TRUNC where the file is shared */
    JST_OPEN_READ = 2,  /* O_RDWR instead of O_WRONLY */
    JST_OPEN_REUSE = 4, /* O_CREAT, and what is in it stays */
};

bool jst_file_open(struct jst_run *run, struct jst_file *file, const char *path, int how);
/* The whole size, in calls of at most the run's piece; short writes are continued. */
bool jst_file_write(struct jst_run *run, struct jst_file *file, const void *data, size_t size);
/* data is overwritten piece by piece: the buffer holds one piece. False at the end of the file. */
bool jst_file_read(struct jst_run *run, struct jst_file *file, void *data, size_t size);
bool jst_file_seek(struct jst_run *run, struct jst_file *file, int64_t offset);
bool jst_file_sync(struct jst_run *run, struct jst_file *file);
bool jst_file_close(struct jst_run *run, struct jst_file *file);

/* The remedy where a full file system may be why a call failed; NULL: it is not full. */
const char *jst_file_fix_of_full(const struct jst_run *run);

#ifdef JST_MPI
bool jst_mpi_file_open(struct jst_run *run, struct jst_file *file, int how);
bool jst_mpi_file_write(struct jst_run *run, struct jst_file *file, const void *data, size_t size);
bool jst_mpi_file_read(struct jst_run *run, struct jst_file *file, void *data, size_t size);
bool jst_mpi_file_seek(struct jst_run *run, struct jst_file *file, int64_t offset);
bool jst_mpi_file_sync(struct jst_run *run, struct jst_file *file);
bool jst_mpi_file_close(struct jst_run *run, struct jst_file *file);
#endif

#endif
