/* stdio_file.c: wraps operations on streams as files: open, close, seek, flush, buffers. */
#include "stdio_common.h"

#include <fcntl.h>

#include "block.h"
#include "common.h"
#include "files/access.h"
#include "files/errors.h"
#include "files/file.h"
#include "files/io.h"
#include "files/mount.h"
#include "heartbeat.h"
#include "symbols/resolve.h"
#include "text.h"

/* ---- open ---- */

/** End of a call that opened a stream, or failed to. path: NULL when there is none. */
static void open_done(jst_block *b, const FILE *fp, const char *path, uint64_t t)
{
    unsigned slot = JST_SLOT_OTHER;
    if (JST_LIKELY(fp != NULL)) {
        uint64_t ticks = jst_elapsed(b, t);
        slot = jst_fd_opened_at(jst_stream_fd(fp), AT_FDCWD, path, 0);
        jst_event_took(b, slot, JST_CELL_STDIO_OPEN_OPS, JST_CELL_STDIO_META_NS, ticks);
        jst_file_called(b, slot, jst_stream_fd(fp), JST_CELL_STDIO_OPEN_OPS, ticks);
        return;
    }
    if (errno != ENOMEM) /* libc may have given up before the kernel saw the path */
        slot = jst_path_slot_after(errno, AT_FDCWD, path);
    jst_fail(b, slot, errno);
}

/* RATIONALE: CPython 3.12 and later count the threads of their process in this file, and print a
 * warning at fork when there is more than one. The heartbeat is not theirs: field 20 of the
 * buffered text is decremented, with as many digits. */
static void hide_heartbeat(FILE *fp, const char *path)
{
    if (!jst_str_equal(path, "/proc/self/stat") || !jst_heartbeat_runs())
        return;
    int saved = errno, c = JST_REAL(fgetc)(fp);
    if (c == EOF || ungetc(c, fp) == EOF)
        return;
    char *from = fp->_IO_read_ptr, *p = fp->_IO_read_end;
    while (p > from && p[-1] != ')') /* the program's name, in brackets, may contain anything */
        p--;
    for (int field = 2; p < fp->_IO_read_end && field < 20; p++)
        field += *p == ' ';
    while (p < fp->_IO_read_end && *p >= '0' && *p <= '9')
        p++;
    while (p > from && p[-1] == '0') /* borrow */
        *--p = '9';
    if (p > from && p[-1] > '0' && p[-1] <= '9')
        p[-1]--;
    errno = saved;
}

JST_INLINE void named_open_done(jst_block *b, FILE *fp, const char *path, uint64_t t)
{
    open_done(b, fp, path, t);
    if (fp)
        hide_heartbeat(fp, path);
}

JST_EXPORT FILE *fdopen(int fd, const char *mode)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    FILE *r = JST_REAL(fdopen)(fd, mode);
    if (b && r)
        jst_event(b, jst_fd_slot(fd), JST_CELL_STDIO_OPEN_OPS, JST_CELL_STDIO_META_NS, t);
    else if (b)
        jst_fail(b, jst_fd_slot(fd), errno);
    return r;
}

/* A pipe is no file: only the earlier file of its descriptor has to be forgotten. */
JST_EXPORT FILE *popen(const char *command, const char *mode)
{
    FILE *r = JST_REAL(popen)(command, mode);
    if (r) {
        jst_access_take(jst_stream_fd(r));
        jst_fd_forget(jst_stream_fd(r));
        jst_file_drop(jst_stream_fd(r));
    }
    return r;
}

/* ---- close ---- */

JST_EXPORT int fclose(FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int fd = jst_stream_fd(fp);
    unsigned slot = b && fd >= 0 ? jst_fd_slot_trusted(fd) : JST_SLOT_IGNORE;
    /* before the call: then another thread may have it */
    if (b)
        jst_read_ends(b, slot, fd);
    uint64_t written = b ? jst_access_take(fd) : 0;
    jst_fd_forget(fd);
    unsigned file = jst_file_leave(fd);
    int r = JST_REAL(fclose)(fp);
    if (b && r == 0) {
        jst_closed(b, slot, file, JST_CELL_STDIO_CLOSE_OPS, JST_CELL_STDIO_META_NS, t);
        jst_access_closed(b, slot, written);
    } else if (b) {
        if (file)
            jst_file_left(b, file, 0);
        jst_fail(b, slot, errno);
    }
    return r;
}

JST_EXPORT int pclose(FILE *fp)
{
    jst_fd_forget(jst_stream_fd(fp));
    return JST_REAL(pclose)(fp);
}

/* ---- seek ---- */

static void seek_done(jst_block *b, const FILE *fp, int r, bool asked_only)
{
    unsigned slot = jst_stream_slot(fp);
    if (r != 0) {
        jst_fail(b, slot, errno);
        return;
    }
    jst_event(b, slot, JST_CELL_STDIO_SEEK_OPS, 0, 0);
    /* libc has just flushed, and knows the kernel's offset and how much it has read ahead. */
    if (jst_is_mount(slot) && fp->_offset >= 0)
        jst_access_sought(fp->_fileno, (uint64_t)fp->_offset - jst_buffered(fp), asked_only);
}

/* ---- flush ---- */

/* fflush(NULL) is of no single mount. */
static unsigned flush_place(const FILE *fp)
{
    return fp ? jst_stream_slot(fp) : JST_SLOT_OTHER;
}

static bool has_to_flush(const FILE *fp)
{
    return !fp || fp->_mode > 0 || fp->_IO_write_ptr > fp->_IO_write_base ||
           fp->_IO_read_ptr != fp->_IO_read_end;
}

static void flush_done(jst_block *b, const FILE *fp, int r, uint64_t t)
{
    if (r == 0)
        jst_fd_event(b, flush_place(fp), fp ? jst_stream_fd(fp) : -1, JST_CELL_STDIO_SYNC_OPS,
                     t ? JST_CELL_STDIO_SYNC_NS : 0, t);
    else
        jst_fail(b, flush_place(fp), errno);
}

/* ---- buffers ---- */

static void buffer_done(jst_block *b, const FILE *fp, uint64_t t)
{
    jst_event(b, jst_stream_slot(fp), JST_CELL_STDIO_META_OPS, JST_CELL_STDIO_META_NS, t);
}

#include "generated/stdio_file.inc"
