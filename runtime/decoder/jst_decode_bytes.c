/* jst_decode_bytes.c: checksums, variable-length numbers, windows on files, framing of records. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jst_decode_parts.h"

#define READ_BYTES 32768u /* of a file at once, unless a record is larger */

static uint32_t crc_table[8][256];

/* RATIONALE: eight bytes a step (1.5 GB/s and more) without an instruction whose presence must be
 * checked; made when the library is loaded, so that threads find it ready. */
__attribute__((constructor)) static void crc_begin(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = (c >> 1) ^ (0xedb88320u & (0 - (c & 1)));
        crc_table[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int t = 1; t < 8; t++)
            crc_table[t][i] = (crc_table[t - 1][i] >> 8) ^ crc_table[0][crc_table[t - 1][i] & 0xff];
}

uint32_t jst_decode_crc32(const uint8_t *p, size_t n)
{
    uint32_t c = 0xffffffffu;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t v = jst_load64(p) ^ c;
        c = crc_table[7][v & 0xff] ^ crc_table[6][v >> 8 & 0xff] ^ crc_table[5][v >> 16 & 0xff] ^
            crc_table[4][v >> 24 & 0xff] ^ crc_table[3][v >> 32 & 0xff] ^
            crc_table[2][v >> 40 & 0xff] ^ crc_table[1][v >> 48 & 0xff] ^ crc_table[0][v >> 56];
    }
    for (; n > 0; n--, p++)
        c = (c >> 8) ^ crc_table[0][(c ^ *p) & 0xff];
    return ~c;
}

uint64_t jst_take_varint_slow(jst_cursor *c)
{
    uint64_t v = 0;
    const uint8_t *p = c->p;
    for (unsigned shift = 0; p != NULL && p < c->end && shift < 64; shift += 7) {
        uint8_t b = *p++;
        if (shift == 63 && b > 1)
            break; /* more than 64 bits */
        v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            c->p = p;
            return v;
        }
    }
    c->p = NULL;
    return 0;
}

uint64_t jst_source_grown(jst_source *s)
{
    struct stat st;
    if (s->fd >= 0 && fstat(s->fd, &st) != 0)
        s->failed = true;
    else if (s->fd >= 0 && st.st_size > 0 && (uint64_t)st.st_size > s->size)
        s->size = (uint64_t)st.st_size;
    return s->size;
}

bool jst_source_refill(jst_source *s, uint64_t at, uint64_t n)
{
    if (s->fd < 0 || n > s->buffer_bytes || at > s->size || n > s->size - at)
        return false;
    /* A reader that follows a file needs its header and its end, not what is between. */
    uint64_t most = n > READ_BYTES ? s->buffer_bytes : READ_BYTES;
    uint64_t want = s->size - at < most ? s->size - at : most;
    uint64_t got = 0;
    while (got < want) {
        ssize_t r = pread(s->fd, s->buffer + got, want - got, (off_t)(at + got));
        if (r < 0 && errno == EINTR)
            continue;
        s->failed |= r < 0;
        if (r <= 0)
            break;
        got += (uint64_t)r;
    }
    s->window = s->buffer;
    s->window_at = at;
    s->window_bytes = got;
    return got >= n;
}

enum jst_record_state jst_record_frame(jst_source *s, uint64_t at, uint64_t end, jst_record *r)
{
    if (at >= end)
        return JST_RECORD_END;
    uint64_t left = end - at;
    uint64_t look = left < 6 ? left : 6; /* type, and a length of at most 1 MiB */
    const uint8_t *p = jst_source_at(s, at, look);
    if (p == NULL)
        return JST_RECORD_CUT;
    jst_cursor c = {p + 1, p + look};
    uint64_t length = jst_take_varint(&c);
    if (c.p == NULL)
        return look < 6 ? JST_RECORD_CUT : JST_RECORD_BAD;
    if (length > JST_PAYLOAD_MAX)
        return JST_RECORD_BAD;
    uint64_t front = (uint64_t)(c.p - p);
    uint64_t total = front + length + 4;
    if (total > left || (p = jst_source_at(s, at, total)) == NULL)
        return JST_RECORD_CUT;
    r->type = p[0];
    r->payload = (jst_cursor){p + front, p + front + length};
    r->next = at + total;
    return JST_RECORD_GOOD;
}

enum jst_record_state jst_record_at(jst_source *s, uint64_t at, uint64_t end, jst_record *r)
{
    enum jst_record_state state = jst_record_frame(s, at, end, r);
    if (state != JST_RECORD_GOOD)
        return state;
    size_t bytes = (size_t)(r->next - at - 4);
    const uint8_t *p = jst_source_at(s, at, bytes + 4); /* in the window already */
    return jst_decode_crc32(p, bytes) == jst_load32(p + bytes) ? JST_RECORD_GOOD : JST_RECORD_BAD;
}
