/*
 * flash_io: the checkpoint and the two plot files of the FLASH I/O benchmark. Our own writing, by
 * MPI-IO alone.
 *
 * Each rank has 80, 81 or 82 blocks (BLOCKS plus its rank modulo 3) of CELLS^3 cells with 24 unknowns
 * and four guard cells on each side. A file is one dataset after the other, each with the blocks of
 * all ranks in their order, written by one collective call: six small ones about the blocks (164
 * bytes a block), then an unknown each, whose cells are first taken out of their guard cells. The
 * checkpoint has all 24; the plot files have four, at the centres and at the corners of the cells
 * (CELLS + 1 along each side).
 *
 * Source: READMEs of the FLASH I/O benchmark (Zingale) and of its form for PnetCDF (Northwestern
 * University), which prints for 512 ranks and 16^3 cells 31109.74 MiB, 5190.36 MiB and 6224.35 MiB:
 *   flash_io --cells 16
 */
#include "code.h"

enum { UNKNOWNS = 24, PLOTTED = 4, GUARD = 4, DATASETS = 6 };

/* Level, kind, 15 neighbours, centre, size and corners of a block: bytes of each. */
static const size_t about_block[DATASETS] = {4, 4, 60, 24, 24, 48};

static long cells = 8, block_base = 80, work = 50000, repeat = 1;
static const struct code_option options[] = {
    {"cells", "cells along a side of a block", &cells, NULL},
    {"blocks", "least blocks of a rank", &block_base, NULL},
    {"work", "thousands of operations before each file", &work, NULL},
    {"repeat", "how often the three files are written", &repeat, NULL},
    {NULL, NULL, NULL, NULL},
};

static long blocks, first, all_blocks; /* this rank's, those before, and of all ranks */
static double *unknown, *packed;

static long blocks_before(int rank)
{
    return block_base * rank + rank / 3 * 3 + (rank % 3 == 2);
}

/* Takes the inner cells, or corners, of all blocks out of their guard cells. */
static void pack(long inner)
{
    long outer = cells + 2 * GUARD;
    double *to = packed;
    for (long block = 0; block < blocks; block++)
        for (long z = 0; z < inner; z++)
            for (long y = 0; y < inner; y++, to += inner) {
                long row = ((block * outer + z + GUARD) * outer + y + GUARD) * outer + GUARD;
                memcpy(to, unknown + row, (size_t)inner * sizeof *to);
            }
}

/* Appends a dataset; `at` is where it begins, of all ranks. */
static void dataset(MPI_File file, MPI_Offset *at, size_t block_bytes)
{
    code_file_write_all(file, packed, (size_t)blocks * block_bytes,
                        *at + first * (MPI_Offset)block_bytes);
    *at += all_blocks * (MPI_Offset)block_bytes;
}

static void write_file(const char *kind, int unknowns, long inner)
{
    const char *path = code_path(kind, -1);
    MPI_Offset at = 0;
    code_phase(kind);
    code_work(work);
    MPI_File file = code_file_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    for (int i = 0; i < DATASETS; i++)
        dataset(file, &at, about_block[i]);
    for (int i = 0; i < unknowns; i++) {
        pack(inner);
        dataset(file, &at, (size_t)(inner * inner * inner) * sizeof *packed);
    }
    code_file_close(&file);
    code_phase(NULL);
    code_barrier();
    if (!code_keep && code_rank == 0)
        unlink(path);
}

int main(int argc, char **argv)
{
    code_begin("flash_io", &argc, &argv, options);
    if (cells < 1 || cells > 128)
        code_usage(options, "it must be from 1 to 128", "--cells");
    long outer = cells + 2 * GUARD, corners = cells + 1;
    blocks = block_base + code_rank % 3;
    first = blocks_before(code_rank);
    all_blocks = blocks_before(code_size);
    size_t count = (size_t)(blocks * outer * outer * outer);
    unknown = code_get(count * sizeof *unknown);
    packed = code_get((size_t)(blocks * corners * corners * corners) * sizeof *packed + 64);
    for (size_t i = 0; i < count; i++)
        unknown[i] = (double)(i % 1009);
    for (long i = 0; i < repeat; i++) {
        write_file("checkpoint", UNKNOWNS, cells);
        write_file("plot", PLOTTED, cells);
        write_file("corners", PLOTTED, corners);
    }
    free(unknown), free(packed);
    return code_end();
}
