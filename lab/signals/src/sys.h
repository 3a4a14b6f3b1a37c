/* sys.h: raw system calls, for all that is not the load itself: the log, the folder, the
 * clean-up. RATIONALE: a profile of a signal is to show only its load, and a janitor that made a
 * wrapped call would be one process too many in the profile of its job. All of it may be called in
 * a signal handler and after fork. Results are those of the kernel, -errno on failure. */
#ifndef JST_SIGNAL_SYS_H
#define JST_SIGNAL_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long jst_sys(long result)
{
    return result < 0 ? -errno : result;
}

static inline long jst_sys_open(const char *path, int flags, int mode)
{
    return jst_sys(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
}

static inline long jst_sys_close(int fd)
{
    return jst_sys(syscall(SYS_close, fd));
}

static inline long jst_sys_write(int fd, const void *data, size_t size)
{
    long n;
    do
        n = jst_sys(syscall(SYS_write, fd, data, size));
    while (n == -EINTR);
    return n;
}

static inline long jst_sys_read(int fd, void *data, size_t size)
{
    long n;
    do
        n = jst_sys(syscall(SYS_read, fd, data, size));
    while (n == -EINTR);
    return n;
}

static inline long jst_sys_unlink(const char *path, int flags)
{
    return jst_sys(syscall(SYS_unlinkat, AT_FDCWD, path, flags));
}

static inline long jst_sys_mkdir(const char *path, int mode)
{
    return jst_sys(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

/* Text to standard error in one call. */
static inline void jst_sys_say(const char *text)
{
    (void)jst_sys_write(2, text, strlen(text));
}

#endif
