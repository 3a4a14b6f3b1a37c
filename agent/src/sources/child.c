/* child.c: runs a program on a pipe for a source (child.h). */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS INT64_C(1000000000)
#define FIRST_PAUSE (10 * NS)
#define LONGEST_PAUSE (600 * NS)

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NS + t.tv_nsec;
}

static void place_of(const jst_child *c, char to[512])
{
    snprintf(to, 512, "%s%s", jst_root, c->arguments[0]);
}

bool jst_child_there(const jst_child *c)
{
    char place[512];
    place_of(c, place);
    return access(place, X_OK) == 0;
}

/* Reaps it, if the kernel releases it within a moment. */
static bool is_gone(jst_child *c)
{
    for (int i = 0; c->pid && i < 20; i++) {
        if (i)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
        if (waitpid(c->pid, NULL, WNOHANG) != 0)
            c->pid = 0;
    }
    return !c->pid;
}

static void stop(jst_child *c)
{
    if (!c->ending) {
        close(c->to);
        close(c->from);
        c->ending = true;
    }
    if (c->pid)
        kill(c->pid, SIGKILL);
    c->pause_ns = c->pause_ns ? c->pause_ns * 2 : FIRST_PAUSE;
    if (c->pause_ns > LONGEST_PAUSE)
        c->pause_ns = LONGEST_PAUSE;
    c->not_before_ns = clock_ns() + c->pause_ns;
}

void jst_child_no_pause(jst_child *c)
{
    c->not_before_ns = c->pause_ns = 0;
}

/* Its standard error is discarded, and its environment is only a path. A signal to the agent's
 * group does not end it before the last sample: it ends when its pipes are closed. */
static int spawn(jst_child *c, int in, int out)
{
    static char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t signals;
    char place[512];
    place_of(c, place);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&how);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&how, &signals);
    sigaddset(&signals, SIGPIPE); /* the agent ignores it */
    posix_spawnattr_setsigdefault(&how, &signals);
    posix_spawnattr_setflags(&how,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    int error = posix_spawn(&c->pid, place, &files, &how, c->arguments, environment);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (error)
        c->pid = 0;
    return -error;
}

static int start(jst_child *c)
{
    int in[2], out[2];
    if (clock_ns() < c->not_before_ns || !is_gone(c))
        return -EAGAIN;
    if (pipe2(in, O_CLOEXEC))
        return -errno;
    if (pipe2(out, O_CLOEXEC)) {
        int error = -errno;
        close(in[0]);
        close(in[1]);
        return error;
    }
    int error = spawn(c, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    c->to = in[1];
    c->from = out[0];
    c->ending = false;
    fcntl(c->to, F_SETFL, O_NONBLOCK);
    fcntl(c->from, F_SETFL, O_NONBLOCK);
    if (error)
        stop(c);
    return error;
}

/* Discards the rest of an answer that was too late. */
static void pass_over(jst_child *c)
{
    char text[4096];
    for (int i = 0; i < 1024 && read(c->from, text, sizeof text) > 0; i++)
        continue;
}

/* Waits for output. Returns its bytes, 0: it ended, or -errno. */
static long read_some(jst_child *c, char *to, size_t size, int64_t until_ns)
{
    for (;;) {
        long n = read(c->from, to, size);
        if (n >= 0)
            return n;
        if (errno != EAGAIN && errno != EINTR)
            return -errno;
        int64_t left = until_ns - clock_ns();
        if (left <= 0)
            return -ETIMEDOUT;
        poll(&(struct pollfd){.fd = c->from, .events = POLLIN}, 1, (int)(left / 1000000) + 1);
    }
}

static long answer(jst_child *c, char *to, size_t size, int64_t until_ns,
                   bool (*is_whole)(const char *text, size_t n))
{
    size_t used = 0;
    for (;;) {
        long n = read_some(c, to + used, size - 1 - used, until_ns);
        if (n <= 0)
            return n < 0 ? n : -EPIPE;
        used += (size_t)n;
        to[used] = 0;
        if (is_whole(to, used))
            return (long)used;
        if (used == size - 1)
            return -EFBIG;
    }
}

long jst_child_ask(jst_child *c, const char *request, char *to, size_t size, int deadline_ms,
                   bool (*is_whole)(const char *text, size_t n))
{
    size_t length = strlen(request);
    long n = 0;
    if (!c->pid || c->ending) {
        n = start(c);
        if (n < 0)
            return n;
    }
    pass_over(c);
    long sent = write(c->to, request, length);
    if (sent < 0)
        n = errno == EAGAIN ? -ETIMEDOUT : -errno; /* it has not read the previous request */
    else if ((size_t)sent < length)
        n = -ETIMEDOUT;
    else
        n = answer(c, to, size, clock_ns() + deadline_ms * INT64_C(1000000), is_whole);
    if (n < 0)
        stop(c);
    else
        c->pause_ns = 0;
    return n;
}

/* CPU time of it and of what it started. */
static int64_t cpu_of(const struct rusage *r)
{
    return (r->ru_utime.tv_sec + r->ru_stime.tv_sec) * NS +
           (r->ru_utime.tv_usec + r->ru_stime.tv_usec) * INT64_C(1000);
}

static long output(jst_child *c, char *to, size_t size, int64_t until_ns)
{
    size_t used = 0;
    for (;;) {
        long n = read_some(c, to + used, size - 1 - used, until_ns);
        if (n <= 0) {
            to[used] = 0;
            return n < 0 ? n : (long)used;
        }
        used += (size_t)n;
        if (used == size - 1)
            return -EFBIG;
    }
}

long jst_child_run(jst_child *c, char *to, size_t size, int deadline_ms, int64_t *cpu_ns)
{
    struct rusage usage = {0};
    int status = 0;
    *cpu_ns = 0;
    long n = start(c);
    if (n < 0)
        return n;
    int64_t until = clock_ns() + deadline_ms * INT64_C(1000000);
    n = output(c, to, size, until);
    pid_t pid = 0;
    while (n >= 0 && !(pid = wait4(c->pid, &status, WNOHANG, &usage)) && clock_ns() < until)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    *cpu_ns = cpu_of(&usage);
    if (n >= 0 && pid == c->pid) {
        c->pid = 0;
        if (!WIFEXITED(status) || WEXITSTATUS(status))
            n = -EPIPE;
    } else if (n >= 0) {
        n = -ETIMEDOUT;
    }
    stop(c);
    if (n >= 0)
        jst_child_no_pause(c);
    return n;
}
