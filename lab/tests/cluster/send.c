/* The first half of the ranks sends to the second: send BYTES TIMES. Rank 0 says who was where. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, ranks, length = argc > 1 ? atoi(argv[1]) : 1000;
    int times = argc > 2 ? atoi(argv[2]) : 1;
    char line[256] = "", host[64] = "", *all = NULL, *buffer = calloc(1, (size_t)length);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < times; i++) {
        int half = ranks / 2;

        if (rank < half)
            MPI_Send(buffer, length, MPI_BYTE, rank + half, 0, MPI_COMM_WORLD);
        else if (rank < 2 * half)
            MPI_Recv(buffer, length, MPI_BYTE, rank - half, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    gethostname(host, sizeof host);
    snprintf(line, sizeof line, "rank %d on %s word=%s preload=%s", rank, host,
             getenv("WORD") ? getenv("WORD") : "", getenv("LD_PRELOAD") ? "yes" : "no");
    if (rank == 0)
        all = calloc((size_t)ranks, sizeof line);
    MPI_Gather(line, sizeof line, MPI_CHAR, all, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks; i++)
        puts(all + (size_t)i * sizeof line);
    free(all);
    free(buffer);
    MPI_Finalize();
    return 0;
}
