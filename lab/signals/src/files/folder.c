/* folder.c: the folder of a signal, and the janitor process that removes it when no other can. */
#include "folder.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <time.h>

#include "../clock.h"
#include "../sys.h"

bool jst_folder_make(char *folder, size_t size, const char *dir, const char *job)
{
    char path[PATH_MAX], name[49];
    size_t n = 0;

    if (!realpath(dir, path)) {
        fprintf(stderr, "jostle-signal: --dir %s: %s; make it first, or name another\n", dir,
                strerror(errno));
        return false;
    }
    for (; job[n] && n < sizeof name - 1; n++)
        name[n] = strchr("/. \n\t", job[n]) ? '_' : job[n];
    name[n] = '\0';
    /* The time, since a pid may be that of a process in another node's name space. */
    int length = snprintf(folder, size, "%s/jostle-signal-%s-%ld-%llx", path, name, (long)getpid(),
                          (unsigned long long)jst_now());
    long result =
        length < 0 || (size_t)length >= size ? -ENAMETOOLONG : jst_sys_mkdir(folder, 0700);
    if (result < 0) {
        const bool gone = result == -EIO || result == -ENOTCONN || result == -ESTALE;
        const bool full = result == -ENOSPC || result == -EDQUOT;
        fprintf(stderr, "jostle-signal: cannot make a folder in --dir %s: %s; %s\n", dir,
                strerror((int)-result),
                gone   ? "is its server still there? see dmesg"
                : full ? "free space there, or choose another"
                       : "choose one that you may write to");
        /* Cut off, it may be the name of --dir itself, which must not be emptied: we did not make
         * it. */
        folder[0] = '\0';
    }
    return result == 0;
}

long jst_folder_space(const char *folder, uint64_t *bytes)
{
    struct statfs facts;
    long result = jst_sys(syscall(SYS_statfs, folder, &facts));

    if (result == 0)
        *bytes =
            (uint64_t)facts.f_bavail * (uint64_t)(facts.f_frsize ? facts.f_frsize : facts.f_bsize);
    return result;
}

/* ---- removal --------------------------------------------------------------------------------- */
struct entry { /* as the kernel hands it out */
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static bool is_of_rank(const char *name, int rank)
{
    long of = 0;

    if (rank < 0)
        return true;
    if (*name < '0' || *name > '9')
        return false;
    while (*name >= '0' && *name <= '9' && of < INT_MAX / 10)
        of = of * 10 + (*name++ - '0');
    return of == rank && (*name == '.' || *name == '\0');
}

/* Removes what is in an open folder; false when something was removed meanwhile, so that the
 * listing must be read again (a file system may skip entries then). */
static bool empty_once(int fd, int rank, int depth);

static void remove_entry(int fd, const char *name, int depth)
{
    long result = jst_sys(syscall(SYS_unlinkat, fd, name, 0));

    if (result != -EISDIR && result != -EPERM)
        return;
    long inner =
        jst_sys(syscall(SYS_openat, fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
    if (inner >= 0) {
        for (int i = 0; depth < 8 && i < 64 && !empty_once((int)inner, -1, depth + 1); i++)
            jst_sys(syscall(SYS_lseek, inner, 0, SEEK_SET));
        jst_sys_close((int)inner);
    }
    jst_sys(syscall(SYS_unlinkat, fd, name, AT_REMOVEDIR));
}

static bool empty_once(int fd, int rank, int depth)
{
    _Alignas(8) char buffer[8192];
    bool nothing = true;
    long n;

    while ((n = jst_sys(syscall(SYS_getdents64, fd, buffer, sizeof buffer))) > 0)
        for (long at = 0; at < n;) {
            struct entry *entry = (struct entry *)(void *)(buffer + at);
            at += entry->length;
            if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0 ||
                !is_of_rank(entry->name, rank))
                continue;
            nothing = false;
            remove_entry(fd, entry->name, depth);
        }
    return nothing;
}

void jst_folder_empty(const char *folder, int rank)
{
    long fd = jst_sys_open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);

    if (fd < 0)
        return;
    for (int i = 0; i < 64 && !empty_once((int)fd, rank, 0); i++)
        jst_sys(syscall(SYS_lseek, fd, 0, SEEK_SET));
    jst_sys_close((int)fd);
}

bool jst_folder_remove(const char *folder, int rank)
{
    jst_folder_empty(folder, rank);
    long result = jst_sys_unlink(folder, AT_REMOVEDIR);
    return result == 0 || result == -ENOENT;
}

/* ---- the janitor ----------------------------------------------------------------------------- */
static int pipe_out = -1;
static pid_t janitor;

struct order { /* what goes through the pipe; atomic, being shorter than PIPE_BUF */
    int rank;  /* -1: all */
    char done;
    char folder[3072];
};

static void nap(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
}

/* Only calls of the kernel from here on: the libc's state may be that of a fork, and a profiler in
 * this process shall not take it for a part of the load. */
__attribute__((noreturn)) static void be_janitor(int in)
{
    struct order order = {.rank = 0};
    bool watching = false;

    syscall(SYS_setsid);
    syscall(SYS_prctl, PR_SET_NAME, "jostle-janitor", 0, 0, 0);
    syscall(SYS_chdir, "/"); /* a folder in use cannot be unmounted */
    syscall(SYS_dup3, in, 0, 0);
    long null = jst_sys_open("/dev/null", O_RDWR, 0);
    syscall(SYS_dup3, null, 1, 0);
    syscall(SYS_dup3, null, 2, 0);
#ifdef SYS_close_range
    syscall(SYS_close_range, 3, ~0u, 0);
#else
    for (int fd = 3; fd < 1024; fd++)
        syscall(SYS_close, fd);
#endif
    while (jst_sys_read(0, &order, sizeof order) == (long)sizeof order) {
        if (order.done)
            syscall(SYS_exit_group, 0);
        watching = true;
    }
    /* All processes that could have removed it are gone. Others of an MPI job may still write for a
     * moment, until their launcher has ended them: the folder goes when it is empty. */
    for (int i = 0; watching && i < 200 && !jst_folder_remove(order.folder, order.rank); i++)
        nap(50);
    for (;;)
        syscall(SYS_exit_group, 0);
}

void jst_janitor_start(void)
{
    int ends[2];
    sigset_t all, before;

    if (syscall(SYS_pipe2, ends, O_CLOEXEC) != 0)
        return; /* then a kill leaves files behind, which does not prevent the start */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before); /* its own handlers would be ours */
    janitor = fork();
    if (janitor == 0)
        be_janitor(ends[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    jst_sys_close(ends[0]);
    pipe_out = ends[1];
}

static void send_order(const char *folder, int rank, bool done)
{
    struct order order = {.rank = rank, .done = done};

    if (pipe_out < 0)
        return;
    snprintf(order.folder, sizeof order.folder, "%s", folder);
    (void)jst_sys_write(pipe_out, &order, sizeof order);
}

void jst_janitor_watch(const char *folder, int rank)
{
    send_order(folder, rank, false);
}

void jst_janitor_done(void)
{
    int status;

    if (pipe_out < 0)
        return;
    send_order("", 0, true);
    jst_sys_close(pipe_out);
    pipe_out = -1;
    while (janitor > 0 && waitpid(janitor, &status, 0) < 0 && errno == EINTR)
        ;
}
