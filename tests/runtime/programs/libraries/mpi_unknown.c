/* Uses an MPI that nobody knows (mpi_first.c): plain calls, and large-count calls that it lacks. */
#include <stdio.h>

extern int MPI_Init(int *, char ***);
extern int MPI_Send(const void *, int, void *, int, int, void *);
extern int MPI_Send_c(const void *, long, void *, int, int, void *) __attribute__((weak));
extern int MPI_Bcast_c(const void *, long, void *, int, void *) __attribute__((weak));
extern int MPI_Ssend_c(const void *, long, void *, int, int, void *) __attribute__((weak));

int main(void)
{
    int r = MPI_Init(NULL, NULL) + MPI_Send((void *)1, 2, (void *)3, 4, 5, (void *)6);
    r += MPI_Send_c((void *)1, 2, (void *)3, 4, 5, (void *)6);
    r += MPI_Bcast_c((void *)1, 2, (void *)3, 4, (void *)5);
    /* too large for the plain function; not there at all */
    r += MPI_Send_c((void *)1, 1L << 33 | 2, (void *)3, 4, 5, (void *)6) == 0;
    r += MPI_Ssend_c((void *)1, 2, (void *)3, 4, 5, (void *)6) == 0;
    printf("result %d\n", r);
    return r;
}
