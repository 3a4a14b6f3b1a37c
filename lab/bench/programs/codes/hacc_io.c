/*
 * hacc_io: checkpoints of particles, as by HACC-IO. Our own writing.
 *
 * Each rank writes its particles variable by variable: xx yy zz vx vy vz phi (float), pid (64-bit
 * integer), mask (16-bit integer), 38 bytes a particle, behind a header of 24 MiB; then the restart
 * reads all of it back and compares. One file for each rank, or one for all with a part for each.
 *
 * Source: README of HACC-IO (variables, sizes); Shah, 2020, section 3.3.4: 256 processes, POSIX, a
 * file each of 3.6 GiB in chunks of 381 MiB, without the restart:
 *   hacc_io --particles 100000000 --steps 1 --restart 0
 * (10^8 x 4 B = 381.5 MiB; 38 x 10^8 B + 24 MiB = 3.56 GiB).
 */
#include "code.h"

enum { VARIABLES = 9, LARGEST = 8 };
static const size_t width[VARIABLES] = {4, 4, 4, 4, 4, 4, 4, 8, 2};

static long particles = 200000, header = 24 << 20, steps = 2, restart = 1;
static const char *io = "posix", *files = "own";
static const struct code_option options[] = {
    {"particles", "particles of each rank", &particles, NULL},
    {"header", "bytes in front of each file", &header, NULL},
    {"steps", "checkpoints, each in new files", &steps, NULL},
    {"restart", "1: read each checkpoint back and compare, 0: do not", &restart, NULL},
    {"io", "posix or mpi", NULL, &io},
    {"files", "own: one for each rank; shared: one for all", NULL, &files},
    {NULL, NULL, NULL, NULL},
};

static int posix, own;
static char *buffer;

/* A file, by whichever interface is used. */
static struct {
    int fd;
    MPI_File handle;
} file;

static const char *path(long step)
{
    char kind[32];
    snprintf(kind, sizeof kind, "%ld", step);
    return code_path(kind, own ? code_rank : -1);
}

static void open_file(long step, int writing)
{
    if (posix)
        file.fd = code_open(path(step), writing ? O_CREAT | O_WRONLY : O_RDONLY);
    else
        file.handle = code_file_open(own ? MPI_COMM_SELF : MPI_COMM_WORLD, path(step),
                                     writing ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY);
}

static void close_file(void)
{
    if (!posix)
        code_file_close(&file.handle);
    else if (close(file.fd))
        code_fail("close");
}

static void put(off_t at, size_t bytes, uint64_t seed)
{
    code_stamp(buffer, bytes, seed);
    if (posix)
        code_write(file.fd, buffer, bytes, own ? -1 : at);
    else
        code_file_write(file.handle, buffer, bytes, at);
}

static void take(off_t at, size_t bytes, uint64_t seed)
{
    if (posix)
        code_read(file.fd, buffer, bytes, own ? -1 : at);
    else
        code_file_read(file.handle, buffer, bytes, at);
    code_check(buffer, bytes, seed);
}

/* All of a file that is this rank's, in order: the header, then variable after variable. */
static void all_of(void (*move)(off_t, size_t, uint64_t))
{
    off_t at = header + (own ? 0 : (off_t)code_rank * particles * 38);
    if (header && (own || code_rank == 0))
        move(0, (size_t)header, 7);
    for (int i = 0; i < VARIABLES; i++) {
        size_t bytes = (size_t)particles * width[i];
        if (bytes)
            move(at, bytes, ((uint64_t)code_rank << 32) + ((uint64_t)i << 24));
        at += (off_t)bytes;
    }
}

int main(int argc, char **argv)
{
    code_begin("hacc_io", &argc, &argv, options);
    posix = code_choice(options, io, "posix", "mpi");
    own = code_choice(options, files, "own", "shared");
    size_t most = (size_t)particles * LARGEST;
    buffer = code_get(most > (size_t)header ? most : (size_t)header);
    for (long step = 0; step < steps; step++) {
        code_phase("checkpoint");
        open_file(step, 1);
        all_of(put);
        close_file();
        if (restart) {
            code_phase("restart");
            open_file(step, 0);
            all_of(take);
            close_file();
        }
        code_phase(NULL);
        code_barrier();
        if (!code_keep && (own || code_rank == 0))
            unlink(path(step));
    }
    free(buffer);
    return code_end();
}
