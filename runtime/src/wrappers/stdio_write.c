/* stdio_write.c: output: blocks, strings, formatted. */
#include "stdio_common.h"

#include "block.h"
#include "common.h"
#include "files/io.h"
#include "resolve.h"

/* ---- blocks and strings ---- */

JST_EXPORT size_t fwrite(const void *p, size_t size, size_t n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_out_begin(b, fp, size * n);
    size_t r = JST_REAL(fwrite)(p, size, n, fp);
    if (b)
        jst_stream_done(b, fp, &jst_stdio_write, size * r, r < n && size > 0, t);
    return r;
}

JST_EXPORT size_t fwrite_unlocked(const void *p, size_t size, size_t n, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_out_begin(b, fp, size * n);
    size_t r = JST_REAL(fwrite_unlocked)(p, size, n, fp);
    if (b)
        jst_stream_done(b, fp, &jst_stdio_write, size * r, r < n && size > 0, t);
    return r;
}

JST_EXPORT int fputs(const char *s, FILE *fp)
{
    jst_block *b = jst_enter();
    size_t n = b ? strlen(s) : 0;
    uint64_t t = jst_out_begin(b, fp, n);
    int r = JST_REAL(fputs)(s, fp);
    if (b)
        jst_stream_done(b, fp, &jst_stdio_write, r < 0 ? 0 : n, r < 0, t);
    return r;
}

JST_EXPORT int fputs_unlocked(const char *s, FILE *fp)
{
    jst_block *b = jst_enter();
    size_t n = b ? strlen(s) : 0;
    uint64_t t = jst_out_begin(b, fp, n);
    int r = JST_REAL(fputs_unlocked)(s, fp);
    if (b)
        jst_stream_done(b, fp, &jst_stdio_write, r < 0 ? 0 : n, r < 0, t);
    return r;
}

JST_EXPORT int puts(const char *s)
{
    jst_block *b = jst_enter();
    FILE *fp = stdout;
    size_t n = b ? strlen(s) + 1 : 0;
    uint64_t t = jst_out_begin(b, fp, n);
    int r = JST_REAL(puts)(s);
    if (b)
        jst_stream_done(b, fp, &jst_stdio_write, r < 0 ? 0 : n, r < 0, t);
    return r;
}

JST_EXPORT int putw(int w, FILE *fp)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_out_begin(b, fp, sizeof w);
    int r = JST_REAL(putw)(w, fp);
    if (b)
        jst_stream_done(b, fp, &jst_stdio_write, r < 0 ? 0 : sizeof w, r < 0, t);
    return r;
}

/* ---- formatted; libc's own functions forward to the v form in the same way ---- */

static int print(FILE *fp, const char *format, va_list args)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_out_begin(b, fp, JST_STREAM_GUESS);
    int r = JST_REAL(vfprintf)(fp, format, args);
    if (b)
        jst_stream_done(b, fp, &jst_stdio_write, r < 0 ? 0 : (uint64_t)r, r < 0, t);
    return r;
}

JST_EXPORT int vfprintf(FILE *fp, const char *format, va_list args)
{
    return print(fp, format, args);
}

JST_EXPORT int vprintf(const char *format, va_list args)
{
    return print(stdout, format, args);
}

JST_EXPORT int fprintf(FILE *fp, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = print(fp, format, args);
    va_end(args);
    return r;
}

JST_EXPORT int printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = print(stdout, format, args);
    va_end(args);
    return r;
}

/* ---- formatted and fortified ---- */

int __vfprintf_chk(FILE *fp, int flag, const char *format, va_list args);

static int print_chk(FILE *fp, int flag, const char *format, va_list args)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_out_begin(b, fp, JST_STREAM_GUESS);
    int r = JST_REAL(__vfprintf_chk)(fp, flag, format, args);
    if (b)
        jst_stream_done(b, fp, &jst_stdio_write, r < 0 ? 0 : (uint64_t)r, r < 0, t);
    return r;
}

JST_EXPORT int __vfprintf_chk(FILE *fp, int flag, const char *format, va_list args)
{
    return print_chk(fp, flag, format, args);
}

JST_EXPORT int __vprintf_chk(int flag, const char *format, va_list args)
{
    return print_chk(stdout, flag, format, args);
}

JST_EXPORT int __fprintf_chk(FILE *fp, int flag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = print_chk(fp, flag, format, args);
    va_end(args);
    return r;
}

JST_EXPORT int __printf_chk(int flag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = print_chk(stdout, flag, format, args);
    va_end(args);
    return r;
}

/* ---- formatted, to a descriptor: one posix write, as far as the program can tell ---- */

static int print_fd(int fd, const char *format, va_list args)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(vdprintf)(fd, format, args);
    if (b)
        jst_print_done(b, fd, r, t);
    return r;
}

JST_EXPORT int vdprintf(int fd, const char *format, va_list args)
{
    return print_fd(fd, format, args);
}

JST_EXPORT int dprintf(int fd, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = print_fd(fd, format, args);
    va_end(args);
    return r;
}

int __vdprintf_chk(int fd, int flag, const char *format, va_list args);

static int print_fd_chk(int fd, int flag, const char *format, va_list args)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(__vdprintf_chk)(fd, flag, format, args);
    if (b)
        jst_print_done(b, fd, r, t);
    return r;
}

JST_EXPORT int __vdprintf_chk(int fd, int flag, const char *format, va_list args)
{
    return print_fd_chk(fd, flag, format, args);
}

JST_EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = print_fd_chk(fd, flag, format, args);
    va_end(args);
    return r;
}
