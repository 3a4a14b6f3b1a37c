/* posix_meta.c: wraps calls that return facts about a file, directories, the working directory. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "block.h"
#include "common.h"
#include "files/io.h"
#include "files/mount.h"
#include "heartbeat.h"
#include "posix_meta.h"
#include "symbols/resolve.h"
#include "sys.h"

int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstat64(int version, int fd, struct stat64 *st);
int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags);
int __fxstatat64(int version, int dir, const char *path, struct stat64 *st, int flags);

/* The answer itself names the device: no further check is needed for a known mount. */
static void stat_done(jst_block *b, int dir, const char *path, int r, dev_t dev, uint64_t t)
{
    if (r == 0)
        jst_event(b, jst_dev_slot(dev, dir, path), META, t);
    else
        path_done(b, dir, path, -1, t);
}

/* fstatat and statx with an empty path are about the descriptor. */
static void statat_done(jst_block *b, int dir, const char *path, int r, dev_t dev, uint64_t t)
{
    bool read = path && (r == 0 || (errno != EFAULT && errno != EINVAL && errno != ENOSYS));
    if (dir >= 0 && (r == 0 || read) && (!path || !path[0]))
        fd_done(b, dir, r == 0, t);
    else
        stat_done(b, dir, path, r, dev, t);
}

static void fstat_done(jst_block *b, int fd, int r, const void *st, uint64_t t)
{
    if (r == 0) {
        uint64_t ticks = jst_elapsed(b, t);
        jst_fd_observed(fd, st);
        unsigned slot = jst_fd_slot(fd);
        jst_event_took(b, slot, META, ticks);
        jst_file_called(b, slot, fd, JST_CELL_POSIX_META_OPS, ticks);
    } else {
        fd_done(b, fd, false, t);
    }
}

/* RATIONALE: Chromium's zygote counts the threads of its process by the links of /proc/self/task, and
 * ends when there is more than one. The heartbeat is not theirs: the directory gets one link less.
 * A size of 0 and a name exclude nearly all other directories; path: NULL for a descriptor. */
static JST_SLOW bool shows_heartbeat(const char *path, uint64_t maj, uint64_t min, uint64_t inode)
{
    struct stat own;
    size_t n = path ? strlen(path) : 0;
    while (n > 0 && path[n - 1] == '/')
        n--;
    if (n > 0 && (n < 4 || memcmp(path + n - 4, "task", 4) != 0))
        return false;
    return jst_heartbeat_runs() && jst_fstatat(AT_FDCWD, "/proc/self/task", &own, 0) == 0 &&
           inode == own.st_ino && maj == jst_major(own.st_dev) && min == jst_minor(own.st_dev);
}

#define HIDE_HEARTBEAT(r, path, st)                                                                \
    do {                                                                                           \
        if (r == 0 && JST_UNLIKELY(st->st_size == 0 && S_ISDIR(st->st_mode)) &&                    \
            shows_heartbeat(path, jst_major(st->st_dev), jst_minor(st->st_dev), st->st_ino))       \
            st->st_nlink--;                                                                        \
    } while (0)

/* Macros, since st may be a struct stat or a struct stat64. */
#define ANSWERED(done, path, r, st)                                                                \
    do {                                                                                           \
        done;                                                                                      \
        HIDE_HEARTBEAT(r, path, st);                                                               \
    } while (0)
#define DEVICE(r, st) (r == 0 ? st->st_dev : 0)
#define STAT_DONE(b, path, r, st, t)                                                               \
    ANSWERED(stat_done(b, AT_FDCWD, path, r, DEVICE(r, st), t), path, r, st)
#define STATAT_DONE(b, dir, path, r, st, t)                                                        \
    ANSWERED(statat_done(b, dir, path, r, DEVICE(r, st), t), path, r, st)
#define FSTAT_DONE(b, fd, r, st, t) ANSWERED(fstat_done(b, fd, r, st, t), NULL, r, st)

JST_EXPORT int statx(int dir, const char *path, int flags, unsigned mask, struct statx *st)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(statx)(dir, path, flags, mask, st);
    if (b)
        statat_done(b, dir, path, r, r == 0 ? jst_device(st->stx_dev_major, st->stx_dev_minor) : 0,
                    t);
    if (b && r == 0 && JST_UNLIKELY(st->stx_size == 0 && S_ISDIR(st->stx_mode)) &&
        shows_heartbeat(path, st->stx_dev_major, st->stx_dev_minor, st->stx_ino))
        st->stx_nlink--;
    return r;
}

/* ---- directories ---- */

JST_EXPORT DIR *opendir(const char *path)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    DIR *r = JST_REAL(opendir)(path);
    if (b) {
        if (r)
            jst_fd_opened(dirfd(r));
        path_done(b, AT_FDCWD, path, r ? 0 : -1, t);
    }
    return r;
}

JST_EXPORT int closedir(DIR *dir)
{
    jst_block *b = jst_enter();
    DIR *volatile given = dir; /* declared to be never NULL, and yet it is */
    int fd = given ? dirfd(given) : -1;
    unsigned slot = b && given ? jst_fd_slot(fd) : 0;
    jst_fd_forget(fd);
    jst_file_drop(fd);
    uint64_t t = jst_begin(b);
    int r = JST_REAL(closedir)(dir);
    if (b && r == 0)
        jst_event(b, slot, META, t);
    return r;
}

/* The end of a directory is no failure, and does not set errno. */
JST_INLINE void readdir_done(jst_block *b, DIR *dir, bool found, uint64_t t)
{
    if (found)
        jst_event(b, jst_fd_slot(dirfd(dir)), META, t);
}
/* ---- the working directory: relative paths now have another meaning ---- */

static inline void cwd_done(int r)
{
    if (r == 0 && !jst_tls_vfork)
        jst_cwd_changed();
}

#include "generated/posix_meta.inc"
