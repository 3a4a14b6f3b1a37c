/* argv: file, how: writes for 0.7 s and is then killed within its first second, by itself. Prints the
 * number of writes. how "calls": many short ones until the end; "one": a single long one (a pipe that
 * is read late), and no call after it. */
#include "../truth.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>

#define LASTS_NS 700000000LL

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long many(const char *path)
{
    static char buffer[100000];
    long long begin = now_ns();
    long writes = 0;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    DID(posix_open_ops, 1);
    for (; now_ns() - begin < LASTS_NS; writes++) {
        MUST(pwrite(fd, buffer, sizeof buffer, 0) == (ssize_t)sizeof buffer);
        DID_WRITE((long long)sizeof buffer);
    }
    return writes;
}

static long one(const char *path)
{
    static char buffer[200000]; /* more than the pipe and its reader's first look hold */
    struct timespec wait = {0, LASTS_NS};
    int ends[2];
    MUST(mkfifo(path, 0600) == 0 &&
         (ends[0] = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR)) >= 0);
    ends[1] = open(path, O_WRONLY);
    DID(posix_open_ops, 1);
    if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) { /* the reader, unseen */
        /* Its time begins with the write, which may come late on a busy machine. */
        for (int n = 0; n == 0; syscall(SYS_sched_yield)) {
            MUST(syscall(SYS_ioctl, ends[0], FIONREAD, &n) == 0);
        }
        syscall(SYS_nanosleep, &wait, NULL);
        for (long got = 0, n = 1; got < (long)sizeof buffer && n > 0; got += n) {
            n = syscall(SYS_read, ends[0], buffer, sizeof buffer);
        }
        syscall(SYS_exit_group, 0);
    }
    MUST(write(ends[1], buffer, sizeof buffer) == (ssize_t)sizeof buffer);
    return 1;
}

int main(int argc, char **argv)
{
    char said[32];
    MUST(argc == 3);
    truth_begin();
    long writes = strcmp(argv[2], "one") == 0 ? one(argv[1]) : many(argv[1]);
    int n = snprintf(said, sizeof said, "%ld\n", writes);
    syscall(SYS_write, 1, said, (long)n);
    syscall(SYS_kill, (long)getpid(), (long)SIGKILL);
    return 0;
}
