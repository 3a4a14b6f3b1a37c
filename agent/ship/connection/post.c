/* post.c: builds the body of a post. */
#include "connection/post.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define UNITS (JST_SHIP_POST / JST_SHIP_UNIT + 4096)

static uint32_t crc_table[256];

uint32_t jst_crc32(const uint8_t *bytes, size_t n)
{
    if (!crc_table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int bit = 0; bit < 8; bit++)
                c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
            crc_table[i] = c;
        }
    uint32_t c = ~0u;
    for (size_t i = 0; i < n; i++)
        c = c >> 8 ^ crc_table[(c ^ bytes[i]) & 255];
    return ~c;
}

bool jst_post_begin(jst_post *p, size_t room)
{
    if (!p->bytes) {
        p->bytes = malloc(JST_SHIP_POST);
        p->sent = calloc(JST_SHIP_RANGES, sizeof *p->sent);
        p->units = malloc(UNITS * sizeof *p->units);
    }
    if (!p->bytes || !p->sent || !p->units)
        return false;
    p->room = room < JST_SHIP_POST ? room : JST_SHIP_POST;
    memcpy(p->bytes, "jstship1", 8);
    p->size = 8;
    p->ranges = p->sent_count = p->unit_count = 0;
    return true;
}

size_t jst_post_room(const jst_post *p, size_t name_length)
{
    size_t taken = p->size + JST_SHIP_RANGE_HEAD + name_length;
    if (p->ranges >= JST_SHIP_RANGES || taken >= p->room)
        return 0;
    return p->room - taken < JST_SHIP_RANGE ? p->room - taken : JST_SHIP_RANGE;
}

static void put32(uint8_t *to, uint32_t value)
{
    value = htole32(value);
    memcpy(to, &value, 4);
}

static void put64(uint8_t *to, uint64_t value)
{
    value = htole64(value);
    memcpy(to, &value, 8);
}

uint8_t *jst_post_open(jst_post *p, const char *name, uint32_t owner, uint64_t file, uint32_t flags,
                       uint64_t offset)
{
    uint8_t *head = p->bytes + p->size;
    size_t length = strlen(name);
    p->range = p->size;
    put64(head + 8, offset);
    put64(head + 16, file);
    put32(head + 24, owner);
    put32(head + 28, flags);
    put32(head + 32, (uint32_t)length); /* u16 length, u16 zero */
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): data follows, not a NUL */
    memcpy(head + JST_SHIP_RANGE_HEAD, name, length);
    return head + JST_SHIP_RANGE_HEAD + length;
}

void jst_post_close(jst_post *p, size_t bytes)
{
    uint8_t *head = p->bytes + p->range;
    uint16_t length;
    memcpy(&length, head + 32, 2);
    size_t whole = JST_SHIP_RANGE_HEAD + le16toh(length) + bytes;
    put32(head + 4, (uint32_t)bytes);
    put32(head, jst_crc32(head + 4, whole - 4));
    p->size += whole;
    p->ranges++;
}

bool jst_post_unit(jst_post *p, uint32_t unit)
{
    if (p->unit_count == UNITS)
        return false;
    p->units[p->unit_count++] = unit;
    return true;
}
