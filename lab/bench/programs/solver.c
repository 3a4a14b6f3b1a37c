/*
 * solver: conjugate gradients without any collective operation.
 *
 *   solver CELLS STEPS
 *
 * Each step solves a system with a five-point matrix on CELLS x CELLS unknowns by 25 iterations.
 * Ranks share the rows of the grid; sums over all ranks go from rank to rank and back (Irecv, Send,
 * Wait), as they do in codes that were written before collectives could be trusted.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 25, HALO_TAG = 1, SUM_TAG = 2 };

static int rank, size, cells, rows;

static double *field_new(void)
{
    double *field = calloc((size_t)(rows + 2) * (size_t)cells, sizeof *field);
    if (!field)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return field;
}

static double receive(int from)
{
    double value;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_DOUBLE, from, SUM_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return value;
}

/* Up a binary tree to rank 0, and down again. */
static double sum_of_all(double sum)
{
    int parent = (rank - 1) / 2, children[2] = {2 * rank + 1, 2 * rank + 2};
    for (int i = 0; i < 2; i++)
        if (children[i] < size)
            sum += receive(children[i]);
    if (rank > 0) {
        MPI_Send(&sum, 1, MPI_DOUBLE, parent, SUM_TAG, MPI_COMM_WORLD);
        sum = receive(parent);
    }
    for (int i = 0; i < 2; i++)
        if (children[i] < size)
            MPI_Send(&sum, 1, MPI_DOUBLE, children[i], SUM_TAG, MPI_COMM_WORLD);
    return sum;
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = (size_t)cells; i < (size_t)(rows + 1) * (size_t)cells; i++)
        sum += a[i] * b[i];
    return sum_of_all(sum);
}

static void exchange(double *field)
{
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[2];
    MPI_Irecv(field, cells, MPI_DOUBLE, up, HALO_TAG, MPI_COMM_WORLD, requests);
    MPI_Irecv(field + (size_t)(rows + 1) * (size_t)cells, cells, MPI_DOUBLE, down, HALO_TAG,
              MPI_COMM_WORLD, requests + 1);
    MPI_Send(field + cells, cells, MPI_DOUBLE, up, HALO_TAG, MPI_COMM_WORLD);
    MPI_Send(field + (size_t)rows * (size_t)cells, cells, MPI_DOUBLE, down, HALO_TAG,
             MPI_COMM_WORLD);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Wait(requests + 1, MPI_STATUS_IGNORE);
}

static void multiply(double *in, double *out)
{
    exchange(in);
    for (int r = 1; r <= rows; r++) {
        const double *here = in + (size_t)r * (size_t)cells;
        double *result = out + (size_t)r * (size_t)cells;
        for (int c = 0; c < cells; c++) {
            double left = c > 0 ? here[c - 1] : 0, right = c < cells - 1 ? here[c + 1] : 0;
            result[c] = 4.1 * here[c] - left - right - here[c - cells] - here[c + cells];
        }
    }
}

/* a += factor * b */
static void add(double *a, double factor, const double *b)
{
    for (size_t i = (size_t)cells; i < (size_t)(rows + 1) * (size_t)cells; i++)
        a[i] += factor * b[i];
}

static double solve(double *x, double *r, double *p, double *q)
{
    double rho = dot(r, r);
    for (size_t i = (size_t)cells; i < (size_t)(rows + 1) * (size_t)cells; i++)
        x[i] = 0, p[i] = r[i];
    for (int i = 0; i < ITERATIONS; i++) {
        multiply(p, q);
        double alpha = rho / dot(p, q);
        add(x, alpha, p);
        add(r, -alpha, q);
        double next = dot(r, r);
        for (size_t k = (size_t)cells; k < (size_t)(rows + 1) * (size_t)cells; k++)
            p[k] = r[k] + next / rho * p[k];
        rho = next;
    }
    return rho;
}

int main(int argc, char **argv)
{
    double norm = 0;
    if (argc != 3)
        return fputs("usage: solver CELLS STEPS\n", stderr), 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cells = atoi(argv[1]);
    rows = cells / size;
    double *x = field_new(), *r = field_new(), *p = field_new(), *q = field_new();
    for (int step = 0; step < atoi(argv[2]); step++) {
        for (size_t i = (size_t)cells; i < (size_t)(rows + 1) * (size_t)cells; i++)
            r[i] = 1 + x[i] / (step + 2);
        norm = solve(x, r, p, q);
    }
    if (rank == 0)
        printf("residual of the last step: %g\n", norm);
    free(x), free(r), free(p), free(q);
    MPI_Finalize();
    return 0;
}
