/*
 * What a test program, or the independent counter, knows that it did: calls and bytes per class.
 *
 * One file per process ($TRUTH/<pid>.<n> of the program, $COUNTER/<pid>.<n> of the counter), mapped
 * and made with raw system calls, so that no wrapper sees it and no way of dying loses it. The
 * format is that of tests/runtime/programs/truth.h; the names are those of the metrics.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* clang-format off */
#define ACCOUNT_CLASSES(X)                                                                         \
    X(mpi_send, 1) X(mpi_recv, 2) X(mpi_sendrecv, 3) X(mpi_isend, 1) X(mpi_irecv, 2)               \
    X(mpi_probe, 0) X(mpi_wait, 0) X(mpi_test, 0) X(mpi_request, 0) X(mpi_one_to_all, 1)           \
    X(mpi_all_to_one, 1) X(mpi_all_to_all, 1) X(mpi_barrier, 0) X(mpi_scan, 1) X(mpi_neighbor, 1)  \
    X(mpi_ione_to_all, 1) X(mpi_iall_to_one, 1) X(mpi_iall_to_all, 1) X(mpi_ibarrier, 0)           \
    X(mpi_iscan, 1) X(mpi_ineighbor, 1) X(mpi_put, 1) X(mpi_get, 1) X(mpi_accumulate, 1)           \
    X(mpi_rma_sync, 0) X(mpi_window, 0) X(mpiio_open, 0) X(mpiio_close, 0) X(mpiio_sync, 0)        \
    X(mpiio_meta, 0) X(mpiio_read, 1) X(mpiio_read_all, 1) X(mpiio_read_shared, 1)                 \
    X(mpiio_read_split, 1) X(mpiio_write, 1) X(mpiio_write_all, 1) X(mpiio_write_shared, 1)        \
    X(mpiio_write_split, 1) X(mpi_comm, 0) X(mpi_spawn, 0) X(mpi_init, 0) X(mpi_finalize, 0)       \
    X(mpi_abort, 0) X(sendrecv_got, 4) X(mpi_irecv_room, 5)
/* clang-format on */

#define ACCOUNT_ENUM(name, has_bytes) C_##name,
enum account_class { ACCOUNT_CLASSES(ACCOUNT_ENUM) ACCOUNT_COUNT };
#define ACCOUNT_NAME(name, has_bytes) #name,
static const char *const account_names[] = {ACCOUNT_CLASSES(ACCOUNT_NAME)};
#define ACCOUNT_HAS(name, has_bytes) has_bytes,
static const char account_has_bytes[] = {ACCOUNT_CLASSES(ACCOUNT_HAS)};

struct account_entry {
    char name[40];
    long long value;
};
/* One account per program or library, whatever number of files it is made of. */
#define ACCOUNT_ONE __attribute__((weak, visibility("hidden")))
ACCOUNT_ONE struct account_entry account_plain[2 * ACCOUNT_COUNT];
ACCOUNT_ONE struct account_entry *account = account_plain;

/* Adds calls and bytes to a class; any thread may. */
static inline void account_add(enum account_class klass, long long ops, long long bytes)
{
    __atomic_add_fetch(&account[2 * klass].value, ops, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&account[2 * klass + 1].value, bytes, __ATOMIC_SEQ_CST);
}
#define DID(name, ops, bytes) account_add(C_##name, (ops), (long long)(bytes))
/* What arrived in a sendrecv; DID has what it sent. */
#define GOT(bytes) account_add(C_sendrecv_got, 0, (long long)(bytes))

static inline void account_fail(const char *what, const char *file, int line)
{
    char text[512];
    int n = snprintf(text, sizeof text, "%s:%d: %s (errno %d)\n", file, line, what, errno);
    syscall(SYS_write, 2, text, n);
    syscall(SYS_exit_group, 99);
}

/* Ends the program when something that must hold does not. */
#define MUST(condition) ((condition) ? (void)0 : account_fail(#condition, __FILE__, __LINE__))

/* A class without bytes has an empty name in their place, which the reader leaves out. Bytes of receives
 * (2) are those that arrived, of a sendrecv (3) those that it sent. */
static inline void account_label(void)
{
    static const char *const ends[] = {"", "_bytes", "_arrived_bytes", "_sent_bytes"};
    for (int i = 0; i < ACCOUNT_COUNT; i++) {
        int kind = account_has_bytes[i];
        if (kind >= 4) {
            snprintf(account_plain[2 * i + 1].name, 40,
                     kind == 4 ? "mpi_sendrecv_arrived_bytes" : "mpi_irecv_bytes");
            continue;
        }
        snprintf(account_plain[2 * i].name, 40, "%s_ops", account_names[i]);
        if (kind) {
            snprintf(account_plain[2 * i + 1].name, 40, "%s%s", account_names[i], ends[kind]);
        }
    }
}

/* Begins the account of this process, in the folder that a variable names; a child after fork may
 * call it again. Without the variable the account stays in memory. */
static inline void account_begin(const char *variable)
{
    const char *directory = getenv(variable);
    int before = errno, fd = -1;
    char path[512];
    void *map;
    account = account_plain;
    memset(account_plain, 0, sizeof account_plain);
    account_label();
    if (directory == NULL) {
        return;
    }
    for (int n = 0; fd < 0 && n < 100; n++) {
        snprintf(path, sizeof path, "%s/%d.%d", directory, (int)syscall(SYS_getpid), n);
        fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    MUST(fd >= 0 && syscall(SYS_pwrite64, fd, account_plain, sizeof account_plain, 0L) > 0);
    map = (void *)syscall(SYS_mmap, NULL, sizeof account_plain, PROT_READ | PROT_WRITE, MAP_SHARED,
                          fd, 0L);
    MUST(map != MAP_FAILED);
    account = map;
    syscall(SYS_close, fd);
    errno = before;
}

/* Gives the test a value that is no metric: a line in $TRUTH/note.<key>. */
static inline void account_note(const char *key, const char *value)
{
    const char *directory = getenv("TRUTH");
    char path[512], line[512];
    int fd, n = snprintf(line, sizeof line, "%s\n", value);
    if (directory == NULL) {
        return;
    }
    snprintf(path, sizeof path, "%s/note.%s", directory, key);
    fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    syscall(SYS_write, fd, line, (long)n);
    syscall(SYS_close, fd);
}

/* CLOCK_REALTIME in ns, the clock that profiles go by. */
static inline long long account_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Computes (never leaves the core by itself) for so many ns. */
static inline void account_compute(long long ns)
{
    volatile double x = 1;
    for (long long end = account_now() + ns; account_now() < end;) {
        for (int i = 0; i < 500; i++) {
            x = x * 1.0000001 + 1e-9;
        }
    }
}

static inline void account_sleep(long long ns)
{
    struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    while (nanosleep(&t, &t) != 0) {
    }
}
#endif
