/* stdio_wide.c: wide characters: only counted. Bytes are those of UTF-8; asking the locale would
 * cost more than the call. */
#include "stdio_common.h"

#include "block.h"
#include "common.h"
#include "files/io.h"
#include "resolve.h"

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

static void got(const FILE *fp, wint_t c)
{
    jst_char_done(fp, &jst_stdio_read, wide_bytes(c), c == WEOF && jst_in_failed(fp));
}

JST_EXPORT wint_t fgetwc(FILE *fp)
{
    wint_t r = JST_REAL(fgetwc)(fp);
    got(fp, r);
    return r;
}

JST_EXPORT wint_t getwc(FILE *fp)
{
    wint_t r = JST_REAL(getwc)(fp);
    got(fp, r);
    return r;
}

JST_EXPORT wint_t getwchar(void)
{
    wint_t r = JST_REAL(getwchar)();
    got(stdin, r);
    return r;
}

JST_EXPORT wint_t fgetwc_unlocked(FILE *fp)
{
    wint_t r = JST_REAL(fgetwc_unlocked)(fp);
    got(fp, r);
    return r;
}

JST_EXPORT wint_t getwc_unlocked(FILE *fp)
{
    wint_t r = JST_REAL(getwc_unlocked)(fp);
    got(fp, r);
    return r;
}

JST_EXPORT wint_t getwchar_unlocked(void)
{
    wint_t r = JST_REAL(getwchar_unlocked)();
    got(stdin, r);
    return r;
}

/* ---- characters out ---- */

static void put(const FILE *fp, wint_t r)
{
    jst_char_done(fp, &jst_stdio_write, wide_bytes(r), r == WEOF);
}

JST_EXPORT wint_t fputwc(wchar_t c, FILE *fp)
{
    wint_t r = JST_REAL(fputwc)(c, fp);
    put(fp, r);
    return r;
}

JST_EXPORT wint_t putwc(wchar_t c, FILE *fp)
{
    wint_t r = JST_REAL(putwc)(c, fp);
    put(fp, r);
    return r;
}

JST_EXPORT wint_t putwchar(wchar_t c)
{
    wint_t r = JST_REAL(putwchar)(c);
    put(stdout, r);
    return r;
}

JST_EXPORT wint_t fputwc_unlocked(wchar_t c, FILE *fp)
{
    wint_t r = JST_REAL(fputwc_unlocked)(c, fp);
    put(fp, r);
    return r;
}

JST_EXPORT wint_t putwc_unlocked(wchar_t c, FILE *fp)
{
    wint_t r = JST_REAL(putwc_unlocked)(c, fp);
    put(fp, r);
    return r;
}

JST_EXPORT wint_t putwchar_unlocked(wchar_t c)
{
    wint_t r = JST_REAL(putwchar_unlocked)(c);
    put(stdout, r);
    return r;
}

/* ---- strings ---- */

static void got_string(jst_block *b, const FILE *fp, const wchar_t *s)
{
    jst_stream_done(b, fp, &jst_stdio_read, s ? wide_string_bytes(s) : 0, !s && jst_in_failed(fp),
                    0);
}

JST_EXPORT wchar_t *fgetws(wchar_t *s, int n, FILE *fp)
{
    jst_block *b = jst_enter();
    wchar_t *r = JST_REAL(fgetws)(s, n, fp);
    if (b)
        got_string(b, fp, r);
    return r;
}

JST_EXPORT wchar_t *fgetws_unlocked(wchar_t *s, int n, FILE *fp)
{
    jst_block *b = jst_enter();
    wchar_t *r = JST_REAL(fgetws_unlocked)(s, n, fp);
    if (b)
        got_string(b, fp, r);
    return r;
}

JST_EXPORT wchar_t *__fgetws_chk(wchar_t *s, size_t room, int n, FILE *fp)
{
    jst_block *b = jst_enter();
    wchar_t *r = JST_REAL(__fgetws_chk)(s, room, n, fp);
    if (b)
        got_string(b, fp, r);
    return r;
}

JST_EXPORT wchar_t *__fgetws_unlocked_chk(wchar_t *s, size_t room, int n, FILE *fp)
{
    jst_block *b = jst_enter();
    wchar_t *r = JST_REAL(__fgetws_unlocked_chk)(s, room, n, fp);
    if (b)
        got_string(b, fp, r);
    return r;
}

static void put_string(jst_block *b, const FILE *fp, const wchar_t *s, int r)
{
    jst_stream_done(b, fp, &jst_stdio_write, r < 0 ? 0 : wide_string_bytes(s), r < 0, 0);
}

JST_EXPORT int fputws(const wchar_t *s, FILE *fp)
{
    jst_block *b = jst_enter();
    int r = JST_REAL(fputws)(s, fp);
    if (b)
        put_string(b, fp, s, r);
    return r;
}

JST_EXPORT int fputws_unlocked(const wchar_t *s, FILE *fp)
{
    jst_block *b = jst_enter();
    int r = JST_REAL(fputws_unlocked)(s, fp);
    if (b)
        put_string(b, fp, s, r);
    return r;
}
