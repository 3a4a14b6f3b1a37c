/* stdio_common.h: shared declarations of the wrappers of stdio.
 *
 * Rules of the module:
 *  - A stream belongs to the slot of its descriptor. Memory streams (open_memstream leaves the
 *    descriptor's field unset) and cookie streams have none and are not counted.
 *  - Time is taken only of calls that will call the kernel, decided before the call: a transfer of
 *    known size when the buffer has not that much space or data; one of unknown size (formatted, by
 *    line) when less than JST_STREAM_GUESS is left. A line-buffered or unbuffered output stream has
 *    no space by this rule, so its calls are always timed.
 *  - Character functions are counted and neither timed nor in the histograms.
 *  - What compilers inline from bits/stdio.h (getc_unlocked, putc_unlocked and similar) reaches
 *    libc only as __uflow and __overflow once per buffer; these are not wrapped, since it is not
 *    known how much of the buffer was counted before. Such bytes appear in os_* only.
 *  - A call may fail after part of its bytes went through: then both are counted.
 */
#ifndef JST_STDIO_COMMON_H
#define JST_STDIO_COMMON_H

#include <features.h>
/* The headers rename fscanf to __isoc99_fscanf or __isoc23_fscanf and define character functions
 * inline; here each name is itself. */
#undef __GLIBC_USE_DEPRECATED_SCANF
#define __GLIBC_USE_DEPRECATED_SCANF 1
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0
#undef __USE_EXTERN_INLINES

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "block.h"
#include "common.h"
#include "core.h"
#include "files/access.h"
#include "files/errors.h"
#include "files/file.h"
#include "files/io.h"
#include "files/mount.h"
#include "sys.h"

/* Macros in the headers of an older libc. */
#undef getc
#undef putc
#undef getchar
#undef putchar
#undef fread_unlocked
#undef fwrite_unlocked

#define JST_STREAM_EOF 0x0010 /* _flags: as in libc's libio.h, part of its ABI */
#define JST_STREAM_ERROR 0x0020
#define JST_STREAM_BACKUP 0x0100 /* reading what ungetc pushed back */
#define JST_STREAM_FILE 0x2000   /* the descriptor's field has a meaning */

#define JST_STREAM_GUESS 256 /* bytes that a formatted or line call is assumed to move */

/** Descriptor of a stream, negative when it has none. */
static inline int jst_stream_fd(const FILE *fp)
{
    return JST_LIKELY(fp->_flags & JST_STREAM_FILE) ? fp->_fileno : -1;
}

static inline unsigned jst_stream_slot(const FILE *fp)
{
    int fd = jst_stream_fd(fp);
    return JST_LIKELY(fd >= 0) ? jst_fd_slot(fd) : JST_SLOT_IGNORE;
}

static inline size_t jst_buffered(const FILE *fp)
{
    return (size_t)(fp->_IO_read_end - fp->_IO_read_ptr);
}

/** Time stamp for an input call of n bytes; 0 when they are in the buffer. */
static inline uint64_t jst_in_begin(jst_block *b, const FILE *fp, size_t n)
{
    return b && n > jst_buffered(fp) ? jst_mark_io(b) : 0;
}

/** Time stamp for an output call of n bytes; 0 when the buffer has space for them. */
static inline uint64_t jst_out_begin(jst_block *b, const FILE *fp, size_t n)
{
    ptrdiff_t room = fp->_IO_write_end - fp->_IO_write_ptr;
    return b && (room <= 0 || n > (size_t)room) ? jst_mark_io(b) : 0;
}

#define jst_in_begin(...) (jst_frame(), jst_in_begin(__VA_ARGS__)) /* as jst_begin in files/io.h */
#define jst_out_begin(...) (jst_frame(), jst_out_begin(__VA_ARGS__))

/* The error flag stays until clearerr; the end of file is checked after it. */
static inline bool jst_in_failed(const FILE *fp)
{
    return (fp->_flags & (JST_STREAM_ERROR | JST_STREAM_EOF)) == JST_STREAM_ERROR;
}

/** n bytes passed the stream at its own position. */
static inline void jst_stream_moved(jst_block *b, unsigned slot, const FILE *fp,
                                    const jst_direction *d, uint64_t n)
{
    if (d == &jst_stdio_write)
        jst_access_wrote(b, slot, fp->_fileno, n);
    else if (n)
        jst_access_read(b, slot, fp->_fileno, n);
}

/** End of a transfer of n bytes that took `ticks` (0: not timed), in any case (stdio_common.c). */
void jst_stream_unusual(jst_block *b, const FILE *fp, bool writes, uint64_t n, bool failed,
                        uint64_t ticks);

/** End of a transfer of n bytes. t: from jst_in_begin or jst_out_begin. */
JST_INLINE void jst_stream_done(jst_block *b, const FILE *fp, const jst_direction *d, uint64_t n,
                                bool failed, uint64_t t)
{
    const bool writes = d == &jst_stdio_write;
    int fd = jst_stream_fd(fp);
    uint64_t ticks = JST_UNLIKELY(t != 0) ? jst_elapsed(b, t) : 0;
    jst_descriptor *k = jst_descriptor_of(fd);
    if (JST_UNLIKELY(failed || n == 0 || !(writes ? jst_writes_follow(k) : jst_reads_follow(k)) ||
                     !jst_count_usual(b, k, d, n, ticks)))
        jst_stream_unusual(b, fp, writes, n, failed, ticks);
    else if (writes)
        jst_write_follows(k, n);
    else
        jst_read_follows(k, fd, n);
}

/** End of a character function: n bytes, neither timed nor in a histogram. */
static inline void jst_char_done(const FILE *fp, const jst_direction *d, uint64_t n, bool failed)
{
    jst_block *b = jst_enter();
    unsigned slot = jst_stream_slot(fp);
    if (!b)
        return;
    if (failed) {
        jst_fail(b, slot, errno);
    } else if (jst_is_mount(slot)) {
        jst_add(&jst_slot_cells(b, slot)[d->ops], 1);
        jst_add(&jst_slot_cells(b, slot)[d->bytes], n);
        jst_file *f = jst_file_of(fp->_fileno);
        if (f)
            jst_file_moved(b, f, d->file, n, 0);
        jst_stream_moved(b, slot, fp, d, n);
        if (JST_UNLIKELY(jst_is_lazy()))
            jst_moved(n);
    } else if (slot == JST_SLOT_STREAM) {
        jst_add(&b->cells[d->stream_ops], 1);
        jst_add(&b->cells[d->stream_bytes], n);
        if (JST_UNLIKELY(jst_is_lazy()))
            jst_moved(n);
    }
}

/* The position of an input stream before a call that does not return how many bytes it took. */
typedef struct jst_mark {
    const char *ptr, *end;
    int64_t offset; /* of end in the file, -1 when it is not known */
    int flags;
} jst_mark;

/* Offset of the end of the buffered data: libc knows it after a seek, the kernel for files. */
static inline int64_t jst_offset(const FILE *fp)
{
    int fd = jst_stream_fd(fp);
    if (fp->_offset >= 0 || fd < 0 || !jst_may_syscall())
        return fp->_offset;
    long r = jst_sys3(SYS_lseek, fd, 0, SEEK_CUR);
    return r < 0 ? -1 : r;
}

/* The kernel is queried only when the buffer may not be enough. */
static inline jst_mark jst_mark_in(const FILE *fp)
{
    int64_t offset = jst_buffered(fp) < JST_STREAM_GUESS ? jst_offset(fp) : fp->_offset;
    return (jst_mark){fp->_IO_read_ptr, fp->_IO_read_end, offset, fp->_flags};
}

/** Bytes taken since the mark: exact for files when less than JST_STREAM_GUESS bytes were buffered,
 *  and everywhere when at most one new buffer was fetched; else a lower bound. */
static inline uint64_t jst_taken(const jst_mark *m, const FILE *fp)
{
    int64_t n, offset;
    if ((m->flags | fp->_flags) & JST_STREAM_BACKUP)
        return 0;
    if (fp->_IO_read_end == m->end && fp->_IO_read_ptr >= m->ptr && fp->_offset == m->offset)
        n = fp->_IO_read_ptr - m->ptr;
    else if (m->offset >= 0 && (offset = jst_offset(fp)) >= 0)
        n = offset - (fp->_IO_read_end - fp->_IO_read_ptr) - (m->offset - (m->end - m->ptr));
    else if (fp->_IO_read_end == m->end && fp->_IO_read_ptr >= m->ptr)
        n = fp->_IO_read_ptr - m->ptr;
    else
        n = (m->end - m->ptr) + (fp->_IO_read_ptr - fp->_IO_read_base);
    return n > 0 ? (uint64_t)n : 0;
}

#endif
