/* Small parallel programs whose work is the same in every run: `jostle validate` runs them in
 * addition to real codes, and instead of them where these are not installed.
 *
 *   mini transpose STEPS   Fourier transforms with two all-to-alls a step
 *   mini stencil STEPS     neighbours exchange edges; no global collective after the start
 *   mini solver STEPS      conjugate gradients, two small Allreduces an iteration; the number of
 *                          iterations differs from step to step
 *   mini wavefront STEPS   two pipelined sweeps a step over planes, a small message for each; a
 *                          norm now and then
 *   mini assembly LAYERS   finite elements: a matrix is assembled, without communication,
 *                          and solved by conjugate gradients
 *   mini checkpoint STEPS  a stencil with a norm every fourth step; every 32nd step each rank writes
 *                          4 MiB of its field to a file of its own, and waits until they are stored
 *   mini files STEPS       the same stencil; every 16th step each rank stores its field in a new file
 *   mini hybrid STEPS      a stencil of threads (OpenMP), and the sum of its change each step
 */
#include <complex.h>
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static double dot(const double *a, const double *b, int n)
{
    double own = 0, all;
    for (int at = 0; at < n; at++)
        own += a[at] * b[at];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
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
        /* Every sixteenth step has more work, as with output or chemistry. */
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

static double hybrid(int steps)
{
    enum { WIDTH = 512, LINES = 512 };
    int lines = LINES / ranks;
    size_t cells = (size_t)(lines + 2) * WIDTH;
    double *now = take(cells * sizeof *now), *next = take(cells * sizeof *next), all = 0;
    for (size_t at = 0; at < cells; at++)
        now[at] = next[at] = (double)((at * 13 + (size_t)rank) % 17);
    for (int step = 0; step < steps; step++) {
        double change = 0;
        edges(now, WIDTH, lines);
#pragma omp parallel for reduction(+ : change) schedule(static)
        for (int line = 1; line <= lines; line++) {
            const double *own = now + (size_t)line * WIDTH;
            double *to = next + (size_t)line * WIDTH;
            for (int x = 1; x < WIDTH - 1; x++) {
                to[x] = 0.2 * (own[x] + own[x - 1] + own[x + 1] + own[x - WIDTH] + own[x + WIDTH]);
                change += fabs(to[x] - own[x]);
            }
        }
        MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double *kept = now;
        now = next;
        next = kept;
    }
    free(now);
    free(next);
    return all / ranks;
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

enum { WIDE = 64, COLUMNS = 160, PLANES = 96, PARTS = 5, EDGE = WIDE * PARTS };

/* One plane of a sweep, from the neighbour's column on: each cell needs the ones before it. */
static void relax(double *plane, const double *below, int columns, int forth)
{
    int turn = forth ? 1 : -1;
    for (int column = 0; column < columns; column++)
        for (int at = 0; at < EDGE; at++) {
            int place =
                (forth ? column + 1 : columns - column) * EDGE + (forth ? at : EDGE - 1 - at);
            double alongside = plane[place - turn * PARTS], before = plane[place - turn * EDGE];
            double change = 0.1 * (alongside + before + below[place]);
            plane[place] = 0.6 * plane[place] + change / (1.0 + alongside * alongside);
        }
}

/* Sweeps over the planes; a rank begins one when the rank before has done its part of it. */
static void sweep(double *cube, int columns, int forth)
{
    int from = forth ? rank - 1 : rank + 1, to = forth ? rank + 1 : rank - 1;
    size_t plane = (size_t)(columns + 2) * EDGE;
    for (int step = 1; step < PLANES; step++) {
        int number = forth ? step : PLANES - 1 - step;
        double *here = cube + (size_t)number * plane;
        if (from >= 0 && from < ranks)
            MPI_Recv(here + (forth ? 0 : (columns + 1) * EDGE), EDGE, MPI_DOUBLE, from, 3 + forth,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        relax(here, forth ? here - plane : here + plane, columns, forth);
        if (to >= 0 && to < ranks)
            MPI_Send(here + (forth ? columns : 1) * EDGE, EDGE, MPI_DOUBLE, to, 3 + forth,
                     MPI_COMM_WORLD);
    }
}

static double wavefront(int steps)
{
    int columns = COLUMNS / ranks;
    size_t plane = (size_t)(columns + 2) * EDGE, cells = PLANES * plane;
    double *cube = take(cells * sizeof *cube), *side = take((size_t)4 * PLANES * EDGE * 8);
    double norm = 0;
    for (size_t at = 0; at < cells; at++)
        cube[at] = (double)((at * 13 + (size_t)rank * 5) % 23) / 23;
    for (int step = 0; step < steps; step++) {
        /* All planes' outer columns at once, as the right-hand side needs them. */
        for (int number = 0; number < PLANES; number++)
            for (int inner = 0; inner < 2; inner++)
                memcpy(side + ((size_t)(1 + inner) * PLANES + (size_t)number) * EDGE,
                       cube + (size_t)number * plane + (size_t)(inner ? columns : 1) * EDGE,
                       EDGE * sizeof *side);
        edges(side, PLANES * EDGE, 2);
        double own = 0;
        for (size_t at = plane; at < cells - plane; at++) {
            double around = cube[at - 1] + cube[at + 1] + cube[at - plane] + cube[at + plane];
            cube[at] = 0.9 * cube[at] + 0.02 * around + 1e-3 * side[at % (4 * PLANES * EDGE)];
            own += cube[at] * cube[at];
        }
        sweep(cube, columns, 1);
        sweep(cube, columns, 0);
        if (step % 50 == 49)
            MPI_Allreduce(&own, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    free(side);
    free(cube);
    return norm / ranks;
}

enum { SIDE = 96, LAYER = SIDE * SIDE, NODES = 8, ROW = 27, POINTS = 27, ITERATIONS = 120 };

static double slope[POINTS][NODES][3], shape[POINTS][NODES], weight[POINTS];

/* Eight linear functions and their slopes at three Gauss points in each direction. */
static void gauss(void)
{
    static const double places[] = {-0.7745966692414834, 0, 0.7745966692414834};
    static const double weights[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    for (int point = 0; point < POINTS; point++) {
        int of[] = {point % 3, point / 3 % 3, point / 9};
        weight[point] = weights[of[0]] * weights[of[1]] * weights[of[2]];
        for (int node = 0; node < NODES; node++) {
            double part[3], sign[3];
            for (int axis = 0; axis < 3; axis++) {
                sign[axis] = node >> axis & 1 ? 0.5 : -0.5;
                part[axis] = 0.5 + sign[axis] * places[of[axis]];
            }
            shape[point][node] = part[0] * part[1] * part[2];
            for (int axis = 0; axis < 3; axis++)
                slope[point][node][axis] = sign[axis] * part[(axis + 1) % 3] * part[(axis + 2) % 3];
        }
    }
}

/* The matrix of one element: diffusion and some mass. */
static void element(const double place[NODES][3], double matrix[NODES][NODES])
{
    memset(matrix, 0, sizeof(double) * NODES * NODES);
    for (int point = 0; point < POINTS; point++) {
        double map[3][3] = {{0}}, minor[3][3], bent[NODES][3];
        for (int node = 0; node < NODES; node++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    map[a][b] += slope[point][node][a] * place[node][b];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                minor[a][b] = map[(a + 1) % 3][(b + 1) % 3] * map[(a + 2) % 3][(b + 2) % 3] -
                              map[(a + 1) % 3][(b + 2) % 3] * map[(a + 2) % 3][(b + 1) % 3];
        double volume = 0;
        for (int b = 0; b < 3; b++)
            volume += map[0][b] * minor[0][b];
        for (int node = 0; node < NODES; node++)
            for (int b = 0; b < 3; b++) {
                bent[node][b] = 0;
                for (int a = 0; a < 3; a++)
                    bent[node][b] += slope[point][node][a] * minor[a][b] / volume;
            }
        for (int one = 0; one < NODES; one++)
            for (int other = 0; other < NODES; other++) {
                double dots = 0.01 * shape[point][one] * shape[point][other];
                for (int b = 0; b < 3; b++)
                    dots += bent[one][b] * bent[other][b];
                matrix[one][other] += weight[point] * volume * dots;
            }
    }
}

/* Number of a node in its layer: neighbours are distant, as on an unstructured mesh. */
static int number_of(int x, int y)
{
    return (y * SIDE + x) * 5003 % LAYER;
}

/* Adds the elements between two layers to the rows of this rank's nodes; layers 0 and lines + 1
 * are the neighbours'. */
static void assemble(double *values, int *columns, int lower, int lines, int first)
{
    for (int y = 0; y + 1 < SIDE; y++)
        for (int x = 0; x + 1 < SIDE; x++) {
            double place[NODES][3], matrix[NODES][NODES];
            int node[NODES];
            for (int at = 0; at < NODES; at++) {
                int own[] = {x + (at & 1), y + (at >> 1 & 1), lower + (at >> 2)};
                int in_layer = number_of(own[0], own[1]);
                node[at] = own[2] * LAYER + in_layer;
                for (int axis = 0; axis < 3; axis++)
                    place[at][axis] = own[axis] + (axis == 2) * first +
                                      0.2 * ((in_layer * (axis + 3) + first + own[2]) % 7) / 7;
            }
            element(place, matrix);
            for (int one = 0; one < NODES; one++) {
                if (node[one] < LAYER || node[one] >= (lines + 1) * LAYER)
                    continue;
                int *in = columns + (size_t)(node[one] - LAYER) * ROW;
                double *to = values + (size_t)(node[one] - LAYER) * ROW;
                for (int other = 0; other < NODES; other++) {
                    int at = 0;
                    while (in[at] && in[at] != node[other] + 1) /* 0: not yet taken */
                        at++;
                    in[at] = node[other] + 1;
                    to[at] += matrix[one][other];
                }
            }
        }
}

static double assembly(int layers)
{
    int lines = layers / ranks, inner = lines * LAYER, first = rank * lines;
    size_t cells = (size_t)(lines + 2) * LAYER;
    double *values = take((size_t)inner * ROW * sizeof *values), sum = 0;
    int *columns = take((size_t)inner * ROW * sizeof *columns);
    double *x = take(cells * 8), *p = take(cells * 8), *r = take(cells * 8), *q = take(cells * 8);
    gauss();
    for (int lower = rank > 0 ? 0 : 1; lower < lines + (rank < ranks - 1); lower++)
        assemble(values, columns, lower, lines, first);
    for (int at = LAYER; at < LAYER + inner; at++)
        p[at] = r[at] = 1.0 + (at + first * LAYER) % 5;
    double rest = dot(r + LAYER, r + LAYER, inner);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        edges(p, LAYER, lines);
        for (int row = 0; row < inner; row++) {
            const int *in = columns + (size_t)row * ROW;
            const double *of = values + (size_t)row * ROW;
            double product = 0;
            for (int at = 0; at < ROW && in[at]; at++)
                product += of[at] * p[in[at] - 1];
            q[LAYER + row] = product;
        }
        double alpha = rest / dot(p + LAYER, q + LAYER, inner);
        for (int at = LAYER; at < LAYER + inner; at++) {
            x[at] += alpha * p[at];
            r[at] -= alpha * q[at];
        }
        double left = dot(r + LAYER, r + LAYER, inner), beta = left / rest;
        rest = left;
        for (int at = LAYER; at < LAYER + inner; at++)
            p[at] = r[at] + beta * p[at];
    }
    for (int at = LAYER; at < LAYER + inner; at++)
        sum += x[at];
    free(values);
    free(columns);
    free(x);
    free(p);
    free(r);
    free(q);
    return sum;
}

/* Writes from the beginning of a file of this rank's own, in calls of up to 1 MiB, and waits until it is
 * stored. */
static void store(const char *name, int flags, const double *from, size_t bytes)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%d", name, rank);
    int file = open(path, O_WRONLY | O_CREAT | flags, 0600);
    size_t done = 0;
    ssize_t n = 1;
    while (file >= 0 && done < bytes && n > 0) {
        size_t left = bytes - done;
        n = write(file, (const char *)from + done, left < 1 << 20 ? left : 1 << 20);
        done += n > 0 ? (size_t)n : 0;
    }
    if (done < bytes || fdatasync(file) || close(file))
        MPI_Abort(MPI_COMM_WORLD, 3);
}

/* A step of a stencil that fits into the cache. */
static void smooth(double *field, int width, int lines)
{
    edges(field, width, lines);
    for (int line = 1; line <= lines; line++)
        for (int x = 1; x < width - 1; x++) {
            double *own = field + (size_t)line * width + x;
            *own = 0.6 * *own + 0.1 * (own[-1] + own[1] + own[-width] + own[width]) + 1e-6;
        }
}

/* every: steps between two checkpoints; copies: how often the field is in one. */
static double writing(int steps, const char *name, int flags, int every, int copies)
{
    enum { WIDTH = 512, LINES = 512 };
    int lines = LINES / ranks, inner = lines * WIDTH;
    size_t cells = (size_t)(lines + 2) * WIDTH;
    double *field = take(cells * 8), *all = take((size_t)inner * 8 * copies), norm = 0;
    for (size_t at = 0; at < cells; at++)
        field[at] = (double)((at * 13 + (size_t)rank) % 17);
    for (int step = 1; step <= steps; step++) {
        smooth(field, WIDTH, lines);
        if (step % 4 == 0)
            norm = dot(field + WIDTH, field + WIDTH, inner);
        if (step % every)
            continue;
        for (int copy = 0; copy < copies; copy++)
            memcpy(all + (size_t)copy * inner, field + WIDTH, (size_t)inner * 8);
        store(name, flags, all, (size_t)inner * 8 * copies);
    }
    free(all);
    free(field);
    return norm / ranks;
}

int main(int argc, char **argv)
{
    const char *what = argc == 3 ? argv[1] : "";
    int steps = argc == 3 ? atoi(argv[2]) : 0;
    double own = 0, all = 0;
    int provided;
    MPI_Init_thread(&argc, &argv, !strcmp(what, "hybrid") ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!strcmp(what, "transpose"))
        own = transpose(steps);
    else if (!strcmp(what, "stencil"))
        own = stencil(steps);
    else if (!strcmp(what, "solver"))
        own = solver(steps);
    else if (!strcmp(what, "wavefront"))
        own = wavefront(steps);
    else if (!strcmp(what, "assembly"))
        own = assembly(steps);
    else if (!strcmp(what, "checkpoint"))
        own = writing(steps, what, 0, 32, 2 * ranks);
    else if (!strcmp(what, "files"))
        own = writing(steps, what, O_TRUNC, 16, 1);
    else if (!strcmp(what, "hybrid"))
        own = hybrid(steps);
    else {
        fprintf(stderr, "usage: mini transpose|stencil|solver|wavefront|assembly|checkpoint|"
                        "files|hybrid STEPS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.10g\n", all);
    MPI_Finalize();
    return 0;
}
