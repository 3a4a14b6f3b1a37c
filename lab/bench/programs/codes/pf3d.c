/*
 * pf3d: light through a plasma, as pF3D computes it: Fourier transforms of planes by all-to-alls on
 * sub-communicators, and planes passed on along the beam. Our own writing.
 *
 * The ranks form a grid PX x PY x PZ; each has a block of NX x NY x NZ zones of complex floats. In
 * each step every xy-plane is transformed forth and back: all-to-alls among the ranks of a row (same
 * y and z) assemble rows and return them, all-to-alls among those of a column do the same for
 * columns: 8 for each plane, of NX NY / PX and NX NY / PY x 8 bytes to each rank. Then each of WAVES
 * waves passes its last three planes up the beam and its first three down it (Send, Recv).
 *
 * Source: Bhatele et al., 2013, section 2 and table 2: on Hopper 32 x 16 x 16 ranks, 128 x 128 x
 * 8 zones: 4 kB and 8 kB to each rank, planes of 384 kB, and 3.6 times as many bytes in transforms
 * as along the beam (with three waves, 3.56).
 *   pf3d --px 32 --py 16 --nx 128 --ny 128 --nz 8       (8192 ranks)
 */
#include <complex.h>
#include <math.h>

#include "code.h"

enum { PASSED = 3 };
typedef float complex zone;

static long nx = 64, ny = 64, nz = 4, px, py, waves = 3, steps = 60;
static const struct code_option options[] = {
    {"nx", "zones of a rank along x", &nx, NULL},
    {"ny", "along y", &ny, NULL},
    {"nz", "along z, the beam", &nz, NULL},
    {"px", "ranks along x; 0: chosen", &px, NULL},
    {"py", "ranks along y; 0: chosen", &py, NULL},
    {"waves", "waves passed along the beam", &waves, NULL},
    {"steps", "time steps", &steps, NULL},
    {NULL, NULL, NULL, NULL},
};

static int pz, here;         /* ranks along z, and this rank's position among them */
static MPI_Comm row, column; /* of the ranks of an xy-slab */
static zone *block, *sent, *received, *passed;
static long most;   /* half the length of the longest line */
static zone *turns; /* exp(-i pi k / most) */

/* One transform in place, of a power of two; sign -1 forth, 1 back. */
static void fourier(zone *line, long n, int sign)
{
    for (long i = 1, j = 0; i < n; i++) {
        long bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j |= bit;
        if (i < j) {
            zone kept = line[i];
            line[i] = line[j];
            line[j] = kept;
        }
    }
    for (long half = 1; half < n; half *= 2)
        for (long k = 0; k < half; k++) {
            zone root = turns[k * (most / half)];
            if (sign > 0)
                root = conjf(root);
            for (long i = k; i < n; i += 2 * half) {
                zone b = root * line[i + half];
                line[i + half] = line[i] - b;
                line[i] += b;
            }
        }
}

static void all_to_all(const zone *from, zone *to, long each, long ranks, MPI_Comm comm)
{
    int bytes = code_int((size_t)each * sizeof(zone));
    COUNT(mpi_all_to_all_ops, 1);
    COUNT(mpi_all_to_all_bytes, bytes * ranks);
    MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, comm);
}

/* Transforms the lines of a plane along one dimension, which `ranks` ranks share. A line has `n`
 * zones here, `step` apart; there are `lines` of them, `apart` apart. */
static void transform(zone *plane, long n, long step, long lines, long apart, long ranks,
                      MPI_Comm comm, int sign)
{
    long share = lines / ranks, each = share * n;
    for (long line = 0; line < lines; line++)
        for (long i = 0; i < n; i++)
            sent[line * n + i] = plane[line * apart + i * step];
    all_to_all(sent, received, each, ranks, comm);
    for (long line = 0; line < share; line++) {
        zone *whole = sent + line * n * ranks;
        for (long from = 0; from < ranks; from++)
            memcpy(whole + from * n, received + from * each + line * n, (size_t)n * sizeof(zone));
        fourier(whole, n * ranks, sign);
        for (long to = 0; to < ranks; to++)
            memcpy(received + to * each + line * n, whole + to * n, (size_t)n * sizeof(zone));
    }
    all_to_all(received, sent, each, ranks, comm);
    for (long line = 0; line < lines; line++)
        for (long i = 0; i < n; i++)
            plane[line * apart + i * step] = sent[line * n + i];
}

static void light(void)
{
    float scale = 1 / (float)(nx * px * ny * py);
    for (long z = 0; z < nz; z++) {
        zone *plane = block + z * nx * ny;
        transform(plane, nx, 1, ny, nx, px, row, -1);
        transform(plane, ny, nx, nx, 1, py, column, -1);
        transform(plane, ny, nx, nx, 1, py, column, 1);
        transform(plane, nx, 1, ny, nx, px, row, 1);
        for (long i = 0; i < nx * ny; i++)
            plane[i] *= scale;
    }
}

/* Ranks along the beam take turns: those at even places send first. */
static void pass(int to, int from, const zone *planes)
{
    size_t bytes = (size_t)(PASSED * nx * ny) * sizeof(zone);
    for (int turn = 0; turn < 2; turn++)
        if ((here + turn) % 2 == 0) {
            if (to >= 0)
                code_send(planes, bytes, to, 0, MPI_COMM_WORLD);
        } else if (from >= 0)
            code_recv(passed, bytes, from, 0, MPI_COMM_WORLD);
}

static void advect(void)
{
    int slab = (int)(px * py);
    int up = here < pz - 1 ? code_rank + slab : -1, down = here > 0 ? code_rank - slab : -1;
    for (long wave = 0; wave < waves; wave++) {
        pass(up, down, block + (nz - PASSED) * nx * ny);
        pass(down, up, block);
    }
}

static void arrange(void)
{
    int grid[3] = {(int)px, (int)py, 0};
    if ((px && code_size % px) || (py && code_size % (py * (px ? px : 1))))
        code_usage(options, "they must be a multiple of px x py", "ranks");
    MPI_Dims_create(code_size, 3, grid);
    px = grid[0], py = grid[1], pz = grid[2];
    if (nx < 1 || ny < 1 || nz < PASSED || (nx * px & (nx * px - 1)) || (ny * py & (ny * py - 1)) ||
        ny % px || nx % py)
        code_usage(options, "nx px and ny py must be powers of two, and nz 3 or more", "zones");
    int x = (int)(code_rank % px), y = (int)(code_rank / px % py);
    here = (int)(code_rank / (px * py));
    COUNT(mpi_comm_ops, 2);
    MPI_Comm_split(MPI_COMM_WORLD, (int)(here * py) + y, x, &row);
    MPI_Comm_split(MPI_COMM_WORLD, (int)(here * px) + x, y, &column);
}

static void make_turns(void)
{
    long longest = nx * px > ny * py ? nx * px : ny * py;
    most = longest > 1 ? longest / 2 : 1;
    turns = code_get((size_t)most * sizeof *turns);
    for (long k = 0; k < most; k++)
        turns[k] = (zone)cexp(-I * M_PI * (double)k / (double)most);
}

static zone initial(long i)
{
    return (float)((i * 7 + code_rank) % 13) - 6;
}

int main(int argc, char **argv)
{
    code_begin("pf3d", &argc, &argv, options);
    arrange();
    make_turns();
    size_t plane = (size_t)(nx * ny) * sizeof(zone);
    block = code_get(plane * (size_t)nz);
    sent = code_get(plane);
    received = code_get(plane);
    passed = code_get(plane * PASSED);
    for (long i = 0; i < nx * ny * nz; i++)
        block[i] = initial(i);
    code_phase("steps");
    for (long step = 0; step < steps; step++) {
        light();
        advect();
    }
    code_phase(NULL);
    float allowed = 1e-5f * (float)(steps + 100); /* equal except for rounding */
    for (long i = 0; i < nx * ny * nz; i++)
        code_wrong += !(cabsf(block[i] - initial(i)) < allowed);
    free(block), free(sent), free(received), free(passed), free(turns);
    COUNT(mpi_comm_ops, 2);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    return code_end();
}
