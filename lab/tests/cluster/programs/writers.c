/* writers DIR: every rank writes (rank + 1) MiB to DIR/rank.NUMBER with calls of 64 KiB, and says
 * who and where it is; the ranks meet in a barrier before and after. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static char piece[64 << 10];

int main(int argc, char **argv)
{
    char path[512], host[256];
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/rank.%d", argv[1], rank);
    gethostname(host, sizeof host);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (int i = 0; i < 16 * (rank + 1); i++)
        if (write(fd, piece, sizeof piece) != (ssize_t)sizeof piece)
            MPI_Abort(MPI_COMM_WORLD, 1);
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d of %d on %s\n", rank, ranks, host);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
