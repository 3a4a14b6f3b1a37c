/* A program that pauses, computes and writes in rounds, and logs when each round began and ended.
 *
 *   rounds LOG FILE START ROUNDS PAUSE_S WORK_S BYTES CHUNK SYNC PROCESSES
 *
 * Each process does ROUNDS rounds (0: until SIGTERM), the first one at START, in seconds since the
 * epoch. A round pauses, computes for WORK_S of CPU time, and writes BYTES to a file of the process
 * in calls of CHUNK bytes. SYNC is 1 to wait after each call until the data are stored, 0 to wait
 * once in a round. The first process writes a line "BEGIN END" per round to LOG, in nanoseconds
 * since the epoch. At the end all files except LOG are removed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_PROCESSES 16

static volatile sig_atomic_t stopped;
static volatile double sink;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

static double now_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return 1000000000LL * t.tv_sec + t.tv_nsec;
}

static void pause_s(double seconds)
{
    if (seconds <= 0)
        return;
    struct timespec left = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    while (!stopped && nanosleep(&left, &left) && errno == EINTR)
        continue;
}

static void compute_s(double seconds)
{
    double end = now_s(CLOCK_PROCESS_CPUTIME_ID) + seconds, x = 1.0;
    while (!stopped && now_s(CLOCK_PROCESS_CPUTIME_ID) < end) {
        for (int i = 0; i < 20000; i++)
            x = x * 1.0000001 + 1e-9;
        sink = x;
    }
}

static void fail(const char *what)
{
    fprintf(stderr, "rounds: %s: %s\n", what, strerror(errno));
    _exit(1);
}

static void write_round(int file, const char *data, long long bytes, long long chunk, int sync)
{
    for (long long at = 0; at < bytes && !stopped; at += chunk) {
        long long size = bytes - at < chunk ? bytes - at : chunk;
        if (pwrite(file, data, (size_t)size, at) != size)
            fail("write");
        if (sync && fsync(file))
            fail("fsync");
    }
    if (!sync && fsync(file))
        fail("fsync");
}

static void work(char **words, const char *path, FILE *log)
{
    long rounds = atol(words[4]);
    double pause = atof(words[5]), compute = atof(words[6]);
    long long bytes = atoll(words[7]), chunk = atoll(words[8]);
    char *data = calloc(1, (size_t)chunk);
    int file = bytes ? open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644) : -1;
    if (!data || (bytes && file < 0))
        fail(path);
    pause_s(atof(words[3]) - now_s(CLOCK_REALTIME));
    for (long at = 0; (!rounds || at < rounds) && !stopped; at++) {
        long long begin = now_ns();
        pause_s(pause);
        compute_s(compute);
        if (bytes)
            write_round(file, data, bytes, chunk, atoi(words[9]));
        if (log) {
            fprintf(log, "%lld %lld\n", begin, now_ns());
            fflush(log);
        }
    }
    free(data);
    if (bytes) {
        close(file);
        unlink(path);
    }
}

int main(int count, char **words)
{
    int processes = count == 11 ? atoi(words[10]) : 0, bad = 0;
    if (processes < 1 || processes > MOST_PROCESSES || atoll(words[8]) < 1) {
        fprintf(stderr, "usage: rounds LOG FILE START ROUNDS PAUSE_S WORK_S BYTES CHUNK SYNC "
                        "PROCESSES\n");
        return 2;
    }
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    FILE *log = fopen(words[1], "w");
    if (!log)
        fail(words[1]);
    pid_t children[MOST_PROCESSES];
    char path[4096];
    for (int at = 1; at < processes; at++) {
        children[at] = fork();
        if (children[at] < 0)
            fail("fork");
        if (children[at] == 0) {
            snprintf(path, sizeof path, "%s.%d", words[2], at);
            work(words, path, NULL);
            return 0;
        }
    }
    work(words, words[2], log);
    for (int at = 1; at < processes; at++) {
        int status = 0;
        if (stopped)
            kill(children[at], SIGTERM);
        while (waitpid(children[at], &status, 0) < 0 && errno == EINTR) {
            if (stopped)
                kill(children[at], SIGTERM);
        }
        bad |= status != 0;
    }
    return fclose(log) || bad;
}
