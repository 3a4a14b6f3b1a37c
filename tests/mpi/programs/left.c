/* left.c: error handlers that leave MPI by longjmp, then calls from deeper frames. */
#include "account.h"

#include <mpi.h>
#include <setjmp.h>

static jmp_buf out;

static void leave(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(out, 1);
}

__attribute__((noinline)) static void deeper(size_t bytes)
{
    volatile char array[bytes];
    array[0] = array[bytes - 1] = 1;
    for (int i = 0; i < 10; i++)
        MPI_Barrier(MPI_COMM_WORLD), DID(mpi_barrier, 1, 0);
    array[0] = 2;
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    char byte = 0;
    account_begin("TRUTH");
    MPI_Init(&argc, &argv), DID(mpi_init, 1, 0);
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (volatile size_t bytes = 64; bytes <= 1 << 18; bytes <<= 4) {
        if (setjmp(out) == 0) {
            MPI_Send(&byte, 1, MPI_CHAR, 9999, 0, MPI_COMM_WORLD);
        }
        deeper(bytes);
    }
    MPI_Finalize(), DID(mpi_finalize, 1, 0);
    return 0;
}
