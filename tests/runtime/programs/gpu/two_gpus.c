#define _GNU_SOURCE
/* A recorder of two GPUs and of one that nothing is known of: hands known numbers to jostle, as
 * libjostle_cuda.so does what CUPTI says, and prints what it handed in:
 *   sum GPU h2d_ops h2d_bytes h2d_ns d2h_bytes launches lost busy_ns
 *   slice GPU START bytes     START: when the slice starts, ns
 * Slices are as long as JOSTLE_SLICE_NS says. Argument: exit; killed; removed: the profile is removed from the
 * spool in the middle; parts: the profile goes on in a further file then.
 */
#include <dlfcn.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../../runtime/include/jst_gpu.h"

#define ROUNDS 6u

static const jst_gpu_host *host;

static void yield(void) {}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
}

static void remove_profiles(void)
{
    char pattern[4096];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*.jst", getenv("JOSTLE_SPOOL"));
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
}

int main(int count, char **values)
{
    static const jst_gpu_recorder recorder = {JST_GPU_INTERFACE, sizeof recorder, yield};
    static const jst_gpu_device devices[] = {
        {.pci = "0000:3B:00.0",
         .uuid = "GPU-1",
         .name = "Big GPU",
         .path = "pci0000:3a/0000:3a:01.0/0000:3b:00.0",
         .numa = 0,
         .memory_bytes = 80000000000},
        {.pci = "0000:d8:00.0", .uuid = "MIG-2", .name = "Part of a GPU", .numa = 1},
        {.numa = -1},
    };
    jst_gpu_join_type *join = (jst_gpu_join_type *)dlsym(RTLD_DEFAULT, "jst_gpu_join");
    host = join ? join(&recorder) : NULL;
    if (!host || host->interface != JST_GPU_INTERFACE || host->size != sizeof *host)
        return 3;
    const uint64_t slice = strtoull(getenv("JOSTLE_SLICE_NS"), NULL, 10);
    uint64_t sums[3][7] = {{0}};
    unsigned gpu[3];
    for (unsigned i = 0; i < 3; i++)
        gpu[i] = host->device(&devices[i]);
    if (host->device(&devices[1]) != gpu[1])
        return 4;
    const char *mode = count > 1 ? values[1] : "exit";
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS / 2 && !strcmp(mode, "removed"))
            remove_profiles();
        if (round == ROUNDS / 2 && !strcmp(mode, "parts")) {
            getchar(); /* who wants to do something before it may */
            if (unshare(CLONE_NEWUSER) != 0)
                return 77;
        }
        uint64_t start =
            now() / slice * slice + slice; /* of the next slice; we are in its middle */
        sleep_until(start + slice / 3);
        for (unsigned i = 0; i < 3; i++) {
            uint64_t bytes = 1000000 * (i + 1) + 1000 * round + 7, ns = 40000 + 1000 * i + round;
            uint64_t t = now();
            if (i == 1 && round == 3) /* this one rests */
                continue;
            host->transfer(gpu[i], JST_GPU_H2D, bytes, t - ns, t);
            host->transfer(gpu[i], JST_GPU_D2H, 5 * bytes, t - 10, t);
            host->count(gpu[i], JST_GPU_LAUNCH, 10 + i);
            host->count(gpu[i], JST_GPU_LOST, i);
            host->busy(gpu[i], t - 3 * ns, t);
            const uint64_t gained[] = {1, bytes, ns, 5 * bytes, 10 + i, i, 3 * ns};
            for (unsigned k = 0; k < 7; k++)
                sums[i][k] += gained[k];
            printf("slice %u %llu %llu\n", i, (unsigned long long)(t / slice * slice),
                   (unsigned long long)bytes);
        }
    }
    host->transfer(JST_GPUS, JST_GPU_H2D, 1, now() - 1, now()); /* of a GPU that found no room */
    for (unsigned i = 0; i < 3; i++) {
        printf("sum %u", i);
        for (unsigned k = 0; k < 7; k++)
            printf(" %llu", (unsigned long long)sums[i][k]);
        printf("\n");
    }
    fflush(stdout);
    if (!strcmp(mode, "killed"))
        raise(SIGKILL);
    return 0;
}
