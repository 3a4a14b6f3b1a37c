/*
 * hybrid: a stencil by MPI and OpenMP.
 *
 *   hybrid CELLS STEPS
 *
 * Heat spreads over a square of CELLS x CELLS cells for so many steps. Ranks share the rows, threads
 * the rows of a rank. Each step exchanges the edge rows with both neighbours (Irecv, Isend, Waitall),
 * updates the rows, and sums the change over all ranks (Allreduce).
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { UP_TAG = 1, DOWN_TAG = 2 };

static int rank, size;

/* Row r of a field whose rows 0 and rows + 1 belong to the neighbours. */
static double *row_of(double *field, int cells, int r)
{
    return field + (size_t)r * (size_t)cells;
}

static void exchange(double *field, int cells, int rows)
{
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[4];
    MPI_Irecv(row_of(field, cells, 0), cells, MPI_DOUBLE, up, DOWN_TAG, MPI_COMM_WORLD, requests);
    MPI_Irecv(row_of(field, cells, rows + 1), cells, MPI_DOUBLE, down, UP_TAG, MPI_COMM_WORLD,
              requests + 1);
    MPI_Isend(row_of(field, cells, 1), cells, MPI_DOUBLE, up, UP_TAG, MPI_COMM_WORLD, requests + 2);
    MPI_Isend(row_of(field, cells, rows), cells, MPI_DOUBLE, down, DOWN_TAG, MPI_COMM_WORLD,
              requests + 3);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double update(double *old, double *new, int cells, int rows)
{
    double change = 0;
#pragma omp parallel for reduction(+ : change) schedule(static)
    for (int r = 1; r <= rows; r++) {
        const double *above = row_of(old, cells, r - 1), *here = row_of(old, cells, r);
        const double *below = row_of(old, cells, r + 1);
        double *out = row_of(new, cells, r);
        out[0] = here[0];
        out[cells - 1] = here[cells - 1];
        for (int c = 1; c < cells - 1; c++) {
            out[c] = 0.5 * here[c] + 0.125 * (above[c] + below[c] + here[c - 1] + here[c + 1]);
            change += fabs(out[c] - here[c]);
        }
    }
    return change;
}

int main(int argc, char **argv)
{
    int provided, cells, steps;
    double sum = 0;
    if (argc != 3)
        return fputs("usage: hybrid CELLS STEPS\n", stderr), 2;
    cells = atoi(argv[1]), steps = atoi(argv[2]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int rows = cells / size;
    double *old = calloc((size_t)(rows + 2) * (size_t)cells, sizeof *old);
    double *new = calloc((size_t)(rows + 2) * (size_t)cells, sizeof *new);
    if (!old || !new)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 1; r <= rows; r++)
        for (int c = 0; c < cells; c++)
            row_of(old, cells, r)[c] = (double)((c * 7 + (r + rank * rows) * 13) % 100);
    for (int step = 0; step < steps; step++) {
        double change;
        exchange(old, cells, rows);
        change = update(old, new, cells, rows);
        MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double *other = old;
        old = new;
        new = other;
    }
    if (rank == 0)
        printf("change in the last step: %g\n", sum);
    free(old);
    free(new);
    MPI_Finalize();
    return 0;
}
