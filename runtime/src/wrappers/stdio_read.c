/* stdio_read.c: input: blocks, lines, formatted. */
#include "stdio_common.h"

#include "block.h"
#include "common.h"
#include "files/io.h"
#include "resolve.h"

/* ---- blocks; of an item that the end of the file cut short nothing is counted ---- */

static inline void got_items(jst_block *b, const FILE *fp, size_t size, size_t n, size_t r,
                             uint64_t t)
{
    jst_stream_done(b, fp, &jst_stdio_read, size * r, r < n && jst_in_failed(fp), t);
}

JST_EXPORT size_t fread(void *p, size_t size, size_t n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, fp, size * n);
    size_t r = JST_REAL(fread)(p, size, n, fp);
    if (b)
        got_items(b, fp, size, n, r, t);
    return r;
}

JST_EXPORT size_t fread_unlocked(void *p, size_t size, size_t n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, fp, size * n);
    size_t r = JST_REAL(fread_unlocked)(p, size, n, fp);
    if (b)
        got_items(b, fp, size, n, r, t);
    return r;
}

JST_EXPORT size_t __fread_chk(void *p, size_t room, size_t size, size_t n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, fp, size * n);
    size_t r = JST_REAL(__fread_chk)(p, room, size, n, fp);
    if (b)
        got_items(b, fp, size, n, r, t);
    return r;
}

JST_EXPORT size_t __fread_unlocked_chk(void *p, size_t room, size_t size, size_t n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, fp, size * n);
    size_t r = JST_REAL(__fread_unlocked_chk)(p, room, size, n, fp);
    if (b)
        got_items(b, fp, size, n, r, t);
    return r;
}

JST_EXPORT int getw(FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, fp, sizeof(int));
    int r = JST_REAL(getw)(fp);
    if (b) { /* -1 is a word too */
        bool none = r == EOF && (fp->_flags & (JST_STREAM_EOF | JST_STREAM_ERROR));
        jst_stream_done(b, fp, &jst_stdio_read, none ? 0 : sizeof r, none && jst_in_failed(fp), t);
    }
    return r;
}

/* ---- lines ---- */

static inline uint64_t line_begin(jst_block *b, const FILE *fp, int n)
{
    size_t want = n > JST_STREAM_GUESS ? JST_STREAM_GUESS : n > 1 ? (size_t)n - 1 : 0;
    return jst_in_begin(b, fp, want);
}

/* A line that holds NUL bytes is longer than strlen says: the mark knows, unless there were several
 * buffers. Neither is ever too much. */
static inline void got_line(jst_block *b, const FILE *fp, const char *s, int n, const jst_mark *m,
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

JST_EXPORT char *fgets(char *s, int n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = line_begin(b, fp, n);
    jst_mark m = jst_mark_in(fp);
    char *r = JST_REAL(fgets)(s, n, fp);
    if (b)
        got_line(b, fp, r, n, &m, t);
    return r;
}

JST_EXPORT char *fgets_unlocked(char *s, int n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = line_begin(b, fp, n);
    jst_mark m = jst_mark_in(fp);
    char *r = JST_REAL(fgets_unlocked)(s, n, fp);
    if (b)
        got_line(b, fp, r, n, &m, t);
    return r;
}

JST_EXPORT char *__fgets_chk(char *s, size_t room, int n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = line_begin(b, fp, n);
    jst_mark m = jst_mark_in(fp);
    char *r = JST_REAL(__fgets_chk)(s, room, n, fp);
    if (b)
        got_line(b, fp, r, n, &m, t);
    return r;
}

JST_EXPORT char *__fgets_unlocked_chk(char *s, size_t room, int n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = line_begin(b, fp, n);
    jst_mark m = jst_mark_in(fp);
    char *r = JST_REAL(__fgets_unlocked_chk)(s, room, n, fp);
    if (b)
        got_line(b, fp, r, n, &m, t);
    return r;
}

/* gets leaves the newline out that it took; only a line without one ends in EOF. */
static void got_gets(jst_block *b, const char *s, uint64_t t)
{
    bool eof = stdin->_flags & JST_STREAM_EOF;
    jst_stream_done(b, stdin, &jst_stdio_read, s ? strlen(s) + !eof : 0, !s && jst_in_failed(stdin),
                    t);
}

char *gets(char *s); /* newer headers have it no more, old programs do */

JST_EXPORT char *gets(char *s)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, stdin, JST_STREAM_GUESS);
    char *r = JST_REAL(gets)(s);
    if (b)
        got_gets(b, r, t);
    return r;
}

JST_EXPORT char *__gets_chk(char *s, size_t room)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, stdin, JST_STREAM_GUESS);
    char *r = JST_REAL(__gets_chk)(s, room);
    if (b)
        got_gets(b, r, t);
    return r;
}

static void got_delimited(jst_block *b, const FILE *fp, ssize_t r, uint64_t t)
{
    jst_stream_done(b, fp, &jst_stdio_read, r < 0 ? 0 : (uint64_t)r, r < 0 && jst_in_failed(fp), t);
}

JST_EXPORT ssize_t getline(char **line, size_t *n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, fp, JST_STREAM_GUESS);
    ssize_t r = JST_REAL(getline)(line, n, fp);
    if (b)
        got_delimited(b, fp, r, t);
    return r;
}

JST_EXPORT ssize_t getdelim(char **line, size_t *n, int delimiter, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, fp, JST_STREAM_GUESS);
    ssize_t r = JST_REAL(getdelim)(line, n, delimiter, fp);
    if (b)
        got_delimited(b, fp, r, t);
    return r;
}

JST_EXPORT ssize_t __getdelim(char **line, size_t *n, int delimiter, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_in_begin(b, fp, JST_STREAM_GUESS);
    ssize_t r = JST_REAL(__getdelim)(line, n, delimiter, fp);
    if (b)
        got_delimited(b, fp, r, t);
    return r;
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

JST_EXPORT int vfscanf(FILE *fp, const char *format, va_list args)
{
    return scan(JST_REAL(vfscanf), fp, format, args);
}

JST_EXPORT int vscanf(const char *format, va_list args)
{
    return scan(JST_REAL(vfscanf), stdin, format, args);
}

JST_EXPORT int fscanf(FILE *fp, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = scan(JST_REAL(vfscanf), fp, format, args);
    va_end(args);
    return r;
}

JST_EXPORT int scanf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = scan(JST_REAL(vfscanf), stdin, format, args);
    va_end(args);
    return r;
}

scan_function __isoc99_vfscanf;

JST_EXPORT int __isoc99_vfscanf(FILE *fp, const char *format, va_list args)
{
    return scan(JST_REAL(__isoc99_vfscanf), fp, format, args);
}

JST_EXPORT int __isoc99_vscanf(const char *format, va_list args)
{
    return scan(JST_REAL(__isoc99_vfscanf), stdin, format, args);
}

JST_EXPORT int __isoc99_fscanf(FILE *fp, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = scan(JST_REAL(__isoc99_vfscanf), fp, format, args);
    va_end(args);
    return r;
}

JST_EXPORT int __isoc99_scanf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = scan(JST_REAL(__isoc99_vfscanf), stdin, format, args);
    va_end(args);
    return r;
}

scan_function __isoc23_vfscanf;

JST_EXPORT int __isoc23_vfscanf(FILE *fp, const char *format, va_list args)
{
    return scan(JST_REAL(__isoc23_vfscanf), fp, format, args);
}

JST_EXPORT int __isoc23_vscanf(const char *format, va_list args)
{
    return scan(JST_REAL(__isoc23_vfscanf), stdin, format, args);
}

JST_EXPORT int __isoc23_fscanf(FILE *fp, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = scan(JST_REAL(__isoc23_vfscanf), fp, format, args);
    va_end(args);
    return r;
}

JST_EXPORT int __isoc23_scanf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = scan(JST_REAL(__isoc23_vfscanf), stdin, format, args);
    va_end(args);
    return r;
}
