/* Preloaded into a Python: lists what it asks of files below one folder, and lets one call fail or
 * kill it there. It reaches the calls of DuckDB's and Arrow's C++ as well as Python's own.
 *
 * The tests call faults_* through ctypes (faults.py). */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_CALLS = 1 << 15, NAME = 192, PATH = 4096 };

static char folder[PATH];
static size_t folder_size;
static char wanted_call[32], wanted_path[NAME];
static int wanted_error, from_then_on, killed_at;
static long wanted_number;
static atomic_int watching;
static atomic_long matched, failed, calls;
static struct {
    char call[16], path[NAME];
} seen[MOST_CALLS];

/* Begins to list what happens below a folder. */
void faults_watch(const char *below)
{
    folder_size = strlen(below);
    memcpy(folder, below, folder_size + 1);
    matched = failed = calls = 0;
    wanted_number = killed_at = 0;
    watching = 1;
}

/* Lets the number-th call of a name on paths like a pattern fail; and all after it, if wanted. */
void faults_fail(const char *call, const char *pattern, long number, int error, int sticky)
{
    snprintf(wanted_call, sizeof wanted_call, "%s", call);
    snprintf(wanted_path, sizeof wanted_path, "%s", pattern);
    wanted_error = error;
    from_then_on = sticky;
    wanted_number = number;
}

/* Kills the process before its number-th call. */
void faults_kill(int number)
{
    killed_at = number;
}

/* Does not look, or looks again: the tests' own calls are none of an operation. */
void faults_look(int on)
{
    watching = on;
}

/* Stops all that; gives how many calls failed. */
long faults_stop(void)
{
    watching = 0;
    return failed;
}

/* Gives how many calls there were, and each of them: its name, a blank, the path in the folder. */
long faults_calls(void)
{
    return calls < MOST_CALLS ? calls : MOST_CALLS;
}

const char *faults_call(long number, const char **path)
{
    *path = seen[number].path;
    return seen[number].call;
}

static int hit(const char *call, const char *path)
{
    if (strncmp(path, folder, folder_size) != 0 || (path[folder_size] != '/' && path[folder_size]))
        return 0;
    path += folder_size + (path[folder_size] == '/');
    long number = atomic_fetch_add(&calls, 1);
    if (number < MOST_CALLS) {
        snprintf(seen[number].call, sizeof seen[number].call, "%s", call);
        snprintf(seen[number].path, NAME, "%s", path);
    }
    if (killed_at && number + 1 == killed_at)
        kill(getpid(), SIGKILL);
    if (!wanted_number || strcmp(call, wanted_call) != 0 || fnmatch(wanted_path, path, 0) != 0)
        return 0;
    number = atomic_fetch_add(&matched, 1) + 1;
    if (number != wanted_number && !(from_then_on && number > wanted_number))
        return 0;
    atomic_fetch_add(&failed, 1);
    errno = wanted_error;
    return 1;
}

static int hit_fd(const char *call, int fd)
{
    char link[64], path[PATH];
    int before = errno;
    if (fd < 0 || !watching)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    errno = before;
    if (size <= 0)
        return 0;
    path[size] = 0;
    return hit(call, path);
}

static int hit_at(const char *call, int fd, const char *name)
{
    char link[64], path[2 * PATH];
    int before = errno;
    if (!watching || !name)
        return 0;
    if (name[0] == '/')
        return hit(call, name);
    if (!name[0])
        return hit_fd(call, fd);
    snprintf(link, sizeof link, fd == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, PATH - 1);
    errno = before;
    if (size <= 0)
        return 0;
    snprintf(path + size, PATH, "/%s", name);
    return hit(call, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* WRAP(type, value of failure, name, declared parameters, given ones, whether it fails) */
#define WRAP(type, failure, name, declared, given, fails)                                          \
    type name declared                                                                             \
    {                                                                                              \
        static __typeof__(&name) real;                                                             \
        if (!real)                                                                                 \
            real = REAL(name);                                                                     \
        return (fails) ? (failure) : real given;                                                   \
    }

#define OPEN(name, declared, given, fails)                                                         \
    int name declared                                                                              \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                    \
        va_end(list);                                                                              \
        static __typeof__(&name) real;                                                             \
        if (!real)                                                                                 \
            real = REAL(name);                                                                     \
        return (fails) ? -1 : real given;                                                          \
    }

#define HOW (flags & O_CREAT ? "create" : "open")

OPEN(open, (const char *path, int flags, ...), (path, flags, mode), hit_at(HOW, AT_FDCWD, path))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), hit_at(HOW, AT_FDCWD, path))
OPEN(openat, (int fd, const char *path, int flags, ...), (fd, path, flags, mode),
     hit_at(HOW, fd, path))
OPEN(openat64, (int fd, const char *path, int flags, ...), (fd, path, flags, mode),
     hit_at(HOW, fd, path))

WRAP(FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode),
     hit_at("open", AT_FDCWD, path))
WRAP(FILE *, NULL, fopen64, (const char *path, const char *mode), (path, mode),
     hit_at("open", AT_FDCWD, path))
WRAP(ssize_t, -1, read, (int fd, void *data, size_t size), (fd, data, size), hit_fd("read", fd))
WRAP(ssize_t, -1, readv, (int fd, const struct iovec *data, int count), (fd, data, count),
     hit_fd("read", fd))
WRAP(ssize_t, -1, pread, (int fd, void *data, size_t size, off_t at), (fd, data, size, at),
     hit_fd("pread", fd))
WRAP(ssize_t, -1, pread64, (int fd, void *data, size_t size, off64_t at), (fd, data, size, at),
     hit_fd("pread", fd))
WRAP(void *, MAP_FAILED, mmap, (void *at, size_t size, int how, int flags, int fd, off_t from),
     (at, size, how, flags, fd, from), hit_fd("mmap", fd))
WRAP(void *, MAP_FAILED, mmap64, (void *at, size_t size, int how, int flags, int fd, off64_t from),
     (at, size, how, flags, fd, from), hit_fd("mmap", fd))
WRAP(ssize_t, -1, writev, (int fd, const struct iovec *data, int count), (fd, data, count),
     hit_fd("write", fd))
WRAP(ssize_t, -1, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at),
     hit_fd("write", fd))
WRAP(ssize_t, -1, pwrite64, (int fd, const void *data, size_t size, off64_t at),
     (fd, data, size, at), hit_fd("write", fd))
WRAP(int, -1, fsync, (int fd), (fd), hit_fd("fsync", fd))
WRAP(int, -1, fdatasync, (int fd), (fd), hit_fd("fsync", fd))
WRAP(int, -1, ftruncate, (int fd, off_t size), (fd, size), hit_fd("ftruncate", fd))
WRAP(int, -1, ftruncate64, (int fd, off64_t size), (fd, size), hit_fd("ftruncate", fd))
WRAP(int, -1, flock, (int fd, int how), (fd, how), hit_fd("flock", fd))
WRAP(int, -1, rename, (const char *from, const char *to), (from, to),
     hit_at("rename", AT_FDCWD, to))
WRAP(int, -1, renameat, (int fd, const char *from, int into, const char *to), (fd, from, into, to),
     hit_at("rename", into, to))
WRAP(int, -1, link, (const char *from, const char *to), (from, to), hit_at("link", AT_FDCWD, to))
WRAP(int, -1, linkat, (int fd, const char *from, int into, const char *to, int how),
     (fd, from, into, to, how), hit_at("link", into, to))
WRAP(int, -1, unlink, (const char *path), (path), hit_at("unlink", AT_FDCWD, path))
WRAP(int, -1, unlinkat, (int fd, const char *path, int how), (fd, path, how),
     hit_at("unlink", fd, path))
WRAP(int, -1, mkdir, (const char *path, mode_t mode), (path, mode), hit_at("mkdir", AT_FDCWD, path))
WRAP(int, -1, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode),
     hit_at("mkdir", fd, path))
WRAP(int, -1, utimensat, (int fd, const char *path, const struct timespec times[2], int how),
     (fd, path, times, how), hit_at("utime", fd, path))
WRAP(int, -1, access, (const char *path, int how), (path, how), hit_at("access", AT_FDCWD, path))
WRAP(int, -1, faccessat, (int fd, const char *path, int mode, int how), (fd, path, mode, how),
     hit_at("access", fd, path))
WRAP(int, -1, stat, (const char *path, struct stat *out), (path, out),
     hit_at("stat", AT_FDCWD, path))
WRAP(int, -1, stat64, (const char *path, struct stat64 *out), (path, out),
     hit_at("stat", AT_FDCWD, path))
WRAP(int, -1, lstat, (const char *path, struct stat *out), (path, out),
     hit_at("stat", AT_FDCWD, path))
WRAP(int, -1, lstat64, (const char *path, struct stat64 *out), (path, out),
     hit_at("stat", AT_FDCWD, path))
WRAP(int, -1, fstat, (int fd, struct stat *out), (fd, out), hit_fd("fstat", fd))
WRAP(int, -1, fstat64, (int fd, struct stat64 *out), (fd, out), hit_fd("fstat", fd))
WRAP(int, -1, fstatat, (int fd, const char *path, struct stat *out, int how), (fd, path, out, how),
     hit_at("stat", fd, path))
WRAP(int, -1, fstatat64, (int fd, const char *path, struct stat64 *out, int how),
     (fd, path, out, how), hit_at("stat", fd, path))
WRAP(DIR *, NULL, opendir, (const char *path), (path), hit_at("opendir", AT_FDCWD, path))
WRAP(DIR *, NULL, fdopendir, (int fd), (fd), hit_fd("opendir", fd))
WRAP(struct dirent *, NULL, readdir, (DIR * stream), (stream), hit_fd("readdir", dirfd(stream)))
WRAP(struct dirent64 *, NULL, readdir64, (DIR * stream), (stream), hit_fd("readdir", dirfd(stream)))

/* Where a disk is full, the first write stores a part of what it was given, and the next nothing. */
ssize_t write(int fd, const void *data, size_t size)
{
    static __typeof__(&write) real;
    static atomic_int full = -1;
    if (!real)
        real = REAL(write);
    int fails = hit_fd("write", fd);
    if (fd == full || (fails && (size < 2 || wanted_error == EIO))) {
        full = -1;
        errno = wanted_error;
        return -1;
    }
    if (!fails)
        return real(fd, data, size);
    full = fd;
    return real(fd, data, size / 2);
}

/* What a network file system could not store it says at the end; the descriptor is closed. */
int close(int fd)
{
    static __typeof__(&close) real;
    if (!real)
        real = REAL(close);
    int how = watching ? fcntl(fd, F_GETFL) : -1;
    int fails = how >= 0 && (how & O_ACCMODE) != O_RDONLY && hit_fd("close", fd);
    int result = real(fd);
    if (!fails)
        return result;
    errno = wanted_error;
    return -1;
}
