/* heat.c: a plate that heats up, in strips.
 *
 * usage: mpirun -n RANKS heat FILE SECONDS
 *
 * Each step exchanges rows with the neighbours (non-blocking) and agrees on the largest change
 * (Allreduce); every two seconds all ranks write the plate to FILE together (MPI-IO).
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 1024, ROWS = 128, STEPS_PER_LOOK = 8 };
static const double CHECKPOINT_S = 2.0;

static int rank, ranks;

static void exchange(double *plate)
{
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request wanted[4];
    MPI_Status unused[4];

    MPI_Irecv(plate, COLUMNS, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &wanted[0]);
    MPI_Irecv(plate + (ROWS + 1) * COLUMNS, COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
              &wanted[1]);
    MPI_Isend(plate + COLUMNS, COLUMNS, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &wanted[2]);
    MPI_Isend(plate + ROWS * COLUMNS, COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &wanted[3]);
    MPI_Waitall(4, wanted, unused);
}

static double relax(const double *from, double *to)
{
    double change = 0;

    for (int row = 1; row <= ROWS; row++) {
        for (int column = 1; column < COLUMNS - 1; column++) {
            int at = row * COLUMNS + column;

            to[at] = 0.25 * (from[at - 1] + from[at + 1] + from[at - COLUMNS] + from[at + COLUMNS]);
            change = fmax(change, fabs(to[at] - from[at]));
        }
    }
    return change;
}

static void checkpoint(MPI_File file, const double *plate)
{
    MPI_Offset at = (MPI_Offset)rank * ROWS * COLUMNS * (MPI_Offset)sizeof *plate;

    MPI_File_write_at_all(file, at, plate + COLUMNS, ROWS * COLUMNS, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

/* Returns the number of steps that fitted into the time. */
static long heat(MPI_File file, double *plates[2], double seconds)
{
    double begin = MPI_Wtime(), written = begin, change, largest;
    int go = 1, write_now = 0;
    long steps = 0;

    while (go) {
        for (int i = 0; i < STEPS_PER_LOOK; i++, steps++) {
            exchange(plates[steps & 1]);
            change = relax(plates[steps & 1], plates[~steps & 1]);
            MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }
        if (rank == 0) {
            go = MPI_Wtime() - begin < seconds;
            write_now = MPI_Wtime() - written > CHECKPOINT_S;
        }
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(&write_now, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (write_now) {
            checkpoint(file, plates[steps & 1]);
            written = MPI_Wtime();
        }
    }
    return steps;
}

int main(int argc, char **argv)
{
    double *plates[2];
    MPI_File file;
    long steps;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < 2; i++) {
        plates[i] = calloc((ROWS + 2) * COLUMNS, sizeof(double));
        for (int row = 0; row < ROWS + 2; row++)
            plates[i][row * COLUMNS] = 100;
    }
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    steps = heat(file, plates, atof(argv[2]));
    MPI_File_close(&file);
    if (rank == 0)
        printf("%ld steps\n", steps);
    MPI_Finalize();
    return 0;
}
