/* jst_decode_parts.h: shared declarations of the decoder's files. */
#ifndef JST_DECODE_PARTS_H
#define JST_DECODE_PARTS_H

#include <stdbool.h>
#include <string.h>

#include "jst_decode.h"
#include "jst_profile.h" /* from schema/profile.toml */

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "profiles are little-endian, and so must this machine be"
#endif

_Static_assert(sizeof(jst_head) == JST_DECODE_HEAD_BYTES, "results hold the header whole");

#define JST_DECODE_CELLS_MAX 65536u
#define JST_DECODE_SLOTS_MAX 64u
#define JST_DECODE_TABLE_MAX (1u << 20)
#define JST_DECODE_HISTORY_MAX 10000u /* events kept of one profile */

static inline uint32_t jst_load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t jst_load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The largest record with its frame, and more, so that many records are read at once. */
#define JST_WINDOW_BYTES (JST_PAYLOAD_MAX + 65536u)

/* ---- bytes (jst_decode_bytes.c) ---- */
uint32_t jst_decode_crc32(const uint8_t *p, size_t n);

/* A file or a piece of memory. A file is read through a window, never mapped: its owner could cut
 * it short under a mapping and kill the reader. */
typedef struct jst_source {
    int fd;      /* -1: memory, wholly in the window */
    bool failed; /* the system returned an error: data that seem cut or damaged may be whole */
    uint64_t size;
    const uint8_t *window;
    uint64_t window_at, window_bytes;
    uint8_t *buffer;
    size_t buffer_bytes;
} jst_source;

/** Size of the file as it is now; it is the source's from then on. */
uint64_t jst_source_grown(jst_source *s);
bool jst_source_refill(jst_source *s, uint64_t at, uint64_t n);

/** n bytes at an offset, valid until the next call; NULL when the file does not have them. */
static inline const uint8_t *jst_source_at(jst_source *s, uint64_t at, uint64_t n)
{
    if (__builtin_expect(at < s->window_at || n > s->window_bytes ||
                             at - s->window_at > s->window_bytes - n,
                         0) &&
        !jst_source_refill(s, at, n))
        return NULL;
    return s->window + (at - s->window_at);
}

/** Forgets what was read before: the next jst_source_at sees the file as it is then. */
static inline void jst_source_forget(jst_source *s)
{
    if (s->fd >= 0)
        s->window_bytes = 0;
}

/* A range being read. Running over the end sets p to NULL, once and for all. */
typedef struct jst_cursor {
    const uint8_t *p, *end;
} jst_cursor;

uint64_t jst_take_varint_slow(jst_cursor *c);

static inline uint64_t jst_take_varint(jst_cursor *c)
{
    if (c->p == NULL || c->end - c->p < 8)
        return jst_take_varint_slow(c);
    if (*c->p < 0x80)
        return *c->p++;
    /* Eight bytes at once: the first without its highest bit is the last one of the number. */
    uint64_t v = jst_load64(c->p), last = ~v & 0x8080808080808080u;
    if (last == 0)
        return jst_take_varint_slow(c);
    c->p += (__builtin_ctzll(last) >> 3) + 1;
    v &= (last ^ (last - 1)) & 0x7f7f7f7f7f7f7f7fu;
    v = (v & 0x7f007f007f007f00u) >> 1 | (v & 0x007f007f007f007fu);
    v = (v & 0x3fff00003fff0000u) >> 2 | (v & 0x00003fff00003fffu);
    return (v & 0x0fffffff00000000u) >> 4 | (v & 0x000000000fffffffu);
}

/* The 16-bit code of a time. */
static inline uint64_t jst_ns_of(unsigned code)
{
    uint64_t m = code & 0x7ff;
    unsigned e = code >> 11;
    return e == 0 ? m : (2048 + m) << (e - 1);
}

/* Ticks of the writer's clock in ns; `tick_ns` has 32 bits behind the point. */
static inline uint64_t jst_ns_of_ticks(uint64_t ticks, uint64_t tick_ns)
{
    return (uint64_t)((unsigned __int128)ticks * tick_ns >> 32);
}

/* An increase of 2^63 or more is damage that a checksum did not detect: the largest number makes it
 * visible, where a wrapped, negative one would be hidden in a sum. */
static inline int64_t jst_number(uint64_t v)
{
    return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static inline int64_t jst_unzigzag(uint64_t v)
{
    return (int64_t)((v >> 1) ^ (0 - (v & 1)));
}

/** n bytes, or NULL (and the cursor with it) when there are fewer. */
static inline const uint8_t *jst_take_bytes(jst_cursor *c, uint64_t n)
{
    if (c->p == NULL || (uint64_t)(c->end - c->p) < n)
        return c->p = NULL;
    const uint8_t *p = c->p;
    c->p += n;
    return p;
}

static inline uint32_t jst_take32(jst_cursor *c)
{
    const uint8_t *p = jst_take_bytes(c, 4);
    return p == NULL ? 0 : jst_load32(p);
}

/* One framed record; the payload is in the source's window. */
typedef struct jst_record {
    uint8_t type;
    jst_cursor payload;
    uint64_t next; /* offset of the record after it */
} jst_record;

enum jst_record_state { JST_RECORD_GOOD, JST_RECORD_END, JST_RECORD_CUT, JST_RECORD_BAD };

/** The record at an offset of a file whose records end at `end`; _frame leaves its checksum out. */
enum jst_record_state jst_record_frame(jst_source *s, uint64_t at, uint64_t end, jst_record *r);
enum jst_record_state jst_record_at(jst_source *s, uint64_t at, uint64_t end, jst_record *r);

/* ---- metric table (jst_decode_table.c) ---- */
enum jst_coding { JST_CODED_NOT, JST_CODED_VARINT, JST_CODED_GAUGE, JST_CODED_NS };
enum jst_goal {
    JST_GOAL_NONE,
    JST_GOAL_VALUE,
    JST_GOAL_GAUGE,
    JST_GOAL_BUCKET,
    JST_GOAL_MOUNT,
    JST_GOAL_COMPONENT
};

/* How a cell is coded, and where its value goes. */
typedef struct jst_cell {
    uint8_t coding; /* enum jst_coding */
    uint8_t goal;   /* enum jst_goal */
    uint8_t timer;  /* ticks in the live blocks */
    uint8_t part;   /* slot of a mount, or bucket of a histogram */
    uint8_t state;  /* a `state_*` timer: a thread is in one of them at a time */
    uint16_t column;
} jst_cell;

/* The requested metrics: ids cut out of one text. */
typedef struct jst_wanted {
    char *text;
    const char **ids;
    uint32_t count;
} jst_wanted;

/* A metric table, prepared for decoding. */
typedef struct jst_table {
    uint32_t cell_count, slots, stride, text_bytes, crc;
    uint32_t group_count, bitmap_bytes, gauge_count;
    char *text;
    jst_cell *cells;
    uint32_t *gauges; /* cells of requested gauges */
} jst_table;

bool jst_wanted_set(jst_wanted *w, const char *ids);
void jst_wanted_free(jst_wanted *w);
bool jst_table_is(const jst_table *t, const jst_table *shape, const uint8_t *text);
/** Reads a table; shape gives cell_count, slots, stride and text_bytes. Returns NULL, or what is
 *  wrong with it. The table must be freed either way. */
const char *jst_table_read(jst_table *t, const jst_table *shape, const uint8_t *text,
                           const jst_decode *d);
void jst_table_free(jst_table *t);

/* ---- rows (jst_decode_rows.c) ---- */
typedef struct jst_memory {
    uint8_t *p;
    size_t bytes;
} jst_memory; /* mapped pages: growing moves no byte, and new ones are zero */

/* A column: `unit` bytes per row (units of a row's eighth for bitmaps, see jst_rows_reserve). */
typedef struct jst_rows {
    uint64_t count, capacity;
    uint32_t columns;
    uint32_t *widths; /* bytes per 8 rows */
    jst_memory *data;
    uint64_t *bits; /* per column: bits of all its numbers together, where they are collected */
} jst_rows;

bool jst_memory_grow(jst_memory *m, size_t bytes);
void jst_memory_free(jst_memory *m);
bool jst_rows_make(jst_rows *r, uint32_t columns);
void jst_rows_free(jst_rows *r);
bool jst_rows_reserve(jst_rows *r, uint64_t more);

static inline int64_t *jst_values_of(jst_rows *r, uint32_t column)
{
    return (int64_t *)(void *)r->data[column].p;
}

/* The changed cells of one record, not yet in any column. */
typedef struct jst_moved {
    uint32_t count;
    uint16_t *cells;
    uint64_t *values; /* increases; changes of gauges (two's complement) */
} jst_moved;

bool jst_take_cells(jst_cursor *c, const jst_table *t, jst_moved *m);

/* The cells of an 'S' record, on which the 'L' records after it are based (jst_decode_like.c). */
typedef struct jst_base_cell {
    uint64_t code, now;
    uint16_t cell;
    uint8_t coding, back; /* back: an earlier one had the same number, so many before it; 0: none */
} jst_base_cell;

typedef struct jst_base {
    uint64_t at; /* of the record in the file; 0: none */
    uint32_t count;
    bool ready; /* back is known */
    jst_base_cell *cells;
} jst_base;

/** Remembers the cells of an 'S' record. */
void jst_base_take(jst_base *b, uint64_t at, const jst_table *t, const jst_moved *m);
/** The cells of an 'L' record. False when they are invalid. */
bool jst_take_like(jst_cursor *c, const jst_table *t, jst_base *b, jst_moved *m);
void jst_levels_follow(jst_decode *d, const jst_table *t, const jst_moved *m);
/** The first columns of a row of the tables of slices. */
void jst_fixed_put(jst_rows *r, uint64_t row, int32_t process, int64_t slice, int32_t span);
/** One row of the slices table and those of its mounts. False when memory is short. */
bool jst_rows_put(jst_decode *d, const jst_table *t, const jst_moved *m, int32_t process,
                  int64_t slice, int32_t span);
/** The span, limited to the range of its column. */
int32_t jst_span(uint64_t first_slice, uint64_t last_slice);

/* The slices of one followed profile, not yet in any column. */
typedef struct jst_pending {
    jst_memory slices, cells, values;
    uint64_t slice_count, cell_count;
} jst_pending;

/* ---- batch (jst_decode.c) ---- */
enum jst_heap {
    JST_HEAP_WAIT,
    JST_HEAP_OFFCPU,
    JST_HEAP_FUNCTION,
    JST_HEAP_MODULE,
    JST_HEAP_UNKNOWN,
    JST_HEAP_OPERATION,
    JST_HEAP_MEMBERS,
    JST_HEAP_COUNT
};

struct jst_decode {
    jst_wanted process, histograms, mounts, components;
    uint64_t max_rows;
    uint64_t short_processes;                /* so far */
    jst_rows tables[JST_DECODE_TABLE_COUNT]; /* enum jst_decode_table */
    jst_memory heaps[JST_HEAP_COUNT];        /* target of binary columns' offsets */
    uint64_t heap_bytes[JST_HEAP_COUNT];
    uint64_t *histogram_used; /* per histogram: rows that are not null */
    uint64_t *bucket_bits;    /* per histogram and bucket: bits of all its numbers together */
    jst_memory results, events, text, states;
    uint64_t result_count, event_count, text_bytes, state_bytes;
    jst_table table;     /* of the latest profile: most files share one */
    uint64_t *levels;    /* per cell: gauges of the file being read */
    uint64_t *sums;      /* per cell: blocks minus commit */
    uint64_t *committed; /* per cell: gauges in the commit */
    jst_moved moved;
    jst_base base;
    jst_pending pending;
    uint32_t scratch_cells; /* entries allocated in levels, sums, moved and base */
    uint8_t *buffer;        /* window of files */
    jst_decode_place place; /* for the next file; record 0: none */
    const uint8_t *given;   /* the state for the next file */
    uint64_t given_bytes;
};

/* One file while it is read. */
typedef struct jst_job {
    jst_decode *d;
    jst_decode_result *r;
    jst_source *s;
    int32_t process;
    uint64_t from_record;
    uint32_t flags;
    bool no_memory;
    bool sound;                  /* all records were read, to their end */
    bool state_lost;             /* the state became too large */
    uint64_t newest_ns;          /* newest time in the blocks, CLOCK_REALTIME */
    struct jst_traffic *traffic; /* NULL: no such record yet */
    struct jst_gpus *gpus;       /* NULL: no such record yet */
} jst_job;

/** Puts bytes into the heap of a binary column, and their end into its next row (of which one more
 *  is reserved). False when memory is short. */
bool jst_heap_put(jst_decode *d, enum jst_heap heap, jst_rows *r, uint32_t column, const uint8_t *p,
                  uint64_t bytes);
/** Would so many bytes more exceed the range of offsets? */
bool jst_heaps_full(const jst_decode *d, uint64_t more);

bool jst_decode_scratch(jst_decode *d, uint32_t cells);
void jst_warn(jst_job *j, uint64_t offset, const char *text);
void jst_refuse(jst_job *j, uint64_t offset, const char *text);
void jst_events_forget(jst_job *j, uint64_t events); /* all except the batch's first so many */
jst_decode_event *jst_event_add(jst_job *j, uint8_t type, uint64_t record);
void jst_event_text(jst_job *j, jst_decode_event *e, unsigned n, const uint8_t *p, uint64_t bytes);
void jst_event_string(jst_job *j, jst_decode_event *e, unsigned n, jst_cursor *c);
bool jst_full(const jst_decode *d);

/** A 'T' record, whose rows are stored if requested; a 'U' record. False when its payload is
 *  invalid or memory is short (jst_decode_traffic.c). */
bool jst_traffic_take(jst_job *j, jst_cursor c, bool wanted);
bool jst_communicator_take(jst_job *j, jst_cursor c);
/** Rows of what the tables in the header have beyond the records. */
void jst_traffic_remainder(jst_job *j);
void jst_traffic_free(jst_job *j); /* forgets what is known of it; reading begins again */
/** Appends what is known of traffic to the state; takes it from there. False when that is invalid or
 *  memory is short. */
void jst_traffic_save(jst_job *j);
bool jst_traffic_restore(jst_job *j, jst_cursor *c);

/** The same of a 'D' record (jst_decode_gpus.c). */
bool jst_gpus_take(jst_job *j, jst_cursor c, bool wanted);
void jst_gpus_names(jst_job *j); /* an event for each GPU in the header */
void jst_gpus_remainder(jst_job *j);
void jst_gpus_free(jst_job *j);
void jst_gpus_save(jst_job *j);
bool jst_gpus_restore(jst_job *j, jst_cursor *c);

/* ---- states (jst_decode_state.c) ---- */
enum jst_state_kind { JST_STATE_RECORDS = 1, JST_STATE_SEGMENTS };

/** Begins the state of the file that is read; appends to it; ends it. _end: false when it is too
 *  large, and there is none. */
void jst_state_begin(jst_job *j, enum jst_state_kind kind);
void jst_state_bytes(jst_job *j, const void *p, uint64_t bytes);
void jst_state_number(jst_job *j, uint64_t v);
bool jst_state_end(jst_job *j);
void jst_state_forget(jst_job *j); /* there is none */
/** The content of the state with which this reading began; p is NULL when there is none, or one of
 *  another file. */
jst_cursor jst_state_given(const jst_job *j, enum jst_state_kind kind);
/** That state is the one for the next reading, too. */
bool jst_state_again(jst_job *j);

/* Where reading is. */
typedef struct jst_walk {
    uint64_t at, number, expected; /* offset and number of the next record, slice it may begin at */
    uint64_t base;                 /* offset of the newest 'S' record, 0: not known */
    uint64_t end;                  /* of all records */
} jst_walk;

/** The cells of an 'S' or 'L' record, into d->moved, and the slices that it covers. False when its
 *  payload is invalid (jst_decode_profile.c). */
bool jst_slice_take(jst_job *j, const jst_record *rec, jst_walk *w, uint64_t *slice,
                    uint64_t *span);
/** One profile of jst_decode_follow, by its descriptor; false when memory is short
 *  (jst_decode_follow.c). */
bool jst_follow_file(jst_decode *d, int fd, jst_decode_followed *f, int32_t process);

/* A consistent copy of the ring: bytes [drained, written) of the stream of segments. */
typedef struct jst_ring_copy {
    uint64_t written, drained;
    jst_memory bytes;
} jst_ring_copy;

/** Copies the ring; its bytes must be freed (jst_decode_ring.c). */
void jst_ring_read(jst_job *j, jst_ring_copy *r);

void jst_profile_read(jst_job *j);  /* jst_decode_profile.c */
void jst_segments_read(jst_job *j); /* jst_decode_segments.c */
void jst_shorts_read(jst_job *j);   /* jst_decode_shorts.c */
/** An 'X' record after its slice and span. False when its payload is invalid or memory is short
 *  (jst_decode_components.c). */
bool jst_components_take(jst_job *j, jst_cursor *c, int64_t slice, int32_t span);

/* ---- the header of a profile (jst_decode_head.c) ---- */
/* Offset of a field of jst_head in the file. */
#define JST_AT(field) offsetof(jst_head, field)

/* A number of the header as it was read, of its field's own type. */
#define JST_HEADER(j, field)                                                                       \
    ((__typeof__(+((jst_head *)0)->field))jst_header_number(j, JST_AT(field),                      \
                                                            sizeof(((jst_head *)0)->field)))

static inline uint64_t jst_header_number(const jst_job *j, size_t at, size_t bytes)
{
    return bytes == 4 ? jst_load32(j->r->head + at) : jst_load64(j->r->head + at);
}

/** Reads and checks the header; the job is refused if it is none. */
bool jst_head_read(jst_job *j);
/** Reads the profile's table of metrics, and makes room for its cells. */
bool jst_head_table(jst_job *j);
/** Is an area after the fixed header and before the records? */
bool jst_head_holds(const jst_job *j, uint64_t offset, uint64_t bytes);
/** Checksum of a header, without the fields that every heartbeat changes. */
uint64_t jst_head_sum(const uint8_t *head);
/** Checksum of the fields that are written once, before the file has its name. */
uint64_t jst_head_fixed_sum(const uint8_t *head);

/* The valid commit, and what the blocks have beyond it. */
typedef struct jst_commit_view {
    uint64_t records_end, open_slice;
    bool whole;   /* commit and blocks belong together */
    bool damaged; /* records_end cannot be right */
    bool cut;     /* the file ends before records_end */
} jst_commit_view;

void jst_commit_read(jst_job *j, jst_commit_view *c);

#endif
