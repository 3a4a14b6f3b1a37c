/*
 * bt_io: the solution of a block-tridiagonal solver, written every few steps, as by BT-IO of the
 * NAS Parallel Benchmarks. Our own writing; the solver is replaced by work.
 *
 * A cube of CELLS^3 points with five doubles each is divided among P = Q x Q ranks by diagonals: it
 * is cut into Q^3 pieces, and each rank has Q of them, one in each layer, so that a sweep in any
 * direction keeps all ranks at work. Each dump appends the whole cube, in the order of the points.
 * `--mode full`: one collective call for each dump, with types made of subarrays; `--mode simple`:
 * a call for each row of a piece, without collective buffering. At the end all is read back as it
 * was written, and compared.
 *
 * Source: Wong and Van der Wijngaart, NAS Parallel Benchmarks I/O Version 2.4 (NAS-03-002): dumps
 * every 5 of 200 steps; classes A, B, C have 64, 102, 162 points a side: 40 dumps of 10.5, 42.4,
 * 170 MB, 419 MB, 1.70 GB and 6.80 GB in all.
 *   bt_io --cells 162 --steps 200      (class C)
 */
#include "code.h"

enum { VALUES = 5 };

static long cells = 32, steps = 50, every = 5, work = 5000, verify = 1, faces = 0;
static const char *mode = "full";
static const struct code_option options[] = {
    {"cells", "points along a side of the cube", &cells, NULL},
    {"steps", "time steps", &steps, NULL},
    {"every", "steps from dump to dump", &every, NULL},
    {"work", "thousands of operations for each step", &work, NULL},
    {"faces", "bytes exchanged with two neighbours in each step, for the solver's", &faces, NULL},
    {"verify", "1: read all back at the end", &verify, NULL},
    {"mode", "full (collective) or simple", NULL, &mode},
    {NULL, NULL, NULL, NULL},
};

/* A piece of the cube: where it begins and its size, in points, z first. */
struct piece {
    int begin[3], size[3];
};

static int side; /* Q */
static struct piece *pieces;
static double *values;
static size_t bytes;
static const size_t point = VALUES * sizeof(double);

static void cut(int part, int *begin, int *size)
{
    int share = (int)cells / side, rest = (int)cells % side;
    *begin = part * share + (part < rest ? part : rest);
    *size = share + (part < rest);
}

static void divide(void)
{
    int a = code_rank % side, b = code_rank / side;
    for (int layer = 0; layer < side; layer++) {
        int part[3] = {layer, (b + layer) % side, (a + layer) % side};
        size_t points = 1;
        for (int i = 0; i < 3; i++) {
            cut(part[i], &pieces[layer].begin[i], &pieces[layer].size[i]);
            points *= (size_t)pieces[layer].size[i];
        }
        bytes += points * point;
    }
}

/* What this rank sees of a dump: its pieces, one after the other. */
static MPI_Datatype dump_type(void)
{
    MPI_Datatype cell, all, piece_type[64];
    int lengths[64], whole[3] = {(int)cells, (int)cells, (int)cells};
    MPI_Aint places[64];
    MPI_Type_contiguous((int)point, MPI_BYTE, &cell);
    for (int i = 0; i < side; i++) {
        lengths[i] = 1;
        places[i] = 0;
        MPI_Type_create_subarray(3, whole, pieces[i].size, pieces[i].begin, MPI_ORDER_C, cell,
                                 &piece_type[i]);
    }
    MPI_Type_create_struct(side, lengths, places, piece_type, &all);
    MPI_Type_commit(&all);
    for (int i = 0; i < side; i++)
        MPI_Type_free(&piece_type[i]);
    MPI_Type_free(&cell);
    return all;
}

/* The solver of BT exchanges the faces of its pieces in each step; here ranks lie in a ring. */
static void exchange(char *in, const char *out)
{
    int next = (code_rank + 1) % code_size, before = (code_rank + code_size - 1) % code_size;
    MPI_Request requests[4];
    if (!faces)
        return;
    code_irecv(in, (size_t)faces, before, 0, MPI_COMM_WORLD, &requests[0]);
    code_irecv(in + faces, (size_t)faces, next, 1, MPI_COMM_WORLD, &requests[1]);
    code_isend(out, (size_t)faces, next, 0, MPI_COMM_WORLD, &requests[2]);
    code_isend(out, (size_t)faces, before, 1, MPI_COMM_WORLD, &requests[3]);
    code_wait(4, requests);
}

static void fill(long dump)
{
    size_t count = bytes / sizeof *values;
    for (size_t i = 0; i < count; i++)
        values[i] = (double)((size_t)dump * 1000 + (size_t)code_rank) + 1e-6 * (double)(i % 1000);
}

/* Moves the rows of this rank's pieces one by one. */
static void rows(MPI_File file, long dump, int writing)
{
    const char *data = (const char *)values;
    for (int i = 0; i < side; i++) {
        const struct piece *p = &pieces[i];
        size_t row = (size_t)p->size[2] * point;
        for (int z = p->begin[0]; z < p->begin[0] + p->size[0]; z++)
            for (int y = p->begin[1]; y < p->begin[1] + p->size[1]; y++, data += row) {
                MPI_Offset at = ((dump * cells + z) * cells + y) * cells + p->begin[2];
                if (writing)
                    code_file_write(file, data, row, at * (MPI_Offset)point);
                else
                    code_file_read(file, (char *)data, row, at * (MPI_Offset)point);
            }
    }
}

static void check(long dump)
{
    size_t count = bytes / sizeof *values;
    double first = (double)((size_t)dump * 1000 + (size_t)code_rank);
    for (size_t i = 0; i < count; i++)
        code_wrong += values[i] != first + 1e-6 * (double)(i % 1000);
}

/* Opens the file; in mode full each rank sees its part of dump after dump. */
static MPI_File open_file(int full, int access)
{
    MPI_File file = code_file_open(MPI_COMM_WORLD, code_path("data", -1), access);
    if (full) {
        MPI_Datatype type = dump_type();
        code_file_view(file, 0, type);
        MPI_Type_free(&type);
    }
    return file;
}

int main(int argc, char **argv)
{
    code_begin("bt_io", &argc, &argv, options);
    int full = code_choice(options, mode, "full", "simple");
    while ((side + 1) * (side + 1) <= code_size)
        side++;
    if (side * side != code_size || side > 64 || cells < side || cells > 1000 || every < 1)
        code_usage(options, "they must be 1, 4, 9, 16 ..., and each needs a cell", "ranks");
    pieces = code_get((size_t)side * sizeof *pieces);
    divide();
    values = code_get(bytes);
    long dump, dumps = steps / every;
    MPI_File file = open_file(full, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    code_phase("write");
    char *face = code_get((size_t)faces * 3 + 1);
    for (dump = 0; dump < dumps; dump++) {
        for (long step = 0; step < every; step++) {
            code_work(work);
            exchange(face, face + 2 * faces);
        }
        fill(dump);
        if (full)
            code_file_write_all(file, values, bytes, -1);
        else
            rows(file, dump, 1);
    }
    code_phase(NULL);
    code_file_close(&file);
    if (verify) {
        file = open_file(full, MPI_MODE_RDONLY);
        code_phase("read");
        for (dump = 0; dump < dumps; dump++) {
            if (full)
                code_file_read_all(file, values, bytes, -1);
            else
                rows(file, dump, 0);
            check(dump);
        }
        code_phase(NULL);
        code_file_close(&file);
    }
    code_barrier();
    if (!code_keep && code_rank == 0)
        unlink(code_path("data", -1));
    free(values), free(pieces), free(face);
    return code_end();
}
