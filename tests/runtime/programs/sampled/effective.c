/* Two threads of OpenMP, busy for ARGUMENT seconds; prints the process's CPU time over wall time. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    double length = argc > 1 ? atof(argv[1]) : 1, wall = now(CLOCK_MONOTONIC);
#pragma omp parallel num_threads(2)
    {
        volatile double x = 1;
        while (now(CLOCK_MONOTONIC) < wall + length)
            for (int i = 0; i < 10000; i++)
                x = x * 1.0000001;
    }
    printf("cpu_ns %.0f\n", now(CLOCK_PROCESS_CPUTIME_ID) * 1e9);
    printf("wall_ns %.0f\n", (now(CLOCK_MONOTONIC) - wall) * 1e9);
    printf("threads %d\n", omp_get_max_threads());
    return 0;
}
