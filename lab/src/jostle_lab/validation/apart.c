/* Measures the distance of two cores: a word goes from one to the other and back, a hundred times,
 * for 20 ms.
 *
 *   apart CPU CPU   prints the least mean of a round trip, in nanoseconds
 *
 * Where other processes compute it repeats, for a fifth of a second, until both cores were free at
 * a time; if they never were, it fails and prints nothing.
 *
 * Where a hypervisor moves virtual cores, two that shared a cache may find themselves on two sockets.
 * Ranks that exchange much are slower there by a fifth, and nothing that a process may read shows
 * it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIPS = 100, LENGTH_NS = 20000000, AT_MOST_NS = 200000000, NO_TRIP_NS = 10000 };

static _Alignas(256) atomic_int there;
static _Alignas(256) atomic_int back;
static atomic_int over;

static int go(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *answer(void *cpu)
{
    if (go(*(int *)cpu) != 0)
        exit(1);
    for (int n = 1; !atomic_load(&over); n++) {
        while (atomic_load(&there) < n)
            if (atomic_load(&over))
                return NULL;
        atomic_store(&back, n);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t other;
    int second = argc == 3 ? atoi(argv[2]) : -1;
    if (second < 0 || go(atoi(argv[1])) != 0 || pthread_create(&other, NULL, answer, &second) != 0)
        return 1;
    double least = 1e9, start = now_ns(), begin = start;
    for (int n = 0; begin < start + (least < NO_TRIP_NS ? LENGTH_NS : AT_MOST_NS);) {
        begin = now_ns();
        for (int i = 0; i < TRIPS; i++) {
            atomic_store(&there, ++n);
            while (atomic_load(&back) < n)
                ;
        }
        double mean = (now_ns() - begin) / TRIPS;
        least = mean < least ? mean : least;
    }
    atomic_store(&over, 1);
    pthread_join(other, NULL);
    if (least >= NO_TRIP_NS)
        return 1;
    printf("%.0f\n", least);
    return 0;
}
