/*
 * wavefront: a pipelined sweep with blocking sends and no collective operation.
 *
 *   wavefront CELLS STEPS
 *
 * A cube of CELLS^3 cells; ranks share its columns. Each step sweeps over the planes from the first
 * to the last and back: a cell needs its neighbours in the same sweep, so a rank can begin a plane
 * when the rank before it has done its part of that plane (Recv, Send). Then the ranks exchange
 * their faces (Irecv, Send, Wait).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { FORTH_TAG = 1, BACK_TAG = 2, FACE_TAG = 3 };

static int rank, size, cells, columns;
static double *cube, *edge, *face;

/* A cube's cell: plane k, own column j (0 and columns + 1 are the neighbours'), i along the row. */
static double *row_of(int k, int j)
{
    return cube + ((size_t)k * (size_t)(columns + 2) + (size_t)j) * (size_t)cells;
}

static void relax(int k, int j, int from_k, int from_j)
{
    double *here = row_of(k, j);
    const double *before = row_of(k, from_j), *below = row_of(from_k, j);
    for (int i = 1; i < cells; i++)
        here[i] = 0.4 * here[i] + 0.2 * (here[i - 1] + before[i] + below[i]) + 1e-3;
}

static void forth(void)
{
    for (int k = 1; k < cells; k++) {
        if (rank > 0)
            MPI_Recv(row_of(k, 0), cells, MPI_DOUBLE, rank - 1, FORTH_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int j = 1; j <= columns; j++)
            relax(k, j, k - 1, j - 1);
        if (rank < size - 1)
            MPI_Send(row_of(k, columns), cells, MPI_DOUBLE, rank + 1, FORTH_TAG, MPI_COMM_WORLD);
    }
}

static void back(void)
{
    for (int k = cells - 2; k >= 0; k--) {
        if (rank < size - 1)
            MPI_Recv(row_of(k, columns + 1), cells, MPI_DOUBLE, rank + 1, BACK_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int j = columns; j >= 1; j--)
            relax(k, j, k + 1, j + 1);
        if (rank > 0)
            MPI_Send(row_of(k, 1), cells, MPI_DOUBLE, rank - 1, BACK_TAG, MPI_COMM_WORLD);
    }
}

/* Sends column `own` of all planes to `to` and receives the neighbour's into column `others`. */
static void swap_faces(int own, int to, int others, int from)
{
    MPI_Request request;
    MPI_Irecv(face, cells * cells, MPI_DOUBLE, from, FACE_TAG, MPI_COMM_WORLD, &request);
    for (int k = 0; k < cells; k++)
        for (int i = 0; i < cells; i++)
            edge[k * cells + i] = row_of(k, own)[i];
    MPI_Send(edge, cells * cells, MPI_DOUBLE, to, FACE_TAG, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; k < cells && from != MPI_PROC_NULL; k++)
        for (int i = 0; i < cells; i++)
            row_of(k, others)[i] = face[k * cells + i];
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return fputs("usage: wavefront CELLS STEPS\n", stderr), 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cells = atoi(argv[1]);
    columns = cells / size;
    cube = calloc((size_t)cells * (size_t)(columns + 2) * (size_t)cells, sizeof *cube);
    edge = calloc((size_t)cells * (size_t)cells, sizeof *edge);
    face = calloc((size_t)cells * (size_t)cells, sizeof *face);
    if (!cube || !edge || !face)
        MPI_Abort(MPI_COMM_WORLD, 1);
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int step = 0; step < atoi(argv[2]); step++) {
        forth();
        back();
        swap_faces(columns, down, 0, up);
        swap_faces(1, up, columns + 1, down);
    }
    if (rank == 0)
        printf("a cell in the middle: %g\n", row_of(cells / 2, columns / 2)[cells / 2]);
    free(cube), free(edge), free(face);
    MPI_Finalize();
    return 0;
}
