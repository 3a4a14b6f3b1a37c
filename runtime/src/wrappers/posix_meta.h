/* posix_meta.h: the end of a metadata call, for the files that wrap them. */
#ifndef JST_POSIX_META_H
#define JST_POSIX_META_H

#include "block.h"
#include "common.h"
#include "files/errors.h"
#include "files/io.h"
#include "files/mount.h"

#define META JST_CELL_POSIX_META_OPS, JST_CELL_POSIX_META_NS

/* RATIONALE: not inline: some fifty wrappers, of calls that take microseconds, end this way; their
 * memory in every process matters more than a nanosecond.
 *
 * A path is read only when the real call has read it without a fault. r: its result, which this
 * returns: a wrapper ends by a tail call of this. */
static JST_COLD int path_failed(jst_block *b, int dir, const char *path)
{
    int error = errno;
    jst_fail(b, jst_path_slot_after(error, dir, path), error);
    return -1;
}

static JST_SLOW int path_done(jst_block *b, int dir, const char *path, int r, uint64_t t)
{
    if (JST_UNLIKELY(r < 0))
        return path_failed(b, dir, path);
    uint64_t ticks = jst_elapsed(b, t);
    jst_event_took(b, jst_path_slot(dir, path), META, ticks);
    return r;
}

static JST_SLOW void fd_done(jst_block *b, int fd, bool fine, uint64_t t)
{
    int error = errno;
    if (fine)
        jst_fd_event(b, jst_fd_slot(fd), fd, META, t);
    else
        jst_fail(b, jst_fd_slot(fd), error);
}

#endif
