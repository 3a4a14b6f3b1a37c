/* stdio_char.c: wraps the character functions of stdio: only counted, at the lowest cost.
 *
 * A character that the stream's buffer takes or has cannot fail: it is counted first, and the real
 * function, known since an earlier call, is tail-called without a stack frame. Other cases take the
 * slow path, out of line.
 */
#include "stdio_common.h"

#include "block.h"
#include "common.h"
#include "files/file.h"
#include "files/io.h"
#include "files/mount.h"
#include "symbols/resolve.h"

/** Counts a character at a slot that is known already; false: the slow path is needed. */
static inline bool counted(const FILE *fp, const jst_direction *d)
{
    jst_block *b = (jst_block *)((uintptr_t)jst_tls_block & jst_wipe.mask);
    unsigned fd = (unsigned)fp->_fileno;
    unsigned slot = fd < JST_FDS && (fp->_flags & JST_STREAM_FILE) ? jst_descriptors[fd].slot : 0;
    if (JST_UNLIKELY(!b))
        return false;
    if (JST_LIKELY(jst_is_mount(slot))) {
        unsigned place = jst_descriptors[fd].file - 1u;
        if (JST_LIKELY(place < JST_FILES)) {
            jst_file *f = &jst_a.files[place];
            uint64_t *words = (uint64_t *)(void *)((char *)f + d->file);
            if (JST_UNLIKELY(f->owner != (uintptr_t)b))
                return false;
            jst_add(&words[0], 1);
            jst_add(&words[1], 1);
        } else if (JST_UNLIKELY(jst_files_on)) {
            return false; /* the slow path finds it */
        }
        uint64_t *cells = jst_slot_cells(b, slot);
        jst_add(&cells[d->ops], 1);
        jst_add(&cells[d->bytes], 1);
        if (d == &jst_stdio_write) /* after a seek the buffer is not usable: the slow path */
            jst_add(&jst_descriptors[fd].access.run, 1);
    } else if (slot == JST_SLOT_STREAM) {
        jst_add(&b->cells[d->stream_ops], 1);
        jst_add(&b->cells[d->stream_bytes], 1);
    } else {
        return false;
    }
    return true;
}

static inline bool put_counted(const FILE *fp)
{
    return fp->_IO_write_ptr < fp->_IO_write_end && counted(fp, &jst_stdio_write);
}

static inline bool get_counted(const FILE *fp)
{
    return fp->_IO_read_ptr < fp->_IO_read_end && counted(fp, &jst_stdio_read);
}

/* ---- output; putchar is putc on stdout ---- */

static JST_SLOW int put_slowly(unsigned index, int c, FILE *fp)
{
    int (*real)(int, FILE *) = (__typeof__(real))jst_real(index);
    int r = real(c, fp);
    jst_char_done(fp, &jst_stdio_write, 1, r == EOF);
    return r;
}

JST_INLINE int put_char(unsigned index, int c, FILE *fp)
{
    int (*real)(int, FILE *) = (__typeof__(real))jst_real_known(index);
    return JST_LIKELY(real && put_counted(fp)) ? real(c, fp) : put_slowly(index, c, fp);
}

/* ---- input; getchar is getc on stdin ---- */

static JST_SLOW int get_slowly(unsigned index, FILE *fp)
{
    int (*real)(FILE *) = (__typeof__(real))jst_real(index);
    int r = real(fp);
    jst_char_done(fp, &jst_stdio_read, r != EOF, r == EOF && jst_in_failed(fp));
    return r;
}

JST_INLINE int get_char(unsigned index, FILE *fp)
{
    int (*real)(FILE *) = (__typeof__(real))jst_real_known(index);
    return JST_LIKELY(real && get_counted(fp)) ? real(fp) : get_slowly(index, fp);
}

#include "generated/stdio_char.inc"
