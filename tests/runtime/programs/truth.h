/*
 * A test program's own account of its I/O, under the names of the metrics.
 *
 * It lives in a mapped file of its own ($TRUTH/<pid>.<n>) made with raw system calls, so that no
 * wrapper counts it and no way of dying loses it. Without $TRUTH it lives in plain memory.
 */
#ifndef TRUTH_H
#define TRUTH_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* clang-format off */
#define TRUTH_METRICS(X)                                                                           \
    X(posix_open_ops) X(posix_close_ops) X(posix_read_ops) X(posix_read_bytes) X(posix_write_ops)  \
    X(posix_write_bytes) X(posix_seek_ops) X(posix_sync_ops) X(posix_meta_ops) X(stdio_open_ops)   \
    X(stdio_close_ops) X(stdio_read_ops) X(stdio_read_bytes) X(stdio_write_ops)                    \
    X(stdio_write_bytes) X(stdio_seek_ops) X(stdio_sync_ops) X(stdio_meta_ops)                     \
    X(error_missing_ops) X(error_access_ops) X(error_space_ops) X(error_io_ops)                    \
    X(error_remote_ops) X(error_again_ops) X(error_limit_ops) X(error_invalid_ops)                 \
    X(error_other_ops) X(stream_read_ops) X(stream_read_bytes) X(stream_write_ops)                 \
    X(stream_write_bytes)
/* clang-format on */

#define TRUTH_ENUM(m) T_##m,
#define TRUTH_NAME(m) #m,
enum { TRUTH_METRICS(TRUTH_ENUM) TRUTH_COUNT };
static const char *const truth_names[] = {TRUTH_METRICS(TRUTH_NAME)};

struct truth_entry {
    char name[40];
    long long value;
};
static struct truth_entry truth_plain[TRUTH_COUNT];
static struct truth_entry *truth = truth_plain;

/* Adds n to the account of a metric; safe in signal handlers and threads. */
#define DID(metric, n) ((void)__atomic_add_fetch(&truth[T_##metric].value, (n), __ATOMIC_SEQ_CST))
#define DID_WRITE(n) (DID(posix_write_ops, 1), DID(posix_write_bytes, (n)))
#define DID_READ(n) (DID(posix_read_ops, 1), DID(posix_read_bytes, (n)))

/* Ends the program when something that must hold does not. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            truth_fail(#condition, __FILE__, __LINE__);                                            \
        }                                                                                          \
    } while (0)

static inline void truth_fail(const char *what, const char *file, int line)
{
    char text[512];
    int n = snprintf(text, sizeof text, "%s:%d: %s (errno %d)\n", file, line, what, errno);
    syscall(SYS_write, 2, text, n);
    syscall(SYS_exit_group, 99);
}

/* Begins the account of this process; call it again in a child after fork. */
static inline void truth_begin(void)
{
    const char *directory = getenv("TRUTH");
    char path[512];
    struct truth_entry *map;
    int fd = -1;
    truth = truth_plain;
    memset(truth_plain, 0, sizeof truth_plain);
    for (int i = 0; i < TRUTH_COUNT; i++) {
        strcpy(truth_plain[i].name, truth_names[i]);
    }
    if (directory == NULL) {
        return;
    }
    for (int n = 0; fd < 0 && n < 100; n++) {
        snprintf(path, sizeof path, "%s/%d.%d", directory, (int)syscall(SYS_getpid), n);
        fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (fd < 0 || syscall(SYS_pwrite64, fd, truth_plain, sizeof truth_plain, 0L) < 0) {
        truth_fail("truth file", __FILE__, __LINE__);
    }
    map = (struct truth_entry *)syscall(SYS_mmap, NULL, sizeof truth_plain, PROT_READ | PROT_WRITE,
                                        MAP_SHARED, fd, 0L);
    if (map == MAP_FAILED) {
        truth_fail("truth map", __FILE__, __LINE__);
    }
    truth = map;
    syscall(SYS_close, fd);
    errno = 0;
}

/* Names something that is no metric but that the test wants to know. */
static inline void truth_note(const char *key, const char *value)
{
    const char *directory = getenv("TRUTH");
    char path[512];
    int fd;
    if (directory == NULL) {
        return;
    }
    snprintf(path, sizeof path, "%s/note.%s", directory, key);
    fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    syscall(SYS_write, fd, value, strlen(value));
    syscall(SYS_write, fd, "\n", 1L);
    syscall(SYS_close, fd);
}
#endif
