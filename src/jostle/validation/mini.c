/* Small parallel programs whose work is the same in every run: what `jostle validate` runs beside
 * the real codes, and in place of them where these are not installed.
 *
 *   mini transpose STEPS   Fourier transforms with two all-to-alls a step
 *   mini stencil STEPS     neighbours exchange edges; no global collective after the start
 *   mini solver STEPS      conjugate gradients, two small Allreduces an iteration; the number of
 *                          iterations differs from step to step
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex cplx;

static int rank, ranks;

static void *take(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* One row, in place; n is a power of two and root[k] = exp(-2 pi i k / n). */
static void fourier(cplx *row, const cplx *root, int n)
{
    for (int at = 1, mirrored = 0; at < n; at++) {
        int bit = n >> 1;
        for (; mirrored & bit; bit >>= 1)
            mirrored ^= bit;
        mirrored ^= bit;
        if (at < mirrored) {
            cplx kept = row[at];
            row[at] = row[mirrored];
            row[mirrored] = kept;
        }
    }
    for (int width = 2; width <= n; width *= 2)
        for (int base = 0; base < n; base += width)
            for (int k = 0; k < width / 2; k++) {
                cplx turned = row[base + k + width / 2] * root[k * (n / width)];
                row[base + k + width / 2] = row[base + k] - turned;
                row[base + k] += turned;
            }
}

static double transpose(int steps)
{
    enum { N = 512 };
    int rows = N / ranks;
    cplx *grid = take(sizeof *grid * N * (size_t)rows), *packed = take(sizeof *grid * N * rows);
    cplx root[N / 2];
    double sum = 0;
    for (int k = 0; k < N / 2; k++)
        root[k] = cexp(-2 * M_PI * I * k / N);
    for (int at = 0; at < N * rows; at++)
        grid[at] = (at * 31 + rank * 7) % 101;
    for (int step = 0; step < steps; step++)
        for (int half = 0; half < 2; half++) {
            for (int row = 0; row < rows; row++)
                fourier(grid + (size_t)row * N, root, N);
            for (int to = 0; to < ranks; to++)
                for (int column = 0; column < rows; column++)
                    for (int row = 0; row < rows; row++)
                        packed[((size_t)to * rows + column) * rows + row] =
                            grid[(size_t)row * N + to * rows + column] / sqrt(N);
            MPI_Alltoall(packed, 2 * rows * rows, MPI_DOUBLE, grid, 2 * rows * rows, MPI_DOUBLE,
                         MPI_COMM_WORLD);
            for (int column = 0; column < rows; column++)
                for (int from = 0; from < ranks; from++)
                    memcpy(packed + (size_t)column * N + from * rows,
                           grid + ((size_t)from * rows + column) * rows, sizeof *grid * rows);
            memcpy(grid, packed, sizeof *grid * N * rows);
        }
    for (int at = 0; at < N * rows; at++)
        sum += creal(grid[at]);
    free(packed);
    free(grid);
    return sum;
}

/* Sends the first and the last inner line to the neighbours, and gets theirs. */
static void edges(double *field, int width, int lines)
{
    MPI_Request open[4];
    int count = 0, size = width;
    if (rank > 0) {
        MPI_Irecv(field, size, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, &open[count++]);
        MPI_Isend(field + width, size, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, &open[count++]);
    }
    if (rank < ranks - 1) {
        MPI_Irecv(field + (size_t)(lines + 1) * width, size, MPI_DOUBLE, rank + 1, 2,
                  MPI_COMM_WORLD, &open[count++]);
        MPI_Isend(field + (size_t)lines * width, size, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD,
                  &open[count++]);
    }
    MPI_Waitall(count, open, MPI_STATUSES_IGNORE);
}

static double stencil(int steps)
{
    enum { WIDTH = 512, LINES = 512 };
    int lines = LINES / ranks;
    size_t cells = (size_t)(lines + 2) * WIDTH;
    double *now = take(cells * sizeof *now), *next = take(cells * sizeof *next), sum = 0;
    for (size_t at = 0; at < cells; at++)
        now[at] = next[at] = (double)((at * 13 + (size_t)rank) % 17);
    for (int step = 0; step < steps; step++) {
        edges(now, WIDTH, lines);
        for (int line = 1; line <= lines; line++) {
            const double *own = now + (size_t)line * WIDTH;
            double *to = next + (size_t)line * WIDTH;
            for (int x = 1; x < WIDTH - 1; x++)
                to[x] = 0.2 * (own[x] + own[x - 1] + own[x + 1] + own[x - WIDTH] + own[x + WIDTH]);
        }
        /* Every sixteenth step has more to do, as output or chemistry would. */
        if (step % 16 == 0)
            for (size_t at = WIDTH; at < cells - WIDTH; at += 4)
                next[at] = sqrt(next[at] * next[at] + 1e-9);
        double *kept = now;
        now = next;
        next = kept;
    }
    for (size_t at = 0; at < cells; at++)
        sum += now[at];
    free(now);
    free(next);
    return sum;
}

static double dot(const double *a, const double *b, int n)
{
    double own = 0, all;
    for (int at = 0; at < n; at++)
        own += a[at] * b[at];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static double solver(int steps)
{
    enum { WIDTH = 256, LINES = 512 };
    int lines = LINES / ranks, inner = lines * WIDTH;
    size_t cells = (size_t)(lines + 2) * WIDTH;
    double *x = take(cells * 8), *p = take(cells * 8), *r = take(cells * 8), *q = take(cells * 8);
    double sum = 0;
    for (int step = 0; step < steps; step++) {
        int iterations = 24 + step * 17 % 41;
        for (size_t at = 0; at < cells; at++) {
            p[at] = r[at] = 1.0 + (double)((at + (size_t)step) % 5);
            x[at] = q[at] = 0;
        }
        double rest = dot(r + WIDTH, r + WIDTH, inner);
        for (int iteration = 0; iteration < iterations; iteration++) {
            edges(p, WIDTH, lines);
            for (int at = WIDTH; at < WIDTH + inner; at++)
                q[at] = 4.01 * p[at] - p[at - 1] - p[at + 1] - p[at - WIDTH] - p[at + WIDTH];
            double alpha = rest / dot(p + WIDTH, q + WIDTH, inner);
            for (int at = WIDTH; at < WIDTH + inner; at++) {
                x[at] += alpha * p[at];
                r[at] -= alpha * q[at];
            }
            double left = dot(r + WIDTH, r + WIDTH, inner), beta = left / rest;
            rest = left;
            for (int at = WIDTH; at < WIDTH + inner; at++)
                p[at] = r[at] + beta * p[at];
        }
        sum += x[WIDTH];
    }
    free(x);
    free(p);
    free(r);
    free(q);
    return sum;
}

int main(int argc, char **argv)
{
    const char *what = argc == 3 ? argv[1] : "";
    int steps = argc == 3 ? atoi(argv[2]) : 0;
    double own = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!strcmp(what, "transpose"))
        own = transpose(steps);
    else if (!strcmp(what, "stencil"))
        own = stencil(steps);
    else if (!strcmp(what, "solver"))
        own = solver(steps);
    else {
        fprintf(stderr, "usage: mini transpose|stencil|solver STEPS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.10g\n", all);
    MPI_Finalize();
    return 0;
}
