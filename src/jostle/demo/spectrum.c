/* spectrum.c: sums of waves, transposed again and again; the other of the demo's MPI programs.
 *
 * usage: mpirun -n RANKS spectrum FILE SECONDS
 *
 * Each step computes on its rows, more on the last rank than on the others (an imbalance to be
 * found), and transposes the matrix (Alltoall); rank 0 collects a line now and then (Reduce) and
 * writes it to FILE.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 512, STEPS_PER_LOOK = 4, STEPS_PER_LINE = 64 };

static int rank, ranks;

static void compute(double *rows, int count)
{
    int rounds = rank == ranks - 1 ? 3 : 2;

    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
            rows[i] = sin(rows[i] + 0.001 * round);
}

static void write_line(FILE *out, double *rows, int count)
{
    double sum = 0, all = 0;

    for (int i = 0; i < count; i++)
        sum += rows[i] * rows[i];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (out) {
        fprintf(out, "%.12g\n", all);
        fflush(out);
    }
}

static long run(FILE *out, double *rows, double *other, int block, double seconds)
{
    double begin = MPI_Wtime();
    int go = 1;
    long steps = 0;

    while (go) {
        for (int i = 0; i < STEPS_PER_LOOK; i++, steps++) {
            compute(rows, block * ranks);
            MPI_Alltoall(rows, block, MPI_DOUBLE, other, block, MPI_DOUBLE, MPI_COMM_WORLD);
            compute(other, block * ranks);
            MPI_Alltoall(other, block, MPI_DOUBLE, rows, block, MPI_DOUBLE, MPI_COMM_WORLD);
        }
        if (steps % STEPS_PER_LINE == 0)
            write_line(out, rows, block * ranks);
        go = MPI_Wtime() - begin < seconds;
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return steps;
}

int main(int argc, char **argv)
{
    FILE *out = NULL;
    double *rows, *other;
    int block;
    long steps;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    block = SIDE * SIDE / ranks / ranks;
    rows = malloc((size_t)block * ranks * sizeof *rows);
    other = malloc((size_t)block * ranks * sizeof *other);
    for (int i = 0; i < block * ranks; i++)
        rows[i] = 0.001 * i + rank;
    if (rank == 0)
        out = fopen(argv[1], "w");
    steps = run(out, rows, other, block, atof(argv[2]));
    if (out)
        fclose(out);
    if (rank == 0)
        printf("%ld steps\n", steps);
    free(rows);
    free(other);
    MPI_Finalize();
    return 0;
}
