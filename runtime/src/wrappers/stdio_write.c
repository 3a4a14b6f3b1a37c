/* stdio_write.c: wraps output by streams: blocks, strings, formatted. */
#include "stdio_common.h"

#include "block.h"
#include "common.h"
#include "files/io.h"
#include "symbols/resolve.h"

/* ---- blocks and strings ---- */

/* n: bytes, all of them or none. */
JST_INLINE void string_done(jst_block *b, const FILE *fp, size_t n, int r, uint64_t t)
{
    jst_stream_done(b, fp, &jst_stdio_write, r < 0 ? 0 : n, r < 0, t);
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

/* ---- formatted, to a descriptor: one posix write, as far as the program sees ---- */

static int print_fd(int fd, const char *format, va_list args)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_begin(b);
    int r = JST_REAL(vdprintf)(fd, format, args);
    if (b)
        jst_print_done(b, fd, r, t);
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

#include "generated/stdio_write.inc"
