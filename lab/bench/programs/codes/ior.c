/*
 * ior: segments, blocks and transfers, as by IOR. Our own writing.
 *
 * A file has SEGMENTS segments; each has a block of BLOCK bytes of every rank, which is moved in
 * transfers of TRANSFER bytes. With a file for each rank its segments hold its own blocks only.
 * `--random 1` moves a rank's transfers in an order that is shuffled, the same in every run.
 * `--reorder 1` lets each rank read what the next one wrote, so that no cache of its node helps.
 *
 * Source: user guide and tutorial of IOR (hpc/ior): bytes = BLOCK x SEGMENTS x ranks (-t 1m -b 16m
 * -s 16 with 64 ranks: 16 GiB); -F, -e, -z, -C, -c and -i are --files own, --fsync, --random,
 * --reorder, --collective and --repeat.
 *   ior --transfer 1m --block 16m --segments 16
 */
#include "code.h"

static long segments = 4, block = 4 << 20, transfer = 1 << 20, do_write = 1, do_read = 1;
static long do_fsync, shuffled, reorder, collective, repeat = 1;
static const char *io = "posix", *files = "shared";
static const struct code_option options[] = {
    {"segments", "segments of a file", &segments, NULL},
    {"block", "bytes of a rank in a segment", &block, NULL},
    {"transfer", "bytes of a call", &transfer, NULL},
    {"write", "1: write", &do_write, NULL},
    {"read", "1: read and compare", &do_read, NULL},
    {"fsync", "1: fsync at the end of writing", &do_fsync, NULL},
    {"random", "1: in random order", &shuffled, NULL},
    {"reorder", "1: read what the next rank wrote", &reorder, NULL},
    {"collective", "1: collective calls (--io mpi)", &collective, NULL},
    {"repeat", "times all is done", &repeat, NULL},
    {"io", "posix or mpi", NULL, &io},
    {"files", "own: one for each rank; shared: one for all", NULL, &files},
    {NULL, NULL, NULL, NULL},
};

static int posix, own, fd;
static MPI_File file;
static char *buffer;
static long *order, transfers;

/* Fisher and Yates, with a generator that is the same everywhere. */
static void shuffle(void)
{
    uint64_t state = 0x9e3779b97f4a7c15u + (uint64_t)code_rank;
    for (long i = 0; i < transfers; i++)
        order[i] = i;
    for (long i = transfers - 1; i > 0 && shuffled; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        long j = (long)((state >> 33) % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

static void open_file(int rank, int writing)
{
    const char *path = code_path("data", own ? rank : -1);
    if (posix)
        fd = code_open(path, writing ? O_CREAT | O_WRONLY : O_RDONLY);
    else
        file = code_file_open(own ? MPI_COMM_SELF : MPI_COMM_WORLD, path,
                              writing ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY);
}

static void close_file(int synced)
{
    if (!posix) {
        if (synced)
            code_file_sync(file);
        code_file_close(&file);
        return;
    }
    if (synced)
        code_sync(fd);
    if (close(fd))
        code_fail("close");
}

static void put(off_t at)
{
    size_t bytes = (size_t)transfer;
    if (posix)
        code_write(fd, buffer, bytes, at);
    else if (collective)
        code_file_write_all(file, buffer, bytes, at);
    else
        code_file_write(file, buffer, bytes, at);
}

static void take(off_t at)
{
    size_t bytes = (size_t)transfer;
    if (posix)
        code_read(fd, buffer, bytes, at);
    else if (collective)
        code_file_read_all(file, buffer, bytes, at);
    else
        code_file_read(file, buffer, bytes, at);
}

static void move(int rank, int writing)
{
    long in_block = block / transfer;
    for (long i = 0; i < transfers; i++) {
        long segment = order[i] / in_block, piece = order[i] % in_block;
        long blocks = own ? segment : segment * code_size + rank;
        off_t at = (off_t)blocks * block + (off_t)piece * transfer;
        uint64_t seed = ((uint64_t)rank << 40) + (uint64_t)(order[i] * (transfer / CODE_PAGE + 1));
        if (writing) {
            code_stamp(buffer, (size_t)transfer, seed);
            put(at);
        } else {
            take(at);
            code_check(buffer, (size_t)transfer, seed);
        }
    }
}

int main(int argc, char **argv)
{
    code_begin("ior", &argc, &argv, options);
    posix = code_choice(options, io, "posix", "mpi");
    own = code_choice(options, files, "own", "shared");
    if (transfer < 1 || block % transfer)
        code_usage(options, "a block must be a number of transfers", "--transfer");
    transfers = segments * (block / transfer);
    order = code_get((size_t)transfers * sizeof *order);
    buffer = code_get((size_t)transfer);
    shuffle();
    for (long i = 0; i < repeat; i++) {
        if (do_write) {
            code_phase("write");
            open_file(code_rank, 1);
            move(code_rank, 1);
            close_file(do_fsync != 0);
        }
        if (do_read) {
            int rank = reorder ? (code_rank + 1) % code_size : code_rank;
            code_phase("read");
            open_file(rank, 0);
            move(rank, 0);
            close_file(0);
        }
        code_phase(NULL);
    }
    code_barrier();
    if (!code_keep && (own || code_rank == 0))
        unlink(code_path("data", own ? code_rank : -1));
    free(buffer), free(order);
    return code_end();
}
