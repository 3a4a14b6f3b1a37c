/* Threads that compute and call nothing that is wrapped, on the first core that there is.
 *
 * cores THREADS SECONDS: prints what all of them used and waited, as the kernel has it at the end.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double until;

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *compute(void *waited)
{
    volatile double x = 0;
    while (now(CLOCK_MONOTONIC) < until)
        for (int i = 0; i < 10000; i++)
            x += i;
    unsigned long long ran, wait;
    FILE *f = fopen("/proc/thread-self/schedstat", "r");
    if (f && fscanf(f, "%llu %llu", &ran, &wait) == 2)
        *(unsigned long long *)waited = wait;
    if (f)
        fclose(f);
    return NULL;
}

int main(int argc, char **argv)
{
    int count = atoi(argv[1]);
    unsigned long long waited[64] = {0}, sum = 0;
    pthread_t threads[64];
    cpu_set_t have, one;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof have, &have);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &have)) {
            CPU_SET(i, &one);
            break;
        }
    sched_setaffinity(0, sizeof one, &one);
    FILE *f = fopen("/dev/null", "w"); /* who moves so much is profiled slice by slice */
    static char bytes[1 << 17];
    if (f) {
        fwrite(bytes, 1, sizeof bytes, f);
        fclose(f);
    }
    until = now(CLOCK_MONOTONIC) + atof(argv[2]);
    for (int i = 1; i < count; i++)
        pthread_create(&threads[i], NULL, compute, &waited[i]);
    compute(&waited[0]);
    for (int i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < count; i++)
        sum += waited[i];
    printf("%llu %.0f\n", sum, 1e9 * now(CLOCK_PROCESS_CPUTIME_ID));
    (void)argc;
    return 0;
}
