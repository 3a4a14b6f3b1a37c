/*
 * transpose: two-dimensional Fourier transforms by all-to-all.
 *
 *   transpose CELLS STEPS
 *
 * Each step transforms the rows of a CELLS x CELLS matrix (CELLS a power of two that the number of
 * ranks divides), transposes it (Alltoall), transforms again, transposes back, and compares the sum
 * of squares over all ranks with the expected one (Allreduce).
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, cells, rows;
static double complex *matrix, *blocks, *received, *roots;

static void *get(size_t count)
{
    void *memory = calloc(count, sizeof(double complex));
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* Reverses the order of the bits of the indices. */
static void reverse(double complex *row)
{
    for (int i = 1, j = 0; i < cells; i++) {
        int bit = cells >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j |= bit;
        if (i < j) {
            double complex kept = row[i];
            row[i] = row[j];
            row[j] = kept;
        }
    }
}

static void transform(double complex *row)
{
    reverse(row);
    for (int half = 1; half < cells; half *= 2)
        for (int begin = 0; begin < cells; begin += 2 * half)
            for (int k = 0; k < half; k++) {
                double complex a = row[begin + k];
                double complex b = row[begin + k + half] * roots[k * (cells / 2 / half)];
                row[begin + k] = a + b;
                row[begin + k + half] = a - b;
            }
}

static void transpose(void)
{
    int block = rows * rows;
    for (int to = 0; to < size; to++)
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < rows; c++)
                blocks[to * block + c * rows + r] = matrix[r * cells + to * rows + c];
    MPI_Alltoall(blocks, 2 * block, MPI_DOUBLE, received, 2 * block, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < rows; c++)
                matrix[r * cells + from * rows + c] = received[from * block + r * rows + c];
}

static double squares(void)
{
    double own = 0, all = 0;
    for (int i = 0; i < rows * cells; i++)
        own += creal(matrix[i] * conj(matrix[i]));
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static double step(void)
{
    double before = squares();
    for (int direction = 0; direction < 2; direction++) {
        for (int r = 0; r < rows; r++)
            transform(matrix + r * cells);
        transpose();
    }
    for (int i = 0; i < rows * cells; i++)
        matrix[i] /= cells;
    return squares() / before - 1;
}

int main(int argc, char **argv)
{
    double worst = 0;
    if (argc != 3)
        return fputs("usage: transpose CELLS STEPS\n", stderr), 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cells = atoi(argv[1]);
    rows = cells / size;
    matrix = get((size_t)rows * (size_t)cells);
    blocks = get((size_t)rows * (size_t)cells);
    received = get((size_t)rows * (size_t)cells);
    roots = get((size_t)cells / 2);
    for (int k = 0; k < cells / 2; k++)
        roots[k] = cexp(-2 * M_PI * I * k / cells);
    for (int i = 0; i < rows * cells; i++)
        matrix[i] = (i * 7 + rank) % 13 - 6;
    for (int i = 0; i < atoi(argv[2]); i++)
        worst = fmax(worst, fabs(step()));
    if (rank == 0)
        printf("worst error: %.1e\n", worst);
    free(matrix), free(blocks), free(received), free(roots);
    MPI_Finalize();
    return 0;
}
