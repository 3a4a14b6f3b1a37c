/* encode.h: encodes records as bytes (encode.c): pure, no system call. */
#ifndef JST_ENCODE_H
#define JST_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "../../include/jst_metrics.h"

/* Cells are checked in groups as large as a cache line: most of them are unchanged. */
#define JST_GROUP 8u
#define JST_CELL_GROUPS (JST_CELL_COUNT / JST_GROUP)
_Static_assert(JST_CELL_COUNT % JST_GROUP == 0, "no cell is outside a group");

static inline uint64_t jst_any_of_group(const uint64_t *cells)
{
    const volatile uint64_t *c = cells; /* other threads may be adding to them */
    return c[0] | c[1] | c[2] | c[3] | c[4] | c[5] | c[6] | c[7];
}

uint8_t *jst_put_varint(uint8_t *p, uint64_t v);
uint8_t *jst_put_svarint(uint8_t *p, int64_t v);
uint8_t *jst_put_string(uint8_t *p, const char *s, size_t n);
uint32_t jst_crc32(uint32_t crc, const void *data, size_t n);
/** Writes the changes of all cells and the value of each code (taken), so that the remainder of
 *  rounding is carried. delta of timers: ticks. Returns the end of what was written. */
uint8_t *jst_put_cells(uint8_t *p, const uint64_t *delta, uint64_t *taken, uint64_t tick_ns);
/** The same, eight cells at a time: first the bitmap of groups, then each group in turn. */
uint8_t *jst_begin_groups(uint8_t *bitmap);
uint8_t *jst_put_group(uint8_t *bitmap, uint8_t *p, unsigned group, const uint64_t *delta,
                       uint64_t *taken, uint64_t tick_ns);
/** The cells of a full record, to which later 'L' records are relative. */
typedef struct jst_base_cell {
    uint64_t code, now;
    uint16_t cell;
    uint8_t back; /* an earlier one that had the same number: so many before it; 0: none */
} jst_base_cell;

typedef struct jst_base {
    unsigned count; /* 0: there is no such record */
    jst_base_cell at[JST_CELL_COUNT];
} jst_base;

#define JST_BASE_BACK 64 /* how far back an earlier one is searched: part of the format */
#define JST_LIKE_OTHERS                                                                            \
    64 /* changed cells that are not in the base: at most so many, so that the record fits */
void jst_base_advance(jst_base *base, const uint64_t *delta, uint64_t tick_ns);
/** The same as jst_put_cells, by the base. NULL where too many others have changed. */
uint8_t *jst_put_like(uint8_t *p, jst_base *base, const uint64_t *delta, uint64_t *taken,
                      uint64_t tick_ns);
/** Puts type and length before a payload of n bytes and the checksum after it; frame has n + 16
 *  bytes and the payload is at frame + 12. Returns the start of the record, sets *size. */
uint8_t *jst_frame(uint8_t *frame, uint8_t type, size_t n, size_t *size);
/** Nanoseconds in two bytes: the times in records. */
uint16_t jst_short_ns(uint64_t ns);
/** The value of the two bytes. */
uint64_t jst_short_ns_value(uint16_t code);
#define JST_FRAME_GAP 12
#define JST_RECORD_MAX (JST_CELL_COUNT * 11 + 256)

#endif
