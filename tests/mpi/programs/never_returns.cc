/* never_returns.cc: leaves MPI calls that fail by an exception and by a jump, and a file call of a helper thread
 * by its cancellation after 0.1 s; computes for 1 s behind each without any call. */
#include <csetjmp>
#include <ctime>
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static jmp_buf back;
static int ends[2];

static void handler(MPI_Comm *, int *code, ...)
{
    throw *code;
}

static void jumper(MPI_Comm *, int *, ...)
{
    longjmp(back, 1);
}

static void *helper(void *)
{
    char c;
    return read(ends[0], &c, 1) == 1 ? &back : nullptr;
}

static void compute()
{
    timespec begin, t;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &t);
    while (t.tv_sec - begin.tv_sec + (t.tv_nsec - begin.tv_nsec) * 1e-9 < 1);
}

int main(int c, char **v)
{
    int byte = 0;
    pthread_t thread;
    MPI_Errhandler h, j;
    MPI_Init(&c, &v);
    MPI_Comm_create_errhandler(handler, &h);
    MPI_Comm_create_errhandler(jumper, &j);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
    try {
        MPI_Send(&byte, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    } catch (int) {
    }
    compute();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, j);
    if (setjmp(back) == 0)
        MPI_Send(&byte, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    compute();
    if (pipe(ends) != 0 || pthread_create(&thread, nullptr, helper, nullptr) != 0)
        return 1;
    usleep(100000);
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
    compute();
    MPI_Finalize();
    return 0;
}
