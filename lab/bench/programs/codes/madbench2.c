/*
 * madbench2: matrices that do not fit into memory, as by MADbench2 in its I/O mode. Our own
 * writing.
 *
 * PIXELS x PIXELS matrices of doubles, one for each of BINS bins, divided evenly among the ranks.
 *   S  each bin is computed and written
 *   W  each bin is read, worked on and written back; reading is two bins ahead of writing
 *   C  each bin is read
 * A seek comes before each transfer; a bin's offset in a file is a multiple of BLOCK bytes. As in
 * the I/O mode, computing is replaced by work without messages, and a barrier before each phase is
 * the only collective call. Left out: gangs of processors, and taking turns (RMOD, WMOD > 1).
 * Unlike MADbench2, which uses stdio, it calls lseek, read and write itself.
 *
 * Source: Borill et al., Parallel Computing 35 (2009), as used by Shah, 2020, section 3.3.4: 256
 * processes, S only, a file each: 36 bins x 78 125 000 B (50000^2 x 8 / 256) = 670 GiB:
 *   madbench2 --pixels 50000 --bins 36 --phases S
 * Gomez-Sanchez et al., "A parallel I/O behavior model" (16 processes, 25 000 pixels, 8 bins): 8
 * writes, 2 reads, 6 x (write, read), 2 writes, 8 reads of 312 500 000 B.
 */
#include "code.h"

enum { AHEAD = 2 };

static long pixels = 1000, bins = 8, block = 128, work = 20000, repeat = 1;
static const char *io = "posix", *files = "own", *phases = "SWC";
static const struct code_option options[] = {
    {"pixels", "rows of a matrix", &pixels, NULL},
    {"bins", "matrices", &bins, NULL},
    {"block", "what a matrix's place in a file is a multiple of, bytes", &block, NULL},
    {"work", "thousands of operations for each bin", &work, NULL},
    {"phases", "which of S, W and C", NULL, &phases},
    {"repeat", "how often the phases are gone through", &repeat, NULL},
    {"io", "posix or mpi", NULL, &io},
    {"files", "own: one for each rank; shared: one for all", NULL, &files},
    {NULL, NULL, NULL, NULL},
};

static int posix, own, fd = -1;
static MPI_File file;
static size_t bytes, most; /* of a matrix: this rank's, and the first's, which has no less */
static char *matrix[AHEAD + 1];

static off_t place(long bin)
{
    off_t stride = (off_t)(((long)most + block - 1) / block * block);
    return own ? bin * stride : (bin * code_size + code_rank) * stride;
}

static uint64_t stamp(char phase, long bin)
{
    return ((uint64_t)phase << 48) + ((uint64_t)code_rank << 32) + ((uint64_t)bin << 20);
}

static void seek(off_t at)
{
    if (posix)
        code_seek(fd, at);
    else
        code_file_seek(file, at);
}

static void put(char phase, long bin)
{
    char *data = matrix[bin % (AHEAD + 1)];
    code_stamp(data, bytes, stamp(phase, bin));
    seek(place(bin));
    if (posix)
        code_write(fd, data, bytes, -1);
    else
        code_file_write(file, data, bytes, -1);
}

/* Reads a bin that `phase` has written. */
static void take(char phase, long bin)
{
    char *data = matrix[bin % (AHEAD + 1)];
    seek(place(bin));
    if (posix)
        code_read(fd, data, bytes, -1);
    else
        code_file_read(file, data, bytes, -1);
    code_check(data, bytes, stamp(phase, bin));
}

static void phase_s(void)
{
    code_phase("S");
    for (long bin = 0; bin < bins; bin++) {
        code_work(work);
        put('S', bin);
    }
}

static void phase_w(void)
{
    code_phase("W");
    for (long bin = 0; bin < bins + AHEAD; bin++) {
        if (bin >= AHEAD) {
            code_work(work);
            put('W', bin - AHEAD);
        }
        if (bin < bins)
            take('S', bin);
    }
}

static void phase_c(char written_by)
{
    code_phase("C");
    for (long bin = 0; bin < bins; bin++) {
        take(written_by, bin);
        code_work(work);
    }
}

int main(int argc, char **argv)
{
    code_begin("madbench2", &argc, &argv, options);
    posix = code_choice(options, io, "posix", "mpi");
    own = code_choice(options, files, "own", "shared");
    if (block < 1 || !strchr(phases, 'S'))
        code_usage(options, "S is needed, which writes what the others read, and a block", phases);
    long cells = pixels * pixels; /* the first ranks have one more where they do not divide */
    bytes = (size_t)(cells / code_size + (code_rank < cells % code_size)) * sizeof(double);
    most = (size_t)((cells + code_size - 1) / code_size) * sizeof(double);
    for (int i = 0; i <= AHEAD; i++)
        matrix[i] = code_get(bytes);
    const char *path = code_path("data", own ? code_rank : -1);
    if (posix)
        fd = code_open(path, O_CREAT | O_RDWR);
    else
        file = code_file_open(own ? MPI_COMM_SELF : MPI_COMM_WORLD, path,
                              MPI_MODE_CREATE | MPI_MODE_RDWR);
    for (long i = 0; i < repeat; i++) {
        phase_s();
        if (strchr(phases, 'W'))
            phase_w();
        if (strchr(phases, 'C'))
            phase_c(strchr(phases, 'W') ? 'W' : 'S');
    }
    code_phase(NULL);
    if (!posix)
        code_file_close(&file);
    else if (close(fd))
        code_fail("close");
    code_barrier();
    if (!code_keep && (own || code_rank == 0))
        unlink(path);
    for (int i = 0; i <= AHEAD; i++)
        free(matrix[i]);
    return code_end();
}
