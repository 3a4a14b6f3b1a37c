/*
 * gapgeofem: heat in a block of ground, solved step by step with a chosen number of collectives a
 * second, and a small file written now and then, as by 128.GAPgeofem. Our own writing.
 *
 * A box of SIDE x SIDE x DEPTH x ranks cells is cut into slabs. Each step is solved by conjugate
 * gradients with a diagonal preconditioner: in each iteration a slab's two faces are exchanged (Isend,
 * Irecv, Waitall) and three numbers summed up (Allreduce). `--rate R` finds out at the start how
 * much work in each iteration makes R Allreduces a second here; its choice is the option `work` in
 * the last line, with which later runs do the same work: `--work N` (without --rate). Every EVERY
 * steps each rank appends DUMP bytes to a file of its own.
 *
 * Source: Shah, 2020, table 5.4 (305.52 and 4848.50 collectives a second, on JUQUEEN and Hazel Hen)
 * and section 2.3: each process exchanges more than 1 GB by messages and writes 0.5 MB to files.
 *   gapgeofem --rate 300 ; gapgeofem --rate 4800
 *   gapgeofem --side 64 --steps 640 --iterations 32 --every 10 --dump 8192     (1.34 GB, 0.5 MiB)
 */
#include "code.h"

enum { SUMS = 3, TRIAL = 40 };

static long side = 16, depth = 8, steps = 20, iterations = 20, rate = 300, work, every = 5,
            dump = 1024;
static const struct code_option options[] = {
    {"side", "cells along a side of a slab", &side, NULL},
    {"depth", "layers of a slab", &depth, NULL},
    {"steps", "time steps", &steps, NULL},
    {"iterations", "of each step", &iterations, NULL},
    {"rate", "collectives a second, for which work is chosen; 0: work is given", &rate, NULL},
    {"work", "thousands of operations in each iteration", &work, NULL},
    {"every", "steps from file output to file output", &every, NULL},
    {"dump", "bytes of it", &dump, NULL},
    {NULL, NULL, NULL, NULL},
};

static long layer, cells;
static double *heat, *residual, *search, *image, *material;

/* Fills the layers before and behind the slab with the neighbours'. */
static void exchange(double *x)
{
    MPI_Request requests[4];
    size_t bytes = (size_t)layer * sizeof *x;
    int below = code_rank - 1, above = code_rank + 1, n = 0;
    if (below >= 0) {
        code_irecv(x, bytes, below, 0, MPI_COMM_WORLD, &requests[n++]);
        code_isend(x + layer, bytes, below, 1, MPI_COMM_WORLD, &requests[n++]);
    }
    if (above < code_size) {
        code_irecv(x + layer + cells, bytes, above, 1, MPI_COMM_WORLD, &requests[n++]);
        code_isend(x + cells, bytes, above, 0, MPI_COMM_WORLD, &requests[n++]);
    }
    if (n)
        code_wait(n, requests);
}

/* y = (material + 6) x - neighbours of x; beyond the box is 0. */
static void operate(double *x, double *y)
{
    exchange(x);
    for (long i = layer; i < layer + cells; i++) {
        long column = i % side, row = i / side % side;
        double sum = (material[i] + 6) * x[i] - x[i - layer] - x[i + layer];
        if (column > 0)
            sum -= x[i - 1];
        if (column < side - 1)
            sum -= x[i + 1];
        if (row > 0)
            sum -= x[i - side];
        if (row < side - 1)
            sum -= x[i + side];
        y[i] = sum;
    }
}

static double dot(const double *a, const double *b)
{
    double own = 0;
    for (long i = layer; i < layer + cells; i++)
        own += a[i] * b[i];
    return code_all(own, MPI_SUM);
}

/* Sum of the squares of the residual, divided by the diagonal. */
static double preconditioned(void)
{
    double own = 0;
    for (long i = layer; i < layer + cells; i++)
        own += residual[i] * residual[i] / (material[i] + 6);
    return code_all(own, MPI_SUM);
}

/* One time step: the heat of before, spread out. */
static void step(long count)
{
    for (long i = layer; i < layer + cells; i++) {
        residual[i] = material[i] * (heat[i] + (i % 97 == 0));
        search[i] = residual[i] / (material[i] + 6);
        heat[i] = 0;
    }
    double rho = preconditioned(), first = rho;
    for (long k = 0; k < count; k++) {
        operate(search, image);
        code_work(work);
        double alpha = rho / dot(search, image);
        for (long i = layer; i < layer + cells; i++) {
            heat[i] += alpha * search[i];
            residual[i] -= alpha * image[i];
        }
        dot(residual, residual); /* a norm, to see whether it has converged */
        double next = preconditioned();
        for (long i = layer; i < layer + cells; i++)
            search[i] = residual[i] / (material[i] + 6) + next / rho * search[i];
        rho = next > 0 ? next : 1e-300;
    }
    code_wrong += !(rho < 100 * first); /* it may rise for a while, but not without end */
}

/* Chooses the work with which an iteration takes as long as its collectives may. */
static void choose_work(void)
{
    double begun = MPI_Wtime();
    step(TRIAL);
    double iteration = (MPI_Wtime() - begun) / TRIAL;
    begun = MPI_Wtime();
    code_work(1000);
    double thousand = (MPI_Wtime() - begun) / 1000, left = SUMS / (double)rate - iteration;
    double own = left > 0 ? left / thousand : 0;
    work = (long)code_all(own, MPI_MIN);
    memset(heat, 0, (size_t)(cells + 2 * layer) * sizeof *heat);
}

int main(int argc, char **argv)
{
    code_begin("gapgeofem", &argc, &argv, options);
    layer = side * side, cells = layer * depth;
    double **fields[] = {&heat, &residual, &search, &image, &material};
    for (int i = 0; i < 5; i++)
        *fields[i] = code_get((size_t)(cells + 2 * layer) * sizeof **fields[i]);
    for (long i = 0; i < cells + 2 * layer; i++)
        material[i] = 0.05 + 0.01 * (double)(i / 7 % 10);
    char *text = code_get((size_t)dump);
    int fd = code_open(code_path("heat", code_rank), O_CREAT | O_WRONLY | O_TRUNC);
    if (rate)
        choose_work();
    code_phase("steps");
    for (long i = 0; i < steps; i++) {
        step(iterations);
        if (every && dump && (i + 1) % every == 0)
            code_write(fd, text, (size_t)dump, -1);
    }
    code_phase(NULL);
    if (close(fd))
        code_fail("close");
    if (!code_keep)
        unlink(code_path("heat", code_rank));
    for (int i = 0; i < 5; i++)
        free(*fields[i]);
    free(text);
    return code_end();
}
