/* Leaves calls that fail by exceptions and by jumps out of error handlers; then goes on. */
#include <csetjmp>
#include <cstdio>
#include <mpi.h>
static jmp_buf back;
static void handler(MPI_Comm *, int *code, ...)
{
    throw *code;
}
static void jumper(MPI_Comm *, int *, ...)
{
    longjmp(back, 1);
}
int main(int c, char **v)
{
    MPI_Init(&c, &v);
    int rank, sum = 0, caught = 0, jumped = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Errhandler h, j;
    MPI_Comm_create_errhandler(handler, &h);
    MPI_Comm_create_errhandler(jumper, &j);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
    for (int i = 0; i < 50; i++) {
        try {
            MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
        } catch (int e) {
            caught++;
        }
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, j);
    for (volatile int i = 0; i < 50; i++) {
        if (setjmp(back) == 0)
            MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
        else
            jumped++;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d %d %d\n", caught, jumped, sum);
    MPI_Finalize();
}
