/* posix_fd.c: wraps calls after which a descriptor's number refers to another file. Only closes by
 * dup2 of written files, and locks by fcntl, are counted: the number is forgotten, and checked when
 * it is first used. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "block.h"
#include "common.h"
#include "files/access.h"
#include "files/errors.h"
#include "files/file.h"
#include "files/io.h"
#include "files/mount.h"
#include "symbols/resolve.h"

int __fcntl(int fd, int cmd, ...);
int close_range(unsigned first, unsigned last, int flags);
void closefrom(int first);
int pidfd_open(pid_t pid, unsigned flags);
int pidfd_getfd(int pidfd, int target, unsigned flags);

static void forget(int fd)
{
    jst_access_take(fd);
    jst_fd_forget(fd);
    jst_file_drop(fd);
}

/* A new number, to: a duplicate of fd. */
static void duplicated(int fd, int to)
{
    forget(to);
    jst_access_twin(fd, to);
    jst_file_share(fd, to);
}

/* ---- many at once ---- */

static void forget_range(unsigned first, unsigned last)
{
    jst_fd_forget_range(first, last);
    jst_file_drop_range(first, last);
}

JST_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    if (!(flags & 4 /* CLOSE_RANGE_CLOEXEC */) && !jst_tls_vfork)
        forget_range(first, last);
    return JST_REAL(close_range)(first, last, flags);
}

JST_EXPORT void closefrom(int first)
{
    if (!jst_tls_vfork)
        forget_range(first < 0 ? 0 : (unsigned)first, JST_FDS);
    JST_REAL(closefrom)(first);
}

/* ---- duplicates: the new number is checked when it is first used ---- */

/* to is a duplicate of fd now. slot: that of the number before. */
static void replaced(int fd, int to, unsigned slot)
{
    uint64_t written = jst_access_take(to);
    jst_fd_forget(to);
    jst_file_drop(to);
    jst_access_twin(fd, to);
    jst_file_share(fd, to);
    jst_block *b = written ? jst_enter() : NULL;
    if (b)
        jst_access_closed(b, slot, written);
}

/* The slot of a number that is about to be replaced, if something was written to it. NOTE: the
 * first call of a forked child must be recognised before: its parent's writes are the parent's. */
static unsigned place_before(int fd)
{
    bool mine = jst_access_bytes(fd) && !jst_tls_vfork && jst_enter();
    return mine && jst_access_bytes(fd) ? jst_fd_slot(fd) : 0;
}

JST_EXPORT int dup2(int fd, int to)
{
    unsigned slot = place_before(to);
    int r = JST_REAL(dup2)(fd, to);
    if (r >= 0 && fd != to)
        replaced(fd, r, slot);
    return r;
}

JST_EXPORT int dup3(int fd, int to, int flags)
{
    unsigned slot = place_before(to);
    int r = JST_REAL(dup3)(fd, to, flags);
    if (r >= 0)
        replaced(fd, r, slot);
    return r;
}

static bool asks_for_a_lock(int cmd)
{
    switch (cmd) {
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
        return true;
    default:
        return false;
    }
}

static JST_SLOW void lock_done(jst_block *b, int fd, bool fine, uint64_t t)
{
    int error = errno;
    if (fine)
        jst_fd_event(b, jst_fd_slot(fd), fd, JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS, t);
    else
        jst_fail(b, jst_fd_slot(fd), error);
}

/* Locks are counted as metadata, which they are for a file system's server, and the wait for one is
 * the time of that call; other operations of fcntl take no time. */
static int fcntl_called(int (*real)(int, int, ...), int fd, int cmd, void *arg)
{
    jst_block *b = asks_for_a_lock(cmd) ? jst_enter() : NULL;
    uint64_t t = b ? jst_begin(b) : 0;
    int r = real(fd, cmd, arg);
    if (b)
        lock_done(b, fd, r >= 0, t);
    else if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
        duplicated(fd, r);
    else if (cmd == F_SETFL)
        jst_access_flags_changed(fd);
    return r;
}

/* ---- new numbers: the old owner may have been closed by a system call that we did not see ---- */

static int forget_one(int fd)
{
    if (fd >= 0)
        forget(fd);
    return fd;
}

static int forget_pair(int r, const int *pair)
{
    if (r == 0) {
        forget(pair[0]);
        forget(pair[1]);
    }
    return r;
}

/* Descriptors that another process has sent. Not CMSG_NXTHDR: it calls a function that other C
 * libraries lack. */
static void forget_sent(const struct msghdr *m)
{
    const char *at = m->msg_control;
    size_t left = m->msg_controllen;
    while (left >= sizeof(struct cmsghdr)) {
        const struct cmsghdr *c = (const void *)at;
        size_t all = c->cmsg_len, step = CMSG_ALIGN(all);
        if (all < sizeof *c || all > left)
            return;
        const int *fds = (const void *)(at + CMSG_LEN(0));
        bool sent = c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS;
        for (size_t i = 0; sent && CMSG_LEN((i + 1) * sizeof *fds) <= all; i++)
            forget(fds[i]);
        if (step >= left)
            return;
        at += step;
        left -= step;
    }
}

JST_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    ssize_t r = JST_REAL(recvmsg)(fd, message, flags);
    if (JST_UNLIKELY(r >= 0 && message->msg_controllen > 0))
        forget_sent(message);
    return r;
}

JST_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags,
                        struct timespec *timeout)
{
    int r = JST_REAL(recvmmsg)(fd, messages, n, flags, timeout);
    for (int i = 0; i < r; i++)
        if (JST_UNLIKELY(messages[i].msg_hdr.msg_controllen > 0))
            forget_sent(&messages[i].msg_hdr);
    return r;
}

JST_EXPORT int daemon(int keep_cwd, int keep_files)
{
    int r = JST_REAL(daemon)(keep_cwd, keep_files);
    if (r == 0) {
        forget_range(0, 2);
        jst_cwd_changed();
    }
    return r;
}

#include "generated/posix_fd.inc"
