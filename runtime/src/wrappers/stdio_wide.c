/* stdio_wide.c: wraps functions of wide characters: only counted. Bytes are those of UTF-8; a query
 * of the locale would cost more than the call. */
#include "stdio_common.h"

#include "block.h"
#include "common.h"
#include "files/io.h"
#include "symbols/resolve.h"

static uint64_t wide_bytes(wint_t c)
{
    if (c == WEOF)
        return 0;
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

static uint64_t wide_string_bytes(const wchar_t *s)
{
    uint64_t n = 0;
    for (; *s; s++)
        n += wide_bytes((wint_t)*s);
    return n;
}

/* ---- characters in ---- */

static void got_done(const FILE *fp, wint_t c)
{
    jst_char_done(fp, &jst_stdio_read, wide_bytes(c), c == WEOF && jst_in_failed(fp));
}

/* ---- characters out ---- */

static void put_done(const FILE *fp, wint_t r)
{
    jst_char_done(fp, &jst_stdio_write, wide_bytes(r), r == WEOF);
}

/* ---- strings ---- */

static void got_string_done(jst_block *b, const FILE *fp, const wchar_t *s)
{
    jst_stream_done(b, fp, &jst_stdio_read, s ? wide_string_bytes(s) : 0, !s && jst_in_failed(fp),
                    0);
}

static void put_string_done(jst_block *b, const FILE *fp, const wchar_t *s, int r)
{
    jst_stream_done(b, fp, &jst_stdio_write, r < 0 ? 0 : wide_string_bytes(s), r < 0, 0);
}

#include "generated/stdio_wide.inc"
