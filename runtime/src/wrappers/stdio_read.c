/* stdio_read.c: wraps input by streams: blocks, lines, formatted. */
#include "stdio_common.h"

#include "block.h"
#include "common.h"
#include "files/io.h"
#include "symbols/resolve.h"

/* ---- blocks; an item that the end of the file cut short is not counted ---- */

static inline void items_done(jst_block *b, const FILE *fp, size_t size, size_t n, size_t r,
                              uint64_t t)
{
    jst_stream_done(b, fp, &jst_stdio_read, size * r, r < n && jst_in_failed(fp), t);
}

/* -1 is a word too. */
JST_INLINE void word_done(jst_block *b, const FILE *fp, int r, uint64_t t)
{
    bool none = r == EOF && (fp->_flags & (JST_STREAM_EOF | JST_STREAM_ERROR));
    jst_stream_done(b, fp, &jst_stdio_read, none ? 0 : sizeof r, none && jst_in_failed(fp), t);
}

/* ---- lines ---- */

static inline uint64_t line_begin(jst_block *b, const FILE *fp, int n)
{
    size_t want = n > JST_STREAM_GUESS ? JST_STREAM_GUESS : n > 1 ? (size_t)n - 1 : 0;
    return jst_in_begin(b, fp, want);
}

/* A line with NUL bytes is longer than by strlen: the mark gives its length, unless there were
 * several buffers. Neither is ever too large. */
static inline void line_done(jst_block *b, const FILE *fp, const char *s, int n, const jst_mark *m,
                             uint64_t t)
{
    uint64_t bytes = 0;
    if (s) {
        uint64_t taken = jst_taken(m, fp);
        bytes = strlen(s);
        if (taken > bytes && taken < (uint64_t)n)
            bytes = taken;
    }
    jst_stream_done(b, fp, &jst_stdio_read, bytes, !s && jst_in_failed(fp), t);
}

/* gets leaves out the newline that it read; only a line without one ends in EOF. */
static void gets_done(jst_block *b, const char *s, uint64_t t)
{
    bool eof = stdin->_flags & JST_STREAM_EOF;
    jst_stream_done(b, stdin, &jst_stdio_read, s ? strlen(s) + !eof : 0, !s && jst_in_failed(stdin),
                    t);
}

char *gets(char *s); /* newer headers do not declare it, old programs use it */

static void delimited_done(jst_block *b, const FILE *fp, ssize_t r, uint64_t t)
{
    jst_stream_done(b, fp, &jst_stdio_read, r < 0 ? 0 : (uint64_t)r, r < 0 && jst_in_failed(fp), t);
}

/* ---- formatted, in three dialects; libc's own functions forward to the v form likewise ---- */

typedef int scan_function(FILE *fp, const char *format, va_list args);

static int scan(scan_function *real, FILE *fp, const char *format, va_list args)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, fp, JST_STREAM_GUESS);
    jst_mark m = jst_mark_in(fp);
    int r = real(fp, format, args);
    if (b)
        jst_stream_done(b, fp, &jst_stdio_read, jst_taken(&m, fp), r < 0 && jst_in_failed(fp), t);
    return r;
}

scan_function __isoc99_vfscanf;

scan_function __isoc23_vfscanf;

#include "generated/stdio_read.inc"
