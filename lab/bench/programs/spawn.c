/*
 * spawn: start and exit of a program, under several environments in turn.
 *
 *   spawn ROUNDS CPU PROGRAM -- [NAME=VALUE...] [-- [NAME=VALUE...]]...
 *
 * Each group behind a `--` is one environment (added to our own). Prints, for each round, the
 * nanoseconds from posix_spawn to the end of waitpid under each of them.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { MAX_VARIANTS = 8 };

extern char **environ;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t once(char *program, char **environment)
{
    char *arguments[] = {program, NULL};
    pid_t pid;
    int status;
    int64_t before = now_ns();
    if (posix_spawn(&pid, program, NULL, NULL, arguments, environment))
        exit(1);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        exit(1);
    return now_ns() - before;
}

static char **environment_of(char **group, int count)
{
    int own = 0;
    while (environ[own])
        own++;
    char **all = calloc((size_t)(own + count) + 1, sizeof *all);
    if (!all)
        exit(1);
    memcpy(all, environ, (size_t)own * sizeof *all);
    memcpy(all + own, group, (size_t)count * sizeof *all);
    return all;
}

int main(int argc, char **argv)
{
    char **variants[MAX_VARIANTS];
    int count = 0;
    cpu_set_t set;
    if (argc < 5) {
        fputs("usage: spawn ROUNDS CPU PROGRAM -- [NAME=VALUE...] ...\n", stderr);
        return 2;
    }
    CPU_ZERO(&set);
    CPU_SET((unsigned)atoi(argv[2]), &set);
    sched_setaffinity(0, sizeof set, &set);
    for (int i = 4; i < argc && count < MAX_VARIANTS;) { /* argv[i] is the "--" of a group */
        int end = i + 1;
        while (end < argc && strcmp(argv[end], "--"))
            end++;
        variants[count++] = environment_of(argv + i + 1, end - i - 1);
        i = end;
    }
    for (int round = 0; round < atoi(argv[1]); round++) {
        int64_t ns[MAX_VARIANTS];
        for (int i = 0; i < count; i++) {
            int which = (i + round) % count; /* none always follows the same one */
            ns[which] = once(argv[3], variants[which]);
        }
        for (int i = 0; i < count; i++)
            printf("%lld%c", (long long)ns[i], i + 1 < count ? ' ' : '\n');
    }
    return 0;
}
