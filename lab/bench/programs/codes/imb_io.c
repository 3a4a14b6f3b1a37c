/*
 * imb_io: the writes P_Write_Priv and P_Write_Indv of IMB-IO in aggregate mode, as Kuo ran them. Our
 * own writing.
 *
 * SIZE bytes, divided among the ranks however many they are, are written TIMES times, each time
 * behind the last; at the very end one synchronisation ensures that all is in the file: File_sync,
 * Barrier, File_sync. `--files own`: a file for each rank (private mode, P_Write_Priv). `--files
 * shared`: one file through individual pointers, whose view shows each rank its tile (shared mode,
 * P_Write_Indv). `--reuse 1` writes to the same offset every time.
 *
 * Source: Kuo et al., 2013, section 2.3: 16 MiB x 1000 by 1, 12, 36 or 60 processes; guide of the
 * Intel MPI Benchmarks, IMB-IO blocking benchmarks.
 *   imb_io --size 16m --times 1000
 * With equal volumes, process counts nL >= nS and alone tL and tS, Kuo's model gives for two that
 * share a link: tL' = tL (nL + nS) / nL and tS' = tS + tL.
 */
#include "code.h"

static long size = 16 << 20, times = 20, reuse;
static const char *files = "own";
static const struct code_option options[] = {
    {"size", "bytes of all ranks together, each time", &size, NULL},
    {"times", "how often", &times, NULL},
    {"reuse", "1: write the same place every time", &reuse, NULL},
    {"files", "own: one for each rank; shared: one for all", NULL, &files},
    {NULL, NULL, NULL, NULL},
};

/* Sets a rank's view to its tile of each time's SIZE bytes. */
static void view(MPI_File file, long bytes, long before)
{
    MPI_Datatype tile, tiled;
    MPI_Type_contiguous(code_int((size_t)bytes), MPI_BYTE, &tile);
    MPI_Type_create_resized(tile, 0, size, &tiled);
    MPI_Type_commit(&tiled);
    code_file_view(file, before, tiled);
    MPI_Type_free(&tiled);
    MPI_Type_free(&tile);
}

int main(int argc, char **argv)
{
    code_begin("imb_io", &argc, &argv, options);
    int own = code_choice(options, files, "own", "shared");
    long share = size / code_size, rest = size % code_size;
    long bytes = share + (code_rank < rest);
    long before = share * code_rank + (code_rank < rest ? code_rank : rest);
    if (share < 1)
        code_usage(options, "there must be a byte for each rank", "--size");
    char *buffer = code_get((size_t)bytes);
    const char *path = code_path("data", own ? code_rank : -1);
    MPI_File file = code_file_open(own ? MPI_COMM_SELF : MPI_COMM_WORLD, path,
                                   MPI_MODE_CREATE | MPI_MODE_WRONLY);
    if (!own)
        view(file, bytes, before);
    code_phase("write");
    for (long i = 0; i < times; i++) {
        code_stamp(buffer, (size_t)bytes, (uint64_t)i);
        if (reuse)
            code_file_seek(file, 0);
        code_file_write(file, buffer, (size_t)bytes, -1);
    }
    code_file_sync(file);
    code_barrier();
    code_file_sync(file);
    code_phase(NULL);
    code_file_close(&file);
    code_barrier();
    if (!code_keep && (own || code_rank == 0))
        unlink(path);
    free(buffer);
    return code_end();
}
