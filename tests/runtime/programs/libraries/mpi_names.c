/* A program without MPI that meets MPI's names: argv[1] is what it does with them. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s is not so\n", #what);                                              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

extern int MPI_Send(const void *, int, void *, int, int, void *) __attribute__((weak));
extern int PMPI_Barrier(void *) __attribute__((weak));
extern void mpi_barrier_(int *, int *) __attribute__((weak));
extern int MPI_Initialized(int *) __attribute__((weak));
extern int MPI_Get_version(int *, int *) __attribute__((weak));

/* Of mpi_own.c, a library that has nothing to do with MPI. */
extern double mpi_init(double a, int b, double c) __attribute__((weak));
extern long MPI_SEND(long, long, long, long, long, long, long, long) __attribute__((weak));

static void *send_many(void *argument)
{
    for (int i = 0; i < 1000; i++)
        CHECK(MPI_Send(NULL, 0, NULL, 0, 0, NULL) != 0);
    return argument;
}

/* There is no MPI: an error where one is expected, no crash, errno as it was; and what says whether
 * there is an MPI is not ours. */
static void absent(void)
{
    int comm = 0, error = 0;
    pthread_t threads[4];
    CHECK(!MPI_Initialized && !MPI_Get_version);
    CHECK(MPI_Send && PMPI_Barrier && mpi_barrier_);
    errno = 77;
    CHECK(MPI_Send(NULL, 0, NULL, 0, 0, NULL) != 0);
    CHECK(PMPI_Barrier(NULL) != 0);
    mpi_barrier_(&comm, &error);
    CHECK(errno == 77);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, send_many, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* Another library's functions of such names are called as they are, all arguments in their place. */
static void another(void)
{
    for (int i = 0; i < 3; i++) {
        CHECK(mpi_init(0.5, 3, 2.0) == 5.5);
        CHECK(MPI_SEND(1, 2, 3, 4, 5, 6, 7, 8) == 87654321);
    }
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    if (strcmp(argv[1], "absent") == 0)
        absent();
    else
        another();
    puts("done");
    return 0;
}
